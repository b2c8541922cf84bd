// SPDX-License-Identifier: Apache-2.0
// How compile time grows with the program: `growth.ts front-end`, `growth.ts optimiser` or `growth.ts both`. Each is
// run in a process of its own: the front end is then measured with its own garbage and nobody else's.
import { linkProgram, openclC } from "@muxkit/compiler";
import { FINALIZE_PASSES, libraryContext } from "@muxkit/compiler-base";
import { hostModule } from "@muxkit/host-compiler";
import { LAYOUT_32, type Module } from "@muxkit/ir";
import { generateKernels } from "@muxkit/kernel-suite";
import { runPasses } from "@muxkit/passes";

import { median } from "./median.ts";

const WARM_UP_ROUNDS = 40;
const ROUNDS = 40;

/**
 * A time in ms, in two readings: processor time of the thread that compiles, which is its wall time on a machine that
 * does nothing else, and wall time as it was, others' work included. Collections of garbage that fall into the time
 * count in both; the engine's helper threads (its compilers, and its garbage collector) count as far as
 * the thread waits for them in the second.
 */
interface Time {
  readonly thread: number;
  readonly wall: number;
}

function now(): Time {
  const { user, system } = process.threadCpuUsage();
  return { thread: (user + system) / 1000, wall: performance.now() };
}

function since(begin: Time): Time {
  const end = now();
  return { thread: end.thread - begin.thread, wall: end.wall - begin.wall };
}

/** Preprocessor to linked IR. */
function frontEnd(source: string): Module {
  const module = hostModule({ extensions: ["cl_khr_fp64"] });
  const linked = linkProgram(module, openclC(source));
  if (!linked.ok) throw new Error(`${linked.error.message}\n${module.log}`);
  if (module.ir === null) throw new Error("a linked module holds IR");
  return module.ir;
}

function timeOfFrontEnd(source: string): Time {
  const begin = now();
  frontEnd(source);
  return since(begin);
}

function timeOfPasses(source: string): Time {
  const module = frontEnd(source);
  const begin = now();
  runPasses(module, FINALIZE_PASSES, libraryContext(LAYOUT_32));
  return since(begin);
}

/** Source to optimised IR. */
function timeOfBoth(source: string): Time {
  const begin = now();
  runPasses(frontEnd(source), FINALIZE_PASSES, libraryContext(LAYOUT_32));
  return since(begin);
}

const SUBJECTS: Readonly<Record<string, (source: string) => Time>> = {
  "front-end": timeOfFrontEnd,
  optimiser: timeOfPasses,
  both: timeOfBoth,
};

const [name = ""] = process.argv.slice(2);
const timeOf = SUBJECTS[name];
if (timeOf === undefined) throw new Error(`growth.ts takes ${Object.keys(SUBJECTS).join(" or ")}`);

function perSecond(lines: number, time: number): string {
  return Math.round(lines / (time / 1000))
    .toLocaleString("en")
    .padStart(9);
}

const warmUp = generateKernels(5000);
for (let round = 0; round < WARM_UP_ROUNDS; round++) timeOf(warmUp);
for (const factor of [1, 2, 4, 8]) {
  const source = generateKernels(1250 * factor);
  const lines = source.split("\n").length - 1;
  const times = Array.from({ length: ROUNDS }, () => timeOf(source));
  const thread = median(times.map((time) => time.thread));
  const wall = median(times.map((time) => time.wall));
  console.log(
    `generated file, ${factor}× (${lines} lines), ${name}: ` +
      `${thread.toFixed(1).padStart(5)} ms of processor time ${perSecond(lines, thread)} ` +
      `lines/s; ${wall.toFixed(1).padStart(5)} ms by the clock ${perSecond(lines, wall)} ` +
      "lines/s",
  );
}
