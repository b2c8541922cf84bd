// SPDX-License-Identifier: Apache-2.0
// The memories of a context whose devices do not all share one: which device has which, and where objects are made.
// docs/decisions/080-several-devices.md
import { InternalError } from "@muxkit/cargo";
import { type MuxDevice, muxSharesObjects } from "@muxkit/mux";

import type { Copy } from "./copies.ts";
import { hasOneMemory } from "./memory-object.ts";
import type { Device } from "./platform.ts";
import type { CommandQueue } from "./queue.ts";

/** Number of the memory of what no device runs: user events. */
export const NO_MEMORY = -1;

/** One memory, and the devices that share it. */
export interface Memory {
  /** Its number in the context. */
  readonly index: number;
  /** The first of its devices: it allocates, and runs the copies. */
  readonly device: Device;
  /** The runtime's device. */
  readonly runtime: MuxDevice;
  /** The queue of copies from and to it; null before the first. */
  carrier: CommandQueue | null;
  /** Copies of objects in it, besides those that are made with the objects. */
  readonly copies: Set<Copy>;
}

/** The memories of a context. */
export class Memories {
  readonly list: readonly Memory[];
  /** Where objects are made: the host's own memory where a device has that, so that maps copy nothing. */
  readonly home: Memory;
  readonly #byDevice = new Map<Device, Memory>();
  readonly #byRuntime = new Map<MuxDevice, Memory>();

  constructor(devices: readonly { readonly device: Device; readonly runtime: MuxDevice }[]) {
    const list: Memory[] = [];
    for (const { device, runtime } of devices) {
      let memory = list.find((one) => muxSharesObjects(one.runtime, runtime));
      if (memory === undefined) {
        memory = { index: list.length, device, runtime, carrier: null, copies: new Set() };
        list.push(memory);
      }
      this.#byDevice.set(device, memory);
      this.#byRuntime.set(runtime, memory);
    }
    this.list = list;
    const home = list.find(({ device }) => hasOneMemory(device.info)) ?? list[0];
    if (home === undefined) throw new InternalError("a context without a device", ["opencl"]);
    this.home = home;
  }

  /** The memory of a device of the context. */
  of(device: Device): Memory {
    return this.#known(this.#byDevice.get(device));
  }

  /** The same for the runtime's device. */
  ofRuntime(device: MuxDevice): Memory {
    return this.#known(this.#byRuntime.get(device));
  }

  #known(memory: Memory | undefined): Memory {
    if (memory === undefined) throw new InternalError("a device of another context", ["opencl"]);
    return memory;
  }
}

/** The memories of devices; null where all share one. */
export function memoriesOf(
  devices: readonly { readonly device: Device; readonly runtime: MuxDevice }[],
): Memories | null {
  const [first] = devices;
  return first === undefined || devices.every(({ runtime }) => muxSharesObjects(first.runtime, runtime))
    ? null
    : new Memories(devices);
}
