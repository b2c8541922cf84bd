// SPDX-License-Identifier: Apache-2.0
// MachineTarget: everything that lowering and vectorisation know about a machine. A code generator exports one.
import type { AddressSpace, DataLayout } from "@muxkit/ir";

/**
 * Registers that values may be kept in, as the code generator's allocator hands them out.
 *
 * @public
 */
export interface RegisterFile {
  /** Bytes of a vector register: a power of two. */
  readonly vectorBytes: number;
  /** Vector registers that can be allocated. Scalar floats are kept in them too. */
  readonly vectors: number;
  /** Scalar registers that can be allocated: whole numbers and pointers. */
  readonly scalars: number;
  /**
   * Bytes that a lane of a mask (a vector of i1) takes in a vector register. 0: masks have a register file of their own
   * (AVX-512, SVE) and never compete with vectors.
   */
  readonly maskLaneBytes: number;
}

/** Whether the lanes of a shift or rotation have amounts of their own, or one. @public */
export type Amounts = "own" | "one";

/**
 * What an op costs on some operands: `fixed` + `perRegister` × vector registers (1 for a scalar) + `perLane` × lanes.
 * The unit is one simple vector instruction. Absent members are 0, absent conditions hold always.
 *
 * @public
 */
export interface OpCost {
  /** Condition: the value is a vector, or is none. */
  readonly shape?: "vector" | "scalar";
  /** Condition: bits of the value, or of its lanes. */
  readonly bits?: number;
  /** Condition: address space of the pointer that is accessed. */
  readonly addressSpace?: AddressSpace;
  /** Condition: the amounts of a shift or rotation. */
  readonly amounts?: Amounts;
  /** Cost of an execution, however many lanes there are. */
  readonly fixed?: number;
  /** Cost of each vector register that the value fills. */
  readonly perRegister?: number;
  /** Cost of each lane. */
  readonly perLane?: number;
}

/**
 * The cost table. It compares variants of one function on one machine; the numbers mean nothing else.
 *
 * @public
 */
export interface OpCosts {
  /**
   * Costs by op; the first entry whose conditions hold is used. An op without an entry costs 1 a register. For memory
   * ops the value is what is read or written.
   */
  readonly ops: Readonly<Record<number, readonly OpCost[]>>;
  /** A vector that is written to the stack and read again because no register is free. */
  readonly spill: number;
  /** The back edge of a loop, in each iteration: compare, branch, now and then the poll for cancellation. */
  readonly iteration: number;
  /** A line of the cache that a loop returns to in each iteration. */
  readonly cacheLine: number;
  /** One lane of a gather: extract the address, load, insert the lane. */
  readonly gatherLane: number;
  /** One lane of a gather without mask whose addresses are constant distances apart: no address is computed. */
  readonly gatherKnownLane: number;
  /** One lane of a scatter. */
  readonly scatterLane: number;
  /** One lane of a scatter whose addresses are constant distances apart. */
  readonly scatterKnownLane: number;
  /** An atomic operation of one lane of several, in addition to what it costs a work-item that runs alone. */
  readonly atomicLane: number;
  /**
   * Instructions for one register of lanes of so many bits, where it is not one: what bit-width narrowing weighs. They
   * count instructions; `ops` weighs latency too.
   */
  readonly narrowOps: Readonly<Record<number, Readonly<Record<number, number>>>>;
}

/**
 * Which widths of an op the machine computes with one instruction.
 *
 * @public
 */
export interface OpSupport {
  /** Bits of scalars. */
  readonly scalar: readonly number[];
  /** Bits of lanes of vectors. Empty: the code generator writes a sequence, or works lane by lane. */
  readonly vector: readonly number[];
  /**
   * Bits that the code generator does not take in any shape: libcall expansion replaces them before. Absent: it takes
   * all, if need be by a sequence of instructions.
   */
  readonly libcall?: readonly number[];
}

/**
 * What the machine does with binary16.
 *
 * - `none`: it has no instruction for it, `lower-half` writes everything with integers and binary32
 * - `conversion`: it converts vectors and scalars between binary16 and binary32, `lower-half` computes in binary32
 * - `arithmetic`: it computes in binary16, `lower-half` has nothing to do (the data layout has `nativeF16`)
 *
 * @public
 */
export type HalfSupport = "none" | "conversion" | "arithmetic";

/** Names of functions that the code generator replaces by instructions. @public */
export interface FunctionIntrinsics {
  /** `() -> address`: reads the pointer of the private stack. */
  readonly getStack: string;
  /** `(address) -> void`: sets it; called in the entry block of what a thread calls first. */
  readonly setStack: string;
}

/** The stack for private variables. @public */
export interface PrivateStack {
  /** Bytes that the stack pointer is always a multiple of. */
  readonly alignment: number;
  /** How IR reads and sets the stack pointer. */
  readonly intrinsics: FunctionIntrinsics;
}

/** What lowering decides by the machine, besides costs. @public */
export interface LoweringLimits {
  /** Most work-items that one vector of the work-item loop runs. */
  readonly mostLanes: number;
  /** Work-items of a sub-group, where a kernel does not require a size. */
  readonly subGroupSize: number;
  /**
   * A function of up to so many instructions is vectorised over two registers, whose independent work hides latencies;
   * beyond it the second one only adds pressure.
   */
  readonly twoRegisterInstructions: number;
  /** A function of up to so many instructions that only moves data is vectorised over a whole line of the cache. */
  readonly streamInstructions: number;
  /** Bytes of a line of the cache. */
  readonly cacheLineBytes: number;
  /**
   * Instructions of divergent blocks without effects that are predicated: executed for no lane rather than branched
   * around. What a branch costs that is mispredicted now and then.
   */
  readonly predicatedInstructions: number;
  /** Most elements that wide loads read for each one that is used, before lanes are gathered instead. */
  readonly stridedElements: number;
  /**
   * Most branches at which lanes part in a function that is vectorised. Values are chosen anew wherever lanes meet, so
   * the code grows with the square of such branches.
   */
  readonly divergentBranches: number;
  /** Most operations on single vector registers that a vectorised function may come to. */
  readonly vectorOperations: number;
  /** Most lanes that a shuffle by a varying lane is written for with selects; beyond it goes through memory. */
  readonly selectedLanes: number;
  /** Largest table in constant memory, in bytes, whose elements lanes pick by a permutation. 0: none. */
  readonly tableBytes: number;
}

/** How far loops without a hint of the source are unrolled. @public */
export interface UnrollingLimits {
  /** Most instructions of a loop that is unrolled fully. */
  readonly instructions: number;
  /** The same for loops that index a private variable, whose elements become values then. */
  readonly arrayInstructions: number;
  /** Largest trip count of a loop that is unrolled fully. */
  readonly iterations: number;
  /** Copies that a loop with another trip count gets, constant or not; 1: it stays as it is. */
  readonly copies: number;
  /** The same for loops in which each work-item reads a row of its own, whose elements are then read together. */
  readonly rowCopies: number;
  /** Most instructions of all these copies. */
  readonly copiedInstructions: number;
  /** The same for rounds of rounds of copies, of small loops; absent: there are none. */
  readonly roundInstructions?: number;
}

/** Which kernels get a form in which a thread does several work-items. @public */
export interface CoarseningLimits {
  /** Most work-items of a thread, a power of two. */
  readonly items: number;
  /** Most bytes that the items of a thread access together. */
  readonly bytes: number;
  /** Most instructions of a kernel. */
  readonly instructions: number;
}

/**
 * A machine as the passes see it. It is data: a test can invent one, and a report can print it.
 *
 * @public
 */
export interface MachineTarget {
  /** Name for reports, for example `wasm`. */
  readonly name: string;
  /** Sizes of types, pointers included; the layout of every module for this machine. */
  readonly layout: DataLayout;
  /** Its registers. */
  readonly registers: RegisterFile;
  /** Its costs. */
  readonly costs: OpCosts;
  /**
   * Ops that are not native in every width, by op. An op without an entry is native for every scalar and every lane.
   */
  readonly support: Readonly<Record<number, OpSupport>>;
  /** binary16. */
  readonly halves: HalfSupport;
  /**
   * By how much one instruction changes the width of integer lanes: 2 where bytes become ints in two steps
   * (WebAssembly, SSE2), 8 where one instruction does any of them (`vpmovzx`).
   */
  readonly resizeFactor: number;
  /** The private stack. */
  readonly stack: PrivateStack;
  /** Widths and sizes that lowering chooses. */
  readonly limits: LoweringLimits;
  /** How far loops are unrolled. */
  readonly unrolling: UnrollingLimits;
  /** Which kernels get a form for several work-items a thread; absent: none. */
  readonly coarsening?: CoarseningLimits;
}
