// SPDX-License-Identifier: Apache-2.0
// Vector instructions of 128 bits without VEX, for processors without AVX; `row.ts` says how a row is read. What
// processors with 64 bits all have (SSE2) needs no feature. Code with VEX has no use for them: mixing both is slow.
import type { InstructionRow } from "./row.ts";

/** An operation in all of its four forms: packed and scalar, single and double. */
function arithmetic(name: string, opcode: string): readonly InstructionRow[] {
  return [
    [`${name}ps`, `32 0f ${opcode} /r`, "rw:x r:x|m", ""],
    [`${name}pd`, `32 66 0f ${opcode} /r`, "rw:x r:x|m", ""],
    [`${name}ss`, `32 f3 0f ${opcode} /r`, "rw:x r:x|m32", ""],
    [`${name}sd`, `32 f2 0f ${opcode} /r`, "rw:x r:x|m64", ""],
  ];
}

/** A packed operation on singles and doubles whose bits alone matter. */
function bitwise(name: string, opcode: string): readonly InstructionRow[] {
  return [
    [`${name}ps`, `32 0f ${opcode} /r`, "rw:x r:x|m", ""],
    [`${name}pd`, `32 66 0f ${opcode} /r`, "rw:x r:x|m", ""],
  ];
}

/** Operations on two vectors of integers, by opcode after 66 0F. */
const INTEGERS = ([["paddb", "fc"], ["paddw", "fd"], ["paddd", "fe"], ["paddq", "d4"], ["psubb", "f8"], ["psubw", "f9"], ["psubd", "fa"], ["psubq", "fb"], ["paddsb", "ec"], ["paddsw", "ed"], ["paddusb", "dc"], ["paddusw", "dd"], ["psubsb", "e8"], ["psubsw", "e9"], ["psubusb", "d8"], ["psubusw", "d9"], ["pavgb", "e0"], ["pavgw", "e3"], ["pmullw", "d5"], ["pmulhw", "e5"], ["pmulhuw", "e4"], ["pmuludq", "f4"], ["pmaddwd", "f5"], ["psadbw", "f6"], ["pminsw", "ea"], ["pminub", "da"], ["pmaxsw", "ee"], ["pmaxub", "de"], ["pand", "db"], ["pandn", "df"], ["por", "eb"], ["pxor", "ef"], ["pcmpeqb", "74"], ["pcmpeqw", "75"], ["pcmpeqd", "76"], ["pcmpgtb", "64"], ["pcmpgtw", "65"], ["pcmpgtd", "66"], ["punpcklbw", "60"], ["punpcklwd", "61"], ["punpckldq", "62"], ["punpcklqdq", "6c"], ["punpckhbw", "68"], ["punpckhwd", "69"], ["punpckhdq", "6a"], ["punpckhqdq", "6d"], ["packsswb", "63"], ["packssdw", "6b"], ["packuswb", "67"]] as const)
  .map(([name, opcode]): InstructionRow => [name, `32 66 0f ${opcode} /r`, "rw:x r:x|m", ""]);

/** Those after 66 0F 38. */
const LATER_INTEGERS = ([["pshufb", "00", "ssse3"], ["pmaddubsw", "04", "ssse3"], ["pmulhrsw", "0b", "ssse3"], ["pminsb", "38", "sse4_1"], ["pminsd", "39", "sse4_1"], ["pminuw", "3a", "sse4_1"], ["pminud", "3b", "sse4_1"], ["pmaxsb", "3c", "sse4_1"], ["pmaxsd", "3d", "sse4_1"], ["pmaxuw", "3e", "sse4_1"], ["pmaxud", "3f", "sse4_1"], ["pmulld", "40", "sse4_1"], ["pmuldq", "28", "sse4_1"], ["pcmpeqq", "29", "sse4_1"], ["packusdw", "2b", "sse4_1"], ["pcmpgtq", "37", "sse4_2"]] as const)
  .map(([name, opcode, needs]): InstructionRow => [name, `32 66 0f 38 ${opcode} /r`, "rw:x r:x|m", needs]);

/** Shifts by one amount: from a vector's low half, and immediate. */
const SHIFTS = ([["psllw", "f1", "71", 6], ["pslld", "f2", "72", 6], ["psllq", "f3", "73", 6], ["psrlw", "d1", "71", 2], ["psrld", "d2", "72", 2], ["psrlq", "d3", "73", 2], ["psraw", "e1", "71", 4], ["psrad", "e2", "72", 4]] as const)
  .flatMap(([name, opcode, immediate, digit]): InstructionRow[] => [
    [name, `32 66 0f ${opcode} /r`, "rw:x r:x|m128", ""],
    [name, `32 66 0f ${immediate} /${digit} ib`, "rw:x i:i8", ""],
  ]);

/** Extensions of lanes. */
const EXTENSIONS = ([["pmovsx", 0x20], ["pmovzx", 0x30]] as const).flatMap(([name, base]) =>
  ([["bw", 0, 64], ["bd", 1, 32], ["bq", 2, 16], ["wd", 3, 64], ["wq", 4, 32], ["dq", 5, 64]] as const).map(([suffix, n, bits]): InstructionRow => [`${name}${suffix}`, `32 66 0f 38 ${(base + n).toString(16)} /r`, `w:x r:x|m${bits}`, "sse4_1"]),
);

/** Moves of whole vectors, to and from memory. */
const MOVES = ([["movaps", "", "28", "29"], ["movups", "", "10", "11"], ["movapd", "66 ", "28", "29"], ["movupd", "66 ", "10", "11"], ["movdqa", "66 ", "6f", "7f"], ["movdqu", "f3 ", "6f", "7f"]] as const)
  .flatMap(([name, prefix, load, store]): InstructionRow[] => [
    [name, `32 ${prefix}0f ${load} /r`, "w:x r:x|m", ""],
    [name, `32 ${prefix}0f ${store} /r`, "w:m128 r:x", ""],
  ]);

export const SSE_INSTRUCTIONS: readonly InstructionRow[] = [
  // Floats.
  ...arithmetic("add", "58"),
  ...arithmetic("mul", "59"),
  ...arithmetic("sub", "5c"),
  ...arithmetic("min", "5d"),
  ...arithmetic("div", "5e"),
  ...arithmetic("max", "5f"),
  ["sqrtps", "32 0f 51 /r", "w:x r:x|m", ""],
  ["sqrtpd", "32 66 0f 51 /r", "w:x r:x|m", ""],
  ["sqrtss", "32 f3 0f 51 /r", "rw:x r:x|m32", ""],
  ["sqrtsd", "32 f2 0f 51 /r", "rw:x r:x|m64", ""],
  ["roundps", "32 66 0f 3a 08 /r ib", "w:x r:x|m i:i8", "sse4_1"],
  ["roundpd", "32 66 0f 3a 09 /r ib", "w:x r:x|m i:i8", "sse4_1"],
  ["roundss", "32 66 0f 3a 0a /r ib", "rw:x r:x|m32 i:i8", "sse4_1"],
  ["roundsd", "32 66 0f 3a 0b /r ib", "rw:x r:x|m64 i:i8", "sse4_1"],
  ...bitwise("and", "54"),
  ...bitwise("andn", "55"),
  ...bitwise("or", "56"),
  ...bitwise("xor", "57"),
  ...bitwise("unpckl", "14"),
  ...bitwise("unpckh", "15"),
  ["ucomiss", "32 0f 2e /r", "r:x r:x|m32", "", "w"],
  ["ucomisd", "32 66 0f 2e /r", "r:x r:x|m64", "", "w"],
  ["cmpps", "32 0f c2 /r ib", "rw:x r:x|m i:i8", ""],
  ["cmppd", "32 66 0f c2 /r ib", "rw:x r:x|m i:i8", ""],
  ["cmpss", "32 f3 0f c2 /r ib", "rw:x r:x|m32 i:i8", ""],
  ["cmpsd", "32 f2 0f c2 /r ib", "rw:x r:x|m64 i:i8", ""],
  ["movmskps", "32 0f 50 /r", "w:g32 r:x", ""],
  ["movmskpd", "32 66 0f 50 /r", "w:g32 r:x", ""],
  ["shufps", "32 0f c6 /r ib", "rw:x r:x|m i:i8", ""],
  ["shufpd", "32 66 0f c6 /r ib", "rw:x r:x|m i:i8", ""],
  ["movddup", "32 f2 0f 12 /r", "w:x r:x|m64", "sse3"],
  ["movsldup", "32 f3 0f 12 /r", "w:x r:x|m", "sse3"],
  ["movshdup", "32 f3 0f 16 /r", "w:x r:x|m", "sse3"],
  ["insertps", "32 66 0f 3a 21 /r ib", "rw:x r:x|m32 i:i8", "sse4_1"],
  ["extractps", "32 66 0f 3a 17 /r ib", "w:g32|m32 r:x i:i8", "sse4_1"],
  ["blendps", "32 66 0f 3a 0c /r ib", "rw:x r:x|m i:i8", "sse4_1"],
  ["blendpd", "32 66 0f 3a 0d /r ib", "rw:x r:x|m i:i8", "sse4_1"],
  ["blendvps", "32 66 0f 38 14 /r", "rw:x r:x|m r:=xmm0", "sse4_1"],
  ["blendvpd", "32 66 0f 38 15 /r", "rw:x r:x|m r:=xmm0", "sse4_1"],

  // Moves.
  ...MOVES,
  ["movss", "32 f3 0f 10 /r", "w:x r:m32", ""],
  ["movss", "32 f3 0f 11 /r", "w:m32 r:x", ""],
  ["movss", "32 f3 0f 10 /r", "rw:x r:x", ""],
  ["movsd", "32 f2 0f 10 /r", "w:x r:m64", ""],
  ["movsd", "32 f2 0f 11 /r", "w:m64 r:x", ""],
  ["movsd", "32 f2 0f 10 /r", "rw:x r:x", ""],
  ["movhlps", "32 0f 12 /r", "rw:x r:x", ""],
  ["movlhps", "32 0f 16 /r", "rw:x r:x", ""],
  ["movd", "32 66 0f 6e /r", "w:x r:g32|m32", ""],
  ["movd", "32 66 0f 7e /r", "w:g32|m32 r:x", ""],
  ["movq", "64 66 0f 6e /r", "w:x r:g64|m64", ""],
  ["movq", "64 66 0f 7e /r", "w:g64|m64 r:x", ""],
  ["movq", "32 f3 0f 7e /r", "w:x r:x|m64", ""],
  ["movq", "32 66 0f d6 /r", "w:m64 r:x", ""],
  ["movntps", "32 0f 2b /r", "w:m128 r:x", ""],
  ["movntdq", "32 66 0f e7 /r", "w:m128 r:x", ""],

  // Conversions.
  ["cvtdq2ps", "32 0f 5b /r", "w:x r:x|m", ""],
  ["cvtps2dq", "32 66 0f 5b /r", "w:x r:x|m", ""],
  ["cvttps2dq", "32 f3 0f 5b /r", "w:x r:x|m", ""],
  ["cvtdq2pd", "32 f3 0f e6 /r", "w:x r:x|m64", ""],
  ["cvtpd2dq", "32 f2 0f e6 /r", "w:x r:x|m", ""],
  ["cvttpd2dq", "32 66 0f e6 /r", "w:x r:x|m", ""],
  ["cvtps2pd", "32 0f 5a /r", "w:x r:x|m64", ""],
  ["cvtpd2ps", "32 66 0f 5a /r", "w:x r:x|m", ""],
  ["cvtss2sd", "32 f3 0f 5a /r", "rw:x r:x|m32", ""],
  ["cvtsd2ss", "32 f2 0f 5a /r", "rw:x r:x|m64", ""],
  ["cvtsi2ss", "32/64 f3 0f 2a /r", "rw:x r:g|m", ""],
  ["cvtsi2sd", "32/64 f2 0f 2a /r", "rw:x r:g|m", ""],
  ["cvttss2si", "32/64 f3 0f 2c /r", "w:g r:x|m32", ""],
  ["cvttsd2si", "32/64 f2 0f 2c /r", "w:g r:x|m64", ""],
  ["cvtss2si", "32/64 f3 0f 2d /r", "w:g r:x|m32", ""],
  ["cvtsd2si", "32/64 f2 0f 2d /r", "w:g r:x|m64", ""],

  // Integers.
  ...INTEGERS,
  ...LATER_INTEGERS,
  ["pabsb", "32 66 0f 38 1c /r", "w:x r:x|m", "ssse3"],
  ["pabsw", "32 66 0f 38 1d /r", "w:x r:x|m", "ssse3"],
  ["pabsd", "32 66 0f 38 1e /r", "w:x r:x|m", "ssse3"],
  ["ptest", "32 66 0f 38 17 /r", "r:x r:x|m", "sse4_1", "w"],
  ["pmovmskb", "32 66 0f d7 /r", "w:g32 r:x", ""],
  ...SHIFTS,
  ["pslldq", "32 66 0f 73 /7 ib", "rw:x i:i8", ""],
  ["psrldq", "32 66 0f 73 /3 ib", "rw:x i:i8", ""],
  ["pshufd", "32 66 0f 70 /r ib", "w:x r:x|m i:i8", ""],
  ["pshufhw", "32 f3 0f 70 /r ib", "w:x r:x|m i:i8", ""],
  ["pshuflw", "32 f2 0f 70 /r ib", "w:x r:x|m i:i8", ""],
  ["palignr", "32 66 0f 3a 0f /r ib", "rw:x r:x|m i:i8", "ssse3"],
  ["pblendw", "32 66 0f 3a 0e /r ib", "rw:x r:x|m i:i8", "sse4_1"],
  ["pblendvb", "32 66 0f 38 10 /r", "rw:x r:x|m r:=xmm0", "sse4_1"],
  ...EXTENSIONS,
  ["pinsrb", "32 66 0f 3a 20 /r ib", "rw:x r:g32|m8 i:i8", "sse4_1"],
  ["pinsrw", "32 66 0f c4 /r ib", "rw:x r:g32|m16 i:i8", ""],
  ["pinsrd", "32 66 0f 3a 22 /r ib", "rw:x r:g32|m32 i:i8", "sse4_1"],
  ["pinsrq", "64 66 0f 3a 22 /r ib", "rw:x r:g64|m64 i:i8", "sse4_1"],
  ["pextrb", "32 66 0f 3a 14 /r ib", "w:g32|m8 r:x i:i8", "sse4_1"],
  ["pextrw", "32 66 0f 3a 15 /r ib", "w:m16 r:x i:i8", "sse4_1"],
  ["pextrw", "32 66 0f c5 /r ib", "w:g32 r:x i:i8", ""],
  ["pextrd", "32 66 0f 3a 16 /r ib", "w:g32|m32 r:x i:i8", "sse4_1"],
  ["pextrq", "64 66 0f 3a 16 /r ib", "w:g64|m64 r:x i:i8", "sse4_1"],
];
