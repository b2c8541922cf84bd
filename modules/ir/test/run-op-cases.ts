// SPDX-License-Identifier: Apache-2.0
// Every corner case of the IR's ops in code: operands once from memory, and each of two as a constant. For the tests of
// each code generator.
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { InternalError } from "@muxkit/cargo";
import { expect, test } from "vitest";

import type { CodeRunner } from "./random-operands.ts";

interface Case {
  readonly op: string;
  /** `{add}` of a reduction. */
  readonly kind: string;
  readonly types: readonly string[];
  readonly result: string;
  readonly operands: string;
  readonly expected: string;
}

/** Splits at commas that are outside of angle brackets. */
const COMMA = /, (?![^<]*>)/u;

function readCases(): readonly Case[] {
  const cases: Case[] = [];
  let head: Pick<Case, "op" | "kind" | "types" | "result"> | null = null;
  for (const line of readFileSync(join(import.meta.dirname, "op-cases.txt"), "utf8").split("\n")) {
    if (line === "" || line.startsWith(";")) continue;
    const [, op, kind = "", list = "", result = ""] = /^(\w+)(?: (\{\w+\}))? \((.*)\) -> (.+)$/u.exec(line) ?? [];
    if (op !== undefined) {
      head = { op, kind, types: list.split(COMMA), result };
      continue;
    }
    const [operands = "", expected = ""] = line.split(" = ");
    if (head !== null) cases.push({ ...head, operands, expected });
  }
  return cases;
}

/** Room for any value. */
const SLOT = 256;

/**
 * Functions that put the operands into memory, compute from there, compute from constants, and write what is expected.
 */
function textOf({ op, kind, types, result, operands, expected }: Case): string {
  const values = operands.split(COMMA);
  const loads = types
    .map(
      (type, i) =>
        `  %p${i} = address %in {offset ${i * SLOT}}: ptr<global>\n  %v${i} = load %p${i} {align 1}: ${type}`,
    )
    .join("\n");
  const stores = types
    .map(
      (type, i) =>
        `  %p${i} = address %in {offset ${i * SLOT}}: ptr<global>
  store ${values[i] ?? "0"}: ${type}, %p${i} {align 1}`,
    )
    .join("\n");
  const variables = types.map((_, i) => `%v${i}`).join(", ");
  // Of two operands of one type, each is a constant once.
  const isPair = types.length === 2 && types[0] === types[1];
  const mixed = isPair ? `%v0, ${values[1] ?? "0"}` : variables;
  const left = isPair ? `${values[0] ?? "0"}: ${types[0] ?? ""}, %v1` : variables;
  const arithmetic = (name: string, list: string, type: string = mixedTypes(list, types, result)): string =>
    `func @${name}(%in: ptr<global>, %out: ptr<global>) {
^0:
${loads}
  %r = ${op} ${list}${kind}: ${type}
  store %r, %out {align 1}
  ret
}
`;
  return `func @put(%in: ptr<global>) {
^0:
${stores}
  ret
}
${arithmetic("variable", variables)}${arithmetic("mixed", mixed)}
${arithmetic("left", left, result)}func @expected(%out: ptr<global>) {
^0:
  store ${expected}: ${result}, %out {align 1}
  ret
}
`;
}

/** The functions that the test compiles, one text a case, for who wants to see what code they reach. */
export function opCaseTexts(): readonly string[] {
  return readCases().map((item) => textOf(item));
}

/**
 * The types after an instruction: with a constant operand, that of the operands comes first where it differs from the
 * result's.
 */
function mixedTypes(list: string, types: readonly string[], result: string): string {
  const hasConstant = list.split(COMMA).some((operand) => !operand.startsWith("%"));
  return hasConstant && types[0] !== result ? `${types[0]}: ${result}` : result;
}

const FLOAT_BYTES: Readonly<Record<string, number>> = { f32: 4, f64: 8 };

/** Bytes as text, with one word for every NaN: arithmetic makes any of them. */
function shown(bytes: Uint8Array, type: string): string {
  const scalar = /(i1|i8|i16|i32|i64|f16|f32|f64)/u.exec(type)?.[1] ?? "";
  const size = FLOAT_BYTES[scalar];
  if (size === undefined) return [...bytes].join(" ");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.length / size }, (_, i) => {
    const value = size === 4 ? view.getFloat32(i * 4, true) : view.getFloat64(i * 8, true);
    return Number.isNaN(value) ? "NaN" : [...bytes.subarray(i * size, (i + 1) * size)].join(" ");
  }).join(" | ");
}

/** What compiles and runs the cases. */
export interface CaseRunner extends Omit<CodeRunner, "loweredBefore"> {
  /** Where operands are put, each in a slot of 256 bytes. */
  readonly input: number;
  /** Cases that the generator refuses, since a target lowers them first. */
  readonly loweredBefore: readonly RegExp[];
}

/** Adds the test of all cases. */
export function testOpCases({ compile, input, output, loweredBefore, runs }: CaseRunner): void {
  test.skipIf(!runs)("every case, with operands from memory and with constants", () => {
    const refused = new Map<string, string>();
    let done = 0;
    for (const item of readCases()) {
      let compiled: ReturnType<CodeRunner["compile"]>;
      const text = textOf(item);
      try {
        compiled = compile(text);
      } catch (error) {
        if (!(error instanceof InternalError))
          throw new Error(`${item.op} ${item.operands}:\n${text}`, { cause: error });
        refused.set(`${item.op} (${item.types.join(", ")}) -> ${item.result}`, error.message);
        continue;
      }
      const { call, bytes } = compiled;
      const result = (name: string, ...places: readonly number[]): string => {
        bytes.fill(0, output, output + SLOT);
        call(name, ...places);
        return shown(bytes.slice(output, output + SLOT), item.result);
      };
      call("put", input);
      const expected = result("expected", output);
      expect(result("variable", input, output), `${item.op} (${item.types.join(", ")}) ${item.operands}`).toBe(
        expected,
      );
      for (const way of ["mixed", "left"])
        expect(result(way, input, output), `${item.op} (${item.types.join(", ")}) ${item.operands}, ${way}`).toBe(
          expected,
        );
      done++;
    }
    expect(done).toBeGreaterThan(200);
    expect([...refused].filter(([name]) => !loweredBefore.some((pattern) => pattern.test(name)))).toEqual([]);
  });
}
