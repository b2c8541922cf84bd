// SPDX-License-Identifier: Apache-2.0
// Memory as objects with addresses, so that errors of pointers are found: every access must be within one object that
// is alive, in an address space that the pointer may point to. Objects are allocated at rising addresses with gaps
// between them and kept sorted; an access finds its object by binary search, in the logarithm of their number.
import { alignUp, assert } from "@muxkit/cargo";
import {
  ADDRESS_SPACE_NAMES,
  type AddressSpace,
  CONSTANT,
  type DataLayout,
  GENERIC,
  GLOBAL,
  type Global,
  LOCAL,
  PRIVATE,
  pointerBytes,
  sizeOf,
} from "@muxkit/ir";

import { Fault } from "./error.ts";

/** One object in memory. @public */
export interface Region {
  /** Address of its first byte. */
  readonly base: number;
  /** Its bytes, shared with the caller. */
  readonly bytes: Uint8Array;
  /** The same bytes, for numbers. */
  readonly view: DataView;
  /** Its name in messages. */
  readonly name: string;
  /** Where it lives. */
  readonly space: AddressSpace;
  /** True when stores to it are errors. */
  readonly isReadOnly: boolean;
  /** True when its life ends with the launch that made it. */
  readonly isWork: boolean;
}

/** Properties of a new region. @public */
export interface RegionOptions {
  /** Its name in messages. */
  readonly name: string;
  /** Where it lives. */
  readonly space: AddressSpace;
  /** Its bytes, used in place. */
  readonly bytes: Uint8Array;
  /** Alignment of its address in bytes. */
  readonly alignment: number;
  /** True when stores to it are errors. */
  readonly isReadOnly?: boolean;
  /** True when its life ends with the launch that makes it, as that of private and local memory does. */
  readonly isWork?: boolean;
}

/** Address of the first object: null and small offsets from it are errors. */
const FIRST_ADDRESS = 4096;
/** Bytes between two objects that belong to none, so that running over an end is an error. */
const GAP = 64;

const spaceName = (space: AddressSpace): string => ADDRESS_SPACE_NAMES[space] ?? `space ${space}`;

/** True when a pointer of one space may point to an object of another. */
function mayPointTo(pointer: AddressSpace, object: AddressSpace): boolean {
  if (pointer === object || pointer > GENERIC) return true;
  if (pointer === GENERIC) return object !== CONSTANT;
  return (pointer === GLOBAL || pointer === CONSTANT) && (object === GLOBAL || object === CONSTANT);
}

/**
 * The memory that kernels see: objects at addresses of their own, with gaps between them. Program-scope variables and
 * buffers keep their addresses from launch to launch.
 *
 * @public
 */
export class Memory {
  /** The layout that pointers in it have. */
  readonly layout: DataLayout;
  private readonly regions: Region[];
  private readonly dead: Set<Region>;
  private readonly globals: Map<Global, Region>;
  private readonly buffers: Map<Uint8Array, Region>;
  private readonly firstAddress: number;
  private readonly limit: number;

  /** Starts empty; its first object gets the address `firstAddress`, rounded up to its alignment. */
  constructor(layout: DataLayout, firstAddress: number = FIRST_ADDRESS) {
    this.layout = layout;
    this.firstAddress = firstAddress;
    this.regions = [];
    this.dead = new Set();
    this.globals = new Map();
    this.buffers = new Map();
    this.limit = layout.sizeBits === 64 ? Number.MAX_SAFE_INTEGER : 0xffff_ffff;
  }

  /** Assigns an address to bytes. */
  add({
    name,
    space,
    bytes,
    alignment,
    isReadOnly = false,
    isWork = space === PRIVATE || space === LOCAL,
  }: RegionOptions): Region {
    const last = this.regions.at(-1);
    const base = alignUp(
      last === undefined ? this.firstAddress : last.base + last.bytes.length + GAP,
      Math.max(16, alignment),
    );
    if (base + bytes.length > this.limit)
      throw new Fault("memory", `no addresses are left for ${bytes.length} bytes of ${name}`);
    const region: Region = {
      base,
      bytes,
      view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      name,
      space,
      isReadOnly,
      isWork,
    };
    this.regions.push(region);
    return region;
  }

  /** Ends the life of a region; what still points to it is an error to use. */
  release(region: Region): void {
    this.dead.add(region);
    for (let last = this.regions.at(-1); last !== undefined && this.dead.has(last); last = this.regions.at(-1)) {
      this.regions.pop();
      this.dead.delete(last);
    }
  }

  /** Ends the life of everything that was made for the launch. */
  releaseWork(): void {
    const kept = this.regions.filter(({ isWork }) => !isWork);
    this.regions.splice(0, this.regions.length, ...kept);
    this.dead.clear();
  }

  /** The region of a buffer; the same array is the same region. */
  buffer(bytes: Uint8Array, name: string): Region {
    let region = this.buffers.get(bytes);
    if (region === undefined) {
      region = this.add({ name, space: GLOBAL, bytes, alignment: 128 });
      this.buffers.set(bytes, region);
    }
    return region;
  }

  /** The region of a global or constant variable, with its initial bytes and pointers. */
  global(global: Global): Region {
    const known = this.globals.get(global);
    if (known !== undefined) return known;
    const bytes = new Uint8Array(sizeOf(this.layout, global.type));
    if (global.initializer !== null) bytes.set(global.initializer.subarray(0, bytes.length));
    const region = this.add({
      name: `@${global.name}`,
      space: global.addressSpace,
      bytes,
      alignment: global.alignment,
      isReadOnly: global.addressSpace === CONSTANT,
    });
    this.globals.set(global, region);
    for (const { offset, target, addend } of global.relocations) {
      const address = this.global(target).base + addend;
      writeBits(
        region.view,
        offset,
        pointerBytes(this.layout, target.addressSpace),
        BigInt(address),
        this.layout.littleEndian,
      );
    }
    return region;
  }

  /** The bytes of a program-scope variable as they are now. */
  contents(global: Global): Uint8Array {
    return this.global(global).bytes;
  }

  /** The region of an address: the last one that begins at or before it. */
  private before(address: number): Region | null {
    let low = 0;
    let high = this.regions.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.regions[middle]?.base ?? 0) <= address) low = middle + 1;
      else high = middle;
    }
    return this.regions[low - 1] ?? null;
  }

  /**
   * The address space of what an address points to, the end of an object included: private, local, or global for all
   * the rest.
   */
  spaceOf(address: number): AddressSpace {
    const region = this.before(address);
    if (region === null || address > region.base + region.bytes.length) return GLOBAL;
    return region.space === PRIVATE || region.space === LOCAL ? region.space : GLOBAL;
  }

  /**
   * The region that holds `size` bytes at an address, which a pointer of `space` accesses. Faults when there is none.
   */
  find(address: number, size: number, space: AddressSpace, isStore: boolean): Region {
    const region = this.before(address);
    const verb = isStore ? "writes" : "reads";
    if (region === null)
      throw new Fault(
        "out-of-bounds",
        `${verb} ${size} bytes at address ${address}, ` +
          (address === 0 ? "the null pointer" : "which belongs to nothing"),
      );
    const offset = address - region.base;
    if (this.dead.has(region)) throw new Fault("out-of-bounds", `${verb} ${region.name} after the end of its life`);
    if (offset + size > region.bytes.length)
      throw new Fault(
        "out-of-bounds",
        `${verb} ${size} bytes at byte ${offset} of ${region.name}, which has ${region.bytes.length}`,
      );
    if (!mayPointTo(space, region.space))
      throw new Fault(
        "wrong-space",
        `${verb} ${region.name}, which is ${spaceName(region.space)} memory, ` +
          `through a pointer to ${spaceName(space)} memory`,
      );
    if (isStore && region.isReadOnly) throw new Fault("read-only", `writes ${region.name}, which is only read`);
    return region;
  }
}

/** Reads an unsigned integer of 1, 2, 4 or 8 bytes (or any other number of them). */
export function readBits(view: DataView, offset: number, size: number, littleEndian: boolean): bigint {
  switch (size) {
    case 1:
      return BigInt(view.getUint8(offset));
    case 2:
      return BigInt(view.getUint16(offset, littleEndian));
    case 4:
      return BigInt(view.getUint32(offset, littleEndian));
    case 8:
      return view.getBigUint64(offset, littleEndian);
    default:
      assert(size === 0, () => `no integer has ${size} bytes`);
      return 0n;
  }
}

/** Writes an unsigned integer. */
export function writeBits(view: DataView, offset: number, size: number, bits: bigint, littleEndian: boolean): void {
  switch (size) {
    case 1:
      view.setUint8(offset, Number(BigInt.asUintN(8, bits)));
      return;
    case 2:
      view.setUint16(offset, Number(BigInt.asUintN(16, bits)), littleEndian);
      return;
    case 4:
      view.setUint32(offset, Number(BigInt.asUintN(32, bits)), littleEndian);
      return;
    case 8:
      view.setBigUint64(offset, bits, littleEndian);
      return;
    default:
      assert(size === 0, () => `no integer has ${size} bytes`);
  }
}
