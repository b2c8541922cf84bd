// SPDX-License-Identifier: Apache-2.0
// What validation notes of calls that were made: the objects of commands, submissions, what is gone or has changed.
import type { VkQueue, VkSemaphore } from "../generated/handles.ts";
import type { VkSubmitInfo, VkSubmitInfo2 } from "../generated/structures.ts";
import type { Vulkan } from "../generated/vulkan.ts";
import { VkHandle } from "../handle.ts";
import { seenHandles } from "./check-value.ts";
import { noteChange, noteCommand, noteReset, noteSubmission } from "./object-uses.ts";

/** Takes note of a call with these parameters. */
export type NoteCall = (parameters: readonly unknown[]) => void;

const semaphoresOf = ({ pWaitSemaphores = [], pSignalSemaphores = [] }: VkSubmitInfo): readonly VkSemaphore[] => [
  ...pWaitSemaphores,
  ...pSignalSemaphores,
];

const semaphoresOf2 = ({
  pWaitSemaphoreInfos = [],
  pSignalSemaphoreInfos = [],
}: VkSubmitInfo2): readonly VkSemaphore[] =>
  [...pWaitSemaphoreInfos, ...pSignalSemaphoreInfos].map(({ semaphore }) => semaphore);

function noteSubmit(queue: VkQueue, infos: readonly VkSubmitInfo[]): void {
  const commandBuffers = infos.flatMap(({ pCommandBuffers = [] }) => pCommandBuffers);
  noteSubmission(queue, commandBuffers, infos.flatMap(semaphoresOf));
}

function noteSubmit2(queue: VkQueue, infos: readonly VkSubmitInfo2[]): void {
  const commandBuffers = infos.flatMap(({ pCommandBufferInfos = [] }) => pCommandBufferInfos);
  noteSubmission(
    queue,
    commandBuffers.map(({ commandBuffer }) => commandBuffer),
    infos.flatMap(semaphoresOf2),
  );
}

type Notes = { readonly [K in keyof Vulkan]?: (...parameters: Parameters<Vulkan[K]>) => void };

const NOTES: Notes = {
  vkBeginCommandBuffer: noteReset,
  vkResetCommandBuffer: noteReset,
  vkQueueSubmit: noteSubmit,
  vkQueueSubmit2: noteSubmit2,
  vkUpdateDescriptorSets: noteChange,
  vkResetCommandPool: noteChange,
  vkResetDescriptorPool: noteChange,
};

/** The note of a call; null: there is nothing to note. Of commands, checking them has just found the objects. */
export function noteOf(name: string): NoteCall | null {
  if (name.startsWith("vkCmd"))
    return ([commands]) => {
      if (commands instanceof VkHandle) noteCommand(commands, seenHandles());
    };
  if (/^vk(?:Destroy|Free)/u.test(name)) return noteChange;
  const note = NOTES[name as keyof Vulkan] as ((...all: readonly unknown[]) => void) | undefined;
  if (note === undefined) return null;
  return (parameters) => {
    note(...parameters);
  };
}
