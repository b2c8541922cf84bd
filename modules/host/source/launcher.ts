// SPDX-License-Identifier: Apache-2.0
/**
 * `@muxkit/host/launcher`: a device for launches alone. Executables come as they were read, and nothing is recorded: no
 * command buffers, transfers, semaphores, queries or images. It is what a page with a few kernels needs of this
 * package.
 *
 * @packageDocumentation
 */
import { err, ok, type Result } from "@muxkit/cargo";
import type { ExecutableImage } from "@muxkit/metadata";

import { Batch, type BatchFailure, type DispatchSettings } from "./batch.ts";
import { type CoreSettings, DeviceCore } from "./device-core.ts";
import { type HostError, hostError } from "./host-error.ts";
import type { LaunchRequest } from "./launch-request.ts";
import { LoadedExecutable } from "./loaded-executable.ts";
import { HostBuffer, HostExecutable } from "./objects.ts";
import type { PrintfPart } from "./parts.ts";
import { PreparedLaunch } from "./prepared-launch.ts";
import { threadsReady } from "./threads-ready.ts";

export type { HostArgument, LaunchRequest } from "./launch-request.ts";
export type { HostError } from "./host-error.ts";
export { HostBuffer, HostExecutable, HostKernel } from "./objects.ts";
export type { CoreSettings } from "./device-core.ts";
export { PRINTF } from "./printf-part.ts";
export { pageSettings } from "./page-settings.ts";
export { type HostParts, NO_PARTS, type PrintfPart } from "./parts.ts";
export { LOCAL_MEMORY, MAX_GROUP_ITEMS } from "./limits.ts";

/** A launch that can be run again and again, several times at once. @public */
export class ReadyLaunch {
  readonly #prepared: PreparedLaunch;
  /** Command nodes of runs that are over. */
  readonly #idle: Batch[] = [];

  /** Made by {@link Launcher.prepare}. @internal */
  constructor(prepared: PreparedLaunch) {
    this.#prepared = prepared;
  }

  /** Runs it. The promise is fulfilled when it is complete. Errors: what the kernel did; no room. */
  async run(): Promise<Result<void, HostError>> {
    const { core, command } = this.#prepared;
    const lowered = this.#idle.pop();
    const batch = lowered === undefined ? Batch.lower(core, [command], null) : ok(lowered);
    if (!batch.ok) return err(hostError("out_of_memory", batch.error));
    let outcome: BatchFailure | null | undefined;
    const settings: DispatchSettings = {
      waits: [],
      signals: [],
      fence: 0,
      deadline: 0,
      part: 0,
      callback: null,
      done: (failure) => {
        outcome = failure;
      },
    };
    const dispatched = batch.value.dispatch(settings);
    if (!dispatched.ok) return err(hostError("out_of_memory", dispatched.error));
    await core.host.wait(() => outcome !== undefined, Infinity);
    this.#idle.push(batch.value);
    return outcome === null ? ok() : err(hostError("failure", outcome?.message ?? "the device was closed"));
  }

  /** Frees what it has. Not while it runs. */
  free(): void {
    for (const batch of this.#idle.splice(0)) batch.free();
    this.#prepared.unuse();
  }
}

/** See the file's head. @public */
export class Launcher {
  readonly #core: DeviceCore;
  /** The device's parts: there may be more of them later. */
  readonly #parts: { printf: PrintfPart | null };

  private constructor(core: DeviceCore, parts: { printf: PrintfPart | null }) {
    this.#core = core;
    this.#parts = parts;
    core.retain();
  }

  /** Opens a device; its threads are up when the promise is fulfilled. Error: memory cannot be reserved. */
  static async open(settings: CoreSettings): Promise<Result<Launcher, HostError>> {
    const parts = { ...settings.parts };
    const core = DeviceCore.open({ ...settings, parts });
    if (!core.ok) return err(hostError("out_of_memory", core.error));
    await threadsReady(core.value);
    return ok(new Launcher(core.value, parts));
  }

  /** Executables that print can be loaded from now on. */
  usePrintf(part: PrintfPart): void {
    this.#parts.printf ??= part;
  }

  /** Threads that run work-groups. */
  get threads(): number {
    const { pool, settings } = this.#core;
    return settings.environment.startsEarly ? Math.min(settings.threads, pool.size + 1) : settings.threads;
  }

  /** Loads an executable that was read. Errors: it is for another engine; no memory. */
  load(image: ExecutableImage): Result<HostExecutable, HostError> {
    const loaded = LoadedExecutable.load(this.#core, image, null);
    return loaded.ok ? ok(new HostExecutable(loaded.value)) : err(hostError(loaded.error.code, loaded.error.message));
  }

  /** Memory of the device. Error: there is none left. */
  allocate(size: number): Result<HostBuffer, HostError> {
    const block = this.#core.memory.allocate(size, 128, this.#core.settings.redZone);
    return block.ok ? ok(new HostBuffer(this.#core, block.value)) : err(hostError("out_of_memory", block.error));
  }

  /** Prepares a launch. Errors: those of its sizes and arguments. */
  prepare(request: LaunchRequest): Result<ReadyLaunch, HostError> {
    const prepared = PreparedLaunch.prepare(this.#core, request);
    return prepared.ok ? ok(new ReadyLaunch(prepared.value)) : prepared;
  }

  /** Ends the threads. */
  close(): void {
    this.#core.release();
  }
}
