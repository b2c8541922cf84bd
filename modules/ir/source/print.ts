// The text form of modules: what golden tests hold and people read.
import { FLAG_NAMES, type Instruction } from "./instruction.ts";
import type { Block, Global, IrFunction, Module } from "./function.ts";
import * as Op from "./generated/op.ts";
import type { Location } from "./location.ts";
import { OPS } from "./op.table.ts";
import { ADDRESS_SPACE_NAMES, VOID } from "./type.ts";
import { type Constant, type Value, bigintValue, floatValue, signedValue } from "./value.ts";

/** What to print. @public */
export interface PrintOptions {
  /** True: with the source location of each instruction. */
  readonly locations?: boolean;
}

/** A constant without its type. */
function constantText(constant: Constant): string {
  const { type } = constant;
  if (type.kind === "vector") return `<${constant.lanes.map(constantText).join(", ")}>`;
  if (type.kind === "pointer") return constant.low === 0 && constant.high === 0 ? "null" : `0x${bigintValue(constant).toString(16)}`;
  if (type.kind === "float") {
    const value = type.bits === 16 ? Number.NaN : floatValue(constant);
    // A NaN, an infinity or a half is its bits; everything else a decimal that gives the same bits back.
    return Number.isFinite(value) ? (Object.is(value, -0) ? "-0.0" : withPoint(String(value))) : `0x${bigintValue(constant).toString(16)}`;
  }
  return type.bits === 64 ? BigInt.asIntN(64, bigintValue(constant)).toString() : String(type.bits === 1 ? constant.low : signedValue(constant));
}

function withPoint(text: string): string {
  return /[.e]/u.test(text) ? text : `${text}.0`;
}

/** Gives values and blocks their numbers. */
class Names {
  private readonly values = new Map<Value, string>();
  private readonly blocks = new Map<Block, string>();

  constructor(fn: IrFunction) {
    let next = 0;
    for (const parameter of fn.parameters) this.values.set(parameter, `%${next++}`);
    fn.blocks.forEach((block, i) => {
      this.blocks.set(block, `^${i}`);
      for (const parameter of block.parameters) this.values.set(parameter, `%${next++}`);
      for (const instruction of block.instructions) if (instruction.type !== VOID) this.values.set(instruction, `%${next++}`);
    });
  }

  value(value: Value): string {
    return value.kind === "constant" ? constantText(value) : (this.values.get(value) ?? "%?");
  }

  typed(value: Value): string {
    return `${this.value(value)}: ${value.type.text}`;
  }

  block(block: Block): string {
    return this.blocks.get(block) ?? "^?";
  }
}

function locationText(location: Location): string {
  const own = `${location.file}:${location.line}:${location.column} in ${location.scope === "" ? "?" : location.scope}`;
  return location.inlinedAt === null ? own : `${own} at ${locationText(location.inlinedAt)}`;
}

function symbolText(instruction: Instruction): string {
  const { symbol } = instruction;
  if (symbol === null) return "";
  switch (symbol.kind) {
    case "function":
    case "global":
      return ` @${symbol.name}`;
    case "builtin":
      return ` ${symbol.name}(${symbol.parameters.join(", ")})`;
    case "variable":
      return ` "${symbol.name}": "${symbol.typeName}"`;
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
  if (instruction.op === Op.ATOMIC_RMW) parts.push(instruction.atomicKind);
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
      return `${label}${names.block(block)}${list.length === 0 ? "" : `(${list.map((value) => names.typed(value)).join(", ")})`}`;
    })
    .join(", ");
}

function instructionText(instruction: Instruction, names: Names, options: PrintOptions): string {
  const result = instruction.type === VOID ? "" : `${names.value(instruction)} = `;
  const operands = instruction.operands.map((value) => (value.kind === "constant" ? names.typed(value) : names.value(value))).join(", ");
  const successors = successorsText(instruction, names);
  const list = [operands, successors].filter((text) => text !== "").join(", ");
  const type = instruction.type === VOID ? "" : `: ${instruction.type.text}`;
  const location = options.locations === true && instruction.location !== null ? ` loc(${locationText(instruction.location)})` : "";
  return `${result}${OPS[instruction.op]?.name ?? "?"}${symbolText(instruction)}${list === "" ? "" : ` ${list}`}${details(instruction)}${type}${location}`;
}

/** One instruction as the text form writes it, for messages. @public */
export function printInstruction(instruction: Instruction): string {
  const { block } = instruction;
  return block === null ? (OPS[instruction.op]?.name ?? "?") : instructionText(instruction, new Names(block.owner), {});
}

/** One function. @public */
export function printFunction(fn: IrFunction, options: PrintOptions = {}): string {
  const names = new Names(fn);
  const parameters = fn.parameters.map((parameter) => `${names.value(parameter)}: ${parameter.type.text}`).join(", ");
  const head = `${fn.kernel === null ? "func" : "kernel"} @${fn.name}(${parameters})${fn.returnType === VOID ? "" : ` -> ${fn.returnType.text}`}${fn.inline === "none" ? "" : ` inline ${fn.inline}`}`;
  if (fn.blocks.length === 0) return `${head}\n`;
  const required = fn.kernel?.requiredWorkGroupSize ?? null;
  let text = `${head}${required === null ? "" : ` reqd_work_group_size(${required.join(", ")})`} {\n`;
  for (const block of fn.blocks) {
    const list = block.parameters.map((parameter) => `${names.value(parameter)}: ${parameter.type.text}`).join(", ");
    text += `${names.block(block)}${list === "" ? "" : `(${list})`}:\n`;
    for (const instruction of block.instructions) text += `  ${instructionText(instruction, names, options)}\n`;
  }
  return `${text}}\n`;
}

function globalText(global: Global): string {
  const data = global.initializer === null ? "" : ` = ${global.initializer.every((byte) => byte === 0) ? "zero" : `x"${[...global.initializer].map((byte) => byte.toString(16).padStart(2, "0")).join("")}"`}`;
  const relocations = global.relocations.map(({ offset, target, addend }) => ` reloc ${offset} @${target.name}+${addend}`).join("");
  return `global @${global.name}: ${global.type.text} ${ADDRESS_SPACE_NAMES[global.addressSpace] ?? global.addressSpace} align ${global.alignment}${data}${relocations}\n`;
}

/** A whole module. @public */
export function printModule(module: Module, options: PrintOptions = {}): string {
  const { layout } = module;
  const parts = [`module "${module.name}" pointers ${layout.pointerBytes.join(" ")} size_t ${layout.sizeBits}\n`];
  for (const global of module.globals.values()) parts.push(globalText(global));
  for (const fn of module.functions.values()) parts.push(`\n${printFunction(fn, options)}`);
  return parts.join("");
}
