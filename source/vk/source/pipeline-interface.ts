// SPDX-License-Identifier: Apache-2.0
// Whether a pipeline's layout has what its shader uses.
import type { DescriptorKind, EntryPointReflection } from "@muxkit/compiler";

import type { PipelineLayout } from "./descriptor-layout.ts";
import { invalid } from "./error.ts";
import {
  VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
  VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
  VK_DESCRIPTOR_TYPE_SAMPLER,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
  VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
  VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
  VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
  type VkDescriptorType,
} from "./generated/constants.ts";

/** The types of descriptors that a resource of a shader can be. */
const TYPES: Readonly<Record<DescriptorKind, readonly VkDescriptorType[]>> = {
  "storage-buffer": [VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC],
  "uniform-buffer": [VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC],
  "sampled-image": [VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER],
  "storage-image": [VK_DESCRIPTOR_TYPE_STORAGE_IMAGE],
  "uniform-texel-buffer": [VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER],
  "storage-texel-buffer": [VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER],
  sampler: [VK_DESCRIPTOR_TYPE_SAMPLER, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER],
  "combined-image-sampler": [VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER],
};

/** Throws unless every binding and push constant of the shader is in the layout. */
export function checkInterface(
  call: string,
  entry: EntryPointReflection,
  { sets, pushConstants }: PipelineLayout,
): void {
  for (const { set, binding, kind, count, name } of entry.bindings) {
    const what = `binding ${binding} of set ${set}${name === "" ? "" : ` ("${name}")`}`;
    const row = sets[set]?.bindings.get(binding);
    if (row === undefined)
      throw invalid(
        call,
        `the shader uses ${what}, which the layout does not have`,
        "VUID-VkComputePipelineCreateInfo-layout-07988",
      );
    if (!TYPES[kind].includes(row.type))
      throw invalid(
        call,
        `the shader uses ${what} as a ${kind}, and the layout has descriptors of type ${row.type} there`,
        "VUID-VkComputePipelineCreateInfo-layout-07990",
      );
    if (count > row.count)
      throw invalid(
        call,
        `the shader uses ${count} descriptors of ${what}, and the layout has ${row.count}`,
        "VUID-VkComputePipelineCreateInfo-layout-07991",
      );
  }
  const { pushConstants: used } = entry;
  if (used === null) return;
  const covers = pushConstants.some(
    ({ offset, size }) => offset <= used.offset && used.offset + used.bytes <= offset + size,
  );
  if (!covers)
    throw invalid(
      call,
      `the shader uses push constants from byte ${used.offset} to ${used.offset + used.bytes}, which no range of the layout covers`,
      "VUID-VkComputePipelineCreateInfo-layout-07987",
    );
}
