// SPDX-License-Identifier: Apache-2.0
// Vector instructions on floats, with their EVEX twins after a bar; `row.ts` says how a row is read.
import type { InstructionRow } from "./row.ts";

/** An operation in all of its four forms: packed and scalar, single and double. */
function arithmetic(name: string, opcode: string, needs: string = "avx"): readonly InstructionRow[] {
  return [
    [`${name}ps`, `VEX.128/256.0F.WIG ${opcode} /r | EVEX.128/256/512.0F.W0 ${opcode} /r fv kz`, "w:v r:v r:v|m", needs],
    [`${name}pd`, `VEX.128/256.66.0F.WIG ${opcode} /r | EVEX.128/256/512.66.0F.W1 ${opcode} /r fv kz`, "w:v r:v r:v|m", needs],
    [`${name}ss`, `VEX.LIG.F3.0F.WIG ${opcode} /r | EVEX.LIG.F3.0F.W0 ${opcode} /r t1s kz`, "w:x r:x r:x|m32", needs],
    [`${name}sd`, `VEX.LIG.F2.0F.WIG ${opcode} /r | EVEX.LIG.F2.0F.W1 ${opcode} /r t1s kz`, "w:x r:x r:x|m64", needs],
  ];
}

/** The multiply-adds of one sign, by which operand the result replaces. */
function multiplyAdd(name: string, packed: number): readonly InstructionRow[] {
  return (["132", "213", "231"] as const).flatMap((order, n): InstructionRow[] => {
    const code = (packed + 16 * n).toString(16);
    const scalar = (packed + 16 * n + 1).toString(16);
    return [
      [`${name}${order}ps`, `VEX.128/256.66.0F38.W0 ${code} /r | EVEX.128/256/512.66.0F38.W0 ${code} /r fv kz`, "rw:v r:v r:v|m", "fma"],
      [`${name}${order}pd`, `VEX.128/256.66.0F38.W1 ${code} /r | EVEX.128/256/512.66.0F38.W1 ${code} /r fv kz`, "rw:v r:v r:v|m", "fma"],
      [`${name}${order}ss`, `VEX.LIG.66.0F38.W0 ${scalar} /r | EVEX.LIG.66.0F38.W0 ${scalar} /r t1s kz`, "rw:x r:x r:x|m32", "fma"],
      [`${name}${order}sd`, `VEX.LIG.66.0F38.W1 ${scalar} /r | EVEX.LIG.66.0F38.W1 ${scalar} /r t1s kz`, "rw:x r:x r:x|m64", "fma"],
    ];
  });
}

/** A packed operation on singles and doubles whose bits alone matter. */
function bitwise(name: string, opcode: string, needs: string): readonly InstructionRow[] {
  return [
    [`${name}ps`, `VEX.128/256.0F.WIG ${opcode} /r | EVEX.128/256/512.0F.W0 ${opcode} /r fv kz ${needs}`, "w:v r:v r:v|m", "avx"],
    [`${name}pd`, `VEX.128/256.66.0F.WIG ${opcode} /r | EVEX.128/256/512.66.0F.W1 ${opcode} /r fv kz ${needs}`, "w:v r:v r:v|m", "avx"],
  ];
}

/** Moves of packed floats. */
function moves(suffix: "ps" | "pd", pp: string, w: string): readonly InstructionRow[] {
  return (["a", "u"] as const).flatMap((kind): InstructionRow[] => {
    const [load, store] = kind === "a" ? ["28", "29"] : ["10", "11"];
    return [
      [`vmov${kind}${suffix}`, `VEX.128/256${pp}.0F.WIG ${load} /r | EVEX.128/256/512${pp}.0F.${w} ${load} /r fvm kz`, "w:v r:v|m", "avx"],
      [`vmov${kind}${suffix}`, `VEX.128/256${pp}.0F.WIG ${store} /r | EVEX.128/256/512${pp}.0F.${w} ${store} /r fvm k`, "w:m r:v", "avx"],
    ];
  });
}

export const FLOAT_INSTRUCTIONS: readonly InstructionRow[] = [
  // Arithmetic.
  ...arithmetic("vadd", "58"),
  ...arithmetic("vmul", "59"),
  ...arithmetic("vsub", "5c"),
  ...arithmetic("vmin", "5d"),
  ...arithmetic("vdiv", "5e"),
  ...arithmetic("vmax", "5f"),
  ["vsqrtps", "VEX.128/256.0F.WIG 51 /r | EVEX.128/256/512.0F.W0 51 /r fv kz", "w:v r:v|m", "avx"],
  ["vsqrtpd", "VEX.128/256.66.0F.WIG 51 /r | EVEX.128/256/512.66.0F.W1 51 /r fv kz", "w:v r:v|m", "avx"],
  ["vsqrtss", "VEX.LIG.F3.0F.WIG 51 /r | EVEX.LIG.F3.0F.W0 51 /r t1s kz", "w:x r:x r:x|m32", "avx"],
  ["vsqrtsd", "VEX.LIG.F2.0F.WIG 51 /r | EVEX.LIG.F2.0F.W1 51 /r t1s kz", "w:x r:x r:x|m64", "avx"],
  ...multiplyAdd("vfmadd", 0x98),
  ...multiplyAdd("vfmsub", 0x9a),
  ...multiplyAdd("vfnmadd", 0x9c),
  ...multiplyAdd("vfnmsub", 0x9e),
  ["vroundps", "VEX.128/256.66.0F3A.WIG 08 /r ib", "w:v r:v|m i:i8", "avx"],
  ["vroundpd", "VEX.128/256.66.0F3A.WIG 09 /r ib", "w:v r:v|m i:i8", "avx"],
  ["vroundss", "VEX.LIG.66.0F3A.WIG 0a /r ib", "w:x r:x r:x|m32 i:i8", "avx"],
  ["vroundsd", "VEX.LIG.66.0F3A.WIG 0b /r ib", "w:x r:x r:x|m64 i:i8", "avx"],
  ["vrndscaleps", "EVEX.128/256/512.66.0F3A.W0 08 /r ib fv kz", "w:v r:v|m i:i8", "avx512f"],
  ["vrndscalepd", "EVEX.128/256/512.66.0F3A.W1 09 /r ib fv kz", "w:v r:v|m i:i8", "avx512f"],
  ["vrndscaless", "EVEX.LIG.66.0F3A.W0 0a /r ib t1s kz", "w:x r:x r:x|m32 i:i8", "avx512f"],
  ["vrndscalesd", "EVEX.LIG.66.0F3A.W1 0b /r ib t1s kz", "w:x r:x r:x|m64 i:i8", "avx512f"],
  ["vrangeps", "EVEX.128/256/512.66.0F3A.W0 50 /r ib fv kz", "w:v r:v r:v|m i:i8", "avx512dq"],
  ["vrangepd", "EVEX.128/256/512.66.0F3A.W1 50 /r ib fv kz", "w:v r:v r:v|m i:i8", "avx512dq"],
  ["vrangess", "EVEX.LIG.66.0F3A.W0 51 /r ib t1s kz", "w:x r:x r:x|m32 i:i8", "avx512dq"],
  ["vrangesd", "EVEX.LIG.66.0F3A.W1 51 /r ib t1s kz", "w:x r:x r:x|m64 i:i8", "avx512dq"],
  ["vscalefps", "EVEX.128/256/512.66.0F38.W0 2c /r fv kz", "w:v r:v r:v|m", "avx512f"],
  ["vscalefpd", "EVEX.128/256/512.66.0F38.W1 2c /r fv kz", "w:v r:v r:v|m", "avx512f"],
  ["vgetexpps", "EVEX.128/256/512.66.0F38.W0 42 /r fv kz", "w:v r:v|m", "avx512f"],
  ["vgetexppd", "EVEX.128/256/512.66.0F38.W1 42 /r fv kz", "w:v r:v|m", "avx512f"],

  // Bits.
  ...bitwise("vand", "54", "avx512dq"),
  ...bitwise("vandn", "55", "avx512dq"),
  ...bitwise("vor", "56", "avx512dq"),
  ...bitwise("vxor", "57", "avx512dq"),
  ...bitwise("vunpckl", "14", ""),
  ...bitwise("vunpckh", "15", ""),

  // Comparisons.
  ["vucomiss", "VEX.LIG.0F.WIG 2e /r | EVEX.LIG.0F.W0 2e /r t1s", "r:x r:x|m32", "avx", "w"],
  ["vucomisd", "VEX.LIG.66.0F.WIG 2e /r | EVEX.LIG.66.0F.W1 2e /r t1s", "r:x r:x|m64", "avx", "w"],
  ["vcmpps", "VEX.128/256.0F.WIG c2 /r ib", "w:v r:v r:v|m i:i8", "avx"],
  ["vcmppd", "VEX.128/256.66.0F.WIG c2 /r ib", "w:v r:v r:v|m i:i8", "avx"],
  ["vcmpss", "VEX.LIG.F3.0F.WIG c2 /r ib", "w:x r:x r:x|m32 i:i8", "avx"],
  ["vcmpsd", "VEX.LIG.F2.0F.WIG c2 /r ib", "w:x r:x r:x|m64 i:i8", "avx"],
  ["vcmpps", "EVEX.128/256/512.0F.W0 c2 /r ib fv k", "w:k r:v r:v|m i:i8", "avx512f"],
  ["vcmppd", "EVEX.128/256/512.66.0F.W1 c2 /r ib fv k", "w:k r:v r:v|m i:i8", "avx512f"],
  ["vcmpss", "EVEX.LIG.F3.0F.W0 c2 /r ib t1s k", "w:k r:x r:x|m32 i:i8", "avx512f"],
  ["vcmpsd", "EVEX.LIG.F2.0F.W1 c2 /r ib t1s k", "w:k r:x r:x|m64 i:i8", "avx512f"],
  ["vfpclassps", "EVEX.128/256/512.66.0F3A.W0 66 /r ib fv k", "w:k r:v|m i:i8", "avx512dq"],
  ["vfpclasspd", "EVEX.128/256/512.66.0F3A.W1 66 /r ib fv k", "w:k r:v|m i:i8", "avx512dq"],
  ["vtestps", "VEX.128/256.66.0F38.W0 0e /r", "r:v r:v|m", "avx", "w"],
  ["vtestpd", "VEX.128/256.66.0F38.W0 0f /r", "r:v r:v|m", "avx", "w"],
  ["vmovmskps", "VEX.128/256.0F.WIG 50 /r", "w:g32 r:v", "avx"],
  ["vmovmskpd", "VEX.128/256.66.0F.WIG 50 /r", "w:g32 r:v", "avx"],

  // Moves.
  ...moves("ps", "", "W0"),
  ...moves("pd", ".66", "W1"),
  ["vmovss", "VEX.LIG.F3.0F.WIG 10 /r | EVEX.LIG.F3.0F.W0 10 /r t1s kz", "w:x r:m32", "avx"],
  ["vmovss", "VEX.LIG.F3.0F.WIG 11 /r | EVEX.LIG.F3.0F.W0 11 /r t1s k", "w:m32 r:x", "avx"],
  ["vmovss", "VEX.LIG.F3.0F.WIG 10 /r | EVEX.LIG.F3.0F.W0 10 /r t1s kz", "w:x r:x r:x", "avx"],
  ["vmovsd", "VEX.LIG.F2.0F.WIG 10 /r | EVEX.LIG.F2.0F.W1 10 /r t1s kz", "w:x r:m64", "avx"],
  ["vmovsd", "VEX.LIG.F2.0F.WIG 11 /r | EVEX.LIG.F2.0F.W1 11 /r t1s k", "w:m64 r:x", "avx"],
  ["vmovsd", "VEX.LIG.F2.0F.WIG 10 /r | EVEX.LIG.F2.0F.W1 10 /r t1s kz", "w:x r:x r:x", "avx"],
  ["vmovlps", "VEX.128.0F.WIG 12 /r | EVEX.128.0F.W0 12 /r t2", "w:x r:x r:m64", "avx"],
  ["vmovlps", "VEX.128.0F.WIG 13 /r | EVEX.128.0F.W0 13 /r t2", "w:m64 r:x", "avx"],
  ["vmovhps", "VEX.128.0F.WIG 16 /r | EVEX.128.0F.W0 16 /r t2", "w:x r:x r:m64", "avx"],
  ["vmovhps", "VEX.128.0F.WIG 17 /r | EVEX.128.0F.W0 17 /r t2", "w:m64 r:x", "avx"],
  ["vmovhlps", "VEX.128.0F.WIG 12 /r | EVEX.128.0F.W0 12 /r t2", "w:x r:x r:x", "avx"],
  ["vmovlhps", "VEX.128.0F.WIG 16 /r | EVEX.128.0F.W0 16 /r t2", "w:x r:x r:x", "avx"],
  ["vmovntps", "VEX.128/256.0F.WIG 2b /r | EVEX.128/256/512.0F.W0 2b /r fvm", "w:m r:v", "avx"],
  ["vmovntpd", "VEX.128/256.66.0F.WIG 2b /r | EVEX.128/256/512.66.0F.W1 2b /r fvm", "w:m r:v", "avx"],
  ["vmaskmovps", "VEX.128/256.66.0F38.W0 2c /r", "w:v r:v r:m", "avx"],
  ["vmaskmovps", "VEX.128/256.66.0F38.W0 2e /r", "w:m r:v r:v", "avx"],
  ["vmaskmovpd", "VEX.128/256.66.0F38.W0 2d /r", "w:v r:v r:m", "avx"],
  ["vmaskmovpd", "VEX.128/256.66.0F38.W0 2f /r", "w:m r:v r:v", "avx"],

  // Selections and permutations.
  ["vblendps", "VEX.128/256.66.0F3A.WIG 0c /r ib", "w:v r:v r:v|m i:i8", "avx"],
  ["vblendpd", "VEX.128/256.66.0F3A.WIG 0d /r ib", "w:v r:v r:v|m i:i8", "avx"],
  ["vblendvps", "VEX.128/256.66.0F3A.W0 4a /r /is4", "w:v r:v r:v|m r:v", "avx"],
  ["vblendvpd", "VEX.128/256.66.0F3A.W0 4b /r /is4", "w:v r:v r:v|m r:v", "avx"],
  ["vblendmps", "EVEX.128/256/512.66.0F38.W0 65 /r fv kz", "w:v r:v r:v|m", "avx512f"],
  ["vblendmpd", "EVEX.128/256/512.66.0F38.W1 65 /r fv kz", "w:v r:v r:v|m", "avx512f"],
  ["vshufps", "VEX.128/256.0F.WIG c6 /r ib | EVEX.128/256/512.0F.W0 c6 /r ib fv kz", "w:v r:v r:v|m i:i8", "avx"],
  ["vshufpd", "VEX.128/256.66.0F.WIG c6 /r ib | EVEX.128/256/512.66.0F.W1 c6 /r ib fv kz", "w:v r:v r:v|m i:i8", "avx"],
  ["vmovddup", "VEX.256.F2.0F.WIG 12 /r | EVEX.256/512.F2.0F.W1 12 /r fvm kz", "w:v r:v|m", "avx"],
  ["vmovddup", "VEX.128.F2.0F.WIG 12 /r | EVEX.128.F2.0F.W1 12 /r t1s kz", "w:x r:x|m64", "avx"],
  ["vmovsldup", "VEX.128/256.F3.0F.WIG 12 /r | EVEX.128/256/512.F3.0F.W0 12 /r fvm kz", "w:v r:v|m", "avx"],
  ["vmovshdup", "VEX.128/256.F3.0F.WIG 16 /r | EVEX.128/256/512.F3.0F.W0 16 /r fvm kz", "w:v r:v|m", "avx"],
  ["vpermilps", "VEX.128/256.66.0F38.W0 0c /r | EVEX.128/256/512.66.0F38.W0 0c /r fv kz", "w:v r:v r:v|m", "avx"],
  ["vpermilps", "VEX.128/256.66.0F3A.W0 04 /r ib | EVEX.128/256/512.66.0F3A.W0 04 /r ib fv kz", "w:v r:v|m i:i8", "avx"],
  ["vpermilpd", "VEX.128/256.66.0F38.W0 0d /r | EVEX.128/256/512.66.0F38.W1 0d /r fv kz", "w:v r:v r:v|m", "avx"],
  ["vpermilpd", "VEX.128/256.66.0F3A.W0 05 /r ib | EVEX.128/256/512.66.0F3A.W1 05 /r ib fv kz", "w:v r:v|m i:i8", "avx"],
  ["vpermps", "VEX.256.66.0F38.W0 16 /r | EVEX.256/512.66.0F38.W0 16 /r fv kz", "w:v r:v r:v|m", "avx2"],
  ["vpermpd", "VEX.256.66.0F3A.W1 01 /r ib | EVEX.256/512.66.0F3A.W1 01 /r ib fv kz", "w:v r:v|m i:i8", "avx2"],
  ["vpermpd", "EVEX.256/512.66.0F38.W1 16 /r fv kz", "w:v r:v r:v|m", "avx512f"],
  ["vpermt2ps", "EVEX.128/256/512.66.0F38.W0 7f /r fv kz", "rw:v r:v r:v|m", "avx512f"],
  ["vpermt2pd", "EVEX.128/256/512.66.0F38.W1 7f /r fv kz", "rw:v r:v r:v|m", "avx512f"],
  ["vpermi2ps", "EVEX.128/256/512.66.0F38.W0 77 /r fv kz", "rw:v r:v r:v|m", "avx512f"],
  ["vpermi2pd", "EVEX.128/256/512.66.0F38.W1 77 /r fv kz", "rw:v r:v r:v|m", "avx512f"],
  ["vperm2f128", "VEX.256.66.0F3A.W0 06 /r ib", "w:y r:y r:y|m i:i8", "avx"],
  ["vshuff32x4", "EVEX.256/512.66.0F3A.W0 23 /r ib fv kz", "w:v r:v r:v|m i:i8", "avx512f"],
  ["vshuff64x2", "EVEX.256/512.66.0F3A.W1 23 /r ib fv kz", "w:v r:v r:v|m i:i8", "avx512f"],
  ["vinsertps", "VEX.128.66.0F3A.WIG 21 /r ib | EVEX.128.66.0F3A.W0 21 /r ib t1s", "w:x r:x r:x|m32 i:i8", "avx"],
  ["vextractps", "VEX.128.66.0F3A.WIG 17 /r ib | EVEX.128.66.0F3A.WIG 17 /r ib t1s4", "w:g32|m32 r:x i:i8", "avx"],
  ["vinsertf128", "VEX.256.66.0F3A.W0 18 /r ib", "w:y r:y r:x|m128 i:i8", "avx"],
  ["vextractf128", "VEX.256.66.0F3A.W0 19 /r ib", "w:x|m128 r:y i:i8", "avx"],
  ["vinsertf32x4", "EVEX.256/512.66.0F3A.W0 18 /r ib t4 kz", "w:v r:v r:x|m128 i:i8", "avx512f"],
  ["vextractf32x4", "EVEX.256/512.66.0F3A.W0 19 /r ib t4 kz", "w:x|m128 r:v i:i8", "avx512f"],
  ["vinsertf64x4", "EVEX.512.66.0F3A.W1 1a /r ib t4 kz", "w:v r:v r:y|m256 i:i8", "avx512f"],
  ["vextractf64x4", "EVEX.512.66.0F3A.W1 1b /r ib t4 kz", "w:y|m256 r:v i:i8", "avx512f"],
  ["vbroadcastss", "VEX.128/256.66.0F38.W0 18 /r | EVEX.128/256/512.66.0F38.W0 18 /r t1s kz", "w:v r:x|m32", "avx2"],
  ["vbroadcastsd", "VEX.256.66.0F38.W0 19 /r | EVEX.256/512.66.0F38.W1 19 /r t1s kz", "w:v r:x|m64", "avx2"],
  ["vbroadcastf128", "VEX.256.66.0F38.W0 1a /r", "w:y r:m128", "avx"],
  ["vbroadcastf32x4", "EVEX.256/512.66.0F38.W0 1a /r t4 kz", "w:v r:m128", "avx512f"],
  ["vbroadcastf64x4", "EVEX.512.66.0F38.W1 1b /r t4 kz", "w:v r:m256", "avx512f"],
  ["vcompressps", "EVEX.128/256/512.66.0F38.W0 8a /r t1s kz", "w:v|m r:v", "avx512f"],
  ["vcompresspd", "EVEX.128/256/512.66.0F38.W1 8a /r t1s kz", "w:v|m r:v", "avx512f"],
  ["vexpandps", "EVEX.128/256/512.66.0F38.W0 88 /r t1s kz", "w:v r:v|m", "avx512f"],
  ["vexpandpd", "EVEX.128/256/512.66.0F38.W1 88 /r t1s kz", "w:v r:v|m", "avx512f"],

  // Conversions.
  ["vcvtdq2ps", "VEX.128/256.0F.WIG 5b /r | EVEX.128/256/512.0F.W0 5b /r fv kz", "w:v r:v|m", "avx"],
  ["vcvtps2dq", "VEX.128/256.66.0F.WIG 5b /r | EVEX.128/256/512.66.0F.W0 5b /r fv kz", "w:v r:v|m", "avx"],
  ["vcvttps2dq", "VEX.128/256.F3.0F.WIG 5b /r | EVEX.128/256/512.F3.0F.W0 5b /r fv kz", "w:v r:v|m", "avx"],
  ["vcvtudq2ps", "EVEX.128/256/512.F2.0F.W0 7a /r fv kz", "w:v r:v|m", "avx512f"],
  ["vcvttps2udq", "EVEX.128/256/512.0F.W0 78 /r fv kz", "w:v r:v|m", "avx512f"],
  ["vcvtps2udq", "EVEX.128/256/512.0F.W0 79 /r fv kz", "w:v r:v|m", "avx512f"],
  ["vcvtdq2pd", "VEX.128/256.F3.0F.WIG e6 /r | EVEX.128/256/512.F3.0F.W0 e6 /r hv kz", "w:v r:h|m", "avx"],
  ["vcvtudq2pd", "EVEX.128/256/512.F3.0F.W0 7a /r hv kz", "w:v r:h|m", "avx512f"],
  ["vcvtps2pd", "VEX.128/256.0F.WIG 5a /r | EVEX.128/256/512.0F.W0 5a /r hv kz", "w:v r:h|m", "avx"],
  ["vcvtpd2ps", "VEX.128/256.66.0F.WIG 5a /r | EVEX.128/256/512.66.0F.W1 5a /r fv kz", "w:h r:v|m", "avx"],
  ["vcvtpd2dq", "VEX.128/256.F2.0F.WIG e6 /r | EVEX.128/256/512.F2.0F.W1 e6 /r fv kz", "w:h r:v|m", "avx"],
  ["vcvttpd2dq", "VEX.128/256.66.0F.WIG e6 /r | EVEX.128/256/512.66.0F.W1 e6 /r fv kz", "w:h r:v|m", "avx"],
  ["vcvttpd2udq", "EVEX.128/256/512.0F.W1 78 /r fv kz", "w:h r:v|m", "avx512f"],
  ["vcvtqq2pd", "EVEX.128/256/512.F3.0F.W1 e6 /r fv kz", "w:v r:v|m", "avx512dq"],
  ["vcvtuqq2pd", "EVEX.128/256/512.F3.0F.W1 7a /r fv kz", "w:v r:v|m", "avx512dq"],
  ["vcvtqq2ps", "EVEX.128/256/512.0F.W1 5b /r fv kz", "w:h r:v|m", "avx512dq"],
  ["vcvtuqq2ps", "EVEX.128/256/512.F2.0F.W1 7a /r fv kz", "w:h r:v|m", "avx512dq"],
  ["vcvttpd2qq", "EVEX.128/256/512.66.0F.W1 7a /r fv kz", "w:v r:v|m", "avx512dq"],
  ["vcvttpd2uqq", "EVEX.128/256/512.66.0F.W1 78 /r fv kz", "w:v r:v|m", "avx512dq"],
  ["vcvttps2qq", "EVEX.128/256/512.66.0F.W0 7a /r hv kz", "w:v r:h|m", "avx512dq"],
  ["vcvttps2uqq", "EVEX.128/256/512.66.0F.W0 78 /r hv kz", "w:v r:h|m", "avx512dq"],
  ["vcvtph2ps", "VEX.128/256.66.0F38.W0 13 /r | EVEX.128/256/512.66.0F38.W0 13 /r hvm kz", "w:v r:h|m", "f16c"],
  ["vcvtps2ph", "VEX.128/256.66.0F3A.W0 1d /r ib | EVEX.128/256/512.66.0F3A.W0 1d /r ib hvm kz", "w:h|m r:v i:i8", "f16c"],
  ["vcvtss2sd", "VEX.LIG.F3.0F.WIG 5a /r | EVEX.LIG.F3.0F.W0 5a /r t1s kz", "w:x r:x r:x|m32", "avx"],
  ["vcvtsd2ss", "VEX.LIG.F2.0F.WIG 5a /r | EVEX.LIG.F2.0F.W1 5a /r t1s kz", "w:x r:x r:x|m64", "avx"],
  ["vcvtsi2ss", "VEX.LIG.F3.0F.W0/W1 2a /r | EVEX.LIG.F3.0F.W0/W1 2a /r t1s", "w:x r:x r:g|m", "avx"],
  ["vcvtsi2sd", "VEX.LIG.F2.0F.W0/W1 2a /r | EVEX.LIG.F2.0F.W0/W1 2a /r t1s", "w:x r:x r:g|m", "avx"],
  ["vcvtusi2ss", "EVEX.LIG.F3.0F.W0/W1 7b /r t1s", "w:x r:x r:g|m", "avx512f"],
  ["vcvtusi2sd", "EVEX.LIG.F2.0F.W0/W1 7b /r t1s", "w:x r:x r:g|m", "avx512f"],
  ["vcvttss2si", "VEX.LIG.F3.0F.W0/W1 2c /r | EVEX.LIG.F3.0F.W0/W1 2c /r t1s4", "w:g r:x|m32", "avx"],
  ["vcvttsd2si", "VEX.LIG.F2.0F.W0/W1 2c /r | EVEX.LIG.F2.0F.W0/W1 2c /r t1s8", "w:g r:x|m64", "avx"],
  ["vcvtss2si", "VEX.LIG.F3.0F.W0/W1 2d /r | EVEX.LIG.F3.0F.W0/W1 2d /r t1s4", "w:g r:x|m32", "avx"],
  ["vcvtsd2si", "VEX.LIG.F2.0F.W0/W1 2d /r | EVEX.LIG.F2.0F.W0/W1 2d /r t1s8", "w:g r:x|m64", "avx"],
  ["vcvttss2usi", "EVEX.LIG.F3.0F.W0/W1 78 /r t1s4", "w:g r:x|m32", "avx512f"],
  ["vcvttsd2usi", "EVEX.LIG.F2.0F.W0/W1 78 /r t1s8", "w:g r:x|m64", "avx512f"],
];
