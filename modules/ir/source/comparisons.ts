// SPDX-License-Identifier: Apache-2.0
// Comparisons that say the same as others.
import * as Op from "./generated/op.ts";

/** The comparison that holds when the other does not. @public */
export const OPPOSITE_COMPARISONS: Readonly<Record<number, number>> = {
  [Op.EQ]: Op.NE,
  [Op.NE]: Op.EQ,
  [Op.SLT]: Op.SGE,
  [Op.SGE]: Op.SLT,
  [Op.SGT]: Op.SLE,
  [Op.SLE]: Op.SGT,
  [Op.ULT]: Op.UGE,
  [Op.UGE]: Op.ULT,
  [Op.UGT]: Op.ULE,
  [Op.ULE]: Op.UGT,
  [Op.FEQ]: Op.FNE,
  [Op.FNE]: Op.FEQ,
};

/** The comparison of ints with its operands exchanged. @public */
export const MIRRORED_COMPARISONS: Readonly<Record<number, number>> = {
  [Op.EQ]: Op.EQ,
  [Op.NE]: Op.NE,
  [Op.SLT]: Op.SGT,
  [Op.SGT]: Op.SLT,
  [Op.SLE]: Op.SGE,
  [Op.SGE]: Op.SLE,
  [Op.ULT]: Op.UGT,
  [Op.UGT]: Op.ULT,
  [Op.ULE]: Op.UGE,
  [Op.UGE]: Op.ULE,
};
