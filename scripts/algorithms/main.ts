// SPDX-License-Identifier: Apache-2.0
// `npm run bench:algorithms`: each algorithm beside the best that is known in JavaScript, at three sizes, and with
// `--pocl` beside PyOpenCL, CLBlast and clFFT on PoCL and NumPy. All sides run in turns; medians. `--markdown FILE`
// writes the page, `--only fft,sort`, `--sizes large` and `--rounds 5` choose.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { openDevice } from "muxkit";

import { named, orExit } from "../bench/groups.ts";
import { median } from "../median.ts";
import { SIZES, casesOf } from "./cases.ts";
import { type Peers, openPeers } from "./peers.ts";
import { type Other, type Row, type Time, machine, pageOf, tableOf } from "./report.ts";

/** Rounds that count; fewer where they take long. */
const ROUNDS = 15;
const LEAST_ROUNDS = 3;
/** Ms after which a row ends once it has the fewest rounds. */
const BUDGET = 4000;
/** Rounds before that at most, and ms: code is optimised on all sides in them. */
const EARLY_ROUNDS = 40;
const EARLY = 1500;

const { values: options } = parseArgs({
  options: {
    pocl: { type: "boolean", default: false },
    markdown: { type: "string" },
    only: { type: "string" },
    sizes: { type: "string" },
    rounds: { type: "string", default: String(ROUNDS) },
  },
});

/** One side of a row: what it is called, and how long it takes once. */
interface Side {
  readonly name: string;
  readonly kind: "ours" | "javascript" | "peer";
  readonly once: () => Promise<Time>;
}

/** Time on the clock, and time of processors by all threads of this process. */
async function timed(run: () => unknown): Promise<Time> {
  const used = process.cpuUsage();
  const begin = performance.now();
  await run();
  const ms = performance.now() - begin;
  const { user, system } = process.cpuUsage(used);
  return { ms, processor: (user + system) / 1000 };
}

function medianTime(times: readonly Time[]): Time {
  return { ms: median(times.map(({ ms }) => ms)), processor: median(times.map(({ processor }) => processor)) };
}

/** The medians of all sides in turns. A side that fails is said and left out. */
async function measure(name: string, sides: readonly Side[], rounds: number): Promise<ReadonlyMap<Side, Time>> {
  const times = new Map<Side, Time[]>(sides.map((side) => [side, []]));
  const phases = [
    { counts: false, least: 1, most: EARLY_ROUNDS, budget: EARLY },
    { counts: true, least: LEAST_ROUNDS, most: rounds, budget: BUDGET },
  ];
  for (const { counts, least, most, budget } of phases) {
    const begin = performance.now();
    for (let round = 0; round < most; round++) {
      if (round >= least && performance.now() - begin > budget) break;
      for (const [side, all] of times)
        try {
          // oxlint-disable-next-line no-await-in-loop -- all sides in turns
          const time = await side.once();
          if (counts) all.push(time);
        } catch (error) {
          if (side.kind !== "peer") throw error;
          console.error(`!! ${name}: ${error instanceof Error ? error.message : String(error)}`);
          times.delete(side);
        }
    }
  }
  return new Map([...times].map(([side, all]) => [side, medianTime(all)]));
}

/** The sides of a kind, the fastest first. */
function fastest(medians: ReadonlyMap<Side, Time>, kind: Side["kind"]): readonly Other[] {
  return [...medians]
    .filter(([side]) => side.kind === kind)
    .map(([{ name }, time]) => ({ name, time }))
    .toSorted((a, b) => a.time.ms - b.time.ms);
}

async function main(): Promise<void> {
  const sizes = orExit(() => named(SIZES, options.sizes, "size"));
  const peers: Peers | null = options.pocl ? await openPeers() : null;
  const rows: Row[] = [];
  const device = await openDevice();
  const subject = machine(device, peers?.here ?? []);
  console.log(`${subject}\n`);
  for (const size of sizes) {
    // oxlint-disable-next-line no-await-in-loop -- one size after the other, in one process
    const tables = (await peers?.prepare(size)) ?? {};
    const ofSize: Row[] = [];
    const cases = orExit(() => named(casesOf(device, size), options.only, "algorithm"));
    for (const { name, what, ours, rivals } of cases) {
      const sides: readonly Side[] = [
        { name: "Muxkit", kind: "ours", once: async () => await timed(ours) },
        ...Object.entries(rivals).map(([rival, run]): Side => ({
          name: rival,
          kind: "javascript",
          once: async () => await timed(run),
        })),
        ...Object.entries(tables)
          .filter(([, names]) => names.includes(name))
          .map(([library]): Side => ({
            name: library,
            kind: "peer",
            once: async () => await (peers as Peers).run(library, name),
          })),
      ];
      // oxlint-disable-next-line no-await-in-loop -- one row after the other
      const medians = await measure(name, sides, Number(options.rounds));
      const [own] = fastest(medians, "ours");
      const [javascript] = fastest(medians, "javascript");
      if (own === undefined || javascript === undefined) throw new Error(`${name} has no times`);
      ofSize.push({ size: size.name, name, what, ours: own.time, javascript, others: fastest(medians, "peer") });
    }
    console.log(tableOf(ofSize));
    rows.push(...ofSize);
  }
  peers?.close();
  device.close();
  if (options.markdown !== undefined) writeFileSync(options.markdown, pageOf(subject, rows));
}

await main();
