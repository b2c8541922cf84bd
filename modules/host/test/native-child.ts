// SPDX-License-Identifier: Apache-2.0
// A program of its own for the test that a process ends while a worker is in native code that never ends.
import { VARIANT, openCore, workersUp } from "./core-rig.ts";
import { NATIVE_INDEX, NATIVE_KERNELS } from "./native-kernels.ts";

const rig = openCore({ native: "on", helps: false });
const { native } = rig.core;
if (!native.ok) throw new Error(native.error);
const placed = native.value.place(NATIVE_KERNELS, true);
if (!placed.ok) throw new Error(placed.error.message);
await workersUp(rig);
const batch = rig.batch([
  rig.launch("empty", 4, [], {
    kernel: { code: placed.value.code, functionIndex: NATIVE_INDEX.stubborn, variant: VARIANT },
    cost: { perItem: 1e9, measured: true },
  }),
]);
void batch.dispatch({ waits: [], signals: [], fence: 0, deadline: 0, part: 0, callback: null, done: null });
setTimeout(() => {
  process.stdout.write("running\n");
  process.exit(5);
}, 100);
