// SPDX-License-Identifier: Apache-2.0
// Unified shared memory: allocations that pointers name.
//
// A pointer is an address with a type. The allocations of a context are sorted by address, so the one that a pointer is
// in is found by a binary search, and a range across two allocations is refused. Freed memory lives on until the
// commands that name it are complete.
//
// Cost: O(log n) for a pointer, O(n) moves for an allocation.
import type { Context, UsmAllocation } from "./context.ts";
import type { Device } from "./device.ts";
import { SyclException, ensure } from "./exception.ts";
import type { Storage } from "./runtime-device.ts";
import type { TypedArray, TypedArrayType } from "./typed-array.ts";

/** Whose an allocation is (`sycl::usm::alloc`). @public */
export type UsmKind = "device" | "host" | "shared" | "unknown";

/** A queue, as far as allocations need one. */
interface Place {
  getContext(): Context;
  getDevice(): Device;
}

/** Where memory is allocated: a queue, or a context with its first device. @public */
export type UsmPlace = Context | Place;

const contextOf = (place: UsmPlace): Context => ("getContext" in place ? place.getContext() : place);
const deviceOf = (place: UsmPlace): Device => ("getDevice" in place ? place.getDevice() : place.device);

/** A pointer to elements in unified shared memory. @public */
export class UsmPointer<T extends TypedArray = TypedArray> {
  /** Where kernels find the element. */
  readonly address: number;
  /** The class of the host's arrays. */
  readonly type: TypedArrayType<T>;
  readonly #context: Context;

  /** Made by `malloc…` and by arithmetic. @internal */
  constructor(context: Context, type: TypedArrayType<T>, address: number) {
    this.#context = context;
    this.type = type;
    this.address = address;
  }

  /** The context of its allocation. */
  getContext(): Context {
    return this.#context;
  }

  /** The pointer so many elements further on. */
  add(elements: number): UsmPointer<T> {
    ensure(Number.isSafeInteger(elements), "invalid", "add", `${elements} is not a number of elements`);
    return new UsmPointer(this.#context, this.type, this.address + elements * this.type.BYTES_PER_ELEMENT);
  }

  /** The pointer so many elements back. */
  subtract(elements: number): UsmPointer<T> {
    return this.add(-elements);
  }

  /** Elements from another pointer to this one. */
  distance(from: UsmPointer<T>): number {
    return (this.address - from.address) / this.type.BYTES_PER_ELEMENT;
  }

  /** The same address as a pointer to elements of another type. */
  as<U extends TypedArray>(type: TypedArrayType<U>): UsmPointer<U> {
    return new UsmPointer(this.#context, type, this.address);
  }

  /** True for the same address. */
  equals(other: UsmPointer): boolean {
    return this.address === other.address && this.#context === other.#context;
  }

  /**
   * The elements themselves as an array: `count` of them, or all to the end of the allocation. Errors: invalid outside
   * of an allocation; feature_not_supported for memory of a device's.
   */
  view(count?: number): T {
    const call = "view";
    const { allocation, offset } = locate(call, this, (count ?? 1) * this.type.BYTES_PER_ELEMENT);
    ensure(
      allocation.kind !== "device",
      "feature_not_supported",
      call,
      "the host has no access to a device allocation; copy it, or use mallocShared",
    );
    const bytes = allocation.storage.bytes(call);
    const length = count ?? Math.floor((bytes.length - offset) / this.type.BYTES_PER_ELEMENT);
    return new this.type(bytes.buffer, bytes.byteOffset + offset, length);
  }
}

/** Index of the first allocation behind an address. */
function indexAfter(list: readonly UsmAllocation[], address: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] as UsmAllocation).storage.address <= address) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A range in an allocation. */
export interface UsmRange {
  readonly allocation: UsmAllocation;
  /** Bytes from its first. */
  readonly offset: number;
}

function find(context: Context, address: number, size: number): UsmRange | null {
  const allocation = context.allocations[indexAfter(context.allocations, address) - 1];
  if (allocation === undefined) return null;
  const offset = address - allocation.storage.address;
  return offset + size <= allocation.storage.size ? { allocation, offset } : null;
}

/** The range of so many bytes at a pointer. Error: invalid where it is not within one allocation. */
export function locate(call: string, pointer: UsmPointer, size: number): UsmRange {
  ensure(
    pointer instanceof UsmPointer,
    "invalid",
    call,
    "a pointer to unified shared memory is needed; mallocShared and its like return one",
  );
  const found = find(pointer.getContext(), pointer.address, size);
  if (found !== null) return found;
  throw new SyclException(
    "invalid",
    call,
    `${size} bytes at ${pointer.address} are not within an allocation of unified shared memory, or it was freed`,
  );
}

/** The storage of a range, for a command. */
export function storageAt(
  call: string,
  pointer: UsmPointer,
  size: number,
): { readonly storage: Storage; readonly offset: number } {
  const { allocation, offset } = locate(call, pointer, size);
  return { storage: allocation.storage, offset };
}

const MOST_ALIGNMENT = 128;

function allocate<T extends TypedArray>(
  call: string,
  kind: UsmAllocation["kind"],
  type: TypedArrayType<T>,
  count: number,
  place: UsmPlace,
  alignment: number,
): UsmPointer<T> {
  const context = contextOf(place);
  const device = deviceOf(place);
  context.ensureAlive(call);
  ensure(typeof type === "function", "invalid", call, "the type of the elements is not the class of a typed array");
  ensure(
    Number.isSafeInteger(count) && count > 0,
    "invalid",
    call,
    `an allocation has one element at least, not ${count}`,
  );
  ensure(
    Number.isInteger(alignment) && alignment > 0 && alignment <= MOST_ALIGNMENT && (alignment & (alignment - 1)) === 0,
    "invalid",
    call,
    `the alignment must be a power of two up to ${MOST_ALIGNMENT}, not ${alignment}`,
  );
  ensure(
    kind === "device" || device.has(`usm_${kind}_allocations`),
    "feature_not_supported",
    call,
    () => `${device.info.deviceName} shares no memory with the host; use mallocDevice`,
  );
  const size = count * type.BYTES_PER_ELEMENT;
  ensure(
    size <= device.info.allocationSize,
    "memory_allocation",
    call,
    () => `an allocation has at most ${device.info.allocationSize} bytes, not ${size}`,
  );
  const storage = device.open(call).allocate(call, size);
  const owner = kind === "host" ? null : device;
  context.allocations.splice(indexAfter(context.allocations, storage.address), 0, { storage, kind, device: owner });
  return new UsmPointer(context, type, storage.address);
}

/**
 * Allocates elements that the device alone reaches. Errors: invalid for none, for an alignment that is no power of two,
 * and for a context that was disposed of; memory_allocation.
 *
 * @public
 */
export function mallocDevice<T extends TypedArray>(
  type: TypedArrayType<T>,
  count: number,
  place: UsmPlace,
  alignment: number = type?.BYTES_PER_ELEMENT ?? 1,
): UsmPointer<T> {
  return allocate("mallocDevice", "device", type, count, place, alignment);
}

/**
 * Allocates elements of the host that devices reach. Errors: those of {@link mallocDevice}; feature_not_supported where
 * host and device share no memory.
 *
 * @public
 */
export function mallocHost<T extends TypedArray>(
  type: TypedArrayType<T>,
  count: number,
  place: UsmPlace,
  alignment: number = type?.BYTES_PER_ELEMENT ?? 1,
): UsmPointer<T> {
  return allocate("mallocHost", "host", type, count, place, alignment);
}

/** Allocates elements of host and device. Errors: those of {@link mallocHost}. @public */
export function mallocShared<T extends TypedArray>(
  type: TypedArrayType<T>,
  count: number,
  place: UsmPlace,
  alignment: number = type?.BYTES_PER_ELEMENT ?? 1,
): UsmPointer<T> {
  return allocate("mallocShared", "shared", type, count, place, alignment);
}

/**
 * Frees an allocation; null is nothing. Commands that name it still run. Error: invalid for what is no allocation of
 * the context.
 *
 * @public
 */
export function free(pointer: UsmPointer | null, place: UsmPlace): void {
  if (pointer === null) return;
  const call = "free";
  const { allocations } = contextOf(place);
  const index = pointer instanceof UsmPointer ? indexAfter(allocations, pointer.address) - 1 : -1;
  const found = allocations[index];
  if (found === undefined || found.storage.address !== pointer.address || pointer.getContext() !== contextOf(place))
    throw new SyclException(
      "invalid",
      call,
      "the pointer is not the beginning of an allocation of the context, or it was freed before",
    );
  allocations.splice(index, 1);
  found.storage.unuse();
}

/** Whose the allocation of a pointer is; unknown: it is in none. @public */
export function getPointerType(pointer: UsmPointer, context: Context): UsmKind {
  return find(context, pointer.address, 1)?.allocation.kind ?? "unknown";
}

/** The device of a pointer's allocation; the first one for memory of the host's. Error: invalid. @public */
export function getPointerDevice(pointer: UsmPointer, context: Context): Device {
  const found = find(context, pointer.address, 1);
  if (found === null)
    throw new SyclException("invalid", "getPointerDevice", "the pointer is in no allocation of the context");
  return found.allocation.device ?? context.device;
}
