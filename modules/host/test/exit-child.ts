// SPDX-License-Identifier: Apache-2.0
// A program of its own for the tests that watch a process end.
import { openCore, words } from "./core-rig.ts";

const rig = openCore();
const nothing = { waits: [], signals: [], fence: 0, deadline: 0, part: 0, callback: null, done: null } as const;
const name = process.argv[2];

if (name === "idle") {
  rig.run([rig.launch("fill", 1, [words(rig, 1).address, 1])]);
  process.stdout.write("idle\n");
} else if (name === "workers") {
  rig.core.host.startWorkers();
  rig.run([rig.launch("slow", 50_000, [words(rig, 50_000).address, 300])]);
  process.stdout.write("workers done\n");
} else {
  const batch = rig.batch([rig.launch("slow", 50_000, [words(rig, 50_000).address, 3000])]);
  void batch.dispatch({ ...nothing, done: () => process.stdout.write("complete\n") });
  process.stdout.write("end of main\n");
}
