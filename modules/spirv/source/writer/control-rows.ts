// SPDX-License-Identifier: Apache-2.0
// Branches, calls, returns of kernels. Control flow is written as it is: kernels need no structure, so merge
// instructions only carry what the source says of unrolling.
import { type Block, I64, type Instruction, type IrFunction, Op, UNROLL_FULLY, type Value, loops } from "@muxkit/ir";

import { enumerant } from "../grammar/tables.ts";
import type { FunctionWriter, RowTable, RowWriter } from "./function-writer.ts";
import { written } from "./written.ts";

const LOOP_MERGE = written("OpLoopMerge");
const BRANCH = written("OpBranch");
const BRANCH_CONDITIONAL = written("OpBranchConditional");
const SWITCH = written("OpSwitch");
const RETURN = written("OpReturn");
const RETURN_VALUE = written("OpReturnValue");
const UNREACHABLE = written("OpUnreachable");
const CALL = written("OpFunctionCall");

/** The labels of the successors, in their order; a block that is named twice is reached through blocks of their own. */
function labels(f: FunctionWriter, i: Instruction): number[] {
  const seen = new Set<Block>();
  return i.successors.map((to, n) => {
    const isAgain = seen.has(to);
    seen.add(to);
    return f.edge(to, i.successorArguments[n] ?? [], isAgain);
  });
}

/** What the source says of the unrolling of the loop whose header the block is. */
function loopMerge(f: FunctionWriter, { block }: Instruction): void {
  const control = block === null ? null : loopControl(block.unroll);
  if (block === null || control === null) return;
  const loop = loops(f.source).loops.find(({ header }) => header === block);
  const [latch, ...otherLatches] = loop?.latches ?? [];
  const exits = new Set(loop?.exits.map(([, to]) => to) ?? []);
  const [exit] = exits;
  // A merge instruction names one block behind the loop and one that goes back.
  if (latch === undefined || exit === undefined || otherLatches.length > 0 || exits.size > 1) return;
  f.emit(LOOP_MERGE, f.labelOf(exit), f.labelOf(latch), ...control);
}

const branch: RowWriter = (f, i) => {
  const targets = labels(f, i);
  loopMerge(f, i);
  f.emit(BRANCH, ...targets);
  return 0;
};

const conditional: RowWriter = (f, i) => {
  const condition = f.value(i.operands[0] as Value);
  const targets = labels(f, i);
  loopMerge(f, i);
  f.emit(BRANCH_CONDITIONAL, condition, ...targets);
  return 0;
};

const choose: RowWriter = (f, i) => {
  const selector = i.operands[0] as Value;
  const id = f.value(selector);
  const [otherwise = 0, ...cases] = labels(f, i);
  const mask = selector.type.bits >= 32 ? 0xffff_ffff : 2 ** selector.type.bits - 1;
  const words = cases.flatMap((label, n) => {
    const value = i.lanes[n] ?? 0;
    const low = (value & mask) >>> 0;
    return selector.type === I64 ? [low, Math.floor(value / 2 ** 32) >>> 0, label] : [low, label];
  });
  f.emit(SWITCH, id, otherwise, ...words);
  return 0;
};

const call: RowWriter = (f, i) => {
  const callee = i.symbol as IrFunction;
  const id = f.parts.functionId(callee);
  const operands = i.operands.map((value, n) => f.passed(value, callee.parameters[n]));
  const made = f.make(CALL, f.operandType(i), id, ...operands);
  return i.type.kind === "void" ? 0 : made;
};

/** How often a loop is unrolled, as the operand of a merge instruction; null: nothing is said. */
export function loopControl(unroll: number): readonly number[] | null {
  if (unroll === 0) return null;
  if (unroll === 1) return [enumerant("LoopControl", "DontUnroll")];
  return unroll === UNROLL_FULLY
    ? [enumerant("LoopControl", "Unroll")]
    : [enumerant("LoopControl", "PartialCount"), unroll];
}

const SPEC_CONSTANTS: Readonly<Record<string, number>> = {
  true: written("OpSpecConstantTrue"),
  false: written("OpSpecConstantFalse"),
  number: written("OpSpecConstant"),
};

/** A specialization constant, by its number. */
const specialization: RowWriter = (f, i) => {
  const [value] = i.operands;
  if (value?.kind !== "constant" || value.lanes.length > 0)
    return f.refuse("the default of a specialization constant must be one number", i);
  const { type, low, high } = value;
  const kind = type.bits > 1 ? "number" : low === 0 ? "false" : "true";
  const words = kind === "number" ? (type.bits === 64 ? [low, high] : [low]) : [];
  return f.parts.specialization(i.offset, () => f.w.declareNew(SPEC_CONSTANTS[kind] ?? 0, f.type(type), ...words));
};

/** Rows of both targets but for control flow. */
export const COMMON_ROWS: RowTable = {
  [Op.DEBUG_VALUE]: () => 0,
  [Op.SPEC_CONSTANT]: specialization,
  [Op.RET]: (f, i) => {
    const [value] = i.operands;
    if (value === undefined) f.emit(RETURN);
    else {
      const handle = f.parts.handles.ofResult(f.source);
      f.emit(RETURN_VALUE, handle === null ? f.value(value) : f.handleValue(value, handle));
    }
    return 0;
  },
  [Op.UNREACHABLE]: (f) => {
    f.emit(UNREACHABLE);
    return 0;
  },
};

/** Rows of kernels' control flow. */
export const CONTROL_ROWS: RowTable = {
  [Op.BR]: branch,
  [Op.COND_BR]: conditional,
  [Op.SWITCH]: choose,
  [Op.CALL]: call,
};
