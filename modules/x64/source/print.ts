// SPDX-License-Identifier: Apache-2.0
// Machine functions as text, for tests and for those who read them: `v3 = vaddps y, y, y/m256 v1, v2`. After
// allocation, registers stand in place of values.
import { formAt, registerName } from "@muxkit/x64-assembler";

import {
  DEF,
  FIRST_MACRO,
  FIXED_SHIFT,
  IN_POOL,
  IS_BROADCAST,
  LAST,
  MASK,
  type MachineBlock,
  type MachineFunction,
  PSEUDO,
  TIED_SHIFT,
  USE,
  VECTOR,
  classOfRegister,
} from "./machine-function.ts";
import { MACRO } from "./macros.ts";

const PSEUDO_NAMES: ReadonlyMap<number, string> = new Map([
  ...Object.entries(PSEUDO).map(([name, id]): [number, string] => [id, name]),
  ...Object.entries(MACRO).map(([name, id]): [number, string] => [id, name]),
]);

function nameOfRegister(register: number): string {
  const registerClass = classOfRegister(register);
  if (registerClass === VECTOR) return registerName("y", register - 16);
  return registerClass === MASK ? registerName("k", register - 48) : registerName("g64", register);
}

function nameOf(fn: MachineFunction, value: number): string {
  if (fn.isAllocated) return nameOfRegister(value);
  return `${"gvk"[fn.classOf[value] as number] ?? "?"}${value}`;
}

function operandText(fn: MachineFunction, operand: number): string {
  const role = fn.role[operand] as number;
  const fixed = (role >> FIXED_SHIFT) & 255;
  const isSaid = fixed !== 0 && !fn.isAllocated;
  return `${nameOf(fn, fn.value[operand] as number)}${isSaid ? `(${nameOfRegister(fixed - 1)})` : ""}`;
}

function instructionText(fn: MachineFunction, instruction: number, block: MachineBlock): string {
  const id = fn.form[instruction] as number;
  const first = fn.firstOperand[instruction] as number;
  const end = first + (fn.operandsOf[instruction] as number);
  const made: string[] = [];
  const read: string[] = [];
  for (let i = first; i < end; i++) {
    const role = fn.role[i] as number;
    if ((role & DEF) !== 0) made.push(operandText(fn, i) + (((role >> TIED_SHIFT) & 255) === 0 ? "" : "'"));
    else if ((role & USE) !== 0) read.push(operandText(fn, i) + ((role & LAST) === 0 ? "" : "."));
  }
  const kind = (fn.addressing[instruction] as number) & 7;
  const displacement = fn.displacement[instruction] as number;
  const lanes = ((fn.addressing[instruction] as number) & IS_BROADCAST) === 0 ? "" : "{1 to all}";
  if (kind !== 0) read.push(`[${kind === IN_POOL ? "constant " : ""}${displacement}]${lanes}`);
  const immediate = fn.immediate[instruction] as number;
  if (id < 0 ? immediate !== 0 || id === PSEUDO.constant : immediate !== 0) read.push(String(immediate));
  const name = id >= 0 ? formAt(id).key : (PSEUDO_NAMES.get(id) ?? `macro ${FIRST_MACRO - id}`);
  const targets =
    id === PSEUDO.jump || id === PSEUDO.branch ? block.successors.map((to, s) => targetText(fn, block, to, s)) : [];
  const left = made.length === 0 ? "" : `${made.join(", ")} = `;
  return `  ${left}${name}${[...read, ...targets].length === 0 ? "" : ` ${[...read, ...targets].join(", ")}`}`;
}

function targetText(fn: MachineFunction, block: MachineBlock, to: number, s: number): string {
  const args = fn.isAllocated ? [] : (block.args[s] as number[]);
  return `b${to}${args.length === 0 ? "" : `(${args.map((value) => nameOf(fn, value)).join(", ")})`}`;
}

/** The instructions of a block as text, a line each. */
export function printBlock(fn: MachineFunction, block: MachineBlock): readonly string[] {
  return block.instructions.map((instruction) => instructionText(fn, instruction, block).trimStart());
}

/** A function as text. */
export function printMachineFunction(fn: MachineFunction): string {
  const lines = [`${fn.name}:`];
  for (const block of fn.blocks) {
    const parameters = fn.isAllocated ? [] : block.parameters.map((value) => nameOf(fn, value));
    lines.push(`b${block.number}${parameters.length === 0 ? "" : `(${parameters.join(", ")})`}:`);
    for (const instruction of block.instructions) lines.push(instructionText(fn, instruction, block));
  }
  return `${lines.join("\n")}\n`;
}
