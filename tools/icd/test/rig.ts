// SPDX-License-Identifier: Apache-2.0
// A driver of this tree in a folder of its own, and programs that are run with it.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build, places } from "@muxkit/icd";

const PROGRAMS: string = fileURLToPath(new URL("programs/", import.meta.url));
const PACKAGE: string = fileURLToPath(new URL("..", import.meta.url));
const NATIVE: string = fileURLToPath(new URL("../native/", import.meta.url));
/** The C compiler of tests: what was compiled before, by whatever test, is a copy. */
export const KEPT_CC: string = fileURLToPath(new URL("kept-cc", import.meta.url));
/** The program of this tree. */
export const MAIN: string = fileURLToPath(new URL("../source/main.ts", import.meta.url));

/** True when a program of the system is there. */
export function has(program: string): boolean {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
}

/** True when cc finds a loader of OpenCL and the headers. */
export const HAS_LOADER: boolean =
  process.platform === "linux" &&
  has("cc") &&
  existsSync("/usr/include/CL/cl.h") &&
  globSync("/usr/lib/*/libOpenCL.so").length > 0;

/** Where loaders look for PoCL's driver, and whether it is there. */
export const POCL_VENDORS = "/etc/OpenCL/vendors";
/** See {@link POCL_VENDORS}. */
export const HAS_POCL: boolean = existsSync(`${POCL_VENDORS}/pocl.icd`);

/** A driver that serves this tree's sources. */
export interface Driver {
  readonly folder: string;
  readonly library: string;
  /** What programs see as TMPDIR and as XDG_RUNTIME_DIR. */
  readonly temporary: string;
  readonly runtime: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** What the server loads, next to a library. */
export function addonOf(library: string): string {
  return join(dirname(library), "muxkit_icd.node");
}

let command: readonly string[] | null = null;

/**
 * What starts a server of this tree's sources: they are bundled, because one that Node loads file by file takes four
 * times as long to start.
 */
function serverOfTree(): readonly string[] {
  if (command !== null) return command;
  const folder = execFileSync(
    process.execPath,
    [fileURLToPath(new URL("../../build/kept-program.ts", import.meta.url))],
    {
      cwd: PACKAGE,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    },
  ).trim();
  const [start, code] = [join(folder, "start.cjs"), join(folder, "code")];
  if (!existsSync(code)) execFileSync(process.execPath, [start, code, "practise"], { stdio: "ignore" });
  // The last word tells servers among processes.
  command = [process.execPath, start, code, "serve"];
  return command;
}

/** Makes a driver of the compiled library, whose server is of this tree. */
export function makeDriver(): Driver {
  const folder = mkdtempSync(join(tmpdir(), "muxkit-icd-test-"));
  const where = places({ XDG_DATA_HOME: folder });
  mkdirSync(where.vendors, { recursive: true });
  build(where, MAIN, { ...process.env, CC: KEPT_CC });
  writeFileSync(join(where.vendors, "muxkit.icd"), `${where.library}\n`);
  writeFileSync(
    where.library.replace(/\.so$/u, ".server"),
    serverOfTree()
      .map((word) => `${word}\n`)
      .join(""),
  );
  const [temporary, runtime] = [join(folder, "tmp"), join(folder, "run")];
  mkdirSync(temporary);
  mkdirSync(runtime, { mode: 0o700 });
  const own = {
    OCL_ICD_VENDORS: where.vendors,
    OPENCL_VENDOR_PATH: where.vendors,
    TMPDIR: temporary,
    XDG_RUNTIME_DIR: runtime,
    MUXKIT_ICD_TEST: folder,
  };
  return {
    folder,
    library: where.library,
    temporary,
    runtime,
    environment: { ...process.env, ...own, MUXKIT_CACHE: "off", PYOPENCL_NO_CACHE: "1", NODE_OPTIONS: "" },
  };
}

/** Removes the driver. */
export function removeDriver({ folder }: Driver): void {
  rmSync(folder, { recursive: true });
}

/** Runs {@link KEPT_CC}. What it says is seen. */
export function keptCc(words: readonly string[]): void {
  execFileSync(KEPT_CC, words, { stdio: ["ignore", "ignore", "inherit"] });
}

/** Compiles one of the programs next to the tests; returns the executable. */
export function compile({ folder }: Driver, file: string, flags: readonly string[] = []): string {
  const target = join(folder, file.replace(/\..*$/u, ""));
  const language = file.endsWith(".cpp") ? ["-x++"] : [];
  const libraries = ["-lOpenCL", "-lpthread", "-ldl", "-lm"];
  keptCc([...language, "-O1", ...flags, "-o", target, join(PROGRAMS, file), `-I${NATIVE}`, ...libraries]);
  return target;
}

/** Checks of the compiler that end a program which reads or writes beyond its memory. */
export const CHECKS: readonly string[] = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"];

/** True when cc can build with {@link CHECKS}, and programs run with them. */
export function hasChecks(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "muxkit-icd-checks-"));
  const [source, target] = [join(folder, "none.c"), join(folder, "none")];
  writeFileSync(source, "int main(void) { return 0; }\n");
  const isThere =
    spawnSync("cc", [...CHECKS, "-o", target, source], { stdio: "ignore" }).status === 0 &&
    spawnSync(target).status === 0;
  rmSync(folder, { recursive: true });
  return isThere;
}

/** Compiles the driver's library once more, with {@link CHECKS}. */
export function compileChecked({ library }: Driver): void {
  const sources = [...globSync(`${NATIVE}*.c`), ...globSync(`${NATIVE}generated/*.c`)];
  const flags = ["-std=c11", "-O1", ...CHECKS, "-fPIC", "-fvisibility=hidden", "-shared", "-Wl,-z,nodelete"];
  keptCc([...flags, "-o", library, ...sources, "-lpthread", "-ldl"]);
}

/** Path of a script next to the tests. */
export function script(file: string): string {
  return join(PROGRAMS, file);
}

/** The output of a program and its exit status. */
export interface Outcome {
  readonly status: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs a program with the driver. */
export function run(
  { environment }: Driver,
  program: string,
  words: readonly string[] = [],
  more: NodeJS.ProcessEnv = {},
  timeout = 200_000,
): Outcome {
  const { status, stdout, stderr } = spawnSync(program, words, {
    env: { ...environment, ...more },
    encoding: "utf8",
    timeout,
    maxBuffer: 2 ** 28,
  });
  return { status, output: stdout, errors: stderr };
}
