// SPDX-License-Identifier: Apache-2.0
// Where half is a type of memory only: on devices without cl_khr_fp16, and in programs that have not enabled it (OpenCL
// C 6.1.1.1, 9.5).
import { type Span, insertBefore } from "@muxkit/report";

import { type CType, HALF, elementOf } from "./ctype.ts";
import type { Unit } from "./unit.ts";

/** The extension that makes half a type to compute with. */
export const FP16 = "cl_khr_fp16";

const PRAGMA = `#pragma OPENCL EXTENSION ${FP16} : enable\n`;

function isOfDevice({ options }: Unit): boolean {
  return options.extensions.includes(FP16);
}

/**
 * True for what cannot be computed with: scalars until the program enables the extension, vectors where the device does
 * not have it, which is where compilers draw the line.
 */
export function isStorageOnly(unit: Unit, type: CType): boolean {
  return type === HALF ? !unit.isHalfEnabled : elementOf(type) === HALF && !isOfDevice(unit);
}

/**
 * Reports a use of half that needs the extension: once, since one line makes all of them right, or nothing does. True:
 * it has no value that could be gone on with.
 */
export function refuseHalf(unit: Unit, what: string, span: Span): boolean {
  if (isOfDevice(unit)) {
    unit.report("notEnabled", span, [what, FP16], { fix: insertBefore({ file: span.file, start: 0, end: 0 }, PRAGMA) });
    unit.isHalfEnabled = true;
    return false;
  }
  if (!unit.isHalfRefused) unit.report("needsExtension", span, [what, FP16]);
  unit.isHalfRefused = true;
  return true;
}

/**
 * Reports a type that holds halves by value where the extension would be required: in a variable, a parameter, a
 * result.
 */
export function checkHalf(unit: Unit, type: CType, span: Span, what: string): void {
  let inner = type;
  while (inner.kind === "array" && inner.target !== null) inner = inner.target.type;
  if (inner === HALF && !unit.isHalfEnabled) refuseHalf(unit, what, span);
}

/** Heeds `#pragma OPENCL EXTENSION name : behaviour`. */
export function switchHalf(unit: Unit, name: string, behaviour: string): void {
  if (unit.options.library) return;
  if (name === FP16 && (behaviour === "enable" || behaviour === "require")) unit.isHalfEnabled = isOfDevice(unit);
  else if (behaviour === "disable" && (name === FP16 || name === "all")) unit.isHalfEnabled = false;
}
