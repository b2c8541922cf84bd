// SPDX-License-Identifier: Apache-2.0
// Programs by way of SPIR-V: clang and LLVM's translator make a module of each, our reader and code generator make code
// of that, and its kernels must be those of the program compiled directly.
import { readFileSync } from "node:fs";
import { dirname } from "node:path";

import { type ProgramInput, openclC, readIncludeFile } from "@muxkit/compiler";
import {
  ProducerRefusal,
  build,
  compileToSpirv,
  missingTools,
  producerOf,
  refusalReason,
  spirvVerdict,
} from "@muxkit/kernel-suite";
import { type KernelMetadata, type LoadedExecutable, findCode } from "@muxkit/metadata";

import type { Program } from "./programs.ts";

/** How programs become SPIR-V, as `MUXKIT_SUITE_SPIRV` of the kernel suite names it. */
export const SPIRV_WAYS = ["O0", "O2", "O2-32", "O2-opt"] as const;

/** One of {@link SPIRV_WAYS}. */
export type SpirvWay = (typeof SPIRV_WAYS)[number];

/** What became of a program: the first two are right. */
export const SPIRV_VERDICTS = ["agrees", "refused there", "refused here", "differs"] as const;

/** One of {@link SPIRV_VERDICTS}. */
export type SpirvVerdict = (typeof SPIRV_VERDICTS)[number];

/** What became of a program in one way. */
export interface SpirvOutcome {
  readonly program: string;
  readonly way: SpirvWay;
  readonly verdict: SpirvVerdict;
  /** The difference, or why it is refused; empty where it agrees. */
  readonly text: string;
}

/** The version of OpenCL that our device has; clang leaves the macro to devices. */
const VERSION_MACRO = "-D__OPENCL_VERSION__=300";

/** Words of options with those joined that belong together. */
function joinedWords({ file, options }: Program): string {
  const joined = options.join(" ").replaceAll(/(^| )(-[DI]) (?=\S)/gu, "$1$2");
  return `${joined} -I${dirname(file)}`;
}

/** What launches see of a kernel. */
function signatureOf(kernel: KernelMetadata): string {
  const { name, requiredWorkGroupSize } = kernel;
  const list = kernel.arguments.map(({ kind, size, addressSpace }) => `${kind} ${addressSpace} ${size}`);
  return `${name}(${list.join(", ")})${requiredWorkGroupSize === null ? "" : ` ${requiredWorkGroupSize.join(" x ")}`}`;
}

/** The kernels of a program by name, and whether engines take its code. */
function factsOf(image: LoadedExecutable): readonly string[] {
  const code = findCode(image, ".wasm");
  const isValid = code !== null && WebAssembly.validate(code.bytes as BufferSource);
  return [...image.kernels.map(signatureOf).toSorted(), ...(isValid ? [] : ["the engine refuses the code"])];
}

function built(source: ProgramInput, options: string): readonly string[] {
  return factsOf(build(source, { options, verifyEach: true }));
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The first line of what a tool says that is no trace, without what differs from program to program. */
function firstLine(text: string): string {
  const lines = text.split("\n");
  return (lines.find((line) => /error|Invalid|ended by/u.test(line)) ?? lines[0] ?? "")
    .replace(/\S+\.cl:\d+:\d+: /u, "")
    .replace(/\bline \d+: /u, "")
    .replaceAll(/'\d+\[%\w+\]'/gu, "'…'")
    .trim();
}

/** Says of what is imported and nowhere defined that it is missing. */
const UNDEFINED = /nothing that is linked defines it/u;

/** Why a tool is to blame for a module that we refuse; null: none is. */
function blameOf(module: Uint8Array, message: string): string | null {
  if (UNDEFINED.test(message)) return "clang leaves out inline functions that no unit defines, as C99 says";
  const said = spirvVerdict(module);
  return said === "" ? null : `the module is no SPIR-V: ${firstLine(said)}`;
}

/** Compiles a program directly and by way of SPIR-V, in several ways. A program that has errors of its own has none. */
export function compileBySpirv(program: Program, ways: readonly SpirvWay[] = SPIRV_WAYS): readonly SpirvOutcome[] {
  const source = readFileSync(program.file, "utf8");
  const options = joinedWords(program);
  const outcome = (way: SpirvWay, verdict: SpirvVerdict, text = ""): SpirvOutcome => ({
    program: program.name,
    way,
    verdict,
    text,
  });
  let wanted: readonly string[];
  try {
    wanted = built(openclC(source, { headers: [], readFile: readIncludeFile }), options);
  } catch {
    return [];
  }
  return ways.map((way) => {
    const producer = producerOf(way);
    if (producer === null) throw new Error(`there is no way "${way}"`);
    let module: Uint8Array;
    try {
      module = compileToSpirv(source, `${options} ${VERSION_MACRO}`, producer);
    } catch (error) {
      if (!(error instanceof ProducerRefusal)) throw error;
      return outcome(way, "refused there", refusalReason(error) ?? firstLine(error.message));
    }
    try {
      const found = built({ kind: "spirv", source: module }, "");
      const lacking = [
        ...wanted.filter((one) => !found.includes(one)),
        ...found.filter((one) => !wanted.includes(one)),
      ];
      return lacking.length === 0 ? outcome(way, "agrees") : outcome(way, "differs", lacking.join("; "));
    } catch (error) {
      const message = messageOf(error);
      const blame = blameOf(module, message);
      if (blame !== null) return outcome(way, "refused there", blame);
      return outcome(way, "refused here", message.split("\n").slice(0, 3).join(" "));
    }
  });
}

/** The tools that the ways need and that are not installed; spirv-val is one, which judges what we refuse. */
export function missingSpirvTools(): readonly string[] {
  return missingTools({ isOptimized: true });
}

/** True for what is neither the same nor refused by a tool. */
export function isWrong({ verdict }: SpirvOutcome): boolean {
  return verdict === "differs" || verdict === "refused here";
}

/** Counts by way, then each refusal and difference with its reason and the programs. */
export function spirvText(outcomes: readonly SpirvOutcome[]): string {
  const lines: string[] = [];
  for (const way of SPIRV_WAYS) {
    const own = outcomes.filter((one) => one.way === way);
    if (own.length === 0) continue;
    const counts = SPIRV_VERDICTS.map((verdict) => `${own.filter((one) => one.verdict === verdict).length} ${verdict}`);
    lines.push(`${way}: ${own.length} programs: ${counts.join(", ")}`);
  }
  const reasons = new Map<string, string[]>();
  for (const { way, verdict, text, program } of outcomes) {
    if (verdict === "agrees") continue;
    const key = `${verdict}: ${text}`;
    reasons.set(key, [...(reasons.get(key) ?? []), `${program} by ${way}`]);
  }
  for (const [reason, list] of [...reasons].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    lines.push(`${reason}\n  ${list.length}: ${list.slice(0, 6).join(", ")}${list.length > 6 ? ", …" : ""}`);
  return `${lines.join("\n")}\n`;
}
