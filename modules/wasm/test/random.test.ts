// SPDX-License-Identifier: Apache-2.0
// Every op on every type that it takes, on random and special operands: WebAssembly computes what the IR's semantics
// define.
import { testRandomOperands } from "../../ir/test/random-operands.ts";
import { FEATURES, OUTPUT, compile, moduleOf } from "./run.ts";

testRandomOperands({
  compile: (text) => compile(moduleOf(text)),
  output: OUTPUT,
  loweredBefore: FEATURES.includes("fused-madd") ? /^frem$/u : /^(?:frem|fma)$/u,
  runs: true,
});
