// SPDX-License-Identifier: Apache-2.0
// How a job's arguments meet a shader, by the conventions of benchmarks/vkrun.c: buffers are the bindings in their
// order, scalars the push constants one after another, the local size the specialization constants 0 to 2. Memory that
// a work-group shares is declared by the shader, so local_bytes is nothing here.
import { SCALAR_ARRAYS } from "@muxkit/cargo";
import { packValue } from "@muxkit/loader";
import { type BindingReflection, type EntryPointReflection, describeSpirvError, reflectShader } from "@muxkit/spirv";

import { type Job, JobError } from "./job.ts";

/** What a job's shader wants, and what its launch is. */
export interface ShaderInterface {
  readonly entry: EntryPointReflection;
  /** Work-groups in x, y and z. */
  readonly groups: readonly [number, number, number];
  /** The local size, for the constants 0, 1 and 2. */
  readonly localSize: Uint32Array;
  /** Bindings with the number of the argument that is bound. */
  readonly bound: readonly { readonly binding: BindingReflection; readonly index: number }[];
  readonly pushConstants: Uint8Array;
}

/** Work-items of a group where the job leaves them open, along x. */
const DEFAULT_SIZE = 64;
const AXES = [0, 1, 2] as const;

/** Scalars one after another, each at a multiple of its size. */
function packScalars(job: Job): Uint8Array {
  const bytes: number[] = [];
  for (const [index, argument] of job.arguments.entries()) {
    if (argument.kind !== "scalar") continue;
    const [type, count] = [argument.type, argument.values.length];
    // A vector of three has the room of one of four.
    const size = SCALAR_ARRAYS[type].BYTES_PER_ELEMENT * (count === 3 ? 4 : count);
    const packed = packValue(`${type}${count === 1 ? "" : count}`, size, argument.values);
    if (typeof packed === "string") throw new JobError(`${job.name}: argument ${index} (${type}) ${packed}`);
    while (bytes.length % packed.length !== 0) bytes.push(0);
    bytes.push(...packed);
  }
  return Uint8Array.from(bytes);
}

function buffersOf(job: Job): readonly number[] {
  return job.arguments.flatMap(({ kind }, index) => {
    if (kind === "image" || kind === "sampler")
      throw new JobError(`${job.name}: argument ${index} is an ${kind}; jobs for Vulkan have buffers and scalars only`);
    return kind === "buffer" ? [index] : [];
  });
}

function groupsOf(job: Job, [x, y, z]: readonly number[]): readonly [number, number, number] {
  const local = [x ?? 1, y ?? 1, z ?? 1];
  const [groupsX, groupsY, groupsZ] = AXES.map((axis) => {
    const [items, size] = [job.global[axis] ?? 1, local[axis] ?? 1];
    if (items % size !== 0)
      throw new JobError(
        `${job.name}: ${items} work-items along ${"xyz"[axis] ?? ""} are no multiple of the shader's ` +
          `local size of ${size}, and a dispatch is whole groups`,
      );
    return items / size;
  });
  return [groupsX ?? 1, groupsY ?? 1, groupsZ ?? 1];
}

/** Reads the interface of a job's shader. Throws a {@link JobError}. */
export function interfaceOf(job: Job, code: Uint8Array): ShaderInterface {
  const wanted = job.local ?? [DEFAULT_SIZE];
  const localSize = Uint32Array.from(AXES, (axis) => wanted[axis] ?? 1);
  const specialization = new Map(AXES.map((id) => [id, new Uint8Array(localSize.slice(id, id + 1).buffer)] as const));
  const reflected = reflectShader(code, { specialization });
  if (!reflected.ok) throw new JobError(`${job.name}: the shader ${describeSpirvError(reflected.error)}`);
  const [entry, ...more] = reflected.value.entryPoints;
  if (entry === undefined || more.length > 0)
    throw new JobError(`${job.name}: the module has ${more.length + (entry === undefined ? 0 : 1)} compute shaders`);
  const fixed = entry.localSize;
  if (job.local !== null && AXES.some((axis) => fixed[axis] !== localSize[axis]))
    throw new JobError(
      `${job.name}: the shader has groups of ${fixed.join(" × ")} work-items, the job of ${localSize.join(" × ")}; ` +
        "give both the same, or let the shader take its size from the specialization constants 0, 1 and 2",
    );
  const buffers = buffersOf(job);
  const bound = entry.bindings.map((binding) => {
    const { set, binding: number, kind, name } = binding;
    const index = set === 0 ? buffers[number] : undefined;
    if (index === undefined || (kind !== "storage-buffer" && kind !== "uniform-buffer"))
      throw new JobError(
        `${job.name}: the shader uses binding ${number} of set ${set} ("${name}", a ${kind}); the job has ` +
          `${buffers.length} buffers, which are the bindings 0 to ${buffers.length - 1} of set 0`,
      );
    return { binding, index };
  });
  const pushConstants = packScalars(job);
  const { pushConstants: used } = entry;
  const end = used === null ? 0 : used.offset + used.bytes;
  if (end > pushConstants.length)
    throw new JobError(
      `${job.name}: the shader uses ${end} bytes of push constants, and the job's scalars have ${pushConstants.length}`,
    );
  return { entry, groups: groupsOf(job, fixed), localSize, bound, pushConstants };
}
