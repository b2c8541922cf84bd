// SPDX-License-Identifier: Apache-2.0
// From a caller's request to a launch: sizes are checked, a variant of the kernel is selected, arguments are packed.
import { err, ok, type Result } from "@muxkit/cargo";
import { layoutArena } from "@muxkit/kernel-abi";
import type { Size3 } from "@muxkit/metadata";

import { LOCAL_MEMORY, MAX_GROUP_ITEMS } from "./limits.ts";
import { type HostError, hostError } from "./host-error.ts";
import {
  groupCounts,
  type Launch,
  type LaunchPart,
  type LaunchRange,
  type LaunchSuccessor,
  type LaunchWatch,
  partOf,
} from "./launch.ts";
import { type ArgumentValue, packArguments, variantForRange } from "./loaded-executable.ts";
import type { HostParts } from "./parts.ts";
import type { BufferRange, HostKernel, ImageRange } from "./objects.ts";

/** One argument of a launch. @public */
export type HostArgument =
  | { readonly kind: "buffer"; readonly buffer: BufferRange; readonly offset?: number }
  | { readonly kind: "null" }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "local"; readonly size: number }
  | { readonly kind: "image"; readonly image: ImageRange };

/** A launch of a kernel over a range of work-items. @public */
export interface LaunchRequest {
  /** What runs. */
  readonly kernel: HostKernel;
  /** One to three sizes. */
  readonly globalSize: readonly number[];
  /** As many as there are global sizes. */
  readonly localSize: readonly number[];
  /** As many as there are global sizes; zeros when it is left out. */
  readonly globalOffset?: readonly number[];
  /** One for each parameter. */
  readonly arguments: readonly HostArgument[];
  /** Runs only some work-groups of the range; ids and counts stay those of the whole. */
  readonly part?: LaunchPart;
  /** Longest run time in ms; the dispatch's when it is left out. */
  readonly deadline?: number;
  /** Called at each dispatch with what stops the launch. */
  readonly watch?: LaunchWatch | undefined;
  /** Other code that may be ready while it runs. */
  readonly successor?: LaunchSuccessor | undefined;
}

/** 23 days: times are ms in 31 bits. */
const MAX_DEADLINE = 2_000_000_000;
const MAX_SIZE: number = 2 ** 32;

/** Makes a launch of a request. */
export function prepareLaunch(request: LaunchRequest): Result<Launch, HostError> {
  const { kernel } = request;
  const fault = deadlineFault(request.deadline);
  if (fault !== null) return err(fault);
  const range = rangeOf(request);
  if (!range.ok) return range;
  const groups = groupCounts(range.value);
  const part = partOf(range.value, groups);
  if (!part.ok) return err(hostError("invalid_value", part.error));
  const { localSize } = range.value;
  const code = variantForRange(kernel.loaded, range.value);
  if (code === null)
    return err(
      hostError(
        "invalid_value",
        `no variant of kernel "${kernel.metadata.name}" in this executable runs work-groups of ` +
          `${localSize.join(" x ")} on this engine`,
      ),
    );
  const values = argumentValues(request.arguments, kernel.core.settings.parts);
  if (!values.ok) return values;
  const packed = packArguments(kernel.loaded, code.variant, values.value);
  if (!packed.ok) return err(hostError("invalid_value", packed.error));
  const local = code.variant.staticLocalBytes + packed.value.localBytes;
  if (local > LOCAL_MEMORY)
    return err(
      hostError(
        "out_of_memory",
        `kernel "${kernel.metadata.name}" needs ${local} bytes of local memory; a work-group has ${LOCAL_MEMORY}`,
      ),
    );
  const itemsPerGroup = localSize[0] * localSize[1] * localSize[2];
  const arena = layoutArena(code.variant, packed.value.localBytes, itemsPerGroup);
  return ok({
    kernelName: kernel.metadata.name,
    kernel: code,
    range: range.value,
    groups,
    first: part.value.first,
    count: part.value.count,
    total: part.value.total,
    itemsPerGroup,
    localArgumentBytes: packed.value.localBytes,
    liveOffset: arena.live,
    privateOffset: arena.private,
    arenaBytes: arena.bytes,
    parameters: kernel.metadata.arguments,
    args: packed.value.bytes,
    programData: kernel.programData,
    cost: kernel.loaded.cost,
    printf: kernel.loaded.printf,
    deadline: request.deadline ?? 0,
    watch: request.watch ?? null,
    successor: request.successor ?? null,
  });
}

/** What is wrong with a deadline; null when nothing is. */
export function deadlineFault(deadline: number | undefined): HostError | null {
  if (deadline === undefined || (Number.isInteger(deadline) && deadline >= 0 && deadline <= MAX_DEADLINE)) return null;
  return hostError("invalid_value", `a deadline is a whole number of ms up to ${MAX_DEADLINE}, not ${deadline}`);
}

/** Arguments with addresses instead of buffers. */
export function argumentValues(
  list: readonly HostArgument[],
  { describeImage }: HostParts,
): Result<ArgumentValue[], HostError> {
  const values: ArgumentValue[] = [];
  for (const [i, argument] of list.entries()) {
    if (argument.kind === "null") values.push({ kind: "address", address: 0 });
    else if (argument.kind === "buffer") {
      const { buffer, offset = 0 } = argument;
      if (buffer.destroyed) return err(hostError("invalid_value", `argument ${i} is a buffer that was destroyed`));
      if (!Number.isInteger(offset) || offset < 0 || offset >= buffer.size)
        return err(
          hostError("invalid_value", `argument ${i} begins at byte ${offset} of a buffer of ${buffer.size} bytes`),
        );
      values.push({ kind: "address", address: buffer.address + offset });
    } else if (argument.kind === "image") {
      if (argument.image.destroyed)
        return err(hostError("invalid_value", `argument ${i} is an image that was destroyed`));
      if (describeImage === null)
        return err(hostError("feature_unsupported", `argument ${i} is an image, and this program has no images`));
      values.push({ kind: "descriptor", bytes: describeImage(argument.image) });
    } else if (
      argument.kind === "local" &&
      (!Number.isInteger(argument.size) || argument.size <= 0 || argument.size > LOCAL_MEMORY)
    ) {
      return err(
        hostError(
          "out_of_memory",
          `argument ${i} needs ${argument.size} bytes of local memory; a work-group has ${LOCAL_MEMORY}`,
        ),
      );
    } else values.push(argument);
  }
  return ok(values);
}

function rangeOf(request: LaunchRequest): Result<LaunchRange, HostError> {
  const dimensions = request.globalSize.length;
  if (dimensions < 1 || dimensions > 3) return refuse(`a range has 1 to 3 dimensions, not ${dimensions}`);
  const offsets = request.globalOffset ?? request.globalSize.map(() => 0);
  if (request.localSize.length !== dimensions || offsets.length !== dimensions)
    return refuse("global size, local size and offset have different numbers of dimensions");
  const sizes = three(request.globalSize, 1);
  const local = three(request.localSize, 1);
  const offset = three(offsets, 0);
  for (let i = 0; i < dimensions; i++) {
    const [size, group, start] = [sizes[i], local[i], offset[i]] as [number, number, number];
    if (!isSize(size) || !isSize(start))
      return refuse(`global size ${size} and offset ${start} of dimension ${i} are not both whole numbers below 2^32`);
    if (size + start > MAX_SIZE)
      return refuse(`global size ${size} and offset ${start} of dimension ${i} reach beyond 2^32`);
    if (!isSize(group) || group === 0)
      return refuse(`the local size of dimension ${i} is ${group}; it has to be at least 1`);
  }
  const items = local[0] * local[1] * local[2];
  if (items > MAX_GROUP_ITEMS)
    return refuse(`a work-group of ${local.join(" x ")} has ${items} work-items; ${MAX_GROUP_ITEMS} are the most`);
  const required = request.kernel.metadata.requiredWorkGroupSize;
  if (required !== null && required.some((size, i) => size !== local[i as 0 | 1 | 2])) {
    return refuse(
      `kernel "${request.kernel.metadata.name}" requires work-groups of ${required.join(" x ")}, not ` +
        local.join(" x "),
    );
  }
  return ok({ dimensions, globalSize: sizes, globalOffset: offset, localSize: local, part: request.part ?? null });
}

function refuse(message: string): Result<LaunchRange, HostError> {
  return err(hostError("invalid_value", message));
}

function isSize(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < MAX_SIZE;
}

function three(sizes: readonly number[], missing: number): Size3 {
  return [sizes[0] ?? missing, sizes[1] ?? missing, sizes[2] ?? missing];
}
