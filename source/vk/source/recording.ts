// SPDX-License-Identifier: Apache-2.0
// From a list of recorded commands to the runtime's command buffer.
//
// Barriers cut the list into levels. Dispatches and transfers of one level have no order, those of a level run after
// all of the level before: the runtime lets a command without a wait list wait for everything before it. So a barrier
// needs a command only where a level has several, which then wait for it instead. Everything else (events, queries,
// indirect dispatches) runs alone, between what is before it and what is after it.
//
// Dispatches are launches of the runtime, prepared when the list is written. Those of one level are one call, and so
// are those of levels that follow each other and have one dispatch each. The arguments of a launch are looked up in the
// descriptor tables that were bound.
//
//     recorded  dispatch a, barrier, dispatch b, barrier, dispatch c, dispatch d, barrier, dispatch e, copy f
//     written   launches [a, b]; parallel launches [c, d]; barrier; after it, launches [e] and copy f
//
// Cost: linear in the commands and in the arguments of dispatches.
import type { Result } from "@muxkit/cargo";
import type { ArgumentFact, ShaderArgumentReflection } from "@muxkit/compiler";
import {
  DEFAULT_ALLOCATOR,
  type MuxCommandBuffer,
  type MuxDescriptorInfo,
  MuxDescriptorType,
  type MuxError,
  type MuxKernel,
  type MuxLaunch,
  type MuxNDRangeOptions,
  type MuxSyncPoint,
  muxCommandBarrier,
  muxCommandLaunches,
  muxCommandParallelLaunches,
  muxCreateLaunch,
  muxDestroyLaunch,
} from "@muxkit/mux";

import type { BufferDescriptor, ImageDescriptor } from "./descriptor.ts";
import type { DescriptorTable } from "./descriptor-set.ts";
import { fromMux, invalid } from "./error.ts";
import type { Pipeline } from "./pipeline.ts";
import type { Reading } from "./sampler.ts";
import { VK_WHOLE_SIZE } from "./version.ts";

/** A descriptor set as it was bound. */
export interface BoundSet {
  readonly table: DescriptorTable;
  /** Offsets of its dynamic descriptors, in the order of bindings and elements. */
  readonly offsets: readonly number[];
}

/** Work-groups: the first, and how many. */
export interface Groups {
  readonly base: readonly [number, number, number];
  readonly count: readonly [number, number, number];
}

/** A dispatch with everything that was bound. */
export interface DispatchState {
  readonly pipeline: Pipeline;
  readonly sets: readonly (BoundSet | null)[];
  readonly pushConstants: Uint8Array;
}

/** Writes a transfer behind what it waits for; nothing is everything before it. */
export type WriteTransfer = (
  commands: MuxCommandBuffer,
  waits: readonly MuxSyncPoint[],
) => Result<MuxSyncPoint, MuxError>;

/** A recorded command. */
export type RecordedCommand =
  | { readonly kind: "dispatch"; readonly state: DispatchState; readonly groups: Groups }
  | { readonly kind: "transfer"; readonly write: WriteTransfer }
  /** Orders what is before it and what is after it. */
  | { readonly kind: "barrier" }
  | {
      readonly kind: "other";
      /** Writes it; what it keeps of its own is made for each instance. */
      readonly write: (commands: MuxCommandBuffer) => Result<MuxSyncPoint, MuxError>;
    };

/** An argument that a descriptor gives. */
type BoundArgument = Exclude<ShaderArgumentReflection, { readonly kind: "push-constants" }>;

/** A buffer as two arguments: where it begins, and how many bytes it has. */
function bufferRange(
  call: string,
  { buffer, offset, range }: BufferDescriptor,
  dynamic: number,
): { start: number; bytes: number } {
  const start = offset + dynamic;
  const bytes = range === VK_WHOLE_SIZE ? buffer.size - start : range;
  if (start + bytes > buffer.size || bytes < 0)
    throw invalid(
      call,
      `a dynamic offset of ${dynamic} moves a descriptor past the end of its buffer of ${buffer.size} bytes`,
      "VUID-vkCmdBindDescriptorSets-pDescriptorSets-01979",
    );
  return { start, bytes };
}

const NULL_BUFFER: MuxDescriptorInfo = { type: MuxDescriptorType.null_buffer };

const bytesOf = (data: Uint8Array): MuxDescriptorInfo => ({ type: MuxDescriptorType.plain_old_data, data });

const word = (value: number): MuxDescriptorInfo => bytesOf(new Uint8Array(Uint32Array.of(value).buffer));

/** A binding of a set, for messages. */
const placeOf = ({ set, binding, element }: BoundArgument): string =>
  `binding ${binding} of set ${set}${element === 0 ? "" : `, element ${element}`}`;

function imageArgument(call: string, argument: BoundArgument, descriptor: ImageDescriptor | null): MuxDescriptorInfo {
  const view = descriptor?.view ?? null;
  if (view === null)
    throw invalid(call, `the shader uses ${placeOf(argument)}, which has no image`, `VUID-${call}-None-08114`);
  if (!view.isAlive)
    throw invalid(call, `the view at ${placeOf(argument)} has been destroyed`, `VUID-${call}-None-08114`);
  return { type: MuxDescriptorType.image, image: view.bound(call), view: view.word };
}

function samplerArgument(call: string, argument: BoundArgument, sampler: Reading | null): MuxDescriptorInfo {
  if (sampler !== null) return { type: MuxDescriptorType.sampler, sampler: sampler.mux };
  throw invalid(call, `the shader uses ${placeOf(argument)}, which has no sampler`, `VUID-${call}-None-08114`);
}

/** The value of a kernel's argument. */
function argumentOf(
  call: string,
  argument: ShaderArgumentReflection,
  { sets, pushConstants }: DispatchState,
): MuxDescriptorInfo {
  if (argument.kind === "push-constants") return bytesOf(pushConstants.subarray(0, argument.bytes));
  const bound = sets[argument.set] ?? null;
  const descriptor = bound?.table.elements(argument.binding)[argument.element] ?? null;
  const row = bound?.table.layout.bindings.get(argument.binding);
  if (argument.kind === "image" || argument.kind === "sampler") {
    const fixed = row?.immutableSamplers?.[argument.element] ?? null;
    const image = descriptor?.kind === "image" ? descriptor : null;
    return argument.kind === "image"
      ? imageArgument(call, argument, image)
      : samplerArgument(call, argument, fixed ?? image?.sampler ?? null);
  }
  const isSize = argument.kind === "buffer-bytes";
  if (bound === null || descriptor?.kind !== "buffer") return isSize ? word(0) : NULL_BUFFER;
  const first = row?.firstOffset ?? -1;
  const dynamic = first < 0 ? 0 : (bound.offsets[first + argument.element] ?? 0);
  const { start, bytes } = bufferRange(call, descriptor, dynamic);
  return isSize
    ? word(bytes)
    : { type: MuxDescriptorType.buffer, buffer: descriptor.buffer.bound(call), offset: start };
}

/** What code may know of an argument: how an image is stored, and how it is read. */
function factOf(argument: ShaderArgumentReflection, { sets }: DispatchState): ArgumentFact | null {
  if (argument.kind !== "image" && argument.kind !== "sampler") return null;
  const table = sets[argument.set]?.table;
  const descriptor = table?.elements(argument.binding)[argument.element] ?? null;
  const own = descriptor?.kind === "image" ? descriptor : null;
  if (argument.kind === "image") {
    const format = own?.view?.mux.format ?? null;
    return format === null
      ? null
      : { kind: "image", order: format & 0xffff, channelType: format >>> 16, view: own?.view?.word ?? 0 };
  }
  const fixed = table?.layout.bindings.get(argument.binding)?.immutableSamplers?.[argument.element] ?? null;
  const reading = fixed ?? own?.sampler ?? null;
  return reading === null ? null : { kind: "sampler", bits: reading.bits };
}

/** The kernel of a dispatch: with code for the images and samplers that are bound, where that is better. */
export function kernelOf(state: DispatchState): MuxKernel {
  const { pipeline } = state;
  return pipeline.readsImages
    ? pipeline.kernelFor(pipeline.arguments.map((one) => factOf(one, state)))
    : pipeline.kernel;
}

/** A dispatch as a launch of the runtime. */
export function launchOptions(call: string, state: DispatchState, { base, count }: Groups): MuxNDRangeOptions {
  const { localSize } = state.pipeline;
  const isWhole = base.every((first) => first === 0);
  return {
    descriptors: state.pipeline.arguments.map((argument) => argumentOf(call, argument, state)),
    localSize,
    globalOffset: [0, 0, 0],
    globalSize: localSize.map((size, axis) => size * ((base[axis] ?? 0) + (count[axis] ?? 0))),
    dimensions: 3,
    firstGroup: isWhole ? null : base,
    groupCount: isWhole ? null : count,
    countsPart: true,
  };
}

const NOTHING: readonly MuxSyncPoint[] = [];

/** Commands that were written into one command buffer of the runtime. */
export class Writing {
  readonly #commands: MuxCommandBuffer;
  readonly #call: string;
  /** Launches of levels that have one each and nothing else, still to be written: one call takes all of them. */
  readonly #chain: MuxLaunch[] = [];
  /** What the level has so far. */
  readonly #level: MuxLaunch[] = [];
  readonly #transfers: WriteTransfer[] = [];
  readonly #launches: MuxLaunch[] = [];

  constructor(call: string, commands: MuxCommandBuffer) {
    this.#call = call;
    this.#commands = commands;
  }

  /** Writes a list. Returns the launches, which live as long as the recording. */
  write(list: readonly RecordedCommand[]): readonly MuxLaunch[] {
    try {
      for (const command of list) this.#add(command);
      this.#endLevel();
      this.#flushChain();
    } catch (error) {
      freeLaunches(this.#launches);
      throw error;
    }
    return this.#launches;
  }

  #add(command: RecordedCommand): void {
    if (command.kind === "dispatch") {
      const options = launchOptions(this.#call, command.state, command.groups);
      const launch = fromMux(this.#call, muxCreateLaunch(kernelOf(command.state), options, DEFAULT_ALLOCATOR));
      this.#launches.push(launch);
      this.#level.push(launch);
    } else if (command.kind === "transfer") this.#transfers.push(command.write);
    else {
      this.#endLevel();
      if (command.kind === "barrier") return;
      this.#flushChain();
      fromMux(this.#call, command.write(this.#commands));
    }
  }

  /** Writes the level, unless it continues a chain. */
  #endLevel(): void {
    const [only] = this.#level;
    if (only === undefined && this.#transfers.length === 0) return;
    if (only !== undefined && this.#level.length === 1 && this.#transfers.length === 0) this.#chain.push(only);
    else {
      this.#flushChain();
      this.#writeLevel();
    }
    this.#level.length = 0;
    this.#transfers.length = 0;
  }

  #writeLevel(): void {
    const calls = this.#transfers.length + Math.min(1, this.#level.length);
    // One call waits for everything before it without being told.
    const waits = calls === 1 ? NOTHING : [fromMux(this.#call, muxCommandBarrier(this.#commands, NOTHING))];
    for (const write of this.#transfers) fromMux(this.#call, write(this.#commands, waits));
    if (this.#level.length > 0) fromMux(this.#call, muxCommandParallelLaunches(this.#commands, this.#level, waits));
  }

  #flushChain(): void {
    if (this.#chain.length === 0) return;
    fromMux(this.#call, muxCommandLaunches(this.#commands, this.#chain, NOTHING));
    this.#chain.length = 0;
  }
}

/** Frees launches of a recording that is forgotten. */
export function freeLaunches(launches: readonly MuxLaunch[]): void {
  for (const launch of launches)
    fromMux("vkResetCommandBuffer", muxDestroyLaunch(launch.device, launch, DEFAULT_ALLOCATOR));
}
