// SPDX-License-Identifier: Apache-2.0
// Names that people bring along from C, CUDA, GLSL and HLSL, and what OpenCL C has instead.

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

/** The type of OpenCL C that another language calls so; null: none. */
export function foreignType(name: string): string | null {
  return Object.hasOwn(TYPES, name) ? (TYPES[name] ?? null) : null;
}

/** What OpenCL C writes for a name of another language; null: nothing. */
export function foreignName(name: string): string | null {
  return Object.hasOwn(NAMES, name) ? (NAMES[name] ?? null) : null;
}
