// SPDX-License-Identifier: Apache-2.0
// Kernels by way of SPIR-V from tools that no one here wrote: clang, the translator of LLVM, SPIRV-Tools' optimiser.
// `MUXKIT_SUITE_SPIRV=O0 npx vitest run --project kernel-suite` runs the suite so: every program that the suite builds
// is compiled to SPIR-V first. The values are O0, O2, and either with `-opt` (spirv-opt) or `-32` (32-bit addressing).
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** How a program is made SPIR-V. @public */
export interface Producer {
  readonly optimization: "O0" | "O2";
  /** True: spirv-opt follows. */
  readonly isOptimized: boolean;
  readonly addressBits: 32 | 64;
}

/** The producer that the environment asks for; null: none. @public */
export function producerOf(text: string | undefined): Producer | null {
  if (text === undefined || text === "") return null;
  return {
    optimization: text.startsWith("O0") ? "O0" : "O2",
    isOptimized: text.includes("-opt"),
    addressBits: text.includes("-32") ? 32 : 64,
  };
}

/** Extensions and features of our device that clang's target `spir` does not know of. */
const EXTENSIONS =
  "+cl_khr_fp16,+cl_khr_fp64,+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics,+cl_khr_subgroups";

function run(command: string, ...parts: string[]): void {
  execFileSync(command, parts, { stdio: ["ignore", "ignore", "pipe"] });
}

/** Options of a build that clang has too. */
function clangOptions(options: string): string[] {
  const words = options
    .split(/\s+/u)
    .filter((word) => /^-(?:D|cl-(?:std|fast|unsafe|finite|no-signed|mad|single|denorms))/u.test(word));
  return words.some((word) => word.startsWith("-cl-std")) ? words : [...words, "-cl-std=CL2.0"];
}

/**
 * Compiles OpenCL C to SPIR-V by clang and llvm-spirv of Debian; results are kept in the folder for temporary files.
 * Throws where one of them refuses the program.
 *
 * @public
 */
export function compileToSpirv(source: string, options: string, producer: Producer): Uint8Array {
  const folder = join(tmpdir(), "muxkit-spirv");
  mkdirSync(folder, { recursive: true });
  const key = createHash("sha256")
    .update(JSON.stringify([source, options, producer, EXTENSIONS]))
    .digest("hex")
    .slice(0, 24);
  const result = join(folder, `${key}.spv`);
  if (existsSync(result)) return new Uint8Array(readFileSync(result));
  const base = join(folder, `${key}.${process.pid}`);
  const [text, bitcode, binary] = [`${base}.cl`, `${base}.bc`, `${base}.spv`];
  try {
    writeFileSync(text, source);
    const target = producer.addressBits === 64 ? "spir64" : "spir";
    const extensions = ["-Xclang", "-finclude-default-header", "-Xclang", `-cl-ext=${EXTENSIONS}`];
    const language = ["-x", "cl", "-target", target, `-${producer.optimization}`, "-w", ...clangOptions(options)];
    const output = ["-fno-discard-value-names", "-emit-llvm", "-c", text, "-o", bitcode];
    run("clang-14", ...language, ...extensions, ...output);
    run("llvm-spirv-14", "--spirv-ext=+all", bitcode, "-o", binary);
    if (producer.isOptimized) run("spirv-opt", "-O", binary, "-o", binary);
    renameSync(binary, result);
  } finally {
    for (const path of [text, bitcode, binary]) rmSync(path, { force: true });
  }
  return new Uint8Array(readFileSync(result));
}
