// SPDX-License-Identifier: Apache-2.0
/// <reference lib="esnext.disposable" preserve="true" />
// Buffers (`sycl::buffer`): elements that commands and the host use in turns.
import { bytesOf, describeBlockingError } from "@muxkit/cargo";

import {
  type AccessMode,
  type AccessOptions,
  type AccessedPart,
  type AccessedRanges,
  DeviceAccessor,
  HostAccessor,
  checkMode,
} from "./accessor.ts";
import { BufferMemory } from "./buffer-memory.ts";
import { selectDevice } from "./device.ts";
import type { Event } from "./event.ts";
import { SyclException, ensure } from "./exception.ts";
import type { Handler } from "./handler.ts";
import { type Dimensions, type Id, Range, type Sizes } from "./range.ts";
import { type TypedArray, type TypedArrayType, isTypedArray, typeOf } from "./typed-array.ts";

/** Where a part of a buffer is: its first element and that behind its last, in the whole. */
interface Place {
  readonly first: number;
  readonly last: number;
}

const NO_OPTIONS = {};

/** See the file's head. A buffer over an array writes its elements back when it is disposed of. @public */
export class Buffer<T extends TypedArray = TypedArray, D extends Dimensions = 1> {
  /** How many elements in each dimension. */
  readonly range: Range<D>;
  readonly #type: TypedArrayType<T>;
  readonly #memory: BufferMemory;
  /** First byte in the memory. */
  readonly #start: number;
  readonly #parent: Buffer<T, Dimensions> | null;
  #target: T | null;
  #writesBack = true;
  #isAlive = true;
  /** The place of all elements, and their accessors' ranges and bytes. */
  readonly #whole: Place;
  readonly #wholeRanges: AccessedRanges<D>;
  readonly #wholePart: AccessedPart;

  /**
   * Over an array, in one dimension or in those of a range; or zeros of a type. The array is the buffer's until that is
   * disposed of: it is read when a command first needs it, and written at the end if commands have written. Errors:
   * invalid for an empty buffer, and for a range of another size.
   */
  constructor(source: T, range?: Range<D>);
  constructor(type: TypedArrayType<T>, range: Range<D>);
  /** A part of a buffer. @internal */
  constructor(parent: Buffer<T, D>, range: Range<D>, first: number);
  constructor(source: T | TypedArrayType<T> | Buffer<T, D>, range?: Range<D>, first: number = 0) {
    const call = "Buffer";
    if (source instanceof Buffer) {
      this.range = range as Range<D>;
      this.#type = source.#type;
      this.#memory = source.#memory;
      this.#start = source.#start + first * source.#type.BYTES_PER_ELEMENT;
      this.#parent = source as unknown as Buffer<T, Dimensions>;
      this.#target = null;
      this.#whole = { first: 0, last: this.range.size };
      this.#wholeRanges = { range: this.range, bufferRange: this.range };
      this.#wholePart = this.#partOf(this.#whole);
      return;
    }
    const array = isTypedArray(source) ? source : null;
    ensure(
      array !== null || typeof source === "function",
      "invalid",
      call,
      "a buffer is made of a typed array, or of the class of one and a range",
    );
    const size = range?.size ?? array?.length ?? 0;
    ensure(size > 0, "invalid", call, "a buffer has one element at least; pass an array that is not empty, or a range");
    ensure(
      array === null || array.length === size,
      "invalid",
      call,
      () => `the array has ${array?.length ?? 0} elements, and the range ${size}`,
    );
    this.range = range ?? new Range([size] as unknown as Sizes<D>);
    this.#type = array === null ? (source as TypedArrayType<T>) : typeOf(array);
    this.#memory = new BufferMemory(size * this.#type.BYTES_PER_ELEMENT, array === null ? null : bytesOf(array));
    this.#start = 0;
    this.#parent = null;
    this.#target = array;
    this.#whole = { first: 0, last: size };
    this.#wholeRanges = { range: this.range, bufferRange: this.range };
    this.#wholePart = this.#partOf(this.#whole);
  }

  /** Elements. */
  get size(): number {
    return this.range.size;
  }

  /** Bytes. */
  get byteSize(): number {
    return this.size * this.#type.BYTES_PER_ELEMENT;
  }

  /** True for a part of another buffer. */
  get isSubBuffer(): boolean {
    return this.#parent !== null;
  }

  /** The bytes of a place. */
  #partOf({ first, last }: Place): AccessedPart {
    const bytes = this.#type.BYTES_PER_ELEMENT;
    return {
      memory: this.#memory,
      start: this.#start + first * bytes,
      end: this.#start + last * bytes,
      target: () => this.#root.#target,
    };
  }

  get #root(): Buffer<T, Dimensions> {
    return this.#parent ?? this;
  }

  #ensureAlive(call: string): void {
    ensure(this.#isAlive && this.#root.#isAlive, "invalid", call, "the buffer has been disposed of");
  }

  /** The place of a part. */
  #placeOf(call: string, { range, offset }: AccessOptions<D>): Place {
    if (range === undefined && offset === undefined) return this.#whole;
    const dimensions: number = this.range.dimensions;
    const given: readonly number[] = [range?.dimensions ?? dimensions, offset?.dimensions ?? dimensions];
    ensure(
      given.every((one) => one === dimensions),
      "accessor",
      call,
      () => `the buffer has ${dimensions} dimensions; use a range and an offset with as many`,
    );
    let [first, last] = [0, 0];
    for (let i = 0; i < dimensions; i++) {
      const from = offset?.get(i) ?? 0;
      const all = this.range.get(i);
      const size = range?.get(i) ?? all - from;
      ensure(
        size > 0 && from + size <= all,
        "accessor",
        call,
        () => `elements ${from} to ${from + size} in dimension ${i} are not all among the ${all} of the buffer`,
      );
      first = first * (i === 0 ? 1 : all) + from;
      last = last * (i === 0 ? 1 : all) + from + size - 1;
    }
    return { first, last: last + 1 };
  }

  #ranges({ range, offset }: AccessOptions<D>): AccessedRanges<D> {
    if (range === undefined && offset === undefined) return this.#wholeRanges;
    const rest = this.range.sizes.map((size, i) => size - (offset?.get(i) ?? 0));
    return { range: range ?? new Range(rest as unknown as Sizes<D>), bufferRange: this.range };
  }

  /**
   * What a command group does with the elements, or with a part of them: the group runs after those that it depends on.
   * Errors: accessor for an unknown mode and for a part outside; invalid for a buffer that was disposed of.
   */
  getAccess(handler: Handler, mode: AccessMode, options: AccessOptions<D> = NO_OPTIONS): DeviceAccessor<T, D> {
    const call = "getAccess";
    this.#ensureAlive(call);
    checkMode(call, mode);
    const place = this.#placeOf(call, options);
    const part = place === this.#whole ? this.#wholePart : this.#partOf(place);
    const { noInit = false } = options;
    const accessor = new DeviceAccessor<T, D>(handler, mode, noInit, this.#type, this.#ranges(options), part);
    handler.require(accessor);
    return accessor;
  }

  /** What the host's access waits for. */
  #hostPart(
    call: string,
    mode: AccessMode,
    options: AccessOptions<D>,
  ): { readonly start: number; readonly end: number; readonly events: readonly Event[] } {
    this.#ensureAlive(call);
    checkMode(call, mode);
    const { first, last } = this.#placeOf(call, options);
    const bytes = this.#type.BYTES_PER_ELEMENT;
    const [start, end] = [this.#start + first * bytes, this.#start + last * bytes];
    const events = this.#memory.withDependences(start, end, mode !== "read", null) ?? [];
    return { start, end, events };
  }

  #hostAccessor(
    call: string,
    mode: AccessMode,
    options: AccessOptions<D>,
    { start, end }: { readonly start: number; readonly end: number },
  ): HostAccessor<T, D> {
    const runtime = this.#memory.storage?.runtime ?? selectDevice().open(call);
    this.#memory.storageOn(call, runtime);
    return new HostAccessor(mode, this.#type, this.#ranges(options), { memory: this.#memory, start, end }, runtime);
  }

  /**
   * Access for the host; waits for the commands that it depends on. Errors: accessor; event where another host accessor
   * keeps such a command back; invalid in the main thread of a page.
   */
  getHostAccess(mode: AccessMode = "read_write", options: AccessOptions<D> = {}): HostAccessor<T, D> {
    const call = "getHostAccess";
    const part = this.#hostPart(call, mode, options);
    for (const event of part.events) event.complete(call);
    return this.#hostAccessor(call, mode, options, part);
  }

  /** The same without blocking the thread. */
  async getHostAccessAsync(
    mode: AccessMode = "read_write",
    options: AccessOptions<D> = {},
  ): Promise<HostAccessor<T, D>> {
    const call = "getHostAccessAsync";
    const part = this.#hostPart(call, mode, options);
    await Promise.all(part.events.map(async (event) => event.completeAsync(call)));
    return this.#hostAccessor(call, mode, options, part);
  }

  /**
   * A part as a buffer of its own, which shares the elements: contiguous ones. Errors: invalid for a part of a part,
   * for elements outside, and for elements that do not lie one after the other.
   */
  subBuffer(offset: Id<D>, range: Range<D>): Buffer<T, D> {
    const call = "subBuffer";
    this.#ensureAlive(call);
    ensure(this.#parent === null, "invalid", call, "a sub-buffer has no sub-buffers; make one of the whole buffer");
    const { first, last } = this.#placeOf(call, { offset, range });
    ensure(
      last - first === range.size,
      "invalid",
      call,
      "the elements do not lie one after the other: take all of the last dimensions",
    );
    return new Buffer<T, D>(this, range, first);
  }

  /** Where elements are written when the buffer is disposed of; null: nowhere. Error: invalid for another length. */
  setFinalData(target: T | null): void {
    ensure(
      target === null || target.length >= this.size,
      "invalid",
      "setFinalData",
      () => `the array has ${target?.length ?? 0} elements, and the buffer ${this.size}`,
    );
    this.#target = target;
  }

  /** False: nothing is written back. */
  setWriteBack(flag: boolean = true): void {
    this.#writesBack = flag;
  }

  #writeBack(): void {
    const { storage, isWritten } = this.#memory;
    if (this.#target === null || !this.#writesBack || storage === null || !isWritten) return;
    bytesOf(this.#target).set(storage.bytes("dispose").subarray(0, this.byteSize));
  }

  /**
   * Waits for the commands that use it, writes back, and frees its memory. Errors: event where a host accessor keeps a
   * command back; invalid in the main thread of a page, where `await using` disposes of it.
   */
  [Symbol.dispose](): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    if (this.#parent !== null) return;
    try {
      const { pending } = this.#memory;
      const reason = pending.length === 0 ? null : describeBlockingError("use await using, or await its events first");
      if (reason !== null) throw new SyclException("invalid", "dispose", reason);
      for (const event of pending) event.complete("dispose");
      this.#writeBack();
    } finally {
      this.#memory.free();
    }
  }

  /** The same without blocking the thread. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    if (this.#parent !== null) return;
    try {
      await Promise.all(this.#memory.pending.map(async (event) => event.completeAsync("dispose")));
      this.#writeBack();
    } finally {
      this.#memory.free();
    }
  }
}
