// SPDX-License-Identifier: Apache-2.0
// Entry of the vectoriser: whole-function vectorisation of SPMD code (Karrenberg and Hack, "Whole-Function
// Vectorization", CGO 2011). A function for one work-item becomes a function for several, one lane each; the source is
// not changed.
//
//   f(x, p)                                   f.v8(x, p)            x: id of lane 0
//     %v = load p[x]                            %v = load p[x..x+7]: <8 x f32>
//     cond_br %v < 0, ^neg, ^end        =>      %m = flt %v, 0: <8 x i1>
//     ^neg: store -%v, p[x]                     masked_store -%v, p[x..x+7], %m
//
// Phases: clone and normalise (normalize.ts), narrow integers (narrow.ts), choose interleaved variables
// (interleave.ts), analyse divergence (divergence.ts), combine accesses (combine.ts); refuse what has no vector variant
// (refusal.table.ts); find assumptions for a tested variant (assumptions.ts); write the general and the tested variant:
// layout of vectors (vector-layout.ts), control flow (linearize.ts), instructions (packetize.ts), SSA repair
// (repair.ts), loop distribution (split-loops.ts), cost estimate (cost.ts). Cost: dominated by divergence analysis,
// nearly linear.
import {
  type Block,
  type Builder,
  Builder as FunctionBuilder,
  I1,
  type Instruction,
  IrFunction,
  Op,
  Parameter,
  type Value,
  VOID,
  cloneFunction,
  constantInt,
  F16,
  F32,
  laneCount,
  loops,
  scalarOf,
  sizeOf,
  vectorType,
  MAX_VECTOR_LANES,
} from "@muxkit/ir";

import type { MachineTarget } from "@muxkit/machine-target";

import type { AccessKind } from "./access.table.ts";
import { type AssumedShapes, type Assumptions, NO_ASSUMPTIONS, findAssumptions, writerOf } from "./assumptions.ts";
import { haveReach } from "./assumption-reach.ts";
import { combineAccesses } from "./combine.ts";
import { costOfLines, costsOf } from "./cost.ts";
import type { OperationCosts } from "./operation-costs.ts";
import { Divergence, type ParameterFacts } from "./divergence.ts";
import { wideValues } from "./vector-layout.ts";
import { takeBulkAccessesApart } from "./bulk-accesses.ts";
import { interleavedVariables } from "./interleave.ts";
import { Linearizer } from "./linearize.ts";
import { narrowIntegers } from "./narrow.ts";
import { normalize } from "./normalize.ts";
import { Packetizer, type VectorCall } from "./packetize.ts";
import { Packets } from "./packets.ts";
import type { Refusal } from "./refusal.table.ts";
import { repairDominance } from "./repair.ts";
import { splitLoops } from "./split-loops.ts";

/** How to vectorise a function. @public */
export interface VectorizeRequest {
  /** Lanes: 2, 4, 8 or 16; of sub-groups 32 or 64 too. */
  readonly width: number;
  /** The machine that code is generated for. Its data layout is that of the module. */
  readonly machine: MachineTarget;
  /** Dimension that work-item queries are vectorised in. */
  readonly axis: number;
  /**
   * Parameters that differ from lane to lane, or have known zero bits, by position. The others are the same for all
   * lanes.
   */
  readonly parameters: ReadonlyMap<number, ParameterFacts>;
  /**
   * Finds the vector variant of a callee that takes some of its arguments as vectors, the others uniform; null: it is
   * called once a lane.
   */
  readonly vectorCall: (callee: IrFunction, vectors: readonly boolean[], isMasked: boolean) => VectorCall | null;
  /** True: the function gets one more parameter, the mask of the lanes that are on. */
  readonly isMasked: boolean;
  /** True: the result is a vector even when it is the same for all lanes. */
  readonly returnsVector: boolean;
  /** True: the lanes are a sub-group, and group operations are done among them. */
  readonly isSubGroup: boolean;
  /** True: a second variant is made for vectors that pass a test. */
  readonly isTested: boolean;
  /** Name of the vector function. */
  readonly name: string;
}

/** How one memory access was vectorised. @public */
export interface AccessRemark {
  /** The load or store of the source function. */
  readonly instruction: Instruction;
  /** The kind of access for all lanes. */
  readonly kind: AccessKind;
}

/** A function for several work-items. @public */
export interface Vectorized {
  /** The function, which is in no module yet. */
  readonly fn: IrFunction;
  /** Lanes. */
  readonly width: number;
  /** How its memory accesses were vectorised. */
  readonly accesses: readonly AccessRemark[];
  /** The most loops that loop distribution made of one; 1: none was split. */
  readonly parts: number;
  /** Estimated cost of one execution, in simple vector instructions. */
  readonly cost: number;
  /** The part of it that spills cause. */
  readonly spilled: number;
  /** The operations that it comes from. */
  readonly operations: OperationCosts;
  /** Loops that lanes leave in different iterations: an instruction with a location in each, the outermost first. */
  readonly divergentLoops: readonly Instruction[];
  /** Cost of cache lines in addition, once for all lanes; the source function pays it for each work-item. */
  readonly lines: number;
}

/** The variants of one function. @public */
export interface VectorVariants {
  /** For any lanes. */
  readonly general: Vectorized;
  /** For lanes that pass a test, without the masks that it makes needless; null: a test would gain nothing. */
  readonly tested: TestedVariant | null;
}

/** A variant for lanes that pass a test. The values that are written with are those of its parameters. @public */
export interface TestedVariant extends Vectorized {
  /** Writes the test; the result is an i1. */
  readonly writeTest: (builder: Builder, values: readonly Value[]) => Value;
  /**
   * Writes a number of work-items of a row that pass the test, from a first vector on that passes it; where numbers
   * end, it may be less than there are lanes. Null: it is not known, and each vector is tested.
   */
  readonly writeReach: ((builder: Builder, values: readonly Value[]) => Value | null) | null;
}

/** Result of {@link vectorize}: variants, or the reason why there are none. @public */
export type VectorizeResult =
  | { readonly ok: true; readonly variants: VectorVariants }
  | { readonly ok: false; readonly refusal: Refusal; readonly instruction: Instruction | null };

function refuse(
  refusal: Refusal,
  instruction: Instruction | null = null,
): Extract<VectorizeResult, { readonly ok: false }> {
  return { ok: false, refusal, instruction };
}

/**
 * An instruction of a block with a source location, as near to its end as possible: the first ones may have been moved
 * there from elsewhere.
 */
function locationIn(block: Block): Instruction {
  return block.instructions.findLast(({ location }) => location !== null) ?? block.terminator;
}

/** The source location of a loop without an exit. */
function endlessLocation({ forest, postdominators }: Divergence): Instruction | null {
  const loop = forest.loops.find(({ header }) => !postdominators.leads(header));
  return loop === undefined ? null : locationIn(loop.header);
}

/** A function that is ready to be vectorised, with its analyses. */
export interface Prepared {
  readonly ok: true;
  /** A normalised copy. */
  readonly fn: IrFunction;
  readonly divergence: Divergence;
  /** Variables whose elements are interleaved lane by lane. */
  readonly interleaved: ReadonlySet<Value>;
  readonly analyse: (assumed: AssumedShapes) => Divergence;
  /** The same for whole rows: without what is known of a vector's first lane. */
  readonly analyseRow: (assumed: AssumedShapes) => Divergence;
}

/** Normalises a copy of a function and analyses it, or refuses it. */
export function prepare(
  source: IrFunction,
  request: VectorizeRequest,
): Prepared | Extract<VectorizeResult, { readonly ok: false }> {
  const fn = cloneFunction(source, source.name);
  const exit = normalize(fn);
  if (exit === null) return refuse("control that never returns", locationIn(loops(fn).loops[0]?.header ?? fn.entry));
  // The analysis of so many branches would take long, too.
  if (forksOf(fn.blocks) > request.machine.limits.divergentBranches * UNIFORM_FORKS)
    return refuse("too many divergent branches");
  takeBulkAccessesApart(fn, request.machine.layout);
  narrowIntegers(fn, request.machine);
  const parameters = new Map<Parameter, ParameterFacts>();
  for (const [index, facts] of request.parameters) {
    const parameter = fn.parameters[index];
    if (parameter !== undefined) parameters.set(parameter, facts);
  }
  const interleaved = interleavedVariables(fn, request.machine.layout);
  const analyseWith =
    (facts: ReadonlyMap<Parameter, ParameterFacts>) =>
    (assumed: AssumedShapes): Divergence =>
      new Divergence(fn, exit, {
        width: request.width,
        layout: request.machine.layout,
        axis: request.axis,
        parameters: facts,
        assumed,
        interleaved,
        isSubGroup: request.isSubGroup,
      });
  const analyse = analyseWith(parameters);
  const analyseRow = analyseWith(
    new Map([...parameters].map(([parameter, { shape }]) => [parameter, { shape, lowZeros: 0 }])),
  );
  let divergence = analyse(NO_ASSUMPTIONS);
  if (!divergence.isTractable) return refuse("control that never returns", endlessLocation(divergence));
  if (combineAccesses(divergence, request.machine.layout, request.width)) divergence = analyse(NO_ASSUMPTIONS);
  const returned = fn.returnType === VOID ? 0 : laneCount(fn.returnType);
  if (
    returned * request.width > MAX_VECTOR_LANES &&
    (request.returnsVector || divergence.shapeAt(exit.terminator.operands[0] ?? constantInt(I1, 0), exit) !== 0)
  )
    return refuse("a vector of too many lanes", exit.terminator);
  const unfit = unfitValue(divergence, request.width) ?? unfitSize(divergence, request);
  return unfit ?? { ok: true, fn, divergence, interleaved, analyse, analyseRow };
}

/** Makes the vector variants of a function, which is not changed. The new functions are in no module yet. @public */
export function vectorize(source: IrFunction, request: VectorizeRequest): VectorizeResult {
  const prepared = prepare(source, request);
  if (!prepared.ok) return prepared;
  const { fn, divergence, analyse } = prepared;
  // A test is computed for lane 0. A varying parameter is a vector even where nothing depends on it: the two values of
  // a select may be equal.
  const isOne = (parameter: Parameter): boolean => divergence.shapeOf(parameter) !== null;
  const assumptions = request.isTested
    ? findAssumptions(divergence, request.width, analyse, { isKnown: isOne, areBlocksSplit: true })
    : null;
  const general = write(fn, divergence, request, { name: request.name, known: new Map() });
  const tested = assumptions === null ? null : testedVariant(prepared, assumptions, request);
  return { ok: true, variants: { general, tested: (tested?.cost ?? Infinity) < general.cost ? tested : null } };
}

function testedVariant(
  { fn, analyse, analyseRow }: Prepared,
  assumptions: Assumptions,
  request: VectorizeRequest,
): TestedVariant {
  const made = write(fn, analyse(assumptions.assumed), request, {
    name: `${request.name}.tested`,
    known: assumptions.known,
  });
  const isFar = haveReach(assumptions.list, analyseRow(assumptions.assumed));
  return {
    ...made,
    writeTest: writerOf(assumptions.write, fn),
    writeReach: isFar ? writerOf(assumptions.writeReach, fn) : null,
  };
}

/** The first value that no vector can hold. */
function unfitValue(divergence: Divergence, width: number): Extract<VectorizeResult, { readonly ok: false }> | null {
  if (
    divergence.fn.parameters.some(
      (parameter) => divergence.shapeOf(parameter) === null && laneCount(parameter.type) * width > MAX_VECTOR_LANES,
    )
  )
    return refuse("a vector of too many lanes");
  for (const block of divergence.fn.blocks) {
    for (const instruction of block.instructions) {
      if (instruction.type === VOID || divergence.shapeOf(instruction) !== null) continue;
      const { kind } = scalarOf(instruction.type);
      // The language has no vectors of pointers; only this package makes them.
      const isPointers = kind === "pointer" && laneCount(instruction.type) > 1;
      if ((kind !== "int" && kind !== "float" && kind !== "pointer") || isPointers)
        return refuse("a value of a type without vectors", instruction);
      if (laneCount(instruction.type) * width > MAX_VECTOR_LANES)
        return refuse("a vector of too many lanes", instruction);
    }
  }
  return null;
}

/** How many branches with two targets the terminators of blocks come to. */
function forksOf(blocks: Iterable<Block>): number {
  let count = 0;
  for (const { terminator } of blocks) count += Math.max(0, terminator.successors.length - 1);
  return count;
}

/** Branches of any kind that are allowed for each divergent one. */
const UNIFORM_FORKS = 4;

/** Operations on vectors of binary32 that rounding and converting make of one on halves. An estimate. */
const HALF_OPERATIONS = 12;

/** Refuses what would become too large. */
function unfitSize(
  divergence: Divergence,
  { width, machine }: VectorizeRequest,
): Extract<VectorizeResult, { readonly ok: false }> | null {
  const { limits, registers, halves, layout } = machine;
  if (forksOf(divergence.branches) > limits.divergentBranches)
    return refuse("too many divergent branches", [...divergence.branches][0]?.terminator ?? null);
  let operations = 0;
  for (const block of divergence.fn.blocks) {
    for (const instruction of block.instructions) {
      if (instruction.type === VOID || divergence.shapeOf(instruction) !== null) continue;
      const scalar = scalarOf(instruction.type);
      const isWidened = scalar === F16 && halves !== "arithmetic";
      const bytes = laneCount(instruction.type) * width * sizeOf(layout, isWidened ? F32 : scalar);
      operations += Math.ceil(bytes / registers.vectorBytes) * (isWidened && halves === "none" ? HALF_OPERATIONS : 1);
      if (operations > limits.vectorOperations) return refuse("too much code", instruction);
    }
  }
  return null;
}

/** The name of a variant, and conditions that are known where it runs. */
interface VariantSettings {
  readonly name: string;
  readonly known: ReadonlyMap<Instruction, boolean>;
}

function write(
  fn: IrFunction,
  divergence: Divergence,
  request: VectorizeRequest,
  { name, known }: VariantSettings,
): Vectorized {
  const { width } = request;
  const isVarying = divergence.fn.blocks.some(
    (block) =>
      block.terminator.op === Op.RET &&
      block.terminator.operands.some((value) => divergence.shapeAt(value, block) !== 0),
  );
  const returnType =
    fn.returnType !== VOID && (isVarying || request.returnsVector)
      ? vectorType(scalarOf(fn.returnType), laneCount(fn.returnType) * width)
      : fn.returnType;
  const out = new IrFunction(
    name,
    returnType,
    fn.parameters.map((parameter) => ({
      name: parameter.name,
      type:
        divergence.shapeOf(parameter) === null
          ? vectorType(scalarOf(parameter.type), laneCount(parameter.type) * width)
          : parameter.type,
    })),
  );
  out.inline = fn.inline;
  out.convention = fn.convention;
  const builder = new FunctionBuilder(out.addBlock("entry"));
  const packets = new Packets(builder, divergence, width, wideValues(divergence, width), request.machine);
  const accesses: AccessRemark[] = [];
  const packetizer = new Packetizer(packets, {
    layout: request.machine.layout,
    vectorCall: request.vectorCall,
    note: (instruction, kind) => accesses.push({ instruction, kind }),
    known,
  });
  fn.parameters.forEach((parameter, i) => {
    const own = out.parameters[i];
    if (own === undefined) return;
    if (divergence.shapeOf(parameter) === null) packets.setFlat(parameter, own);
    else packets.setFirst(parameter, own);
  });
  let mask: Value | null = null;
  if (request.isMasked) mask = addMask(out, width);
  const linearizer = new Linearizer(packetizer, out);
  linearizer.write(mask);
  repairDominance(out, linearizer.tests);
  const parts = splitLoops(out, request.machine);
  const neighbours = accesses.flatMap(({ instruction, kind }) => (kind === "contiguous" ? [instruction] : []));
  const { all, spilled, operations } = costsOf(out, request.machine, {
    chances: linearizer.chances,
    rare: packetizer.rare,
  });
  return {
    fn: out,
    width,
    accesses,
    parts,
    cost: all,
    spilled,
    operations,
    divergentLoops: [...divergence.loops].map(({ header }) => locationIn(header)),
    lines: costOfLines(divergence.forest, neighbours, request.machine),
  };
}

function addMask(out: IrFunction, width: number): Value {
  const mask = new Parameter(vectorType(I1, width), "mask", null, out);
  out.parameters.push(mask);
  return mask;
}
