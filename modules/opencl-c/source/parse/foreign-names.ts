// SPDX-License-Identifier: Apache-2.0
// Names and words that people bring along from C, C++, CUDA, GLSL and HLSL, and what OpenCL C has instead.

const TYPES: Readonly<Record<string, string>> = {
  int8_t: "char",
  uint8_t: "uchar",
  int16_t: "short",
  uint16_t: "ushort",
  int32_t: "int",
  uint32_t: "uint",
  int64_t: "long",
  uint64_t: "ulong",
  byte: "uchar",
  boolean: "bool",
  int32: "int",
  uint32: "uint",
  int64: "long",
  uint64: "ulong",
  float16: "half",
  float32: "float",
  float64: "double",
  i8: "char",
  u8: "uchar",
  i16: "short",
  u16: "ushort",
  i32: "int",
  u32: "uint",
  i64: "long",
  u64: "ulong",
  f16: "half",
  f32: "float",
  f64: "double",
  vec2: "float2",
  vec3: "float3",
  vec4: "float4",
  ivec2: "int2",
  ivec3: "int3",
  ivec4: "int4",
  uvec2: "uint2",
  uvec3: "uint3",
  uvec4: "uint4",
  float32_t: "float",
  float64_t: "double",
  float16_t: "half",
};

const NAMES: Readonly<Record<string, string>> = {
  threadIdx: "get_local_id(0)",
  blockIdx: "get_group_id(0)",
  blockDim: "get_local_size(0)",
  gridDim: "get_num_groups(0)",
  __syncthreads: "barrier(CLK_LOCAL_MEM_FENCE)",
  gl_GlobalInvocationID: "get_global_id(0)",
  gl_LocalInvocationID: "get_local_id(0)",
  gl_WorkGroupID: "get_group_id(0)",
  SV_DispatchThreadID: "get_global_id(0)",
  atomicAdd: "atomic_add",
  atomicSub: "atomic_sub",
  atomicMin: "atomic_min",
  atomicMax: "atomic_max",
  atomicCAS: "atomic_cmpxchg",
  atomicExch: "atomic_xchg",
  __threadfence: "mem_fence(CLK_GLOBAL_MEM_FENCE)",
  sqrtf: "sqrt",
  sinf: "sin",
  cosf: "cos",
  expf: "exp",
  logf: "log",
  powf: "pow",
  fabsf: "fabs",
  floorf: "floor",
  ceilf: "ceil",
  fminf: "fmin",
  fmaxf: "fmax",
  rsqrtf: "rsqrt",
  __popc: "popcount",
  __clz: "clz",
  frac: "fract",
  lerp: "mix",
  saturate: "clamp",
  mod: "fmod",
  inversesqrt: "rsqrt",
  memcpy: "async_work_group_copy",
  nullptr: "NULL",
  M_PIf: "M_PI_F",
  __float2int_rz: "convert_int_rtz",
  __int_as_float: "as_float",
  __float_as_int: "as_int",
  floatBitsToInt: "as_int",
  intBitsToFloat: "as_float",
};

/** Words before declarations; an empty string: OpenCL C needs none there. */
const SPECIFIERS: Readonly<Record<string, string>> = {
  __global__: "kernel",
  __shared__: "local",
  groupshared: "local",
  __constant__: "constant",
  __device__: "",
  __host__: "",
  __forceinline__: "inline",
  constexpr: "const",
};

/** Words that begin something that OpenCL C does not have: what, and what replaces it. */
const CONSTRUCTS: Readonly<Record<string, string>> = {
  class: "classes: declare a struct, and functions that take it",
  template: "templates: write a function for each type, or a macro",
  namespace: "namespaces: put a prefix before the names",
  using: "namespaces and aliases: remove this, or write a typedef",
  new: "dynamic memory: declare an array with a constant size",
  delete: "dynamic memory: an array ends with its block",
  try: "exceptions: write a status to memory",
  throw: "exceptions: write a status to memory",
};

/** Words of statements, and what they are here; an empty string: nothing. */
const STATEMENT_WORDS: ReadonlyMap<string, string> = new Map([
  ["elif", "else if"],
  ["elsif", "else if"],
  ["elseif", "else if"],
  ["then", ""],
]);

/** Operators as words. */
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ["and", "&&"],
  ["or", "||"],
  ["xor", "^"],
  ["not", "!"],
]);

/** The operator that a word of another language is; null: it is no such word. */
export function foreignOperator(word: string): string | null {
  return OPERATORS.get(word) ?? null;
}

function own(table: Readonly<Record<string, string>>, name: string): string | null {
  return Object.hasOwn(table, name) ? (table[name] ?? null) : null;
}

/** The specifier of OpenCL C for one of another language, "" where it needs none; null: it is no such word. */
export function foreignSpecifier(word: string): string | null {
  return own(SPECIFIERS, word);
}

/** What a word of another language begins, and what replaces it; null: it is no such word. */
export function foreignConstruct(word: string): string | null {
  return own(CONSTRUCTS, word);
}

/** What replaces a word of a statement of another language, "" for nothing; null: it is no such word. */
export function foreignStatementWord(word: string): string | null {
  return STATEMENT_WORDS.get(word) ?? null;
}

/** The type of OpenCL C that another language calls so; null: none. */
export function foreignType(name: string): string | null {
  return own(TYPES, name);
}

/** What OpenCL C writes for a name of another language; null: nothing. */
export function foreignName(name: string): string | null {
  return own(NAMES, name);
}
