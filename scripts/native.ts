// SPDX-License-Identifier: Apache-2.0
// `node --conditions=source scripts/native.ts [JOB …]`: kernels of the benchmark suite as WebAssembly and as machine
// code of x86-64 (`--tiers x64.3,x64.4`), on one thread, in turns. All get the same arguments and must leave the same
// bytes. `--print` shows the blocks of the last tier's code that ran most, with how often; `--ir` the IR that it is
// made of; `--object FILE` writes the bytes, for `objdump -D -b binary -m i386:x86-64 FILE`. Calls take a millisecond
// or less: the least of many is one that nothing else on the machine has disturbed.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { printModule } from "@muxkit/ir";
import { X64_TIERS, type X64TierName } from "@muxkit/x64";
import { openBridge, type Bridge } from "@muxkit/x64-runtime";

import { loadJob, makeInputs } from "../benchmarks/src/job.mjs";
import { geometricMean } from "./bench/interleaved-runs.ts";
import { jobsOrExit } from "./bench/groups.ts";
import { type BuiltJob, buildJob, printHotBlocks } from "./native/build.ts";
import { type JobBuffer, type Launch, JobMemory, placeBuffers, resetBuffers, writeLaunch } from "./native/launch.ts";
import { median } from "./median.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    group: { type: "string", default: "suite" },
    rounds: { type: "string", default: "60" },
    milliseconds: { type: "string", default: "1" },
    blocks: { type: "string", default: "8" },
    print: { type: "boolean", default: false },
    ir: { type: "boolean", default: false },
    width: { type: "string" },
    tiers: { type: "string" },
    tiny: { type: "boolean", default: false },
    object: { type: "string" },
  },
});

/** One way to run a kernel's work-groups. */
type Run = (end: number) => void;

function nativeRun(bridge: Bridge, { native }: BuiltJob, { args, dispatch, worker }: Launch): Run {
  const place = bridge.place(native.bytes);
  if (place === 0) throw new Error("no code space is left");
  const address = place + native.entry;
  return (end) => {
    bridge.setCode(address);
    if (bridge.call(args, dispatch, worker, 0, end, 0) !== 0) throw new Error(`native code ended by ${bridge.end}`);
  };
}

function wasmRun(memory: JobMemory, { wasm, kernel }: BuiltJob, { args, dispatch, worker }: Launch): Run {
  const module = new WebAssembly.Module(wasm);
  const { exports } = new WebAssembly.Instance(module, { env: { memory: memory.memory, clock: () => 0 } });
  const run = exports[kernel];
  if (typeof run !== "function") throw new Error(`${kernel} is not exported`);
  return (end) => void run(args, dispatch, worker, 0, end);
}

function timed(run: Run, groups: number, calls: number = 1): number {
  const begin = performance.now();
  for (let call = 0; call < calls; call++) run(groups);
  return performance.now() - begin;
}

/** How many work-groups take about the time that a call should: all of them where they take less. */
function groupsFor(run: Run, all: number, wanted: number): number {
  let groups = Math.min(all, 1);
  let time = timed(run, groups);
  while (groups < all && time < wanted / 2) {
    groups = Math.min(all, groups * (time < wanted / 16 ? 8 : 2));
    time = timed(run, groups);
  }
  return groups;
}

/** The bytes that a way of running leaves. */
function outcome(memory: JobMemory, buffers: readonly (JobBuffer | null)[], run: Run, groups: number): Buffer {
  resetBuffers(memory, buffers);
  run(groups);
  const written = buffers.filter((buffer) => buffer !== null && buffer.argument.access !== "r") as JobBuffer[];
  return Buffer.concat(written.map(({ address, contents }) => memory.bytes(address, contents.length)));
}

/** Least times in ms, of WebAssembly first, then of each tier, and what WebAssembly's are times each tier's: medians. */
interface Measured {
  readonly times: readonly number[];
  readonly ratios: readonly number[];
  readonly isEqual: boolean;
  readonly note: string;
}

function measure(path: string, bridge: Bridge, tiers: readonly X64TierName[]): Measured {
  const job = loadJob(path);
  makeInputs(job);
  const memory = new JobMemory();
  const buffers = placeBuffers(memory, job);
  const counters = memory.allocate(1 << 16);
  const width = values.width === undefined ? null : Number(values.width);
  const base = bridge.memoryOf(new Uint8Array(memory.memory.buffer));
  if (!base.ok) throw new Error(base.error);
  bridge.setMemory(base.value);
  const builds = tiers.map((tier) => buildJob(job, { counters: values.print ? counters : null, width, tier }));
  const built = builds.at(-1);
  if (built === undefined) throw new Error("no tier is asked for");
  if (values.ir) console.log(printModule(built.module));
  if (values.object !== undefined) writeFileSync(values.object, built.native.bytes);
  const wasmLaunch = writeLaunch(memory, job, built.wasmImage, buffers);
  const wasm = wasmRun(memory, built, wasmLaunch);
  const ways = [
    wasm,
    ...builds.map((one) => nativeRun(bridge, one, writeLaunch(memory, job, one.nativeImage, buffers))),
  ];
  const groups = groupsFor(wasm, wasmLaunch.groups, Number(values.milliseconds));
  const calls = Math.max(1, Math.floor(Number(values.milliseconds) / 2 / Math.max(0.001, timed(wasm, groups))));
  const expected = outcome(memory, buffers, wasm, groups);
  const isEqual = ways.every((way) => expected.equals(outcome(memory, buffers, way, groups)));
  const note = [built.wasmWidth, ...builds.map(({ nativeWidth }) => nativeWidth)].join("/");
  if (values.print) {
    memory.bytes(counters, 1 << 16).fill(0);
    ways.at(-1)?.(groups);
    printHotBlocks(built, memory.bytes(counters, 1 << 16), Number(values.blocks));
    return { times: [], ratios: [], isEqual, note };
  }
  const times = ways.map((): number[] => []);
  for (let round = 0; round < Number(values.rounds); round++)
    for (let at = 0; at < ways.length; at++) {
      const way = round % 2 === 0 ? at : ways.length - 1 - at;
      if (job.reset === true) resetBuffers(memory, buffers);
      times[way]?.push(timed(ways[way] as Run, groups, calls));
    }
  const [ofWasm = [], ...ofTiers] = times;
  return {
    times: times.map((own) => Math.min(...own)),
    ratios: ofTiers.map((own) => median(ofWasm.map((time, round) => time / (own[round] ?? Number.NaN)))),
    isEqual,
    note,
  };
}

const TIERS = X64_TIERS.map(({ name }) => name).filter(
  (name) => values.tiers === undefined || values.tiers.split(",").includes(name),
);

const jobs = jobsOrExit({
  groups: values.group,
  only: positionals.length === 0 ? undefined : positionals.join(","),
  isTiny: values.tiny,
}).filter(({ name }) => positionals.length > 0 || !name.startsWith("null_"));
if (jobs.some(({ group }) => group.name === "set-aside")) throw new Error("the untouched half is not for tuning");
const folder = mkdtempSync(join(tmpdir(), "muxkit-native-"));
const ratios = TIERS.map((): number[] => []);
try {
  const opened = openBridge(folder);
  if (!opened.ok) throw new Error(opened.error);
  console.log(
    `job                 wasm ms${TIERS.map((tier) => `  ${tier} ms: ratio of minima, of medians`).join("")}  lanes`,
  );
  for (const { name, path } of jobs) {
    try {
      const measured = measure(path, opened.value, TIERS);
      const [wasm = Number.NaN, ...natives] = measured.times;
      const columns = natives.map((native, tier) => {
        ratios[tier]?.push(wasm / native);
        return `${native.toFixed(3).padStart(10)} ${(wasm / native).toFixed(2).padStart(6)} ${(measured.ratios[tier] ?? 0).toFixed(2).padStart(6)}`;
      });
      console.log(
        `${name.padEnd(18)} ${wasm.toFixed(3).padStart(9)} ${columns.join(" ")}  ${measured.note}${measured.isEqual ? "" : "  DIFFERS"}`,
      );
    } catch (error) {
      console.log(`${name.padEnd(18)} ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (!values.print)
  TIERS.forEach((tier, i) => {
    const mean = geometricMean((ratios[i] ?? []).filter((ratio) => ratio > 0));
    console.log(`${tier}: geometric mean ${mean.toFixed(3)}`);
  });
