// SPDX-License-Identifier: Apache-2.0
// The cases: small programs, one for each rule of the language, in files by chapter. A case is its lines of "//=" and
// the program below them:
//
//   //= C99 6.8.4.2: a case label is within a switch          the rule, which is the case's name
//   //= options: -cl-std=CL2.0 -D N=4                         absent: OpenCL C 1.2
//   //= error 1                                               or: ok
//   kernel void k(void) { case 1: ; }
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";

import { LAYOUT_32 } from "@muxkit/ir";
import type { FrontEndOptions } from "@muxkit/opencl-c";
import { foldBuiltin } from "@muxkit/passes";

/** What a compiler says of a case: the line of its first error; null: none. */
export interface CaseVerdict {
  readonly line: number | null;
}

/** A small program about one rule. */
export interface Case {
  /** File that holds it, without its ending. */
  readonly chapter: string;
  /** The rule, with the section that has it. No two cases have the same. */
  readonly name: string;
  readonly options: readonly string[];
  readonly expected: CaseVerdict;
  readonly program: string;
}

/** Where the cases are. */
export const CASES_FOLDER: URL = new URL("../../cases/", import.meta.url);
const RULE = /^\/\/= (.+: .+)$/u;

function readCase(chapter: string, text: string): Case {
  const lines = text.split("\n");
  const [, name] = RULE.exec(lines[0] ?? "") ?? [];
  if (name === undefined) throw new Error(`${chapter}: "${lines[0] ?? ""}" names no section and rule`);
  let options: readonly string[] = [];
  let at = 1;
  const [, given] = /^\/\/= options: (.+)$/u.exec(lines[at] ?? "") ?? [];
  if (given !== undefined) {
    options = given.split(" ");
    at++;
  }
  const [, word, line] = /^\/\/= (?:(ok)|error (\d+))$/u.exec(lines[at] ?? "") ?? [];
  if (word === undefined && line === undefined)
    throw new Error(`${chapter}: ${name}: neither "ok" nor "error" and a line`);
  const program = `${lines
    .slice(at + 1)
    .join("\n")
    .trimEnd()}\n`;
  return { chapter, name, options, expected: { line: line === undefined ? null : Number(line) }, program };
}

/** Every case, in the order of the files. Throws when one is not written right. */
export function readCases(): readonly Case[] {
  const files = readdirSync(CASES_FOLDER)
    .filter((file) => file.endsWith(".cl"))
    .toSorted();
  return files.flatMap((file) => {
    // A case begins where a line with a rule follows a line without one.
    const parts = readFileSync(new URL(file, CASES_FOLDER), "utf8").split(
      /(?<=\n)(?=\/\/= (?!ok$|error \d|options: ).+$)/mu,
    );
    return parts.filter((part) => part.startsWith("//= ")).map((part) => readCase(file.replace(/\.cl$/u, ""), part));
  });
}

/** Names a program with its options. */
export function hashOf({ options, program }: Case): string {
  return createHash("sha256")
    .update(JSON.stringify([options, program]))
    .digest("hex")
    .slice(0, 16);
}

const DEVICE = [
  "cl_khr_fp16",
  "cl_khr_fp64",
  "cl_khr_byte_addressable_store",
  "cl_khr_global_int32_base_atomics",
  "cl_khr_global_int32_extended_atomics",
  "cl_khr_local_int32_base_atomics",
  "cl_khr_local_int32_extended_atomics",
  "cl_khr_int64_base_atomics",
  "cl_khr_int64_extended_atomics",
  "cl_khr_3d_image_writes",
  "cl_khr_depth_images",
];

/** Features of a device with everything, as clang takes this target to be. */
const FEATURES = [
  "__opencl_c_generic_address_space",
  "__opencl_c_program_scope_global_variables",
  "__opencl_c_fp64",
  "__opencl_c_int64",
  "__opencl_c_images",
  "__opencl_c_atomic_order_acq_rel",
  "__opencl_c_atomic_order_seq_cst",
  "__opencl_c_atomic_scope_device",
  "__opencl_c_atomic_scope_all_devices",
  "__opencl_c_3d_image_writes",
  "__opencl_c_read_write_images",
  "__opencl_c_work_group_collective_functions",
  "__opencl_c_subgroups",
  "__opencl_c_pipes",
];

/** Our front end's options for those of a case. Throws on an unknown one. */
export function caseOptions(options: readonly string[]): FrontEndOptions {
  const result: { -readonly [K in keyof FrontEndOptions]: FrontEndOptions[K] } = {
    layout: LAYOUT_32,
    definitions: [],
    includeDirectories: [],
    headers: new Map(),
    readFile: null,
    standard: "1.2",
    deviceVersion: 300,
    extensions: DEVICE,
    features: FEATURES,
    fastRelaxedMath: false,
    finiteMathOnly: false,
    noSignedZeros: false,
    unsafeMath: false,
    singlePrecisionConstant: false,
    warnings: "default",
    allowUndefined: true,
    library: false,
    foldBuiltin,
  };
  for (const option of options) {
    const standard = /^-cl-std=CL(1\.0|1\.1|1\.2|2\.0|3\.0)$/u.exec(option)?.[1];
    const [, name, value = "1"] = /^-D(\w+)(?:=(.*))?$/u.exec(option) ?? [];
    const without = /^-cl-ext=-(\w+)$/u.exec(option)?.[1];
    if (standard !== undefined) result.standard = standard as FrontEndOptions["standard"];
    else if (name !== undefined) result.definitions = [...result.definitions, { name, value }];
    else if (option === "-cl-single-precision-constant") result.singlePrecisionConstant = true;
    else if (option === "-cl-fast-relaxed-math") result.fastRelaxedMath = true;
    else if (without !== undefined) result.extensions = result.extensions.filter((extension) => extension !== without);
    else if (option !== "-Xclang") throw new Error(`the test knows no option ${option}`);
  }
  return result;
}
