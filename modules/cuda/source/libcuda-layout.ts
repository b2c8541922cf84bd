// SPDX-License-Identifier: Apache-2.0
// Structures of the driver's interface, written as bytes: cuda.h describes them.
import type { GpuCopy, GpuSet, Grid } from "./driver.ts";

/** Writes a number of 64 bits. */
export function putAddress(view: DataView, at: number, value: number): void {
  view.setUint32(at, value % 2 ** 32, true);
  view.setUint32(at + 4, Math.floor(value / 2 ** 32), true);
}

/** A number of 64 bits. */
export function getAddress(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
}

/** Bytes of `CUDA_MEMCPY3D`. */
export const COPY_BYTES = 200;
/** Where both sides begin in it, and the fields of a side. */
const SIDES = { from: 0, to: 88 } as const;
const MEMORY_TYPE = 32;
const DEVICE_ADDRESS = 48;
const PITCH = { from: 72, to: 160 } as const;
const WIDTH = 176;
/** `CU_MEMORYTYPE_DEVICE`, and what the driver tells by the address. */
const DEVICE = 2;
const UNIFIED = 4;

/** Writes `CUDA_MEMCPY3D`; `onDevice`: both addresses are of the GPU's memory. */
export function writeCopy(view: DataView, at: number, copy: GpuCopy, onDevice: boolean): void {
  new Uint8Array(view.buffer, view.byteOffset + at, COPY_BYTES).fill(0);
  const put = (side: "from" | "to", address: number, row: number, slice: number): void => {
    view.setUint32(at + SIDES[side] + MEMORY_TYPE, onDevice ? DEVICE : UNIFIED, true);
    putAddress(view, at + SIDES[side] + DEVICE_ADDRESS, address);
    putAddress(view, at + PITCH[side], row);
    putAddress(view, at + PITCH[side] + 8, row === 0 ? 0 : Math.floor(slice / row));
  };
  put("from", copy.from, copy.fromRow, copy.fromSlice);
  put("to", copy.to, copy.toRow, copy.toSlice);
  putAddress(view, at + WIDTH, copy.bytes);
  putAddress(view, at + WIDTH + 8, copy.rows);
  putAddress(view, at + WIDTH + 16, copy.slices);
}

/** Bytes of `CUDA_MEMSET_NODE_PARAMS`. */
export const SET_BYTES = 40;

/** Writes `CUDA_MEMSET_NODE_PARAMS`. */
export function writeSet(view: DataView, at: number, { address, pitch, value, unit, width, rows }: GpuSet): void {
  putAddress(view, at, address);
  putAddress(view, at + 8, rows === 1 ? 0 : pitch);
  view.setUint32(at + 16, value, true);
  view.setUint32(at + 20, unit, true);
  putAddress(view, at + 24, width);
  putAddress(view, at + 32, rows);
}

/** Writes what several structures have: sizes of the grid and of a block, and bytes of shared memory. */
export function writeGrid(view: DataView, at: number, { groups, localSize, dynamicLocal }: Grid): void {
  for (let axis = 0; axis < 3; axis++) {
    view.setUint32(at + 4 * axis, groups[axis] as number, true);
    view.setUint32(at + 12 + 4 * axis, localSize[axis] as number, true);
  }
  view.setUint32(at + 24, dynamicLocal, true);
}

/** Bytes of `CUDA_KERNEL_NODE_PARAMS`. */
export const KERNEL_BYTES = 56;

/** Writes `CUDA_KERNEL_NODE_PARAMS`; `parameters` is the address of the list of parameters. */
export function writeKernel(view: DataView, at: number, entry: number, grid: Grid, parameters: number): void {
  putAddress(view, at, entry);
  writeGrid(view, at + 8, grid);
  putAddress(view, at + 40, parameters);
  putAddress(view, at + 48, 0);
}
