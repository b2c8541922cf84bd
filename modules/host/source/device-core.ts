// SPDX-License-Identifier: Apache-2.0
// What one open device consists of: memory, control block, code, threads. The mux objects are a thin layer over this.
import { err, InternalError, ok, type Result } from "@muxkit/cargo";
import { WORKER, WORKER_BYTES } from "@muxkit/kernel-abi";

import { Arenas } from "./arenas.ts";
import { type Board, createBoard } from "./board.ts";
import type { Clock } from "./clock.ts";
import { CodeCache } from "./code-cache.ts";
import { CodeStore } from "./code-store.ts";
import * as L from "./control-layout.ts";
import { type Block, DeviceMemory } from "./device-memory.ts";
import type { AllocationKind, HostEnvironment } from "./environment.ts";
import { HostThread } from "./host-thread.ts";
import type { NativeDevice } from "./native-device.ts";
import type { NativeMode, NativeTier } from "./native-part.ts";
import type { HostParts } from "./parts.ts";
import type { PrintfAreas } from "./printf-areas.ts";
import type { RangeTrace } from "./range-trace.ts";
import { SlotPool } from "./slot-pool.ts";
import type { Executor } from "./execute.ts";
import { WorkerPool } from "./worker-pool.ts";

const CODE_BYTES: number = 2 ** 28;
const SMALL_CODE_BYTES: number = 2 ** 25;
/** Bytes in buffers for each worker from which on workers start before there is a launch. */
const BYTES_PER_WORKER = 2 ** 20;

/** How a device is opened. */
export interface CoreSettings {
  readonly environment: HostEnvironment;
  readonly threads: number;
  readonly shared: boolean;
  readonly memoryLimit: number;
  readonly eager: boolean;
  readonly helps: boolean;
  readonly redZone: number;
  readonly debug: boolean;
  readonly deadline: number;
  readonly workerUrl: URL | null;
  readonly native: NativeMode;
  readonly nativeTier: NativeTier;
  readonly print: (text: string) => void;
  readonly parts: HostParts;
}

/** The owner of command nodes: a batch. */
export interface BatchOwner {
  /** Runs a host command of the batch: 0, one of the `ERROR_…` values, or what tells whether it is over. */
  readonly runHostNode: (node: number) => number | ((wake: () => void) => number | null);
  /** The batch is complete. */
  readonly done: () => void;
}

/** A batch that was dispatched: its place in the device's list, which makes taking it out cost no search. */
export interface InFlight {
  place: number;
  readonly abandon: () => void;
}

/** An open device. */
export class DeviceCore {
  readonly settings: CoreSettings;
  readonly memory: DeviceMemory;
  readonly board: Board;
  /** What threads note of the work-groups that they run; null: nothing is traced. */
  readonly rangeTrace: RangeTrace | null;
  readonly clock: Clock;
  readonly code: CodeStore;
  readonly arenas: Arenas;
  readonly pool: WorkerPool;
  readonly host: HostThread;
  readonly nodes: SlotPool;
  readonly edges: SlotPool;
  readonly launches: SlotPool;
  readonly semaphores: SlotPool;
  readonly fences: SlotPool;
  readonly waiters: SlotPool;
  readonly queries: SlotPool;
  readonly parts: SlotPool;
  /** Owner of each host node and each tail node. */
  readonly owners: (BatchOwner | null)[] = [];
  /** Batches that were dispatched and are not complete, in no order. */
  readonly inFlight: InFlight[] = [];
  /** Batches that are kept for the next time that their commands are lowered, the oldest first. */
  readonly reusable: Set<{ free(): void }> = new Set();
  #printf: PrintfAreas | null = null;
  #native: Result<NativeDevice, string> | null = null;
  readonly #workerBlocks: Block;
  readonly #ownBuffers = new WeakSet<ArrayBufferLike>();
  readonly #arrays = new Map<number, Uint8Array>();
  #nextArray = 1;
  #users = 0;
  #closed = false;
  /** Bytes of all buffers that were made. */
  #bufferBytes = 0;

  private constructor(
    settings: CoreSettings,
    memory: DeviceMemory,
    control: ArrayBufferLike,
    code: ArrayBufferLike,
    blocks: Block,
  ) {
    this.settings = settings;
    this.memory = memory;
    this.#workerBlocks = blocks;
    const { environment, threads } = settings;
    const { refuses } = environment;
    const pool = (kind: AllocationKind, limit: number): SlotPool =>
      new SlotPool(limit, refuses === undefined ? null : () => refuses(kind));
    this.nodes = pool("node", L.MAX_NODES);
    this.edges = pool("edge", L.MAX_EDGES);
    this.launches = pool("launch", L.MAX_LAUNCHES);
    this.semaphores = pool("semaphore", L.MAX_SEMAPHORES);
    this.fences = pool("fence", L.MAX_FENCES);
    this.waiters = pool("waiter", L.MAX_WAITERS);
    this.queries = pool("query", L.MAX_QUERIES);
    this.parts = pool("part", L.MAX_PARTS);
    const { epoch, clock } = environment.openClock();
    this.clock = clock;
    this.rangeTrace = settings.parts.traceRanges?.(threads + 2, settings.shared, clock) ?? null;
    const ranges = this.rangeTrace?.memory ?? null;
    this.board = createBoard(control, L.HOST_THREAD, clock, memory.views, ranges);
    const { words } = this.board;
    words[L.PERMITS] = threads;
    words[L.EARLIEST] = L.NEVER;
    for (let thread = 0; thread < threads + 2; thread++) {
      const address = blocks.address + thread * WORKER_BYTES;
      words[L.threadBase(thread) + L.THREAD_BLOCK] = address | 0;
      memory.views.words[(address + WORKER.size) >>> 2] = WORKER_BYTES;
      memory.views.words[(address + WORKER.thread) >>> 2] = thread;
    }
    this.code = new CodeStore(words, code, settings.eager, pool("code", L.MAX_CODES));
    this.arenas = new Arenas(memory, threads + 2);
    this.pool = new WorkerPool({
      environment,
      board: this.board,
      control,
      code,
      memory: memory.memory,
      threads,
      epoch,
      ranges,
      workerUrl: settings.workerUrl,
      nativeFile: () => (settings.native === "off" ? null : (settings.parts.native?.file() ?? null)),
      native: () => this.#nativeOrNull(),
    });
    const executor: Executor = {
      board: this.board,
      threads,
      shouldLeave: null,
      claimsLeast: null,
      succession: settings.parts.takeover?.succession ?? null,
      arrays: (id) => this.#arrays.get(id) ?? null,
      code: new CodeCache(
        memory.memory,
        code,
        () => (this.#hostIsExpired() ? 1 : 0),
        (slot, id) => this.code.module(slot, id),
        () => refuses?.("instance") === true,
        (record) => this.#nativeOrNull()?.calls.functions(record) ?? null,
      ),
    };
    if (settings.native !== "off")
      memory.tellLarge =
        settings.parts.native?.largeBlocks(
          settings.native,
          () => this.native,
          () => this.#native,
        ) ?? null;
    this.host = new HostThread(
      executor,
      this.pool,
      {
        runHostNode: (node) => this.owners[node]?.runHostNode(node) ?? L.ERROR_HOST,
        batchDone: (tail) => this.owners[tail]?.done(),
        needsWatch: () => this.#nativeOrNull() !== null,
      },
      threads,
      settings.helps,
    );
  }

  /** What kernels print. An executable that prints is only loaded where there is that part. */
  get printf(): PrintfAreas {
    const { parts, threads, print } = this.settings;
    this.#printf ??= parts.printf?.areas(this.memory, this.board, threads + 2, print) ?? null;
    if (this.#printf === null) throw new InternalError("an executable that prints was loaded without printf");
    return this.#printf;
  }

  /** Native code of this device, opened when it is first asked for. The error is a sentence: why there is none. */
  get native(): Result<NativeDevice, string> {
    const { native, nativeTier, parts } = this.settings;
    if (this.#native !== null) return this.#native;
    this.#native = parts.native?.device(native, nativeTier, this) ?? err("this program has no native code");
    this.memory.tellLarge?.(0, 0);
    return this.#native;
  }

  #nativeOrNull(): NativeDevice | null {
    return this.#native?.ok === true ? this.#native.value : null;
  }

  /** Opens a device. The error is a sentence. */
  static open(settings: CoreSettings): Result<DeviceCore, string> {
    const { environment, shared, memoryLimit, redZone, parts } = settings;
    if (redZone > 0 && parts.redZones === null) return err("this program has no red zones; open the device by muxkit");
    const memory = DeviceMemory.open(environment, shared, memoryLimit, parts.redZones);
    if (!memory.ok) return memory;
    const blocks = memory.value.allocate((settings.threads + 2) * WORKER_BYTES, WORKER_BYTES);
    if (!blocks.ok) return blocks;
    try {
      const control = settings.environment.reserveControl(L.CONTROL_WORDS * 4, settings.shared);
      const code = settings.environment.reserveControl(
        settings.shared ? CODE_BYTES : SMALL_CODE_BYTES,
        settings.shared,
      );
      return ok(new DeviceCore(settings, memory.value, control, code, blocks.value));
    } catch (error) {
      if (error instanceof RangeError) return err(`the control block cannot be reserved: ${error.message}`);
      throw error;
    }
  }

  /**
   * A buffer was made. A worker takes tens of ms to start, in which a device of two threads would run with one; so the
   * workers of a device with much memory start while the program fills it, not at the first launch that goes over it.
   */
  noteBuffer(bytes: number): void {
    const { threads } = this.settings;
    this.#bufferBytes += bytes;
    if (threads > 1 && this.#bufferBytes >= BYTES_PER_WORKER * threads) this.host.startWorkers();
  }

  /** Address of the workers' blocks, for tests. */
  get workerBlocks(): number {
    return this.#workerBlocks.address;
  }

  /** Rows of the control block that are taken. */
  get rowsUsed(): number {
    return [
      this.nodes,
      this.edges,
      this.launches,
      this.semaphores,
      this.fences,
      this.waiters,
      this.queries,
      this.parts,
      this.code.rows,
    ].reduce((sum, { used }) => sum + used, 0);
  }

  /** True for buffers that are this device's memory, of now or of before a growth. */
  ownsBuffer(buffer: ArrayBufferLike): boolean {
    return this.#ownBuffers.has(buffer) || buffer === this.memory.views.bytes.buffer;
  }

  /** A node that is free; 0 when there is none. Batches that rest make room. */
  takeNode(): number {
    const node = this.nodes.take();
    if (node !== 0 || this.reusable.size === 0) return node;
    for (const batch of this.reusable) batch.free();
    return this.nodes.take();
  }

  /** A batch was dispatched. */
  addInFlight(batch: InFlight): void {
    batch.place = this.inFlight.length;
    this.inFlight.push(batch);
  }

  /** A batch is complete. */
  removeInFlight(batch: InFlight): void {
    const last = this.inFlight.pop();
    if (last === undefined || last === batch) return;
    this.inFlight[batch.place] = last;
    last.place = batch.place;
  }

  /** A typed array's bytes in device memory: a view that stays valid when the memory grows. */
  viewOf(address: number, size: number): Uint8Array {
    const { buffer } = this.memory.views.bytes;
    this.#ownBuffers.add(buffer);
    return new Uint8Array(buffer, address, size);
  }

  /** Makes a shared array known to the workers: its id. */
  publishArray(array: SharedArrayBuffer): number {
    const id = this.#nextArray++;
    this.#arrays.set(id, new Uint8Array(array));
    this.pool.sendArray(id, array);
    return id;
  }

  /** Forgets a shared array. */
  forgetArray(id: number): void {
    this.#arrays.delete(id);
    this.pool.forgetArray(id);
  }

  /** Counts one more device object of this core. */
  retain(): void {
    this.#users++;
  }

  /** One less; the last one closes it. */
  release(): void {
    if (--this.#users === 0) this.close();
  }

  /** True after {@link DeviceCore.close}. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Ends the threads. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.host.close();
    this.#nativeOrNull()?.close();
    for (const batch of this.inFlight.splice(0)) batch.abandon();
  }

  #hostIsExpired(): boolean {
    const { words } = this.board;
    const node = words[L.threadBase(L.HOST_THREAD) + L.THREAD_CURRENT] as number;
    const base = L.nodeBase(node);
    if (Atomics.load(words, base + L.NODE_CANCELLED) !== 0) return true;
    return (
      (words[base + L.NODE_LIMIT] as number) > 0 && this.clock() / 1e6 >= (words[base + L.NODE_DEADLINE] as number)
    );
  }
}
