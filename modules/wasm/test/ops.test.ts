// SPDX-License-Identifier: Apache-2.0
// Every corner case of the IR's ops in WebAssembly: operands once from memory, once as constants.
import { parseModule } from "@muxkit/ir";
import { expect, test } from "vitest";

import { testOpCases } from "../../ir/test/run-op-cases.ts";
import { FEATURES, INPUT, OUTPUT, compile, moduleOf } from "./run.ts";

/**
 * What the generator refuses, since a target lowers it first: halves, exact remainders and sums of products, wide
 * products, masks as bits.
 */
const LOWERED_BEFORE = [
  /f16/u,
  /^frem /u,
  ...(FEATURES.includes("fused-madd") ? [] : [/^fma /u]),
  /^[su]mulh \((?:i64|<\d+ x i64>)/u,
  /^bitcast .*x i1>/u,
];

testOpCases({
  compile: (text) => compile(moduleOf(text)),
  input: INPUT,
  output: OUTPUT,
  loweredBefore: LOWERED_BEFORE,
  runs: true,
});

test("an op without an instruction is an error that names it, and not a trap", () => {
  const parsed = parseModule(`module "m" pointers 4 4 4 4 4 size_t 32
func @f(%a: i32) -> i32 {
^entry:
  %b = fadd %a, %a: i32
  ret %b
}
`);
  if (!parsed.ok) throw new Error(parsed.error.message);
  expect(() => compile(parsed.value)).toThrow("wasm cannot compute fadd of int 32: add a row");
});
