// SPDX-License-Identifier: Apache-2.0
/// <reference lib="esnext.disposable" preserve="true" />
// Queues (`sycl::queue`): where command groups are submitted.
import { Context, defaultContext } from "./context.ts";
import { Device, type DeviceSelector, selectDevice } from "./device.ts";
import { Event, type EventOwner } from "./event.ts";
import { type SyclException, ensure } from "./exception.ts";
import { Handler, type LaunchableKernel, type MemoryAdvice } from "./handler.ts";
import type { KernelArgument } from "./kernel-arguments.ts";
import type { Id, NdRange, Range } from "./range.ts";
import type { RuntimeDevice } from "./runtime-device.ts";
import type { ElementOf, TypedArray } from "./typed-array.ts";
import type { UnitKernel } from "./unit.ts";
import type { UsmPointer } from "./usm.ts";

/** Gets the failures of command groups, which come after `submit` has returned. @public */
export type AsyncHandler = (errors: readonly SyclException[]) => void;

/** What a queue is like. @public */
export interface QueueOptions {
  /** A device, or what chooses one; absent: that of the context, or the default one. */
  readonly device?: Device | DeviceSelector;
  /** The context; absent: that of the device which queues share. */
  readonly context?: Context;
  /** Property `in_order`: command groups run in the order of their submission. */
  readonly inOrder?: boolean;
  /** Property `enable_profiling`: times are measured. */
  readonly enableProfiling?: boolean;
  /** Gets failures when the program asks for them; absent: they are thrown then. */
  readonly asyncHandler?: AsyncHandler;
}

/** A command group: a function that says to a handler what is to be done. @public */
export type CommandGroup = (handler: Handler) => void;

/** Events that are remembered before those that are complete are forgotten. */
const REMEMBERED = 64;

const NO_EVENTS: readonly Event[] = [];

/** See the file's head. @public */
export class Queue {
  /** The open device of the runtime. @internal */
  readonly runtime: RuntimeDevice;
  readonly #context: Context;
  readonly #device: Device;
  readonly #inOrder: boolean;
  readonly #asyncHandler: AsyncHandler | null;
  readonly #owner: EventOwner;
  #last: Event | null = null;
  #events: Event[] = [];
  #failed: Event[] = [];

  /** Makes a queue. Errors: runtime where there is no device; invalid for a device that is not the context's. */
  constructor({ device, context, inOrder = false, enableProfiling = false, asyncHandler }: QueueOptions = {}) {
    const chosen = device instanceof Device ? device : undefined;
    const selected = typeof device === "function" ? selectDevice(device) : chosen;
    this.#device = selected ?? context?.getDevices()[0] ?? selectDevice();
    this.#context = context ?? defaultContext(this.#device);
    this.#context.ensureAlive("Queue");
    ensure(
      this.#context.getDevices().includes(this.#device),
      "invalid",
      "Queue",
      () => `${this.#device.info.deviceName} is not a device of the context`,
    );
    this.#inOrder = inOrder;
    this.#asyncHandler = asyncHandler ?? null;
    this.runtime = this.#device.open("Queue");
    this.#owner = {
      profiles: enableProfiling,
      failed: (event) => {
        this.#failed.push(event);
      },
    };
  }

  /** Its context. */
  getContext(): Context {
    return this.#context;
  }

  /** Its device. */
  getDevice(): Device {
    return this.#device;
  }

  /** True where command groups run in the order of their submission. */
  isInOrder(): boolean {
    return this.#inOrder;
  }

  /** True where times are measured. */
  get profiles(): boolean {
    return this.#owner.profiles;
  }

  /**
   * Submits a command group: it runs when what it depends on is complete. What the group's function throws is thrown,
   * and nothing is submitted then. Errors: those of the handler's methods.
   */
  submit(group: CommandGroup): Event {
    const call = "submit";
    this.#context.ensureAlive(call);
    const handler = new Handler(this);
    try {
      group(handler);
      return this.#enqueue(call, handler);
    } finally {
      handler.close();
    }
  }

  #enqueue(call: string, handler: Handler): Event {
    const { commands, held, accessors, events, fault } = handler;
    let dependences: Event[] | null = events.length === 0 ? null : [...events];
    for (let i = 0; i < accessors.length; i++) {
      const { part, writes } = accessors[i] as (typeof accessors)[number];
      dependences = part.memory.withDependences(part.start, part.end, writes, dependences);
    }
    const last = this.#inOrder ? this.#last : null;
    if (last !== null && !(last.isComplete && (last.error === null || last.isReported))) {
      if (dependences === null) dependences = [last];
      else if (!dependences.includes(last)) dependences.push(last);
    }
    const event = new Event(this.runtime, this.#owner, dependences ?? NO_EVENTS, commands, held);
    if (fault !== null) event.fault = fault;
    handler.release();
    for (let i = 0; i < accessors.length; i++) {
      const { part, writes } = accessors[i] as (typeof accessors)[number];
      part.memory.note(event, part.start, part.end, writes);
    }
    this.runtime.scheduler.submit(call, event);
    this.#last = event;
    this.#events.push(event);
    if (this.#events.length > REMEMBERED) this.#events = this.#events.filter(({ isComplete }) => !isComplete);
    return event;
  }

  /** Waits for all that was submitted. Failures are thrown, unless there is a handler for them. */
  wait(): void {
    for (const event of this.#events) event.complete("wait");
    this.#events = [];
    if (this.#asyncHandler === null) this.throwAsynchronous();
  }

  /** Waits for all that was submitted, and reports failures. */
  waitAndThrow(): void {
    this.wait();
    this.throwAsynchronous();
  }

  /** Waits for all that was submitted without blocking the thread, and reports failures. */
  async done(): Promise<void> {
    await Promise.all(this.#events.map(async (event) => event.completeAsync("done")));
    this.#events = [];
    this.throwAsynchronous();
  }

  /** Gives failures that nobody has seen yet to the handler; without one, the first is thrown. */
  throwAsynchronous(): void {
    const errors = this.#failed.flatMap((event) => event.takeError() ?? []);
    this.#failed = [];
    const [first] = errors;
    if (first === undefined) return;
    if (this.#asyncHandler === null) throw first;
    this.#asyncHandler(errors);
  }

  /** Submits a kernel that runs once. */
  singleTask<P extends readonly unknown[]>(kernel: UnitKernel<P>, ...args: P | []): Event;
  /** The same for a kernel whose arguments nobody knows before it is launched. */
  singleTask(kernel: LaunchableKernel, ...args: readonly KernelArgument[]): Event;
  singleTask(kernel: LaunchableKernel | UnitKernel<never>, ...args: readonly unknown[]): Event {
    return this.submit((handler) => {
      handler.singleTask(kernel as LaunchableKernel, ...(args as readonly KernelArgument[]));
    });
  }

  /** Submits a kernel for each place of a range. */
  parallelFor<P extends readonly unknown[]>(range: Range | NdRange, kernel: UnitKernel<P>, ...args: P | []): Event;
  /** The same for a kernel whose arguments nobody knows before it is launched. */
  parallelFor(range: Range | NdRange, kernel: LaunchableKernel, ...args: readonly KernelArgument[]): Event;
  /** The same for a range whose first place is not 0. */
  parallelFor(range: Range, offset: Id, kernel: LaunchableKernel, ...args: readonly KernelArgument[]): Event;
  parallelFor(range: Range | NdRange, ...rest: readonly unknown[]): Event {
    return this.submit((handler) => {
      (handler.parallelFor as (range: Range | NdRange, ...rest: readonly unknown[]) => void).call(
        handler,
        range,
        ...rest,
      );
    });
  }

  /** Submits {@link Handler.memcpy}, after some events. */
  memcpy(
    target: UsmPointer | TypedArray,
    source: UsmPointer | TypedArray,
    byteSize: number,
    after: readonly Event[] = [],
  ): Event {
    return this.submit((handler) => {
      handler.dependsOn(after);
      handler.memcpy(target, source, byteSize);
    });
  }

  /** Submits {@link Handler.memset}. */
  memset(target: UsmPointer, value: number, byteSize: number, after: readonly Event[] = []): Event {
    return this.submit((handler) => {
      handler.dependsOn(after);
      handler.memset(target, value, byteSize);
    });
  }

  /** Submits a fill for so many elements at a pointer. */
  fill<T extends TypedArray>(
    target: UsmPointer<T>,
    value: ElementOf<T>,
    count: number,
    after: readonly Event[] = [],
  ): Event {
    return this.submit((handler) => {
      handler.dependsOn(after);
      handler.fill(target, value, count);
    });
  }

  /** Submits a copy of so many elements. */
  copy<T extends TypedArray>(
    source: UsmPointer<T> | T,
    target: UsmPointer<T> | T,
    count: number,
    after: readonly Event[] = [],
  ): Event {
    const type = "type" in source ? source.type : source;
    return this.memcpy(target, source, count * type.BYTES_PER_ELEMENT, after);
  }

  /** Submits {@link Handler.prefetch}. */
  prefetch(pointer: UsmPointer, byteSize: number, after: readonly Event[] = []): Event {
    return this.submit((handler) => {
      handler.dependsOn(after);
      handler.prefetch(pointer, byteSize);
    });
  }

  /** Submits {@link Handler.memAdvise}. */
  memAdvise(pointer: UsmPointer, byteSize: number, advice: MemoryAdvice, after: readonly Event[] = []): Event {
    return this.submit((handler) => {
      handler.dependsOn(after);
      handler.memAdvise(pointer, byteSize, advice);
    });
  }

  /** Waits for all that was submitted, and reports failures that nobody has seen. */
  [Symbol.dispose](): void {
    this.waitAndThrow();
  }

  /** The same without blocking the thread. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.done();
  }
}
