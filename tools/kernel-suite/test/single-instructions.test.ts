// What takes one SIMD instruction on vectors, from OpenCL C to WebAssembly: a row an expression of `a` and `b`, and the instructions that compute it besides loads, stores and constants.
import { expect, test } from "vitest";

import { build } from "@muxkit/kernel-suite";

import { opcodesOfCode, simd } from "../../../modules/wasm/test/instructions.ts";

/** Numbers behind the vector prefix. */
const NAMES: Readonly<Record<string, number>> = {
  "v128.load": 0x00, "v128.store": 0x0b, "v128.const": 0x0c, "i8x16.shuffle": 0x0d, "i8x16.swizzle": 0x0e, "f32x4.splat": 0x13, "f32x4.extract_lane": 0x1f,
  "i32x4.lt_s": 0x39, "i32x4.gt_s": 0x3b, "f32x4.lt": 0x43, "v128.not": 0x4d, "v128.and": 0x4e, "v128.andnot": 0x4f, "v128.or": 0x50, "v128.xor": 0x51, "v128.bitselect": 0x52,
  "i8x16.abs": 0x60, "i8x16.popcnt": 0x62, "f32x4.ceil": 0x67, "f32x4.floor": 0x68, "f32x4.trunc": 0x69, "f32x4.nearest": 0x6a, "i8x16.add": 0x6e, "i8x16.add_sat_s": 0x6f, "i8x16.add_sat_u": 0x70, "i8x16.sub_sat_s": 0x72, "i8x16.sub_sat_u": 0x73,
  "f64x2.ceil": 0x74, "f64x2.floor": 0x75, "i8x16.min_s": 0x76, "i8x16.min_u": 0x77, "i8x16.max_s": 0x78, "i8x16.max_u": 0x79, "f64x2.trunc": 0x7a, "i8x16.avgr_u": 0x7b,
  "i16x8.abs": 0x80, "i16x8.add_sat_s": 0x8f, "i16x8.add_sat_u": 0x90, "i16x8.sub_sat_s": 0x92, "i16x8.sub_sat_u": 0x93, "f64x2.nearest": 0x94, "i16x8.mul": 0x95, "i16x8.min_s": 0x96, "i16x8.min_u": 0x97, "i16x8.max_s": 0x98, "i16x8.max_u": 0x99, "i16x8.avgr_u": 0x9b,
  "i32x4.abs": 0xa0, "i32x4.shl": 0xab, "i32x4.add": 0xae, "i32x4.sub": 0xb1, "i32x4.mul": 0xb5, "i32x4.min_s": 0xb6, "i32x4.min_u": 0xb7, "i32x4.max_s": 0xb8, "i32x4.max_u": 0xb9, "i64x2.abs": 0xc0, "i64x2.shl": 0xcb,
  "f32x4.abs": 0xe0, "f32x4.neg": 0xe1, "f32x4.sqrt": 0xe3, "f32x4.sub": 0xe5, "f32x4.mul": 0xe6, "f32x4.pmin": 0xea, "f32x4.pmax": 0xeb, "f64x2.abs": 0xec, "f64x2.neg": 0xed, "f64x2.sqrt": 0xef, "f64x2.pmin": 0xf6, "f64x2.pmax": 0xf7,
  "i32x4.trunc_sat_f32x4_s": 0xf8, "f32x4.convert_i32x4_s": 0xfa, "f32x4.relaxed_madd": 0x105, "i32x4.relaxed_laneselect": 0x10b,
};
const NAME_OF = new Map(Object.entries(NAMES).map(([name, number]) => [simd(number), name]));
const PLAIN = new Set(["v128.load", "v128.store", "v128.const"]);

/** The SIMD instructions of a kernel that stores the expression. */
function instructionsOf(type: string, expression: string): readonly string[] {
  const source = `kernel void k(global ${type}* p) { ${type} a = p[0], b = p[1]; p[2] = ${expression}; }`;
  const { code } = build(source, { options: "-cl-wfv=never", specialization: { localSize: [1, 1, 1], uniformGroups: true, zeroOffset: true } });
  const all = opcodesOfCode(code[0]?.bytes ?? new Uint8Array(8)).flat().filter((op) => op >= simd(0) && op < simd(0x1000));
  return all.map((op) => NAME_OF.get(op) ?? `0x${(op - simd(0)).toString(16)}`).filter((name) => !PLAIN.has(name));
}

test.each<readonly [type: string, expression: string, instructions: string]>([
  ["float4", "shuffle(a, (uint4)(3, 2, 1, 0))", "i8x16.shuffle"],
  ["float4", "shuffle2(a, b, (uint4)(0, 4, 1, 5))", "i8x16.shuffle"],
  ["uchar16", "shuffle2(a, b, (uchar16)(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23))", "i8x16.shuffle"],
  ["uchar16", "shuffle(a, b)", "v128.and i8x16.swizzle"],
  ["ushort8", "shuffle(a, b)", "v128.and i16x8.mul i8x16.add i8x16.swizzle"],
  ["float4", "shuffle(a, as_uint4(b))", "v128.and i32x4.mul i8x16.add i8x16.swizzle"],
  ["double2", "shuffle(a, as_ulong2(b))", "v128.and i64x2.shl i8x16.swizzle i8x16.add i8x16.swizzle"],
  ["uchar16", "shuffle2(a, b, a)", "v128.and i8x16.swizzle i8x16.add i8x16.swizzle v128.or"],
  ["float4", "(float4)(a.xy, b.zw)", "i8x16.shuffle"],
  ["float4", "(float4)(a.x, b.x, a.y, b.y)", "i8x16.shuffle"],
  ["float4", "(float4)(a.xyz, 0.0f)", "i8x16.swizzle"],
  ["uchar16", "(uchar16)(a.hi, b.lo)", "i8x16.shuffle"],
  ["float4", "a.wzyx", "i8x16.shuffle"],
  ["double2", "a.yx", "i8x16.shuffle"],
  ["short8", "a.s10325476", "i8x16.swizzle"],
  ["float4", "as_float4(as_int4(b))", ""],
  ["double2", "as_double2(as_uchar16(b))", ""],
  ["float4", "vload4(1, (global const float*)p)", ""],
  ["float4", "(float4)(a.x)", "f32x4.extract_lane f32x4.splat"],
  ["float4", "a < b ? a : b", "f32x4.pmin"],
  ["float4", "select(b, a, b < a)", "f32x4.pmax"],
  ["int4", "select(a, b, a > b)", "i32x4.gt_s i32x4.relaxed_laneselect"],
  ["int4", "bitselect(a, b, a)", "v128.bitselect"],
  ["double2", "bitselect(a, b, a)", "v128.bitselect"],
  ["int4", "a & ~b", "v128.andnot"],
  ["float4", "copysign(a, b)", "v128.bitselect"],
  ["char16", "as_char16(abs(a))", "i8x16.abs"],
  ["short8", "as_short8(abs(a))", "i16x8.abs"],
  ["int4", "as_int4(abs(a))", "i32x4.abs"],
  ["long2", "as_long2(abs(a))", "i64x2.abs"],
  ["float4", "fabs(a)", "f32x4.abs"],
  ["double2", "fabs(a)", "f64x2.abs"],
  ["char16", "min(a, b)", "i8x16.min_s"],
  ["uchar16", "max(a, b)", "i8x16.max_u"],
  ["short8", "max(a, b)", "i16x8.max_s"],
  ["ushort8", "min(a, b)", "i16x8.min_u"],
  ["int4", "min(a, b)", "i32x4.min_s"],
  ["uint4", "max(a, b)", "i32x4.max_u"],
  ["float4", "min(a, b)", "f32x4.pmin"],
  ["float4", "max(a, b)", "f32x4.pmax"],
  ["double2", "min(a, b)", "f64x2.pmin"],
  ["float4", "clamp(a, b, 1.0f)", "f32x4.pmax f32x4.pmin"],
  ["int4", "clamp(a, b, 9)", "i32x4.max_s i32x4.min_s"],
  ["float4", "sqrt(a)", "f32x4.sqrt"],
  ["float4", "floor(a)", "f32x4.floor"],
  ["float4", "ceil(a)", "f32x4.ceil"],
  ["float4", "trunc(a)", "f32x4.trunc"],
  ["float4", "rint(a)", "f32x4.nearest"],
  ["double2", "sqrt(a)", "f64x2.sqrt"],
  ["double2", "floor(a)", "f64x2.floor"],
  ["double2", "ceil(a)", "f64x2.ceil"],
  ["double2", "trunc(a)", "f64x2.trunc"],
  ["double2", "rint(a)", "f64x2.nearest"],
  ["float4", "-a", "f32x4.neg"],
  ["float4", "a * b", "f32x4.mul"],
  ["float4", "mad(a, b, a)", "f32x4.relaxed_madd"],
  ["float4", "fma(a, b, a)", "f32x4.relaxed_madd"],
  ["float4", "mix(a, b, a)", "f32x4.sub f32x4.relaxed_madd"],
  ["float4", "(float4)(dot(a, b))", "f32x4.mul f32x4.extract_lane f32x4.extract_lane f32x4.extract_lane f32x4.extract_lane f32x4.splat"],
  ["int4", "mul24(a, b)", "i32x4.mul"],
  ["int4", "a << 3", "i32x4.shl"],
  ["int4", "convert_int4(as_float4(a))", "i32x4.trunc_sat_f32x4_s"],
  ["float4", "convert_float4(as_int4(a))", "f32x4.convert_i32x4_s"],
  ["int4", "isless(as_float4(a), as_float4(b))", "f32x4.lt"],
  ["char16", "add_sat(a, b)", "i8x16.add_sat_s"],
  ["uchar16", "add_sat(a, b)", "i8x16.add_sat_u"],
  ["short8", "add_sat(a, b)", "i16x8.add_sat_s"],
  ["ushort8", "add_sat(a, b)", "i16x8.add_sat_u"],
  ["char16", "sub_sat(a, b)", "i8x16.sub_sat_s"],
  ["uchar16", "sub_sat(a, b)", "i8x16.sub_sat_u"],
  ["short8", "sub_sat(a, b)", "i16x8.sub_sat_s"],
  ["ushort8", "sub_sat(a, b)", "i16x8.sub_sat_u"],
  ["uchar16", "rhadd(a, b)", "i8x16.avgr_u"],
  ["ushort8", "rhadd(a, b)", "i16x8.avgr_u"],
  ["uchar16", "popcount(a)", "i8x16.popcnt"],
])("%s: %s", (type, expression, instructions) => {
  expect(instructionsOf(type, expression).join(" ")).toBe(instructions);
});
