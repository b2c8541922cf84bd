// SPDX-License-Identifier: Apache-2.0
// Kernels that are imported as a module run on a device that no compiler is loaded for.
import { openDevice } from "muxkit/runtime";

import { scale } from "./scale.cl";

/** What the imported kernel makes of numbers. */
export async function scaled(numbers, by) {
  const device = await openDevice();
  const out = device.array(Float32Array, numbers.length);
  scale(numbers.length, out, device.array(numbers), by);
  const result = await out.read();
  device.close();
  return result;
}
