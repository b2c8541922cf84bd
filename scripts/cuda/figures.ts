// SPDX-License-Identifier: Apache-2.0
// `run.sh figures`: what the runtime costs on a GPU, beside C where C can do the same. Prints the table of
// docs/cuda.md.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { CudaDriver, CudaGpu } from "@muxkit/cuda";
import { SIMT_LAUNCH_BYTES, simtLaunchOffset } from "@muxkit/kernel-abi";
import { findCode, readExecutable } from "@muxkit/metadata";
import {
  type MuxKernel,
  type MuxNDRangeOptions,
  type MuxTarget,
  muxCommandNDRange,
  muxCommandReadBuffer,
  muxCommandWriteBuffer,
  muxDispatch,
  muxTryWaitAsync,
} from "@muxkit/mux";

import { table } from "../bench/table.ts";
import { median } from "../median.ts";
import { OpenDevice, must } from "./mux-device.ts";

const LAUNCHES = 1000;
const ROUNDS = 21;
const COPY_BYTES = 2 ** 28;
const COPIES = 7;

/** What a figure is made of. */
export interface FigureParts {
  readonly driver: CudaDriver;
  readonly target: MuxTarget;
  /** An executable with a kernel `empty` without arguments. */
  readonly empty: Uint8Array;
  /** An executable with `fill(global int* out, int value)`. */
  readonly fill: Uint8Array;
  /** Runs this program again with other words; its output. */
  readonly again: (words: readonly string[]) => string;
  readonly folder: string;
}

interface Figure {
  readonly what: string;
  readonly value: string;
  readonly beside: string;
}

const RANGE: MuxNDRangeOptions = {
  descriptors: [],
  localSize: [64, 1, 1],
  globalOffset: [0],
  globalSize: [64],
  dimensions: 1,
  firstGroup: null,
  groupCount: null,
};

function times(rounds: number, run: () => void): number {
  return median(
    Array.from({ length: rounds }, () => {
      const begin = performance.now();
      run();
      return (performance.now() - begin) * 1000;
    }),
  );
}

/** µs of what launches cost, on both sides. */
type LaunchTimes = Readonly<Record<"launch" | "node" | "wait", number>>;

/** The same of ours, and what they are made of: the driver's call, and the recording before. */
type OwnTimes = LaunchTimes & Readonly<Record<"call" | "recording", number>>;

/** Processes on each side: times of launches vary from one to the next. */
const PROCESSES = 5;

/** Builds launches.c and calls it with the PTX of an empty kernel. */
function inC({ empty, folder }: FigureParts, work: string): () => LaunchTimes {
  const image = must(readExecutable(empty));
  const [record] = image.kernels;
  const [variant] = record?.variants ?? [];
  const bytes = simtLaunchOffset(record?.packedSize ?? 0) + SIMT_LAUNCH_BYTES;
  writeFileSync(join(work, "empty.ptx"), findCode(image, ".ptx")?.bytes ?? "");
  execFileSync("cc", ["-O2", "-w", "-o", join(work, "launches"), join(folder, "launches.c"), "-ldl"]);
  const words = [join(work, "empty.ptx"), variant?.functionName ?? "", String(bytes)];
  return () => JSON.parse(execFileSync(join(work, "launches"), words, { encoding: "utf8" })) as LaunchTimes;
}

/** What launches of an empty kernel cost in this process. */
export function launchTimes(target: MuxTarget, gpu: CudaGpu, empty: Uint8Array): OwnTimes {
  const open = new OpenDevice(target);
  const kernel = open.kernel(empty, "empty");
  const record = (): ReturnType<OpenDevice["commands"]> =>
    open.commands((commands) => {
      for (let i = 0; i < LAUNCHES; i++) must(muxCommandNDRange(commands, kernel, RANGE, []));
    });
  // Each of them is dispatched once: no graph.
  const lists = Array.from({ length: ROUNDS }, record);
  const launch = times(ROUNDS, () => {
    const next = lists.pop();
    if (next !== undefined) open.run(next);
  });
  const recording = times(ROUNDS, record);
  const repeated = record();
  for (let i = 0; i < 3; i++) open.run(repeated);
  const node = times(ROUNDS, () => {
    open.run(repeated);
  });
  const one = open.commands((commands) => must(muxCommandNDRange(commands, kernel, RANGE, [])));
  open.run(one);
  const wait = times(ROUNDS, () => {
    for (let i = 0; i < 100; i++) open.run(one);
  });
  return {
    launch: launch / LAUNCHES,
    recording: recording / LAUNCHES,
    node: node / LAUNCHES,
    wait: wait / 100,
    call: callTime(gpu, empty),
  };
}

/** The driver's call alone, of one launch again and again. */
function callTime(gpu: CudaGpu, empty: Uint8Array): number {
  const image = must(readExecutable(empty));
  const module = must(gpu.load(findCode(image, ".ptx")?.bytes ?? new Uint8Array(0)));
  const entry = must(gpu.entry(module, image.kernels[0]?.variants[0]?.functionName ?? ""));
  const launch = gpu.prepare(entry, { groups: [1, 1, 1], localSize: [64, 1, 1], dynamicLocal: 0 }, SIMT_LAUNCH_BYTES);
  const [stream, event] = [must(gpu.createStream()), must(gpu.createEvent(false))];
  const call = times(ROUNDS, () => {
    for (let i = 0; i < LAUNCHES; i++) must(gpu.start(stream, launch));
    must(gpu.record(event, stream));
    must(gpu.finish(event));
  });
  return call / LAUNCHES;
}

const micro = (value: number): string => `${value.toFixed(2)} µs`;

function launchFigures(parts: FigureParts): readonly Figure[] {
  const work = mkdtempSync(join(tmpdir(), "muxkit-launches-"));
  const [c, own]: [LaunchTimes[], OwnTimes[]] = [[], []];
  try {
    const file = join(work, "empty.bin");
    writeFileSync(file, parts.empty);
    const runC = inC(parts, work);
    for (let i = 0; i < PROCESSES; i++) {
      c.push(runC());
      own.push(JSON.parse(parts.again(["launch-times", file])) as OwnTimes);
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  const figure = (what: string, key: keyof OwnTimes): Figure => {
    const value = median(own.map((one) => one[key]));
    if (key === "call" || key === "recording") return { what, value: micro(value), beside: "" };
    const other = median(c.map((one) => one[key]));
    return { what, value: micro(value), beside: `${micro(other)} from C: ${(value / other).toFixed(2)}` };
  };
  return [
    figure("launch, many behind each other", "launch"),
    figure("the driver's call of it alone, by koffi", "call"),
    figure("recording a launch", "recording"),
    figure("node of a graph of 1000", "node"),
    figure("dispatch of one launch until it is waited for", "wait"),
  ];
}

async function promiseFigure(open: OpenDevice, kernel: MuxKernel): Promise<Figure> {
  const one = open.commands((commands) => must(muxCommandNDRange(commands, kernel, RANGE, [])));
  const list: number[] = [];
  for (let i = 0; i < 200; i++) {
    const begin = performance.now();
    must(muxDispatch(open.queue, one, open.fence, [], [], null));
    // One after the other: the time of one is asked.
    // oxlint-disable-next-line no-await-in-loop
    must(await muxTryWaitAsync(open.queue, Infinity, open.fence));
    list.push((performance.now() - begin) * 1000);
  }
  return { what: "dispatch of one launch until its promise is fulfilled", value: micro(median(list)), beside: "" };
}

function copyFigures(open: OpenDevice): readonly Figure[] {
  const buffer = open.buffer(COPY_BYTES);
  const speed = (array: Uint8Array, record: typeof muxCommandReadBuffer): string => {
    const commands = open.commands((list) => must(record(list, buffer, 0, array, [])));
    for (let i = 0; i < 3; i++) open.run(commands);
    const us = times(COPIES, () => {
      open.run(commands);
    });
    return `${(COPY_BYTES / us / 1000).toFixed(1)} GB/s`;
  };
  const shared = new Uint8Array(new SharedArrayBuffer(COPY_BYTES)).fill(1);
  const own = new Uint8Array(COPY_BYTES).fill(1);
  return [
    {
      what: "256 MiB of a SharedArrayBuffer to the GPU, from the third time on",
      value: speed(shared, muxCommandWriteBuffer),
      beside: "",
    },
    { what: "the same from it", value: speed(shared, muxCommandReadBuffer), beside: "" },
    { what: "256 MiB of an ArrayBuffer to the GPU", value: speed(own, muxCommandWriteBuffer), beside: "" },
    { what: "the same from it", value: speed(own, muxCommandReadBuffer), beside: "" },
  ];
}

function codeFigures(gpu: CudaGpu, empty: Uint8Array): readonly Figure[] {
  const ptx = findCode(must(readExecutable(empty)), ".ptx")?.bytes ?? new Uint8Array(0);
  const begin = performance.now();
  const cubin = must(gpu.compile(ptx));
  const compiled = performance.now() - begin;
  if (cubin === null) return [];
  const load = times(ROUNDS, () => {
    gpu.unload(must(gpu.load(cubin)));
  });
  const memory = times(ROUNDS, () => {
    for (let i = 0; i < 100; i++) gpu.free(must(gpu.allocate(1 << 20)));
  });
  return [
    { what: "compiling the PTX of an empty kernel", value: `${compiled.toFixed(1)} ms`, beside: "" },
    { what: "loading it from the cache", value: `${(load / 1000).toFixed(3)} ms`, beside: "" },
    { what: "allocating 1 MiB and giving it back", value: micro(memory / 100), beside: "" },
  ];
}

function coldFigures({ again, fill }: FigureParts): readonly Figure[] {
  const work = mkdtempSync(join(tmpdir(), "muxkit-first-"));
  const file = join(work, "fill.bin");
  const cold = (where: string): string =>
    `${median(Array.from({ length: 3 }, () => Number(again(["first-result", where])))).toFixed(0)} ms`;
  try {
    writeFileSync(file, fill);
    return [
      { what: "first result of a process, from an executable", value: cold(file), beside: "" },
      { what: "first result of a process, from source", value: cold("source"), beside: "" },
    ];
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Measures all, and prints a table. */
export async function figures(parts: FigureParts): Promise<boolean> {
  const open = new OpenDevice(parts.target);
  const kernel = open.kernel(parts.empty, "empty");
  const list = [
    ...launchFigures(parts),
    await promiseFigure(open, kernel),
    ...copyFigures(open),
    ...codeFigures(must(parts.driver.open(0)), parts.empty),
    ...coldFigures(parts),
  ];
  console.log(`${parts.driver.gpus[0]?.name ?? ""}, ${parts.driver.version}`);
  console.log(
    table(
      ["what", "Muxkit", "beside"],
      list.map(({ what, value, beside }) => [what, value, beside]),
      [0, 2],
    ),
  );
  return true;
}

/** Runs one kernel in a new process: ms since the process began, in which 64 words were written and read. */
export function firstResult(target: MuxTarget, fill: Uint8Array): number {
  const open = new OpenDevice(target);
  const kernel = open.kernel(fill, "fill");
  const buffer = open.buffer(256);
  const words = new Int32Array(64);
  open.run(
    open.commands((commands) => {
      const value = new Uint8Array(Int32Array.of(5).buffer);
      const descriptors = [
        { type: 0, buffer, offset: 0 },
        { type: 3, data: value },
      ] as const;
      must(muxCommandNDRange(commands, kernel, { ...RANGE, descriptors }, []));
      must(muxCommandReadBuffer(commands, buffer, 0, new Uint8Array(words.buffer), []));
    }),
  );
  if (words[63] !== 68) throw new Error(`the kernel left ${words[63]}`);
  return performance.now();
}
