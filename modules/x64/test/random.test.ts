// SPDX-License-Identifier: Apache-2.0
// Every op on every type that it takes, on random and special operands: machine code computes what the IR's semantics
// define.
import { describe } from "vitest";

import { testRandomOperands } from "../../ir/test/random-operands.ts";
import { compilerOf, moduleOf, NATIVE, OUTPUT, TIERS } from "./run.ts";

describe.skipIf(NATIVE === null).each(TIERS)("%s", (tier) => {
  const compile = compilerOf(tier);

  testRandomOperands({
    compile: (text) => compile(moduleOf(text)),
    output: OUTPUT,
    loweredBefore: /^frem$/u,
    runs: true,
  });
});
