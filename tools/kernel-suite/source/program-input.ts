// SPDX-License-Identifier: Apache-2.0
// What a program of the suite is built from: its OpenCL C, or SPIR-V of it where the environment asks for that. A
// program that our own front end refuses is none: tests of its errors get these, whatever other tools say.
import { type ProgramInput, openclC } from "@muxkit/compiler";

import { writtenSpirv } from "./own-spirv.ts";
import { type Producer, ProducerRefusal, compileToSpirv, producerOf } from "./spirv-producer.ts";

const asked = process.env["MUXKIT_SUITE_SPIRV"];
const isOwn = asked === "own";
const bitcode = producerOf(process.env["MUXKIT_SUITE_SPIR"]);
const inherited = bitcode !== null ? { ...bitcode, isBitcode: true } : isOwn ? null : producerOf(asked);

/** What programs are built by, and what happens to one that a tool refuses. */
const way: { producer: Producer | null; refused: (refusal: ProducerRefusal) => void } = {
  producer: inherited,
  refused: () => undefined,
};

/** Sets by which tools programs become SPIR-V; null: they are compiled as OpenCL C. @public */
export function setProducer(producer: Producer | null): void {
  way.producer = producer;
}

/** Sets what is called before the refusal of a tool is thrown. @public */
export function onRefusal(refused: (refusal: ProducerRefusal) => void): void {
  way.refused = refused;
}

/**
 * The input of a build of a program with these options. `isRefused`: whether it can be built as OpenCL C is asked where
 * a tool refuses it.
 */
export function programInput(
  source: string,
  options: string,
  isRefused: (input: ProgramInput) => boolean,
): ProgramInput {
  const { producer } = way;
  if (!isOwn && producer === null) return openclC(source);
  try {
    if (isOwn || producer === null) return { kind: "spirv", source: writtenSpirv(source, options) };
    const kind = producer.isBitcode === true ? "spir" : "spirv";
    return { kind, source: compileToSpirv(source, options, producer) };
  } catch (error) {
    if (!(error instanceof ProducerRefusal)) throw error;
    const direct = openclC(source);
    if (isRefused(direct)) return direct;
    way.refused(error);
    throw error;
  }
}
