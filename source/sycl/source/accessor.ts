// SPDX-License-Identifier: Apache-2.0
/// <reference lib="esnext.disposable" preserve="true" />
// Accessors: what a command group or the host does with a buffer. They order commands.
import { type ElementType, sizeOf } from "@muxkit/kernel-library";

import type { BufferMemory } from "./buffer-memory.ts";
import { Event } from "./event.ts";
import { SyclException, ensure } from "./exception.ts";
import type { Dimensions, Id, Range } from "./range.ts";
import type { RuntimeDevice } from "./runtime-device.ts";
import { type ElementOf, type TypedArray, type TypedArrayType, elementsOf } from "./typed-array.ts";

/** What is done with the elements (`sycl::access_mode`). @public */
export type AccessMode = "read" | "write" | "read_write";

/** A part of a buffer, and what is known of it. @public */
export interface AccessOptions<D extends Dimensions = Dimensions> {
  /** How many elements; absent: all. */
  readonly range?: Range<D>;
  /** Where they begin; absent: at the first. */
  readonly offset?: Id<D>;
  /** Property `no_init`: what the elements were before does not matter. */
  readonly noInit?: boolean;
}

/** The ranges of an accessor, and of its buffer. @internal */
export interface AccessedRanges<D extends Dimensions> {
  readonly range: Range<D>;
  readonly bufferRange: Range<D>;
}

/** The elements of a buffer or sub-buffer that an accessor has. @internal */
export interface AccessedPart {
  readonly memory: BufferMemory;
  /** First byte in the memory, and the one behind the last. */
  readonly start: number;
  readonly end: number;
  /** The array that the buffer is over; null: there is none. */
  readonly target: () => TypedArray | null;
}

const MODES: readonly AccessMode[] = ["read", "write", "read_write"];

/** Throws for what is no mode. */
export function checkMode(call: string, mode: AccessMode): void {
  if (!MODES.includes(mode))
    throw new SyclException("accessor", call, `"${mode}" is no access mode; there are ${MODES.join(", ")}`);
}

/** An accessor of a command group (`sycl::accessor`): an argument of its kernel or of a copy. @public */
export class DeviceAccessor<T extends TypedArray = TypedArray, D extends Dimensions = Dimensions> {
  /** What the command group does. */
  readonly mode: AccessMode;
  /** What the elements were before does not matter. */
  readonly noInit: boolean;
  /** How many elements in each dimension. */
  readonly range: Range<D>;
  /** Elements from one place to the next along each dimension but the last, by the buffer. @internal */
  readonly bufferRange: Range<D>;
  /** The class of the host's arrays. @internal */
  readonly type: TypedArrayType<T>;
  /** Where it is. @internal */
  readonly part: AccessedPart;
  /** The command group. @internal */
  readonly owner: object;

  /** Made by `buffer.getAccess`. @internal */
  constructor(
    owner: object,
    mode: AccessMode,
    noInit: boolean,
    type: TypedArrayType<T>,
    ranges: AccessedRanges<D>,
    part: AccessedPart,
  ) {
    this.owner = owner;
    this.mode = mode;
    this.noInit = noInit;
    this.type = type;
    this.range = ranges.range;
    this.bufferRange = ranges.bufferRange;
    this.part = part;
  }

  /** Elements. */
  get size(): number {
    return this.range.size;
  }

  /** True when the command group may write. */
  get writes(): boolean {
    return this.mode !== "read";
  }
}

/**
 * An accessor of the host (`sycl::host_accessor`): the very elements that commands see. Until it is disposed of,
 * command groups that need the elements wait.
 *
 * @public
 */
export class HostAccessor<T extends TypedArray = TypedArray, D extends Dimensions = Dimensions> {
  /** What the host does. */
  readonly mode: AccessMode;
  /** How many elements in each dimension. */
  readonly range: Range<D>;
  readonly #type: TypedArrayType<T>;
  readonly #part: Omit<AccessedPart, "target">;
  readonly #pitches: Range<D>;
  readonly #gate: Event;
  #isOpen = true;

  /** Made by `buffer.getHostAccess`. @internal */
  constructor(
    mode: AccessMode,
    type: TypedArrayType<T>,
    ranges: AccessedRanges<D>,
    part: Omit<AccessedPart, "target">,
    runtime: RuntimeDevice,
  ) {
    this.mode = mode;
    this.range = ranges.range;
    this.#pitches = ranges.bufferRange;
    this.#type = type;
    this.#part = part;
    this.#gate = new Event(runtime, null, [], [], []);
    part.memory.note(this.#gate, part.start, part.end, mode !== "read");
  }

  /** The elements as an array; rows lie as the whole buffer has them. Error: accessor once it is disposed of. */
  get array(): T {
    ensure(this.#isOpen, "accessor", "array", "the host accessor has been disposed of; get another one");
    const { memory, start, end } = this.#part;
    const bytes = memory.bytes("array");
    return new this.#type(bytes.buffer, bytes.byteOffset + start, (end - start) / this.#type.BYTES_PER_ELEMENT);
  }

  #index(call: string, at: readonly number[]): number {
    const { dimensions } = this.range;
    ensure(
      at.length === dimensions,
      "accessor",
      call,
      () => `${at.length} coordinates were passed for ${dimensions} dimensions`,
    );
    let index = 0;
    for (let i = 0; i < dimensions; i++) {
      const [place, size] = [at[i] ?? 0, this.range.get(i)];
      if (!Number.isInteger(place) || place < 0 || place >= size)
        throw new SyclException(
          "accessor",
          call,
          `the coordinate ${place} in dimension ${i} is not among 0 to ${size - 1}`,
        );
      index = index * (i === 0 ? 1 : this.#pitches.get(i)) + place;
    }
    return index;
  }

  /** An element. Error: accessor for a place outside. */
  get(...at: readonly number[]): ElementOf<T> {
    return this.array[this.#index("get", at)] as ElementOf<T>;
  }

  /** Sets an element. Errors: accessor for a place outside, and for an accessor that reads. */
  set(value: ElementOf<T>, ...at: readonly number[]): void {
    ensure(this.mode !== "read", "accessor", "set", "the host accessor is for reading; get one with read_write");
    elementsOf(this.array)[this.#index("set", at)] = value;
  }

  /** The host is done: command groups that wait go on. */
  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#gate.settle(null, null);
    this.#gate.runtime.scheduler.advance("dispose");
  }
}

/** Local memory of each work-group (`sycl::local_accessor`). @public */
export class LocalAccessor {
  /** Elements. */
  readonly size: number;
  /** Bytes of an element. */
  readonly elementBytes: number;

  /** Of so many elements of a type, or of so many bytes each. Error: accessor for none. */
  constructor(type: { readonly BYTES_PER_ELEMENT: number } | ElementType | number, size: number | Range) {
    if (typeof type === "number") this.elementBytes = type;
    else this.elementBytes = "BYTES_PER_ELEMENT" in type ? type.BYTES_PER_ELEMENT : sizeOf(type);
    this.size = typeof size === "number" ? size : size.size;
    ensure(
      Number.isSafeInteger(this.size) &&
        this.size > 0 &&
        Number.isSafeInteger(this.elementBytes) &&
        this.elementBytes > 0,
      "accessor",
      "LocalAccessor",
      () => `local memory has at least one element of at least one byte, not ${this.size} of ${this.elementBytes}`,
    );
  }

  /** Bytes. */
  get byteSize(): number {
    return this.size * this.elementBytes;
  }
}
