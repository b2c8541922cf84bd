// SPDX-License-Identifier: Apache-2.0
// The runtime half passes the conformance suite of the runtime API with addresses above 4 GiB.
import assert from "node:assert/strict";
import { test } from "node:test";

import { buildKernel } from "@muxkit/unitkernel";
import { unitMuxCases } from "@muxkit/unitmux";

import { INTERPRETER_DEVICE_COMPILER } from "../../interpreter-device/compiler/source/index.ts";
import { INTERPRETER_DEVICE_64_TARGET } from "../register.ts";

const FILL = `
kernel void fill(global int* out, int value) {
  out[get_global_id(0)] = value + get_global_id(0);
}`;

const setup = { target: INTERPRETER_DEVICE_64_TARGET, compiler: INTERPRETER_DEVICE_COMPILER };
const cases = unitMuxCases({ target: INTERPRETER_DEVICE_64_TARGET, executable: buildKernel(setup, FILL) });

for (const entryPoint of new Set(cases.map((one) => one.entryPoint))) {
  const own = cases.filter((one) => one.entryPoint === entryPoint);
  void test(`${entryPoint}: ${own.length} cases`, () => {
    for (const { name, run } of own) assert.doesNotThrow(run, name);
  });
}
