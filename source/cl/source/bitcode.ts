// SPDX-License-Identifier: Apache-2.0
// Programs of SPIR 1.2 among binaries: LLVM bitcode, plain or in its wrapper.

const MAGIC = 0xdec04342;
const WRAPPER = 0x0b17c0de;

/** True for LLVM bitcode. */
export function isBitcode(bytes: Uint8Array): boolean {
  if (bytes.length < 4) return false;
  const first = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  return first === MAGIC || first === WRAPPER;
}
