// SPDX-License-Identifier: Apache-2.0
/**
 * Tiers: what generated code may use of a processor, as data that the selection and the allocator look up.
 *
 * `x64.3` has AVX2: 15 vectors of 32 bytes; masks are lanes of all ones or zeros. `x64.4` has AVX-512 F, VL, BW and DQ:
 * 31 vectors of 64 bytes; a mask is a register with one bit a lane, for each register of the lanes that it is made for,
 * so an instruction under a mask takes it as it is.
 */
import { Op } from "@muxkit/ir";
import type { MachineTarget } from "@muxkit/machine-target";

import { X64_MACHINE, X64_WIDE_MACHINE } from "./machine.ts";
import { ALLOCATABLE, WIDE_ALLOCATABLE } from "./registers.ts";

/** The name of a tier. @public */
export type X64TierName = "x64.3" | "x64.4";

/** Names of instructions on three vectors, by bytes of a lane: 1, 2, 4, 8; empty where there is none. @internal */
export type NamesByLane = readonly [string, string, string, string];

/** What generated code may use. @public */
export interface X64Tier {
  /** Its name, which sections and devices have too. */
  readonly name: X64TierName;
  /** What the passes before the code generator know. */
  readonly machine: MachineTarget;
  /** Features of the instruction table that its code may need. */
  readonly needs: readonly string[];
  /** Bytes of the largest part of a vector: 32 or 64. @internal */
  readonly partBytes: 32 | 64;
  /** Whether masks have registers of their own, and EVEX reaches 32 vectors. @internal */
  readonly isWide: boolean;
  /** Registers by class. @internal */
  readonly registers: readonly Uint8Array[];
  /** Instructions on integers in lanes that are the op. @internal */
  readonly integers: Readonly<Record<number, NamesByLane>>;
}

const INTEGERS: Readonly<Record<number, NamesByLane>> = {
  [Op.ADD]: ["vpaddb", "vpaddw", "vpaddd", "vpaddq"],
  [Op.SUB]: ["vpsubb", "vpsubw", "vpsubd", "vpsubq"],
  [Op.MUL]: ["", "vpmullw", "vpmulld", ""],
  [Op.AND]: ["vpand", "vpand", "vpand", "vpand"],
  [Op.OR]: ["vpor", "vpor", "vpor", "vpor"],
  [Op.XOR]: ["vpxor", "vpxor", "vpxor", "vpxor"],
  [Op.SMIN]: ["vpminsb", "vpminsw", "vpminsd", ""],
  [Op.SMAX]: ["vpmaxsb", "vpmaxsw", "vpmaxsd", ""],
  [Op.UMIN]: ["vpminub", "vpminuw", "vpminud", ""],
  [Op.UMAX]: ["vpmaxub", "vpmaxuw", "vpmaxud", ""],
  [Op.SMULH]: ["", "vpmulhw", "", ""],
  [Op.UMULH]: ["", "vpmulhuw", "", ""],
};

const WIDE_INTEGERS: Readonly<Record<number, NamesByLane>> = {
  ...INTEGERS,
  [Op.MUL]: ["", "vpmullw", "vpmulld", "vpmullq"],
  [Op.SMIN]: ["vpminsb", "vpminsw", "vpminsd", "vpminsq"],
  [Op.SMAX]: ["vpmaxsb", "vpmaxsw", "vpmaxsd", "vpmaxsq"],
  [Op.UMIN]: ["vpminub", "vpminuw", "vpminud", "vpminuq"],
  [Op.UMAX]: ["vpmaxub", "vpmaxuw", "vpmaxud", "vpmaxuq"],
};

const AVX2 = ["avx", "avx2", "fma", "f16c", "bmi1", "bmi2", "lzcnt", "popcnt"];

/** The tiers, lowest first. @public */
export const X64_TIERS: readonly X64Tier[] = [
  {
    name: "x64.3",
    machine: X64_MACHINE,
    needs: AVX2,
    partBytes: 32,
    isWide: false,
    registers: ALLOCATABLE,
    integers: INTEGERS,
  },
  {
    name: "x64.4",
    machine: X64_WIDE_MACHINE,
    needs: [...AVX2, "avx512f", "avx512vl", "avx512bw", "avx512dq", "avx512cd"],
    partBytes: 64,
    isWide: true,
    registers: WIDE_ALLOCATABLE,
    integers: WIDE_INTEGERS,
  },
];

/** A tier by its name. @public */
export function x64Tier(name: X64TierName): X64Tier {
  return X64_TIERS.find((tier) => tier.name === name) as X64Tier;
}
