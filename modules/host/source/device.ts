// SPDX-License-Identifier: Apache-2.0
// An open host device and the target that opens it: what an API layer holds.
import { err, ok, type Result } from "@muxkit/cargo";
import type { MuxDeviceInfo } from "@muxkit/mux";

import { HostCommandBuffer } from "./command-buffer.ts";
import * as L from "./control-layout.ts";
import { DeviceCore } from "./device-core.ts";
import { hostDeviceInfo } from "./device-info.ts";
import type { DispatchOptions } from "./dispatch-record.ts";
import { type HostError, hostError } from "./host-error.ts";
import { deadlineFault, type LaunchRequest } from "./launch-request.ts";
import type { WaitOutcome } from "./host-thread.ts";
import { loadExecutable } from "./load-executable.ts";
import { HostBuffer, HostExecutable, HostFence, HostQueryPool, HostSemaphore } from "./objects.ts";
import { coreSettings, type HostOptions } from "./options.ts";
import type { HostParts } from "./parts.ts";
import { PreparedLaunch } from "./prepared-launch.ts";
import { threadsReady } from "./threads-ready.ts";

/** The answer of a wait that did not fail. @public */
export type WaitResult = "success" | "not_ready";

/** What threads have done, for tests and curious users. @public */
export interface DeviceStatistics {
  /** Threads that may run work-groups at once. */
  readonly threads: number;
  /** Workers that were started. */
  readonly workers: number;
  /** Threads that work on something right now. */
  readonly running: number;
  /** Workers that were ended because they did not answer. */
  readonly terminated: number;
  /** Work-groups that each thread ran, modulo 2^32; the host thread first. */
  readonly groups: readonly number[];
  /** Bytes that the memory has now, and how many of them are free. */
  readonly memorySize: number;
  /** Bytes of it that are free. */
  readonly memoryFree: number;
  /** Rows of the control block that are taken, by objects and by what is kept for the next ones. */
  readonly rowsUsed: number;
  /** Why a worker could not start; null when all could. */
  readonly failure: string | null;
}

/** An array element type that {@link HostDevice.allocateArray} takes. @public */
export interface ArrayType<T> {
  /** An array over a part of a buffer. */
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): T;
  /** Bytes of an element. */
  readonly BYTES_PER_ELEMENT: number;
}

/** An open device. @public */
export class HostDevice {
  /** Its facts. */
  readonly info: MuxDeviceInfo;
  readonly #core: DeviceCore;
  readonly #arrays = new Map<number, WeakRef<HostBuffer>>();
  /** The part of the core's threads that it has; 0: all of them. */
  readonly #part: number;
  #open = true;
  /** Takes what its kernels print; null: nobody does. */
  #offer: ((text: string) => boolean) | null = null;

  /** Made by {@link HostPlatform}. */
  constructor(info: MuxDeviceInfo, core: DeviceCore, part: number = 0) {
    this.info = info;
    this.#core = core;
    this.#part = part;
    core.retain();
  }

  /** The parts that it has. @internal */
  get parts(): HostParts {
    return this.#core.settings.parts;
  }

  /** Offers texts that kernels print before they are printed. @internal */
  offerPrinted(offer: (text: string) => boolean): void {
    this.#offer = offer;
  }

  /** True when the other one has the same memory and the same threads, or some of them. */
  sharesMemoryWith(other: HostDevice): boolean {
    return this.#core === other.#core;
  }

  /**
   * Allocates a buffer. The alignment is a power of two; less than 128 is raised to 128. Error: `out_of_memory` with
   * the figures.
   */
  createBuffer(size: number, alignment: number = 128): Result<HostBuffer, HostError> {
    if (!this.#open) return err(closed());
    if (!Number.isInteger(size) || size <= 0)
      return err(hostError("invalid_value", `a buffer has at least one byte, not ${size}`));
    if (!Number.isInteger(Math.log2(alignment)))
      return err(hostError("invalid_value", `an alignment is a power of two, not ${alignment}`));
    const block = this.#core.memory.allocate(size, Math.max(128, alignment), this.#core.settings.redZone);
    if (!block.ok) return err(hostError("out_of_memory", block.error));
    this.#core.noteBuffer(size);
    return ok(new HostBuffer(this.#core, block.value));
  }

  /**
   * An array inside the device's memory: transfers from and to it need no host thread, and kernels can use it in place
   * as `buffer`.
   */
  allocateArray<T>(
    type: ArrayType<T>,
    length: number,
  ): Result<{ readonly array: T; readonly buffer: HostBuffer }, HostError> {
    const buffer = this.createBuffer(length * type.BYTES_PER_ELEMENT);
    if (!buffer.ok) return buffer;
    const view = buffer.value.view();
    this.remember(buffer.value);
    return ok({ array: new type(view.buffer, view.byteOffset, length), buffer: buffer.value });
  }

  /** The caller has a view of the buffer, and may come with it as an array of its own. @internal */
  remember(buffer: HostBuffer): void {
    if (this.#arrays.get(buffer.address)?.deref() !== buffer) this.#arrays.set(buffer.address, new WeakRef(buffer));
  }

  /** Nobody comes with a view of the buffer any more. @internal */
  forget(buffer: HostBuffer): void {
    if (this.#arrays.get(buffer.address)?.deref() === buffer) this.#arrays.delete(buffer.address);
  }

  /**
   * The buffer of an array that {@link HostDevice.allocateArray} or a map gave, or of its first part; null for every
   * other array.
   */
  bufferOf(array: Uint8Array): HostBuffer | null {
    if (!this.#core.ownsBuffer(array.buffer)) return null;
    const buffer = this.#arrays.get(array.byteOffset)?.deref();
    return buffer !== undefined && !buffer.destroyed && array.length <= buffer.size ? buffer : null;
  }

  /**
   * Loads an executable. With `sameProgram` it uses that one's program-scope data: variants of one program use the same
   * variables.
   */
  createExecutable(bytes: Uint8Array, sameProgram: HostExecutable | null = null): Result<HostExecutable, HostError> {
    if (!this.#open) return err(closed());
    const loaded = loadExecutable(this.#core, bytes, sameProgram?.loaded ?? null);
    if (loaded.ok && loaded.value.readers !== null && this.#offer !== null)
      this.#core.printf.offer(loaded.value.readers, this.#offer);
    return loaded.ok ? ok(new HostExecutable(loaded.value)) : err(hostError(loaded.error.code, loaded.error.message));
  }

  /** Makes an empty command buffer. */
  createCommandBuffer(): HostCommandBuffer {
    return new HostCommandBuffer(this.#core);
  }

  /** Makes a semaphore. Error: too many. */
  createSemaphore(): Result<HostSemaphore, HostError> {
    const slot = this.#core.semaphores.take();
    return slot === 0 ? err(full("semaphores", L.MAX_SEMAPHORES)) : ok(new HostSemaphore(this.#core, slot));
  }

  /** Prepares a launch, to be recorded any number of times. Errors: those of recording it. */
  prepare(request: LaunchRequest): Result<PreparedLaunch, HostError> {
    return PreparedLaunch.prepare(this.#core, request);
  }

  /** Makes a fence. Error: too many. */
  createFence(): Result<HostFence, HostError> {
    const slot = this.#core.fences.take();
    return slot === 0 ? err(full("fences", L.MAX_FENCES)) : ok(new HostFence(this.#core, slot));
  }

  /** Makes slots for durations. Error: too many. */
  createQueryPool(count: number, counters: readonly number[] = []): Result<HostQueryPool, HostError> {
    if (!Number.isInteger(count) || count < 1)
      return err(hostError("invalid_value", `a query pool has at least one query, not ${count}`));
    const first = this.#core.queries.take(count);
    return first === 0
      ? err(full("queries", L.MAX_QUERIES))
      : ok(new HostQueryPool(this.#core, first, count, counters));
  }

  /** Starts a finalized command buffer. Dispatches have no order among each other but that of semaphores. */
  dispatch(commandBuffer: HostCommandBuffer, options: DispatchOptions = {}): Result<void, HostError> {
    if (!this.#open) return err(closed());
    commandBuffer.refresh();
    const { batch } = commandBuffer;
    if (batch === null) return err(hostError("invalid_value", "the command buffer is not finalized"));
    if (batch.core !== this.#core)
      return err(hostError("invalid_value", "the command buffer belongs to another device"));
    if (batch.inFlight)
      return err(hostError("invalid_value", "the command buffer is in flight; clone it to run it twice at once"));
    const { fence = null, waits, signals } = options;
    if (fence?.slot === 0 || hasDestroyed(waits) || hasDestroyed(signals))
      return err(hostError("invalid_value", "a fence or semaphore was destroyed"));
    const deadline = deadlineFault(options.deadline);
    if (deadline !== null) return err(deadline);
    if (fence?.state === "pending")
      return err(hostError("invalid_value", "the fence belongs to another dispatch that is not complete"));
    const { record } = commandBuffer;
    record.fill(options, this.#part);
    const dispatched = batch.dispatch(record);
    if (!dispatched.ok) return err(hostError("out_of_memory", dispatched.error));
    record.begin();
    return dispatched;
  }

  /**
   * Waits for a fence and helps meanwhile, at most `timeout` ns. With 0 the first call after a dispatch only looks, as
   * queues do once for each; later ones do a slice of the work where no worker does it, since a program that polls must
   * end. Error: `fence_failure` with what went wrong.
   */
  tryWait(fence: HostFence, timeout: number): Result<WaitResult, HostError> {
    if (fence.state === "idle") return err(hostError("invalid_value", "no dispatch uses the fence"));
    const { host } = this.#core;
    const isLook = timeout === 0 && !fence.isLookedAt;
    fence.isLookedAt = true;
    return fenceResult(
      fence,
      isLook ? (host.look(fence.isSeen) ? "done" : "timeout") : host.block(fence.isSeen, timeout),
    );
  }

  /** The same as a promise. */
  async tryWaitAsync(fence: HostFence, timeout: number): Promise<Result<WaitResult, HostError>> {
    if (fence.state === "idle") return err(hostError("invalid_value", "no dispatch uses the fence"));
    return fenceResult(fence, await this.#core.host.wait(fence.isSeen, timeout));
  }

  /** Waits until everything that was dispatched is complete, and helps meanwhile. */
  waitAll(): Result<void, HostError> {
    return waitAllResult(this.#core.host.block(() => this.#core.host.pending === 0, Infinity));
  }

  /** The same as a promise. */
  async waitAllAsync(): Promise<Result<void, HostError>> {
    return waitAllResult(await this.#core.host.wait(() => this.#core.host.pending === 0, Infinity));
  }

  /** Starts the workers now, rather than at the first large launch. */
  startWorkers(): void {
    this.#core.host.startWorkers();
  }

  /**
   * Resolves when the device's threads can be used. In Node there is nothing to wait for: workers start with the first
   * large launch. In browsers they start here; those that cannot are warned of, and the calling thread does their work.
   */
  async ready(): Promise<void> {
    await threadsReady(this.#core);
  }

  /** ns since the device was opened: the clock of all its times. */
  now(): number {
    return this.#core.clock();
  }

  /** What was done so far. */
  statistics(): DeviceStatistics {
    const { pool, settings, memory, board } = this.#core;
    return {
      threads: settings.threads,
      workers: pool.size,
      terminated: pool.terminated,
      failure: pool.failure,
      memorySize: memory.size,
      memoryFree: memory.freeBytes,
      rowsUsed: this.#core.rowsUsed,
      running: Array.from(
        { length: settings.threads + 2 },
        (_, thread) => board.words[L.threadBase(thread) + L.THREAD_CURRENT] !== 0,
      ).filter(Boolean).length,
      groups: Array.from(
        { length: settings.threads + 2 },
        (_, thread) => (board.words[L.threadBase(thread) + L.THREAD_UNITS] as number) >>> 0,
      ),
    };
  }

  /** Closes the device. The last one of a shared memory ends the threads; work in flight fails. */
  close(): void {
    if (!this.#open) return;
    if (this.#part !== 0) {
      // Its threads are counted until its work is done.
      void this.waitAll();
      this.#core.parts.release(this.#part);
    }
    this.#open = false;
    this.#core.release();
  }
}

/** The host with some parts: one device, opened any number of times. @public */
export class PlatformOfParts {
  /** Facts of its device. */
  readonly deviceInfo: MuxDeviceInfo;
  readonly #options: HostOptions;
  readonly #parts: HostParts;
  #shared: DeviceCore | null = null;

  /** Options are those of every device that it opens; `target` is the target's number in ids. There may be more parts
   * later. */
  constructor(options: HostOptions = {}, target: number, parts: HostParts) {
    this.#options = options;
    this.#parts = parts;
    this.deviceInfo = hostDeviceInfo(options, target, parts);
  }

  /**
   * Opens the device. Without `isolated` all share one memory. With an `info` of fewer compute units its commands run
   * on as many threads. Error: memory cannot be reserved, or too many parts are open.
   */
  openDevice(info: MuxDeviceInfo = this.deviceInfo): Result<HostDevice, HostError> {
    const shares = this.#options.isolated !== true;
    if (shares && this.#shared !== null && !this.#shared.closed) return openPart(info, this.#shared);
    const core = DeviceCore.open(coreSettings(this.#options, this.#parts));
    if (!core.ok) return err(hostError("out_of_memory", core.error));
    const device = openPart(info, core.value);
    if (!device.ok) core.value.close();
    else if (shares) this.#shared = core.value;
    return device;
  }
}

/** A device with all threads of a core, or a part of them. */
function openPart(info: MuxDeviceInfo, core: DeviceCore): Result<HostDevice, HostError> {
  if (info.computeUnits >= core.settings.threads) return ok(new HostDevice(info, core));
  const part = core.parts.take();
  if (part === 0) return err(full("parts of the device", L.MAX_PARTS));
  core.board.words[L.PARTS + part] = info.computeUnits;
  return ok(new HostDevice(info, core, part));
}

function closed(): HostError {
  return hostError("invalid_value", "the device was closed");
}

function full(what: string, limit: number): HostError {
  return hostError("out_of_memory", `more than ${limit - 1} ${what} exist; destroy those that are not needed`);
}

function hasDestroyed(semaphores: readonly HostSemaphore[] | undefined): boolean {
  if (semaphores !== undefined) for (let i = 0; i < semaphores.length; i++) if (semaphores[i]?.slot === 0) return true;
  return false;
}

const STUCK = "what is waited for can never complete: it waits for a semaphore that no dispatch signals";

// Waits are frequent, and their answers are always the same.
const NOT_READY: Result<WaitResult, HostError> = ok("not_ready");
const SUCCESS: Result<WaitResult, HostError> = ok("success");

function fenceResult(fence: HostFence, outcome: WaitOutcome): Result<WaitResult, HostError> {
  if (outcome === "timeout") return NOT_READY;
  if (outcome === "stuck") return err(hostError("failure", STUCK));
  if (fence.failure === null) return SUCCESS;
  return err(hostError("fence_failure", fence.failure.message, fence.failure.command));
}

function waitAllResult(outcome: WaitOutcome): Result<void, HostError> {
  return outcome === "stuck" ? err(hostError("failure", STUCK)) : ok(undefined);
}
