// SPDX-License-Identifier: Apache-2.0
/// <reference lib="dom" />
// Validates the code of a binary before anybody ships it: engines refuse modules beyond their limits, and a defect of
// the compiler must not wait for the first launch elsewhere.
import { InternalError } from "@muxkit/cargo";
import { readExecutable } from "@muxkit/metadata";

/** The code that this package's own device runs. */
const WASM = ".wasm";

/** Why an engine refuses a module; it has been refused. */
function reasonOf(bytes: Uint8Array<ArrayBuffer>): string {
  try {
    // The constructor says why, which `validate` does not.
    void new WebAssembly.Module(bytes);
    return "without a reason";
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^WebAssembly\.Module\(\): /u, "") : String(error);
  }
}

/**
 * What is wrong with the code of a binary, as this process's engine says; null: nothing. Code for features that the
 * engine lacks (`features`: what it has) and code for other devices is not looked at.
 */
export function codeError(binary: Uint8Array, features: readonly string[]): string | null {
  const image = readExecutable(binary);
  if (!image.ok) throw new InternalError(image.error.message, ["clc"]);
  const known = new Set(["simd", "threads", ...features]);
  for (const { name, bytes, features: needed } of image.value.code) {
    if (!name.startsWith(WASM) || !needed.every((feature) => known.has(feature))) continue;
    const own = new Uint8Array(bytes);
    if (!WebAssembly.validate(own)) return `the engine refuses the code in ${name}: ${reasonOf(own)}`;
  }
  return null;
}
