// SPDX-License-Identifier: Apache-2.0
// Client threads with objects of their own and shared ones for some time, and what that takes of the machine. By
// itself, ten minutes:
//   npm run icd-soak -- [--threads=32] [--seconds=600] [--seed=1]
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { type Usage, present, remains, serversOf, usageOf } from "./remains.ts";
import { type Driver, compile, makeDriver, removeDriver } from "./rig.ts";

/** How it went. */
export interface Soak {
  readonly status: number | null;
  readonly output: string;
  /** A sample each second. */
  readonly client: readonly Usage[];
  readonly server: readonly Usage[];
  /** The leftovers. */
  readonly left: readonly string[];
}

/** Runs it. */
export async function soak(
  driver: Driver,
  threads: number,
  seconds: number,
  seed: number,
  tell: (line: string) => void = () => {},
): Promise<Soak> {
  const before = present(driver);
  const child = spawn(compile(driver, "soak.c"), [threads, seconds, seed].map(String), {
    env: driver.environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    tell(text.trimEnd());
  });
  const [client, server]: [Usage[], Usage[]] = [[], []];
  const timer = setInterval(() => {
    const [id] = serversOf(driver);
    const [own, other] = [usageOf(child.pid ?? 0), id === undefined ? null : usageOf(id)];
    if (own === null || other === null) return;
    client.push(own);
    server.push(other);
  }, 1000);
  const status = await new Promise<number | null>((resolve) => {
    child.on("close", resolve);
  });
  clearInterval(timer);
  return { status, output, client, server, left: await remains(driver, before) };
}

/** Greatest value of a part of the samples, from one share of the time to another. */
export function most(samples: readonly Usage[], key: keyof Usage, from: number, to: number): number {
  return Math.max(
    ...samples.slice(Math.floor(samples.length * from), Math.ceil(samples.length * to)).map((usage) => usage[key]),
  );
}

/**
 * The samples since a process has had all of its threads: each one that starts brings descriptors of its event loop.
 * The server's start late, with the first large launches and the first variant that is compiled.
 */
export function settled(samples: readonly Usage[]): readonly Usage[] {
  const threads = most(samples, "threads", 0, 1);
  return samples.slice(samples.findIndex((usage) => usage.threads === threads));
}

/**
 * The most threads that a server may have: one for each processor, and at most 16 for the engine, the file system, the
 * compiler, and the wait for the library's end.
 */
export const MOST_THREADS: number = availableParallelism() + 16;

const MIB = 2 ** 20;
/**
 * Samples until the engine has compiled and optimised what servers run, and its heaps have their sizes; a soak that
 * lasts less than three times as long says nothing of memory.
 */
const WARM_UP = 60;
const SAMPLES_A_LINE = 60;
/** How much more memory the last fifth of the time may take than the first half after the warm-up, as a factor. */
const MOST_GROWTH = 1.1;

/** Two lines for a process; true when its memory, its descriptors and its threads stay what they were. */
function judge(name: string, samples: readonly Usage[]): boolean {
  const isLong = samples.length >= 3 * WARM_UP;
  const [early, late] = [
    most(samples, "memory", isLong ? WARM_UP / samples.length : 0, 0.5),
    most(samples, "memory", 0.8, 1),
  ];
  const steady = settled(samples);
  const [first, last] = [most(steady, "descriptors", 0, 0.5), most(steady, "descriptors", 0.5, 1)];
  const threads = most(samples, "threads", 0, 1);
  console.log(
    `${name}, most MiB of each minute: ` +
      Array.from({ length: Math.ceil(samples.length / SAMPLES_A_LINE) }, (_, i) =>
        (most(samples.slice(i * SAMPLES_A_LINE, (i + 1) * SAMPLES_A_LINE), "memory", 0, 1) / MIB).toFixed(0),
      ).join(" "),
  );
  console.log(
    `${name}: at most ${(early / MIB).toFixed(1)} MiB in the first half, ` +
      `${(late / MIB).toFixed(1)} MiB in the last fifth${isLong ? "" : " (too short to judge)"}; ` +
      `${first} and ${last} descriptors with all of ${threads} threads`,
  );
  return (!isLong || late <= early * MOST_GROWTH) && last <= first;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      threads: { type: "string", default: "32" },
      seconds: { type: "string", default: "600" },
      seed: { type: "string", default: "1" },
    },
  });
  const driver = makeDriver();
  const { status, client, server, left } = await soak(
    driver,
    Number(values.threads),
    Number(values.seconds),
    Number(values.seed),
    console.log,
  );
  const isFlat =
    [judge("client", client), judge("server", server)].every(Boolean) && most(server, "threads", 0, 1) <= MOST_THREADS;
  console.log(left.length === 0 ? "nothing is left behind" : `left behind: ${left.join(", ")}`);
  removeDriver(driver);
  process.exitCode = status === 0 && isFlat && left.length === 0 ? 0 : 1;
}
