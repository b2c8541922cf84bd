// SPDX-License-Identifier: Apache-2.0
// What becomes of small functions: selected, and with registers. `vitest -u` accepts a change.
import { join } from "node:path";

import { expect, test } from "vitest";

import { allocateRegisters } from "../source/allocate.ts";
import { printMachineFunction } from "../source/print.ts";
import { Selector } from "../source/selector.ts";
import { x64Tier } from "../source/tier.ts";
import { moduleOf } from "./run.ts";

/** Cases of the tier of AVX-512. */
const WIDE: Readonly<Record<string, string>> = {
  // Comparisons under masks, by the opposite predicate too; a block of two floats for each pointer in one scatter.
  masks: `func @f(%p: ptr<global>, %a: <16 x f32>, %b: <16 x f32>, %c: <8 x i32>, %v: <16 x f32>) -> i1 {
^0:
  %m = flt %a, %b: <16 x i1>
  %n = xor %m, splat(1): <16 x i1>
  %k = fge %v, %b: <16 x i1>
  %s = and %k, %n: <16 x i1>
  %q = address %p, %c {scale 8}: <8 x ptr<global>>
  scatter %v, %q, splat(1): <8 x i1> {align 4}
  %r = any %s: i1
  ret %r
}`,
};

const CASES: Readonly<Record<string, string>> = {
  ...WIDE,
  // Folded addresses and loads, a fused comparison, a multiply-add.
  saxpy: `func @f(%x: ptr<global>, %y: ptr<global>, %a: f32, %n: i32) {
^entry:
  %v = splat %a: <8 x f32>
  br ^loop(0: i32)
^loop(%i: i32):
  %p = address %x, %i {scale 4}: ptr<global>
  %q = address %y, %i {scale 4, offset 64}: ptr<global>
  %u = load %p {align 4}: <8 x f32>
  %w = load %q {align 4}: <8 x f32>
  %s = fma %u, %v, %w: <8 x f32>
  %t = fadd %s, %w: <8 x f32>
  store %t, %q {align 4}
  %j = add %i, 8: i32
  %more = slt %j, %n: i1
  cond_br %more, ^loop(%j: i32), ^done
^done:
  ret
}`,
  // Fixed registers: total divisions.
  quotient: `func @f(%a: i32, %b: i32) -> i32 {
^0:
  %q = sdiv %a, %b: i32
  %r = urem %a, %b: i32
  %s = add %q, %r: i32
  ret %s
}`,
  // A number changed where it lies, by an address with an odd factor; negations as forms of products; `andn`.
  place: `func @f(%p: ptr<global>, %i: i32, %a: f64, %b: f64, %c: i32) -> f64 {
^0:
  %q = address %p, %i {scale 12, offset 8}: ptr<global>
  %x = load %q {align 4}: i32
  %y = add %x, 1: i32
  store %y, %q {align 4}
  %m = xor %c, -1: i32
  %k = and %m, %i: i32
  store %k, %p {align 4}
  %n = fneg %a: f64
  %o = fneg %b: f64
  %r = fma %n, %a, %o: f64
  ret %r
}`,
  // A loop with more vectors than registers: those that only pass through it are in memory.
  pressure: `func @f(%p: ptr<global>, %n: i32) {
^entry:
${Array.from({ length: 18 }, (_, i) => `  %p${i} = address %p {offset ${32 * i}}: ptr<global>\n  %v${i} = load %p${i} {align 4, volatile}: <8 x f32>`).join("\n")}
  br ^loop(0: i32, %v0: <8 x f32>)
^loop(%i: i32, %s: <8 x f32>):
  %t = fmul %s, %v1: <8 x f32>
  %j = add %i, 1: i32
  %more = ult %j, %n: i1
  cond_br %more, ^loop(%j: i32, %t: <8 x f32>), ^done
^done:
${Array.from({ length: 18 }, (_, i) => `  %w${i} = fadd %t, %v${i}: <8 x f32>\n  store %w${i}, %p${i} {align 4}`).join("\n")}
  ret
}`,
};

test.each(Object.keys(CASES))("%s", async (name) => {
  const constants: string[] = [];
  const ir = moduleOf(CASES[name] ?? "").functions.get("f");
  if (ir === undefined) throw new Error("no function");
  const context = {
    numberOf: () => 0,
    clobbersOf: () => new Uint8Array(0),
    resultOf: () => undefined,
    constant: (bytes: Uint8Array) => {
      const at = constants.indexOf(bytes.join());
      return at === -1 ? constants.push(bytes.join()) - 1 : at;
    },
  };
  const tier = x64Tier(name in WIDE ? "x64.4" : "x64.3");
  const fn = new Selector(ir, context, tier).run();
  const before = printMachineFunction(fn);
  allocateRegisters(fn, tier.registers);
  await expect(`${before}\n${printMachineFunction(fn)}`).toMatchFileSnapshot(
    join(import.meta.dirname, "golden", `${name}.txt`),
  );
});
