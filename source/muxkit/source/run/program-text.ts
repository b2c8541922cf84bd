// SPDX-License-Identifier: Apache-2.0
// Executables as text, for muxkit/run: what bundlers write. `program.ts` has the way back.
import type { ExecutableImage } from "@muxkit/metadata";

import type { ProgramText } from "./program.ts";

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

/** An executable as text, without what no launch needs. */
export function textOf({ code, programData, kernels, printfCalls, target, features }: ExecutableImage): ProgramText {
  return {
    target,
    features,
    kernels,
    printfCalls,
    code: code.map((section) => ({ ...section, bytes: base64(section.bytes) })),
    programData: programData === null ? null : { ...programData, bytes: base64(programData.bytes) },
  };
}
