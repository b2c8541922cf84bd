// SPDX-License-Identifier: Apache-2.0
// The rig: measures subjects one after another.
import { MATH_FUNCTIONS } from "@muxkit/abacus";
import type { Device } from "muxkit";

import { inputsOf } from "./inputs.ts";
import { type Worst, NOTHING, operandsOf, worstOf } from "./measure.ts";
import type { Mpfr } from "./mpfr.ts";
import { type Figure, type UlpRecord, readState, writeState } from "./records.ts";
import type { Runner } from "./runner.ts";
import type { Subject } from "./subject.ts";
import { ALL_FLOATS, openSweep } from "./sweep.ts";

/** A stride that meets every exponent and, in time, every float. */
const STRIDE = 1021;
/** Floats of a sweep that is not over all of them. */
const SWEPT = 1 << 22;
/** Floats between two looks at the clock. */
const STEP = 1 << 25;
/** Tolerance between two measurements of one error. */
const CLOSE = 0.01;

/** The resources of the rig. */
export interface Rig {
  readonly device: Device;
  readonly run: Runner;
  readonly pocl: Runner | null;
  readonly mpfr: Mpfr;
}

/** True: its errors can be measured against its double variant. */
export function isSwept({ format, parameters, base }: Subject): boolean {
  return (
    format.bits === 32 && parameters === "x" && (base === "recip" || MATH_FUNCTIONS.some(({ name }) => name === base))
  );
}

function worse(a: Worst, b: Worst): Worst {
  return b.ulp > a.ulp ? b : a;
}

/** The errors of some inputs, against MPFR. */
export async function remeasure(
  { mpfr }: Pick<Rig, "mpfr">,
  run: Runner,
  subject: Subject,
  rows: readonly (readonly string[])[],
): Promise<Worst> {
  const operands = operandsOf(subject, rows);
  const results = await run(subject, operands);
  if (typeof results === "string") throw new Error(`${subject.key}: ${results}`);
  return worstOf(mpfr, subject, operands, results);
}

/** Inputs of a sweep, as PoCL needs them. */
function sweptInputs(): Uint32Array {
  return Uint32Array.from({ length: SWEPT }, (_, i) => Math.imul(i, STRIDE));
}

async function measureWith(
  rig: Rig,
  run: Runner,
  subject: Subject,
  count: number,
  isOurs: boolean,
): Promise<Figure | string> {
  const operands = inputsOf(subject, count);
  const results = await run(subject, operands);
  if (typeof results === "string") return results;
  let worst = worstOf(rig.mpfr, subject, operands, results);
  let inputs = results.length;
  if (isSwept(subject)) {
    const sweep = openSweep(rig.device, subject);
    const given = isOurs ? undefined : await run(subject, [sweptInputs()]);
    if (typeof given !== "string") {
      const found = await sweep.run(0, STRIDE, SWEPT, given as Uint32Array | undefined);
      inputs += SWEPT;
      if (found.ulp > worst.ulp) worst = worse(worst, await remeasure(rig, run, subject, [found.at]));
    }
    sweep.close();
  }
  return { ...worst, inputs };
}

/**
 * Measures a subject over special, stratified and `count` random inputs. A record over all floats stays while nothing
 * contradicts it.
 */
export async function measure(
  rig: Rig,
  subject: Subject,
  count: number,
  old: UlpRecord | undefined,
): Promise<UlpRecord> {
  let ours = await measureWith(rig, rig.run, subject, count, true);
  if (typeof ours === "string") throw new Error(`${subject.key}: ${ours}`);
  if (old !== undefined && old.ours.inputs > ours.inputs && old.ours.ulp >= ours.ulp) {
    const again = old.ours.at.length === 0 ? NOTHING : await remeasure(rig, rig.run, subject, [old.ours.at]);
    if (Math.abs(again.ulp - old.ours.ulp) < CLOSE || again.ulp === old.ours.ulp) ours = old.ours;
  }
  const theirs = rig.pocl === null ? null : await measureWith(rig, rig.pocl, subject, count, false);
  if (rig.pocl === null) return old?.pocl === undefined ? { ours } : { ours, pocl: old.pocl };
  return { ours, pocl: typeof theirs === "string" ? null : theirs };
}

/**
 * Continues through all floats until `deadline` (ms, of `performance.now`); returns the figure once all are done, null
 * before.
 */
export async function sweepAll(rig: Rig, subject: Subject, deadline: number): Promise<Figure | null> {
  let { next, worst } = readState(subject);
  const sweep = openSweep(rig.device, subject);
  while (next < ALL_FLOATS && performance.now() < deadline) {
    // One after the other: they share the device.
    // eslint-disable-next-line no-await-in-loop
    worst = worse(worst, await sweep.run(next, 1, Math.min(STEP, ALL_FLOATS - next)));
    next += STEP;
    writeState(subject, { next, worst });
  }
  sweep.close();
  if (next < ALL_FLOATS) return null;
  writeState(subject, null);
  return { ...worst, inputs: ALL_FLOATS };
}
