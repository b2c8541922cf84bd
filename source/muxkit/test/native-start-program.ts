// SPDX-License-Identifier: Apache-2.0
// A program of `native-start.test.ts`: so many launches of a kernel, and whether the bridge to machine code was loaded
// after the first one and after all of them.
import { readFileSync } from "node:fs";

import { openDeviceSync } from "muxkit";

const [launches = "1"] = process.argv.slice(2);
const ITEMS = 2 ** 18;

function isBridgeLoaded(): boolean {
  return /\/bridge-[\da-f]+\.node$/mu.test(readFileSync("/proc/self/maps", "utf8"));
}

const device = openDeviceSync();
const { scale } = device.build("kernel void scale(global float *x) { x[get_global_id(0)] *= 3.0f; }");
const values = device.array(new Float32Array(ITEMS).fill(1));
scale(ITEMS, values);
const [first] = values.readSync();
const isEarly = isBridgeLoaded();
const until = performance.now() + 60_000;
let count = 1;
for (; count < Number(launches) && !isBridgeLoaded() && performance.now() < until; count++) {
  values.write(new Float32Array(ITEMS).fill(1));
  scale(ITEMS, values);
  // The thread that compiles needs the core more than launches do.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
}
const last = values.readSync();
console.log(
  JSON.stringify({ first, isEarly, isLate: isBridgeLoaded(), isRight: last.every((value) => value === 3), count }),
);
device.close();
