// SPDX-License-Identifier: Apache-2.0
/**
 * The table of OpenCL C's built-in functions: signatures and properties, rows only.
 *
 * @packageDocumentation
 */
export {
  BUILTINS,
  builtinNames,
  builtinRows,
  parseFamily,
  registerBuiltins,
  type FamilyMember,
} from "./builtin.table.ts";
export {
  ATOMIC_CONSTANTS,
  MEMORY_ORDERS,
  MEMORY_SCOPES,
  type AtomicOrder,
  type AtomicScope,
} from "./atomic-constants.ts";
export type { BuiltinRow, ShortRow, Uniformity } from "./row.ts";
