// SPDX-License-Identifier: Apache-2.0
// What the runtime API calls the kinds of kernel arguments.
import type { ArgumentKind } from "@muxkit/kernel-abi";
import { MuxDescriptorType } from "@muxkit/mux";

/** The descriptor of an argument, by its kind in the metadata of kernels. @public */
export const DESCRIPTOR_TYPES: Readonly<Record<ArgumentKind, MuxDescriptorType>> = {
  value: MuxDescriptorType.plain_old_data,
  pointer: MuxDescriptorType.buffer,
  local: MuxDescriptorType.shared_local_buffer,
  sampler: MuxDescriptorType.sampler,
  image: MuxDescriptorType.image,
  pipe: MuxDescriptorType.buffer,
};
