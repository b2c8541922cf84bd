// SPDX-License-Identifier: Apache-2.0
// Which operations the flags of floats (contract, nnan …) say something about.
import * as Op from "./generated/op.ts";
import { OPS } from "./op.table.ts";

const FLOAT_OPS = new Set<number>([
  Op.FADD,
  Op.FSUB,
  Op.FMUL,
  Op.FDIV,
  Op.FREM,
  Op.FMIN,
  Op.FMAX,
  Op.FMA,
  Op.FSQRT,
  Op.FNEG,
]);

/** By the number of an op, whether it takes the flags of floats. @public */
export const TAKES_FLOAT_FLAGS: readonly boolean[] = OPS.map((_, op) => FLOAT_OPS.has(op));
