// SPDX-License-Identifier: Apache-2.0
// What machine code costs beside its own running: the way to a first result in a warm process, by machine code alone,
// from a source that is new and from one that is kept; and a call from JavaScript, beside one of WebAssembly.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { type NativeFunction, openBridge } from "@muxkit/x64-runtime";

import { table } from "../bench/table.ts";
import { median } from "../median.ts";

const root = resolve(import.meta.dirname, "../..");
/** Builds of a process, of which the second half is warm. */
const BUILDS = 160;
const CALL_ROUNDS = 3000;
const CALLS = 2000;
/** `mov eax, edi; ret`: it returns its first argument. */
const CODE = Uint8Array.of(0x8b, 0xc7, 0xc3);
/** The same of five arguments, as WebAssembly. */
const MODULE = Uint8Array.from(
  [
    [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    [0x01, 0x0a, 0x01, 0x60, 0x05, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x01, 0x7f],
    [0x03, 0x02, 0x01, 0x00],
    [0x07, 0x05, 0x01, 0x01, 0x66, 0x00, 0x00],
    [0x0a, 0x06, 0x01, 0x04, 0x00, 0x20, 0x00, 0x0b],
  ].flat(),
);

interface Times {
  readonly least: number;
  readonly median: number;
}

function timesOf(times: readonly number[]): Times {
  return { least: Math.min(...times), median: median(times) };
}

/** ns a call. */
function timeCalls(call: NativeFunction): Times {
  const times: number[] = [];
  for (let round = 0; round < CALL_ROUNDS; round++) {
    const begin = performance.now();
    let sum = 0;
    for (let n = 0; n < CALLS; n++) sum += call(n, 0, 0, 0, 0);
    times.push(((performance.now() - begin) * 1e6) / CALLS);
    if (sum !== (CALLS * (CALLS - 1)) / 2) throw new Error(`the calls returned ${sum} in sum`);
  }
  return timesOf(times);
}

function calls(folder: string): readonly (readonly [name: string, times: Times])[] {
  const opened = openBridge(folder);
  if (!opened.ok) throw new Error(opened.error);
  const bridge = opened.value;
  const { buffer } = new WebAssembly.Memory({ initial: 1, maximum: 65_536, shared: true });
  const memory = bridge.memoryOf(new Uint8Array(buffer));
  if (!memory.ok) throw new Error(memory.error);
  const { f } = new WebAssembly.Instance(new WebAssembly.Module(MODULE)).exports;
  return [
    ["machine code", timeCalls(bridge.functionAt(bridge.place(CODE), memory.value, -1))],
    ["WebAssembly", timeCalls(f as NativeFunction)],
  ];
}

/** Measures what is bundled, in a process in which all kernels are machine code. */
function firstResults(folder: string): { readonly fresh: Times; readonly kept: Times } {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const text = execFileSync(process.execPath, [join(import.meta.dirname, "native-start-run.ts"), String(BUILDS)], {
    cwd: root,
    encoding: "utf8",
    env: { ...env, MUXKIT_NATIVE: "on", MUXKIT_CACHE: folder },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { fresh, kept } = JSON.parse(text) as { readonly fresh: readonly number[]; readonly kept: readonly number[] };
  return { fresh: timesOf(fresh), kept: timesOf(kept) };
}

/** Measures, and prints the tables. */
export function nativeCalls(): void {
  const folder = mkdtempSync(join(tmpdir(), "muxkit-native-calls-"));
  try {
    const { fresh, kept } = firstResults(folder);
    const row = (name: string, { least, median: middle }: Times): readonly string[] => [
      name,
      least.toFixed(1),
      middle.toFixed(1),
    ];
    console.log(
      table(
        ["a kernel of 50 lines, to its first result by machine code, ms", "least", "median"],
        [row("from a new source", fresh), row("from the cache", kept)],
        [0],
      ),
    );
    console.log(
      table(
        ["a call from JavaScript, ns", "least", "median"],
        calls(join(folder, "bridge")).map(([name, times]) => row(name, times)),
        [0],
      ),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
