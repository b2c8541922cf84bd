// SPDX-License-Identifier: Apache-2.0
/// <reference lib="esnext.disposable" preserve="true" />
// Contexts (`sycl::context`): devices, and what was made for them.
import { muxSharesObjects } from "@muxkit/mux";

import { type Device, type DeviceSelector, defaultSelector, selectDevice } from "./device.ts";
import { ensure } from "./exception.ts";
import type { Module, ModuleState } from "./module.ts";
import type { Storage } from "./runtime-device.ts";

/** Something of a context that goes with it. */
interface Releasable {
  release(): void;
}

/** Parts that a context refers to before it looks which are gone. */
const MOST_OWNED = 64;

/** Devices that share memory, and their modules and allocations. @public */
export class Context {
  readonly #devices: readonly Device[];
  readonly #modules = new Map<WeakRef<Module>, ModuleState>();
  readonly #owned = new Set<WeakRef<Releasable>>();
  /** Allocations of unified shared memory, by rising address. @internal */
  readonly allocations: UsmAllocation[] = [];
  #mostOwned = MOST_OWNED;
  #isAlive = true;

  /**
   * Makes a context of devices: the default one unless some are passed. Errors: invalid for none and for one twice;
   * feature_not_supported for devices that share nothing.
   */
  constructor(devices: Device | readonly Device[] | DeviceSelector = defaultSelector) {
    const call = "Context";
    const list = typeof devices === "function" ? [selectDevice(devices)] : [devices].flat();
    const [first] = list;
    ensure(first !== undefined, "invalid", call, "the list of devices is empty; pass one device at least");
    ensure(new Set(list).size === list.length, "invalid", call, "a device is listed twice");
    const runtime = first.open(call);
    for (const device of list)
      ensure(
        muxSharesObjects(runtime.device, device.open(call).device),
        "feature_not_supported",
        call,
        () => `${first.info.deviceName} and ${device.info.deviceName} share no memory; make a context for each`,
      );
    this.#devices = list;
  }

  /** Its devices. */
  getDevices(): readonly Device[] {
    return this.#devices;
  }

  /** Its first device. @internal */
  get device(): Device {
    return this.#devices[0] as Device;
  }

  /** False once it is disposed of. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** The modules of a state that were made for the context and that something still refers to. */
  getModules<State extends ModuleState>(state: State): readonly Module<State>[] {
    const found: Module<State>[] = [];
    for (const [reference, own] of this.#modules) {
      const module = reference.deref();
      if (module === undefined) this.#modules.delete(reference);
      else if (own === state) found.push(module as Module<State>);
    }
    return found;
  }

  /** Takes note of a module. @internal */
  addModule(module: Module, state: ModuleState): void {
    this.ensureAlive("Context");
    this.#modules.set(new WeakRef(module), state);
  }

  /** Something goes with the context. @internal */
  own(part: Releasable): void {
    this.ensureAlive("Context");
    if (this.#owned.size >= this.#mostOwned) {
      for (const one of this.#owned) if (one.deref() === undefined) this.#owned.delete(one);
      this.#mostOwned = Math.max(MOST_OWNED, 2 * this.#owned.size);
    }
    this.#owned.add(new WeakRef(part));
  }

  /** Throws once it is disposed of. @internal */
  ensureAlive(call: string): void {
    ensure(this.#isAlive, "invalid", call, "the context has been disposed of; make another one");
  }

  /** Frees the code and the allocations of the context, when the commands that use them are complete. */
  [Symbol.dispose](): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    for (const reference of this.#owned) reference.deref()?.release();
    this.#owned.clear();
    this.#modules.clear();
    for (const { storage } of this.allocations.splice(0)) storage.unuse();
  }
}

/** An allocation of unified shared memory. @internal */
export interface UsmAllocation {
  readonly storage: Storage;
  readonly kind: "device" | "host" | "shared";
  readonly device: Device | null;
}

const DEFAULT_CONTEXTS = new Map<Device, Context>();

/** The context of a device that queues share unless they are given another one. */
export function defaultContext(device: Device): Context {
  let context = DEFAULT_CONTEXTS.get(device);
  if (context === undefined || !context.isAlive) {
    context = new Context(device);
    DEFAULT_CONTEXTS.set(device, context);
  }
  return context;
}
