// SPDX-License-Identifier: Apache-2.0
// `clc --emit spirv`, `spvasm`: the program as its front end makes it, written as SPIR-V.
import { InternalError } from "@muxkit/cargo";
import type { Module as IrModule } from "@muxkit/ir";
import { describeSpirvError, describeWriterError, disassemble, parseModule, writeSpirv } from "@muxkit/spirv";

import { InputError } from "../command/command.ts";
import type { Kind } from "./kinds.ts";
import type { Output } from "./outputs.ts";

/** Kinds that are SPIR-V. */
const OF_SPIRV = ["spirv", "spvasm"] as const;

/** True for a kind that is SPIR-V. */
export function isOfSpirv(kind: Kind): kind is (typeof OF_SPIRV)[number] {
  return (OF_SPIRV as readonly Kind[]).includes(kind);
}

function assembly(binary: Uint8Array): string {
  const parsed = parseModule(binary);
  const text = parsed.ok ? disassemble(parsed.value) : parsed;
  if (!text.ok) throw new InternalError(describeSpirvError(text.error), ["clc"]);
  return text.value;
}

/** What is written of a program. Throws InputError for what SPIR-V cannot express. */
export function spirvOutputs(
  file: string,
  program: IrModule,
  kinds: readonly Kind[],
  lines: boolean,
): readonly Output[] {
  const wanted = kinds.filter(isOfSpirv);
  if (wanted.length === 0) return [];
  const written = writeSpirv(program, { lines });
  if (!written.ok) throw new InputError(`${file}: SPIR-V: ${describeWriterError(written.error)}`);
  return wanted.map((kind) =>
    kind === "spirv"
      ? { suffix: ".spv", content: written.value }
      : { suffix: ".spvasm", content: assembly(written.value) },
  );
}
