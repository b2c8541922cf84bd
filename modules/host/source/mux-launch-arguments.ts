// SPDX-License-Identifier: Apache-2.0
// Ranges and arguments of launches, from mux's descriptors to the host's.
import { ok, type Result } from "@muxkit/cargo";
import {
  type MuxDescriptorInfo,
  MuxDescriptorType,
  type MuxDevice,
  type MuxFailure,
  type MuxNDRangeOptions,
  MuxResult,
} from "@muxkit/mux";

import type { HostArgument } from "./launch-request.ts";
import type { LaunchPart, LaunchSuccessor, LaunchWatch } from "./launch.ts";
import { HostMuxImage } from "./mux-objects.ts";
import type { ImageRange } from "./objects.ts";
import { bufferRange, deviceOf, failed, own } from "./mux-recording.ts";

/** An image as a shader's view sees it. */
function asSeen(range: ImageRange, view: number | undefined): ImageRange {
  if (view === undefined || view === 0) return range;
  const { address, size, destroyed, image } = range;
  return { address, size, destroyed, image: { ...image, view } };
}

/** The range of a launch, without unused dimensions. */
export function rangeOf({
  dimensions,
  globalSize,
  globalOffset,
  localSize,
  firstGroup,
  groupCount,
  countsPart = false,
  deadline = 0,
  watch,
  successor,
}: MuxNDRangeOptions): {
  globalSize: readonly number[];
  globalOffset: readonly number[];
  localSize: readonly number[];
  part?: LaunchPart;
  deadline: number;
  watch: LaunchWatch | undefined;
  successor: LaunchSuccessor | undefined;
} {
  const range = {
    globalSize: globalSize.slice(0, dimensions),
    globalOffset: globalOffset.slice(0, dimensions),
    localSize: localSize.slice(0, dimensions),
    deadline,
    watch,
    successor,
  };
  return firstGroup === null || groupCount === null
    ? range
    : { ...range, part: { first: firstGroup, count: groupCount, isCounted: countsPart } };
}

/** The arguments of a launch. Errors: custom buffers. */
export function argumentsOf(
  device: MuxDevice,
  descriptors: readonly MuxDescriptorInfo[],
): Result<HostArgument[], MuxFailure> {
  const list: HostArgument[] = [];
  for (const [i, descriptor] of descriptors.entries()) {
    if (descriptor.type === MuxDescriptorType.buffer)
      list.push({ kind: "buffer", buffer: bufferRange(descriptor.buffer), offset: descriptor.offset });
    else if (descriptor.type === MuxDescriptorType.null_buffer) list.push({ kind: "null" });
    else if (descriptor.type === MuxDescriptorType.plain_old_data)
      list.push({ kind: "bytes", bytes: descriptor.data.slice() });
    else if (descriptor.type === MuxDescriptorType.shared_local_buffer)
      list.push({ kind: "local", size: descriptor.size });
    else if (descriptor.type === MuxDescriptorType.image)
      list.push({ kind: "image", image: asSeen(own(descriptor.image, HostMuxImage).range, descriptor.view) });
    else if (descriptor.type === MuxDescriptorType.sampler) {
      const { samplerBytes } = deviceOf(device).host.parts;
      if (samplerBytes === null)
        return failed(
          MuxResult.error_feature_unsupported,
          `argument ${i} is a sampler, and this program has no images`,
        );
      list.push({ kind: "bytes", bytes: samplerBytes(descriptor.sampler) });
    } else
      return failed(
        MuxResult.error_feature_unsupported,
        `argument ${i} is a custom buffer, and this program has no custom buffers`,
      );
  }
  return ok(list);
}
