// SPDX-License-Identifier: Apache-2.0
// Command buffers: their states, what is bound while they are recorded, and the runtime's command buffers that they
// become (instances). The first instance is written by vkEndCommandBuffer; another one only where a submission comes
// while all are in flight. Where descriptors were changed after they were bound, an instance is written anew.
import {
  DEFAULT_ALLOCATOR,
  type MuxCommandBuffer,
  type MuxLaunch,
  muxCreateCommandBuffer,
  muxDestroyCommandBuffer,
  muxFinalizeCommandBuffer,
  muxResetCommandBuffer,
} from "@muxkit/mux";

import type { Device } from "./device.ts";
import type { Submittable, Taken } from "./device-pools.ts";
import { PUSH_CONSTANT_BYTES } from "./device-limits.ts";
import type { DescriptorTable } from "./descriptor-set.ts";
import { fromMux, invalid } from "./error.ts";
import {
  VK_COMMAND_BUFFER_LEVEL_PRIMARY,
  VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
  VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
  type VkCommandBufferLevel,
} from "./generated/constants.ts";
import { VkCommandBuffer, type VkCommandPool } from "./generated/handles.ts";
import type { Pipeline } from "./pipeline.ts";
import { type BoundSet, type DispatchState, type RecordedCommand, Writing, freeLaunches } from "./recording.ts";

/** A command buffer of the runtime with what it was written from. */
class Instance implements Taken {
  readonly commands: MuxCommandBuffer;
  /** Sum of the revisions of all tables; -1: it is not written. */
  revision = -1;
  launches: readonly MuxLaunch[] = [];
  isInFlight = false;
  readonly #owner: CommandBuffer;

  constructor(commands: MuxCommandBuffer, owner: CommandBuffer) {
    this.commands = commands;
    this.#owner = owner;
  }

  giveBack(): void {
    this.isInFlight = false;
    if (!this.#owner.isAlive) this.destroy();
  }

  destroy(): void {
    const { commands, launches } = this;
    fromMux("vkFreeCommandBuffers", muxDestroyCommandBuffer(commands.device, commands, DEFAULT_ALLOCATOR));
    freeLaunches(launches);
  }
}

/** See the file's head. */
export class CommandBuffer extends VkCommandBuffer implements Submittable {
  /** Whether a queue or another command buffer runs it. */
  readonly level: VkCommandBufferLevel;
  /** States of Vulkan 1.3, 6.1; pending is counted apart. */
  state: "initial" | "recording" | "executable" | "invalid" = "initial";
  /** Bits of VkCommandBufferUsageFlags. */
  usage = 0;
  /** What later dispatches run. */
  pipeline: Pipeline | null = null;
  readonly #device: Device;
  #commands: RecordedCommand[] = [];
  #sets: (BoundSet | null)[] = [];
  #push: Uint8Array<ArrayBuffer> = new Uint8Array(PUSH_CONSTANT_BYTES);
  /** What is bound, as dispatches see it; null: it has changed since the last one. */
  #bound: DispatchState | null = null;
  readonly #instances: Instance[] = [];
  /** Tables that may change after they were bound. */
  readonly #changeable = new Set<DescriptorTable>();

  constructor(pool: VkCommandPool, device: Device, level: VkCommandBufferLevel) {
    super(pool, pool.validates, false);
    this.#device = device;
    this.level = level;
  }

  /** Its device. */
  get device(): Device {
    return this.#device;
  }

  /** Submissions that are not complete. */
  get pending(): number {
    return this.#instances.filter(({ isInFlight }) => isInFlight).length;
  }

  /** What was recorded. */
  get commands(): readonly RecordedCommand[] {
    return this.#commands;
  }

  /** Starts recording; what was recorded before is forgotten. */
  begin(call: string, usage: number): void {
    this.reset(call);
    this.usage = usage;
    this.state = "recording";
  }

  /** Forgets what was recorded. */
  reset(call: string): void {
    if (this.pending > 0) this.#device.queues.forEach((queue) => queue.retire(call));
    if (this.pending > 0)
      throw invalid(
        call,
        "the command buffer is pending; wait for its fence first",
        `VUID-${call}-commandBuffer-00045`,
      );
    for (const instance of this.#instances) {
      freeLaunches(instance.launches);
      instance.launches = [];
      instance.revision = -1;
    }
    this.#commands = [];
    this.#changeable.clear();
    this.#sets = [];
    this.#push = new Uint8Array(PUSH_CONSTANT_BYTES);
    this.#bound = null;
    this.pipeline = null;
    this.state = "initial";
  }

  /** Ends recording: a primary command buffer is written for the runtime. */
  finish(call: string): void {
    this.ensureRecording(call);
    this.state = "invalid";
    if (this.level === VK_COMMAND_BUFFER_LEVEL_PRIMARY) this.#write(call, this.#idle() ?? this.#create(call));
    this.state = "executable";
  }

  /** Throws unless it is being recorded. */
  ensureRecording(call: string): void {
    if (this.state !== "recording")
      throw invalid(
        call,
        `the command buffer is not being recorded (it is ${this.state}); call vkBeginCommandBuffer first`,
        `VUID-${call}-commandBuffer-recording`,
      );
  }

  /** Records a command. */
  record(call: string, command: RecordedCommand): void {
    this.ensureRecording(call);
    this.#commands.push(command);
    if (command.kind === "dispatch")
      for (const set of command.state.sets)
        if (set?.table.layout.updatesAfterBind === true) this.#changeable.add(set.table);
  }

  /** Binds a descriptor set, or pushed descriptors. */
  bindSet(index: number, set: BoundSet): void {
    while (this.#sets.length <= index) this.#sets.push(null);
    this.#sets[index] = set;
    this.#bound = null;
  }

  /** What is bound at a number. */
  boundSet(index: number): BoundSet | null {
    return this.#sets[index] ?? null;
  }

  /** Sets push constants. */
  push(offset: number, values: Uint8Array): void {
    // Dispatches that are recorded keep theirs.
    this.#push = this.#push.slice();
    this.#push.set(values, offset);
    this.#bound = null;
  }

  /** What a dispatch runs with. Throws where no pipeline is bound. */
  bound(call: string): DispatchState {
    this.ensureRecording(call);
    const { pipeline } = this;
    if (pipeline === null)
      throw invalid(call, "no pipeline is bound; call vkCmdBindPipeline first", `VUID-${call}-None-08606`);
    if (this.#bound?.pipeline === pipeline) return this.#bound;
    this.#bound = { pipeline, sets: [...this.#sets], pushConstants: this.#push };
    return this.#bound;
  }

  take(call: string): Taken {
    let instance = this.#idle();
    if (instance === null) {
      this.#device.queues.forEach((queue) => queue.retire(call));
      instance = this.#idle();
    }
    if (instance === null && (this.usage & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT) === 0)
      throw invalid(
        call,
        "the command buffer is pending already; begin it with VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT",
        `VUID-${call}-pCommandBuffers-00071`,
      );
    instance ??= this.#create(call);
    if (instance.revision !== this.#revision()) this.#write(call, instance);
    instance.isInFlight = true;
    if ((this.usage & VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT) !== 0) this.state = "invalid";
    return instance;
  }

  #idle(): Instance | null {
    for (let i = 0; i < this.#instances.length; i++)
      if (this.#instances[i]?.isInFlight === false) return this.#instances[i] as Instance;
    return null;
  }

  /** Changes of descriptors that may come after they were bound. */
  #revision(): number {
    // Most have none, and this is on the path of every submission.
    if (this.#changeable.size === 0) return 0;
    let sum = 0;
    for (const { revision } of this.#changeable) sum += revision;
    return sum;
  }

  #create(call: string): Instance {
    const commands = fromMux(call, muxCreateCommandBuffer(this.#device.pools.device, null, DEFAULT_ALLOCATOR));
    const instance = new Instance(commands, this);
    this.#instances.push(instance);
    return instance;
  }

  #write(call: string, instance: Instance): void {
    const { commands } = instance;
    fromMux(call, muxResetCommandBuffer(commands));
    freeLaunches(instance.launches);
    instance.launches = [];
    instance.launches = new Writing(call, commands).write(this.#commands);
    fromMux(call, muxFinalizeCommandBuffer(commands));
    instance.revision = this.#revision();
  }

  protected release(): void {
    for (const instance of this.#instances) if (!instance.isInFlight) instance.destroy();
  }
}
