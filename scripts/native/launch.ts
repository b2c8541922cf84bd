// SPDX-License-Identifier: Apache-2.0
// A job in one memory: its arguments as kernels get them, written anew before each way of running it.
import { alignUp } from "@muxkit/cargo";
import {
  DISPATCH_BYTES,
  WORKER,
  WORKER_BYTES,
  layoutArena,
  localArgumentSpace,
  writeDispatchBlock,
} from "@muxkit/kernel-abi";
import { type Image, createImage, samplerBits, writeImageDescriptor } from "@muxkit/libimg";
import type { ExecutableImage } from "@muxkit/metadata";

import { type LoadedArgument, type LoadedJob, arrayOf } from "../../benchmarks/src/job.mjs";

/** Bytes of the arena: local memory, private memory, what lives across barriers. */
const ARENA = 32 << 20;

/** Where a kernel's five arguments are, and how many work-groups there are. */
export interface Launch {
  readonly args: number;
  readonly dispatch: number;
  readonly worker: number;
  readonly groups: number;
}

/** A shared memory as large as kernels can have. */
export class JobMemory {
  readonly memory: WebAssembly.Memory = new WebAssembly.Memory({ initial: 1024, maximum: 65_536, shared: true });
  #next = 65_536;

  /** Address of fresh bytes, on a cache line of their own. */
  allocate(bytes: number): number {
    const address = alignUp(this.#next, 128);
    this.#next = address + bytes;
    const missing = this.#next - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / 65_536));
    return address;
  }

  bytes(address: number, length: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, address, length);
  }
}

/** An array of a job that a kernel works on. */
export interface JobBuffer {
  readonly argument: LoadedArgument;
  readonly address: number;
  readonly contents: Uint8Array;
}

function bytesOf(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

/** Puts the arrays of a job into memory. */
export function placeBuffers(memory: JobMemory, job: LoadedJob): readonly (JobBuffer | null)[] {
  return job.args.map((argument) => {
    if (argument.host === undefined) return null;
    const contents = bytesOf(argument.host);
    return { argument, address: memory.allocate(contents.length + 64), contents };
  });
}

/** Writes the arrays of a job as they were. */
export function resetBuffers(memory: JobMemory, buffers: readonly (JobBuffer | null)[]): void {
  for (const buffer of buffers)
    if (buffer !== null) memory.bytes(buffer.address, buffer.contents.length).set(buffer.contents);
}

const FORMATS = {
  rgba8: { order: "RGBA", type: "UNORM_INT8" },
  rgba32f: { order: "RGBA", type: "FLOAT" },
  r32f: { order: "R", type: "FLOAT" },
} as const;

/** The image that an argument is. */
export function imageOf({ image2d }: LoadedArgument): Image | null {
  if (image2d === undefined) return null;
  const format = FORMATS[(image2d.format ?? "rgba8") as keyof typeof FORMATS];
  const { width, height } = image2d;
  const made = createImage(
    { type: "2d", format, width, height, depth: 1, layers: 1, rowPitch: 0, slicePitch: 0 },
    { width1d: 16_384, widthBuffer: 16_384, size2d: 16_384, size3d: 2048, layers: 1 },
  );
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}

function scalarBytes(type: string, value: number | readonly number[]): Uint8Array {
  const list = typeof value === "number" ? [value] : value;
  const make = arrayOf[type];
  if (make === undefined) throw new Error(`there is no type ${type}`);
  return bytesOf(new make(list.length === 3 ? [...list, 0] : list));
}

function three(sizes: readonly number[]): readonly [number, number, number] {
  return [sizes[0] ?? 1, sizes[1] ?? 1, sizes[2] ?? 1];
}

/** What a work-group of a job is. */
export function localSizeOf(job: LoadedJob): readonly [number, number, number] {
  return three(job.local ?? [64]);
}

function writeProgramData(memory: JobMemory, { programData }: ExecutableImage): number {
  if (programData === null) return 0;
  const base = memory.allocate(programData.size);
  memory.bytes(base, programData.bytes.length).set(programData.bytes);
  const view = new DataView(memory.memory.buffer);
  for (const { offset, target } of programData.relocations) view.setUint32(base + offset, base + target, true);
  return base;
}

/** Writes what a launch of the first kernel of an executable needs. */
export function writeLaunch(
  memory: JobMemory,
  job: LoadedJob,
  image: ExecutableImage,
  buffers: readonly (JobBuffer | null)[],
): Launch {
  const kernel = image.kernels.find(({ name }) => name === job.kernel);
  const variant = kernel?.variants[0];
  if (kernel === undefined || variant === undefined) throw new Error(`${job.name} has no kernel ${job.kernel}`);
  const programData = writeProgramData(memory, image);
  const args = memory.allocate(kernel.packedSize);
  const dispatch = memory.allocate(DISPATCH_BYTES);
  const worker = memory.allocate(WORKER_BYTES);
  const arena = memory.allocate(ARENA);
  const view = new DataView(memory.memory.buffer);
  const local = localSizeOf(job);
  const items = local[0] * local[1] * local[2];
  const start = layoutArena(variant, 0, items).localArguments;
  let end = start;
  kernel.arguments.forEach((record, i) => {
    const argument = job.args[i];
    const buffer = buffers[i];
    if (argument === undefined) throw new Error(`${job.name} has too few arguments`);
    const own = imageOf(argument);
    if (own !== null && buffer) writeImageDescriptor(view, args + record.offset, own, buffer.address);
    else if (argument.sampler !== undefined) view.setUint32(args + record.offset, samplerBits(argument.sampler), true);
    else if (argument.kind === "local") {
      view.setUint32(args + record.offset, end, true);
      end += localArgumentSpace(argument.local_bytes);
    } else if (buffer) view.setUint32(args + record.offset, buffer.address, true);
    else {
      const bytes = scalarBytes(argument.type, argument.value);
      memory.bytes(args + record.offset, bytes.length).set(bytes);
    }
  });
  const layout = layoutArena(variant, end - start, items);
  const globalSize = three(job.global);
  const counts = three(globalSize.map((size, axis) => Math.ceil(size / (local[axis] ?? 1))));
  writeDispatchBlock(new Int32Array(memory.memory.buffer), dispatch, {
    dimensions: job.global.length,
    globalSize,
    globalOffset: [0, 0, 0],
    localSize: local,
    groupCount: counts,
    rangeStart: [0, 0, 0],
    rangeCount: counts,
    liveOffset: layout.live,
    privateOffset: layout.private,
    programData,
  });
  view.setUint32(worker + WORKER.size, WORKER_BYTES, true);
  view.setUint32(worker + WORKER.arenaBase, arena, true);
  view.setUint32(worker + WORKER.arenaSize, ARENA, true);
  view.setUint32(worker + WORKER.countdown, 1, true);
  return { args, dispatch, worker, groups: counts[0] * counts[1] * counts[2] };
}
