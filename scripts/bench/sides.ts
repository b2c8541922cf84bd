// SPDX-License-Identifier: Apache-2.0
// Who runs the jobs: Muxkit with WebAssembly and with machine code, the same on Node 20, hand-written WebAssembly by
// the same runtime, PoCL, hand-written C.
// Each run is a process of its own.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { basename, delimiter, join, resolve } from "node:path";

import { compileHandWritten, writeHandExecutable } from "./hand-wasm.ts";

const root = resolve(import.meta.dirname, "..", "..");
const cache = join(root, "node_modules", ".cache", "muxkit");
const benchmarks = join(root, "benchmarks");
const MOST_OUTPUT = 1 << 26;
const JOB_TIMEOUT_MS = 300_000;

/** Times of one process, in ms. */
export interface Times {
  readonly median_ms: number;
  readonly build_ms: number;
  readonly first_ms: number;
}

/** A job's run: its times, or why there are none. */
export type Run = { readonly times: Times } | { readonly reason: string };

/**
 * Names of the sides, in the order of the table: `muxkit` is WebAssembly, `x64` all code of kernels as machine code,
 * `native` C.
 */
export const SIDES = ["muxkit", "x64", "node20", "hand", "pocl", "native"] as const;

/** One of {@link SIDES}, or another checkout of the project. */
export type SideName = (typeof SIDES)[number] | "before";

/** A program and what it is called with. */
export interface Call {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Whole processes of one launch each, from their start to their end, in ms. `cold` finds nothing of the program, `warm`
 * what the process before it left on disk.
 */
export interface FirstResult {
  readonly cold: number;
  readonly warm: number;
}

/** Runs jobs. */
export interface Side {
  readonly name: SideName;
  /** Runs a job once; outputs of its first launch go to the folder `dump`. */
  readonly run: (jobFile: string, dump: string) => Run;
  /**
   * Builds, launches once and ends, with nothing kept of any program and again with what that left; null: it cannot.
   */
  readonly first: (jobFile: string) => FirstResult | null;
}

/** How to run. */
export interface SideOptions {
  /** Folder for what is made on the way. */
  readonly work: string;
  /** Threads of the runtime; null: the default. */
  readonly threads: string | null;
  /** `--runs N` and the like, which all runners take. */
  readonly passed: readonly string[];
}

/** Runs a program that prints its times as JSON. */
export function runProgram({ command, args, env = {} }: Call): Run {
  const result = spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: MOST_OUTPUT,
    timeout: JOB_TIMEOUT_MS,
    env: { ...process.env, ...env },
  });
  if (result.error !== undefined) return { reason: result.error.message };
  if (result.status !== 0) {
    const lines = result.stderr.trim().split("\n");
    // A build log has more than the count of its errors.
    return {
      reason: (lines.find((line) => line.includes(": error: ")) ?? lines[0] ?? `exit code ${result.status}`).trim(),
    };
  }
  return { times: JSON.parse(result.stdout) as Times };
}

/** One launch, and no copy of the outputs. */
const ONE_LAUNCH = ["--runs", "1", "--warmup", "0", "--min-ms", "0", "--no-check"];

function wholeProcess(call: Call): number | null {
  const begin = performance.now();
  const run = runProgram(call);
  return "times" in run ? performance.now() - begin : null;
}

/** `forget` removes everything that is kept of programs; it returns the environment for that. */
function side(name: SideName, call: (jobFile: string) => Call, forget: () => Readonly<Record<string, string>>): Side {
  return {
    name,
    run: (jobFile, dump) => {
      const { args, ...rest } = call(jobFile);
      return runProgram({ ...rest, args: [...args, "--dump", dump] });
    },
    first: (jobFile) => {
      const { args, env, ...rest } = call(jobFile);
      const one = (): Call => ({ ...rest, args: [...args, ...ONE_LAUNCH], env: { ...env, ...forget() } });
      // Not counted: a side of JavaScript keeps what the engine makes of its own scripts, which an installed one has
      // long done.
      wholeProcess(one());
      const both = one();
      const [cold, warm] = [wholeProcess(both), wholeProcess(both)];
      return cold === null || warm === null ? null : { cold, warm };
    },
  };
}

/** Makes a file with a compiler when it is older than what it is made of; a sentence when that is not possible. */
export function built(
  name: string,
  sources: readonly string[],
  commands: (path: string) => readonly (readonly [command: string, args: readonly string[]])[],
  needs: string,
): { readonly path: string } | { readonly reason: string } {
  const path = join(cache, name);
  const newest = Math.max(...sources.map((source) => statSync(join(benchmarks, source)).mtimeMs));
  if (existsSync(path) && statSync(path).mtimeMs >= newest) return { path };
  mkdirSync(cache, { recursive: true });
  try {
    for (const [command, args] of commands(path)) execFileSync(command, args, { stdio: "pipe", cwd: benchmarks });
    return { path };
  } catch (error) {
    const first =
      error instanceof Error
        ? (error.message.split("\n").find((line) => line.includes("error") || line.includes("ENOENT")) ?? error.message)
        : String(error);
    return { reason: `benchmarks/${sources[0] ?? ""} cannot be compiled (${first.trim()}); install ${needs}` };
  }
}

/** What users get: the bundle, not the sources. */
export function cliOf(checkout: string): string {
  return join(checkout, "source/muxkit/dist/program/cli.cjs");
}

function muxkitSide(
  node: string,
  { work, threads, passed }: SideOptions,
  name: SideName,
  more: (jobFile: string) => readonly string[],
  { checkout = root, native = "off" }: { readonly checkout?: string; readonly native?: "off" | "on" } = {},
): Side {
  const list = threads === null ? [] : ["--threads", threads];
  const kept = join(work, `${name === "before" || name === "x64" ? name : "muxkit"}-cache`);
  return side(
    name,
    (jobFile) => ({
      command: node,
      args: [cliOf(checkout), "run", jobFile, "--json", "--no-check", ...list, ...passed, ...more(jobFile)],
      env: { MUXKIT_CACHE: kept, MUXKIT_NATIVE: native },
    }),
    () => {
      rmSync(join(kept, "programs"), { recursive: true, force: true });
      return {};
    },
  );
}

/** A Node of version 20 on the user's own PATH. */
function node20Side(options: SideOptions): Side | string {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((entry) => !entry.includes("node_modules"));
  const node = folders
    .map((entry) => join(entry, "node"))
    .find((path) => existsSync(path) && spawnSync(path, ["--version"], { encoding: "utf8" }).stdout.startsWith("v20."));
  return node === undefined ? "there is no Node 20 on the PATH" : muxkitSide(node, options, "node20", () => []);
}

/** Muxkit with machine code; a sentence where this machine runs none. */
function x64Side(options: SideOptions): Side | string {
  const told = spawnSync(process.execPath, [cliOf(root), "info", "--json"], {
    encoding: "utf8",
    env: { ...process.env, MUXKIT_NATIVE: "on" },
  });
  if (told.status !== 0) return told.stderr.trim();
  const { native } = JSON.parse(told.stdout) as { readonly native: { readonly reason: string | null } };
  return native.reason ?? muxkitSide(process.execPath, options, "x64", () => [], { native: "on" });
}

async function handSide(options: SideOptions): Promise<Side | string> {
  try {
    const module = await compileHandWritten();
    return muxkitSide(process.execPath, options, "hand", (jobFile) => {
      const path = join(options.work, `${basename(jobFile)}.hand`);
      if (!existsSync(path)) writeHandExecutable(jobFile, module, path);
      return ["--binary", path];
    });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function poclSide({ work, passed }: SideOptions): Side | string {
  const runner = built(
    "oclrun",
    ["oclrun.c", "src/job.h"],
    (path) => [["cc", ["-O2", "-ffp-contract=off", "-o", path, "oclrun.c", "-lOpenCL", "-lm"]]],
    "gcc, libc6-dev, ocl-icd-opencl-dev and opencl-headers",
  );
  if ("reason" in runner) return runner.reason;
  // oclrun writes its dumps only together with the figures of outputs.
  return side(
    "pocl",
    (jobFile) => ({
      command: runner.path,
      args: [jobFile, ...passed],
      env: { POCL_CACHE_DIR: join(work, "pocl-cache") },
    }),
    () => ({ POCL_CACHE_DIR: mkdtempSync(join(work, "pocl-cold-")) }),
  );
}

/** Compilers for the hand-written C, the first that is there. */
const CLANGS = ["clang-14", "clang", "clang-15", "clang-16", "clang-17", "clang-18", "clang-19"];

function nativeSide({ passed }: SideOptions): Side | string {
  const clang = CLANGS.find((name) => spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0);
  if (clang === undefined) return "clang is not installed (clang-14 and libomp-14-dev)";
  const runner = built(
    "natrun",
    ["natrun.c", "src/native.c", "src/native.h", "src/job.h"],
    (path) => [
      [clang, ["-O2", "-ffp-contract=off", "-c", "natrun.c", "-o", `${path}.main.o`]],
      [
        clang,
        [
          "-O3",
          "-march=native",
          "-ffast-math",
          "-fopenmp",
          "-fveclib=libmvec",
          "-c",
          "src/native.c",
          "-o",
          `${path}.native.o`,
        ],
      ],
      [clang, ["-fopenmp", "-o", path, `${path}.main.o`, `${path}.native.o`, "-lmvec", "-lm"]],
    ],
    "clang-14 and libomp-14-dev",
  );
  if ("reason" in runner) return runner.reason;
  return side(
    "native",
    (jobFile) => ({ command: runner.path, args: [jobFile, ...passed], env: { OMP_NUM_THREADS: "2" } }),
    () => ({}),
  );
}

/** The sides that can run here, and why others cannot. */
export async function openSides(
  wanted: ReadonlySet<SideName>,
  options: SideOptions,
): Promise<{ readonly sides: readonly Side[]; readonly missing: ReadonlyMap<SideName, string> }> {
  const makers: Readonly<Record<(typeof SIDES)[number], () => Promise<Side | string> | Side | string>> = {
    muxkit: () => muxkitSide(process.execPath, options, "muxkit", () => []),
    x64: () => x64Side(options),
    node20: () => node20Side(options),
    hand: () => handSide(options),
    pocl: () => poclSide(options),
    native: () => nativeSide(options),
  };
  execFileSync("nx", ["run-many", "-t", "bundle"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  const sides: Side[] = [];
  const missing = new Map<SideName, string>();
  for (const name of SIDES) {
    if (!wanted.has(name)) continue;
    // One after the other: each may use a compiler and all of the machine.
    // eslint-disable-next-line no-await-in-loop
    const made = await makers[name]();
    if (typeof made === "string") missing.set(name, made);
    else sides.push(made);
  }
  return { sides, missing };
}

/**
 * Muxkit as this checkout has it, and as another one does; both are bundled first. Throws what the bundler's process
 * does.
 */
export function openCheckouts(other: string, options: SideOptions): readonly Side[] {
  for (const cwd of [root, other])
    execFileSync("nx", ["run-many", "-t", "bundle"], { cwd, stdio: ["ignore", "ignore", "inherit"] });
  return [
    muxkitSide(process.execPath, options, "muxkit", () => []),
    muxkitSide(process.execPath, options, "before", () => [], { checkout: other }),
  ];
}
