// SPDX-License-Identifier: Apache-2.0
// WebAssembly, as V8 runs it on x86-64, as a MachineTarget. Native widths come from the generator's own instruction
// tables; every other number has its source or its reason next to it. Costs are estimates by the instructions that V8
// writes; where one was measured, its comment names the measurement.
import { LAYOUT_32, LOCAL, Op } from "@muxkit/ir";
import { CAUTIOUS_UNROLLING, type MachineTarget, type OpCost, type OpSupport } from "@muxkit/machine-target";

import { GET_STACK, SET_STACK } from "./intrinsics.ts";
import { SCALAR } from "./scalar.table.ts";
import { SIMD_COMPARES, SIMD_OPS, SIMD_SHIFTS } from "./simd.table.ts";

/** A call: arguments to their registers, the spills around it, and the callee's frame. An estimate. */
const CALL = 20;
/** `extract_lane` and `replace_lane`: `pextrd` and `pinsrd`, one each. */
const LANE_MOVE = 2;

/** An op that V8 has no vector instruction for: each lane is extracted, computed as a scalar, and inserted. */
function byLane(scalar: number): readonly OpCost[] {
  return [
    { shape: "scalar", fixed: scalar },
    { shape: "vector", perLane: scalar + LANE_MOVE },
  ];
}

/** A shift: one instruction for one amount, else each lane as a scalar, with two lanes to extract. */
const SHIFT: readonly OpCost[] = [{ shape: "vector", amounts: "own", perLane: 2 + LANE_MOVE }, { perRegister: 1 }];

/**
 * `i8x16.popcnt` is eight instructions without AVX-512 (two table look-ups of halves of bytes), and sums of neighbours
 * make it that of wider lanes. Numbers of 64 bits are counted one by one.
 */
function bitCount(more: number): readonly OpCost[] {
  return [
    { shape: "vector", bits: 8, perRegister: 8 + more },
    { shape: "vector", bits: 16, perRegister: 9 + more },
    { shape: "vector", bits: 32, perRegister: 10 + more },
    ...byLane(1),
  ];
}

function perRegister(cost: number): readonly OpCost[] {
  return [{ perRegister: cost }];
}

function fixed(cost: number): readonly OpCost[] {
  return [{ fixed: cost }];
}

/**
 * In local memory only one thread works, so an atomic op there is a load and a store; elsewhere it is a locked access.
 */
const ATOMIC: readonly OpCost[] = [{ addressSpace: LOCAL, fixed: 3 }, { fixed: CALL }];

/**
 * idiv takes 20 and more cycles and the IR's divisions are total, with tests for 0 and -1. Lanes of 32 bits go through
 * doubles: two divisions, and conversions around them.
 */
const DIVISION: readonly OpCost[] = [{ shape: "vector", bits: 32, perRegister: 28 }, ...byLane(20)];

const OP_COSTS: Readonly<Record<number, readonly OpCost[]>> = {
  // divps and sqrtps have several times the latency of mulps, and are not pipelined as it is. An estimate.
  [Op.FDIV]: perRegister(6),
  [Op.FSQRT]: perRegister(6),
  // WebAssembly saturates and returns 0 for NaN, which cvttps2dq does not: compares and blends around it.
  [Op.FPTOSI]: perRegister(2),
  [Op.FPTOUI]: perRegister(3),
  // x86-64 converts signed ints only: V8 puts halves together.
  [Op.UITOFP]: perRegister(2),
  // minps has other zeros and NaNs than IEEE 754-2019 minimum: V8 writes compares and blends.
  [Op.FMIN]: perRegister(3),
  [Op.FMAX]: perRegister(3),
  // SIMD128 has no rotation: two shifts and an or.
  [Op.ROTL]: [{ shape: "vector", amounts: "own", perLane: 2 + LANE_MOVE }, { perRegister: 3 }],
  [Op.SHL]: SHIFT,
  [Op.LSHR]: SHIFT,
  [Op.ASHR]: SHIFT,
  // i64x2.mul is three pmuludq with shifts and adds; pmulld has two steps.
  [Op.MUL]: [{ shape: "vector", bits: 64, perRegister: 8 }, { perRegister: 1.5 }],
  [Op.SDIV]: DIVISION,
  [Op.UDIV]: DIVISION,
  [Op.SREM]: DIVISION,
  [Op.UREM]: DIVISION,
  [Op.CLZ]: byLane(1),
  // The bits below the lowest set bit are counted.
  [Op.CTZ]: bitCount(2),
  [Op.POPCOUNT]: bitCount(0),
  // A comparison, of unsigned numbers with their signs turned, and a selection.
  [Op.SMIN]: [{ shape: "vector", bits: 64, perRegister: 4 }, { perRegister: 1 }],
  [Op.SMAX]: [{ shape: "vector", bits: 64, perRegister: 4 }, { perRegister: 1 }],
  [Op.UMIN]: [{ shape: "vector", bits: 64, perRegister: 6 }, { perRegister: 1 }],
  [Op.UMAX]: [{ shape: "vector", bits: 64, perRegister: 6 }, { perRegister: 1 }],
  [Op.SMULH]: byLane(2),
  [Op.UMULH]: byLane(2),
  // A function of the library.
  [Op.FREM]: byLane(30),
  // A masked store is a branch on the mask, for whole vectors, and lanes one by one where the mask is mixed.
  [Op.MASKED_STORE]: [{ fixed: 4, perRegister: 1 }],
  [Op.MASKED_LOAD]: perRegister(2),
  [Op.BUILD]: [{ perLane: 1 }],
  [Op.EXTRACT]: fixed(1),
  [Op.INSERT]: fixed(1),
  [Op.SPLAT]: fixed(1),
  // i8x16.shuffle of two registers is two pshufb and an or, one of them often needless.
  [Op.SHUFFLE]: perRegister(2),
  // i8x16.swizzle with indices scaled to bytes.
  [Op.PERMUTE]: perRegister(4),
  // v128.any_true and all_true: ptest and setcc.
  [Op.ANY]: fixed(2),
  [Op.ALL]: fixed(2),
  [Op.CALL]: fixed(CALL),
  [Op.ATOMIC_RMW]: ATOMIC,
  [Op.ATOMIC_COMPARE_EXCHANGE]: ATOMIC,
  // The target of a plain branch mostly comes next.
  [Op.BR]: fixed(0),
  [Op.DEBUG_VALUE]: fixed(0),
};

const SCALAR_BITS = [32, 64, 32, 64];
const LANE_BITS = [8, 16, 32, 64, 32, 64];

/** Bits of the columns that have an instruction. */
function widths(row: readonly number[] | undefined, bits: readonly number[]): readonly number[] {
  return (row ?? []).flatMap((code, i) => (code === 0 ? [] : [bits[i] ?? 0]));
}

/** What the instruction tables hold, by op. */
function tableSupport(): Record<number, OpSupport> {
  const vectors = { ...SIMD_OPS, ...SIMD_SHIFTS, ...SIMD_COMPARES };
  const ops = new Set([...Object.keys(SCALAR), ...Object.keys(vectors)].map(Number));
  return Object.fromEntries(
    [...ops].map((op) => [op, { scalar: widths(SCALAR[op], SCALAR_BITS), vector: widths(vectors[op], LANE_BITS) }]),
  );
}

const TABLES = tableSupport();
const NO_BITS: readonly number[] = [];

/**
 * The machine of an engine with these features, as `generateModule` takes them: `relaxed-simd`, `fused-madd`, `fp16`
 * (it converts halves), `revectorize` (it joins neighbouring vectors of 16 bytes to one of 32).
 *
 * @public
 */
export function wasmMachine(features: readonly string[]): MachineTarget {
  const fused = features.includes("fused-madd") && features.includes("relaxed-simd") ? [32, 64] : NO_BITS;
  return {
    name: "wasm",
    layout: LAYOUT_32,
    registers: {
      // v128, or the two that V8 joins to a ymm register.
      vectorBytes: features.includes("revectorize") ? 32 : 16,
      // V8, src/codegen/x64/register-x64.h, ALLOCATABLE_DOUBLE_REGISTERS: xmm0 to xmm14; xmm15 is its scratch register.
      vectors: 15,
      // The same file, ALLOCATABLE_GENERAL_REGISTERS: without rsp, rbp, r10 (scratch), r13 (roots).
      scalars: 12,
      // A mask is a v128 with lanes of all ones, mostly as wide as the floats and ints that were compared.
      maskLaneBytes: 4,
    },
    costs: {
      ops: OP_COSTS,
      // A store, a load, and whatever waits for the load.
      spill: 3,
      // Compare, branch, increment, now and then the poll of the cancel word, which is a call to V8.
      iteration: 4,
      // Other iterations and work-items have used other lines since. An estimate.
      cacheLine: 4,
      // Extract the address, load, insert: measured in loops of look-ups. Loads of single work-items wait as long.
      gatherLane: 4,
      gatherKnownLane: 3,
      scatterLane: LANE_MOVE + 1,
      scatterKnownLane: LANE_MOVE + 1,
      // Lanes update counters one right after the other, and often wait for each other's stores: 1.7 ns each in a
      // histogram in local memory, where work-items alone take 1.15 ns, with what is between their updates.
      atomicLane: 4,
      narrowOps: {
        // pmulld is two uops.
        [Op.MUL]: { 32: 2 },
        // x86-64 has no shifts of bytes: V8 shifts shorts and masks.
        [Op.SHL]: { 8: 2 },
        [Op.LSHR]: { 8: 2 },
        [Op.ASHR]: { 8: 2 },
      },
    },
    support: {
      ...TABLES,
      // Relaxed SIMD: rounds once or twice, at the engine's choice; `fused-madd` is an engine that rounds once.
      [Op.FMA]: { scalar: fused, vector: fused, libcall: fused.length === 0 ? [32, 64] : NO_BITS },
      [Op.FREM]: { scalar: NO_BITS, vector: NO_BITS, libcall: [16, 32, 64] },
      // Products of 32 bits and less fit i64.mul.
      [Op.SMULH]: { scalar: NO_BITS, vector: NO_BITS, libcall: [64] },
      [Op.UMULH]: { scalar: NO_BITS, vector: NO_BITS, libcall: [64] },
      [Op.GATHER]: { scalar: NO_BITS, vector: NO_BITS },
      [Op.SCATTER]: { scalar: NO_BITS, vector: NO_BITS },
      [Op.MASKED_LOAD]: { scalar: NO_BITS, vector: NO_BITS },
      [Op.MASKED_STORE]: { scalar: NO_BITS, vector: NO_BITS },
      // i8x16.swizzle.
      [Op.PERMUTE]: { scalar: NO_BITS, vector: [8] },
    },
    // The half-precision proposal (f16x8) is behind a flag in V8. Its arithmetic takes AVX-512 to be fast, its
    // conversions F16C.
    halves: features.includes("fp16") ? "conversion" : "none",
    // i16x8.extend_i8x16, i8x16.narrow_i16x8: one step doubles or halves.
    resizeFactor: 2,
    // The entry of a kernel starts the stack at a multiple of a v128.
    stack: { alignment: 16, intrinsics: { getStack: GET_STACK, setStack: SET_STACK } },
    limits: {
      // Sixteen lanes of bytes are one register, of ints four: longer vectors spill in any loop.
      mostLanes: 16,
      // Two registers of floats.
      subGroupSize: 8,
      // Thresholds tuned by hand; no single measurement determines them.
      twoRegisterInstructions: 160,
      streamInstructions: 32,
      // x86-64 and most of AArch64.
      cacheLineBytes: 64,
      // About what a branch costs that is mispredicted every other time. An estimate.
      predicatedInstructions: 10,
      // A shuffle of two registers picks a lane from eight elements; beyond that each lane needs a load of its own.
      stridedElements: 8,
      // 500 divergent branches took 2.9 s to vectorise, six times as long as straight code of that size.
      divergentBranches: 256,
      // About a megabyte of WebAssembly, which V8 optimises in 1.5 s and 100 MB.
      vectorOperations: 1 << 17,
      // Four levels of selects.
      selectedLanes: 16,
      // Four registers, each one i8x16.swizzle.
      tableBytes: 64,
    },
    // Four elements of a row that a lane reads are one load, and a transposition of registers.
    unrolling: { ...CAUTIOUS_UNROLLING, rowCopies: 4, copiedInstructions: 200 },
  };
}

/** WebAssembly as every supported engine has it: SIMD128, no relaxed instructions. @public */
export const WASM_MACHINE: MachineTarget = wasmMachine([]);
