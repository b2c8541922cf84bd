// SPDX-License-Identifier: Apache-2.0
// `npm run soak -- --minutes 30`: random calls for so long, a figure every minute; fails when something is not as it
// must be, or memory grows. `--world SEED` runs one context again; `--faults none|commands|allocations` leaves faults
// out.
import { parseArgs } from "node:util";

import { SoakFailure } from "./journal.ts";
import { soak, soakOne } from "./soak.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string" },
    threads: { type: "string", default: "2" },
    world: { type: "string" },
    faults: { type: "string", default: "commands,allocations" },
  },
});
const faults = { commands: values.faults.includes("commands"), allocations: values.faults.includes("allocations") };
const seed = Number(values.seed ?? Date.now() % 2 ** 32);
const seconds = Number(values.minutes) * 60;
const threads = Number(values.threads);
if (![seed, seconds, threads].every((value) => value > 0)) {
  console.error("--minutes, --seed and --threads take numbers above 0");
  process.exit(2);
}
const print = (line: string): void => {
  console.log(line);
};
try {
  if (values.world === undefined) {
    print(`soak for ${values.minutes} minutes with ${threads} threads, seed ${seed}`);
    const { commands, worlds, refusals, late } = await soak({
      seconds,
      seed,
      threads,
      faults,
      every: Math.min(60, seconds / 10),
      report: print,
    });
    print(
      `${commands} commands in ${worlds} contexts, ${refusals} allocations refused, ` +
        `${late} late: everything was as it must be, and memory stays`,
    );
  } else print(`${await soakOne(Number(values.world), threads, faults)} commands: everything was as it must be`);
} catch (error) {
  if (!(error instanceof SoakFailure)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
