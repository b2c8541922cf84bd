// SPDX-License-Identifier: Apache-2.0
// memory_order and memory_scope: their constants, by name and by value (OpenCL C 3.0, 6.15.12).

/** An order that an atomic operation can have, as OpenCL C and the IR name it. @public */
export type AtomicOrder = "relaxed" | "acquire" | "release" | "acq_rel" | "seq_cst";

/** A scope: what the IR calls it, and the end of its constant's name in OpenCL C. @public */
export interface AtomicScope {
  /** As the IR names it. */
  readonly scope: "work_item" | "sub_group" | "work_group" | "device" | "system";
  /** As `memory_scope_…` names it. */
  readonly name: string;
}

/** Orders by the value of their constant, as `memory_order_…` defines it. @public */
export const MEMORY_ORDERS: Readonly<Record<number, AtomicOrder>> = {
  0: "relaxed",
  2: "acquire",
  3: "release",
  4: "acq_rel",
  5: "seq_cst",
};

/** Scopes by the value of their constant. @public */
export const MEMORY_SCOPES: Readonly<Record<number, AtomicScope>> = {
  0: { scope: "work_item", name: "work_item" },
  1: { scope: "work_group", name: "work_group" },
  2: { scope: "device", name: "device" },
  3: { scope: "system", name: "all_devices" },
  4: { scope: "sub_group", name: "sub_group" },
};

/** The constants of `memory_order` and `memory_scope`: name and value. @public */
export const ATOMIC_CONSTANTS: ReadonlyMap<string, number> = new Map([
  ...Object.entries(MEMORY_ORDERS).map(([value, order]): [string, number] => [`memory_order_${order}`, Number(value)]),
  ...Object.entries(MEMORY_SCOPES).map(([value, { name }]): [string, number] => [
    `memory_scope_${name}`,
    Number(value),
  ]),
  ["memory_scope_all_svm_devices", 3],
]);
