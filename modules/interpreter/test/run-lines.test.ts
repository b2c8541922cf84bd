// SPDX-License-Identifier: Apache-2.0
// Functions by run lines: golden files, and every corner case of the IR's ops.
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { checkRunLines, readRunLines } from "@muxkit/interpreter";
import { type Module, describeVerifierError, parseModule, verifyModule } from "@muxkit/ir";
import { expect, test } from "vitest";

function parsed(text: string): Module {
  const result = parseModule(text);
  if (!result.ok) throw new Error(`${result.error.line}: ${result.error.message}`);
  expect(verifyModule(result.value).map(describeVerifierError)).toEqual([]);
  return result.value;
}

for (const file of ["control.ir", "memory.ir"]) {
  test(`golden/${file}`, () => {
    const text = readFileSync(join(import.meta.dirname, "golden", file), "utf8");
    expect(checkRunLines(parsed(text), text)).toEqual({ ok: true, value: [] });
  });
}

test("every corner case of the ops", () => {
  const file = join(import.meta.dirname, "../../ir/test/op-cases.txt");
  const lines: string[] = ['module "ops" pointers 4 4 4 4 4 size_t 32'];
  let name = "";
  for (const [i, line] of readFileSync(file, "utf8").split("\n").entries()) {
    if (line.startsWith(";") || line === "") continue;
    const [, op, kind = "", list = "", type = ""] = /^(\w+)(?: (\{\w+\}))? \((.*)\) -> (.+)$/u.exec(line) ?? [];
    if (op === undefined) {
      const [operands = "", result = ""] = line.split(" = ");
      lines.push(`; run: %${name}(${operands}) == ${result}`);
      continue;
    }
    name = `c${i}`;
    const types = list.split(/, (?![^<]*>)/u);
    lines.push(
      `func @${name}(${types.map((own, j) => `%${j}: ${own}`).join(", ")}) -> ${type} {`,
      "^0:",
      `  %r = ${op} ${types.map((_, j) => `%${j}`).join(", ")}${kind}: ${type}`,
      "  ret %r",
      "}",
    );
  }
  const text = lines.join("\n");
  const module = parsed(text);
  const found = readRunLines(module, text);
  expect(found.ok && found.value.length > 250).toBe(true);
  expect(checkRunLines(module, text)).toEqual({ ok: true, value: [] });
});

const IDENTITY = `module "m" pointers 4 size_t 32
func @same(%x: f32) -> f32 {
^0:
  ret %x
}
func @nothing() {
^0:
  ret
}
`;

const check = (line: string): unknown => checkRunLines(parsed(IDENTITY), line);

test("a run line that fails is reported, with the actual result", () => {
  expect(check("; run: %same(1.0) == 2.0")).toEqual({
    ok: true,
    value: ["line 1: ; run: %same(1.0) == 2.0: it returns 1.0"],
  });
  expect(check("; run: %same(1.0) traps")).toEqual({
    ok: true,
    value: ["line 1: ; run: %same(1.0) traps: it returns 1.0"],
  });
  expect(check("; run: @same(0x7fc00000) == 0x7fa00001")).toEqual({ ok: true, value: [] });
  expect(check("; run: @same(0.0) == -0.0")).toEqual({
    ok: true,
    value: ["line 1: ; run: @same(0.0) == -0.0: it returns 0.0"],
  });
});

test("a run line that cannot be read is an error with its line", () => {
  expect(check("; run: same 1")).toEqual({
    ok: false,
    error: "line 1: a run line is `; run: %f(1, 2) == 3` or `; run: %f(1, 2) traps`",
  });
  expect(check("; run: %other() == 1")).toEqual({ ok: false, error: "line 1: there is no function @other" });
  expect(check("; run: %same() == 1")).toEqual({ ok: false, error: "line 1: @same takes 1 operands, 0 were passed" });
  expect(check("; run: %same(x) == 1")).toEqual({
    ok: false,
    error: "line 1: operand 0: a number or null expected, not x",
  });
  expect(check("; run: %same(1) == <1>")).toEqual({
    ok: false,
    error: "line 1: result: a constant of type f32 expected",
  });
});

test("another executor can be passed", () => {
  const calls: string[] = [];
  const result = checkRunLines(
    parsed(IDENTITY),
    "; run: %same(1.0) == 1.0\n; run: %same(2.0) traps",
    (_, name, operands) => {
      calls.push(`${name}/${operands.length}`);
      return operands[0]?.low === 0x3f800000 ? { ok: true, value: operands[0] } : { ok: false, error: "trapped" };
    },
  );
  expect(result).toEqual({ ok: true, value: [] });
  expect(calls).toEqual(["same/1", "same/1"]);
});
