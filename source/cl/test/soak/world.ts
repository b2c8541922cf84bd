// SPDX-License-Identifier: Apache-2.0
// One context with its objects, what they must hold, and what is under way.
import {
  type Buffer,
  CL_COMPLETE,
  type CommandQueue,
  type Context,
  type Device,
  type Event,
  type Image,
  type Kernel,
  OpenCLError,
  type Program,
  type SvmPointer,
  clFinish,
  clReleaseCommandQueue,
  clReleaseContext,
  clReleaseEvent,
  clReleaseKernel,
  clReleaseMemObject,
  clReleaseProgram,
  clSVMFree,
  clSetEventCallback,
  clSetUserEventStatus,
  clWaitForEvents,
} from "@muxkit/opencl";

import { type Entry, type Excuses, SoakFailure, settle } from "./journal.ts";
import type { Random } from "./random.ts";
import type { Shadow } from "./shadow.ts";

/** Memory whose commands wait for each other. */
export interface Root {
  readonly shadow: Shadow;
  /**
   * Commands that use it and were not complete when it was last asked. All of them count: one that fails has not waited
   * for those before it.
   */
  users: { readonly event: Event; readonly lane: Lane }[];
}

/** A buffer, a part of one, or shared virtual memory. */
export interface Place {
  readonly root: Root;
  readonly buffer: Buffer | null;
  readonly pointer: SvmPointer;
  /** First byte in the root, and bytes. */
  readonly base: number;
  readonly size: number;
}

/** An image of 32-bit integers, laid out tightly. */
export interface Picture {
  readonly root: Root;
  readonly image: Image;
  readonly width: number;
  readonly height: number;
}

/** A queue. */
export interface Lane {
  /** Its number in messages, which stays when others are released. */
  readonly number: number;
  readonly queue: CommandQueue;
  readonly isInOrder: boolean;
  readonly isTimed: boolean;
}

/** What a command is, for {@link World.command}. */
export interface CommandSpec {
  readonly name: string;
  readonly lane: Lane;
  /** What it reads and writes. */
  readonly uses: readonly Root[];
  /** Enqueues it. */
  readonly enqueue: (waits: readonly Event[]) => Event;
  readonly effect: () => void;
  readonly lost: () => void;
  readonly isFaulty?: boolean;
  /** True: the host has written the bytes already, whether the command runs or not. */
  readonly isWritten?: boolean;
  /** True: the call waits for the command. */
  readonly blocks?: boolean;
}

/** See the file's head. */
export class World {
  readonly random: Random;
  readonly device: Device;
  readonly context: Context;
  readonly excuses: Excuses;
  /** Whether commands go wrong on purpose. */
  readonly hasFaults: boolean;
  readonly lanes: Lane[] = [];
  /** Lanes so far. */
  lanesMade = 0;
  readonly places: Place[] = [];
  readonly pictures: Picture[] = [];
  readonly kernels: Kernel[] = [];
  readonly programs: Program[] = [];
  /** What was done of late. */
  readonly trace: string[] = [];
  /** User events that nobody has set. */
  #gates: Event[] = [];
  /** User events that are set. */
  #passed: Event[] = [];
  #entries: Entry[] = [];
  /** Commands so far. */
  commands = 0;

  constructor(random: Random, device: Device, context: Context, excuses: Excuses, hasFaults: boolean) {
    this.hasFaults = hasFaults;
    this.random = random;
    this.device = device;
    this.context = context;
    this.excuses = excuses;
  }

  /** Events that are not settled, as far as is known. */
  get pending(): number {
    return this.#entries.length;
  }

  /** Remembers what is done. */
  note(text: string): void {
    this.trace.push(text);
    if (this.trace.length > 300) this.trace.splice(0, 100);
  }

  /** A step that fails only where an allocation was refused: null then. */
  attempt<T>(name: string, make: () => T): T | null {
    this.note(name);
    try {
      return make();
    } catch (error) {
      if (!(error instanceof OpenCLError) || !this.excuses.refused) throw error;
      if (!["CL_OUT_OF_RESOURCES", "CL_MEM_OBJECT_ALLOCATION_FAILURE"].includes(error.name)) throw error;
      return null;
    }
  }

  /** A user event that commands can wait for. */
  addGate(gate: Event): void {
    this.#gates.push(gate);
  }

  /**
   * What a command on a lane has to wait for, so that every object sees its commands in the order of this program; and
   * some more.
   */
  #waitsFor(lane: Lane, uses: readonly Root[], blocks: boolean): Event[] {
    const waits = new Set<Event>();
    for (const root of uses) {
      root.users = root.users.filter(({ event }) => !event.isComplete);
      for (const user of root.users) if (user.lane !== lane || !lane.isInOrder) waits.add(user.event);
    }
    const { random } = this;
    const gate = random.oneIn(12) && !blocks ? random.pick(this.#gates) : undefined;
    if (gate !== undefined) waits.add(gate);
    const other = random.oneIn(8) ? random.pick(this.#entries)?.event : undefined;
    if (other !== undefined) waits.add(other);
    return [...waits];
  }

  /** Enqueues a command and writes it into the journal. */
  command({
    name,
    lane,
    uses,
    enqueue,
    effect,
    lost,
    isFaulty = false,
    isWritten = false,
    blocks = false,
  }: CommandSpec): void {
    this.commands++;
    // Nobody else can set them while this thread waits.
    if (blocks) this.openGates();
    const waits = this.#waitsFor(lane, uses, blocks);
    const title = `${name} on queue ${lane.number}${waits.length > 0 ? ` later ${waits.length}` : ""}`;
    this.note(title);
    let event: Event;
    try {
      event = enqueue(waits);
    } catch (error) {
      if (!(error instanceof OpenCLError)) throw error;
      // A blocking call throws what its command failed with.
      const isExplained = this.excuses.refused || (blocks && waits.some((wait) => wait.error !== null));
      if (!isExplained) throw error;
      lost();
      this.#loseOrder(uses, lost);
      return;
    }
    const calls = this.random.oneIn(16) ? { count: 0 } : null;
    if (calls !== null)
      clSetEventCallback(event, CL_COMPLETE, () => {
        calls.count++;
      });
    this.#entries.push({
      name: title,
      event,
      waits,
      isFaulty,
      isTimed: lane.isTimed,
      calls,
      effect,
      lost,
      isWritten,
      afterwards: [],
    });
    for (const root of uses) root.users.push({ event, lane });
  }

  /**
   * The command may have run in part after others that have not had their effects on the model yet: it loses its bytes
   * in its turn.
   */
  #loseOrder(uses: readonly Root[], lost: () => void): void {
    const last = this.#entries.at(-1);
    if (uses.length > 0) last?.afterwards.push(lost);
  }

  /** Sets every user event, some of them to a failure. */
  openGates(): void {
    for (const gate of this.random.shuffled(this.#gates)) {
      clSetUserEventStatus(gate, this.hasFaults && this.random.oneIn(6) ? -1 : CL_COMPLETE);
      this.#passed.push(gate);
    }
    this.#gates = [];
  }

  /** Waits for everything and compares what came of it with what had to. */
  async checkpoint(): Promise<void> {
    this.openGates();
    this.note("checkpoint");
    for (const { queue } of this.random.shuffled(this.lanes)) clFinish(queue);
    // What queues that were released have left.
    for (const { event } of this.#entries) {
      if (event.isComplete) continue;
      try {
        clWaitForEvents([event]);
      } catch (error) {
        if (!(error instanceof OpenCLError)) throw error;
      }
    }
    // Callbacks come from the event loop.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    for (const entry of this.#entries) settle(entry, this.excuses);
    for (const event of this.random.shuffled([...this.#entries.map((entry) => entry.event), ...this.#passed]))
      clReleaseEvent(event);
    this.#entries = [];
    this.#passed = [];
    for (const { root } of [...this.places, ...this.pictures]) root.users = [];
  }

  /** Releases everything, in whatever order. */
  async release(): Promise<void> {
    await this.checkpoint();
    const releases: (() => void)[] = [
      ...this.lanes.map(({ queue }) => () => {
        clReleaseCommandQueue(queue);
      }),
      ...this.places.map(({ buffer, pointer }) => () => {
        if (buffer === null) clSVMFree(this.context, pointer);
        else clReleaseMemObject(buffer);
      }),
      ...this.pictures.map(({ image }) => () => {
        clReleaseMemObject(image);
      }),
      ...this.kernels.map((kernel) => () => {
        clReleaseKernel(kernel);
      }),
      ...this.programs.map((program) => () => {
        clReleaseProgram(program);
      }),
    ];
    for (const release of this.random.shuffled(releases)) release();
    clReleaseContext(this.context);
    this.lanes.length = 0;
  }

  /** A difference, for a message. */
  differs(name: string, shadow: Shadow, offset: number, bytes: Uint8Array): void {
    const [at, ...more] = shadow.differences(offset, bytes);
    if (at === undefined) return;
    throw new SoakFailure(`${name}: byte ${at} is ${bytes[at] ?? 0}, and must be ${shadow.bytes[offset + at] ?? 0}; ${more.length + 1} bytes up to byte ${more.at(-1) ?? at} differ; it is byte ${offset + at} of its memory
  is      ${sixteen(bytes, at)}
  must be ${sixteen(shadow.bytes, offset + at)}`);
  }
}

/** Sixteen bytes for a message. */
function sixteen(bytes: Uint8Array, first: number): string {
  return bytes.subarray(first, first + 16).join(" ");
}
