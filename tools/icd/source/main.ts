#!/usr/bin/env node
// The program `muxkit-icd`, which `muxkit icd` calls: installs the driver, runs programs with it, and is the server that the driver starts.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { InstallError, type Places, SYSTEM_VENDORS, VENDOR_FILE, build, isBuilt, isCurrent, places, registerSystem, remove } from "./library.ts";

const PROGRAM: string = fileURLToPath(import.meta.url);
const HELP = `muxkit icd: OpenCL for native programs, on a machine without a GPU or a driver

  muxkit icd install [--user|--system]  compiles the driver and registers it: for yourself (the default) or for all users
  muxkit icd uninstall                  takes it away again
  muxkit icd path                       says where the driver is
  muxkit icd env                        prints the line for a shell that makes programs use it, and nothing else
  muxkit icd run -- PROGRAM ARGS...     runs one program with it, and with no other driver

  MUXKIT_ICD_SERVER  how the server is started, one word a line; else the file beside the driver says it
  MUXKIT_ICD_LOG=1   each call that fails is told on standard error, with the reason
`;

/** Loaders search this folder in place of the system's. */
function environmentLine({ vendors }: Places): string {
  return `OCL_ICD_VENDORS=${vendors}`;
}

function ensureBuilt(where: Places): void {
  if (!isCurrent(where, PROGRAM)) build(where, PROGRAM, process.env);
}

type Action = (words: readonly string[], where: Places) => number | Promise<number>;

function install(words: readonly string[], where: Places): number {
  const { values } = parseArgs({ args: [...words], options: { user: { type: "boolean" }, system: { type: "boolean" } } });
  if (values.user === true && values.system === true) throw new InstallError("--user and --system do not go together");
  build(where, PROGRAM, process.env);
  console.log(`compiled ${where.library}`);
  if (values.system === true) console.log(`registered in ${registerSystem(where, true)}: every program finds it`);
  else console.log(`programs use it with\n\n  export ${environmentLine(where)}\n`);
  return 0;
}

function uninstall(_words: readonly string[], where: Places): number {
  if (existsSync(join(SYSTEM_VENDORS, VENDOR_FILE))) console.log(`removed ${registerSystem(where, false)}`);
  remove(where);
  console.log(`removed ${where.folder}`);
  return 0;
}

function run(words: readonly string[], where: Places): number {
  const [program, ...rest] = words[0] === "--" ? words.slice(1) : words;
  if (program === undefined) throw new InstallError("name the program to run: muxkit icd run -- PROGRAM ARGS");
  ensureBuilt(where);
  const { status, signal, error } = spawnSync(program, rest, { stdio: "inherit", env: { ...process.env, OCL_ICD_VENDORS: where.vendors, OPENCL_VENDOR_PATH: where.vendors } });
  if (error !== undefined) throw new InstallError(`${program} could not be started: ${error.message}`);
  if (signal !== null) console.error(`${program} ended by ${signal}`);
  return status ?? 1;
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
    const [{ serve }, { hostDeviceFor }] = await Promise.all([import("./serve.ts"), import("muxkit/opencl")]);
    serve((print) => [hostDeviceFor({ print })]);
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
