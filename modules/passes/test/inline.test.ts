// SPDX-License-Identifier: Apache-2.0
// The inliner's budgets: which calls stay when there are many of them.
import { Op } from "@muxkit/ir";
import { EMPTY_CONTEXT, runPasses } from "@muxkit/passes";
import { expect, test } from "vitest";

import { parsed } from "./cases.ts";

/** A function of a given number of instructions. */
function large(name: string, parameter: string, instructions: number): string {
  const lines = Array.from({ length: instructions }, (_, i) => `  %${i + 2} = mul %${i + 1}, ${i + 3}: i32`);
  return `func @${name}(%0: ${parameter}, %1: i32) -> i32 {\n^0:\n${lines.join("\n")}\n  ret %${instructions + 1}\n}\n`;
}

/** A function with a given number of calls of another one. */
function caller(name: string, callee: string, parameter: string, times: number, attribute: string = ""): string {
  const lines = Array.from({ length: times }, (_, i) => `  %${i + 2} = call @${callee} %0, %${i + 1}: i32`);
  const head = `func @${name}(%0: ${parameter}, %1: i32) -> i32 ${attribute}{\n`;
  return `${head}^0:\n${lines.join("\n")}\n  ret %${times + 1}\n}\n`;
}

/** Calls of `callee` that are left in `f` after inlining. */
function callsLeft(text: string, callee: string): number {
  const module = parsed(`module "m" pointers 4 4 4 4 4 size_t 32\n\n${text}`);
  runPasses(module, ["inline"], EMPTY_CONTEXT, { verifyEach: true });
  return (
    module.functions
      .get("f")
      ?.blocks.flatMap(({ instructions }) => instructions)
      .filter(({ op, symbol }) => op === Op.CALL && symbol?.name === callee).length ?? -1
  );
}

test.each([
  ["is inlined into few copies of its caller", 5, 0],
  ["stays a call when its caller is inlined many times", 12, 12],
])("a large function with one call %s", (_, times, left) => {
  const text = [
    large("large", "i32", 200),
    caller("between", "large", "i32", 1, "inline always "),
    caller("f", "between", "i32", times),
  ].join("\n");
  expect(callsLeft(text, "large")).toBe(left);
  expect(callsLeft(text, "between")).toBe(0);
});

test.each([
  ["ptr<private>", 0],
  ["<4 x ptr<private>>", 0],
  ["ptr<global>", 3],
  ["<4 x ptr<global>>", 3],
])("a function that takes %s is inlined for that only when the memory is private", (parameter, left) => {
  expect(callsLeft(`${large("large", parameter, 100)}\n${caller("f", "large", parameter, 3)}`, "large")).toBe(left);
});
