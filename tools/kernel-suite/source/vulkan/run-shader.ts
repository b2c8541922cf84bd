// SPDX-License-Identifier: Apache-2.0
// Runs compute shaders by Vulkan, by a small program in C (run-shader.c, resources.c) that gcc builds from Debian's
// libvulkan-dev. The driver is lavapipe of mesa-vulkan-drivers, which computes on the processor.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { ShaderBindings } from "@muxkit/spirv";

import type { ShaderDispatch } from "../shader.ts";
import { type Job, type JobResource, jobOfDispatch, jobWords } from "./job.ts";

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
  /** Runs a dispatch; what is in its buffers and images afterwards, by `set,binding`. Throws as `run` does. */
  readonly dispatch: (dispatch: ShaderDispatch) => ReadonlyMap<string, Uint8Array[]>;
}

/** The program in C, built once; null: gcc or the headers are not here. */
function builtProgram(): string | null {
  const folder = join(tmpdir(), "muxkit-vulkan");
  mkdirSync(folder, { recursive: true });
  const program = join(folder, `run-shader-${process.pid}`);
  const sources = ["run-shader.c", "resources.c"].map((name) => join(import.meta.dirname, name));
  return spawnSync("gcc", ["-O1", "-o", program, ...sources, "-lvulkan"]).status === 0 ? program : null;
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
  return {
    run: (binary, ...job) => runJob(program, icd, binary, jobOfKernel(...job)),
    dispatch: (dispatch) => runDispatch(program, icd, dispatch),
  };
}

/** The job of a shader that was written from a kernel. */
function jobOfKernel(
  bindings: ShaderBindings,
  values: readonly ShaderValue[],
  groups: readonly [number, number, number],
  local: readonly number[],
): Job {
  const specialization = new Map<number, Uint8Array>();
  const put = (id: number, value: number): unknown => specialization.set(id, wordBytes(value));
  if ("specialization" in bindings.workGroupSize)
    bindings.workGroupSize.specialization.forEach((id, axis) => put(id, local[axis] ?? 1));
  const push = new Uint8Array(bindings.pushConstantBytes);
  const resources: JobResource[] = [];
  bindings.arguments.forEach((argument, n) => {
    const value = values[n];
    if (argument.kind === "storageBuffer" && value !== undefined && "contents" in value) {
      const { binding } = argument;
      resources.push({ set: 0, binding, element: 0, kind: "storage-buffer", resource: { buffer: value.contents } });
    } else if (argument.kind === "pushConstant" && value !== undefined && "value" in value)
      push.set(value.value, argument.offset);
    else if (argument.kind === "workgroupMemory" && value !== undefined && "local" in value)
      put(argument.specialization, Math.max(1, Math.ceil(value.local / Math.max(1, argument.elementBytes))));
    else throw new Error(`the argument ${argument.name} is a ${argument.kind}, and another kind of value is given`);
  });
  return { entry: bindings.kernel, groups, specialization, push, resources };
}

const wordBytes = (value: number): Uint8Array => new Uint8Array(Uint32Array.of(value).buffer);

/** Runs a job; the contents of its buffers and images, in order. Throws where the driver refuses it. */
function runJob(program: string, icd: string, binary: Uint8Array, job: Job): readonly Uint8Array[] {
  const folder = mkdtempSync(join(tmpdir(), "muxkit-shader-"));
  const at = (name: string): string => join(folder, name);
  try {
    writeFileSync(at("module.spv"), binary);
    writeFileSync(at("job"), new Uint8Array(jobWords(job).buffer));
    const { status, signal, stderr } = spawnSync(program, [at("module.spv"), at("job"), at("result")], {
      env: { ...process.env, VK_ICD_FILENAMES: icd },
      encoding: "utf8",
      timeout: 120_000,
    });
    if (status !== 0) throw new Error(`run-shader ended with ${status ?? signal ?? "nothing"}: ${stderr}`);
    const bytes = new Uint8Array(readFileSync(at("result")));
    let begin = 0;
    return job.resources.flatMap(({ resource }) => {
      const contents = "buffer" in resource ? resource.buffer : "image" in resource ? resource.pixels : null;
      if (contents === null) return [];
      const own = bytes.slice(begin, begin + contents.length);
      begin += Math.ceil(contents.length / 4) * 4;
      return [own];
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function runDispatch(program: string, icd: string, dispatch: ShaderDispatch): ReadonlyMap<string, Uint8Array[]> {
  const job = jobOfDispatch(dispatch);
  const contents = runJob(program, icd, dispatch.module, job);
  const after = new Map<string, Uint8Array[]>();
  let next = 0;
  for (const { set, binding, kind } of job.resources) {
    const own = kind === "sampler" ? undefined : contents[next++];
    if (own === undefined) continue;
    const key = `${set},${binding}`;
    after.set(key, [...(after.get(key) ?? []), own]);
  }
  return after;
}
