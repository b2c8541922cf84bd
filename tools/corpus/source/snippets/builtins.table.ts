// SPDX-License-Identifier: Apache-2.0
// Snippets about built-in functions: each name with arguments of many types, by the number of parameters that its rows
// have. What no row has room for should be refused as clang does.
import { builtinNames, builtinRows } from "@muxkit/builtin-table";

import type { Snippet, SnippetTable } from "./snippet.ts";
import { SCALARS, VECTORS } from "./types.ts";

/** Parameters that arguments are made of, by name. */
const PARAMETERS: readonly (readonly [type: string, name: string])[] = [
  ["char", "c"],
  ["uchar", "uc"],
  ["short", "s"],
  ["ushort", "us"],
  ["int", "i"],
  ["uint", "u"],
  ["long", "l"],
  ["ulong", "ul"],
  ["float", "f"],
  ["double", "d"],
  ["half", "h"],
  ["size_t", "z"],
  ["bool", "b"],
  ["char2", "c2"],
  ["uchar4", "uc4"],
  ["short2", "s2"],
  ["int2", "i2"],
  ["uint2", "u2"],
  ["uint4", "u4"],
  ["int4", "i4"],
  ["long2", "l2"],
  ["float2", "f2"],
  ["float3", "f3"],
  ["float4", "f4"],
  ["double2", "d2"],
  ["half2", "h2"],
  ["global float", "*gf"],
  ["global int", "*gi"],
  ["global uint", "*gu"],
  ["global float4", "*gf4"],
  ["global const float", "*gcf"],
  ["local float", "*lf"],
  ["local int", "*li"],
  ["constant float", "*kf"],
  ["float", "*pf"],
  ["int", "*pi"],
  ["float2", "*pf2"],
  ["int2", "*pi2"],
  ["global half", "*gh"],
  ["global long", "*gl"],
  ["global volatile int", "*gvi"],
  ["global atomic_int", "*gai"],
  ["global atomic_float", "*gaf"],
  ["event_t", "e"],
  ["event_t", "*pe"],
  ["sampler_t", "sm"],
  ["read_only image2d_t", "im"],
  ["write_only image2d_t", "wim"],
  ["read_only image3d_t", "im3"],
  ["read_only image1d_buffer_t", "imb"],
  ["read_only image2d_array_t", "ima"],
  ["S", "st"],
];

/** Constants, which have types that conversions choose by. */
const CONSTANTS: readonly string[] = ["1", "1u", "1.0f", "1.0", "(float2)(1)"];

function names(text: string): readonly string[] {
  return text.split(" ");
}

const ONE: readonly string[] = [...PARAMETERS.map(([, name]) => name.replace("*", "")), ...CONSTANTS];
const TWO = names("c uc s i u l f d h z c2 i2 u2 l2 f2 f4 d2 h2 gf gi li pf pi lf gcf kf gf4 gh gai 1 1u 1.0f 1.0 im sm pi2");
const THREE = names("c i u f h i2 u2 f2 f4 d2 gf pi 1 1.0f");

/** The functions' names and how many parameters their rows have. */
function functions(): readonly (readonly [name: string, counts: ReadonlySet<number>])[] {
  return [...builtinNames()]
    .filter((name) => !name.startsWith("__") && name !== "printf" && name !== "vec_step" && !name.includes("pipe"))
    .map((name) => {
      const patterns = (builtinRows(name) ?? []).flatMap((row) => row.patterns);
      return [name, new Set(patterns.map((one) => (one.endsWith("()") ? 0 : one.split(",").length)))] as const;
    });
}

/** A call, in a function that has those of the parameters that the call uses. */
function call(name: string, args: readonly string[]): Snippet {
  const used = PARAMETERS.filter(([, parameter]) => args.includes(parameter.replace("*", "")));
  const parameters = used.length === 0 ? "void" : used.map(([type, parameter]) => `${type} ${parameter}`).join(", ");
  return { rule: name, text: `void f#(${parameters}) { (void)${name}(${args.join(", ")}); }` };
}

function* oneArgument(): Iterable<Snippet> {
  for (const [name, counts] of functions()) {
    yield call(name, []);
    for (const a of counts.has(1) ? ONE : ["i", "f"]) yield call(name, [a]);
  }
}

function* twoArguments(): Iterable<Snippet> {
  for (const [name, counts] of functions()) {
    const list = counts.has(2) ? TWO : ["i", "f"];
    for (const a of list) for (const b of list) yield call(name, [a, b]);
  }
}

function* threeArguments(): Iterable<Snippet> {
  for (const [name, counts] of functions()) {
    if (!counts.has(3) || /_half|vload|atom|sub_group/u.test(name)) continue;
    for (const a of THREE) for (const b of THREE) for (const c of THREE) yield call(name, [a, b, c]);
  }
}

/** vload, vstore and their kin: all widths, with pointers to all elements in all address spaces. */
function* memoryFunctions(): Iterable<Snippet> {
  const elements = [...SCALARS, "float4"];
  for (const space of ["", "global", "local", "constant", "global const", "global volatile", "private"])
    for (const element of elements) {
      const pointer = `${space} ${element} *p`;
      for (const width of ["", "2", "3", "4", "8", "16"]) {
        for (const name of ["vload", "vload_half", "vloada_half"])
          yield { rule: name, text: `void f#(${pointer}) { (void)${name}${width}(0, p); }` };
        for (const name of ["vstore", "vstore_half", "vstorea_half", "vstore_half_rte", "vstorea_half_rtz"])
          for (const value of [`(${element}${width})0`, "1", "1.0f", `(float${width})0`, `(double${width})0`, "s", "d", "h"])
            yield {
              rule: name,
              text: `void f#(${pointer}, ${element} s, double d, half h) { ${name.replace("half", `half${width}`)}${
                name === "vstore" ? width : ""
              }(${value}, 0, p); }`,
            };
      }
    }
}

const ORDERS = names("memory_order_relaxed memory_order_acquire memory_order_release memory_order_acq_rel memory_order_seq_cst");
const SCOPES = names(
  "memory_scope_work_item memory_scope_sub_group memory_scope_work_group memory_scope_device memory_scope_all_svm_devices",
);

/** Atomics of OpenCL C 2.0: each operation with each order and scope. */
function* atomics(): Iterable<Snippet> {
  const objects = ["atomic_int", "atomic_uint", "atomic_long", "atomic_float", "atomic_flag", "int"];
  for (const space of ["global", "local", "", "constant", "global const", "volatile global"])
    for (const object of objects) {
      const value = object.replace("atomic_", "").replace("flag", "int");
      const head = `void f#(${space} ${object} *p, ${value} v, ${value} *e) `;
      const body = (text: string): string => `${head}{ (void)${text}; }`;
      for (const name of ["store", "exchange", "fetch_add", "fetch_sub", "fetch_or", "fetch_min", "fetch_max", "init"])
        yield { rule: `atomic_${name}`, text: body(`atomic_${name}(p, v)`) };
      yield { rule: "atomic_load", text: body("atomic_load(p)") };
      yield { rule: "atomic_flag_test_and_set", text: body("atomic_flag_test_and_set(p)") };
      yield { rule: "atomic_flag_clear", text: body("atomic_flag_clear(p)") };
      yield { rule: "atomic_compare_exchange_weak", text: body("atomic_compare_exchange_weak(p, e, v)") };
      if (space !== "global" && space !== "local") continue;
      for (const order of ORDERS)
        for (const scope of ["", ...SCOPES.map((one) => `, ${one}`)]) {
          for (const name of ["store", "exchange", "fetch_add", "fetch_min", "fetch_xor"])
            yield { rule: `atomic_${name}_explicit`, text: body(`atomic_${name}_explicit(p, v, ${order}${scope})`) };
          yield { rule: "atomic_load_explicit", text: body(`atomic_load_explicit(p, ${order}${scope})`) };
          yield { rule: "atomic_flag_clear_explicit", text: body(`atomic_flag_clear_explicit(p, ${order}${scope})`) };
          for (const failure of ORDERS)
            yield {
              rule: "atomic_compare_exchange_strong_explicit",
              text: body(`atomic_compare_exchange_strong_explicit(p, e, v, ${order}, ${failure}${scope})`),
            };
        }
    }
  for (const flags of ["CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE", "CLK_IMAGE_MEM_FENCE", "0", "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE", "f"])
    for (const scope of SCOPES) {
      yield { rule: "work_group_barrier", text: `void f#(uint f) { work_group_barrier(${flags}, ${scope}); }` };
      for (const order of ORDERS)
        yield { rule: "atomic_work_item_fence", text: `void f#(uint f) { atomic_work_item_fence(${flags}, ${order}, ${scope}); }` };
    }
}

const IMAGES = names(
  "image1d_t image1d_buffer_t image1d_array_t image2d_t image2d_array_t image2d_depth_t image2d_array_depth_t image3d_t",
);

/** Images: each type and access with each function and sort of coordinate. */
function* images(): Iterable<Snippet> {
  for (const access of ["read_only", "write_only", "read_write", ""])
    for (const image of IMAGES) {
      const head = `kernel void f#(${access} ${image} m, sampler_t s, int i, int2 i2, int4 i4, float f, float2 f2, float4 f4, uint4 u4) `;
      for (const place of names("i i2 i4 f f2 f4 (int3)(0) (uint2)(0)"))
        for (const letter of ["f", "i", "ui", "h"]) {
          yield { rule: `read_image${letter}`, text: `${head}{ (void)read_image${letter}(m, s, ${place}); }` };
          yield { rule: `read_image${letter}`, text: `${head}{ (void)read_image${letter}(m, ${place}); }` };
          for (const value of names("f4 i4 u4 f 1 (half4)(0)"))
            yield { rule: `write_image${letter}`, text: `${head}{ write_image${letter}(m, ${place}, ${value}); }` };
        }
      for (const query of names("width height depth dim array_size channel_order channel_data_type num_samples"))
        yield { rule: `get_image_${query}`, text: `${head}{ (void)get_image_${query}(m); }` };
    }
}

/** Formats of printf with arguments of each type. */
function* printfs(): Iterable<Snippet> {
  const conversions = names("d i u o x X c f F e E g G a A p s % n");
  const lengths = names("hh h l ll z t j L hl v2 v2hl v4f v4hlf v3hh v2l v8h 5 .3 -08.3 +v4hh");
  for (const conversion of conversions)
    for (const length of ["", ...lengths])
      for (const argument of [", i", ", f", ", l", ", p", ", \"text\"", ", i2", ", f4", ", c4", ""])
        yield {
          rule: "printf",
          text: `void f#(int i, float f, long l, global int *p, int2 i2, float4 f4, char4 c4) { printf("%${length}${conversion}"${argument}); }`,
        };
}

/** Tables about built-in functions. */
export const BUILTIN_TABLES: readonly SnippetTable[] = [
  { name: "one-argument", section: "6.15", versions: ["1.2", "3.0"], make: oneArgument },
  { name: "two-arguments", section: "6.15", versions: ["1.2"], make: twoArguments },
  { name: "three-arguments", section: "6.15", versions: ["1.2"], make: threeArguments },
  { name: "memory-functions", section: "6.15.8", versions: ["1.2", "2.0"], make: memoryFunctions },
  { name: "atomics", section: "6.15.12", versions: ["2.0", "3.0"], make: atomics },
  { name: "images", section: "6.15.15", versions: ["1.2", "2.0"], make: images },
  { name: "printf", section: "6.15.14", versions: ["1.2"], make: printfs },
];

/** Widths and types that a call may be about, for other tables. */
export const VALUE_TYPES: readonly string[] = [...SCALARS, ...VECTORS];
