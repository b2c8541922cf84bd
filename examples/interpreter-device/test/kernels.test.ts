// SPDX-License-Identifier: Apache-2.0
// Both halves together pass the kernel suite: OpenCL C in, the right bytes out.
import { test } from "node:test";

import { unitKernelCases } from "@muxkit/unitkernel";

import { INTERPRETER_DEVICE_COMPILER } from "../compiler/source/index.ts";
import { INTERPRETER_DEVICE_TARGET } from "../runtime/source/index.ts";

for (const { name, run } of unitKernelCases({
  target: INTERPRETER_DEVICE_TARGET,
  compiler: INTERPRETER_DEVICE_COMPILER,
}))
  void test(name, run);
