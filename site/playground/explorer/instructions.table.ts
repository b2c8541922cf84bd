// SPDX-License-Identifier: Apache-2.0
// Names of WebAssembly's instructions by their numbers (core specification 2.0, section 5.4; threads and relaxed SIMD
// proposals). A name stands at its number; `.` leaves a number out.

/** Instructions without a prefix, from a number on. */
const PLAIN: readonly (readonly [first: number, names: string])[] = [
  [0x00, "unreachable nop block loop if else"],
  [0x0b, "end br br_if br_table return call call_indirect"],
  [0x1a, "drop select select"],
  [0x20, "local.get local.set local.tee global.get global.set table.get table.set"],
  [
    0x28,
    "i32.load i64.load f32.load f64.load i32.load8_s i32.load8_u i32.load16_s i32.load16_u i64.load8_s i64.load8_u " +
      "i64.load16_s i64.load16_u i64.load32_s i64.load32_u i32.store i64.store f32.store f64.store i32.store8 " +
      "i32.store16 i64.store8 i64.store16 i64.store32 memory.size memory.grow i32.const i64.const f32.const f64.const",
  ],
  [0x45, "i32.eqz i32.eq i32.ne i32.lt_s i32.lt_u i32.gt_s i32.gt_u i32.le_s i32.le_u i32.ge_s i32.ge_u"],
  [0x50, "i64.eqz i64.eq i64.ne i64.lt_s i64.lt_u i64.gt_s i64.gt_u i64.le_s i64.le_u i64.ge_s i64.ge_u"],
  [0x5b, "f32.eq f32.ne f32.lt f32.gt f32.le f32.ge f64.eq f64.ne f64.lt f64.gt f64.le f64.ge"],
  [
    0x67,
    ["i32", "i64"]
      .map((type) =>
        "clz ctz popcnt add sub mul div_s div_u rem_s rem_u and or xor shl shr_s shr_u rotl rotr"
          .split(" ")
          .map((name) => `${type}.${name}`)
          .join(" "),
      )
      .join(" "),
  ],
  [
    0x8b,
    ["f32", "f64"]
      .map((type) =>
        "abs neg ceil floor trunc nearest sqrt add sub mul div min max copysign"
          .split(" ")
          .map((name) => `${type}.${name}`)
          .join(" "),
      )
      .join(" "),
  ],
  [
    0xa7,
    "i32.wrap_i64 i32.trunc_f32_s i32.trunc_f32_u i32.trunc_f64_s i32.trunc_f64_u i64.extend_i32_s i64.extend_i32_u " +
      "i64.trunc_f32_s i64.trunc_f32_u i64.trunc_f64_s i64.trunc_f64_u f32.convert_i32_s f32.convert_i32_u " +
      "f32.convert_i64_s f32.convert_i64_u f32.demote_f64 f64.convert_i32_s f64.convert_i32_u f64.convert_i64_s " +
      "f64.convert_i64_u f64.promote_f32 i32.reinterpret_f32 i64.reinterpret_f64 f32.reinterpret_i32 " +
      "f64.reinterpret_i64 i32.extend8_s i32.extend16_s i64.extend8_s i64.extend16_s i64.extend32_s",
  ],
];

/** Those after 0xfc. */
const MISC: readonly (readonly [first: number, names: string])[] = [
  [
    0,
    "i32.trunc_sat_f32_s i32.trunc_sat_f32_u i32.trunc_sat_f64_s i32.trunc_sat_f64_u i64.trunc_sat_f32_s " +
      "i64.trunc_sat_f32_u i64.trunc_sat_f64_s i64.trunc_sat_f64_u memory.init data.drop memory.copy memory.fill",
  ],
];

/** Those after 0xfd. */
const VECTOR: readonly (readonly [first: number, names: string])[] = [
  [
    0x00,
    "v128.load v128.load8x8_s v128.load8x8_u v128.load16x4_s v128.load16x4_u v128.load32x2_s v128.load32x2_u " +
      "v128.load8_splat v128.load16_splat v128.load32_splat v128.load64_splat v128.store v128.const i8x16.shuffle " +
      "i8x16.swizzle i8x16.splat i16x8.splat i32x4.splat i64x2.splat f32x4.splat f64x2.splat i8x16.extract_lane_s " +
      "i8x16.extract_lane_u i8x16.replace_lane i16x8.extract_lane_s i16x8.extract_lane_u i16x8.replace_lane " +
      "i32x4.extract_lane i32x4.replace_lane i64x2.extract_lane i64x2.replace_lane f32x4.extract_lane " +
      "f32x4.replace_lane f64x2.extract_lane f64x2.replace_lane",
  ],
  [
    0x23,
    ["i8x16", "i16x8", "i32x4"]
      .map((type) =>
        "eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u"
          .split(" ")
          .map((name) => `${type}.${name}`)
          .join(" "),
      )
      .join(" "),
  ],
  [0x41, "f32x4.eq f32x4.ne f32x4.lt f32x4.gt f32x4.le f32x4.ge f64x2.eq f64x2.ne f64x2.lt f64x2.gt f64x2.le f64x2.ge"],
  [
    0x4d,
    "v128.not v128.and v128.andnot v128.or v128.xor v128.bitselect v128.any_true v128.load8_lane v128.load16_lane " +
      "v128.load32_lane v128.load64_lane v128.store8_lane v128.store16_lane v128.store32_lane v128.store64_lane " +
      "v128.load32_zero v128.load64_zero f32x4.demote_f64x2_zero f64x2.promote_low_f32x4",
  ],
  [
    0x60,
    "i8x16.abs i8x16.neg i8x16.popcnt i8x16.all_true i8x16.bitmask i8x16.narrow_i16x8_s i8x16.narrow_i16x8_u " +
      "f32x4.ceil f32x4.floor f32x4.trunc f32x4.nearest i8x16.shl i8x16.shr_s i8x16.shr_u i8x16.add i8x16.add_sat_s " +
      "i8x16.add_sat_u i8x16.sub i8x16.sub_sat_s i8x16.sub_sat_u f64x2.ceil f64x2.floor i8x16.min_s i8x16.min_u " +
      "i8x16.max_s i8x16.max_u f64x2.trunc i8x16.avgr_u i16x8.extadd_pairwise_i8x16_s i16x8.extadd_pairwise_i8x16_u " +
      "i32x4.extadd_pairwise_i16x8_s i32x4.extadd_pairwise_i16x8_u i16x8.abs i16x8.neg i16x8.q15mulr_sat_s " +
      "i16x8.all_true i16x8.bitmask i16x8.narrow_i32x4_s i16x8.narrow_i32x4_u i16x8.extend_low_i8x16_s " +
      "i16x8.extend_high_i8x16_s i16x8.extend_low_i8x16_u i16x8.extend_high_i8x16_u i16x8.shl i16x8.shr_s " +
      "i16x8.shr_u i16x8.add i16x8.add_sat_s i16x8.add_sat_u i16x8.sub i16x8.sub_sat_s i16x8.sub_sat_u f64x2.nearest " +
      "i16x8.mul i16x8.min_s i16x8.min_u i16x8.max_s i16x8.max_u . i16x8.avgr_u i16x8.extmul_low_i8x16_s " +
      "i16x8.extmul_high_i8x16_s i16x8.extmul_low_i8x16_u i16x8.extmul_high_i8x16_u i32x4.abs i32x4.neg . " +
      "i32x4.all_true i32x4.bitmask . . i32x4.extend_low_i16x8_s i32x4.extend_high_i16x8_s " +
      "i32x4.extend_low_i16x8_u i32x4.extend_high_i16x8_u i32x4.shl i32x4.shr_s i32x4.shr_u i32x4.add . . i32x4.sub " +
      ". . . i32x4.mul i32x4.min_s i32x4.min_u i32x4.max_s i32x4.max_u i32x4.dot_i16x8_s . " +
      "i32x4.extmul_low_i16x8_s i32x4.extmul_high_i16x8_s i32x4.extmul_low_i16x8_u i32x4.extmul_high_i16x8_u " +
      "i64x2.abs i64x2.neg . i64x2.all_true i64x2.bitmask . . i64x2.extend_low_i32x4_s i64x2.extend_high_i32x4_s " +
      "i64x2.extend_low_i32x4_u i64x2.extend_high_i32x4_u i64x2.shl i64x2.shr_s i64x2.shr_u i64x2.add . . i64x2.sub " +
      ". . . i64x2.mul i64x2.eq i64x2.ne i64x2.lt_s i64x2.gt_s i64x2.le_s i64x2.ge_s i64x2.extmul_low_i32x4_s " +
      "i64x2.extmul_high_i32x4_s i64x2.extmul_low_i32x4_u i64x2.extmul_high_i32x4_u f32x4.abs f32x4.neg . f32x4.sqrt " +
      "f32x4.add f32x4.sub f32x4.mul f32x4.div f32x4.min f32x4.max f32x4.pmin f32x4.pmax f64x2.abs f64x2.neg . " +
      "f64x2.sqrt f64x2.add f64x2.sub f64x2.mul f64x2.div f64x2.min f64x2.max f64x2.pmin f64x2.pmax " +
      "i32x4.trunc_sat_f32x4_s i32x4.trunc_sat_f32x4_u f32x4.convert_i32x4_s f32x4.convert_i32x4_u " +
      "i32x4.trunc_sat_f64x2_s_zero i32x4.trunc_sat_f64x2_u_zero f64x2.convert_low_i32x4_s f64x2.convert_low_i32x4_u " +
      "i8x16.relaxed_swizzle i32x4.relaxed_trunc_f32x4_s i32x4.relaxed_trunc_f32x4_u " +
      "i32x4.relaxed_trunc_f64x2_s_zero i32x4.relaxed_trunc_f64x2_u_zero f32x4.relaxed_madd f32x4.relaxed_nmadd " +
      "f64x2.relaxed_madd f64x2.relaxed_nmadd i8x16.relaxed_laneselect i16x8.relaxed_laneselect " +
      "i32x4.relaxed_laneselect i64x2.relaxed_laneselect f32x4.relaxed_min f32x4.relaxed_max f64x2.relaxed_min " +
      "f64x2.relaxed_max i16x8.relaxed_q15mulr_s",
  ],
];

const WIDTHS = "i32 i64 i32.8 i32.16 i64.8 i64.16 i64.32".split(" ");

/** `i32.atomic.rmw8.add_u` of a width and an operation. */
function atomicName(width: string, operation: string): string {
  const [type = "", bits = ""] = width.split(".");
  const sign = bits === "" || operation === "store" ? "" : "_u";
  if (operation === "load" || operation === "store") return `${type}.atomic.${operation}${bits}${sign}`;
  return `${type}.atomic.rmw${bits}.${operation}${sign}`;
}

/** Those after 0xfe. */
const ATOMIC: readonly (readonly [first: number, names: string])[] = [
  [0x00, "memory.atomic.notify memory.atomic.wait32 memory.atomic.wait64 atomic.fence"],
  [
    0x10,
    "load store add sub and or xor xchg cmpxchg"
      .split(" ")
      .flatMap((operation) => WIDTHS.map((width) => atomicName(width, operation)))
      .join(" "),
  ],
];

function byNumber(rows: readonly (readonly [first: number, names: string])[]): ReadonlyMap<number, string> {
  return new Map(
    rows.flatMap(([first, names]) =>
      names.split(" ").flatMap((name, i): readonly (readonly [number, string])[] =>
        name === "." ? [] : [[first + i, name]],
      ),
    ),
  );
}

/** Names by number, for each prefix; 0: none. */
export const INSTRUCTIONS: Readonly<Record<number, ReadonlyMap<number, string>>> = {
  0: byNumber(PLAIN),
  0xfc: byNumber(MISC),
  0xfd: byNumber(VECTOR),
  0xfe: byNumber(ATOMIC),
};
