// SPDX-License-Identifier: Apache-2.0
// Compute shaders in GLSL to SPIR-V by tools that no one here wrote: glslang and SPIRV-Tools' optimiser, as Debian has
// them (packages glslang-tools, spirv-tools).
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** How a shader is made: as glslang writes it, with debug information, for size, or optimised by spirv-opt. @public */
export type GlslVariant = "plain" | "debug" | "size" | "optimized";

/** Options of glslang by variant. */
const OPTIONS: Readonly<Record<GlslVariant, readonly string[]>> = {
  plain: [],
  debug: ["-g"],
  size: ["-Os"],
  optimized: [],
};

/** True where glslang is; says loudly that tests are skipped where it is not. @public */
export function hasGlslang(): boolean {
  const isHere = spawnSync("glslangValidator", ["--version"]).status === 0;
  if (!isHere)
    console.warn("!! glslangValidator is not here (Debian package glslang-tools): shaders in GLSL are skipped");
  return isHere;
}

function run(command: string, ...parts: string[]): void {
  const { status, stdout, stderr } = spawnSync(command, parts);
  if (status !== 0) throw new Error(`${command}: ${stdout.toString()}${stderr.toString()}`);
}

/**
 * Compiles a compute shader; results are kept in the folder for temporary files. Throws with what glslang says.
 *
 * @public
 */
export function compileGlsl(source: string, variant: GlslVariant = "plain", target: string = "vulkan1.2"): Uint8Array {
  const folder = join(tmpdir(), "muxkit-glsl");
  mkdirSync(folder, { recursive: true });
  const key = createHash("sha256")
    .update(JSON.stringify([source, variant, target]))
    .digest("hex")
    .slice(0, 24);
  const result = join(folder, `${key}.spv`);
  if (existsSync(result)) return new Uint8Array(readFileSync(result));
  const base = join(folder, `${key}.${process.pid}`);
  const [text, binary] = [`${base}.comp`, `${base}.spv`];
  try {
    writeFileSync(text, source);
    run("glslangValidator", ...OPTIONS[variant], "--target-env", target, "-S", "comp", text, "-o", binary);
    if (variant === "optimized")
      run("spirv-opt", `--target-env=${target}`, "--scalar-block-layout", "-O", binary, "-o", binary);
    renameSync(binary, result);
  } finally {
    for (const path of [text, binary]) rmSync(path, { force: true });
  }
  return new Uint8Array(readFileSync(result));
}
