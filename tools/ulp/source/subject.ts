// SPDX-License-Identifier: Apache-2.0
// The subject of a measurement: a function in a type, as a kernel calls it.
import { MATH_FUNCTIONS, type MathType } from "@muxkit/abacus";

import { FORMATS, type NumberFormat } from "./number-format.ts";

/** A function in one type, built with options. */
export interface Subject {
  /** As a kernel calls it: `sin`, `native_sin`. */
  readonly name: string;
  /** The mathematical function that it computes. */
  readonly base: string;
  /** One letter a parameter: `x` a number, `n` an int. */
  readonly parameters: string;
  readonly format: NumberFormat;
  /** Options of the build. */
  readonly options: string;
  /** Units in the last place; null: implementation-defined. */
  readonly limit: number | null;
  /** Its name in files and on the command line. */
  readonly key: string;
  /** Numbers of larger magnitude are outside the guaranteed range. */
  readonly largest: number;
  /** False: infinities and NaN are not compared, on either side. */
  readonly hasSpecials: boolean;
  /** True: only normal operands and results count. */
  readonly isRough: boolean;
}

/** Types in the order of the page. */
const TYPES: readonly MathType[] = ["float", "double", "half"];
/** Functions of floats that have a `native_` and a `half_` variant. */
const SHORT_FORMS: Readonly<Record<string, string>> = {
  cos: "x",
  exp: "x",
  exp2: "x",
  exp10: "x",
  log: "x",
  log2: "x",
  log10: "x",
  recip: "x",
  rsqrt: "x",
  sin: "x",
  sqrt: "x",
  tan: "x",
  divide: "xx",
  powr: "xx",
};
/** Units that `half_` functions may be off. */
const HALF_LIMIT = 8192;
/** Angles that `half_` functions take. */
const HALF_ANGLE = 2 ** 16;
/** Angles that `native_` functions are measured over. */
const NATIVE_ANGLE = 1000;
const ANGULAR: ReadonlySet<string> = new Set(["sin", "cos", "tan"]);

const whole = MATH_FUNCTIONS.flatMap(({ name, parameters, limits }) =>
  TYPES.map((type): Subject => ({
    name,
    base: name,
    parameters,
    format: FORMATS[type],
    options: "",
    limit: limits[type],
    key: `${name} ${type}`,
    largest: Infinity,
    hasSpecials: true,
    isRough: false,
  })),
);

const short = Object.entries(SHORT_FORMS).flatMap(([base, parameters]) =>
  ["half", "native"].map((prefix): Subject => {
    const isHalf = prefix === "half";
    return {
      name: `${prefix}_${base}`,
      base,
      parameters,
      format: FORMATS.float,
      options: "",
      limit: isHalf ? HALF_LIMIT : null,
      key: `${prefix}_${base} float`,
      largest: ANGULAR.has(base) ? (isHalf ? HALF_ANGLE : NATIVE_ANGLE) : Infinity,
      hasSpecials: isHalf,
      isRough: !isHalf,
    };
  }),
);

/**
 * Functions as `-cl-fast-relaxed-math` leaves them: their limits are wider than those of the full profile, which are
 * the requested subjects.
 */
const relaxed = MATH_FUNCTIONS.filter(({ limits, parameters }) => limits.float !== 0 && parameters === "x").map(
  ({ name, parameters, limits }): Subject => ({
    name,
    base: name,
    parameters,
    format: FORMATS.float,
    options: "-cl-fast-relaxed-math",
    limit: limits.float,
    key: `${name} relaxed`,
    largest: Infinity,
    hasSpecials: false,
    isRough: false,
  }),
);

/** Everything that is measured. */
export const SUBJECTS: readonly Subject[] = [...whole, ...short, ...relaxed];

/** True: there are so few numbers that all are measured. */
export function isListed({ format, parameters }: Subject): boolean {
  return parameters === "x" && format.bits === 16;
}

/** The kernel `k` that computes a subject: results, then operands. */
export function kernelSource({ name, parameters, format: { type } }: Subject): string {
  const letters = parameters.split("").map((letter, i) => ({ letter, variable: `p${i}` }));
  const pointers = letters.map(({ letter, variable }) => `global const ${letter === "n" ? "int" : type}* ${variable}`);
  const extension = type === "half" ? "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" : "";
  return `${extension}kernel void k(global ${type}* r, ${pointers.join(", ")}) { size_t i = get_global_id(0); r[i] = ${name}(${letters.map(({ variable }) => `${variable}[i]`).join(", ")}); }`;
}
