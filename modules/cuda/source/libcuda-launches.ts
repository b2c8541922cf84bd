// SPDX-License-Identifier: Apache-2.0
/**
 * Launches as the driver reads them, written once, when they are made: `CUlaunchConfig` (cuda.h), the list of the one
 * parameter, and the parameter, one launch behind the other in chunks that do not move. Starting one passes addresses
 * and writes the stream, and what a row of launches needs lies in a row.
 */
import { alignUp } from "@muxkit/cargo";

import type { GpuLaunch, Grid, Handle } from "./driver.ts";
import type { Koffi } from "./libcuda-calls.ts";
import { putAddress, writeGrid } from "./libcuda-layout.ts";

/** `CUlaunchConfig`: the grid, then the stream; no attributes. */
const STREAM = 32;
/** The list of parameters, behind it. */
const LIST = 56;
const PARAMETER = 64;
/** Slots begin at multiples of so many bytes. */
const ALIGNMENT = 16;
const CHUNK_BYTES = 64 << 10;

/** Memory of launches: an array buffer of this size lies outside of the collector's memory, and stays where it is. */
export interface Chunk {
  readonly view: DataView;
  /** Of its first byte. */
  readonly address: number;
}

/** A launch in a chunk, which it keeps. */
export interface PreparedLaunch extends GpuLaunch {
  readonly entry: number;
  readonly chunk: Chunk;
  /** Where its slot begins in the chunk. */
  readonly slot: number;
}

/** The chunks of a GPU. Those that no launch uses any more are collected. */
export class LaunchChunks {
  private readonly koffi: Koffi;
  private chunk: Chunk | null = null;
  private used = 0;

  constructor(koffi: Koffi) {
    this.koffi = koffi;
  }

  /** Makes a launch. */
  prepare(entry: Handle, grid: Grid, bytes: number): PreparedLaunch {
    const size = alignUp(PARAMETER + bytes, ALIGNMENT);
    if (this.chunk === null || this.used + size > this.chunk.view.byteLength) this.take(Math.max(CHUNK_BYTES, size));
    const chunk = this.chunk as Chunk;
    const { view, address } = chunk;
    const slot = this.used;
    this.used += size;
    writeGrid(view, slot, grid);
    putAddress(view, slot + LIST, address + slot + PARAMETER);
    const { groups, localSize, dynamicLocal } = grid;
    const parameter = { view, at: slot + PARAMETER, bytes };
    return { kind: "launch", entry: entry as number, groups, localSize, dynamicLocal, parameter, chunk, slot };
  }

  private take(bytes: number): void {
    const buffer = new ArrayBuffer(bytes);
    this.chunk = { view: new DataView(buffer), address: Number(this.koffi.address(buffer)) };
    this.used = 0;
  }
}

/** Says which stream a launch goes to, and gives the address of its configuration. */
export function configurationOf({ chunk: { view, address }, slot }: PreparedLaunch, stream: number): number {
  putAddress(view, slot + STREAM, stream);
  return address + slot;
}

/** The address of the list of a launch's parameters. */
export function parametersOf({ chunk, slot }: PreparedLaunch): number {
  return chunk.address + slot + LIST;
}
