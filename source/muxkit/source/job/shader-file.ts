// SPDX-License-Identifier: Apache-2.0
// The shader of a job as SPIR-V: a module, assembly, or GLSL by glslang, which is a program of its own.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { assemble, bytesOfWords, isSpirv } from "@muxkit/spirv";

import { fileReason } from "../command/file-reason.ts";
import { type Job, JobError } from "./job.ts";

const GLSLANG = "glslangValidator";

/** GLSL to SPIR-V. What glslang complains of is a {@link JobError}. */
function compileGlsl(job: Job, path: string): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "muxkit-glsl-"));
  try {
    const result = join(folder, "shader.spv");
    const { error, status, stdout } = spawnSync(
      GLSLANG,
      ["-V", "--target-env", "vulkan1.1", "-S", "comp", "-o", result, path],
      { encoding: "utf8" },
    );
    if (error !== undefined)
      throw new JobError(
        `${job.name}: the shader ${path} is GLSL, and ${GLSLANG} cannot be started (${fileReason(error)}): install ` +
          'the package glslang-tools, or name a module of SPIR-V (.spv, .spvasm) as "glsl"',
        { cause: error },
      );
    if (status !== 0) {
      const complaint = stdout.split("\n").find((line) => line.startsWith("ERROR: "));
      throw new JobError(`${job.name}: ${GLSLANG} refuses the shader: ${complaint ?? `exit code ${status ?? "none"}`}`);
    }
    return new Uint8Array(readFileSync(result));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The module of a job's shader. Throws a {@link JobError}. */
export function shaderOf(job: Job): Uint8Array {
  const { glsl: path } = job;
  if (path === null)
    throw new JobError(`${job.name}: the job has no compute shader: name one as "glsl", or run it without --api`);
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(readFileSync(path));
  } catch (cause) {
    throw new JobError(`${job.name}: the shader ${path} cannot be read: ${fileReason(cause)}`, { cause });
  }
  if (isSpirv(bytes)) return bytes;
  if (!path.endsWith(".spvasm")) return compileGlsl(job, path);
  const made = assemble(new TextDecoder().decode(bytes));
  if (made.ok) return bytesOfWords(made.value);
  throw new JobError(`${path}:${made.error.line}:${made.error.column}: ${made.error.message}`);
}
