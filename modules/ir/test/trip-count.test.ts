// SPDX-License-Identifier: Apache-2.0
// Which loops end for sure: by a counter that goes up or down by one to a bound that stays.
import { isCountedLoop, loops, parseModule } from "@muxkit/ir";
import { expect, test } from "vitest";

/** A loop with an induction variable `%i`: its step to `%j`, and its exit test. */
function loopOf(next: string, condition: string): Parameters<typeof isCountedLoop>[0] {
  const parsed = parseModule(`module "m" pointers 4 4 4 4 4 size_t 32
func @f(%n: i32, %s: i32) {
^entry:
  br ^loop(%s: i32)
^loop(%i: i32):
  %j = ${next}: i32
  %inner = mul %i, %n: i32
  %c = ${condition}: i1
  cond_br %c, ^loop(%j: i32), ^out
^out:
  ret
}`);
  if (!parsed.ok) throw new Error(`${parsed.error.line}: ${parsed.error.message}`);
  const fn = parsed.value.functions.get("f");
  const [loop] = fn === undefined ? [] : loops(fn).loops;
  if (loop === undefined) throw new Error("there is a loop");
  return loop;
}

test.each([
  ["add %i, 1", "ult %j, %n"],
  ["add %i, 1", "slt %i, %n"],
  ["add %i, 1", "ne %j, %n"],
  ["add %i, 1", "ult %j, 100: i32"],
  ["add %i, -1", "sgt %j, %n"],
  ["add %i, -1", "ugt %i, 7: i32"],
  ["add %i, -1", "ne %j, 0: i32"],
])("%s while %s ends", (next, condition) => {
  expect(isCountedLoop(loopOf(next, condition))).toBe(true);
});

test.each([
  // The greatest number is less than or equal to itself, and so is every other.
  ["add %i, 1", "ule %j, %n"],
  ["add %i, 1", "sle %j, %n"],
  // Steps may pass over the bound and around.
  ["add %i, 2", "ne %j, %n"],
  ["add %i, 3", "ult %j, %n"],
  // The step goes away from the bound.
  ["add %i, 1", "ugt %j, %n"],
  ["add %i, -1", "slt %j, %n"],
  // The bound moves, or nothing is counted.
  ["add %i, 1", "ult %j, %inner"],
  ["add %s, 1", "ult %j, %n"],
  ["mul %i, 3", "ne %j, %n"],
  ["add %i, %n", "ne %j, %n"],
])("%s while %s may not end", (next, condition) => {
  expect(isCountedLoop(loopOf(next, condition))).toBe(false);
});
