// SPDX-License-Identifier: Apache-2.0
// Text to running machine code: functions get their operands and leave their result in memory, so that every type and
// bit can pass. The code runs inside this process by an addon that gcc makes (`native.c`).
import { spawnSync } from "node:child_process";
import { readFileSync, existsSync } from "node:fs";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { featureBit, verifyCode } from "@muxkit/x64-assembler";
import { type Module, describeVerifierError, parseModule, verifyModule } from "@muxkit/ir";

import { generateX64 } from "../source/module.ts";
import { X64_TIERS, type X64TierName, x64Tier } from "../source/tier.ts";

/** Addresses of operands and of results, and of the private stack. */
export const INPUT = 1024;
export const OUTPUT = 2048;
const STACK = 0x8_0000;
const MEMORY = 0x20_0000;

/** Reads a module; throws for what does not parse or verify. */
export function moduleOf(text: string): Module {
  const result = parseModule(`module "m" pointers 4 4 4 4 4 size_t 32\n${text}`);
  if (!result.ok) throw new Error(`${result.error.line}: ${result.error.message}`);
  const [problem] = verifyModule(result.value);
  if (problem !== undefined) throw new Error(describeVerifierError(problem));
  return result.value;
}

interface Native {
  load(code: Uint8Array): number;
  call(code: number, memory: Uint8Array, words: BigInt64Array, stack: number): number;
}

/** How Linux calls features otherwise. */
const FLAG_NAMES: Readonly<Record<string, string>> = { lzcnt: "abm" };

/** Bits of the features that code of a tier may need. */
export function featureBits(tier: X64TierName): number {
  return x64Tier(tier).needs.reduce((bits, name) => bits | (featureBit(name) ?? 0), 0);
}

const FLAGS: ReadonlySet<string> = new Set(
  process.platform === "linux" && process.arch === "x64" && existsSync("/proc/cpuinfo")
    ? /^flags\s*:(.*)$/mu.exec(readFileSync("/proc/cpuinfo", "utf8"))?.[1]?.split(" ")
    : [],
);

function missingOf(needs: readonly string[]): readonly string[] {
  return needs.filter((name) => !FLAGS.has(FLAG_NAMES[name] ?? name));
}

function refuse(reason: string): null {
  process.stderr.write(`!! generated machine code is not run: ${reason}\n`);
  return null;
}

function makeNative(): Native | null {
  const [lowest] = X64_TIERS;
  if (lowest === undefined || missingOf(lowest.needs).length > 0)
    return refuse(`the machine is no x86-64 with ${lowest?.needs.join(", ")} under Linux`);
  if (spawnSync("gcc", ["--version"]).status !== 0) return refuse("gcc is not installed");
  const file = join(mkdtempSync(join(tmpdir(), "muxkit-x64-native-")), "native.node");
  const options = ["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", file, join(import.meta.dirname, "native.c")];
  const { status, stderr } = spawnSync("gcc", options, { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  const holder: { exports: unknown } = { exports: {} };
  process.dlopen(holder, file);
  return holder.exports as Native;
}

/** What runs code; null where it cannot be run. */
export const NATIVE: Native | null = makeNative();

/** Functions of a module, compiled, and the memory that they work on. */
export interface Compiled {
  readonly call: (name: string, ...args: readonly (number | bigint)[]) => number;
  readonly bytes: Uint8Array;
  readonly words: Int32Array;
  readonly code: Uint8Array;
}

function runnableTiers(): readonly X64TierName[] {
  return X64_TIERS.flatMap(({ name, needs }) => {
    const missing = missingOf(needs);
    if (missing.length === 0) return [name];
    refuse(`for ${name} the machine lacks ${missing.join(", ")}`);
    return [];
  });
}

/** The tiers whose code this machine runs; where nothing runs, one for tests to be skipped for. */
export const TIERS: readonly X64TierName[] = NATIVE === null ? ["x64.3"] : runnableTiers();

/** Compiles modules for a tier; all their functions are exported. `results`: what functions of the runtime return. */
export function compilerOf(tier: X64TierName): (module: Module, results?: ReadonlyMap<string, number>) => Compiled {
  return (module, results = new Map()) => compile(module, results, tier);
}

function compile(module: Module, results: ReadonlyMap<string, number>, tier: X64TierName): Compiled {
  const native = NATIVE;
  if (native === null) throw new Error("nothing runs code here");
  const exports = [...module.functions.values()].filter(({ blocks }) => blocks.length > 0).map(({ name }) => name);
  const { bytes: code, codeBytes, entries } = generateX64(module, { exports, results, tier });
  // Whatever a test generates has to pass as code from a file would.
  const verified = verifyCode({
    bytes: code,
    codeSize: codeBytes,
    entries: [...entries.values()].toSorted((a, b) => a - b),
    features: featureBits(tier),
    stackBytes: 2 ** 20,
  });
  if (!verified.ok) throw new Error(verified.error.reason);
  const address = native.load(code);
  const bytes = new Uint8Array(MEMORY);
  return {
    call: (name, ...args) => {
      const offset = entries.get(name);
      if (offset === undefined) throw new Error(`${name} is not exported`);
      const words = new BigInt64Array(8);
      args.forEach((value, i) => (words[i] = BigInt(value)));
      return native.call(address + offset, bytes, words, STACK);
    },
    bytes,
    words: new Int32Array(bytes.buffer),
    code,
  };
}
