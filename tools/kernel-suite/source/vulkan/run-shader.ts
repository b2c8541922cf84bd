// SPDX-License-Identifier: Apache-2.0
// Runs compute shaders by Vulkan, by a small program in C (run-shader.c) that gcc builds from Debian's libvulkan-dev.
// The driver is lavapipe of mesa-vulkan-drivers, which computes on the processor.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { ShaderBindings } from "@muxkit/spirv";

/** An argument of a shader's kernel: a buffer with these contents, a value, or elements of local memory. @public */
export type ShaderValue =
  | { readonly contents: Uint8Array }
  | { readonly value: Uint8Array }
  | { readonly local: number };

const ICD_FOLDER = "/usr/share/vulkan/icd.d";

/** The description of lavapipe; null: it is not here. */
function lavapipe(): string | null {
  if (!existsSync(ICD_FOLDER)) return null;
  const name = readdirSync(ICD_FOLDER).find((file) => file.startsWith("lvp_icd"));
  return name === undefined ? null : join(ICD_FOLDER, name);
}

/** A way to run shaders. @public */
export interface ShaderRunner {
  /** Runs a shader of this binary once; the contents of its buffers. Throws where the driver refuses it. */
  readonly run: (
    binary: Uint8Array,
    bindings: ShaderBindings,
    values: readonly ShaderValue[],
    groups: readonly [number, number, number],
    local: readonly [number, number, number],
  ) => readonly Uint8Array[];
}

/** The program in C, built once; null: gcc or the headers are not here. */
function builtProgram(): string | null {
  const folder = join(tmpdir(), "muxkit-vulkan");
  mkdirSync(folder, { recursive: true });
  const program = join(folder, `run-shader-${process.pid}`);
  const source = join(import.meta.dirname, "run-shader.c");
  return spawnSync("gcc", ["-O1", "-o", program, source, "-lvulkan"]).status === 0 ? program : null;
}

/** Why no shader can be run here; says it loudly. */
function missing(what: string): null {
  console.warn(`!! ${what} is not here: shaders are not run (Debian packages gcc, libvulkan-dev, mesa-vulkan-drivers)`);
  return null;
}

/** Finds or builds what runs shaders; null: something is missing, which has been said. @public */
export function shaderRunner(): ShaderRunner | null {
  const icd = lavapipe();
  if (icd === null) return missing("lavapipe");
  const program = builtProgram();
  if (program === null) return missing("gcc with Vulkan's headers");
  return { run: (...job) => runShader(program, icd, ...job) };
}

/** Bytes as words, filled up with zeros. */
function wordsOf(bytes: Uint8Array): number[] {
  const whole = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
  whole.set(bytes);
  return [...new Uint32Array(whole.buffer)];
}

/** What the program in C reads; see its head. */
function jobOf(
  bindings: ShaderBindings,
  values: readonly ShaderValue[],
  groups: readonly number[],
  local: readonly number[],
): Uint32Array {
  const name = new TextEncoder().encode(bindings.kernel);
  const special: number[] = [];
  if ("specialization" in bindings.workGroupSize)
    bindings.workGroupSize.specialization.forEach((id, axis) => special.push(id, local[axis] ?? 1));
  const push = new Uint8Array(bindings.pushConstantBytes);
  const buffers: number[] = [];
  let count = 0;
  bindings.arguments.forEach((argument, n) => {
    const value = values[n];
    if (argument.kind === "storageBuffer" && value !== undefined && "contents" in value) {
      const words = wordsOf(value.contents);
      buffers.push(argument.binding, words.length * 4);
      for (const word of words) buffers.push(word);
      count++;
    } else if (argument.kind === "pushConstant" && value !== undefined && "value" in value)
      push.set(value.value, argument.offset);
    else if (argument.kind === "workgroupMemory" && value !== undefined && "local" in value)
      special.push(argument.specialization, Math.max(1, Math.ceil(value.local / Math.max(1, argument.elementBytes))));
    else throw new Error(`the argument ${argument.name} is a ${argument.kind}, and another kind of value is given`);
  });
  const head = [name.length, ...wordsOf(name), ...groups, special.length / 2, ...special];
  return Uint32Array.from([...head, push.length, ...wordsOf(push), count, ...buffers]);
}

function runShader(
  program: string,
  icd: string,
  binary: Uint8Array,
  bindings: ShaderBindings,
  values: readonly ShaderValue[],
  groups: readonly [number, number, number],
  local: readonly [number, number, number],
): readonly Uint8Array[] {
  const folder = mkdtempSync(join(tmpdir(), "muxkit-shader-"));
  try {
    const [module, job, result] = ["module.spv", "job", "result"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(module, binary);
    writeFileSync(job, new Uint8Array(jobOf(bindings, values, groups, local).buffer));
    const { status, signal, stderr } = spawnSync(program, [module, job, result], {
      env: { ...process.env, VK_ICD_FILENAMES: icd },
      encoding: "utf8",
      timeout: 120_000,
    });
    if (status !== 0) throw new Error(`run-shader ended with ${status ?? signal ?? "nothing"}: ${stderr}`);
    const bytes = new Uint8Array(readFileSync(result));
    let at = 0;
    return values.flatMap((value) => {
      if (!("contents" in value)) return [];
      const own = bytes.slice(at, at + value.contents.length);
      at += Math.ceil(value.contents.length / 4) * 4;
      return [own];
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
