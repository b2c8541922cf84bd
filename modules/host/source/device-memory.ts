// SPDX-License-Identifier: Apache-2.0
// The device's memory: one linear memory for all kernels of the device, and its allocation.
import { err, ok, type Result } from "@muxkit/cargo";
import { OVERREAD_BYTES } from "@muxkit/kernel-abi";

import { Allocator, UNIT } from "./allocator.ts";
import type { HostEnvironment } from "./environment.ts";
import { MemoryViews } from "./memory-views.ts";
import type { HostParts } from "./parts.ts";
import type { RedZones } from "./red-zones.ts";
import type { WasmMemory } from "./web-assembly.ts";

const PAGE = 65536;
const MAX_PAGES = 65536;
/** Pages at the start; the system commits only the pages that are touched. */
const INITIAL_PAGES = 1024;
/** Growth replaces the views of every thread, so it is rare. */
const GROWTH_PAGES = 1024;
/**
 * A masked load may read past what it needs (docs/decisions/030-masked-accesses.md), up to the longest vector, 64 lanes
 * of 8 bytes. So the memory's last bytes are never allocated.
 */
const END_PADDING: number = OVERREAD_BYTES;
/**
 * Blocks of at least this size begin {@link PAGE_OFFSET} bytes after a page boundary. Arrays of the host begin 16 bytes
 * after one, and glibc's non-temporal copy, which long transfers use, moves four pages at once instead of two where the
 * target is a little further in its page than the source: writes of 256 MiB at 13 GB/s instead of 10.
 */
const LARGE = 2 ** 20;
const PAGE_OFFSET = UNIT;
const SYSTEM_PAGE = 4096;
/** Blocks of at least this size are worth the system's larger pages. */
const LARGE_BLOCK = 2 ** 22;
/** What page 0 is filled with: null points there, and no kernel may write to it (docs/decisions/055-null-page.md). */
const NULL_PAGE_PATTERN = 0xdb;

/** A part of the device's memory. */
export interface Block {
  /** Address of the first byte. */
  readonly address: number;
  /** Requested bytes. */
  readonly size: number;
  /** Bytes of red zone on either side. */
  readonly redZone: number;
  /** The allocator's handle. */
  readonly handle: number;
}

/** Makes the red zones of a memory; null: it has none. */
type RedZonesOf = HostParts["redZones"];

/** One device's memory; only the host thread allocates and grows. */
export class DeviceMemory {
  readonly views: MemoryViews;
  readonly shared: boolean;
  /** Most bytes that it can ever have. */
  readonly limit: number;
  readonly #environment: HostEnvironment;
  readonly #allocator: Allocator;
  /** The red zones of the blocks that have some; null: none has. */
  readonly redZones: RedZones | null;
  /** Is told of each block of at least {@link LARGE_BLOCK} bytes before anything touches it; null: nobody is. */
  tellLarge: ((address: number, bytes: number) => void) | null = null;
  #pages: number;

  private constructor(
    environment: HostEnvironment,
    memory: WasmMemory,
    maximum: number,
    shared: boolean,
    redZones: RedZonesOf,
  ) {
    this.#environment = environment;
    this.#pages = memory.buffer.byteLength / PAGE;
    this.views = new MemoryViews(memory);
    this.redZones = redZones?.(this.views) ?? null;
    this.shared = shared;
    this.limit = maximum * PAGE;
    this.#allocator = new Allocator(PAGE, memory.buffer.byteLength - END_PADDING);
    this.views.bytes.fill(NULL_PAGE_PATTERN, 0, PAGE);
  }

  /** Reserves a memory; where the system refuses the largest, smaller ones are tried. The error is a sentence. */
  static open(
    environment: HostEnvironment,
    shared: boolean,
    limitBytes: number,
    redZones: RedZonesOf = null,
  ): Result<DeviceMemory, string> {
    let maximum = Math.min(MAX_PAGES, Math.max(16, Math.ceil(limitBytes / PAGE)));
    const wanted = maximum;
    for (;;) {
      try {
        // Growth would take all views away from a memory that is not shared (docs/decisions/014-growing-memory.md), so
        // that one has its size from the start.
        const memory = environment.reserveMemory(shared ? Math.min(INITIAL_PAGES, maximum) : maximum, maximum, shared);
        return ok(new DeviceMemory(environment, memory, maximum, shared, redZones));
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        if (maximum <= 1024) {
          return err(
            `the device's memory cannot be reserved: ${(wanted * PAGE) / 2 ** 20} MiB down to ` +
              `${(maximum * PAGE) / 2 ** 20} MiB were refused (${error.message}); close other devices or raise ` +
              "the limit on address space",
          );
        }
        maximum = Math.max(1024, maximum >> 1);
      }
    }
  }

  /** The memory as the engine has it. */
  get memory(): WasmMemory {
    return this.views.memory;
  }

  /** Free bytes, without growth. */
  get freeBytes(): number {
    return this.#allocator.freeBytes;
  }

  /** Bytes that the memory has now. */
  get size(): number {
    return this.#pages * PAGE;
  }

  /** Takes a block; grows when it must. The error is a sentence with the figures. */
  allocate(size: number, alignment: number = UNIT, redZone: number = 0): Result<Block, string> {
    const zone = redZone === 0 ? 0 : Math.ceil(redZone / alignment) * alignment;
    const bytes = size + 2 * zone;
    const taken = this.#take(bytes, alignment);
    if (!taken.ok) {
      return err(
        `${size} bytes of device memory cannot be allocated: ${this.freeBytes} of ` +
          `${this.size} bytes are free in pieces, ` +
          `and the memory cannot grow beyond ${this.limit} bytes`,
      );
    }
    const handle = taken.value;
    const address = this.#allocator.addressOf(handle) + zone;
    const block = { address, size, redZone: zone, handle };
    if (bytes >= LARGE_BLOCK) this.tellLarge?.(address - zone, bytes);
    if (zone !== 0) this.redZones?.add(block);
    return ok(block);
  }

  #take(bytes: number, alignment: number): Result<number, null> {
    if (this.#environment.refuses?.("memory") === true) return err(null);
    const taken = this.#allocateBlock(bytes, alignment);
    return taken.ok || !this.#grow(bytes + alignment) ? taken : this.#allocateBlock(bytes, alignment);
  }

  /** A block of what is free, placed well if it is large and there is room for that. */
  #allocateBlock(bytes: number, alignment: number): Result<number, null> {
    const placed =
      bytes >= LARGE && alignment <= UNIT ? this.#allocator.take(bytes, SYSTEM_PAGE, PAGE_OFFSET) : err(null);
    return placed.ok ? placed : this.#allocator.take(bytes, alignment);
  }

  /** Gives a block back; says where its red zones were damaged since they were checked last. */
  free(block: Block): string | null {
    this.#allocator.release(block.handle);
    return block.redZone === 0 ? null : (this.redZones?.remove(block) ?? null);
  }

  /** First byte of page 0 that was overwritten; null when it is intact. */
  damagedNullPage(): number | null {
    return this.#firstOther(NULL_PAGE_PATTERN, 0, PAGE);
  }

  /** Fills page 0 again. */
  repairNullPage(): void {
    this.views.bytes.fill(NULL_PAGE_PATTERN, 0, PAGE);
  }

  #firstOther(pattern: number, from: number, to: number): number | null {
    for (let address = from; address < to; address++) if (this.views.bytes[address] !== pattern) return address;
    return null;
  }

  #grow(bytes: number): boolean {
    const room = this.limit / PAGE - this.#pages;
    const needed = Math.ceil(bytes / PAGE);
    if (needed > room || this.#environment.refuses?.("growth") === true) return false;
    const pages = Math.min(room, Math.max(GROWTH_PAGES, needed));
    try {
      this.#environment.growMemory(this.memory, pages);
    } catch (error) {
      if (error instanceof RangeError) return false;
      throw error;
    }
    this.#pages += pages;
    this.views.refresh();
    this.#allocator.grow(this.#pages * PAGE - END_PADDING);
    return true;
  }
}
