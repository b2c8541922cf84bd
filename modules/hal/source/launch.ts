// SPDX-License-Identifier: Apache-2.0
// Launches: arguments and sizes of the runtime API in the device's terms.
import { type Result, ok } from "@muxkit/cargo";
import {
  type MuxDescriptorInfo,
  MuxDescriptorType,
  type MuxFailure,
  type MuxKernel,
  type MuxNDRangeOptions,
  MuxResult,
} from "@muxkit/mux";

import type { HalArgument, HalRange } from "./hal.ts";
import { muxSamplerBits } from "./images.ts";
import { HalMuxImage, HalMuxKernel, type Outcome, type RecordedLaunch, addressOf } from "./objects.ts";
import { failed, own } from "./own.ts";

/** Values that a launch keeps: the caller may write to its arrays again. */
export function kept(descriptor: MuxDescriptorInfo): MuxDescriptorInfo {
  return descriptor.type === MuxDescriptorType.plain_old_data
    ? { ...descriptor, data: descriptor.data.slice() }
    : descriptor;
}

/** An argument as it is when the launch runs. @public */
export function argumentOf(descriptor: MuxDescriptorInfo): HalArgument {
  switch (descriptor.type) {
    case MuxDescriptorType.buffer:
      return {
        kind: "address",
        address: addressOf(descriptor.buffer) + descriptor.offset,
        size: descriptor.buffer.memoryRequirements.size - descriptor.offset,
      };
    case MuxDescriptorType.image:
      return {
        kind: "image",
        image: { ...own(descriptor.image, HalMuxImage).image, view: descriptor.view ?? 0 },
        address: addressOf(descriptor.image),
      };
    case MuxDescriptorType.sampler:
      return { kind: "sampler", bits: muxSamplerBits(descriptor.sampler) };
    case MuxDescriptorType.shared_local_buffer:
      return { kind: "local", size: descriptor.size };
    case MuxDescriptorType.null_buffer:
      return { kind: "null" };
    default:
      return { kind: "value", bytes: descriptor.data };
  }
}

function sizesOf(list: readonly number[], rest: number): readonly [number, number, number] {
  return [list[0] ?? rest, list[1] ?? rest, list[2] ?? rest];
}

/** The work-items of a launch. @public */
export function rangeOf({
  dimensions,
  globalSize,
  globalOffset,
  localSize,
  firstGroup,
  groupCount,
  countsPart = false,
}: MuxNDRangeOptions): HalRange {
  const [x, y, z] = sizesOf(globalSize, 1);
  const all = [Math.ceil(x / localSize[0]), Math.ceil(y / localSize[1]), Math.ceil(z / localSize[2])] as const;
  return {
    dimensions,
    globalSize: globalSize.slice(0, dimensions),
    globalOffset: Array.from({ length: dimensions }, (_, i) => globalOffset[i] ?? 0),
    localSize,
    firstGroup: firstGroup ?? [0, 0, 0],
    groupCount: groupCount ?? all,
    countsPart,
  };
}

/** True when an argument of one kind can be replaced by another. */
function fits(wanted: MuxDescriptorType, given: MuxDescriptorType): boolean {
  return wanted === given || (wanted === MuxDescriptorType.buffer && given === MuxDescriptorType.null_buffer);
}

/** A sentence: why one argument does not fit; null: it does. */
function misfit({ argumentTypes }: MuxKernel, index: number, { type }: MuxDescriptorInfo): string | null {
  const wanted = argumentTypes?.[index];
  if (wanted === undefined) return `the kernel has no argument ${index}`;
  return fits(wanted, type) ? null : `argument ${index} is of kind ${wanted}, not ${type}`;
}

/**
 * A launch that is checked. Errors: error_invalid_value for arguments and sizes that the kernel does not take.
 *
 * @public
 */
export function recordedLaunch(given: MuxKernel, options: MuxNDRangeOptions): Result<RecordedLaunch, MuxFailure> {
  const kernel = own(given, HalMuxKernel);
  const { requiredLocalSize, argumentTypes } = kernel.hal;
  if (options.descriptors.length !== argumentTypes.length)
    return failed(
      MuxResult.error_invalid_value,
      `the kernel has ${argumentTypes.length} arguments, and the launch has ${options.descriptors.length}`,
    );
  const wrong = options.descriptors.map((descriptor, i) => misfit(kernel, i, descriptor)).find((text) => text !== null);
  if (wrong !== undefined) return failed(MuxResult.error_invalid_value, wrong);
  if (requiredLocalSize?.some((size, axis) => size !== options.localSize[axis]) === true)
    return failed(
      MuxResult.error_invalid_value,
      `the kernel needs work-groups of ${requiredLocalSize.join(" × ")}, not ${options.localSize.join(" × ")}`,
    );
  return ok({ kernel, options, descriptors: options.descriptors.map(kept) });
}

const failureOf = (done: Result<void, MuxFailure>): MuxFailure | null => (done.ok ? null : done.error);

/** The failure of a launch, now or when the device has completed it; null: it succeeded. */
export function runLaunch({ kernel, options, descriptors }: RecordedLaunch): Outcome {
  const done = kernel.hal.run(rangeOf(options), descriptors.map(argumentOf));
  if (!(done instanceof Promise)) return failureOf(done);
  return done.then(failureOf, (reason: unknown) => ({
    code: MuxResult.error_failure,
    message: reason instanceof Error ? reason.message : String(reason),
  }));
}

/**
 * The arguments of a launch with some of them changed. Errors: error_invalid_value for arguments that there are not, or
 * of another kind.
 *
 * @public
 */
export function updated(
  { kernel, descriptors }: RecordedLaunch,
  indices: readonly number[],
  given: readonly MuxDescriptorInfo[],
): Result<readonly MuxDescriptorInfo[], MuxFailure> {
  const changed = [...descriptors];
  for (const [i, descriptor] of given.entries()) {
    const index = indices[i] ?? -1;
    const wrong = misfit(kernel, index, descriptor);
    if (wrong !== null) return failed(MuxResult.error_invalid_value, wrong);
    changed[index] = kept(descriptor);
  }
  return ok(changed);
}
