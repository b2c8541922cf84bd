// SPDX-License-Identifier: Apache-2.0
// Both halves together pass the kernel cases with 64-bit pointers.
import { test } from "node:test";

import { unitKernelCases } from "@muxkit/unitkernel";

import { INTERPRETER_DEVICE_COMPILER } from "../../interpreter-device/compiler/source/index.ts";
import { INTERPRETER_DEVICE_64_TARGET } from "../register.ts";

for (const { name, run } of unitKernelCases({
  target: INTERPRETER_DEVICE_64_TARGET,
  compiler: INTERPRETER_DEVICE_COMPILER,
}))
  void test(name, run);
