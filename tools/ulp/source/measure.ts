// SPDX-License-Identifier: Apache-2.0
// How far results are from the truth: one by one against MPFR.
import type { Mpfr } from "./mpfr.ts";
import { type BitArray, FORMATS, type NumberFormat, bitsOf, hexOf, numberOf, unitAt } from "./number-format.ts";
import type { Operands } from "./inputs.ts";
import type { Subject } from "./subject.ts";

/** The largest error that was seen, and where. */
export interface Worst {
  /** Units in the last place; infinite: a special value is wrong. */
  readonly ulp: number;
  /** The operands: bits of numbers, ints in decimal. */
  readonly at: readonly string[];
}

/** Before anything was seen. */
export const NOTHING: Worst = { ulp: 0, at: [] };

/** Functions that may return either zero where both operands are zeros. */
const ANY_ZERO: ReadonlySet<string> = new Set(["fmax", "fmin", "maxmag", "minmag"]);

/** The neighbour of x towards y. */
function neighbour(format: NumberFormat, x: number, y: number): number {
  if (Number.isNaN(x) || Number.isNaN(y)) return NaN;
  if (x === y) return y;
  if (x === 0) return y > 0 ? numberOf(format, 1n) : -numberOf(format, 1n);
  const isAway = x < y === x > 0;
  return numberOf(format, bitsOf(format, x) + (isAway ? 1n : -1n));
}

/** The error of a result; the reference is in `mpfr`. */
export function errorOf(mpfr: Mpfr, subject: Subject, result: number): number {
  const { format, base, hasSpecials, isRough } = subject;
  const { value } = mpfr;
  if (!hasSpecials && (!Number.isFinite(value) || !Number.isFinite(result))) return 0;
  if (isRough && Math.abs(value) < 2 ** format.least) return 0;
  if (Number.isNaN(value) || Number.isNaN(result)) return Number.isNaN(value) && Number.isNaN(result) ? 0 : Infinity;
  if (!Number.isFinite(value) && result === value) return 0;
  if (mpfr.isInfinite) return Infinity;
  const unit = unitAt(format, value, mpfr.isPower);
  if (!Number.isFinite(result)) {
    // Rounded up to infinity: right where the number after the last one would be nearest.
    const last = 2 ** format.greatest * (2 - 2 ** (1 - format.precision));
    const beyond = mpfr.distance(Math.sign(result) * last, unit);
    if (result > 0 !== value > 0) return Infinity;
    return Math.abs(value) > last && beyond >= 0.5 ? 0 : beyond + 1;
  }
  if (hasSpecials && mpfr.isZero && result === 0 && !Object.is(result, value) && !ANY_ZERO.has(base)) return Infinity;
  return mpfr.distance(result, unit);
}

/** The operands of one row. */
export function rowOf({ parameters, format }: Subject, operands: Operands, row: number): readonly number[] {
  return operands.map((column, i) => {
    const bits = column[row] ?? 0;
    return parameters[i] === "n" ? Number(bits) : numberOf(format, bits);
  });
}

/** The operands of one row as texts. */
export function namesOf({ parameters, format }: Subject, operands: Operands, row: number): readonly string[] {
  return operands.map((column, i) =>
    parameters[i] === "n" ? (column[row] ?? 0).toString() : hexOf(format, column[row] ?? 0),
  );
}

/** Computes the reference for a row. */
export function evaluateRow(mpfr: Mpfr, subject: Subject, values: readonly number[]): void {
  const [x = 0, y = 0] = values;
  if (subject.base === "nextafter") mpfr.take(neighbour(subject.format, x, y));
  else mpfr.evaluate(subject.base, values);
}

/** The worst of a subject's results over some rows. */
export function worstOf(
  mpfr: Mpfr,
  subject: Subject,
  operands: Operands,
  results: BitArray,
  rows: Iterable<number> = results.keys(),
): Worst {
  let worst = NOTHING;
  for (const row of rows) {
    const values = rowOf(subject, operands, row);
    const least = subject.isRough ? 2 ** subject.format.least : 0;
    if (
      values.some(
        (value) =>
          (Math.abs(value) > subject.largest && Number.isFinite(value)) || (Math.abs(value) < least && value !== 0),
      )
    )
      continue;
    // The sign of a NaN is unspecified.
    if (subject.base === "copysign" && Number.isNaN(values[1])) continue;
    evaluateRow(mpfr, subject, values);
    const ulp = errorOf(mpfr, subject, numberOf(subject.format, results[row] ?? 0));
    if (ulp > worst.ulp) worst = { ulp, at: namesOf(subject, operands, row) };
  }
  return worst;
}

/** Columns of operands out of texts, as {@link Worst} has them. */
export function operandsOf({ parameters, format }: Subject, rows: readonly (readonly string[])[]): Operands {
  return parameters.split("").map((letter, i) => {
    const texts = rows.map((row) => row[i] ?? "0");
    if (letter === "n") return Int32Array.from(texts.map(Number));
    if (format.bits === 64) return BigUint64Array.from(texts.map(BigInt));
    return format === FORMATS.float ? Uint32Array.from(texts.map(Number)) : Uint16Array.from(texts.map(Number));
  });
}
