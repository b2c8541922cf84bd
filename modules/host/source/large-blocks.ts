// SPDX-License-Identifier: Apache-2.0
// Large blocks of devices that may run native code get large pages, which native code asks for. There may be no need to
// open it, so blocks are kept in mind until it is opened, or until opening it is worth their pages.
import type { Result } from "@muxkit/cargo";

import type { NativeDevice } from "./native-device.ts";
import type { NativeMode } from "./native-part.ts";

/** Bytes of large blocks whose small pages take as long to be made as native code to be opened. */
const WORTH_OPENING = 2 ** 25;

/**
 * What a device calls for each large block, and with no bytes when native code was opened. `opened` is null before
 * that.
 */
export function largeBlocks(
  mode: NativeMode,
  open: () => Result<NativeDevice, string>,
  opened: () => Result<NativeDevice, string> | null,
): (address: number, bytes: number) => void {
  const waiting: (readonly [address: number, bytes: number])[] = [];
  let sum = 0;
  return (address, bytes) => {
    if (bytes > 0) waiting.push([address, bytes]);
    sum += bytes;
    if (opened() === null && (mode === "on" || sum >= WORTH_OPENING)) void open();
    const device = opened();
    if (device === null) return;
    for (const [at, size] of waiting.splice(0)) if (device.ok) device.value.adviseLarge(at, size);
  };
}
