// SPDX-License-Identifier: Apache-2.0
// Other OpenCL implementations, through a native program: PoCL through the loader, or Oclgrind's simulator around the
// program.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { type GeneratedProgram, KERNEL, type Launch, OPTIONS } from "./generate/program.ts";
import { render } from "./tree.ts";

/** An implementation that is installed. */
export interface NativeImplementation {
  readonly name: "PoCL" | "Oclgrind";
  /** Command and arguments, before the cases. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** What an implementation made of a program: the written buffers in order, or why there are none. */
export type NativeOutcome = { readonly buffers: readonly Uint8Array[] } | { readonly failure: string };

const SOURCE = join(import.meta.dirname, "../native/runner.c");
const TIMEOUT_MS = 120_000;

/** Builds the runner when it is missing or old; a sentence when that is not possible. */
function builtRunner(folder: string): { readonly path: string } | { readonly reason: string } {
  const path = join(folder, "kernel-runner");
  if (existsSync(path) && statSync(path).mtimeMs >= statSync(SOURCE).mtimeMs) return { path };
  mkdirSync(dirname(path), { recursive: true });
  try {
    execFileSync("cc", ["-O1", "-o", path, SOURCE, "-lOpenCL"], { stdio: "pipe" });
    return { path };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return {
      reason:
        "native/runner.c cannot be compiled " +
        `(${text.split("\n").find((line) => /error|ENOENT/u.test(line)) ?? text}); install ` +
        "gcc, libc6-dev, ocl-icd-opencl-dev and opencl-headers",
    };
  }
}

/**
 * The implementations that are installed, and a sentence for each that is not. `folder` keeps the runner and PoCL's
 * cache.
 */
export function nativeImplementations(folder: string): {
  readonly found: readonly NativeImplementation[];
  readonly missing: readonly string[];
} {
  const runner = builtRunner(folder);
  if ("reason" in runner) return { found: [], missing: [`PoCL and Oclgrind: ${runner.reason}`] };
  const found: NativeImplementation[] = [];
  const missing: string[] = [];
  const pocl = spawnSync(runner.path, [], { encoding: "utf8" });
  if (pocl.status === 0) found.push({ name: "PoCL", command: [runner.path], environment: { POCL_KERNEL_CACHE: "0" } });
  else missing.push("PoCL is not installed (Debian: pocl-opencl-icd)");
  const oclgrind = spawnSync("oclgrind", ["--version"], { encoding: "utf8" });
  if (oclgrind.status === 0)
    found.push({ name: "Oclgrind", command: ["oclgrind", "--max-errors", "20", runner.path], environment: {} });
  else missing.push("Oclgrind is not installed (Debian: oclgrind)");
  return { found, missing };
}

/** A kernel and what it is launched with. */
export interface NativeCase {
  readonly source: string;
  readonly kernel: string;
  readonly options: string;
  readonly launch: Omit<Launch, "widths">;
}

/** Writes the files of a case; returns the path of the case and of its results. */
function writeCase(
  folder: string,
  { source, kernel, options, launch: { global, local, offset, arguments: list } }: NativeCase,
): { readonly path: string; readonly results: readonly string[] } {
  mkdirSync(folder, { recursive: true });
  const put = (name: string, contents: string | Uint8Array): string => {
    const path = join(folder, name);
    writeFileSync(path, contents);
    return path;
  };
  const results: string[] = [];
  const lines = list.map((argument, i) => {
    if ("value" in argument) return `value ${put(`${i}.value`, argument.value)}`;
    if (!argument.written) return `input ${put(`${i}.input`, argument.contents)}`;
    const result = join(folder, `${i}.result`);
    results.push(result);
    return `output ${put(`${i}.input`, argument.contents)} ${result}`;
  });
  const path = put(
    "case.txt",
    [
      `source ${put("kernel.cl", source)}`,
      `options ${options}`,
      `kernel ${kernel}`,
      `global ${global.join(" ")}`,
      `local ${local.join(" ")}`,
      `offset ${offset.join(" ")}`,
      ...lines,
      "",
    ].join("\n"),
  );
  return { path, results };
}

/** Runs generated programs on an implementation. */
export function runNatively(
  implementation: NativeImplementation,
  programs: readonly Pick<GeneratedProgram, "tree" | "launch">[],
): readonly NativeOutcome[] {
  return runCases(
    implementation,
    programs.map(({ tree, launch }) => ({ source: render(tree), kernel: KERNEL, options: OPTIONS, launch })),
  );
}

/** Runs kernels on an implementation, in one process as long as it does not crash. */
export function runCases(
  { command: [program = "", ...before], environment }: NativeImplementation,
  list: readonly NativeCase[],
): readonly NativeOutcome[] {
  const work = mkdtempSync(join(tmpdir(), "muxkit-native-"));
  try {
    const cases = list.map((one, i) => writeCase(join(work, i.toString()), one));
    const outcomes = new Map<string, NativeOutcome>();
    for (let left = cases; left.length > 0; left = left.filter(({ path }) => !outcomes.has(path))) {
      const { stdout, stderr, error, signal } = spawnSync(program, [...before, ...left.map(({ path }) => path)], {
        encoding: "utf8",
        timeout: TIMEOUT_MS,
        maxBuffer: 1 << 28,
        env: { ...process.env, ...environment },
      });
      let begun: string | null = null;
      for (const line of stdout.split("\n")) {
        const [, word = "", rest = ""] = /^(begin|done|failed) (.*)$/u.exec(line) ?? [];
        const done = left.find(({ path }) => rest === path || rest.startsWith(`${path}:`));
        if (done === undefined) continue;
        begun = word === "begin" ? done.path : null;
        if (word === "done")
          outcomes.set(done.path, { buffers: done.results.map((path) => new Uint8Array(readFileSync(path))) });
        if (word === "failed") outcomes.set(done.path, { failure: rest.slice(done.path.length + 2) });
      }
      const lost = begun ?? (outcomes.size === 0 ? left[0]?.path : null);
      if (lost !== null && lost !== undefined)
        outcomes.set(lost, { failure: `the process ended: ${error?.message ?? signal ?? ""} ${stderr.slice(-300)}` });
    }
    return cases.map(({ path }) => outcomes.get(path) ?? { failure: "the process ended before it" });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
