// SPDX-License-Identifier: Apache-2.0
// `run.sh faults`: what a user is told when something goes wrong on a GPU, each in a process of its own.
import { type CudaDriver, cudaTargetOf, openLibCuda } from "@muxkit/cuda";
import { readExecutable, writeExecutable } from "@muxkit/metadata";
import {
  DEFAULT_ALLOCATOR,
  MuxDescriptorType,
  type MuxNDRangeOptions,
  muxCommandNDRange,
  muxCreateExecutable,
} from "@muxkit/mux";

import { OpenDevice, must } from "./mux-device.ts";

const SOURCE = `
kernel void poke(global int* p, ulong at) { p[at] = 1; }
kernel void spin(global volatile int* p) { while (p[0] == 0); }`;

/** Text that the driver's compiler refuses. */
const NO_PTX = ".version 7.0\n.target sm_75\n.address_size 64\n.entry poke() { zzz.u32; }\n";

/** How long a kernel may run, in ms. */
const DEADLINE_MS = 500;
/** Work-items of a group, and of a range that has more groups than a GPU holds. */
const GROUP = 1024;
const MANY_ITEMS = 2 ** 20;
/** When a process is killed, in ms. */
const KILL_MS = 4000;

/** What a fault is made of. */
export interface FaultParts {
  readonly driver: CudaDriver;
  /** Compiles OpenCL C. */
  readonly build: (source: string) => Uint8Array;
}

function textOf(run: () => void): string {
  try {
    run();
    return "no error";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Runs a kernel over one work-item, or some, with a zeroed buffer and a number. */
function runner(
  { driver, build }: FaultParts,
  deadline: number,
): (name: string, number?: bigint, items?: number) => string {
  const open = new OpenDevice(cudaTargetOf(driver, { deadline }));
  const binary = build(SOURCE);
  const buffer = open.buffer(4096);
  return (name, number, items = 1) => {
    const options: MuxNDRangeOptions = {
      descriptors: [
        { type: MuxDescriptorType.buffer, buffer, offset: 0 },
        ...(number === undefined
          ? []
          : [{ type: MuxDescriptorType.plain_old_data, data: new Uint8Array(BigUint64Array.of(number).buffer) }]),
      ],
      localSize: [items === 1 ? 1 : GROUP, 1, 1],
      globalOffset: [0],
      globalSize: [items],
      dimensions: 1,
      firstGroup: null,
      groupCount: null,
    };
    return textOf(() => {
      const kernel = open.kernel(binary, name);
      open.run(open.commands((commands) => must(muxCommandNDRange(commands, kernel, options, []))));
    });
  };
}

/** Faults by name: the lines that a user sees. */
const FAULTS: Readonly<Record<string, (parts: FaultParts) => readonly string[]>> = {
  "wild access": (parts) => {
    const run = runner(parts, 0);
    return [run("poke", 2n ** 40n), run("poke", 0n)];
  },
  "endless kernel": (parts) => {
    const run = runner(parts, DEADLINE_MS);
    return [run("spin"), run("poke", 0n)];
  },
  "endless kernel that fills the GPU": (parts) => {
    const run = runner(parts, DEADLINE_MS);
    const list: string[] = [];
    for (let i = 0; i < 3; i++) {
      const begin = performance.now();
      const told = run("spin", undefined, MANY_ITEMS);
      list.push(`${told} (after ${(performance.now() - begin).toFixed(0)} ms)`, run("poke", 1n));
    }
    return list;
  },
  "endless kernel without a deadline": (parts) => [runner(parts, 0)("spin")],
  "no memory": ({ driver }) => {
    const open = new OpenDevice(cudaTargetOf(driver));
    return [
      textOf(() => {
        for (let i = 0; i < 64; i++) open.buffer(2 ** 34);
      }),
    ];
  },
  "refused code": ({ driver, build }) => {
    const open = new OpenDevice(cudaTargetOf(driver));
    const image = must(readExecutable(build(SOURCE)));
    const code = image.code.map((section) => ({ ...section, bytes: new TextEncoder().encode(NO_PTX) }));
    const binary = writeExecutable({ ...image, code });
    return [textOf(() => must(muxCreateExecutable(open.device, binary, DEFAULT_ALLOCATOR)))];
  },
  "no driver": () => {
    const opened = openLibCuda("libcuda-that-is-not-there.so.1");
    return [opened.ok ? "no error" : opened.error];
  },
};

/** Shows one fault. */
export function fault(name: string, parts: FaultParts): void {
  for (const line of FAULTS[name]?.(parts) ?? [`there is no fault ${name}`]) console.log(`  ${line}`);
}

/** Shows all of them; `again` runs this program in a new process, and kills it after some ms. */
export function faults(again: (words: readonly string[], killAfter?: number) => string): boolean {
  for (const name of Object.keys(FAULTS)) {
    const begin = performance.now();
    const isKilled = name.includes("without");
    let lines: string;
    try {
      lines = again(["fault", name], isKilled ? KILL_MS : undefined);
    } catch (error) {
      lines = `  ${isKilled ? "the process was killed" : String(error)}\n`;
    }
    console.log(`${name} (${((performance.now() - begin) / 1000).toFixed(1)} s):\n${lines.trimEnd()}`);
  }
  console.log(`after all that, a new process: first result after ${again(["first-result", "source"]).trim()} ms`);
  return true;
}
