// SPDX-License-Identifier: Apache-2.0
// `clc --emit spirv`, `spvasm`, `spirv-shader`: the program as its front end makes it, written as SPIR-V; shaders are
// two files for each kernel.
import { InternalError } from "@muxkit/cargo";
import { writeShaders } from "@muxkit/compiler-base";
import type { Module as IrModule } from "@muxkit/ir";
import { describeSpirvError, describeWriterError, disassemble, parseModule, writeSpirv } from "@muxkit/spirv";

import { InputError } from "../command/command.ts";
import type { Kind } from "./kinds.ts";
import type { Output } from "./outputs.ts";

/** Kinds that are SPIR-V. */
const OF_SPIRV = ["spirv", "spvasm", "spirv-shader"] as const;

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

function shaderOutputs(file: string, program: IrModule, lines: boolean): readonly Output[] {
  const written = writeShaders(program, { lines });
  if (!written.ok) throw new InputError(`${file}: as a shader: ${describeWriterError(written.error)}`);
  return [...written.value].flatMap(([kernel, { binary, bindings }]) => [
    { suffix: `.${kernel}.spv`, content: binary },
    { suffix: `.${kernel}.json`, content: `${JSON.stringify(bindings, null, 2)}\n` },
  ]);
}

function kernelOutputs(
  file: string,
  program: IrModule,
  kinds: readonly ("spirv" | "spvasm")[],
  lines: boolean,
): readonly Output[] {
  if (kinds.length === 0) return [];
  const written = writeSpirv(program, { lines });
  if (!written.ok) throw new InputError(`${file}: as SPIR-V: ${describeWriterError(written.error)}`);
  return kinds.map((kind) =>
    kind === "spirv"
      ? { suffix: ".spv", content: written.value }
      : { suffix: ".spvasm", content: assembly(written.value) },
  );
}

/** What is written of a program. Throws InputError for what SPIR-V cannot express. */
export function spirvOutputs(
  file: string,
  program: IrModule,
  kinds: readonly Kind[],
  lines: boolean,
): readonly Output[] {
  const own = kinds.filter((kind) => kind === "spirv" || kind === "spvasm");
  return [
    ...kernelOutputs(file, program, own, lines),
    ...(kinds.includes("spirv-shader") ? shaderOutputs(file, program, lines) : []),
  ];
}
