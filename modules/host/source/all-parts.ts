// SPDX-License-Identifier: Apache-2.0
// All parts of devices.
import { muxSamplerBits } from "@muxkit/hal";
import { IMAGE_DESCRIPTOR_BYTES } from "@muxkit/kernel-abi";
import { writeImageDescriptor } from "@muxkit/libimg";

import { NATIVE } from "#native";

import type { HostParts } from "./parts.ts";
import { watchLaunches } from "./launch-stop.ts";
import { PRINTF } from "./printf-part.ts";
import { traceRanges } from "./range-trace.ts";
import { RedZones } from "./red-zones.ts";
import { succession } from "./succession.ts";
import { beginTakeovers } from "./takeover.ts";
import { beginWay, endWay } from "./way-choice.ts";

/** See the file's head. */
export const ALL_PARTS: HostParts = {
  printf: PRINTF,
  describeImage: ({ image, address }) => {
    const bytes = new Uint8Array(IMAGE_DESCRIPTOR_BYTES);
    writeImageDescriptor(new DataView(bytes.buffer), 0, image, address);
    return bytes;
  },
  samplerBytes: (sampler) => new Uint8Array(Uint32Array.of(muxSamplerBits(sampler)).buffer),
  redZones: (views) => new RedZones(views),
  traceRanges,
  watchLaunches,
  takeover: { begin: beginTakeovers, succession },
  ways: { begin: beginWay, end: endWay },
  native: NATIVE,
};
