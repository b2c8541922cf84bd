// SPDX-License-Identifier: Apache-2.0
// Executables in text: what the bundler has read of one, with its bytes in base64. A page that gets it needs nothing
// that reads executables.
import type { ExecutableImage } from "@muxkit/metadata";

/** An executable as JSON has it. */
export type ProgramText = Omit<ExecutableImage, "code" | "programData" | "extraBlocks"> & {
  readonly code: readonly (Omit<ExecutableImage["code"][number], "bytes"> & { readonly bytes: string })[];
  readonly programData:
    | (Omit<NonNullable<ExecutableImage["programData"]>, "bytes"> & { readonly bytes: string })
    | null;
};

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** The executable. */
export function imageOf({ code, programData, ...rest }: ProgramText): ExecutableImage {
  return {
    ...rest,
    code: code.map((section) => ({ ...section, bytes: bytesOf(section.bytes) })),
    programData: programData === null ? null : { ...programData, bytes: bytesOf(programData.bytes) },
    extraBlocks: [],
  };
}
