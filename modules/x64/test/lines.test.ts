// SPDX-License-Identifier: Apache-2.0
// Places in the source, from the IR to offsets of code; and where functions and their frames are.
import { Decoder, formAt } from "@muxkit/x64-assembler";
import { expect, test } from "vitest";

import { type X64Code, generateX64 } from "../source/module.ts";
import { moduleOf } from "./run.ts";

const TEXT = `func @callee(%a: i32, %b: i32) -> i32 {
^0:
  %q = sdiv %a, %b: i32 loc("k.cl":3:10 in "callee")
  ret %q loc("k.cl":3:3 in "callee")
}
func @f(%p: ptr<global>, %n: i32) -> i32 {
^0:
  %v = load %p {align 4}: i32 loc("k.cl":7:5 in "f")
  %w = mul %v, %n: i32 loc("k.cl":8:5 in "f")
  %x = call @callee %w, %v: i32 loc("k.cl":9:5 in "f")
  %y = add %x, %v: i32
  store %y, %p {align 4} loc("k.cl":10:5 in "f")
  ret %y loc("k.cl":11:3 in "f")
}
`;

/** Names of the instructions from an offset up to another. */
function names({ bytes }: X64Code, from: number, to: number): readonly string[] {
  const decoder = new Decoder();
  const found: string[] = [];
  for (let at = from; at < to; at += decoder.size) {
    expect(decoder.decode(bytes, at)).not.toBe(-1);
    found.push(formAt(decoder.form).name);
  }
  return found;
}

test("lines have the code of their instructions", () => {
  const code = generateX64(moduleOf(TEXT), { exports: ["f"], lines: true });
  const [callee, f] = code.functions;
  expect([callee?.name, f?.name]).toEqual(["callee", "f"]);
  // The first line of a function begins with it.
  expect(code.lines[0]?.offset).toBe(callee?.offset);
  expect(code.lines.map(({ location }) => location.line)).toEqual([3, 3, 7, 8, 9, 10, 11]);
  expect(code.lines[2]?.offset).toBe(f?.offset);
  const rangeOf = (line: number): readonly string[] => {
    const at = code.lines.findIndex(({ location }) => location.line === line);
    return names(code, code.lines[at]?.offset ?? 0, code.lines[at + 1]?.offset ?? code.codeBytes);
  };
  expect(rangeOf(8)).toContain("imul");
  expect(rangeOf(9)).toContain("call");
  // An instruction without a place belongs to the one before.
  expect(rangeOf(9)).toContain("add");
  expect(rangeOf(11)).toContain("ret");
});

test("frames are what the first instruction of a function takes", () => {
  const { bytes, functions, lines } = generateX64(moduleOf(TEXT), { exports: ["f"] });
  expect(lines).toEqual([]);
  const [callee, f] = functions;
  expect(callee?.frameBytes).toBe(0);
  const decoder = new Decoder();
  expect(decoder.decode(bytes, f?.offset ?? 0)).not.toBe(-1);
  expect(formAt(decoder.form).key).toBe("sub r64/m64, s32");
  expect(decoder.operands[1]).toBe(f?.frameBytes);
});
