// SPDX-License-Identifier: Apache-2.0
// The commands of a device in order, and what has failed since the last query.
import type { CommandQueue, Event } from "@muxkit/opencl";

import { Command } from "./command.ts";
import type { Device } from "./device.ts";
import type { LaunchLimit } from "./launch-limit.ts";
import type { Profile } from "./profile.ts";
import { OwnedMemory } from "./unreferenced.ts";

/** Commands that are remembered at most before those that went well are dropped. */
const REMEMBERED = 64;

/** The queue of a device, with a memory for failures. @internal */
export class Launches {
  /** The device. */
  readonly device: Device;
  /** The OpenCL queue. */
  readonly queue: CommandQueue;
  /** The memory of its arrays and images. */
  readonly memory: OwnedMemory = new OwnedMemory();
  /** Where launches are measured; null: they are not. */
  profile: Profile | null = null;
  #commands: Command[] = [];

  /** Remembers the failures of commands of a queue. */
  constructor(device: Device, queue: CommandQueue) {
    this.device = device;
    this.queue = queue;
  }

  /** Remembers a command, so that a later read reports its failure. `bytes` are those of its arrays. */
  track(name: string, event: Event, bytes: number = 0, limit: LaunchLimit | null = null): Command {
    event.markObserved();
    const command = new Command(this, name, event, limit);
    this.#commands.push(command);
    if (this.#commands.length > REMEMBERED)
      this.#commands = this.#commands.filter(({ event: { isComplete, error } }) => !isComplete || error !== null);
    if (this.profile !== null) this.profile.add(command, bytes);
    return command;
  }

  /** Forgets a command whose failure has been reported. */
  forget(command: Command): void {
    this.#commands = this.#commands.filter((one) => one !== command);
  }

  /** Throws the first failure since the last time. */
  throwFailure(): void {
    // Who stopped a launch knows of it.
    const failed = this.#commands.find(({ event, isStopped }) => event.error !== null && !isStopped) ?? null;
    this.#commands = this.#commands.filter(({ event }) => !event.isComplete);
    if (failed === null) return;
    const error = failed.errorOf(failed.event.error);
    if (error instanceof Error) throw error;
  }
}
