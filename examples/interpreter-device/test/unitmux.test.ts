// SPDX-License-Identifier: Apache-2.0
// The runtime half passes the conformance suite of the runtime API.
import assert from "node:assert/strict";
import { test } from "node:test";

import { buildKernel } from "@muxkit/unitkernel";
import { unitMuxCases } from "@muxkit/unitmux";

import { INTERPRETER_DEVICE_COMPILER } from "../compiler/source/index.ts";
import { INTERPRETER_DEVICE_TARGET } from "../runtime/source/index.ts";

const FILL = "kernel void fill(global int* out, int value) { out[get_global_id(0)] = value + get_global_id(0); }";

const executable = buildKernel({ target: INTERPRETER_DEVICE_TARGET, compiler: INTERPRETER_DEVICE_COMPILER }, FILL);
const cases = unitMuxCases({ target: INTERPRETER_DEVICE_TARGET, executable });

for (const entryPoint of new Set(cases.map((one) => one.entryPoint))) {
  const own = cases.filter((one) => one.entryPoint === entryPoint);
  void test(`${entryPoint}: ${own.length} cases`, () => {
    for (const { name, run } of own) assert.doesNotThrow(run, name);
  });
}
