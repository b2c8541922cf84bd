// SPDX-License-Identifier: Apache-2.0
// Run lines: comments in a module's text with the results that its functions must have: `; run: %add(3, 4) == 7`. Any
// way to run IR can be checked against them.
import { type Result, err, ok } from "@muxkit/cargo";
import {
  type Constant,
  type Module,
  isFloat,
  numberOfFloatBits,
  parseConstant,
  printConstant,
  scalarOf,
} from "@muxkit/ir";

import { describeInterpreterError } from "./error.ts";
import { interpretFunction } from "./function.ts";
import { lanes, constantRegister } from "./register.ts";

/** The content of one run line. @public */
export interface RunLine {
  /** Line in the text, from 1. */
  readonly line: number;
  /** The line as it is written. */
  readonly text: string;
  /** Function to call. */
  readonly function: string;
  /** Its arguments. */
  readonly operands: readonly Constant[];
  /** The expected result; null: it must end with an error. */
  readonly expected: Constant | null;
}

/** Calls a function; the error is a sentence. @public */
export type RunFunction = (
  module: Module,
  name: string,
  operands: readonly Constant[],
) => Result<Constant | null, string>;

const LINE = /^\s*;\s*run:\s*[%@]([\w.$]+)\((.*)\)\s*(?:==\s*(.+?)|(traps))\s*$/u;

/** Parts between the commas outside of brackets. */
function split(list: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < list.length; i++) {
    const letter = list.charAt(i);
    if (letter === "<" || letter === "(") depth++;
    else if (letter === ">" || letter === ")") depth--;
    else if (letter === "," && depth === 0) {
      parts.push(list.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(list.slice(start));
  return list.trim() === "" ? [] : parts;
}

/** Reads the run lines in the text of a module; the error names the line. @public */
export function readRunLines(module: Module, text: string): Result<readonly RunLine[], string> {
  const found: RunLine[] = [];
  for (const [i, content] of text.split("\n").entries()) {
    if (!/^\s*;\s*run:/u.test(content)) continue;
    const where = `line ${i + 1}`;
    const [, name = "", list = "", value, traps] = LINE.exec(content) ?? [];
    const fn = module.functions.get(name);
    if (value === undefined && traps === undefined)
      return err(`${where}: a run line is \`; run: %f(1, 2) == 3\` or \`; run: %f(1, 2) traps\``);
    if (fn === undefined) return err(`${where}: there is no function @${name}`);
    const texts = split(list);
    if (texts.length !== fn.parameters.length)
      return err(`${where}: @${name} takes ${fn.parameters.length} operands, ${texts.length} were passed`);
    const operands: Constant[] = [];
    for (const [j, { type }] of fn.parameters.entries()) {
      const operand = parseConstant(texts[j] ?? "", type);
      if (!operand.ok) return err(`${where}: operand ${j}: ${operand.error.message}`);
      operands.push(operand.value);
    }
    const expected = value === undefined ? ok(null) : parseConstant(value, fn.returnType);
    if (!expected.ok) return err(`${where}: result: ${expected.error.message}`);
    found.push({ line: i + 1, text: content.trim(), function: name, operands, expected: expected.value });
  }
  return ok(found);
}

/** True for the same bits, and for two NaNs (docs/decisions/016-nan-bits.md). @public */
export function sameValue(left: Constant, right: Constant): boolean {
  if (left.type !== right.type) return false;
  const { bits } = scalarOf(left.type);
  const others = lanes(constantRegister(right));
  return lanes(constantRegister(left)).every((lane, i) => {
    const other = others[i] ?? 0n;
    return (
      lane === other ||
      (isFloat(left.type) &&
        Number.isNaN(numberOfFloatBits(lane, bits)) &&
        Number.isNaN(numberOfFloatBits(other, bits)))
    );
  });
}

const byInterpreter: RunFunction = (module, name, operands) => {
  const result = interpretFunction(module, name, operands);
  return result.ok ? result : err(describeInterpreterError(result.error));
};

/**
 * Makes the calls of the run lines in a text; returns a sentence for each that fails. Without `run`, the interpreter
 * is used.
 *
 * @public
 */
export function checkRunLines(
  module: Module,
  text: string,
  run: RunFunction = byInterpreter,
): Result<readonly string[], string> {
  const found = readRunLines(module, text);
  if (!found.ok) return found;
  const failures: string[] = [];
  for (const { line, text: own, function: name, operands, expected } of found.value) {
    const result = run(module, name, operands);
    if (result.ok && expected !== null && result.value !== null && sameValue(result.value, expected)) continue;
    if (!result.ok && expected === null) continue;
    let got = "it fails: ";
    if (result.ok) got = result.value === null ? "it returns nothing" : `it returns ${printConstant(result.value)}`;
    else got += result.error;
    failures.push(`line ${line}: ${own}: ${got}`);
  }
  return ok(failures);
}
