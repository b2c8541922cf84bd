// SPDX-License-Identifier: Apache-2.0
// How compile time grows with a kernel: every shape of large-shapes.ts in two sizes or more, and for each part of the
// compiler e in time = c · size^e between the last two of them. By itself:
//   npm run growth -- [--sizes=4000,16000] [--only=barriers,calls] [--most=1.4]
// Parts that take less than 50 ms are not told. The status is 1 when a part grows faster than `--most` allows. Times
// are processor times of the thread, each the least of three compiles: the engine's own compiler and its collector
// still disturb them, so a part that is found is to be looked at, not believed.
import { parseArgs } from "node:util";

import { LARGE_SHAPES, type LargeShape } from "./large-shapes.ts";

/** Time of each part of one compile, in µs. */
type Times = ReadonlyMap<string, number>;

/** The key by which copies of the compiler find the tracer of their process. */
const TRACER_KEY = Symbol.for("muxkit.tracer");
/** Compiles of each size. */
const ROUNDS = 3;
/** Parts that take less time, in µs, say nothing about growth. */
const LEAST = 50_000;

function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

/** A tracer that sums up the time of each part, without that of the parts within. */
class PartClock {
  private times = new Map<string, number>();
  private ended: { readonly begin: number; readonly duration: number }[] = [];

  /** See `Tracer`. */
  now(): number {
    return threadTime();
  }

  /** See `Tracer`. */
  span(category: string, name: string, begin: number): void {
    const duration = threadTime() - begin;
    let within = 0;
    for (let last = this.ended.at(-1); last !== undefined && last.begin >= begin; last = this.ended.at(-1)) {
      within += last.duration;
      this.ended.pop();
    }
    this.ended.push({ begin, duration });
    const part = category === "pass" ? name : name === "build" ? "code generator and rest" : name;
    this.times.set(part, (this.times.get(part) ?? 0) + duration - within);
  }

  /** The times since the last call. */
  take(): Times {
    const { times } = this;
    this.times = new Map();
    this.ended = [];
    return times;
  }
}

/** Numbers that a seed decides (xorshift). */
function numbers(seed: number): (below: number) => number {
  let state = seed | 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % Math.max(1, below);
  };
}

/** The least time of each part over some compiles. */
function timesOf(compile: () => void, clock: PartClock): Times {
  const least = new Map<string, number>();
  for (let i = 0; i < ROUNDS; i++) {
    clock.take();
    compile();
    for (const [part, time] of clock.take()) least.set(part, Math.min(time, least.get(part) ?? time));
  }
  return least;
}

/** Prints how a shape grows; the parts that grow too fast. */
function tell({ name }: LargeShape, sizes: readonly number[], times: readonly Times[], most: number): number {
  const [before, last] = [times.at(-2), times.at(-1)];
  if (before === undefined || last === undefined) return 0;
  const factor = Math.log((sizes.at(-1) ?? 1) / (sizes.at(-2) ?? 1));
  let wrong = 0;
  for (const [part, time] of [...last].toSorted(([, a], [, b]) => b - a)) {
    if (time < LEAST) continue;
    const exponent = Math.log(time / (before.get(part) ?? 1)) / factor;
    if (exponent > most) wrong++;
    const list = times.map((one) => ((one.get(part) ?? 0) / 1000).toFixed(0).padStart(6)).join("");
    console.log(`${list} ms  ${exponent.toFixed(2)}${exponent > most ? " !" : "  "} ${name}: ${part}`);
  }
  return wrong;
}

const { values } = parseArgs({
  options: {
    sizes: { type: "string", default: "4000,16000" },
    only: { type: "string", default: "" },
    most: { type: "string", default: "1.4" },
  },
});
const sizes = values.sizes.split(",").map(Number);
if (sizes.length < 2 || sizes.some((size) => !(size > 0)))
  throw new Error(`--sizes: "${values.sizes}" is no list of two sizes or more`);
const clock = new PartClock();
(globalThis as { [TRACER_KEY]?: PartClock })[TRACER_KEY] = clock;
// The compiler looks for the tracer when it is loaded.
const { build } = await import("@muxkit/kernel-suite");
let wrong = 0;
for (const shape of LARGE_SHAPES) {
  if (!values.only.split(",").some((part) => shape.name.includes(part))) continue;
  const times = sizes.map((size) => {
    const source = shape.write(size, numbers(1));
    return timesOf(() => build(source, { verifyEach: false }), clock);
  });
  wrong += tell(shape, sizes, times, Number(values.most));
}
console.log(wrong === 0 ? "no part grows too fast" : `${wrong} parts grow too fast`);
process.exitCode = wrong === 0 ? 0 : 1;
