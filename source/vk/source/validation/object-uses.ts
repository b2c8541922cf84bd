// SPDX-License-Identifier: Apache-2.0
// Which objects command buffers use, and which submissions are pending: what the rules on lifetimes ask
// (object-rule.table.ts). Only calls that are validated come here.
//
// A command buffer has the objects that its commands name, with the revisions of the descriptor sets that it binds and
// of the secondary command buffers that it executes. What these have in turn (descriptors that the shaders use, images
// of views, memory) is looked up when it is submitted or somebody asks. A command buffer is invalid when one of them is
// gone or has changed; that is looked up once after each change of anything. Source: Vulkan 1.3, 3.3.1 and 6.1. Cost:
// a set insertion for each object of a command; linear in the pending command buffers where something is destroyed.
import type { Batch } from "../batch.ts";
import { Buffer } from "../buffer.ts";
import { CommandBuffer } from "../command-buffer.ts";
import type { DescriptorTable } from "../descriptor-set.ts";
import { DescriptorSet } from "../descriptor-set.ts";
import type { Device } from "../device.ts";
import { VulkanError } from "../error.ts";
import type { VkCommandBuffer, VkFence, VkQueue, VkSemaphore } from "../generated/handles.ts";
import type { VkHandle } from "../handle.ts";
import { BufferView, ImageView } from "../image-view.ts";
import { Image } from "../image.ts";
import { Queue } from "../queue.ts";
import { samplerWith } from "../sampler.ts";
import { Fence } from "../synchronisation.ts";

/** What a command buffer uses. */
interface Uses {
  /** Objects that its commands name. */
  readonly named: Set<VkHandle>;
  /** Layouts, which must live while it is recorded only. */
  readonly layouts: Set<VkHandle>;
  /** Sets that may not change, with their revisions when they were bound. */
  readonly tables: Map<DescriptorTable, number>;
  /** Secondary command buffers, with the uses that they had. */
  readonly executed: Map<CommandBuffer, Uses>;
  /** Why it is invalid, as of a number of changes; null: it is not. */
  invalid: string | null;
  checkedAt: number;
}

/** A submission that is not known to be complete. */
interface Pending {
  readonly queue: Queue;
  readonly batch: Batch;
  readonly commandBuffers: readonly CommandBuffer[];
  readonly semaphores: readonly VkHandle[];
}

const USES = new WeakMap<VkHandle, Uses>();
const PENDING = new WeakMap<VkHandle, Set<Pending>>();
/** Command buffers that are recorded, by device. */
const RECORDED = new WeakMap<VkHandle, Set<CommandBuffer>>();
/** Objects that were destroyed, and sets that were written. */
let changes = 0;

/** Notes that an object was destroyed or changed. */
export function noteChange(): void {
  changes++;
}

function listOf<T>(map: WeakMap<VkHandle, Set<T>>, key: VkHandle): Set<T> {
  let list = map.get(key);
  if (list === undefined) {
    list = new Set();
    map.set(key, list);
  }
  return list;
}

/** Notes that a command buffer was begun or reset: it has no commands. */
export function noteReset(commands: VkHandle): void {
  if (!(commands instanceof CommandBuffer)) return;
  changes++;
  USES.set(commands, {
    named: new Set(),
    layouts: new Set(),
    tables: new Map(),
    executed: new Map(),
    invalid: null,
    checkedAt: changes,
  });
  listOf(RECORDED, commands.device).add(commands);
}

/** Notes the objects that a command names. */
export function noteCommand(commands: VkHandle, objects: readonly VkHandle[]): void {
  const uses = USES.get(commands);
  if (uses === undefined) return;
  for (const object of objects) {
    if (object === commands) continue;
    if (object.kind === "VkPipelineLayout") {
      uses.layouts.add(object);
      continue;
    }
    uses.named.add(object);
    if (object instanceof DescriptorSet && !object.table.layout.updatesAfterBind && !uses.tables.has(object.table))
      uses.tables.set(object.table, object.table.revision);
    const own = object instanceof CommandBuffer ? USES.get(object) : undefined;
    if (own !== undefined) uses.executed.set(object as CommandBuffer, own);
  }
}

/** The command buffers of a device that are recorded with a layout. */
export function recordedWith(device: VkHandle, layout: VkHandle): boolean {
  const list = listOf(RECORDED, device);
  for (const commands of list) {
    if (commands.state !== "recording") list.delete(commands);
    else if (USES.get(commands)?.layouts.has(layout) === true) return true;
  }
  return false;
}

/** An object with those that it is nothing without. */
function* withParts(object: VkHandle): Iterable<VkHandle> {
  yield object;
  if (object instanceof Buffer || object instanceof Image) {
    if (object.memory !== null) yield object.memory;
  } else if (object instanceof ImageView) yield* withParts(object.image);
  else if (object instanceof BufferView) yield* withParts(object.buffer);
}

/** All objects that a command buffer uses. */
function* objectsOf(commands: CommandBuffer, { named, executed }: Uses): Iterable<VkHandle> {
  for (const object of named) yield* withParts(object);
  for (const own of executed.values()) for (const object of own.named) yield* withParts(object);
  const seen = new Set<unknown>();
  for (const command of commands.commands) {
    if (command.kind !== "dispatch" || seen.has(command.state)) continue;
    seen.add(command.state);
    const { pipeline, sets } = command.state;
    for (const { set, binding } of pipeline.bindings)
      for (const descriptor of sets[set]?.table.elements(binding) ?? []) {
        if (descriptor === null) continue;
        if (descriptor.kind === "buffer") {
          yield* withParts(descriptor.buffer);
          continue;
        }
        if (descriptor.view !== null) yield* withParts(descriptor.view);
        const sampler = descriptor.sampler === null ? null : samplerWith(descriptor.sampler);
        if (sampler !== null) yield sampler;
      }
  }
}

/** Why what was recorded cannot be used any more; null: it can. */
export function invalidityOf(commands: VkHandle): string | null {
  const uses = USES.get(commands);
  if (uses === undefined || !(commands instanceof CommandBuffer)) return null;
  if (uses.checkedAt === changes) return uses.invalid;
  uses.checkedAt = changes;
  uses.invalid ??= findInvalidity(commands, uses);
  return uses.invalid;
}

function findInvalidity(commands: CommandBuffer, uses: Uses): string | null {
  for (const object of objectsOf(commands, uses))
    if (!object.isAlive) return `a ${object.kind} that its commands use has been destroyed`;
  const tables = [uses, ...uses.executed.values()].flatMap((own) => [...own.tables]);
  for (const [table, revision] of tables)
    if (table.revision !== revision) return "a descriptor set was updated after it was bound";
  for (const [secondary, own] of uses.executed)
    if (USES.get(secondary) !== own) return "a secondary command buffer that it executes was recorded anew";
  return null;
}

/** True while a command buffer was recorded into another one. */
export const isExecutedBy = (primary: VkHandle, secondary: VkHandle): boolean =>
  USES.get(primary)?.named.has(secondary) ?? false;

/** Notes a submission that was made. */
export function noteSubmission(
  queue: VkQueue,
  commandBuffers: readonly VkCommandBuffer[],
  semaphores: readonly VkSemaphore[],
): void {
  const batch = queue instanceof Queue ? queue.last : null;
  if (batch === null || batch.state === "complete" || !(queue instanceof Queue) || queue.parent === null) return;
  const own = commandBuffers.filter((one) => one instanceof CommandBuffer);
  listOf(PENDING, queue.parent).add({ queue, batch, commandBuffers: own, semaphores });
}

const NONE: ReadonlySet<Pending> = new Set();

/** Takes note of what is complete. False: the device is lost, so that nothing is pending any more (Vulkan 1.3, 5.2.3). */
function settle({ pools, queues }: Device): boolean {
  try {
    if (pools.lost === null) for (const queue of queues) queue.retire("validation");
  } catch (error) {
    // Objects of a lost device may be destroyed; whoever waits is told of the loss.
    if (!(error instanceof VulkanError && error.name === "VK_ERROR_DEVICE_LOST")) throw error;
  }
  return pools.lost === null;
}

/** Submissions of a device that are not known to be complete. */
function pendingOf(device: VkHandle): ReadonlySet<Pending> {
  const list = PENDING.get(device);
  if (list === undefined || list.size === 0) return NONE;
  if (settle(device as Device)) for (const one of list) if (one.batch.state === "complete") list.delete(one);
  if ((device as Device).pools.lost !== null) list.clear();
  return list;
}

const isPendingIn = (commands: CommandBuffer, { batch }: Pending): boolean =>
  batch.state === "held" || commands.pending > 0;

/** True while a command buffer is pending, itself or within one that executes it. */
export function isPending(device: VkHandle, commands: VkHandle): boolean {
  for (const one of pendingOf(device))
    for (const primary of one.commandBuffers)
      if ((primary === commands || isExecutedBy(primary, commands)) && isPendingIn(primary, one)) return true;
  return false;
}

/** True while pending work uses an object that this is true of. */
export function isUsed(device: VkHandle, is: (object: VkHandle) => boolean): boolean {
  for (const one of pendingOf(device)) {
    if (one.semaphores.some(is)) return true;
    for (const commands of one.commandBuffers) {
      const uses = isPendingIn(commands, one) ? USES.get(commands) : undefined;
      if (uses === undefined) continue;
      if (is(commands)) return true;
      for (const object of objectsOf(commands, uses)) if (is(object)) return true;
    }
  }
  return false;
}

/** True while a submission that is not known to be complete signals a fence. */
export function isAwaited(device: VkHandle, fence: VkFence): boolean {
  return fence instanceof Fence && fence.batch !== null && settle(device as Device) && fence.batch.state !== "complete";
}
