// SPDX-License-Identifier: Apache-2.0
// Every pair of accesses with every kind of dependency between them. What is expected is what chapter 7.1 of the
// specification says: a write needs an execution and a memory dependency to what comes behind it, a read before a
// write an execution dependency, and two reads nothing.
import * as vk from "@muxkit/vulkan";
import { describe, expect, test } from "vitest";

import {
  BUFFER_KINDS,
  BYTES,
  IMAGE_KINDS,
  type Kind,
  device,
  hazardOf,
  layers,
  newBuffer,
  newImage,
  recording,
} from "./hazard-kinds.ts";

const S = {
  indirect: vk.VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
  compute: vk.VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
  copy: vk.VK_PIPELINE_STAGE_2_COPY_BIT,
  clear: vk.VK_PIPELINE_STAGE_2_CLEAR_BIT,
  host: vk.VK_PIPELINE_STAGE_2_HOST_BIT,
  all: vk.VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
  top: vk.VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT,
  bottom: vk.VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT,
} as const;
const ANY = BigInt(vk.VK_ACCESS_MEMORY_READ_BIT | vk.VK_ACCESS_MEMORY_WRITE_BIT);
const OTHER_IMAGE = newImage();
const OTHER_BUFFER = newBuffer();

/** Scopes of a dependency. */
type Scopes = vk.VkMemoryBarrier2;
type Resource = vk.VkBuffer | vk.VkImage;
type Between = (to: vk.VkCommandBuffer, target: Resource, scopes: Scopes) => void;

const exact = (before: Kind<never>, after: Kind<never>): Scopes => ({
  srcStageMask: before.stage,
  srcAccessMask: before.access,
  dstStageMask: after.stage,
  dstAccessMask: after.access,
});

/** A stage that is neither a command's own nor before it: a dispatch reads its size before its shader runs. */
const notBefore = (stage: bigint): bigint => (stage === S.copy ? S.clear : S.copy);
/** An access that no kind in the table makes. */
const NO_ACCESS = vk.VK_ACCESS_2_HOST_READ_BIT;

const memory: Between = (to, _target, scopes) =>
  vk.vkCmdPipelineBarrier2(to, { dependencyFlags: 0, pMemoryBarriers: [scopes] });

/** A barrier of a resource. */
const ranged =
  (of: (target: Resource) => Resource): Between =>
  (to, target, scopes) => {
    const { srcStageMask, srcAccessMask, dstStageMask, dstAccessMask } = scopes;
    const masks = { srcStageMask, srcAccessMask, dstStageMask, dstAccessMask };
    const own = of(target);
    const GENERAL = vk.VK_IMAGE_LAYOUT_GENERAL;
    vk.vkCmdPipelineBarrier2(
      to,
      own instanceof vk.VkBuffer
        ? { dependencyFlags: 0, pBufferMemoryBarriers: [{ ...masks, buffer: own, offset: 0, size: BYTES }] }
        : {
            dependencyFlags: 0,
            pImageMemoryBarriers: [
              { ...masks, image: own, oldLayout: GENERAL, newLayout: GENERAL, subresourceRange: layers(0) },
            ],
          },
    );
  };

const event =
  (change: (scopes: Scopes) => Scopes = (scopes) => scopes): Between =>
  (to, _target, scopes) => {
    const own = vk.vkCreateEvent(device, {});
    vk.vkCmdSetEvent2(to, own, { dependencyFlags: 0, pMemoryBarriers: [change(scopes)] });
    vk.vkCmdWaitEvents2(to, [own], [{ dependencyFlags: 0, pMemoryBarriers: [scopes] }]);
  };

/** Vulkan 1.0 has one stage for all transfers. */
const wide = (stages: bigint): number =>
  Number(stages === S.copy || stages === S.clear ? BigInt(vk.VK_PIPELINE_STAGE_TRANSFER_BIT) : stages);

/** And one access for all reads of shaders. */
function narrow(access: bigint): number {
  if (access >> 32n === 0n) return Number(access);
  return access === vk.VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT
    ? vk.VK_ACCESS_SHADER_WRITE_BIT
    : vk.VK_ACCESS_SHADER_READ_BIT;
}

const old: Between = (to, _target, { srcStageMask, srcAccessMask, dstStageMask, dstAccessMask }) =>
  vk.vkCmdPipelineBarrier(to, wide(srcStageMask), wide(dstStageMask), 0, [
    { srcAccessMask: narrow(srcAccessMask), dstAccessMask: narrow(dstAccessMask) },
  ]);

/** Two dependencies behind each other. */
const chain =
  (first: (scopes: Scopes) => Scopes, second: (scopes: Scopes) => Scopes): Between =>
  (to, target, scopes) => {
    memory(to, target, first(scopes));
    memory(to, target, second(scopes));
  };

/** What is between the two, and for which pairs that is enough: all, those that read first, or none. */
const DEPENDENCIES: readonly (readonly [name: string, Between, enough: "all" | "reads" | "none"])[] = [
  ["nothing", () => undefined, "none"],
  ["a memory barrier", memory, "all"],
  [
    "a barrier of all stages and accesses",
    (to, target) =>
      memory(to, target, {
        srcStageMask: S.all,
        srcAccessMask: ANY,
        dstStageMask: S.all,
        dstAccessMask: ANY,
      }),
    "all",
  ],
  ["a barrier of Vulkan 1.0", old, "all"],
  ["a barrier of the resource", ranged((target) => target), "all"],
  ["a barrier of another buffer", ranged(() => OTHER_BUFFER), "reads"],
  ["a barrier of another image", ranged(() => OTHER_IMAGE), "reads"],
  [
    "an execution dependency",
    (to, target, scopes) =>
      memory(to, target, {
        ...scopes,
        srcAccessMask: 0n,
        dstAccessMask: 0n,
      }),
    "reads",
  ],
  [
    "another first stage",
    (to, target, scopes) =>
      memory(to, target, {
        ...scopes,
        srcStageMask: notBefore(scopes.srcStageMask),
      }),
    "none",
  ],
  ["the host as first stage", (to, target, scopes) => memory(to, target, { ...scopes, srcStageMask: S.host }), "none"],
  ["the host as second stage", (to, target, scopes) => memory(to, target, { ...scopes, dstStageMask: S.host }), "none"],
  [
    "another second stage",
    (to, target, scopes) =>
      memory(to, target, {
        ...scopes,
        dstStageMask: notBefore(scopes.dstStageMask),
      }),
    "none",
  ],
  [
    "the top of the pipe as first stage",
    (to, target, scopes) =>
      memory(to, target, {
        ...scopes,
        srcStageMask: S.top,
      }),
    "none",
  ],
  [
    "the bottom of the pipe as first stage",
    (to, target, scopes) =>
      memory(to, target, {
        ...scopes,
        srcStageMask: S.bottom,
      }),
    "reads",
  ],
  [
    "the top of the pipe as second stage",
    (to, target, scopes) =>
      memory(to, target, {
        ...scopes,
        dstStageMask: S.top,
      }),
    "reads",
  ],
  [
    "the bottom of the pipe as second stage",
    (to, target, scopes) =>
      memory(to, target, {
        ...scopes,
        dstStageMask: S.bottom,
      }),
    "none",
  ],
  ["no first access", (to, target, scopes) => memory(to, target, { ...scopes, srcAccessMask: 0n }), "reads"],
  [
    "another first access",
    (to, target, scopes) => memory(to, target, { ...scopes, srcAccessMask: NO_ACCESS }),
    "reads",
  ],
  ["no second access", (to, target, scopes) => memory(to, target, { ...scopes, dstAccessMask: 0n }), "reads"],
  [
    "another second access",
    (to, target, scopes) =>
      memory(to, target, {
        ...scopes,
        dstAccessMask: NO_ACCESS,
      }),
    "reads",
  ],
  ["an event", event(), "all"],
  [
    "an event that is set behind another stage",
    event((scopes) => ({
      ...scopes,
      srcStageMask: notBefore(scopes.srcStageMask),
    })),
    "none",
  ],
  [
    "an event that is reset again",
    (to, _target, scopes) => {
      const own = vk.vkCreateEvent(device, {});
      vk.vkCmdSetEvent2(to, own, { dependencyFlags: 0, pMemoryBarriers: [scopes] });
      vk.vkCmdResetEvent2(to, own, S.all);
      vk.vkCmdWaitEvents2(to, [own], [{ dependencyFlags: 0, pMemoryBarriers: [scopes] }]);
    },
    "none",
  ],
  [
    "a chain by the host's stage",
    chain(
      (scopes) => ({ ...scopes, dstStageMask: S.host, dstAccessMask: 0n }),
      (scopes) => ({ ...scopes, srcStageMask: S.host, srcAccessMask: 0n }),
    ),
    "all",
  ],
  [
    "a chain that breaks",
    chain(
      (scopes) => ({ ...scopes, dstStageMask: S.host, dstAccessMask: 0n }),
      (scopes) => ({ ...scopes, srcStageMask: S.top, srcAccessMask: 0n }),
    ),
    "none",
  ],
  [
    "a chain that makes nothing available",
    chain(
      (scopes) => ({ ...scopes, srcAccessMask: 0n, dstStageMask: S.host, dstAccessMask: 0n }),
      (scopes) => ({ ...scopes, srcStageMask: S.host, srcAccessMask: 0n }),
    ),
    "reads",
  ],
  [
    "two barriers of one command, which are no chain",
    (to, _target, scopes) =>
      vk.vkCmdPipelineBarrier2(to, {
        dependencyFlags: 0,
        pMemoryBarriers: [
          { ...scopes, dstStageMask: S.host, dstAccessMask: 0n },
          { ...scopes, srcStageMask: S.host, srcAccessMask: 0n },
        ],
      }),
    "none",
  ],
  [
    "two barriers of one command, one of which is enough",
    (to, _target, scopes) =>
      vk.vkCmdPipelineBarrier2(to, {
        dependencyFlags: 0,
        pMemoryBarriers: [{ ...scopes, srcStageMask: S.host }, scopes],
      }),
    "all",
  ],
];

const ADVICE = /put (?:a memory barrier|an execution dependency) from VK_.* to VK_.* between them/u;

function pairs<T extends Resource>(kinds: Readonly<Record<string, Kind<T>>>, make: () => T): void {
  for (const [first, before] of Object.entries(kinds))
    for (const [second, after] of Object.entries(kinds))
      test.each(DEPENDENCIES)(`${first}, %s, ${second}`, (_name, between, enough) => {
        const [commands, target] = [recording(), make()];
        before.run(commands, target);
        between(commands, target, exact(before, after));
        const isSafe =
          (!before.isWrite && !after.isWrite) || enough === "all" || (enough === "reads" && !before.isWrite);
        const hazard = `${after.isWrite ? "WRITE" : "READ"}-AFTER-${before.isWrite ? "WRITE" : "READ"}`;
        expect(hazardOf(() => after.run(commands, target))).toBe(isSafe ? null : hazard);
        if (isSafe) return;
        // What the error advises is enough, and it names both commands.
        expect(() => after.run(commands, target)).toThrow(ADVICE);
        expect(() => after.run(commands, target)).toThrow(/vkCmd\w+ \(command \d+\).* and vkCmd\w+ \(command \d+\)/u);
        memory(commands, target, exact(before, after));
        expect(hazardOf(() => after.run(commands, target))).toBeNull();
      });
}

describe("buffers", () => {
  pairs(BUFFER_KINDS, newBuffer);
});
describe("images", () => {
  pairs(IMAGE_KINDS, newImage);
});
