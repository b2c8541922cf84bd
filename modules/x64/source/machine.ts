// SPDX-License-Identifier: Apache-2.0
// x86-64 with AVX2 as a MachineTarget. Native widths are those that the generator has instructions for; costs are
// estimates by the instructions that it writes, in units of one simple vector instruction.
import { LAYOUT_32, LOCAL, Op } from "@muxkit/ir";
import { CAUTIOUS_UNROLLING, type MachineTarget, type OpCost, type OpSupport } from "@muxkit/machine-target";

import { GET_STACK, SET_STACK } from "./intrinsics.ts";
import { ALLOCATABLE, WIDE_ALLOCATABLE } from "./registers.ts";

/** `vpextr` and `vpinsr`, one each; every other lane needs a half of the register first. */
const LANE_MOVE = 2.5;

/** An op that is computed lane by lane. */
function byLane(scalar: number): readonly OpCost[] {
  return [
    { shape: "scalar", fixed: scalar },
    { shape: "vector", perLane: scalar + LANE_MOVE },
  ];
}

function perRegister(cost: number): readonly OpCost[] {
  return [{ perRegister: cost }];
}

function fixed(cost: number): readonly OpCost[] {
  return [{ fixed: cost }];
}

/** Arguments to their registers, the spills around it. An estimate. */
const CALL = 12;
/** A locked access; in local memory, where one thread works, a load and a store. */
const ATOMIC: readonly OpCost[] = [{ addressSpace: LOCAL, fixed: 3 }, { fixed: 20 }];

const COSTS: Readonly<Record<number, readonly OpCost[]>> = {
  // vdivps and vsqrtps have several times the latency of vmulps, and are not pipelined as it is.
  [Op.FDIV]: perRegister(6),
  [Op.FSQRT]: perRegister(6),
  // Saturation and 0 for NaN: two comparisons, an and, an exclusive or; to bytes and shorts bounds and packing.
  [Op.FPTOSI]: [
    { shape: "vector", bits: 32, perRegister: 5 },
    { shape: "vector", bits: 16, perRegister: 7 },
    { shape: "vector", bits: 8, perRegister: 7 },
    ...byLane(8),
  ],
  [Op.FPTOUI]: [
    { shape: "vector", bits: 32, perRegister: 9 },
    { shape: "vector", bits: 16, perRegister: 6 },
    { shape: "vector", bits: 8, perRegister: 6 },
    ...byLane(8),
  ],
  // Two halves as floats, each exactly.
  [Op.UITOFP]: [{ shape: "scalar", fixed: 3 }, { perRegister: 6 }],
  [Op.FMIN]: perRegister(6),
  [Op.FMAX]: perRegister(6),
  [Op.ROTL]: [{ shape: "scalar", fixed: 1 }, { perRegister: 3 }],
  [Op.MUL]: [
    { shape: "vector", bits: 64, perRegister: 8 },
    { shape: "vector", bits: 8, perRegister: 7 },
    { perRegister: 2 },
  ],
  [Op.SDIV]: byLane(20),
  [Op.UDIV]: byLane(20),
  [Op.SREM]: byLane(20),
  [Op.UREM]: byLane(20),
  // A table of halves of bytes, summed; leading bits are spread before.
  [Op.CLZ]: [{ shape: "scalar", fixed: 1 }, { shape: "vector", bits: 8, perLane: 1 + LANE_MOVE }, { perRegister: 20 }],
  [Op.CTZ]: [{ shape: "scalar", fixed: 1 }, { perRegister: 11 }],
  [Op.POPCOUNT]: [{ shape: "scalar", fixed: 1 }, { perRegister: 8 }],
  [Op.SMULH]: [{ shape: "scalar", fixed: 2 }, { bits: 16, perRegister: 1 }, { bits: 32, perRegister: 6 }, ...byLane(2)],
  [Op.UMULH]: [{ shape: "scalar", fixed: 2 }, { bits: 16, perRegister: 1 }, { bits: 32, perRegister: 6 }, ...byLane(2)],
  [Op.FREM]: byLane(30),
  [Op.BUILD]: [{ perLane: 1 }],
  [Op.EXTRACT]: fixed(1.5),
  [Op.INSERT]: fixed(2.5),
  [Op.SPLAT]: fixed(1),
  // One instruction, or one that joins and one that permutes; bytes and shorts take more.
  [Op.SHUFFLE]: [{ bits: 8, perRegister: 5 }, { bits: 16, perRegister: 4 }, { perRegister: 2 }],
  [Op.PERMUTE]: [{ bits: 32, perRegister: 2 }, { perLane: 4 }],
  [Op.ANY]: fixed(2),
  [Op.ALL]: fixed(2),
  // A move and an op for each half.
  [Op.REDUCE]: [{ fixed: 6, perRegister: 1 }],
  [Op.CALL]: fixed(CALL),
  [Op.ATOMIC_RMW]: ATOMIC,
  [Op.ATOMIC_COMPARE_EXCHANGE]: ATOMIC,
  [Op.BR]: fixed(0),
  [Op.DEBUG_VALUE]: fixed(0),
};

const ALL_INTS = [8, 16, 32, 64];
const NO_BITS: readonly number[] = [];

/** Scalars of all widths, lanes of some. */
function lanes(...vector: readonly number[]): OpSupport {
  return { scalar: ALL_INTS, vector };
}

const SUPPORT: Readonly<Record<number, OpSupport>> = {
  [Op.MUL]: lanes(8, 16, 32, 64),
  [Op.SDIV]: lanes(),
  [Op.UDIV]: lanes(),
  [Op.SREM]: lanes(),
  [Op.UREM]: lanes(),
  [Op.SHL]: lanes(8, 16, 32, 64),
  [Op.LSHR]: lanes(8, 16, 32, 64),
  [Op.ASHR]: lanes(8, 16, 32, 64),
  [Op.ROTL]: lanes(8, 16, 32, 64),
  [Op.SMULH]: lanes(16, 32),
  [Op.UMULH]: lanes(16, 32),
  [Op.CLZ]: lanes(16, 32, 64),
  [Op.CTZ]: lanes(8, 16, 32, 64),
  [Op.POPCOUNT]: lanes(8, 16, 32, 64),
  [Op.FMA]: { scalar: [32, 64], vector: [32, 64] },
  [Op.FREM]: { scalar: NO_BITS, vector: NO_BITS, libcall: [16, 32, 64] },
  [Op.GATHER]: { scalar: NO_BITS, vector: [32, 64] },
  [Op.SCATTER]: { scalar: NO_BITS, vector: NO_BITS },
  [Op.MASKED_LOAD]: { scalar: NO_BITS, vector: [32, 64] },
  [Op.MASKED_STORE]: { scalar: NO_BITS, vector: [32, 64] },
  [Op.PERMUTE]: { scalar: NO_BITS, vector: [32] },
};

/** x86-64 with AVX2, FMA, F16C and BMI. @public */
export const X64_MACHINE: MachineTarget = {
  name: "x64.3",
  layout: LAYOUT_32,
  registers: {
    vectorBytes: 32,
    vectors: ALLOCATABLE[1]?.length ?? 0,
    scalars: ALLOCATABLE[0]?.length ?? 0,
    maskLaneBytes: 4,
  },
  costs: {
    ops: COSTS,
    // A store, a load, and whatever waits for the load.
    spill: 3,
    // Compare, branch, increment, now and then the look at the cancel word.
    iteration: 3,
    // Other iterations and work-items have used other lines since. An estimate.
    cacheLine: 4,
    // Measured: from 3 on downwards, rows of sparse matrices become gathers, which miss, and take four times as long as
    // row by row; with 6 they do not.
    gatherLane: 5,
    gatherKnownLane: 3,
    // A lane and its address to registers, a test of its bit, a store.
    scatterLane: 5,
    scatterKnownLane: 5,
    // As on WebAssembly, where it was measured: the stores wait for one another, not for instructions.
    atomicLane: 4,
    narrowOps: {
      [Op.MUL]: { 8: 4, 32: 2 },
      [Op.SHL]: { 8: 4 },
      [Op.LSHR]: { 8: 4 },
      [Op.ASHR]: { 8: 4 },
    },
  },
  support: SUPPORT,
  halves: "conversion",
  // vpmovsx and vpmovzx take one step from bytes to 64 bits.
  resizeFactor: 8,
  stack: { alignment: 16, intrinsics: { getStack: GET_STACK, setStack: SET_STACK } },
  limits: {
    // Lanes of bytes fill a register with 32; of ints 16 are two registers already.
    mostLanes: 16,
    // One register of floats.
    subGroupSize: 8,
    // As for WebAssembly; no single measurement determines them.
    twoRegisterInstructions: 160,
    streamInstructions: 32,
    cacheLineBytes: 64,
    predicatedInstructions: 10,
    stridedElements: 8,
    divergentBranches: 256,
    vectorOperations: 1 << 17,
    selectedLanes: 16,
    // A permutation of lanes that are not 32 bits wide is a chain of selections.
    tableBytes: 0,
  },
  unrolling: CAUTIOUS_UNROLLING,
};

/** What is cheaper than with AVX2 where AVX-512 F, VL, BW, DQ and CD are. */
const WIDE_COSTS: Readonly<Record<number, readonly OpCost[]>> = {
  ...COSTS,
  [Op.FPTOSI]: [
    { shape: "vector", bits: 32, perRegister: 5 },
    { shape: "vector", bits: 64, perRegister: 5 },
    { shape: "vector", bits: 16, perRegister: 6 },
    { shape: "vector", bits: 8, perRegister: 6 },
    ...byLane(8),
  ],
  [Op.FPTOUI]: [
    { shape: "vector", bits: 32, perRegister: 2 },
    { shape: "vector", bits: 64, perRegister: 2 },
    { shape: "vector", bits: 16, perRegister: 4 },
    { shape: "vector", bits: 8, perRegister: 4 },
    ...byLane(8),
  ],
  [Op.UITOFP]: perRegister(1),
  [Op.ROTL]: [{ bits: 16, perRegister: 3 }, { bits: 8, perRegister: 5 }, { perRegister: 1 }],
  [Op.MUL]: [
    { shape: "vector", bits: 64, perRegister: 3 },
    { shape: "vector", bits: 8, perRegister: 7 },
    { perRegister: 2 },
  ],
  [Op.CLZ]: [
    { shape: "scalar", fixed: 1 },
    { shape: "vector", bits: 8, perLane: 1 + LANE_MOVE },
    { bits: 16, perRegister: 20 },
    { perRegister: 1 },
  ],
  [Op.SHUFFLE]: [{ bits: 8, perRegister: 4 }, { perRegister: 1.5 }],
  [Op.PERMUTE]: [{ bits: 8, perLane: 4 }, { perRegister: 2 }],
};

/** x86-64 with AVX-512 F, VL, BW, DQ and CD besides. */
export const X64_WIDE_MACHINE: MachineTarget = {
  ...X64_MACHINE,
  name: "x64.4",
  registers: {
    ...X64_MACHINE.registers,
    vectorBytes: 64,
    vectors: WIDE_ALLOCATABLE[1]?.length ?? 0,
    maskLaneBytes: 0,
  },
  costs: {
    ...X64_MACHINE.costs,
    ops: WIDE_COSTS,
    scatterLane: 2,
    scatterKnownLane: 2,
  },
  support: {
    ...SUPPORT,
    [Op.SCATTER]: { scalar: NO_BITS, vector: [32, 64] },
    [Op.MASKED_LOAD]: { scalar: NO_BITS, vector: ALL_INTS },
    [Op.MASKED_STORE]: { scalar: NO_BITS, vector: ALL_INTS },
    [Op.PERMUTE]: { scalar: NO_BITS, vector: [16, 32, 64] },
  },
};
