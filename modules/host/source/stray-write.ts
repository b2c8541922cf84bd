// SPDX-License-Identifier: Apache-2.0
// The failure of launches that wrote to red zones.

/** A launch wrote to red zones: the message says which, and where. */
export class StrayWriteError extends Error {
  override readonly name = "StrayWriteError";
}
