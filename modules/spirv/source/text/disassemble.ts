// SPDX-License-Identifier: Apache-2.0
// A module as assembly, in the form of spirv-dis: one line an instruction, the result before `=`, operations in a
// column.
import { type Result, err, ok } from "@muxkit/cargo";

import { OperandCursor } from "../binary/cursor.ts";
import type { SpirvError } from "../binary/error.ts";
import type { SpirvModule } from "../binary/module.ts";
import {
  KIND_ENUMERATION,
  KIND_EXTENDED,
  KIND_INTEGER,
  KIND_NUMBER,
  KIND_OPCODE,
  KIND_RESULT,
  KIND_SEMANTICS,
  KIND_STRING,
} from "../grammar/kinds.ts";
import { EXTENDED_SETS, enumerantName, enumerationOfKind, opRow } from "../grammar/tables.ts";
import { generatorName } from "./generators.table.ts";
import { type NameOf, friendlyNames, rawName } from "./names.ts";
import { numberText } from "./number.ts";

/** How assembly is written. @public */
export interface DisassembleOptions {
  /** `friendly`: names of OpName, of types and of constants; `raw`: numbers, which an assembler can keep. */
  readonly names?: "friendly" | "raw";
  /** Operations in a column; true when left out. */
  readonly isIndented?: boolean;
  /** The header as comments; true when left out. */
  readonly hasHeader?: boolean;
  /** The byte of each instruction as a comment behind it. */
  readonly hasOffsets?: boolean;
}

const COLUMN = 15;

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/gu, String.raw`\$&`)}"`;
}

function operandText(cursor: OperandCursor, name: NameOf): string {
  const { kind, value, offset, size, module } = cursor;
  if (kind <= KIND_SEMANTICS) return `%${name(value)}`;
  if (kind >= KIND_ENUMERATION) {
    const { name: of } = enumerationOfKind(kind) ?? {};
    return of === undefined ? String(value) : enumerantName(of, value);
  }
  if (kind === KIND_STRING) return quoted(cursor.text());
  if (kind === KIND_NUMBER) {
    const type = cursor.numberType();
    return type === null ? String(value) : numberText(value, size > 1 ? (module.words[offset + 1] ?? 0) : 0, type);
  }
  if (kind === KIND_OPCODE) return opRow(value)?.name.slice(2) ?? String(value);
  if (kind === KIND_EXTENDED) return EXTENDED_SETS.get(cursor.set)?.rows.get(value)?.name ?? String(value);
  return kind === KIND_INTEGER ? String(value) : `!${value}`;
}

/** One instruction without its indentation; `result` is empty where it has none. */
function lineOf(cursor: OperandCursor, instruction: number, name: NameOf): { result: string; text: string } {
  let result = "";
  let text: string = opRow(cursor.module.opcodes[instruction] ?? 0)?.name ?? "";
  cursor.begin(instruction);
  while (cursor.next()) {
    if (cursor.kind === KIND_RESULT) result = `%${name(cursor.value)}`;
    else text += ` ${operandText(cursor, name)}`;
  }
  return { result, text };
}

/** One instruction in assembly; where its operands are wrong, as far as they are right, and `…`. @public */
export function instructionText(module: SpirvModule, instruction: number, name: NameOf = rawName): string {
  const cursor = new OperandCursor(module);
  const { result, text } = lineOf(cursor, instruction, name);
  const line = result === "" ? text : `${result} = ${text}`;
  return cursor.problem === "" ? line : `${line} …`;
}

/** The version in a header as people write it: `1.3`. @public */
export function versionText(version: number): string {
  return `${version >>> 16}.${(version >>> 8) & 0xff}`;
}

/** The whole module in assembly; the first instruction whose operands are wrong is an error. @public */
export function disassemble(module: SpirvModule, options: DisassembleOptions = {}): Result<string, SpirvError> {
  const { names = "friendly", isIndented = true, hasHeader = true, hasOffsets = false } = options;
  const name = names === "friendly" ? friendlyNames(module) : rawName;
  const lines: string[] = [];
  if (hasHeader)
    lines.push(
      "; SPIR-V",
      `; Version: ${versionText(module.version)}`,
      `; Generator: ${generatorName(module.generator)}; ${module.generator & 0xffff}`,
      `; Bound: ${module.bound}`,
      `; Schema: ${module.schema}`,
    );
  const cursor = new OperandCursor(module);
  for (let instruction = 0; instruction < module.count; instruction++) {
    const { result, text } = lineOf(cursor, instruction, name);
    if (cursor.problem !== "")
      return err({
        offset: cursor.offset,
        rule: cursor.rule,
        message: cursor.problem,
        instruction: instructionText(module, instruction),
      });
    const first = result === "" ? "" : `${result} = `;
    const at = hasOffsets ? ` ; 0x${((module.offsets[instruction] ?? 0) * 4).toString(16).padStart(8, "0")}` : "";
    lines.push(`${isIndented ? first.padStart(COLUMN) : first}${text}${at}`);
  }
  return ok(`${lines.join("\n")}\n`);
}
