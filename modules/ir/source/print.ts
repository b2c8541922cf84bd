// SPDX-License-Identifier: Apache-2.0
// Prints the text form of modules (docs/ir.md), which golden tests hold and people read. parse.ts reads it back.
import { unreachable } from "@muxkit/cargo";

import type { CallingConvention } from "./calling-convention.ts";
import type { DataLayout } from "./data-layout.ts";
import { type Block, type Global, type IrFunction, type Module, UNROLL_FULLY } from "./function.ts";
import * as Op from "./generated/op.ts";
import { combines } from "./group-operations.ts";
import { FLAG_NAMES, type Instruction } from "./instruction.ts";
import type { ArgumentDescription, KernelDescription } from "./kernel.ts";
import type { Location } from "./location.ts";
import { OPS } from "./op.table.ts";
import { printConstant } from "./print-constant.ts";
import { ADDRESS_SPACE_NAMES, type Type, VOID } from "./type.ts";
import type { Value } from "./value.ts";

/** What to print. @public */
export interface PrintOptions {
  /** True: with the source location of each instruction. */
  readonly locations?: boolean;
  /** True: values and blocks that have names are written with them (made unique), not with numbers. */
  readonly names?: boolean;
  /** Numbers that values and blocks keep from one print to the next, for line-by-line comparison; absent: from 0. */
  readonly labels?: Labels;
}

/** Stable numbers of values and blocks, assigned when one is first printed. @public */
export class Labels {
  private readonly numbers = new WeakMap<Value | Block, string>();
  private next = 0;

  /** The number of a value or block. */
  of(item: Value | Block): string {
    let number = this.numbers.get(item);
    if (number === undefined) {
      number = String(this.next++);
      this.numbers.set(item, number);
    }
    return number;
  }
}

const PLAIN_NAME = /^[A-Za-z_$.][\w$.]*$/u;

/** A string in quotes, escaped as in JSON. */
const quoted = (text: string): string => JSON.stringify(text);

function symbolName(name: string): string {
  return `@${PLAIN_NAME.test(name) ? name : quoted(name)}`;
}

/** Names or numbers of the values and blocks of a function. */
class Names {
  private readonly values = new Map<Value, string>();
  private readonly blocks = new Map<Block, string>();
  private readonly taken = new Set<string>();
  private readonly keepsNames: boolean;

  constructor(fn: IrFunction, { names = false, labels }: PrintOptions) {
    this.keepsNames = names;
    let next = 0;
    const assign = (value: Value & { readonly name: string }): void => {
      const number = labels?.of(value) ?? String(next++);
      this.values.set(value, `%${this.unique(value.name, number)}`);
    };
    for (const parameter of fn.parameters) assign(parameter);
    fn.blocks.forEach((block, i) => {
      this.blocks.set(block, `^${this.unique(block.name, labels?.of(block) ?? String(i), "^")}`);
      for (const parameter of block.parameters) assign(parameter);
      for (const instruction of block.instructions) if (instruction.type !== VOID) assign(instruction);
    });
  }

  private unique(name: string, number: string, sigil: string = "%"): string {
    if (!this.keepsNames || !PLAIN_NAME.test(name)) return number;
    let text = name;
    for (let i = 2; this.taken.has(sigil + text); i++) text = `${name}.${i}`;
    this.taken.add(sigil + text);
    return text;
  }

  value(value: Value): string {
    return value.kind === "constant" ? printConstant(value) : (this.values.get(value) ?? "%?");
  }

  typed(value: Value): string {
    return `${this.value(value)}: ${value.type.text}`;
  }

  block(block: Block): string {
    return this.blocks.get(block) ?? "^?";
  }
}

function locationText(location: Location): string {
  const own = `${quoted(location.file)}:${location.line}:${location.column} in ${quoted(location.scope)}`;
  return location.inlinedAt === null ? own : `${own} at ${locationText(location.inlinedAt)}`;
}

/** An OpenCL type name, in quotes when it has characters that would end it. */
function typeNameText(name: string): string {
  return name !== "" && name === name.trim() && !/[(),"\n]/u.test(name) ? name : quoted(name);
}

function symbolText(instruction: Instruction): string {
  const { symbol } = instruction;
  if (symbol === null) return "";
  switch (symbol.kind) {
    case "function":
    case "global":
      return ` ${symbolName(symbol.name)}`;
    case "builtin":
      return ` ${symbol.name}(${symbol.parameters.map(typeNameText).join(", ")})`;
    case "variable":
      return ` ${quoted(symbol.name)}: ${quoted(symbol.typeName)}`;
    default:
      return unreachable(symbol);
  }
}

function details(instruction: Instruction): string {
  const parts: string[] = [];
  FLAG_NAMES.forEach((name, bit) => {
    if ((instruction.flags & (1 << bit)) !== 0) parts.push(name);
  });
  if (instruction.elementType !== null) parts.push(instruction.elementType.text);
  if (instruction.scale !== 0) parts.push(`scale ${instruction.scale}`);
  if (instruction.offset !== 0 || instruction.op === Op.SPEC_CONSTANT) parts.push(`offset ${instruction.offset}`);
  if (instruction.alignment !== 0) parts.push(`align ${instruction.alignment}`);
  if (instruction.op === Op.SHUFFLE) parts.push(`[${instruction.lanes.join(", ")}]`);
  if (combines(instruction.op)) parts.push(instruction.atomicKind);
  if (instruction.order !== "none") parts.push(instruction.order);
  if (instruction.scope !== "none") parts.push(instruction.scope);
  if (instruction.op === Op.BARRIER) parts.push(`semantics ${instruction.semantics}`);
  if (instruction.aliasGroup !== 0) parts.push(`alias ${instruction.aliasGroup}`);
  return parts.length === 0 ? "" : ` {${parts.join(", ")}}`;
}

function successorsText(instruction: Instruction, names: Names): string {
  return instruction.successors
    .map((block, i) => {
      const list = instruction.successorArguments[i] ?? [];
      const label = instruction.op === Op.SWITCH ? `${i === 0 ? "default" : String(instruction.lanes[i - 1])}: ` : "";
      const typed = list.map((value) => names.typed(value)).join(", ");
      return `${label}${names.block(block)}${list.length === 0 ? "" : `(${typed})`}`;
    })
    .join(", ");
}

/** A constant is printed with its type unless that is the result's. */
function operandText(value: Value, result: Type, names: Names): string {
  return value.kind === "constant" && value.type !== result ? names.typed(value) : names.value(value);
}

function instructionText(instruction: Instruction, names: Names, options: PrintOptions): string {
  const result = instruction.type === VOID ? "" : `${names.value(instruction)} = `;
  const operands = instruction.operands.map((value) => operandText(value, instruction.type, names)).join(", ");
  const successors = successorsText(instruction, names);
  const list = [operands, successors].filter((text) => text !== "").join(", ");
  const type = instruction.type === VOID ? "" : `: ${instruction.type.text}`;
  const location =
    options.locations === true && instruction.location !== null ? ` loc(${locationText(instruction.location)})` : "";
  const name = `${OPS[instruction.op]?.name ?? "?"}${symbolText(instruction)}`;
  return `${result}${name}${list === "" ? "" : ` ${list}`}${details(instruction)}${type}${location}`;
}

/** Prints one instruction, for messages. @public */
export function printInstruction(instruction: Instruction): string {
  const { block } = instruction;
  return block === null
    ? (OPS[instruction.op]?.name ?? "?")
    : instructionText(instruction, new Names(block.owner, {}), {});
}

function kernelAttributes(kernel: KernelDescription): string {
  const parts: string[] = [];
  if (kernel.requiredWorkGroupSize !== null)
    parts.push(` reqd_work_group_size(${kernel.requiredWorkGroupSize.join(", ")})`);
  if (kernel.workGroupSizeHint !== null) parts.push(` work_group_size_hint(${kernel.workGroupSizeHint.join(", ")})`);
  if (kernel.vecTypeHint !== null) parts.push(` vec_type_hint(${quoted(kernel.vecTypeHint)})`);
  if (kernel.requiredSubGroupSize !== null) parts.push(` sub_group_size(${kernel.requiredSubGroupSize})`);
  if (!kernel.uniformWorkGroups) parts.push(" non_uniform_work_groups");
  if (kernel.attributes !== "") parts.push(` attributes(${quoted(kernel.attributes)})`);
  return parts.join("");
}

function argumentText(argument: ArgumentDescription): string {
  const words = [
    ...(argument.access === "none" ? [] : [argument.access]),
    ...(argument.isConst ? ["const"] : []),
    ...(argument.isRestrict ? ["restrict"] : []),
    ...(argument.isVolatile ? ["volatile"] : []),
  ];
  const names = [quoted(argument.name), quoted(argument.typeName), argument.kind, argument.addressSpace];
  const layout = `size ${argument.size} align ${argument.alignment}`;
  return `  ${["argument", ...names, ...words, layout].join(" ")}\n`;
}

function unrollText({ unroll }: Block): string {
  if (unroll === 0) return "";
  return unroll === UNROLL_FULLY ? " unroll full" : ` unroll ${unroll}`;
}

function conventionText(convention: CallingConvention): string {
  if (convention.kind === "plain") return "";
  return convention.kind === "work_item" ? ` work_item(${convention.first})` : ` ${convention.kind}`;
}

/** Prints a function. @public */
export function printFunction(fn: IrFunction, options: PrintOptions = {}): string {
  const names = new Names(fn, options);
  const parameters = fn.parameters.map((parameter) => names.typed(parameter)).join(", ");
  const result = fn.returnType === VOID ? "" : ` -> ${fn.returnType.text}`;
  const inline = fn.inline === "none" ? "" : ` inline ${fn.inline}`;
  const flags = `${fn.isInternal ? " internal" : ""}${fn.isOutside ? " outside" : ""}${conventionText(fn.convention)}`;
  const attributes = fn.kernel === null ? "" : kernelAttributes(fn.kernel);
  const word = fn.kernel === null ? "func" : "kernel";
  const head = `${word} ${symbolName(fn.name)}(${parameters})${result}${inline}${flags}${attributes}`;
  const rows = fn.kernel === null ? "" : fn.kernel.arguments.map(argumentText).join("");
  if (fn.blocks.length === 0 && rows === "") return `${head}\n`;
  let text = `${head} {\n${rows}`;
  for (const block of fn.blocks) {
    const list = block.parameters.map((parameter) => names.typed(parameter)).join(", ");
    text += `${names.block(block)}${list === "" ? "" : `(${list})`}${unrollText(block)}:\n`;
    for (const instruction of block.instructions) text += `  ${instructionText(instruction, names, options)}\n`;
  }
  return `${text}}\n`;
}

function hexadecimal(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text;
}

function initializerText(initializer: Uint8Array | null): string {
  if (initializer === null) return "";
  const isZero = initializer.every((byte) => byte === 0);
  return ` = ${isZero ? `zero ${initializer.length}` : `x"${hexadecimal(initializer)}"`}`;
}

/** A global; initial bytes that are all zero are written as their number. */
function globalText(global: Global): string {
  const relocations = global.relocations
    .map(
      ({ offset, target, addend }) => ` reloc ${offset} ${symbolName(target.name)}${addend === 0 ? "" : ` ${addend}`}`,
    )
    .join("");
  const space = ADDRESS_SPACE_NAMES[global.addressSpace] ?? String(global.addressSpace);
  const linkage = global.linkage === "external" ? "" : ` ${global.linkage}`;
  const data = `${initializerText(global.initializer)}${relocations}`;
  return `global ${symbolName(global.name)}: ${global.type.text} ${space} align ${global.alignment}${linkage}${data}\n`;
}

/** The data layout; words note what differs from a little-endian device with f64 and i64 and without f16. */
function layoutText(layout: DataLayout): string {
  const words = [
    ...(layout.littleEndian ? [] : ["big_endian"]),
    ...(layout.nativeF16 ? ["f16"] : []),
    ...(layout.nativeF64 ? [] : ["no_f64"]),
    ...(layout.nativeI64 ? [] : ["no_i64"]),
  ];
  return [`pointers ${layout.pointerBytes.join(" ")} size_t ${layout.sizeBits}`, ...words].join(" ");
}

/** Prints a module. @public */
export function printModule(module: Module, options: PrintOptions = {}): string {
  const parts = [`module ${quoted(module.name)} ${layoutText(module.layout)}\n`];
  for (const global of module.globals.values()) parts.push(globalText(global));
  for (const fn of module.functions.values()) parts.push(`\n${printFunction(fn, options)}`);
  return parts.join("");
}
