// SPDX-License-Identifier: Apache-2.0
/**
 * `node --conditions=source scripts/x64-compile.ts`: how long the code generator of x86-64 takes, phase by phase, and
 * what it writes.
 *
 * The kernels of the jobs in `benchmarks/suite` and `benchmarks/suite/wider`, lowered for the machine, all together;
 * and generated functions of 1,000, 10,000 and 100,000 operations: one block, one loop, many small loops. The times are
 * processor times of the thread in milliseconds per 1,000 operations of the IR, the mean of as many rounds as
 * `--seconds=1` has room for, after some to warm up. (That clock may advance in steps of 10 ms: short runs say
 * nothing.) `--only=saxpy,gcd64` takes these jobs, `--jobs` prints a row for each of them too, `--sizes=1000` the
 * generated functions.
 */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { linkProgram, openclC } from "@muxkit/compiler";
import { FINALIZE_PASSES, buildCpuImage, libraryContext } from "@muxkit/compiler-base";
import { hostModule } from "@muxkit/host-compiler";
import { LAYOUT_32, type Module, parseModule } from "@muxkit/ir";
import { runPasses } from "@muxkit/passes";
import { X64_MACHINE, X64_PHASES, type X64Counts, type X64Phase, generateX64 } from "@muxkit/x64";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    jobs: { type: "boolean", default: false },
    seconds: { type: "string", default: "1" },
    sizes: { type: "string", default: "1000,10000,100000" },
  },
});

const COUNTED = ["instructions", "stores", "reloads", "copies", "constants", "frame"] as const;

/** What was written, and how long each phase took, in ms. */
interface Sums {
  readonly times: Readonly<Record<X64Phase, number>>;
  readonly counts: Readonly<Record<keyof X64Counts, number>>;
  readonly operations: number;
  readonly bytes: number;
}

/** Processor time of this thread, in ms. */
function now(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Compiles a lowered module. */
function compile(module: Module): Sums {
  const times = { selection: 0, "next use": 0, spill: 0, assign: 0, encode: 0 };
  const counts = { instructions: 0, stores: 0, reloads: 0, copies: 0, constants: 0, frame: 0 };
  const operations = [...module.functions.values()]
    .flatMap(({ blocks }) => blocks)
    .reduce((sum, { instructions }) => sum + instructions.length, 0);
  let begin = now();
  const { bytes } = generateX64(module, {
    exports: [],
    results: new Map([["env.clock", 0]]),
    observer: {
      phase: (phase) => {
        const end = now();
        if (phase !== null) times[phase] += end - begin;
        begin = end;
      },
      written: (_, own) => {
        for (const name of COUNTED) counts[name] += own[name];
        begin = now();
      },
    },
  });
  times.encode += now() - begin;
  return { times, counts, operations, bytes: bytes.length };
}

// Kernels of the suite.

interface Job {
  readonly name: string;
  readonly source: string;
  readonly kernel: string;
  readonly local: readonly number[];
}

function lowered(folder: string, { source, kernel }: Job): Module {
  const module = hostModule({ extensions: ["cl_khr_fp64", "cl_khr_fp16"], features: ["__opencl_c_images"] });
  const text = readFileSync(join(folder, source), "utf8");
  const linked = linkProgram(module, openclC(text));
  if (!linked.ok || module.ir === null) throw new Error(`${kernel}: ${module.log}`);
  const context = libraryContext(LAYOUT_32);
  runPasses(module.ir, FINALIZE_PASSES, context);
  let found: Module | undefined;
  buildCpuImage(
    {
      module: module.ir,
      context,
      only: kernel,
      specialization: null,
      optimize: true,
      vectorization: "auto",
      verifyEach: false,
      lowered: (ir) => (found = ir),
    },
    {
      target: "x64",
      machine: X64_MACHINE,
      generate: () => ({ name: ".x64", bytes: new Uint8Array(0), features: [], patches: [] }),
    },
  );
  if (found === undefined) throw new Error(`${kernel} was not lowered`);
  return found;
}

function suiteModules(): readonly (readonly [name: string, module: Module])[] {
  const suite = resolve(import.meta.dirname, "../benchmarks/suite");
  return globSync([join(suite, "*.json"), join(suite, "wider/*.json")])
    .toSorted()
    .flatMap((file) => {
      const job = JSON.parse(readFileSync(file, "utf8")) as Job;
      if (values.only !== undefined && !values.only.split(",").includes(job.name)) return [];
      return [[job.name, lowered(dirname(file), job)] as const];
    });
}

// Generated functions.

function pick(list: readonly string[], i: number): string {
  return list[Math.max(0, list.length - 1 - (i % 11))] ?? "";
}

/** Operations of a block: integers, floats and vectors, loads and stores, constants that come again and new ones. */
function body(size: number, prefix: string, integer: string, float: string, vector: string): readonly [string, string] {
  const lines: string[] = [];
  const ints = [integer];
  const floats = [float];
  const vectors = [vector];
  for (let i = 0; lines.length < size; i++) {
    const name = `%${prefix}${i}`;
    const address = `${name}p = address %m, ${pick(ints, 3 * i)} {scale 4, offset ${4 * (i % 64)}}: ptr<global>`;
    switch (i % 8) {
      case 0:
        lines.push(`${name} = add ${pick(ints, i)}, ${pick(ints, 5 * i)}: i32`);
        ints.push(name);
        break;
      case 1:
        lines.push(address, `${name} = load ${name}p {align 4}: <8 x f32>`);
        vectors.push(name);
        break;
      case 2:
        lines.push(`${name} = fma ${pick(vectors, i)}, ${pick(vectors, 7 * i)}, ${pick(vectors, 3 * i)}: <8 x f32>`);
        vectors.push(name);
        break;
      case 3:
        lines.push(`${name} = xor ${pick(ints, i)}, ${i % 3 === 0 ? 0x5bd1e995 : 1000 + i}: i32`);
        ints.push(name);
        break;
      case 4:
        lines.push(`${name} = fmul ${pick(floats, i)}, ${(i % 40) + 0.5}: f32`);
        floats.push(name);
        break;
      case 5:
        lines.push(
          `${name}s = splat ${pick(floats, i)}: <8 x f32>`,
          `${name} = fadd ${name}s, ${pick(vectors, i)}: <8 x f32>`,
        );
        vectors.push(name);
        break;
      case 6:
        lines.push(`${name} = mul ${pick(ints, i)}, ${pick(ints, 3 * i)}: i32`);
        ints.push(name);
        break;
      default:
        lines.push(address, `store ${pick(vectors, i)}, ${name}p {align 4}`);
    }
  }
  return [lines.map((line) => `  ${line}`).join("\n"), ints.at(-1) ?? integer];
}

const HEAD = "func @f(%m: ptr<global>, %n: i32, %x: f32) {\n^entry:\n  %v = splat %x: <8 x f32>\n";

function loop(size: number, prefix: string): string {
  const [text, last] = body(size - 3, prefix, `%${prefix}i`, "%x", "%v");
  return `  br ^${prefix}(0: i32)\n^${prefix}(%${prefix}i: i32):\n${text}
  %${prefix}j = add %${prefix}i, 1: i32
  %${prefix}c = slt %${prefix}j, ${last}: i1
  cond_br %${prefix}c, ^${prefix}(%${prefix}j: i32), ^${prefix}e\n^${prefix}e:\n`;
}

const GENERATED: Readonly<Record<string, (size: number) => string>> = {
  "one block": (size) => `${HEAD}${body(size, "b", "%n", "%x", "%v")[0]}\n  ret\n}`,
  "one loop": (size) => `${HEAD}${loop(size, "l")}  ret\n}`,
  "loops of 25": (size) => `${HEAD}${Array.from({ length: size / 25 }, (_, i) => loop(25, `l${i}x`)).join("")}  ret\n}`,
};

function generatedModule(text: string): Module {
  const result = parseModule(`module "m" pointers 4 4 4 4 4 size_t 32\n${text}`);
  if (!result.ok) throw new Error(`${result.error.line}: ${result.error.message}`);
  return result.value;
}

// The table.

/** Prints the row of modules that were compiled in several rounds, one after the other. */
function row(name: string, all: readonly (readonly Sums[])[]): void {
  const [first] = all;
  if (first === undefined) return;
  const sum = (of: (sums: Sums) => number): number => first.reduce((total, sums) => total + of(sums), 0);
  const operations = sum((one) => one.operations);
  const each = X64_PHASES.map((phase) => all.flat().reduce((total, { times }) => total + times[phase], 0) / all.length);
  const times = [...each, each.reduce((total, time) => total + time, 0)];
  const counts = [operations, sum((one) => one.bytes), ...COUNTED.map((one) => sum(({ counts: own }) => own[one]))];
  console.log(
    [
      name.padEnd(24),
      ...times.map((time) => ((1000 * time) / operations).toFixed(2).padStart(10)),
      ...counts.map((value) => String(value).padStart(12)),
    ].join(" "),
  );
}

const MOST_WARM_UP_ROUNDS = 20;
const LEAST_ROUNDS = 2;

/** Compiles modules for some time after some time to warm up. */
function measure(name: string, modules: readonly Module[]): void {
  const limit = 1000 * Number(values.seconds);
  const warm = now();
  for (let round = 0; round < MOST_WARM_UP_ROUNDS && now() - warm < limit; round++) modules.forEach(compile);
  const all: (readonly Sums[])[] = [];
  const begin = now();
  while (all.length < LEAST_ROUNDS || now() - begin < limit) all.push(modules.map(compile));
  row(name, all);
}

console.log("ms per 1,000 operations");
console.log(
  [
    "".padEnd(24),
    ...[...X64_PHASES, "all"].map((one) => one.padStart(10)),
    ...["operations", "bytes", ...COUNTED].map((one) => one.padStart(12)),
  ].join(" "),
);
const suite = suiteModules();
if (suite.length > 0) {
  const all = suite.map(([, module]) => module);
  row("suite, first time", [all.map(compile)]);
  measure("suite", all);
  if (values.jobs) for (const [name, module] of suite) measure(name, [module]);
}
const sizes = values.sizes
  .split(",")
  .map(Number)
  .filter((one) => one > 0);
for (const [name, make] of Object.entries(GENERATED))
  for (const size of sizes) measure(`${name}, ${size}`, [generatedModule(make(size))]);
