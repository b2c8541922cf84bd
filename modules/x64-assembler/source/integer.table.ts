// SPDX-License-Identifier: Apache-2.0
// Vector instructions on integers, with their EVEX twins after a bar; `row.ts` says how a row is read.
import type { InstructionRow } from "./row.ts";

/** Three vectors of 66.0F with a twin of the same name; `tuple` of the twin is fv for 32 and 64 bits, fvm otherwise. */
function three(name: string, opcode: string, w: "W0" | "W1" | "WIG", map: "0F" | "0F38" = "0F"): InstructionRow {
  const twin = `EVEX.128/256/512.66.${map}.${w} ${opcode} /r ${w === "WIG" ? "fvm" : "fv"} kz`;
  return [name, `VEX.128/256.66.${map}.WIG ${opcode} /r | ${twin}${w === "WIG" ? " avx512bw" : ""}`, "w:v r:v r:v|m", "avx2"];
}

/** Three vectors that only EVEX has. */
function wide(name: string, opcode: string, w: "W0" | "W1", needs: string = "avx512f", pp: string = "66.0F38"): InstructionRow {
  return [name, `EVEX.128/256/512.${pp}.${w} ${opcode} /r fv kz`, "w:v r:v r:v|m", needs];
}

/** Shifts by one amount: from a vector's low half, and immediate. */
function shift(name: string, opcode: string, immediate: string, digit: number, w: "W0" | "W1" | "WIG", onlyEvex: boolean = false): readonly InstructionRow[] {
  const bw = w === "WIG" ? " avx512bw" : "";
  const twin = `EVEX.128/256/512.66.0F.${w} ${opcode} /r m128 kz${bw}`;
  const immediateTwin = `EVEX.128/256/512.66.0F.${w} ${immediate} /${digit} ib ${w === "WIG" ? "fvm" : "fv"} kz${bw}`;
  const needs = onlyEvex ? "avx512f" : "avx2";
  return [
    [name, onlyEvex ? twin : `VEX.128/256.66.0F.WIG ${opcode} /r | ${twin}`, "w:v r:v r:x|m128", needs],
    // The form with VEX has no operand in memory.
    ...(onlyEvex ? [] : ([[name, `VEX.128/256.66.0F.WIG ${immediate} /${digit} ib`, "w:v r:v i:i8", needs]] as const)),
    [name, immediateTwin, "w:v r:v|m i:i8", "avx512f"],
  ];
}

/** Extensions of lanes: the six of one signedness. */
function extensions(prefix: string, base: number): readonly InstructionRow[] {
  const rows = [["bw", 0, "h", "hvm"], ["bd", 1, "q", "qvm"], ["bq", 2, "e", "ovm"], ["wd", 3, "h", "hvm"], ["wq", 4, "q", "qvm"], ["dq", 5, "h", "hvm"]] as const;
  return rows.map(([suffix, n, source, tuple]): InstructionRow => {
    const code = (base + n).toString(16);
    const needs = suffix === "bw" ? " avx512bw" : "";
    return [`${prefix}${suffix}`, `VEX.128/256.66.0F38.WIG ${code} /r | EVEX.128/256/512.66.0F38.${suffix === "dq" ? "W0" : "WIG"} ${code} /r ${tuple} kz${needs}`, `w:v r:${source}|m`, "avx2"];
  });
}

/** Truncations of lanes, plain. */
const TRUNCATIONS = ([["wb", 0x30, "h", "hvm", "avx512bw"], ["db", 0x31, "q", "qvm", "avx512f"], ["qb", 0x32, "e", "ovm", "avx512f"], ["dw", 0x33, "h", "hvm", "avx512f"], ["qw", 0x34, "q", "qvm", "avx512f"], ["qd", 0x35, "h", "hvm", "avx512f"]] as const)
  .map(([suffix, code, target, tuple, needs]): InstructionRow => [`vpmov${suffix}`, `EVEX.128/256/512.F3.0F38.W0 ${code.toString(16)} /r ${tuple} kz`, `w:${target}|m r:v`, needs]);

/** Gathers and scatters; the lanes of index and data decide which of the vectors has half the length. */
const GATHERS = ([["vpgatherdd", 0x90, "W0", "v", "v"], ["vpgatherdq", 0x90, "W1", "h", "v"], ["vpgatherqd", 0x91, "W0", "v", "h"], ["vpgatherqq", 0x91, "W1", "v", "v"], ["vgatherdps", 0x92, "W0", "v", "v"], ["vgatherdpd", 0x92, "W1", "h", "v"], ["vgatherqps", 0x93, "W0", "v", "h"], ["vgatherqpd", 0x93, "W1", "v", "v"]] as const)
  .flatMap(([name, code, w, index, data]): InstructionRow[] => {
    const element = w === "W0" ? 32 : 64;
    return [
      [name, `VEX.128/256.66.0F38.${w} ${code.toString(16)} /r`, `rw:${data} r:m${element}(${index}) rw:${data}`, "avx2"],
      [name, `EVEX.128/256/512.66.0F38.${w} ${code.toString(16)} /r t1s K`, `rw:${data} r:m${element}(${index})`, "avx512f"],
      [name.replace("gather", "scatter"), `EVEX.128/256/512.66.0F38.${w} ${(code + 0x10).toString(16)} /r t1s K`, `w:m${element}(${index}) r:${data}`, "avx512f"],
    ];
  });

/** Moves of whole vectors under masks by lanes of 8 to 64 bits. */
const MASKED_MOVES = ([["8", "F2", "W0", "avx512bw"], ["16", "F2", "W1", "avx512bw"], ["32", "F3", "W0", "avx512f"], ["64", "F3", "W1", "avx512f"]] as const)
  .flatMap(([bits, pp, w, needs]): InstructionRow[] => [
    [`vmovdqu${bits}`, `EVEX.128/256/512.${pp}.0F.${w} 6f /r fvm kz`, "w:v r:v|m", needs],
    [`vmovdqu${bits}`, `EVEX.128/256/512.${pp}.0F.${w} 7f /r fvm k`, "w:m r:v", needs],
  ]);

/** Comparisons of integers into masks. */
const MASK_COMPARES = ([["b", 0x3f, "W0"], ["ub", 0x3e, "W0"], ["w", 0x3f, "W1"], ["uw", 0x3e, "W1"], ["d", 0x1f, "W0"], ["ud", 0x1e, "W0"], ["q", 0x1f, "W1"], ["uq", 0x1e, "W1"]] as const)
  .map(([suffix, code, w]): InstructionRow => {
    const bw = code >= 0x3e;
    return [`vpcmp${suffix}`, `EVEX.128/256/512.66.0F3A.${w} ${code.toString(16)} /r ib ${bw ? "fvm" : "fv"} k`, "w:k r:v r:v|m i:i8", bw ? "avx512bw" : "avx512f"];
  });

/** Tests of bits into masks. */
const MASK_TESTS = ([["vptestmb", "66", 0x26, "W0"], ["vptestmw", "66", 0x26, "W1"], ["vptestmd", "66", 0x27, "W0"], ["vptestmq", "66", 0x27, "W1"], ["vptestnmb", "F3", 0x26, "W0"], ["vptestnmw", "F3", 0x26, "W1"], ["vptestnmd", "F3", 0x27, "W0"], ["vptestnmq", "F3", 0x27, "W1"]] as const)
  .map(([name, pp, code, w]): InstructionRow => [name, `EVEX.128/256/512.${pp}.0F38.${w} ${code.toString(16)} /r ${code === 0x26 ? "fvm" : "fv"} k`, "w:k r:v r:v|m", code === 0x26 ? "avx512bw" : "avx512f"]);

/** Operations on mask registers, by width. */
const MASKS = ([["b", ".66", "W0", "avx512dq"], ["w", "", "W0", "avx512f"], ["d", ".66", "W1", "avx512bw"], ["q", "", "W1", "avx512bw"]] as const)
  .flatMap(([suffix, pp, w, needs]): InstructionRow[] => {
    const bits = { b: 8, w: 16, d: 32, q: 64 }[suffix];
    const shiftMap = `66.0F3A.${suffix === "b" || suffix === "d" ? "W0" : "W1"}`;
    const shiftCode = suffix === "b" || suffix === "w" ? 0 : 1;
    const toMask = suffix === "d" ? ".F2.0F.W0" : suffix === "q" ? ".F2.0F.W1" : `${pp}.0F.W0`;
    const general = suffix === "q" ? "g64" : "g32";
    const ofThree = (name: string, code: string, from: string = needs): InstructionRow => [`${name}${suffix}`, `VEX.L1${pp}.0F.${w} ${code} /r`, "w:k r:k r:k", from];
    return [
      [`kmov${suffix}`, `VEX.LZ${pp}.0F.${w} 90 /r`, `w:k r:k|m${bits}`, needs],
      [`kmov${suffix}`, `VEX.LZ${pp}.0F.${w} 91 /r`, `w:m${bits} r:k`, needs],
      [`kmov${suffix}`, `VEX.LZ${toMask} 92 /r`, `w:k r:${general}`, needs],
      [`kmov${suffix}`, `VEX.LZ${toMask} 93 /r`, `w:${general} r:k`, needs],
      ofThree("kand", "41"),
      ofThree("kandn", "42"),
      ofThree("kor", "45"),
      ofThree("kxnor", "46"),
      ofThree("kxor", "47"),
      ofThree("kadd", "4a", suffix === "w" ? "avx512dq" : needs),
      [`knot${suffix}`, `VEX.LZ${pp}.0F.${w} 44 /r`, "w:k r:k", needs],
      [`kortest${suffix}`, `VEX.LZ${pp}.0F.${w} 98 /r`, "r:k r:k", needs, "w"],
      [`ktest${suffix}`, `VEX.LZ${pp}.0F.${w} 99 /r`, "r:k r:k", suffix === "w" ? "avx512dq" : needs, "w"],
      [`kshiftr${suffix}`, `VEX.LZ.${shiftMap} ${(0x30 + shiftCode).toString(16)} /r ib`, "w:k r:k i:i8", needs],
      [`kshiftl${suffix}`, `VEX.LZ.${shiftMap} ${(0x32 + shiftCode).toString(16)} /r ib`, "w:k r:k i:i8", needs],
    ];
  });

/** Vectors of all ones or zeros from masks, and masks from signs. */
const MASK_VECTORS = ([["b", 0x28, "W0"], ["w", 0x28, "W1"], ["d", 0x38, "W0"], ["q", 0x38, "W1"]] as const)
  .flatMap(([suffix, code, w]): InstructionRow[] => {
    const needs = code === 0x28 ? "avx512bw" : "avx512dq";
    return [
      [`vpmovm2${suffix}`, `EVEX.128/256/512.F3.0F38.${w} ${code.toString(16)} /r none`, "w:v r:k", needs],
      [`vpmov${suffix}2m`, `EVEX.128/256/512.F3.0F38.${w} ${(code + 1).toString(16)} /r none`, "w:k r:v", needs],
    ];
  });

/** Broadcasts of integers from vectors and from general registers. */
const BROADCASTS = ([["b", "78", "7a", "W0", 8, "avx512bw"], ["w", "79", "7b", "W0", 16, "avx512bw"], ["d", "58", "7c", "W0", 32, "avx512f"], ["q", "59", "7c", "W1", 64, "avx512f"]] as const)
  .flatMap(([suffix, code, general, w, bits, needs]): InstructionRow[] => [
    [`vpbroadcast${suffix}`, `VEX.128/256.66.0F38.W0 ${code} /r | EVEX.128/256/512.66.0F38.${w} ${code} /r t1s${bits / 8} kz ${needs}`, `w:v r:x|m${bits}`, "avx2"],
    [`vpbroadcast${suffix}`, `EVEX.128/256/512.66.0F38.${w} ${general} /r none kz`, `w:v r:${bits === 64 ? "g64" : "g32"}`, needs],
  ]);

/** An instruction on lanes of 32 and 64 bits that only EVEX has. */
const pair = (name: string, opcode: string, needs: string = "avx512f"): readonly InstructionRow[] => [
  wide(`${name}d`, opcode, "W0", needs),
  wide(`${name}q`, opcode, "W1", needs),
];

/** Bitwise operations, whose twins have names of their own. */
const BITWISE = ([["vpand", "db"], ["vpandn", "df"], ["vpor", "eb"], ["vpxor", "ef"]] as const).flatMap(([name, opcode]): InstructionRow[] => [
  [name, `VEX.128/256.66.0F.WIG ${opcode} /r`, "w:v r:v r:v|m", "avx2"],
  wide(`${name}d`, opcode, "W0", "avx512f", "66.0F"),
  wide(`${name}q`, opcode, "W1", "avx512f", "66.0F"),
]);

/** Comparisons into vectors. */
const COMPARES = ([["vpcmpeqb", "74", "0F"], ["vpcmpeqw", "75", "0F"], ["vpcmpeqd", "76", "0F"], ["vpcmpeqq", "29", "0F38"], ["vpcmpgtb", "64", "0F"], ["vpcmpgtw", "65", "0F"], ["vpcmpgtd", "66", "0F"], ["vpcmpgtq", "37", "0F38"]] as const)
  .map(([name, opcode, map]): InstructionRow => [name, `VEX.128/256.66.${map}.WIG ${opcode} /r`, "w:v r:v r:v|m", "avx2"]);

/** Lanes of registers and memory. */
const LANES: readonly InstructionRow[] = [
  ["vpinsrb", "VEX.128.66.0F3A.W0 20 /r ib | EVEX.128.66.0F3A.WIG 20 /r ib t1s1 avx512bw", "w:x r:x r:g32|m8 i:i8", "avx"],
  ["vpinsrw", "VEX.128.66.0F.W0 c4 /r ib | EVEX.128.66.0F.WIG c4 /r ib t1s2 avx512bw", "w:x r:x r:g32|m16 i:i8", "avx"],
  ["vpinsrd", "VEX.128.66.0F3A.W0 22 /r ib | EVEX.128.66.0F3A.W0 22 /r ib t1s avx512dq", "w:x r:x r:g32|m32 i:i8", "avx"],
  ["vpinsrq", "VEX.128.66.0F3A.W1 22 /r ib | EVEX.128.66.0F3A.W1 22 /r ib t1s avx512dq", "w:x r:x r:g64|m64 i:i8", "avx"],
  ["vpextrb", "VEX.128.66.0F3A.W0 14 /r ib | EVEX.128.66.0F3A.WIG 14 /r ib t1s1 avx512bw", "w:g32|m8 r:x i:i8", "avx"],
  ["vpextrw", "VEX.128.66.0F3A.W0 15 /r ib | EVEX.128.66.0F3A.WIG 15 /r ib t1s2 avx512bw", "w:m16 r:x i:i8", "avx"],
  ["vpextrw", "VEX.128.66.0F.W0 c5 /r ib | EVEX.128.66.0F.WIG c5 /r ib none avx512bw", "w:g32 r:x i:i8", "avx"],
  ["vpextrd", "VEX.128.66.0F3A.W0 16 /r ib | EVEX.128.66.0F3A.W0 16 /r ib t1s avx512dq", "w:g32|m32 r:x i:i8", "avx"],
  ["vpextrq", "VEX.128.66.0F3A.W1 16 /r ib | EVEX.128.66.0F3A.W1 16 /r ib t1s avx512dq", "w:g64|m64 r:x i:i8", "avx"],
  ["vmovd", "VEX.128.66.0F.W0 6e /r | EVEX.128.66.0F.W0 6e /r t1s", "w:x r:g32|m32", "avx"],
  ["vmovd", "VEX.128.66.0F.W0 7e /r | EVEX.128.66.0F.W0 7e /r t1s", "w:g32|m32 r:x", "avx"],
  ["vmovq", "VEX.128.66.0F.W1 6e /r | EVEX.128.66.0F.W1 6e /r t1s", "w:x r:g64", "avx"],
  ["vmovq", "VEX.128.66.0F.W1 7e /r | EVEX.128.66.0F.W1 7e /r t1s", "w:g64|m64 r:x", "avx"],
  ["vmovq", "VEX.128.F3.0F.WIG 7e /r | EVEX.128.F3.0F.W1 7e /r t1s", "w:x r:x|m64", "avx"],
  ["vmovq", "VEX.128.66.0F.WIG d6 /r | EVEX.128.66.0F.W1 d6 /r t1s", "w:m64 r:x", "avx"],
];

export const INTEGER_INSTRUCTIONS: readonly InstructionRow[] = [
  // Arithmetic.
  three("vpaddb", "fc", "WIG"),
  three("vpaddw", "fd", "WIG"),
  three("vpaddd", "fe", "W0"),
  three("vpaddq", "d4", "W1"),
  three("vpsubb", "f8", "WIG"),
  three("vpsubw", "f9", "WIG"),
  three("vpsubd", "fa", "W0"),
  three("vpsubq", "fb", "W1"),
  three("vpaddsb", "ec", "WIG"),
  three("vpaddsw", "ed", "WIG"),
  three("vpaddusb", "dc", "WIG"),
  three("vpaddusw", "dd", "WIG"),
  three("vpsubsb", "e8", "WIG"),
  three("vpsubsw", "e9", "WIG"),
  three("vpsubusb", "d8", "WIG"),
  three("vpsubusw", "d9", "WIG"),
  three("vpavgb", "e0", "WIG"),
  three("vpavgw", "e3", "WIG"),
  three("vpmullw", "d5", "WIG"),
  three("vpmulhw", "e5", "WIG"),
  three("vpmulhuw", "e4", "WIG"),
  three("vpmulhrsw", "0b", "WIG", "0F38"),
  three("vpmulld", "40", "W0", "0F38"),
  wide("vpmullq", "40", "W1", "avx512dq"),
  three("vpmuludq", "f4", "W1"),
  three("vpmuldq", "28", "W1", "0F38"),
  three("vpmaddwd", "f5", "WIG"),
  three("vpmaddubsw", "04", "WIG", "0F38"),
  ["vpsadbw", "VEX.128/256.66.0F.WIG f6 /r | EVEX.128/256/512.66.0F.WIG f6 /r fvm avx512bw", "w:v r:v r:v|m", "avx2"],
  three("vpminsb", "38", "WIG", "0F38"),
  three("vpminsw", "ea", "WIG"),
  three("vpminsd", "39", "W0", "0F38"),
  wide("vpminsq", "39", "W1"),
  three("vpminub", "da", "WIG"),
  three("vpminuw", "3a", "WIG", "0F38"),
  three("vpminud", "3b", "W0", "0F38"),
  wide("vpminuq", "3b", "W1"),
  three("vpmaxsb", "3c", "WIG", "0F38"),
  three("vpmaxsw", "ee", "WIG"),
  three("vpmaxsd", "3d", "W0", "0F38"),
  wide("vpmaxsq", "3d", "W1"),
  three("vpmaxub", "de", "WIG"),
  three("vpmaxuw", "3e", "WIG", "0F38"),
  three("vpmaxud", "3f", "W0", "0F38"),
  wide("vpmaxuq", "3f", "W1"),
  ["vpabsb", "VEX.128/256.66.0F38.WIG 1c /r | EVEX.128/256/512.66.0F38.WIG 1c /r fvm kz avx512bw", "w:v r:v|m", "avx2"],
  ["vpabsw", "VEX.128/256.66.0F38.WIG 1d /r | EVEX.128/256/512.66.0F38.WIG 1d /r fvm kz avx512bw", "w:v r:v|m", "avx2"],
  ["vpabsd", "VEX.128/256.66.0F38.WIG 1e /r | EVEX.128/256/512.66.0F38.W0 1e /r fv kz", "w:v r:v|m", "avx2"],
  ["vpabsq", "EVEX.128/256/512.66.0F38.W1 1f /r fv kz", "w:v r:v|m", "avx512f"],
  ["vplzcntd", "EVEX.128/256/512.66.0F38.W0 44 /r fv kz", "w:v r:v|m", "avx512cd"],
  ["vplzcntq", "EVEX.128/256/512.66.0F38.W1 44 /r fv kz", "w:v r:v|m", "avx512cd"],
  ["vpconflictd", "EVEX.128/256/512.66.0F38.W0 c4 /r fv kz", "w:v r:v|m", "avx512cd"],
  ["vpopcntd", "EVEX.128/256/512.66.0F38.W0 55 /r fv kz", "w:v r:v|m", "avx512_vpopcntdq"],
  ["vpopcntq", "EVEX.128/256/512.66.0F38.W1 55 /r fv kz", "w:v r:v|m", "avx512_vpopcntdq"],
  ["vpopcntb", "EVEX.128/256/512.66.0F38.W0 54 /r fvm kz", "w:v r:v|m", "avx512_bitalg"],
  ["vpopcntw", "EVEX.128/256/512.66.0F38.W1 54 /r fvm kz", "w:v r:v|m", "avx512_bitalg"],

  // Bits, comparisons, masks.
  ...BITWISE,
  ["vpternlogd", "EVEX.128/256/512.66.0F3A.W0 25 /r ib fv kz", "rw:v r:v r:v|m i:i8", "avx512f"],
  ["vpternlogq", "EVEX.128/256/512.66.0F3A.W1 25 /r ib fv kz", "rw:v r:v r:v|m i:i8", "avx512f"],
  ["vptest", "VEX.128/256.66.0F38.WIG 17 /r", "r:v r:v|m", "avx", "w"],
  ["vpmovmskb", "VEX.128/256.66.0F.WIG d7 /r", "w:g32 r:v", "avx2"],
  ...COMPARES,
  ...MASK_COMPARES,
  ...MASK_TESTS,
  ...MASKS,
  ["kunpckbw", "VEX.L1.66.0F.W0 4b /r", "w:k r:k r:k", "avx512f"],
  ["kunpckwd", "VEX.L1.0F.W0 4b /r", "w:k r:k r:k", "avx512bw"],
  ["kunpckdq", "VEX.L1.0F.W1 4b /r", "w:k r:k r:k", "avx512bw"],
  ...MASK_VECTORS,
  ["vpblendmb", "EVEX.128/256/512.66.0F38.W0 66 /r fvm kz", "w:v r:v r:v|m", "avx512bw"],
  ["vpblendmw", "EVEX.128/256/512.66.0F38.W1 66 /r fvm kz", "w:v r:v r:v|m", "avx512bw"],
  ...pair("vpblendm", "64"),

  // Shifts.
  ...shift("vpsllw", "f1", "71", 6, "WIG"),
  ...shift("vpslld", "f2", "72", 6, "W0"),
  ...shift("vpsllq", "f3", "73", 6, "W1"),
  ...shift("vpsrlw", "d1", "71", 2, "WIG"),
  ...shift("vpsrld", "d2", "72", 2, "W0"),
  ...shift("vpsrlq", "d3", "73", 2, "W1"),
  ...shift("vpsraw", "e1", "71", 4, "WIG"),
  ...shift("vpsrad", "e2", "72", 4, "W0"),
  ...shift("vpsraq", "e2", "72", 4, "W1", true),
  ["vpslldq", "VEX.128/256.66.0F.WIG 73 /7 ib", "w:v r:v i:i8", "avx2"],
  ["vpsrldq", "VEX.128/256.66.0F.WIG 73 /3 ib", "w:v r:v i:i8", "avx2"],
  ["vpslldq", "EVEX.128/256/512.66.0F.WIG 73 /7 ib fvm", "w:v r:v|m i:i8", "avx512bw"],
  ["vpsrldq", "EVEX.128/256/512.66.0F.WIG 73 /3 ib fvm", "w:v r:v|m i:i8", "avx512bw"],
  ["vpsllvd", "VEX.128/256.66.0F38.W0 47 /r | EVEX.128/256/512.66.0F38.W0 47 /r fv kz", "w:v r:v r:v|m", "avx2"],
  ["vpsllvq", "VEX.128/256.66.0F38.W1 47 /r | EVEX.128/256/512.66.0F38.W1 47 /r fv kz", "w:v r:v r:v|m", "avx2"],
  ["vpsrlvd", "VEX.128/256.66.0F38.W0 45 /r | EVEX.128/256/512.66.0F38.W0 45 /r fv kz", "w:v r:v r:v|m", "avx2"],
  ["vpsrlvq", "VEX.128/256.66.0F38.W1 45 /r | EVEX.128/256/512.66.0F38.W1 45 /r fv kz", "w:v r:v r:v|m", "avx2"],
  ["vpsravd", "VEX.128/256.66.0F38.W0 46 /r | EVEX.128/256/512.66.0F38.W0 46 /r fv kz", "w:v r:v r:v|m", "avx2"],
  ["vpsravq", "EVEX.128/256/512.66.0F38.W1 46 /r fv kz", "w:v r:v r:v|m", "avx512f"],
  ["vpsllvw", "EVEX.128/256/512.66.0F38.W1 12 /r fvm kz", "w:v r:v r:v|m", "avx512bw"],
  ["vpsrlvw", "EVEX.128/256/512.66.0F38.W1 10 /r fvm kz", "w:v r:v r:v|m", "avx512bw"],
  ["vpsravw", "EVEX.128/256/512.66.0F38.W1 11 /r fvm kz", "w:v r:v r:v|m", "avx512bw"],
  ...pair("vprolv", "15"),
  ...pair("vprorv", "14"),
  ["vprold", "EVEX.128/256/512.66.0F.W0 72 /1 ib fv kz", "w:v r:v|m i:i8", "avx512f"],
  ["vprolq", "EVEX.128/256/512.66.0F.W1 72 /1 ib fv kz", "w:v r:v|m i:i8", "avx512f"],
  ["vprord", "EVEX.128/256/512.66.0F.W0 72 /0 ib fv kz", "w:v r:v|m i:i8", "avx512f"],
  ["vprorq", "EVEX.128/256/512.66.0F.W1 72 /0 ib fv kz", "w:v r:v|m i:i8", "avx512f"],

  // Permutations.
  three("vpshufb", "00", "WIG", "0F38"),
  ["vpshufd", "VEX.128/256.66.0F.WIG 70 /r ib | EVEX.128/256/512.66.0F.W0 70 /r ib fv kz", "w:v r:v|m i:i8", "avx2"],
  ["vpshufhw", "VEX.128/256.F3.0F.WIG 70 /r ib | EVEX.128/256/512.F3.0F.WIG 70 /r ib fvm kz avx512bw", "w:v r:v|m i:i8", "avx2"],
  ["vpshuflw", "VEX.128/256.F2.0F.WIG 70 /r ib | EVEX.128/256/512.F2.0F.WIG 70 /r ib fvm kz avx512bw", "w:v r:v|m i:i8", "avx2"],
  three("vpunpcklbw", "60", "WIG"),
  three("vpunpcklwd", "61", "WIG"),
  three("vpunpckldq", "62", "W0"),
  three("vpunpcklqdq", "6c", "W1"),
  three("vpunpckhbw", "68", "WIG"),
  three("vpunpckhwd", "69", "WIG"),
  three("vpunpckhdq", "6a", "W0"),
  three("vpunpckhqdq", "6d", "W1"),
  three("vpacksswb", "63", "WIG"),
  ["vpackssdw", "VEX.128/256.66.0F.WIG 6b /r | EVEX.128/256/512.66.0F.W0 6b /r fv kz avx512bw", "w:v r:v r:v|m", "avx2"],
  three("vpackuswb", "67", "WIG"),
  ["vpackusdw", "VEX.128/256.66.0F38.WIG 2b /r | EVEX.128/256/512.66.0F38.W0 2b /r fv kz avx512bw", "w:v r:v r:v|m", "avx2"],
  ["vpalignr", "VEX.128/256.66.0F3A.WIG 0f /r ib | EVEX.128/256/512.66.0F3A.WIG 0f /r ib fvm kz avx512bw", "w:v r:v r:v|m i:i8", "avx2"],
  ["valignd", "EVEX.128/256/512.66.0F3A.W0 03 /r ib fv kz", "w:v r:v r:v|m i:i8", "avx512f"],
  ["valignq", "EVEX.128/256/512.66.0F3A.W1 03 /r ib fv kz", "w:v r:v r:v|m i:i8", "avx512f"],
  ["vpblendw", "VEX.128/256.66.0F3A.WIG 0e /r ib", "w:v r:v r:v|m i:i8", "avx2"],
  ["vpblendd", "VEX.128/256.66.0F3A.W0 02 /r ib", "w:v r:v r:v|m i:i8", "avx2"],
  ["vpblendvb", "VEX.128/256.66.0F3A.W0 4c /r /is4", "w:v r:v r:v|m r:v", "avx2"],
  ["vpermd", "VEX.256.66.0F38.W0 36 /r | EVEX.256/512.66.0F38.W0 36 /r fv kz", "w:v r:v r:v|m", "avx2"],
  ["vpermq", "VEX.256.66.0F3A.W1 00 /r ib | EVEX.256/512.66.0F3A.W1 00 /r ib fv kz", "w:v r:v|m i:i8", "avx2"],
  ["vpermq", "EVEX.256/512.66.0F38.W1 36 /r fv kz", "w:v r:v r:v|m", "avx512f"],
  ["vpermw", "EVEX.128/256/512.66.0F38.W1 8d /r fvm kz", "w:v r:v r:v|m", "avx512bw"],
  ["vpermb", "EVEX.128/256/512.66.0F38.W0 8d /r fvm kz", "w:v r:v r:v|m", "avx512_vbmi"],
  ["vpermt2w", "EVEX.128/256/512.66.0F38.W1 7d /r fvm kz", "rw:v r:v r:v|m", "avx512bw"],
  ["vpermt2d", "EVEX.128/256/512.66.0F38.W0 7e /r fv kz", "rw:v r:v r:v|m", "avx512f"],
  ["vpermt2q", "EVEX.128/256/512.66.0F38.W1 7e /r fv kz", "rw:v r:v r:v|m", "avx512f"],
  ["vpermi2w", "EVEX.128/256/512.66.0F38.W1 75 /r fvm kz", "rw:v r:v r:v|m", "avx512bw"],
  ["vpermi2d", "EVEX.128/256/512.66.0F38.W0 76 /r fv kz", "rw:v r:v r:v|m", "avx512f"],
  ["vpermi2q", "EVEX.128/256/512.66.0F38.W1 76 /r fv kz", "rw:v r:v r:v|m", "avx512f"],
  ["vperm2i128", "VEX.256.66.0F3A.W0 46 /r ib", "w:y r:y r:y|m i:i8", "avx2"],
  ["vshufi32x4", "EVEX.256/512.66.0F3A.W0 43 /r ib fv kz", "w:v r:v r:v|m i:i8", "avx512f"],
  ["vshufi64x2", "EVEX.256/512.66.0F3A.W1 43 /r ib fv kz", "w:v r:v r:v|m i:i8", "avx512f"],
  ["vinserti128", "VEX.256.66.0F3A.W0 38 /r ib", "w:y r:y r:x|m128 i:i8", "avx2"],
  ["vextracti128", "VEX.256.66.0F3A.W0 39 /r ib", "w:x|m128 r:y i:i8", "avx2"],
  ["vinserti32x4", "EVEX.256/512.66.0F3A.W0 38 /r ib t4 kz", "w:v r:v r:x|m128 i:i8", "avx512f"],
  ["vextracti32x4", "EVEX.256/512.66.0F3A.W0 39 /r ib t4 kz", "w:x|m128 r:v i:i8", "avx512f"],
  ["vinserti64x4", "EVEX.512.66.0F3A.W1 3a /r ib t4 kz", "w:v r:v r:y|m256 i:i8", "avx512f"],
  ["vextracti64x4", "EVEX.512.66.0F3A.W1 3b /r ib t4 kz", "w:y|m256 r:v i:i8", "avx512f"],
  ["vpcompressd", "EVEX.128/256/512.66.0F38.W0 8b /r t1s kz", "w:v|m r:v", "avx512f"],
  ["vpcompressq", "EVEX.128/256/512.66.0F38.W1 8b /r t1s kz", "w:v|m r:v", "avx512f"],
  ["vpexpandd", "EVEX.128/256/512.66.0F38.W0 89 /r t1s kz", "w:v r:v|m", "avx512f"],
  ["vpexpandq", "EVEX.128/256/512.66.0F38.W1 89 /r t1s kz", "w:v r:v|m", "avx512f"],

  // Widths of lanes, and broadcasts.
  ...extensions("vpmovsx", 0x20),
  ...extensions("vpmovzx", 0x30),
  ...TRUNCATIONS,
  ...BROADCASTS,
  ["vbroadcasti128", "VEX.256.66.0F38.W0 5a /r", "w:y r:m128", "avx2"],
  ["vbroadcasti32x4", "EVEX.256/512.66.0F38.W0 5a /r t4 kz", "w:v r:m128", "avx512f"],
  ["vbroadcasti64x4", "EVEX.512.66.0F38.W1 5b /r t4 kz", "w:v r:m256", "avx512f"],

  // Memory.
  ["vmovdqa", "VEX.128/256.66.0F.WIG 6f /r", "w:v r:v|m", "avx"],
  ["vmovdqa", "VEX.128/256.66.0F.WIG 7f /r", "w:m r:v", "avx"],
  ["vmovdqu", "VEX.128/256.F3.0F.WIG 6f /r", "w:v r:v|m", "avx"],
  ["vmovdqu", "VEX.128/256.F3.0F.WIG 7f /r", "w:m r:v", "avx"],
  ["vmovdqa32", "EVEX.128/256/512.66.0F.W0 6f /r fvm kz", "w:v r:v|m", "avx512f"],
  ["vmovdqa32", "EVEX.128/256/512.66.0F.W0 7f /r fvm k", "w:m r:v", "avx512f"],
  ...MASKED_MOVES,
  ["vmovntdq", "VEX.128/256.66.0F.WIG e7 /r | EVEX.128/256/512.66.0F.W0 e7 /r fvm", "w:m r:v", "avx"],
  ["vpmaskmovd", "VEX.128/256.66.0F38.W0 8c /r", "w:v r:v r:m", "avx2"],
  ["vpmaskmovd", "VEX.128/256.66.0F38.W0 8e /r", "w:m r:v r:v", "avx2"],
  ["vpmaskmovq", "VEX.128/256.66.0F38.W1 8c /r", "w:v r:v r:m", "avx2"],
  ["vpmaskmovq", "VEX.128/256.66.0F38.W1 8e /r", "w:m r:v r:v", "avx2"],
  ...LANES,
  ...GATHERS,
  ["vzeroupper", "VEX.128.0F.WIG 77", "", "avx"],
];
