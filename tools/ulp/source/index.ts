// SPDX-License-Identifier: Apache-2.0
/**
 * Measures how exact the math functions are; run tools/ulp/source/main.ts.
 *
 * @packageDocumentation
 */
export { type GpuRecords, readGpuRecords, readLog } from "./gpu-records.ts";
export { type Operands, inputsOf } from "./inputs.ts";
export { type Worst, errorOf, evaluateRow, operandsOf, rowOf, worstOf } from "./measure.ts";
export { type Mpfr, openMpfr } from "./mpfr.ts";
export { FORMATS, type BitArray, type NumberFormat, bitsOf, numberOf, unitAt } from "./number-format.ts";
export { pageOf } from "./page.ts";
export { type Figure, type Records, type UlpRecord, readRecords } from "./records.ts";
export { isSwept, remeasure } from "./rig.ts";
export { type Runner, openMuxkit } from "./runner.ts";
export { SUBJECTS, type Subject } from "./subject.ts";
export { openSweep } from "./sweep.ts";
