// SPDX-License-Identifier: Apache-2.0
// Handlers (`sycl::handler`): what a command group is made of. A group has one command; what it needs are the accessors
// that were made with the handler, and the events that it names.
import { bytesOf } from "@muxkit/cargo";
import {
  muxCommandCopyBuffer,
  muxCommandFillBuffer,
  muxCommandReadBuffer,
  muxCommandUserCallback,
  muxCommandWriteBuffer,
} from "@muxkit/mux/unchecked";

import { DeviceAccessor } from "./accessor.ts";
import type { Context } from "./context.ts";
import type { Device } from "./device.ts";
import type { Command, Held } from "./event.ts";
import { Event } from "./event.ts";
import { InvalidKernel, InvalidObject, KernelNotFound, SyclException, ensure } from "./exception.ts";
import type { KernelArgument } from "./kernel-arguments.ts";
import { type LaunchedKernel, endReductions, launchCommands } from "./launch.ts";
import { type DeviceImageSelector, type ExecutableModule, Kernel } from "./module.ts";
import type { PreparedLaunch } from "./prepared-launch.ts";
import { Id, type LaunchSizes, NdRange, Range, reversed } from "./range.ts";
import type { RuntimeDevice, Storage } from "./runtime-device.ts";
import { SpecConstant, type SpecConstantId, type SpecConstantValue } from "./spec-constant.ts";
import { type ElementOf, type TypedArray, elementsOf, isTypedArray, typeOf } from "./typed-array.ts";
import { UnitKernel } from "./unit.ts";
import { UsmPointer, storageAt } from "./usm.ts";

/**
 * A kernel of a module, a kernel of a translated file, or the name of a kernel of the module that the group uses.
 *
 * @public
 */
export type LaunchableKernel = Kernel | UnitKernel | string;

/** What a handler is told of its queue. @internal */
export interface HandlerQueue {
  getContext(): Context;
  getDevice(): Device;
  readonly runtime: RuntimeDevice;
}

/** Hints about the use of memory. @public */
export type MemoryAdvice = "default" | "read_mostly" | "preferred_location" | "accessed_by";

const ADVICES: readonly MemoryAdvice[] = ["default", "read_mostly", "preferred_location", "accessed_by"];

/** Contiguous bytes of storage. */
interface Bytes {
  readonly storage: Storage;
  readonly start: number;
  readonly size: number;
}

const NO_COMMANDS: readonly Command[] = [];
const NOTHING_HELD: readonly Held[] = [];
const NO_ARGUMENTS: readonly KernelArgument[] = [];
const NO_LAUNCHES: readonly PreparedLaunch[] = [];
const NO_EVENTS: readonly [] = [];

/** See the file's head. @public */
export class Handler {
  readonly #queue: HandlerQueue;
  readonly #accessors: DeviceAccessor[] = [];
  #events: Event[] | readonly [] = NO_EVENTS;
  #commands: readonly Command[] | null = null;
  #held: readonly Held[] = NOTHING_HELD;
  #launches: readonly PreparedLaunch[] = NO_LAUNCHES;
  #given: readonly KernelArgument[] = NO_ARGUMENTS;
  #arguments: readonly (KernelArgument | undefined)[] = NO_ARGUMENTS;
  #module: ExecutableModule | null = null;
  #selector: DeviceImageSelector | null = null;
  /** Tells what a host task has thrown. */
  #fault: (() => SyclException | null) | null = null;
  #isOpen = true;

  /** Made by `queue.submit`. @internal */
  constructor(queue: HandlerQueue) {
    this.#queue = queue;
  }

  #ensureOpen(call: string): void {
    ensure(this.#isOpen, "invalid", call, "the command group has been submitted; use the handler inside of it only");
  }

  /** Takes the one command of the group. */
  #take(call: string, commands: readonly Command[], held: readonly Held[]): void {
    this.#ensureOpen(call);
    ensure(this.#commands === null, "invalid", call, "the command group has a command already; submit another group");
    this.#commands = commands;
    this.#held = held;
  }

  /** The group needs what an accessor is for. @internal */
  require(accessor: DeviceAccessor): void {
    this.#ensureOpen("getAccess");
    this.#accessors.push(accessor);
  }

  /** The group runs after these events. Error: invalid for what is no event. */
  dependsOn(...events: readonly (Event | readonly Event[])[]): void {
    this.#ensureOpen("dependsOn");
    for (const event of events.flat()) {
      ensure(event instanceof Event, "invalid", "dependsOn", "a command group depends on events, which submit returns");
      this.#events = [...this.#events, event];
    }
  }

  /**
   * Kernels of the group are those of this module, and the selector chooses the image for the launch. Errors:
   * invalid_object for a module that is not executable or of another context.
   */
  useModule(moduleWithKernels: ExecutableModule, selector: DeviceImageSelector | null = null): void {
    const call = "useModule";
    this.#ensureOpen(call);
    if (moduleWithKernels?.state !== "executable")
      throw new InvalidObject(call, "kernels are those of an executable module; build or link it first");
    if (moduleWithKernels.getContext() !== this.#queue.getContext())
      throw new InvalidObject(call, "the module is of another context than the queue");
    ensure(this.#commands === null, "invalid", call, "the command group has its kernel already; call useModule first");
    this.#module = moduleWithKernels;
    this.#selector = selector;
  }

  /**
   * The value of a specialization constant in the module that the group uses, or its default. Error: invalid for a
   * constant that the module does not have.
   */
  getSpecConstant<T extends SpecConstantValue>(constant: SpecConstantId<T>): SpecConstant<T> {
    this.#ensureOpen("getSpecConstant");
    return this.#module?.getSpecConstant(constant) ?? new SpecConstant(constant, constant.defaultValue);
  }

  /** Sets an argument of the kernel, by its number. */
  setArg(index: number, value: KernelArgument): void {
    const call = "setArg";
    this.#ensureOpen(call);
    ensure(
      Number.isInteger(index) && index >= 0 && index < 256,
      "kernel_argument",
      call,
      `there is no argument ${index}`,
    );
    const list = [...this.#arguments];
    list[index] = value;
    this.#arguments = list;
  }

  /** Sets all arguments of the kernel. */
  setArgs(...values: readonly KernelArgument[]): void {
    this.#ensureOpen("setArgs");
    this.#arguments = [...values];
  }

  /** Runs a kernel once. Errors: those of `parallelFor`. */
  singleTask<P extends readonly unknown[]>(kernel: UnitKernel<P>, ...args: P | []): void;
  /** The same for a kernel whose arguments nobody knows before it is launched. */
  singleTask(kernel: LaunchableKernel, ...args: readonly KernelArgument[]): void;
  singleTask(kernel: LaunchableKernel | UnitKernel<never>, ...args: readonly unknown[]): void {
    this.#launchKernel("singleTask", ONE_ITEM, kernel as LaunchableKernel, args as readonly KernelArgument[]);
  }

  /**
   * Runs a kernel for each place of a range; the first one may follow (`offset`). Arguments are those that follow the
   * kernel, or that were set. Errors: kernel_not_found and invalid_kernel for a kernel that the module in use does not
   * have; kernel_argument; nd_range for sizes that the device does not take; accessor; invalid for a second command.
   */
  parallelFor<P extends readonly unknown[]>(range: Range | NdRange, kernel: UnitKernel<P>, ...args: P | []): void;
  /** The same for a kernel whose arguments nobody knows before it is launched. */
  parallelFor(range: Range | NdRange, kernel: LaunchableKernel, ...args: readonly KernelArgument[]): void;
  /** The same for a range whose first place is not 0. */
  parallelFor(range: Range, offset: Id, kernel: LaunchableKernel, ...args: readonly KernelArgument[]): void;
  parallelFor(range: Range | NdRange, ...rest: readonly unknown[]): void {
    const call = "parallelFor";
    const first = rest[0];
    const offset = first instanceof Id ? first : null;
    const at = offset === null ? 0 : 1;
    const args = rest.slice(at + 1) as KernelArgument[];
    this.#launchKernel(call, sizesOf(call, range, offset), rest[at] as LaunchableKernel, args);
  }

  #launchKernel(call: string, sizes: LaunchSizes, kernel: LaunchableKernel, args: readonly KernelArgument[]): void {
    this.#ensureOpen(call);
    ensure(this.#commands === null, "invalid", call, "the command group has a command already; submit another group");
    const found = this.#findKernel(call, kernel);
    const given = args.length > 0 ? args : this.#setArguments(call);
    this.#given = given;
    if (sizes.global.includes(0)) {
      this.#take(call, NO_COMMANDS, []);
      return;
    }
    const place = { call, runtime: this.#queue.runtime, owner: this, values: found.values };
    const { commands, held, launches } = launchCommands(place, this.#queue.getDevice(), found, sizes, given);
    this.#launches = launches;
    this.#take(call, commands, held);
  }

  #setArguments(call: string): readonly KernelArgument[] {
    const list = this.#arguments;
    for (let i = 0; i < list.length; i++)
      ensure(list[i] !== undefined, "kernel_argument", call, `argument ${i} is not set; set it or pass all of them`);
    return list as readonly KernelArgument[];
  }

  /** The kernel as the module in use has it, or its own. */
  #findKernel(call: string, kernel: LaunchableKernel): LaunchedKernel & Pick<ExecutableModule, "values"> {
    if (kernel instanceof UnitKernel) {
      const module = this.#module ?? kernel.findModule(call, this.#queue.getContext());
      return this.#use(call, module, kernel.entry, kernel.parameters);
    }
    if (typeof kernel === "string") {
      if (this.#module !== null) return this.#use(call, this.#module, kernel, null);
      throw new KernelNotFound(call, `"${kernel}" is a name, and the group uses no module; call useModule first`);
    }
    if (!(kernel instanceof Kernel))
      throw new InvalidKernel(
        call,
        "the kernel is none: it is neither of a module nor of a translated file, nor a name",
      );
    const module = kernel.getModule();
    if (this.#module !== null && module !== this.#module && !module.equals(this.#module))
      throw new InvalidKernel(call, `the kernel "${kernel.name}" is not of the module that the group uses`);
    if (module.getContext() !== this.#queue.getContext())
      throw new InvalidKernel(call, `the kernel "${kernel.name}" is of another context than the queue`);
    return this.#use(call, this.#module ?? module, kernel.name, null);
  }

  #use(
    call: string,
    module: ExecutableModule,
    name: string,
    parameters: LaunchedKernel["parameters"],
  ): LaunchedKernel & Pick<ExecutableModule, "values"> {
    return {
      kernel: module.findKernel(call, name, this.#queue.getDevice(), this.#selector),
      parameters,
      values: module.values,
      context: this.#queue.getContext(),
      module,
      selector: this.#selector,
    };
  }

  /** The bytes of an accessor or a pointer, row by row where they do not lie one after the other. */
  #rows(call: string, where: DeviceAccessor): readonly Bytes[] {
    ensure(where.owner === this, "accessor", call, "an accessor belongs to another command group");
    const storage = where.part.memory.storageOn(call, this.#queue.runtime);
    const bytes = where.type.BYTES_PER_ELEMENT;
    const { start, end } = where.part;
    if (end - start === where.size * bytes) return [{ storage, start, size: end - start }];
    const { range, bufferRange } = where;
    const [rows, columns] = range.dimensions === 2 ? [range.get(0), range.get(1)] : [range.get(1), range.get(2)];
    const pitch = bufferRange.get(range.dimensions - 1);
    const slice = range.dimensions === 3 ? pitch * bufferRange.get(1) : 0;
    const list: Bytes[] = [];
    for (let z = 0; z < (range.dimensions === 3 ? range.get(0) : 1); z++)
      for (let y = 0; y < rows; y++)
        list.push({ storage, start: start + (z * slice + y * pitch) * bytes, size: columns * bytes });
    return list;
  }

  /**
   * Copies elements: from an accessor to another one or to an array, or from an array. Errors: accessor for another
   * mode and for elements of another type; invalid where the target is too small.
   */
  copy<T extends TypedArray>(source: DeviceAccessor<T> | T, target: DeviceAccessor<T> | T): void {
    const call = "copy";
    const [from, to] = [source, target].map((one) => (one instanceof DeviceAccessor ? one : null));
    if (from !== null)
      ensure(from?.mode !== "write", "accessor", call, "the source is read, and its accessor is for writing");
    if (to !== null)
      ensure(to?.writes === true, "accessor", call, "the target is written, and its accessor is for reading");
    const [sourceSize, targetSize] = [source, target].map((one) =>
      one instanceof DeviceAccessor ? one.size : one.length,
    );
    ensure(
      (targetSize ?? 0) >= (sourceSize ?? 0),
      "invalid",
      call,
      `the source has ${sourceSize} elements, and the target ${targetSize}`,
    );
    const [sourceType, targetType] = [source, target].map((one) =>
      one instanceof DeviceAccessor ? one.type : typeOf(one),
    );
    ensure(
      sourceType === targetType,
      "accessor",
      call,
      `the source has elements of ${sourceType?.name}, and the target of ${targetType?.name}`,
    );
    if (from !== null && from !== undefined && to !== null && to !== undefined)
      this.#copyRows(call, this.#rows(call, from), this.#rows(call, to));
    else if (from !== null && from !== undefined) this.#read(call, this.#rows(call, from), bytesOf(target as T));
    else if (to !== null && to !== undefined) this.#write(call, bytesOf(source as T), this.#rows(call, to));
    else ensure(false, "invalid", call, "a copy needs an accessor: arrays of the host are copied by the host");
  }

  #copyRows(call: string, from: readonly Bytes[], to: readonly Bytes[]): void {
    const commands: Command[] = [];
    let [i, done, at] = [0, 0, 0];
    for (const row of from) {
      for (let left = row.size; left > 0;) {
        const target = to[i] as Bytes;
        const size = Math.min(left, target.size - done);
        const [sourceStart, targetStart] = [row.start + row.size - left, target.start + done];
        ensureApart(call, row.storage, sourceStart, target.storage, targetStart, size);
        commands.push({
          launch: null,
          record: (commandBuffer) =>
            muxCommandCopyBuffer(
              commandBuffer,
              row.storage.buffer,
              sourceStart,
              target.storage.buffer,
              targetStart,
              size,
              [],
            ),
        });
        left -= size;
        done += size;
        at += size;
        if (done === target.size) [i, done] = [i + 1, 0];
      }
    }
    this.#take(
      call,
      commands,
      [...from, ...to].map(({ storage }) => storage),
    );
  }

  #read(call: string, from: readonly Bytes[], target: Uint8Array): void {
    let at = 0;
    const commands = from.map(({ storage, start, size }): Command => {
      const into = target.subarray(at, (at += size));
      return { launch: null, record: (to) => muxCommandReadBuffer(to, storage.buffer, start, into, []) };
    });
    this.#take(
      call,
      commands,
      from.map(({ storage }) => storage),
    );
  }

  #write(call: string, source: Uint8Array, to: readonly Bytes[]): void {
    let at = 0;
    const commands = to.flatMap(({ storage, start, size }): Command[] => {
      const part = source.subarray(at, (at += size));
      return part.length === 0
        ? []
        : [{ launch: null, record: (into) => muxCommandWriteBuffer(into, storage.buffer, start, part, []) }];
    });
    this.#take(
      call,
      commands,
      to.map(({ storage }) => storage),
    );
  }

  /**
   * Fills with a value: an accessor's elements, or so many at a pointer. Errors: accessor for an accessor that reads;
   * invalid outside of an allocation.
   */
  fill<T extends TypedArray>(target: DeviceAccessor<T>, value: ElementOf<T>): void;
  /** The same for so many elements at a pointer. */
  fill<T extends TypedArray>(target: UsmPointer<T>, value: ElementOf<T>, count: number): void;
  fill<T extends TypedArray>(target: DeviceAccessor<T> | UsmPointer<T>, value: ElementOf<T>, count: number = 1): void {
    const call = "fill";
    const one = new target.type(1);
    elementsOf(one)[0] = value;
    if (target instanceof DeviceAccessor) {
      ensure(target.writes, "accessor", call, "the elements are written, and the accessor is for reading");
      this.#fillRows(call, this.#rows(call, target), bytesOf(one));
    } else this.#fillRows(call, [this.#bytesAt(call, target, count * target.type.BYTES_PER_ELEMENT)], bytesOf(one));
  }

  #fillRows(call: string, rows: readonly Bytes[], pattern: Uint8Array): void {
    this.#take(
      call,
      rows.map(({ storage, start, size }) => ({
        launch: null,
        record: (to) => muxCommandFillBuffer(to, storage.buffer, start, size, pattern, []),
      })),
      rows.map(({ storage }) => storage),
    );
  }

  /**
   * Copies an accessor's elements to the array that its buffer is over. Errors: invalid for a buffer without one;
   * accessor for an accessor that writes.
   */
  updateHost(accessor: DeviceAccessor): void {
    const call = "updateHost";
    const target = accessor.part.target();
    ensure(target !== null, "invalid", call, "the buffer is not over an array; copy the elements into one");
    ensure(accessor.mode !== "write", "accessor", call, "the elements are read, and the accessor is for writing");
    const bytes = bytesOf(target);
    const rows = this.#rows(call, accessor);
    this.#take(
      call,
      rows.map(({ storage, start, size }) => {
        const into = bytes.subarray(start, start + size);
        return { launch: null, record: (to) => muxCommandReadBuffer(to, storage.buffer, start, into, []) };
      }),
      rows.map(({ storage }) => storage),
    );
  }

  #bytesAt(call: string, pointer: UsmPointer, size: number): Bytes {
    ensure(Number.isSafeInteger(size) && size > 0, "invalid", call, `at least one byte is needed, not ${size}`);
    const { storage, offset } = storageAt(call, pointer, size);
    ensure(
      pointer.getContext() === this.#queue.getContext(),
      "invalid",
      call,
      "the pointer is of another context than the queue",
    );
    return { storage, start: offset, size };
  }

  /**
   * Copies bytes: between pointers, or between a pointer and an array. Errors: invalid for what is not within an
   * allocation, for arrays that are too short, and for ranges that overlap.
   */
  memcpy(target: UsmPointer | TypedArray, source: UsmPointer | TypedArray, byteSize: number): void {
    const call = "memcpy";
    const hostBytes = (array: TypedArray): Uint8Array => {
      const bytes = bytesOf(array);
      ensure(
        bytes.length >= byteSize,
        "invalid",
        call,
        `the array has ${bytes.length} bytes, and ${byteSize} are to be copied`,
      );
      return bytes.subarray(0, byteSize);
    };
    if (isTypedArray(target)) {
      ensure(
        !isTypedArray(source),
        "invalid",
        call,
        "a copy needs a pointer: arrays of the host are copied by the host",
      );
      this.#read(call, [this.#bytesAt(call, source, byteSize)], hostBytes(target));
    } else if (isTypedArray(source)) this.#write(call, hostBytes(source), [this.#bytesAt(call, target, byteSize)]);
    else this.#copyRows(call, [this.#bytesAt(call, source, byteSize)], [this.#bytesAt(call, target, byteSize)]);
  }

  /** Sets bytes. Errors: invalid for what is no byte, and outside of an allocation. */
  memset(target: UsmPointer, value: number, byteSize: number): void {
    const call = "memset";
    ensure(Number.isInteger(value) && value >= 0 && value < 256, "invalid", call, `${value} is not a byte`);
    this.#fillRows(call, [this.#bytesAt(call, target, byteSize)], Uint8Array.of(value));
  }

  /** Says that memory will be used: nothing has to move where host and device share it. Error: invalid. */
  prefetch(pointer: UsmPointer, byteSize: number): void {
    const { storage } = this.#bytesAt("prefetch", pointer, byteSize);
    this.#take("prefetch", NO_COMMANDS, [storage]);
  }

  /** Says how memory will be used: a hint that nothing follows from here. Error: invalid. */
  memAdvise(pointer: UsmPointer, byteSize: number, advice: MemoryAdvice): void {
    const call = "memAdvise";
    ensure(
      ADVICES.includes(advice),
      "invalid",
      call,
      `there is no advice "${advice}"; there are ${ADVICES.join(", ")}`,
    );
    const { storage } = this.#bytesAt(call, pointer, byteSize);
    this.#take(call, NO_COMMANDS, [storage]);
  }

  /** Runs a function on the host, in its turn; what it throws is the failure of the group. */
  hostTask(task: () => void): void {
    const call = "hostTask";
    ensure(typeof task === "function", "invalid", call, "a host task is a function");
    let thrown: SyclException | null = null;
    this.#fault = () => thrown;
    const run = (): void => {
      try {
        task();
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        thrown = new SyclException("runtime", call, `the host task has thrown: ${message}`, error);
      }
    };
    this.#take(call, [{ launch: null, record: (to) => muxCommandUserCallback(to, run, []) }], []);
  }

  /** Its commands; none: it only waits. @internal */
  get commands(): readonly Command[] {
    return this.#commands ?? NO_COMMANDS;
  }

  /** What its commands need. @internal */
  get held(): readonly Held[] {
    return this.#held;
  }

  /** Its accessors. @internal */
  get accessors(): readonly DeviceAccessor[] {
    return this.#accessors;
  }

  /** The events that it names. @internal */
  get events(): readonly Event[] {
    return this.#events;
  }

  /** What has failed although all commands went well; null where that cannot be. @internal */
  get fault(): (() => SyclException | null) | null {
    return this.#fault;
  }

  /** An event holds what the group needs. @internal */
  release(): void {
    for (const launch of this.#launches) launch.drop();
  }

  /** The group is over, submitted or not. @internal */
  close(): void {
    this.#isOpen = false;
    endReductions(this.#given);
  }
}

const ONE_ITEM: LaunchSizes = { global: [1], local: [1], offset: [0] };

/** Sizes in OpenCL's order. */
function sizesOf(call: string, range: Range | NdRange, offset: Id | null): LaunchSizes {
  if (range instanceof NdRange)
    return {
      global: reversed(range.global.sizes),
      local: reversed(range.local.sizes),
      offset: reversed(range.offset.sizes),
    };
  if (!(range instanceof Range))
    throw new SyclException("nd_range", call, "the first argument is no range; make one with range(…) or ndRange(…)");
  ensure(
    offset === null || offset.dimensions === range.dimensions,
    "nd_range",
    call,
    () => `the range has ${range.dimensions} dimensions, and the offset ${offset?.dimensions}`,
  );
  if (offset !== null) return { global: reversed(range.sizes), local: null, offset: reversed(offset.sizes) };
  range.launch ??= { global: reversed(range.sizes), local: null, offset: range.sizes.map(() => 0) };
  return range.launch;
}

function ensureApart(call: string, from: Storage, start: number, to: Storage, at: number, size: number): void {
  ensure(
    from !== to || start + size <= at || at + size <= start,
    "invalid",
    call,
    "source and target overlap; copy by way of another allocation",
  );
}
