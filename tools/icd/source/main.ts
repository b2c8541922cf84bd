#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The program `muxkit-icd`, which `muxkit icd` calls: installs the driver, runs programs with it, and is the server
// that the driver starts.
import { spawnSync } from "node:child_process";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import {
  InstallError,
  type Places,
  VENDOR_FILE,
  build,
  isBuilt,
  isClosedToOthers,
  isCurrent,
  places,
  remove,
  systemPlaces,
} from "./library.ts";

const PROGRAM: string = fileURLToPath(import.meta.url);
const HELP = `muxkit icd: OpenCL and Vulkan for native programs, on a machine without a GPU or a driver

  muxkit icd install [--user|--system]    compiles the driver and registers it, for you (the default) or for all
  muxkit icd uninstall [--user|--system]  removes it and the folders that it made; without an option, both
  muxkit icd path                         says where the driver is
  muxkit icd env                          prints the line for a shell that makes programs use it, and nothing else
  muxkit icd run -- PROGRAM ARGS...       runs one program with it, and with no other driver

  --prefix FOLDER    with --system: in place of the root of the file system

  MUXKIT_ICD_SERVER  how the server is started, one word a line; else the file next to the driver says it
  MUXKIT_ICD_LOG=1   each call that fails is told on standard error, with the reason
  CC                 the C compiler, if it is not cc
`;

/** A word as shells read it. */
function quoted(word: string): string {
  return /^[\w./:=+,@-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Loaders search this folder instead of the system's. */
function environmentLine({ vendors }: Places): string {
  return `OCL_ICD_VENDORS=${quoted(vendors)}`;
}

/** Builds the parts that are missing or were built by another version. */
function ensureBuilt(where: Places): void {
  if (!isCurrent(where, PROGRAM)) build(where, PROGRAM, process.env);
}

type Action = (words: readonly string[], where: Places) => number | Promise<number>;

/** The user or all users; null: not specified. */
interface Whom {
  readonly isSystem: boolean | null;
  readonly system: Places;
}

function whom(words: readonly string[]): Whom {
  const { values } = parseArgs({
    args: [...words],
    options: { user: { type: "boolean" }, system: { type: "boolean" }, prefix: { type: "string" } },
  });
  if (values.user === true && values.system === true) throw new InstallError("--user and --system cannot be combined");
  if (values.prefix !== undefined && values.system !== true) throw new InstallError("--prefix goes with --system");
  return { isSystem: values.system ?? (values.user === true ? false : null), system: systemPlaces(values.prefix) };
}

function install(words: readonly string[], where: Places): number {
  const { isSystem, system } = whom(words);
  const target = isSystem === true ? system : where;
  build(target, PROGRAM, process.env);
  console.log(`compiled ${target.library}`);
  if (isSystem !== true) {
    console.log(`programs use it with\n\n  export ${environmentLine(target)}\n`);
    return 0;
  }
  console.log(`registered in ${join(target.vendors, VENDOR_FILE)}: every program finds it`);
  if (isClosedToOthers(PROGRAM) || isClosedToOthers(process.execPath))
    console.error(
      `but other users cannot enter the folder of ${PROGRAM} or of ${process.execPath}, ` +
        "which their programs would start: install both where all may read",
    );
  return 0;
}

function uninstall(words: readonly string[], where: Places): number {
  const { isSystem, system } = whom(words);
  // One's own first: the right to take the other away may be missing.
  const found = [...(isSystem === true ? [] : [where]), ...(isSystem === false ? [] : [system])].filter((target) =>
    isBuilt(target),
  );
  for (const target of found) {
    remove(target);
    console.log(`removed ${target.folder}`);
  }
  if (found.length === 0) console.log("nothing is installed");
  return 0;
}

function run(words: readonly string[], where: Places): number {
  const [program, ...rest] = words[0] === "--" ? words.slice(1) : words;
  if (program === undefined) throw new InstallError("name the program to run: muxkit icd run -- PROGRAM ARGS");
  ensureBuilt(where);
  const { status, signal, error } = spawnSync(program, rest, {
    stdio: "inherit",
    env: {
      ...process.env,
      OCL_ICD_VENDORS: where.vendors,
      OPENCL_VENDOR_PATH: where.vendors,
      VK_DRIVER_FILES: where.manifest,
      VK_ICD_FILENAMES: where.manifest,
    },
  });
  if (error !== undefined) throw new InstallError(`${program} could not be started: ${error.message}`);
  if (signal === null) return status ?? 1;
  console.error(`${program} ended by ${signal}`);
  // The exit code, as shells report it.
  return 128 + constants.signals[signal];
}

const ACTIONS: Readonly<Record<string, Action>> = {
  install,
  uninstall,
  run,
  path: (_words, where) => {
    console.log(where.library);
    return isBuilt(where) ? 0 : 1;
  },
  env: (_words, where) => {
    ensureBuilt(where);
    console.log(environmentLine(where));
    return 0;
  },
  serve: async () => {
    // Nothing else needs the compiler, so nothing else loads it.
    if (process.env["MUXKIT_ICD_API"] === "vulkan") {
      const [{ serveLibrary }, { compilers, verifyObject }] = await Promise.all([
        import("./vulkan-part.ts"),
        import("./compiler-part.ts"),
      ]);
      serveLibrary(
        () => ({ compilers, verifyObject }),
        new URL(import.meta.url),
        { folder: "", tiering: new Int32Array(1) },
        (work) => work(),
      );
      return 0;
    }
    // It registers the host target with its compiler.
    const [{ serve }, { devicesFor }] = await Promise.all([
      import("./serve.ts"),
      import("muxkit/parts"),
      import("muxkit/opencl"),
    ]);
    serve(devicesFor);
    return 0;
  },
};

const [name = "help", ...words] = process.argv.slice(2);
const action = ACTIONS[name];
if (action === undefined) {
  const isAsked = name === "help" || name === "--help" || name === "-h";
  (isAsked ? console.log : console.error)(isAsked ? HELP : `muxkit icd: there is no "${name}"\n\n${HELP}`);
  process.exitCode = isAsked ? 0 : 2;
} else {
  try {
    process.exitCode = await action(words, places(process.env));
  } catch (error) {
    if (!(error instanceof InstallError) && !(error instanceof TypeError)) throw error;
    console.error(`muxkit icd ${name}: ${error.message}`);
    process.exitCode = 1;
  }
}
