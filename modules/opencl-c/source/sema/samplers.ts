// SPDX-License-Identifier: Apache-2.0
// Samplers that a program makes: values that there are, and reads that they go with (OpenCL C 6.12.14).
import type { Constant } from "@muxkit/ir";
import type { Span } from "@muxkit/report";

import { samplerBits } from "./convert.ts";
import { isIntegral } from "./ctype.ts";
import type { Operand, Unit } from "./unit.ts";

const NORMALIZED = 1;
const ADDRESSING = 0xe;
const FILTERS = 0x30;
const LINEAR = 0x20;
/** The addressing modes by their bits. */
const MODES: ReadonlyMap<number, string> = new Map([
  [0, "CLK_ADDRESS_NONE"],
  [2, "CLK_ADDRESS_CLAMP_TO_EDGE"],
  [4, "CLK_ADDRESS_CLAMP"],
  [6, "CLK_ADDRESS_REPEAT"],
  [8, "CLK_ADDRESS_MIRRORED_REPEAT"],
]);

/** The mode of a sampler that brings coordinates back into the image by repeating it; null: it does not. */
function repetition(bits: number): string | null {
  return (bits & ADDRESSING) >= 6 ? (MODES.get(bits & ADDRESSING) ?? null) : null;
}

/** Reports a sampler constant that no flags produce, and one whose flags contradict each other. */
export function checkSamplerValue(unit: Unit, { low: bits }: Constant, span: Span): void {
  if (
    (bits & ~(NORMALIZED | ADDRESSING | FILTERS)) !== 0 ||
    !MODES.has(bits & ADDRESSING) ||
    (bits & FILTERS) === FILTERS
  ) {
    unit.report("samplerValue", span, [bits]);
    return;
  }
  const repeats = repetition(bits);
  if (repeats !== null && (bits & NORMALIZED) === 0) unit.warn("samplerRepeats", span, [repeats]);
}

/** The word of a sampler that makes a read undefined; null: there is none. */
function wrongWord(bits: number, isWhole: boolean, readsInts: boolean): string | null {
  if ((bits & LINEAR) !== 0 && (isWhole || readsInts)) return "CLK_FILTER_LINEAR";
  if (!isWhole) return null;
  return (bits & NORMALIZED) === 0 ? null : "CLK_NORMALIZED_COORDS_TRUE";
}

/** Warns of a read through a sampler that is known and does not go with it. */
export function checkSamplerUse(unit: Unit, name: string, given: readonly Operand[], span: Span): void {
  const [, sampler, coordinates] = given;
  const bits = sampler === undefined || coordinates === undefined ? null : samplerBits(sampler);
  if (bits === null || coordinates === undefined) return;
  const isWhole = isIntegral(coordinates.type);
  const readsInts = name === "read_imagei" || name === "read_imageui";
  const word = wrongWord(bits.low, isWhole, readsInts);
  if (word !== null) unit.warn("samplerUse", span, [isWhole ? `${name} at whole coordinates` : name, word]);
}
