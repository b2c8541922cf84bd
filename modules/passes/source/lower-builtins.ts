// SPDX-License-Identifier: Apache-2.0
// lower-builtins: calls of built-ins (`call_builtin`) become operations of the IR, calls of functions that the library
// has, or small control flow, by the `lowering` key of their row in the table of built-ins. Front ends of every
// language leave calls, with OpenCL's names of the built-in and of its parameters' types; the IR's types have no sign.
//
//   %a = call_builtin isless(float, float) %x, %y: i32        %c = flt %x, %y
//   %b = ne %a, 0                                             br %c
//   br %b
//
// One walk in the order of the blocks; each call is replaced where it is, so operations keep the order of effects. A
// call that needs control flow (a compare-exchange, a copy by all work-items, a pipe) ends its block, and what followed
// it goes to the last block that it made. A truth value that is widened for C and tested at once is used as it was.
// What the target keeps (`keepsBuiltin`), and what the table does not know, stays a call. Cost: linear in the
// instructions.
import { type BuiltinRow, type FamilyMember, builtinRows, parseFamily } from "@muxkit/builtin-table";
import {
  type Block,
  type BuiltinReference,
  type Constant,
  type DataLayout,
  type Instruction,
  IrFunction,
  Op,
  TAKES_FLOAT_FLAGS,
  type Type,
  VOID,
  type Value,
  applyReplacements,
  copyOf,
  replaceLater,
  resolved,
} from "@muxkit/ir";

import { type BuiltinCall, type Lowering, comparisonOf, opOf } from "./lower-builtins/call.ts";
import { lowerFamily } from "./lower-builtins/conversions.ts";
import { LOWERINGS } from "./lower-builtins/table.ts";
import { type BuiltinType, HALF, readType, typeOfIr } from "./lower-builtins/types.ts";
import { Writer } from "./lower-builtins/writer.ts";
import type { FunctionFrame } from "./pass.ts";

/** What is known of a name: its rows' lowerings, or the family that it is of. */
interface KnownName {
  readonly lowering: Lowering;
  readonly detail: string;
  /** Of halves, where another row of the name says so. */
  readonly halfDetail: string;
  /**
   * Of integers, where a row of its own has another lowering (`dot` of bytes is a library function); null: the same.
   */
  readonly ofIntegers: Lowering | null;
  /** The result follows from the operands, and constants give a constant. */
  readonly folds: boolean;
  /** The op that a call becomes where it is, if its operands have the result's type; -1: there is none. */
  readonly op: number;
  /** The op takes operands of any type: a query of the work-item. */
  readonly isQuery: boolean;
}

function familyLowering(family: FamilyMember): KnownName {
  return {
    lowering: (call) => lowerFamily(call, family),
    detail: "",
    halfDetail: "",
    ofIntegers: null,
    folds: true,
    op: -1,
    isQuery: false,
  };
}

function splitKey({ lowering }: BuiltinRow): readonly [key: string, detail: string] {
  const colon = lowering.indexOf(":");
  return colon < 0 ? [lowering, ""] : [lowering.slice(0, colon), lowering.slice(colon + 1)];
}

function describe(name: string): KnownName | null {
  const family = parseFamily(name);
  if (family !== null) return familyLowering(family);
  const rows = builtinRows(name);
  const [row] = rows;
  if (row === undefined) return null;
  const [key, detail] = splitKey(row);
  const lowering = LOWERINGS.get(key);
  if (lowering === undefined) return null;
  const ofHalf = rows.find(({ classes }) => classes === "h") ?? row;
  const ofIntegers = rows.find(({ classes, lowering: own }) => classes === "" && own !== row.lowering);
  const folds = row.isPure && !row.isConvergent && row.uniformity === "like-inputs" && !key.startsWith("library");
  return {
    lowering,
    detail,
    halfDetail: splitKey(ofHalf)[1],
    ofIntegers: ofIntegers === undefined ? null : (LOWERINGS.get(splitKey(ofIntegers)[0]) ?? null),
    folds,
    op: ofIntegers === undefined && (key === "op" || key === "work-item") ? opOf(detail) : -1,
    isQuery: key === "work-item",
  };
}

const NAMES = new Map<string, KnownName | null>();

function known(name: string): KnownName | null {
  let found = NAMES.get(name);
  if (found === undefined) {
    found = describe(name);
    NAMES.set(name, found);
  }
  return found;
}

/** What a reference says of the types of a call. */
interface CallTypes {
  readonly parameters: readonly BuiltinType[];
  /** See {@link BuiltinCall.generic}; null: there are no parameters. */
  readonly generic: BuiltinType | null;
}

/** Types of calls by their references, which calls of one overload share: for 32-bit sizes, and for 64-bit ones. */
const TYPES: readonly [WeakMap<BuiltinReference, CallTypes>, WeakMap<BuiltinReference, CallTypes>] = [
  new WeakMap(),
  new WeakMap(),
];

function typesOf(reference: BuiltinReference, layout: DataLayout): CallTypes {
  const cache = TYPES[layout.sizeBits === 64 ? 1 : 0];
  let types = cache.get(reference);
  if (types === undefined) {
    const parameters = reference.parameters.map((name) => readType(name, layout));
    types = { parameters, generic: parameters.find(({ isVector }) => isVector) ?? parameters[0] ?? null };
    cache.set(reference, types);
  }
  return types;
}

/** Writes what a call becomes; null: it stays. */
function lowerCall(
  writer: Writer,
  { lowering, detail, halfDetail, ofIntegers }: KnownName,
  reference: BuiltinReference,
  type: Type,
  operands: readonly Value[],
): Value | null {
  const types = typesOf(reference, writer.layout);
  const generic = types.generic ?? typeOfIr(type);
  const call: BuiltinCall = {
    writer,
    name: reference.name,
    detail: generic.element === HALF ? halfDetail : detail,
    operands,
    parameters: types.parameters,
    generic,
    type,
  };
  return ofIntegers !== null && generic.element.kind === "int" ? ofIntegers(call) : lowering(call);
}

/** Makes a call the op that it stands for, in its place; false: it is more than one op. */
function becomesOp(instruction: Instruction, { op, isQuery }: KnownName): boolean {
  if (op < 0) return false;
  const { type, operands } = instruction;
  for (let i = 0; i < operands.length; i++) if (!isQuery && (operands[i] as Value).type !== type) return false;
  instruction.op = op;
  instruction.symbol = null;
  if (TAKES_FLOAT_FLAGS[op] !== true) instruction.flags = 0;
  return true;
}

/** The comparison that a test of a widened truth value asks for again; null: it is no such test. */
function testedComparison({ op, operands }: Instruction): Value | null {
  // By index: this looks at every instruction of a program, and destructuring an array goes through an iterator.
  if (op !== Op.NE && op !== Op.SLT) return null;
  const value = operands[0];
  const zero = operands[1];
  if (value === undefined || zero?.kind !== "constant") return null;
  const widened = value.kind === "instruction" && value.forward !== null ? resolved(value) : null;
  const isZero = (zero.lanes.length === 0 ? [zero] : zero.lanes).every(({ low, high }) => low === 0 && high === 0);
  return widened === null || !isZero ? null : comparisonOf(widened, op === Op.NE ? Op.ZEXT : Op.SEXT);
}

/** What happened to a block. */
const UNCHANGED = 0;
const CHANGED = 1;
const REPLACED = 2;

/** Lowers the calls of one block; what follows a call that branches goes to the last of its blocks. */
function lowerBlock(writer: Writer, block: Block, { context }: FunctionFrame): number {
  const list = block.instructions;
  const { builder } = writer;
  let state = UNCHANGED;
  // Until a call is replaced by new instructions, the block's list is as it was.
  let isRewritten = false;
  for (let i = 0; i < list.length; i++) {
    const instruction = list[i] as Instruction;
    const { symbol } = instruction;
    if (instruction.op === Op.CALL_BUILTIN && symbol?.kind === "builtin" && !context.keepsBuiltin(symbol)) {
      const name = known(symbol.name);
      if (name !== null && becomesOp(instruction, name)) state = Math.max(state, CHANGED);
      else if (name !== null) {
        if (!isRewritten) block.instructions = list.slice(0, i);
        if (!isRewritten) builder.block = block;
        isRewritten = true;
        builder.location = instruction.location;
        builder.floatFlags = instruction.flags;
        const operands = instruction.operands.map(resolved);
        const value = lowerCall(writer, name, symbol, instruction.type, operands);
        if (value !== null) {
          replaceLater(instruction, value);
          state = REPLACED;
          continue;
        }
      }
    }
    const comparison = testedComparison(instruction);
    if (comparison !== null && !isRewritten) {
      block.instructions = list.slice(0, i);
      builder.block = block;
      isRewritten = true;
    }
    if (comparison !== null) replaceLater(instruction, comparison);
    else if (isRewritten) {
      instruction.block = builder.block;
      builder.block.instructions.push(instruction);
    }
  }
  return state;
}

/** Lowers every call that has a lowering. */
export function lowerBuiltins(fn: IrFunction, frame: FunctionFrame): boolean {
  const [entry] = fn.blocks;
  if (entry === undefined) return false;
  const writer = new Writer(fn, entry, frame.module.layout);
  let state = UNCHANGED;
  // Blocks that a call makes hold nothing more to lower.
  const blocks = copyOf(fn.blocks);
  for (const block of blocks) state = Math.max(state, lowerBlock(writer, block, frame));
  if (state === REPLACED) {
    writer.placeVariables();
    applyReplacements(fn);
  }
  return state !== UNCHANGED;
}

const scratch = new IrFunction("<constant built-ins>", VOID, []);
const scratchBlock = scratch.addBlock("scratch");

/**
 * The value of a call of a built-in with constant arguments: what front ends fold with, so that such calls can stand in
 * constant expressions. Null: it has an effect, is no constant, or the table does not know it.
 *
 * @public
 */
export function foldBuiltin(
  reference: BuiltinReference,
  type: Type,
  operands: readonly Value[],
  layout: DataLayout,
): Constant | null {
  const name = known(reference.name);
  if (name === null || !name.folds || operands.some(({ kind }) => kind !== "constant")) return null;
  const value = lowerCall(new Writer(scratch, scratchBlock, layout), name, reference, type, operands);
  scratchBlock.instructions.length = 0;
  return value?.kind === "constant" ? value : null;
}
