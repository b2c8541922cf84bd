// SPDX-License-Identifier: Apache-2.0
// replace-printf: replaces calls of printf by calls of small functions that append a printf record to the thread's area
// (docs/kernel-abi.md). Equal calls share one function; format strings leave the program, the runtime has them.
//
// A string is stored as its number in the list of the call, and an offset in it. Where the call does not name the
// string itself, the function compares the pointer with each string that it may point into (TextFinder).
//
// A function reserves space, writes the header (size, call number, launch, linear local id, group id) and the values,
// and commits the record: a reader never sees half of one. It returns 0, or -1 when the area is full.
import { InternalError, assert } from "@muxkit/cargo";
import { PRINTF_RECORD } from "@muxkit/kernel-abi";
import { type PrintfDescription, STRING_NUMBER_BITS, printfLayout } from "@muxkit/printf";
import {
  Block,
  type BuiltinReference,
  Builder,
  GLOBAL,
  type Global,
  I32,
  I64,
  Instruction,
  IrFunction,
  type Module,
  Op,
  TextFinder,
  type Type,
  type Value,
  constantInt,
  constantText,
  pointerType,
  replaceUses,
  scalarOf,
} from "@muxkit/ir";

import { baseOf } from "./alias-analysis.ts";
import { deadCodeElimination } from "./dce.ts";
import type { PassContext } from "./pass.ts";

const POINTER = pointerType(GLOBAL);
const reference = (name: string, ...parameters: string[]): BuiltinReference => ({ kind: "builtin", name, parameters });

/** Built-ins that each target lowers: the thread's area, and the launch (it ends with a counter of lost records). */
const AREA: BuiltinReference = reference("__muxkit_printf_area");
const LAUNCH: BuiltinReference = reference("__muxkit_printf_launch");
const RESERVE = reference("__muxkit_printf_reserve", "uint*", "uint*", "uint");
const COMMIT = reference("__muxkit_printf_commit", "uint*", "uint*", "uint");

/** True for the built-ins that the target lowers itself. @public */
export function isPrintfQuery({ name }: BuiltinReference): boolean {
  return name === AREA.name || name === LAUNCH.name;
}

/** What a call prints, and the operands that its printf record stores. */
interface Call {
  readonly description: PrintfDescription;
  readonly values: readonly Value[];
  /** Numbers of values that are strings; strings that the next of `values` may point into; null: it is a value. */
  readonly words: readonly (number | readonly PointedText[] | null)[];
}

/** A string that a pointer may point into, and its number in the call's list. */
interface PointedText {
  readonly global: Global;
  readonly number: number;
}

/** What a word of a call is compared with, by name. */
function namesOf(text: Call["words"][number]): unknown {
  return typeof text === "object" && text !== null ? text.map(({ global }) => global.name) : text;
}

function textOf(value: Value | undefined): string {
  const text = value === undefined ? null : constantText(value);
  if (text === null) throw new InternalError("a string of printf is not constant", ["replace-printf"]);
  return text;
}

/** All bytes of a string, with what is behind its NUL. */
function wholeText({ initializer }: Global): string {
  return Array.from(initializer ?? [], (byte) => String.fromCharCode(byte)).join("");
}

function readCall({ symbol, operands }: Instruction, finder: TextFinder): Call {
  assert(symbol?.kind === "builtin", "a call of printf names it");
  const types = symbol.parameters.slice(1);
  const strings: string[] = [];
  const values: Value[] = [];
  const words = types.map((type, i): Call["words"][number] => {
    const value = operands[i + 1];
    if (value === undefined) return null;
    if (type === "string" && constantText(value) !== null) return strings.push(textOf(value)) - 1;
    values.push(value);
    if (type !== "string") return null;
    return finder.find(value).texts.map((global) => ({ global, number: strings.push(wholeText(global)) - 1 }));
  });
  return { description: { format: textOf(operands[0]), types, strings }, values, words };
}

function word(value: number): Value {
  return constantInt(I32, value);
}

/** Builds the function that writes the printf record of one call. It returns 0, or -1 when the area is full. */
function writeFunction(module: Module, id: number, { description, values, words }: Call): IrFunction {
  const fn = new IrFunction(
    `printf.${id}`,
    I32,
    values.map(({ type }, i) => ({ type, name: `value${i}` })),
  );
  fn.inline = "never";
  module.addFunction(fn);
  const { offsets, size } = printfLayout(description.types);
  const [entry, write, full] = ["entry", "write", "full"].map((name) => fn.addBlock(name)) as [Block, Block, Block];
  const builder = new Builder(entry);
  const area = builder.callBuiltin(AREA, POINTER, []);
  const launch = builder.callBuiltin(LAUNCH, POINTER, []);
  const record = builder.callBuiltin(RESERVE, POINTER, [area, launch, word(size)]);
  builder.conditionalBranch(builder.compare(Op.EQ, builder.convert(Op.PTRTOINT, record, I32), word(0)), full, write);
  new Builder(full).return(word(-1));
  builder.block = write;
  const put = (value: Value, offset: number, alignment: number): void => {
    builder.store(value, builder.address(record, null, 0, offset), alignment);
  };
  const group = [0, 1, 2].map((axis) => builder.workItem(Op.GROUP_ID, sizeType(module), word(axis)));
  const item = builder.workItem(Op.LOCAL_LINEAR_ID, sizeType(module), null);
  put(word(size), PRINTF_RECORD.size, 4);
  put(word(id), PRINTF_RECORD.call, 4);
  put(builder.convert(Op.PTRTOINT, launch, I32), PRINTF_RECORD.launch, 4);
  put(low(builder, item), PRINTF_RECORD.item, 4);
  group.forEach((value, axis) => put(low(builder, value), PRINTF_RECORD.group + axis * 4, 4));
  put(word(0), PRINTF_RECORD.reserved, 4);
  let next = 0;
  words.forEach((text, i) => {
    const offset = offsets[i] ?? 0;
    if (typeof text === "number") {
      put(word(text), offset, 4);
      return;
    }
    const value = fn.parameters[next++];
    assert(value !== undefined, "a parameter for each value");
    if (text === null) storeValue(builder, value, put, offset);
    else put(numberOfText(builder, module, value, text), offset, 4);
  });
  builder.callBuiltin(COMMIT, I32, [area, record, word(size)]);
  builder.return(word(0));
  return fn;
}

/** The number of the string that a pointer points into, and the offset in it; one too great if there is none. */
function numberOfText(builder: Builder, module: Module, pointer: Value, texts: readonly PointedText[]): Value {
  const type = sizeType(module);
  const at = builder.convert(Op.PTRTOINT, pointer, type);
  let found: Value = word((1 << STRING_NUMBER_BITS) - 1);
  for (const { global, number } of texts) {
    const start = builder.convert(Op.PTRTOINT, builder.globalAddress(global), type);
    const offset = builder.same(Op.SUB, at, start);
    const isWithin = builder.compare(Op.ULT, offset, constantInt(type, global.initializer?.length ?? 0));
    const shifted = builder.same(Op.SHL, low(builder, offset), word(STRING_NUMBER_BITS));
    found = builder.select(isWithin, builder.same(Op.OR, shifted, word(number)), found);
  }
  return found;
}

/** Stores vectors lane by lane: as a whole, a vector of three would take the space of four. */
function storeValue(
  builder: Builder,
  value: Value,
  put: (value: Value, offset: number, alignment: number) => void,
  offset: number,
): void {
  const bytes = scalarOf(value.type).bits / 8;
  const alignment = Math.min(bytes, 8);
  if (value.type.kind !== "vector") put(value, offset, alignment);
  else
    for (let lane = 0; lane < value.type.count; lane++)
      put(builder.extract(value, lane), offset + lane * bytes, alignment);
}

function sizeType(module: Module): Type {
  return module.layout.sizeBits === 64 ? I64 : I32;
}

function low(builder: Builder, value: Value): Value {
  return value.type === I32 ? value : builder.convert(Op.TRUNC, value, I32);
}

/** Deletes constants that only calls of printf used. */
function dropUnused(module: Module, candidates: ReadonlySet<Global>): void {
  const used = new Set<Global>();
  for (const fn of module.functions.values())
    for (const block of fn.blocks)
      for (const { symbol } of block.instructions) if (symbol?.kind === "global") used.add(symbol);
  for (const global of module.globals.values()) for (const { target } of global.relocations) used.add(target);
  for (const global of candidates) if (!used.has(global)) module.globals.delete(global.name);
}

/** Replaces every call of printf; the context receives the description of each, in the order of their ids. @public */
export function replacePrintf(module: Module, context: PassContext): boolean {
  const writers = new Map<string, IrFunction>();
  const texts = new Set<Global>();
  const finder = new TextFinder(module.functions.values());
  for (const fn of module.functions.values()) {
    const replaced = new Map<Value, Value>();
    for (const block of fn.blocks) {
      for (let i = 0; i < block.instructions.length; i++) {
        const instruction = block.instructions[i];
        if (
          instruction?.op !== Op.CALL_BUILTIN ||
          instruction.symbol?.kind !== "builtin" ||
          instruction.symbol.name !== "printf"
        )
          continue;
        const call = readCall(instruction, finder);
        const key = JSON.stringify([call.description, call.words.map(namesOf)]);
        let writer = writers.get(key);
        if (writer === undefined) {
          writer = writeFunction(module, writers.size, call);
          writers.set(key, writer);
          context.printfCall(call.description);
        }
        const made = new Instruction(Op.CALL, I32, [...call.values], instruction.location);
        made.symbol = writer;
        made.block = block;
        block.instructions[i] = made;
        replaced.set(instruction, made);
        collectTexts(instruction.operands, texts);
      }
    }
    if (replaced.size === 0) continue;
    replaceUses(fn, replaced);
    // The addresses of the strings have no users any more.
    deadCodeElimination(fn);
  }
  dropUnused(module, texts);
  return writers.size > 0;
}

function collectTexts(operands: readonly Value[], texts: Set<Global>): void {
  for (const operand of operands) {
    const base = baseOf(operand);
    if (base.kind === "instruction" && base.op === Op.GLOBAL_ADDRESS && base.symbol?.kind === "global")
      texts.add(base.symbol);
  }
}
