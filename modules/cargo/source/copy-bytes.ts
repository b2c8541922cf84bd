// SPDX-License-Identifier: Apache-2.0
// Bytes from array to array, as quickly as the engine can: what transfers, maps and fills are made of.
//
// Into or out of shared memory, `TypedArray.set` and `copyWithin` go word by word, in Node 24 at a third of what the
// machine's own copy does and less. Node's `Buffer.fill` with an array is that copy; an array that is as long as the
// place is copied once.

/** Bytes from which the machine's own copy pays for the view that it needs. */
const LEAST_NATIVE = 2048;

/** Node's buffers; null where there are none, as in browsers. */
const NATIVE: typeof Buffer | null = typeof Buffer === "undefined" ? null : Buffer;

/**
 * Copies all of `source` into `target`, from its byte `start` on. The two must not overlap. Throws RangeError where
 * there is no room.
 *
 * @public
 */
export function copyBytes(target: Uint8Array, start: number, source: Uint8Array): void {
  if (NATIVE === null || source.length < LEAST_NATIVE || start + source.length > target.length)
    target.set(source, start);
  else NATIVE.from(target.buffer, target.byteOffset + start, source.length).fill(source);
}

/** Fills `target` with a pattern again and again; the last one may be cut off. The two must not overlap. @public */
export function fillBytes(target: Uint8Array, pattern: Uint8Array): void {
  if (target.length === 0 || pattern.length === 0) return;
  if (NATIVE !== null && target.length >= LEAST_NATIVE) {
    NATIVE.from(target.buffer, target.byteOffset, target.length).fill(pattern);
    return;
  }
  target.set(pattern.subarray(0, Math.min(pattern.length, target.length)));
  for (let done = pattern.length; done < target.length; done *= 2)
    target.copyWithin(done, 0, Math.min(done, target.length - done));
}
