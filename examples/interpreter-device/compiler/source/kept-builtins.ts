// SPDX-License-Identifier: Apache-2.0
// Built-ins that the machine has itself, by name: calls of them are not linked from the library. The runtime half knows
// what they do.

/** The names. `printf` is among them: the machine prints, and needs no records in memory. */
export const KEPT_BUILTINS: ReadonlySet<string> = new Set([
  "printf",
  "native_sin",
  "native_cos",
  "native_exp2",
  "native_log2",
  "sum_of_bytes",
]);
