// SPDX-License-Identifier: Apache-2.0
// Which executables need no verification of their machine code, because it was verified before: where a compiler of
// this process made it, or where a process of the same user did that has kept it since. The mark is of an array in
// memory. It does not travel with bytes that a program stores somewhere and reads again, and a copy has none; an array
// that somebody changes is refused by the checksum that executables have.

/** Arrays that were marked, and whether that holds: asked when it first matters. */
const marks = new WeakMap<Uint8Array, () => boolean>();

/**
 * Says that the machine code of an executable was verified. `holds` is asked once, when it matters first; absent: it
 * does.
 *
 * @public
 */
export function markVerifiedCode(executable: Uint8Array, holds: () => boolean = () => true): void {
  let known: boolean | null = null;
  marks.set(executable, () => (known ??= holds()));
}

/** Whether the machine code of an executable was verified. @public */
export function isVerifiedCode(executable: Uint8Array): boolean {
  return marks.get(executable)?.() === true;
}
