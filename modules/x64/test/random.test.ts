// SPDX-License-Identifier: Apache-2.0
// Every op on every type that it takes, on random and special operands: machine code computes what the IR's semantics
// define.
import { testRandomOperands } from "../../ir/test/random-operands.ts";
import { NATIVE, OUTPUT, compile, moduleOf } from "./run.ts";

testRandomOperands({
  compile: (text) => compile(moduleOf(text)),
  output: OUTPUT,
  loweredBefore: /^frem$/u,
  runs: NATIVE !== null,
});
