// SPDX-License-Identifier: Apache-2.0
// What the target adds to the kit: an extension with built-in functions of its own, and the cycles of launches.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Op } from "@muxkit/ir";
import { registerTarget } from "@muxkit/mux";
import { addCompilers } from "@muxkit/opencl";
import { openDevice } from "muxkit";

import { INTERPRETER_DEVICE_COMPILER } from "../compiler/source/index.ts";
import { type LaunchCycles, interpreterDeviceTarget } from "../runtime/source/index.ts";

const launches: LaunchCycles[] = [];
registerTarget(interpreterDeviceTarget({ onLaunch: (cycles) => launches.push(cycles) }));
addCompilers({ compilers: [INTERPRETER_DEVICE_COMPILER] });

const SUMS = `
#ifndef cl_example_byte_sums
#error the extension is missing
#endif
kernel void sums(global uint* out, global const uchar4* a, global const uchar4* b) {
  size_t i = get_global_id(0);
  out[i] = sum_of_differences(a[i], b[i]) + sum_of_bytes(out[i]);
}`;

void test("a built-in of the machine, and one that is linked from the extension's library", async () => {
  const device = await openDevice({ device: "interpreter-device" });
  const { sums } = device.build(SUMS);
  const out = device.array(Uint32Array.of(0x01020304, 0xffffffff));
  const [a, b] = [Uint8Array.of(1, 2, 3, 4, 255, 0, 9, 9), Uint8Array.of(4, 3, 2, 1, 0, 255, 9, 8)];
  sums(2, out, device.array(a), device.array(b));
  assert.deepEqual([...(await out.read())], [8 + 10, 511 + 1020]);
  device.close();
});

void test("the processor has neither the macro nor the functions", async () => {
  const device = await openDevice();
  assert.throws(() => device.build(SUMS), /the extension is missing/u);
  assert.throws(
    () => device.build("kernel void k(global uint* p) { p[0] = sum_of_bytes(p[1]); }"),
    /sum_of_bytes.*cl_example_byte_sums/su,
  );
  device.close();
});

void test("a launch's cycles are counted instruction by instruction", async () => {
  const device = await openDevice({ device: "interpreter-device" });
  const { cube } = device.build(`kernel void cube(global int* p) {
    size_t i = get_global_id(0);
    int v = p[i];
    p[i] = v * v * v;
  }`);
  launches.length = 0;
  const numbers = device.array(Int32Array.of(1, 2, 3, 4, 5));
  cube(5, numbers);
  assert.deepEqual([...(await numbers.read())], [1, 8, 27, 64, 125]);
  const [report] = launches;
  assert(report !== undefined);
  assert.equal(report.kernel, "cube");
  assert.equal(report.counts.get(Op.MUL), 10);
  assert.equal(report.counts.get(Op.LOAD), 5);
  // Two products of three cycles, a load and a store of twenty, and what computes addresses and ids.
  assert(report.cycles >= 5 * (2 * 3 + 40), `${report.cycles} cycles`);
  device.close();
});
