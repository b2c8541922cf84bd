// SPDX-License-Identifier: Apache-2.0
// Figures of outputs and of times.
import { type Scalar, type ScalarArray, halfToFloat } from "@muxkit/cargo";

/** FNV-1a of the bytes, 32 bits, as eight hexadecimal digits. */
export function fnv1a(elements: ScalarArray): string {
  const bytes = new Uint8Array(elements.buffer, elements.byteOffset, elements.byteLength);
  let hash = 0x811c_9dc5;
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x0100_0193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/** Element `i` as a number. */
export function numberAt(type: Scalar, elements: ScalarArray, i: number): number {
  const value = Number(elements[i]);
  return type === "half" ? halfToFloat(value) : value;
}

/** Numbers that JSON has, the others as texts. */
type JsonNumber = number | "nan" | "inf" | "-inf";

/** What a runner reports of an output. */
export interface OutputReport {
  readonly arg: number;
  readonly type: Scalar;
  readonly count: number;
  readonly fnv1a: string;
  readonly min: JsonNumber;
  readonly max: JsonNumber;
  readonly mean: JsonNumber;
  readonly nonfinite: number;
  readonly first: readonly JsonNumber[];
  readonly sample: readonly JsonNumber[];
}

const SAMPLES = 16;

function jsonNumber(value: number): JsonNumber {
  if (Number.isFinite(value)) return value;
  if (Number.isNaN(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

/** Figures of one output. */
export function reportOutput(arg: number, type: Scalar, elements: ScalarArray, first: number): OutputReport {
  let min = Infinity;
  let max = -Infinity;
  let sum = 0;
  let nonfinite = 0;
  for (let i = 0; i < elements.length; i++) {
    const value = numberAt(type, elements, i);
    if (!Number.isFinite(value)) {
      nonfinite++;
      continue;
    }
    if (value < min) min = value;
    if (value > max) max = value;
    sum += value;
  }
  const finite = elements.length - nonfinite;
  const at = (i: number): JsonNumber => jsonNumber(numberAt(type, elements, i));
  return {
    arg,
    type,
    count: elements.length,
    fnv1a: fnv1a(elements),
    min: jsonNumber(min),
    max: jsonNumber(max),
    mean: finite > 0 ? sum / finite : 0,
    nonfinite,
    first: Array.from({ length: Math.min(first, elements.length) }, (_, i) => at(i)),
    sample:
      elements.length < SAMPLES
        ? []
        : Array.from({ length: SAMPLES }, (_, s) => at(Math.floor((s * elements.length) / SAMPLES))),
  };
}

/** The middle of some numbers. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

/** What a runner reports of its times, in ms. */
export interface TimesReport {
  readonly runs: number;
  readonly median_ms: number;
  readonly min_ms: number;
  readonly max_ms: number;
  readonly mean_ms: number;
}

/** Figures of times. */
export function reportTimes(times: readonly number[]): TimesReport {
  return {
    runs: times.length,
    median_ms: median(times),
    min_ms: Math.min(...times),
    max_ms: Math.max(...times),
    mean_ms: times.reduce((sum, time) => sum + time, 0) / times.length,
  };
}
