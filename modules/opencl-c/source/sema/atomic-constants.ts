// SPDX-License-Identifier: Apache-2.0
// memory_order and memory_scope: their constants, by name and by value (OpenCL C 3.0, 6.15.12).
import type { MemoryOrder, Scope } from "@muxkit/ir";

/** An order that an operation can have. */
export type Order = Exclude<MemoryOrder, "none">;

/** Orders by the value of their constant, as `memory_order_…` gives it. */
export const ORDERS: Readonly<Record<number, Order>> = {
  0: "relaxed",
  2: "acquire",
  3: "release",
  4: "acq_rel",
  5: "seq_cst",
};

/** Scopes by the value of their constant, with the name that OpenCL C gives them. */
export const SCOPES: Readonly<Record<number, readonly [scope: Scope, name: string]>> = {
  0: ["work_item", "work_item"],
  1: ["work_group", "work_group"],
  2: ["device", "device"],
  3: ["system", "all_devices"],
  4: ["sub_group", "sub_group"],
};

/** The constants of `memory_order` and `memory_scope`: name and value. */
export const ATOMIC_CONSTANTS: ReadonlyMap<string, number> = new Map([
  ...Object.entries(ORDERS).map(([value, order]): [string, number] => [`memory_order_${order}`, Number(value)]),
  ...Object.entries(SCOPES).map(([value, [, name]]): [string, number] => [`memory_scope_${name}`, Number(value)]),
  ["memory_scope_all_svm_devices", 3],
]);
