// SPDX-License-Identifier: Apache-2.0
// Every corner case of the IR's ops in machine code: operands once from memory, once as constants.
import { parseModule } from "@muxkit/ir";
import { describe, expect, test } from "vitest";

import { testOpCases } from "../../ir/test/run-op-cases.ts";
import { compilerOf, INPUT, moduleOf, NATIVE, OUTPUT, TIERS } from "./run.ts";

/** What the generator refuses, since a target lowers it first: exact remainders, multiply-adds of halves, masks as bits. */
const LOWERED_BEFORE = [/^frem /u, /^fma \(f16/u, /^bitcast .*x i1>/u];

describe.skipIf(NATIVE === null).each(TIERS)("%s", (tier) => {
  const compile = compilerOf(tier);

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
    expect(() => compile(parsed.value)).toThrow(
      "x64 cannot compute %1 = fadd %0, %0: i32 in @f: it has no instruction for these types",
    );
  });
});
