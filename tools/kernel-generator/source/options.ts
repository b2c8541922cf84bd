// SPDX-License-Identifier: Apache-2.0
// Reading the command line of `npm run differential`.
import { parseArgs } from "node:util";

/** What to run. */
export interface Settings {
  readonly first: number;
  readonly last: number;
  readonly jobs: number;
  /** Of how many seeds the program goes to PoCL and Oclgrind, counted from the first portable one; 0: none does. */
  readonly native: number;
  /**
   * The programs of how many portable seeds go by way of SPIR-V, and by no other way; 0: none does, the others run.
   */
  readonly spirv: number;
  /** True: programs run by the interpreter and as machine code, and by no other way: four times as many in a time. */
  readonly machineCode: boolean;
  /** Folder for reduced cases. */
  readonly out: string;
  /** True: prints the program of the first seed and nothing else. */
  readonly print: boolean;
  /** True: reports how many of the kernels are vectorised when that is forced, and runs none. */
  readonly share: boolean;
}

const USAGE =
  "npm run differential -- [--seeds=A..B] [--jobs=N] [--native=COUNT] [--spirv=COUNT] " +
  "[--machine-code] [--out=FOLDER] " +
  "[--print] [--share] | --mutants [--write]";

function wholeNumber(text: string, name: string): number {
  if (!/^\d+$/u.test(text)) throw new TypeError(`--${name} takes a number, not "${text}"\n${USAGE}`);
  return Number(text);
}

/** Reads the words of a command line. Throws a TypeError with a sentence and the usage. */
export function readSettings(words: readonly string[]): Settings {
  const { values } = parseArgs({
    args: [...words],
    options: {
      seeds: { type: "string", default: "1..1000" },
      jobs: { type: "string", default: "1" },
      native: { type: "string", default: "0" },
      spirv: { type: "string", default: "0" },
      "machine-code": { type: "boolean", default: false },
      out: { type: "string", default: "out/differential" },
      print: { type: "boolean", default: false },
      share: { type: "boolean", default: false },
    },
  });
  const [, first = "", last = first] = /^(\d+)(?:\.\.(\d+))?$/u.exec(values.seeds) ?? [];
  if (first === "" || Number(last) < Number(first))
    throw new TypeError(`--seeds takes A..B or one number, not "${values.seeds}"\n${USAGE}`);
  return {
    first: Number(first),
    last: Number(last),
    jobs: Math.max(1, wholeNumber(values.jobs, "jobs")),
    native: wholeNumber(values.native, "native"),
    spirv: wholeNumber(values.spirv, "spirv"),
    machineCode: values["machine-code"],
    out: values.out,
    print: values.print,
    share: values.share,
  };
}
