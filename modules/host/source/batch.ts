// SPDX-License-Identifier: Apache-2.0
// A finalized command buffer as command nodes: it is built once (batch-builder.ts), dispatched any number of times
// (batch-dispatch.ts), one run at a time, and kept for reuse or freed.
import { err, ok, type Result } from "@muxkit/cargo";
import { DISPATCH_BYTES } from "@muxkit/kernel-abi";

import { BatchBuilder, fillLaunches } from "./batch-builder.ts";
import { BatchContents, releaseContents, takeArena } from "./batch-contents.ts";
import { type DispatchLimits, type DispatchSlots, linkSemaphores, resetNodes } from "./batch-dispatch.ts";
import type { Command } from "./command.ts";
import * as L from "./control-layout.ts";
import type { BatchOwner, DeviceCore, InFlight } from "./device-core.ts";
import { failureText } from "./failure.ts";
import type { Launch } from "./launch.ts";
import type { Lowerings } from "./lowering.ts";
import { StrayWriteError } from "./stray-write.ts";
import { SYSTEM } from "#system";
import { batchWeight, isSmall, smallCount, START_WEIGHT, updateCosts, WAKE_WEIGHT, weightOf } from "./launch-cost.ts";

/** Most batches that a device keeps for reuse, and the nodes of each: head, launch or sequence, tail. */
const MOST_REUSABLE = 64;
const REUSABLE_NODES = 3;
/** Dispatches after which nobody looks any more whether other nodes would be better. */
const MOST_LOOKED_AT = 1024;

/** Dispatches are frequent, and mostly there is nothing to say of them. */
const DONE: Result<void, string> = ok();

/** How a batch ended. */
export interface BatchFailure {
  /** One of the `ERROR_…` values. */
  readonly code: number;
  /** One sentence. */
  readonly message: string;
  /** Number of the command that failed first; undefined where none of this batch did. */
  readonly command?: number | undefined;
}

/** The parameters of a dispatch: slots of the control block, and callbacks. */
export interface DispatchSettings extends DispatchSlots, DispatchLimits {
  /** Called on the host thread when all commands are complete, before semaphores and fence. */
  readonly callback: ((failure: BatchFailure | null) => void) | null;
  /** Called on the host thread after everything else. */
  readonly done: ((failure: BatchFailure | null) => void) | null;
}

/** Command nodes of one command buffer. */
export class Batch implements BatchOwner, InFlight {
  readonly core: DeviceCore;
  readonly #contents = new BatchContents();
  /** What was lowered. */
  readonly #commands: readonly Command[];
  #settings: DispatchSettings | null = null;
  #signalEdge = 0;
  #dispatches = 0;
  /** Tells those who watch launches of the dispatch that it has ended; null: nobody does. */
  #unwatch: (() => void) | null = null;
  /** Releases what other code for its launches took; null: there is none. */
  #release: (() => void) | null = null;
  readonly #waiters: number[] = [];
  /** Its place among the batches in flight. */
  place = 0;

  private constructor(core: DeviceCore, commands: readonly Command[]) {
    this.core = core;
    this.#commands = commands;
  }

  /**
   * Lowers commands, those that are no launches by `lowerings`. The error is a sentence; nothing is kept then. `owner`
   * is what host commands receive.
   */
  static lower(
    core: DeviceCore,
    commands: readonly Command[],
    lowerings: Lowerings | null,
    owner: object | null = null,
  ): Result<Batch, string> {
    const batch = new Batch(core, commands);
    const result = new BatchBuilder(core, batch.#contents, batch, lowerings, owner).build(commands);
    if (result.ok) return ok(batch);
    batch.free();
    return result;
  }

  /**
   * True where launches have turned out smaller or larger than they counted when the nodes were made. It is looked at
   * before the dispatches 2, 4, 8 and so on, for the cost is linear in the commands.
   */
  isOutdated(): boolean {
    const count = this.#dispatches;
    if (count === 0 || count > MOST_LOOKED_AT || (count & (count + 1)) !== 0) return false;
    // A launch alone has a node of its own in any case.
    if (this.#commands.length === 1 && this.#commands[0]?.body.kind !== "parallel") return false;
    return smallCount(this.#commands) !== this.#contents.smallCount;
  }

  /** True between dispatch and completion. */
  get inFlight(): boolean {
    return this.#settings !== null;
  }

  /** Address of the packed arguments of a launch that is no prepared one. */
  argumentsAddress(launch: Launch): number {
    const lowered = this.#contents.launches.find((one) => one.launch === launch);
    return lowered === undefined ? 0 : lowered.block.address + DISPATCH_BYTES;
  }

  /** Starts the batch. The error is a sentence: the control block has no room. */
  dispatch(settings: DispatchSettings): Result<void, string> {
    const { core } = this;
    const contents = this.#contents;
    const { words } = core.board;
    const slots = this.#takeDispatchSlots(settings);
    if (!slots.ok) return slots;
    const signals = settings.signals.length;
    const limited = resetNodes(core, contents, settings);
    for (const { array, address } of contents.staged) core.memory.views.bytes.set(array, address);
    const tail = L.nodeBase(contents.tail);
    words[tail + L.TAIL_FENCE] = settings.fence;
    words[tail + L.TAIL_CALLBACK] = settings.callback === null ? 0 : 1;
    words[tail + L.TAIL_SEMAPHORES] = signals;
    words[tail + L.TAIL_SEMAPHORE_EDGE] = this.#signalEdge;
    this.#settings = settings;
    this.#dispatches++;
    core.addInFlight(this);
    if (signals > 0 || settings.waits.length > 0 || settings.fence !== 0)
      linkSemaphores(core.board, contents.head, settings, this.#waiters, this.#signalEdge);
    const weight = batchWeight(contents);
    this.#unwatch = core.settings.parts.watchLaunches?.(core, contents.launches) ?? null;
    this.#release = core.settings.parts.takeover?.begin(core, contents) ?? null;
    const large = this.#unwatch !== null || weight >= START_WEIGHT || (core.pool.running && weight >= WAKE_WEIGHT);
    core.host.submit(contents.head, large, limited);
    return DONE;
  }

  /**
   * Keeps the nodes for the next time that the same commands are lowered, where that is likely: one prepared launch, or
   * a sequence of them. False: there is nothing to keep. Arenas are released meanwhile. The device frees its oldest
   * kept batches when there are many of them, or when nodes run out.
   */
  keepForReuse(): boolean {
    const { core } = this;
    const contents = this.#contents;
    if (
      contents.nodes.length !== REUSABLE_NODES ||
      contents.blocks.length > 0 ||
      contents.launches.length + contents.sequences.length !== 1
    )
      return false;
    if (contents.arena !== null) core.arenas.release(contents.arena);
    contents.arena = null;
    core.reusable.add(this);
    for (const oldest of core.reusable) {
      if (core.reusable.size <= MOST_REUSABLE) break;
      oldest.free();
    }
    return true;
  }

  /** Ends {@link Batch.keepForReuse}: true when the batch is for these commands and ready to be dispatched. */
  reuse(commands: readonly Command[]): boolean {
    const { core } = this;
    const contents = this.#contents;
    if (!core.reusable.delete(this) || commands.length !== this.#commands.length) return false;
    for (let i = 0; i < commands.length; i++) if (commands[i] !== this.#commands[i]) return false;
    const [sequence] = contents.sequences;
    if (sequence !== undefined) {
      // Launches that have turned out large meanwhile need nodes of their own.
      if (!sequence.launches.every((prepared, i) => prepared === sequence.launches[i - 1] || isSmall(prepared)))
        return false;
      sequence.weight = sequence.launches.reduce((sum, { launch }) => sum + weightOf(launch), 0);
    }
    let arenaBytes = 0;
    for (const { launch } of contents.prepared) arenaBytes = Math.max(arenaBytes, launch.arenaBytes);
    if (takeArena(core, contents, arenaBytes) === null) return false;
    fillLaunches(core, contents);
    return true;
  }

  /** Releases everything. Not while in flight. */
  free(): void {
    this.core.reusable.delete(this);
    releaseContents(this.core, this.#contents);
  }

  // ---- the batch as owner of its nodes

  /**
   * Runs what only the host thread can do: 0, one of the `ERROR_…` values, or, where it goes on elsewhere, a function
   * that returns null until it is over.
   */
  runHostNode(node: number): number | ((wake: () => void) => number | null) {
    const contents = this.#contents;
    if (node === contents.tail) {
      this.#settings?.callback?.(this.#failure());
      return 0;
    }
    const run = contents.hostRuns?.get(node);
    if (run === undefined) return L.ERROR_HOST;
    try {
      const isOver = run();
      return typeof isOver === "function" ? (wake) => this.#ask(isOver, wake) : 0;
    } catch (error) {
      return this.#refused(error);
    }
  }

  /** Asks whether what goes on elsewhere is over: 0, an error, or null: it is not. */
  #ask(isOver: (wake: () => void) => boolean, wake: () => void): number | null {
    try {
      return isOver(wake) ? 0 : null;
    } catch (error) {
      return this.#refused(error);
    }
  }

  #refused(error: unknown): number {
    this.#contents.refusal = error instanceof Error ? error.message : String(error);
    if (!(error instanceof StrayWriteError)) return L.ERROR_HOST;
    // A program that does not look at errors is told too.
    SYSTEM.warn(error.message, "MuxkitRedZone");
    return L.ERROR_STRAY;
  }

  /** Everything is complete. */
  done(): void {
    const settings = this.#settings;
    if (settings === null) return;
    const { core } = this;
    updateCosts(core, this.#contents);
    // A launch that failed has printed too, and that explains most.
    for (const { launch, block } of this.#contents.launches) if (launch.printf !== null) core.printf.end(block.address);
    const failure = this.#failure() ?? this.#nullWrite();
    this.#release?.();
    this.#settings = null;
    this.#unwatch?.();
    core.removeInFlight(this);
    this.#releaseDispatchSlots(settings.signals.length);
    settings.done?.(failure);
  }

  /** The device was closed: nothing of this batch will run any more. */
  abandon(): void {
    const settings = this.#settings;
    this.#settings = null;
    this.#unwatch?.();
    settings?.done?.({
      code: L.ERROR_CLOSED,
      message: failureText(this.core.board.words, 0, L.ERROR_CLOSED, null, ""),
    });
  }

  /** Takes the slots of the control block that live as long as the dispatch. */
  #takeDispatchSlots({ signals, waits }: DispatchSlots): Result<void, string> {
    const { core } = this;
    if (signals.length > 0) {
      this.#signalEdge = core.edges.take(signals.length);
      if (this.#signalEdge === 0)
        return err(
          `the control block has no room for ${signals.length} semaphores to signal: wait for earlier work first`,
        );
    }
    for (let i = 0; i < waits.length; i++) {
      const waiter = core.waiters.take();
      if (waiter === 0) {
        this.#releaseDispatchSlots(signals.length);
        return err("the control block has no room for another wait on a semaphore: wait for earlier work first");
      }
      this.#waiters.push(waiter);
    }
    return DONE;
  }

  #releaseDispatchSlots(signals: number): void {
    if (this.#signalEdge !== 0) this.core.edges.release(this.#signalEdge, signals);
    this.#signalEdge = 0;
    for (let i = 0; i < this.#waiters.length; i++) this.core.waiters.release(this.#waiters[i] as number);
    this.#waiters.length = 0;
  }

  #failure(): BatchFailure | null {
    const { words } = this.core.board;
    const contents = this.#contents;
    const tail = L.nodeBase(contents.tail);
    const code = words[tail + L.NODE_ERROR] as number;
    if (code === 0) return null;
    const origin = words[tail + L.NODE_ORIGIN] as number;
    const sequence = contents.sequences.find(({ node }) => node === origin);
    if (sequence !== undefined) {
      const index = words[L.nodeBase(origin) + L.SEQUENCE_NEXT] as number;
      // Several launches of a parallel node run at once, and a deadline or a thread's end does not tell which it was.
      const isKnown = !sequence.isParallel || (code !== L.ERROR_DEADLINE && code !== L.ERROR_WORKER);
      const launch = isKnown ? (sequence.launches[index]?.launch ?? null) : null;
      return {
        code,
        message: failureText(words, origin, code, launch, contents.refusal),
        command: sequence.numbers[index],
      };
    }
    const launch = contents.launches.find(({ node }) => node === origin)?.launch ?? null;
    return {
      code,
      message: failureText(words, origin, code, launch, contents.refusal),
      command: contents.commandOf(origin),
    };
  }

  /** Checks on a debug device whether a kernel wrote through a null pointer; it is found too late for dependents. */
  #nullWrite(): BatchFailure | null {
    const { memory, settings } = this.core;
    const address = settings.debug ? memory.damagedNullPage() : null;
    if (address === null) return null;
    memory.repairNullPage();
    return {
      code: L.ERROR_TRAP,
      message: `a kernel wrote to address ${address}, which no object has: a null pointer or an index far below zero`,
    };
  }
}
