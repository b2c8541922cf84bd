// SPDX-License-Identifier: Apache-2.0
// A lowered module to machine code: what is imported with a wrong rewrite in it. Nothing else of the compiler is, so
// that a hunt begins soon.
import { decodeModule } from "@muxkit/ir";
import { generateX64 } from "@muxkit/x64";
import { writeCodeObject } from "@muxkit/x64-assembler";

/** The code object of a module in its binary form. */
export function machineCode(
  binary: Uint8Array,
  exports: readonly string[],
  results: ReadonlyMap<string, number>,
): Uint8Array {
  const module = decodeModule(binary);
  if (!module.ok) throw new Error(module.error.message);
  return writeCodeObject(generateX64(module.value, { exports, results }));
}
