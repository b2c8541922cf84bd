// SPDX-License-Identifier: Apache-2.0
// Every shader of the tables by the calls of @muxkit/vulkan: descriptors, images, samplers, push constants and
// specialization as programs write them. `npm test` takes one in eight, KERNEL_SUITE=whole all.
import { hasGlslang, oneRowIn } from "@muxkit/kernel-suite";
import { describe, expect, test } from "vitest";

import { SHADER_FAMILIES } from "./shaders/all.ts";
import { differences, dispatchOf } from "./shaders/compare.ts";
import { type VulkanDevice, dispatchByVulkan, openVulkan } from "./vulkan/api-dispatch.ts";

let opened: VulkanDevice | null = null;

describe.skipIf(!hasGlslang()).each(SHADER_FAMILIES)("%s, by Vulkan's calls", (_family, cases) => {
  // What the build is told besides, a program of Vulkan says by the features of its device.
  const plain = cases.filter(({ options, printed }) => options === undefined && printed === undefined);
  test.each(oneRowIn(8, plain))("$name", (one) => {
    opened ??= openVulkan();
    expect(differences(one, "by Vulkan", dispatchByVulkan(opened, dispatchOf(one, "plain")))).toEqual([]);
  });
});
