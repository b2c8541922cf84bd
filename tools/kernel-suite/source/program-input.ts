// SPDX-License-Identifier: Apache-2.0
// What a program of the suite is built from: its OpenCL C, or SPIR-V of it where the environment asks for that.
import { type ProgramInput, openclC } from "@muxkit/compiler";

import { compileToSpirv, producerOf } from "./spirv-producer.ts";

const producer = producerOf(process.env["MUXKIT_SUITE_SPIRV"]);

/** The input of a build of a program with these options. */
export function programInput(source: string, options: string): ProgramInput {
  if (producer === null) return openclC(source);
  return { kind: "spirv", source: compileToSpirv(source, options, producer) };
}
