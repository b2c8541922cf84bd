// SPDX-License-Identifier: Apache-2.0
// Copies and fills of boxes through a HalDevice, which has calls for contiguous bytes only.
import { type Box, type BoxSize, forEachRow } from "./boxes.ts";
import type { HalDevice } from "./hal.ts";

/** Copies a box from the device. */
export function readDeviceBox(hal: HalDevice, from: Box, array: Uint8Array, to: Box, size: BoxSize): void {
  forEachRow(size, from, to, (address, at, bytes) => {
    hal.read(address, array.subarray(at, at + bytes));
  });
}

/** Copies a box to the device. */
export function writeDeviceBox(hal: HalDevice, to: Box, array: Uint8Array, from: Box, size: BoxSize): void {
  forEachRow(size, to, from, (address, at, bytes) => {
    hal.write(address, array.subarray(at, at + bytes));
  });
}

/** Copies bytes within the device. */
export function copyDeviceBytes(hal: HalDevice, from: number, to: number, size: number): void {
  if (hal.copy !== undefined) {
    hal.copy(from, to, size);
    return;
  }
  const bytes = new Uint8Array(size);
  hal.read(from, bytes);
  hal.write(to, bytes);
}

/** Copies a box within the device. */
export function copyDeviceBox(hal: HalDevice, from: Box, to: Box, size: BoxSize): void {
  forEachRow(size, from, to, (source, target, bytes) => {
    copyDeviceBytes(hal, source, target, bytes);
  });
}

/** Fills bytes of the device with a pattern. */
export function fillDeviceBytes(hal: HalDevice, address: number, size: number, pattern: Uint8Array): void {
  if (hal.fill !== undefined) {
    hal.fill(address, size, pattern);
    return;
  }
  hal.write(
    address,
    Uint8Array.from({ length: size }, (_, i) => pattern[i % pattern.length] ?? 0),
  );
}

/** Fills a box. */
export function fillDeviceBox(hal: HalDevice, box: Box, size: BoxSize, pattern: Uint8Array): void {
  forEachRow(size, box, box, (address, _, bytes) => {
    fillDeviceBytes(hal, address, bytes, pattern);
  });
}
