// SPDX-License-Identifier: Apache-2.0
// Device memory that the library maps too (docs/decisions/061-shared-device-memory.md).
import type { MemoryObject } from "@muxkit/opencl";
import { type HostEnvironment, NODE_ENVIRONMENT } from "muxkit/parts";

import type { Addon } from "./addon.ts";

/** Bytes of a page of WebAssembly's memories. */
const PAGE = 65536;

/** Where an object's bytes are. */
export interface Place {
  /** Address in device memory. */
  readonly address: number;
  /** Place in the file of address 0. */
  readonly offset: number;
  /** Most bytes that device memory can have. */
  readonly most: number;
}

/** The device's memory, in a file where that is possible. @internal */
export class SharedMemory {
  /** What the device is opened with. */
  readonly environment: HostEnvironment;
  readonly #addon: Addon | null;
  #offset: number | null = null;
  #most = 0;

  /** Takes the descriptor of an empty file that can be sealed. Without an addon nothing is shared. */
  constructor(addon: Addon | null, file: number, warn: (text: string) => void) {
    this.#addon = addon;
    const { reserveMemory } = NODE_ENVIRONMENT;
    this.environment = {
      ...NODE_ENVIRONMENT,
      reserveMemory: (initial, maximum, shared) => {
        const memory = reserveMemory(initial, maximum, shared);
        if (addon === null || !shared || this.#offset !== null) return memory;
        try {
          this.#offset = addon.shareMemory(new Uint8Array(memory.buffer), maximum * PAGE, file);
          this.#most = maximum * PAGE;
          return memory;
        } catch (error) {
          warn(`device memory is not shared, so data is copied once more: ${(error as Error).message}`);
          return reserveMemory(initial, maximum, shared);
        }
      },
    };
  }

  /** Where an object's bytes are; null: the library cannot map them. */
  placeOf(object: MemoryObject): Place | null {
    return this.isShared ? this.placeOfBytes(object.view("clEnqueueMapBuffer", 0, object.size)) : null;
  }

  /** True when the library can map device memory. */
  get isShared(): boolean {
    return this.#addon !== null && this.#offset !== null;
  }

  /** Where bytes of device memory are; null: the library cannot map them. */
  placeOfBytes(bytes: Uint8Array): Place | null {
    if (this.#addon === null || this.#offset === null) return null;
    const address = this.#addon.placeOf(bytes);
    return address < 0 ? null : { address, offset: this.#offset, most: this.#most };
  }
}
