// SPDX-License-Identifier: Apache-2.0
// Atomic operations that one thread has to itself become plain ones; those between threads stay.
import { checkRunLines } from "@muxkit/interpreter";
import { type IrFunction, Op, parseModule, printModule, verifyModule } from "@muxkit/ir";
import { expect, test } from "vitest";

import { lowerLocalAtomics } from "../source/passes/lower-local-atomics.ts";

const TEXT = `module "m" pointers 4 4 4 4 4 size_t 32
; run: %ints(5, 7) == 5007
; run: %floats(2.5, 1.0) == 1.0
; run: %same() == 8
func @ints(%a: i32, %b: i32) -> i32 {
^0:
  %p = alloca {i32, align 4}: ptr<private>
  atomic_store %a, %p {release, device}
  %old = atomic_rmw %p, %b {exchange, acq_rel, device}: i32
  %least = atomic_rmw %p, -3 {smin, seq_cst, device}: i32
  %great = atomic_rmw %p, %b {umax, relaxed, work_group}: i32
  fence {acq_rel, work_group}
  %seen = atomic_rmw %p, 0 {and, seq_cst, system}: i32
  %now = atomic_load %p {acquire, device}: i32
  %high = mul %old, 1000: i32
  %mixed = add %high, %least: i32
  %zero = add %now, 0: i32
  %result = add %mixed, %zero: i32
  ret %result
}
func @floats(%a: f64, %b: f64) -> f64 {
^0:
  %p = alloca {f64, align 8}: ptr<private>
  atomic_store %a, %p {seq_cst, device}
  %no = atomic_compare_exchange %p, %b, 9.0 {seq_cst, device}: f64
  %yes = atomic_compare_exchange %p, %a, %b {seq_cst, device}: f64
  fence {seq_cst, device}
  %now = atomic_load %p {seq_cst, device}: f64
  ret %now
}
func @same() -> i32 {
^0:
  %p = alloca {i32, align 4}: ptr<private>
  %g = addrspacecast %p: ptr<generic>
  %a = atomic_rmw %g, 8 {add, relaxed, device}: i32
  %b = atomic_load %g {relaxed, device}: i32
  ret %b
}
`;

const ATOMIC: ReadonlySet<number> = new Set([
  Op.ATOMIC_LOAD,
  Op.ATOMIC_STORE,
  Op.ATOMIC_RMW,
  Op.ATOMIC_COMPARE_EXCHANGE,
  Op.FENCE,
]);

function atomics(fn: IrFunction | undefined): number {
  return (fn?.blocks ?? []).flatMap(({ instructions }) => instructions).filter(({ op }) => ATOMIC.has(op)).length;
}

test("private and local atomics become plain and give the same; generic ones and fences of the device stay", () => {
  const parsed = parseModule(TEXT);
  if (!parsed.ok) throw new Error(`${parsed.error.line}: ${parsed.error.message}`);
  const module = parsed.value;
  expect(checkRunLines(module, TEXT)).toEqual({ ok: true, value: [] });
  lowerLocalAtomics(module);
  expect(verifyModule(module)).toEqual([]);
  expect(checkRunLines(module, TEXT), printModule(module)).toEqual({ ok: true, value: [] });
  expect(["ints", "floats", "same"].map((name) => atomics(module.functions.get(name)))).toEqual([0, 1, 2]);
});
