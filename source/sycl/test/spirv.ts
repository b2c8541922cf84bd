// SPDX-License-Identifier: Apache-2.0
// Modules in SPIR-V, assembled of the texts of this folder.
import { readFileSync } from "node:fs";

import { assemble } from "@muxkit/spirv";

/** The bytes of a module. */
export function spirv(name: string): Uint8Array {
  const made = assemble(readFileSync(new URL(`${name}.spvasm`, import.meta.url), "utf8"));
  if (!made.ok) throw new Error(`line ${made.error.line}: ${made.error.message}`);
  return new Uint8Array(made.value.buffer, made.value.byteOffset, made.value.byteLength);
}
