// SPDX-License-Identifier: Apache-2.0
// Properties of calls of built-ins, from the table of built-ins.
import { builtinRows, type BuiltinRow } from "@muxkit/builtin-table";
import { type Instruction, Op } from "@muxkit/ir";

const ROWS = new Map<string, BuiltinRow | null>();

/** The row of the built-in that an instruction calls; null: it calls none, or none that the table knows. */
export function rowOf({ op, symbol }: Instruction): BuiltinRow | null {
  if (op !== Op.CALL_BUILTIN || symbol?.kind !== "builtin") return null;
  const known = ROWS.get(symbol.name);
  if (known !== undefined) return known;
  const [row = null] = builtinRows(symbol.name);
  ROWS.set(symbol.name, row);
  return row;
}

/** True for a call without effects whose result depends only on its operands: a library function without pointers. */
export function isPureCall(instruction: Instruction): boolean {
  const row = rowOf(instruction);
  return (
    row !== null &&
    row.isPure &&
    !row.isConvergent &&
    row.uniformity === "like-inputs" &&
    row.lowering.startsWith("library") &&
    instruction.operands.every(({ type }) => type.kind !== "pointer" && type.kind !== "opaque")
  );
}

/** True for a call of a built-in that no work-item waits in, and that does nothing but compute. */
export function isIndependentCall(instruction: Instruction): boolean {
  const row = rowOf(instruction);
  return row !== null && row.isPure && !row.isConvergent;
}
