// SPDX-License-Identifier: Apache-2.0
// What `clc` writes for x86-64: files of ELF, a header for C, and text. Loaded only where it is asked for.
import { readFileSync } from "node:fs";
import { basename } from "node:path";

import { hostDeviceInfo } from "@muxkit/host";
import {
  type AheadOfTimeProgram,
  type NativeTierName,
  aheadOfTimeCompiler,
  dataName,
  writeCHeader,
} from "@muxkit/host-compiler/native";
import { X64_TIERS, elfContentOf, printX64 } from "@muxkit/x64";
import { writeRelocatable, writeShared } from "@muxkit/x64-assembler";

import { InputError, UsageError } from "../command/command.ts";
import { VERSION } from "../command/version.ts";
import { type NativeKind, isNative } from "./kinds.ts";
import type { OfflineDevice } from "./offline-devices.ts";
import type { CompilerRequest } from "./options.table.ts";
import type { Output } from "./outputs.ts";

/** What one call compiles for. */
export interface NativeTarget {
  /** The device, and a compiler that hands over what it makes. */
  readonly device: OfflineDevice;
  /** The program that the compiler made last; null: none. */
  readonly last: () => AheadOfTimeProgram | null;
}

const TIERS = X64_TIERS.map(({ name }) => name);

/** The tiers of machine code that are asked for. Throws UsageError for what is none, or where one file has one. */
function nativeTiers({ values: { tier }, kinds }: CompilerRequest): readonly NativeTierName[] {
  if (tier === undefined) return ["x64.3"];
  const tiers = String(tier).split(",");
  const known = tiers.flatMap((name) => TIERS.filter((one) => one === name));
  if (known.length !== tiers.length || new Set(known).size !== known.length)
    throw new UsageError(`--tier takes ${TIERS.join(", ")}, or both, not "${tier}"`);
  if (known.length > 1 && kinds.some(isNative)) throw new UsageError("--tier takes one tier for programs in C");
  return TIERS.filter((one) => known.includes(one));
}

/** A target that has compiled nothing. */
function createTarget(request: CompilerRequest): NativeTarget {
  let last: AheadOfTimeProgram | null = null;
  const compiler = aheadOfTimeCompiler((program) => (last = program), nativeTiers(request));
  return { device: { device: hostDeviceInfo({}, 1), compiler }, last: () => last };
}

/** What becomes of a program. */
export interface NativeRequest {
  /** The name of the source, or of what was linked. */
  readonly file: string;
  readonly program: AheadOfTimeProgram;
  readonly kinds: readonly NativeKind[];
  /** What the dynamic linker is to call a shared object. */
  readonly soname: string;
}

/** The name of a file as an identifier of C. */
function identifierOf(file: string): string {
  const name = basename(file).replace(/(?<=.)\.[^.]*$/u, "");
  const plain = name.replaceAll(/\W/gu, "_");
  return /^\d|^_*$/u.test(plain) ? `program${plain === "_" ? "" : `_${plain}`}` : plain;
}

function linesOf(): (file: string, line: number) => string | null {
  const known = new Map<string, readonly string[]>();
  return (file, line) => {
    let lines = known.get(file);
    if (lines === undefined) {
      try {
        lines = readFileSync(file, "utf8").split("\n");
      } catch {
        // A name that `-S` gave the source, standard input, a file that is gone: then there are numbers only.
        lines = [];
      }
      known.set(file, lines);
    }
    return lines[line - 1] ?? null;
  };
}

function elfOf(
  { file, program: { code, image } }: NativeRequest,
  isShared: boolean,
): Parameters<typeof writeShared>[0] {
  const { programData } = image;
  return elfContentOf(code, {
    source: file,
    directory: process.cwd(),
    producer: `muxkit ${VERSION}`,
    data:
      programData === null
        ? []
        : [
            {
              name: dataName(identifierOf(file)),
              bytes: programData.bytes.length === 0 ? new Uint8Array(1) : programData.bytes,
            },
          ],
    isShared,
  });
}

/** The text of the header. Throws InputError for a program that C cannot call. */
function headerOf({ file, program: { image } }: NativeRequest): string {
  const header = writeCHeader({ source: basename(file), program: identifierOf(file), image });
  if (!header.ok) throw new InputError(`${file}: ${header.error}`);
  return header.value;
}

const MAKERS: Readonly<Record<NativeKind, (request: NativeRequest) => Output["content"]>> = {
  elf: (request) => writeRelocatable(elfOf(request, false)),
  so: (request) => writeShared(elfOf(request, true), request.soname),
  header: headerOf,
  asm: ({ program: { code } }) => printX64(code, linesOf()),
};

const SUFFIXES: Readonly<Record<NativeKind, string | null>> = { elf: ".o", so: ".so", header: ".h", asm: null };

/** What is written. Throws InputError for a program that C cannot call. */
function outputs(request: NativeRequest): readonly Output[] {
  // What no header can be written for is no program for C either.
  if (request.kinds.some((kind) => kind === "elf" || kind === "so")) headerOf(request);
  return request.kinds.map((kind) => ({ suffix: SUFFIXES[kind], content: MAKERS[kind](request) }));
}

/** See the file's head. */
export interface NativePart {
  readonly createTarget: typeof createTarget;
  readonly outputs: typeof outputs;
}

/** The part itself. */
export const NATIVE_OUTPUTS: NativePart = { createTarget, outputs };
