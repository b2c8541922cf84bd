// SPDX-License-Identifier: Apache-2.0
// Which operations the estimated cost comes from.
import { GLOBAL, type IrFunction, Op, PRIVATE, parseModule } from "@muxkit/ir";
import { type Costs, costsOf } from "@muxkit/vecz";
import { WASM_MACHINE } from "@muxkit/wasm";
import { expect, test } from "vitest";

function functionOf(text: string): IrFunction {
  const result = parseModule(`module "m" pointers 4 4 4 4 4 size_t 32\n${text}`);
  if (!result.ok) throw new Error(`${result.error.line}: ${result.error.message}`);
  const fn = result.value.functions.get("f");
  if (fn === undefined) throw new Error("the module has a function @f");
  return fn;
}

const names = ({ operations }: Costs): readonly string[] =>
  operations.dearest().map(({ op, space }) => `${op === null ? "spills" : String(op)} ${String(space)}`);

test("costs are summed by operation and by memory, the dearest first", () => {
  const costs = costsOf(
    functionOf(`func @f(%p: ptr<global>, %q: ptr<private>, %i: <8 x i32>, %m: <8 x i1>) -> <8 x f32> {
^e:
  %a = address %p, %i {scale 4}: <8 x ptr<global>>
  %v = gather %a, %m {align 4}: <8 x f32>
  %w = gather %a, %m {align 4}: <8 x f32>
  %b = address %q, %i {scale 4}: <8 x ptr<private>>
  %x = gather %b, %m {align 4}: <8 x f32>
  %y = fadd %v, %w: <8 x f32>
  %z = fadd %x, %y: <8 x f32>
  ret %z
}
`),
    WASM_MACHINE,
  );
  expect(names(costs).slice(0, 2)).toEqual([`${Op.GATHER} ${GLOBAL}`, `${Op.GATHER} ${PRIVATE}`]);
  const [global, local] = costs.operations.dearest();
  expect(global?.cost).toBe(2 * (local?.cost ?? 0));
  expect(costs.operations.dearest().reduce((sum, { cost }) => sum + cost, 0)).toBeLessThanOrEqual(costs.all);
  expect(costs.spilled).toBe(0);
});

/** Two lanes count in local memory; what is then done with the results. */
const lanesCounting = (rest: string): string => `func @f(%p: <2 x ptr<local>>) -> i32 {
^e:
  %a = extract %p, 0: i32: ptr<local>
  %x = atomic_rmw %a, 1 {add, relaxed, device}: i32
  %b = extract %p, 1: i32: ptr<local>
  %y = atomic_rmw %b, 1 {add, relaxed, device}: i32
  %v = build %x, %y: <2 x i32>
${rest}
}
`;

test("results that are handed on to a parameter that nobody reads cost nothing", () => {
  const cost = (handed: string): number =>
    costsOf(functionOf(lanesCounting(`  br ^end(${handed})\n^end(%r: <2 x i32>):\n  ret 0: i32`)), WASM_MACHINE).all;
  expect(cost("%v: <2 x i32>")).toBe(cost("splat(0): <2 x i32>"));
  const used = lanesCounting(
    "  br ^end(%v: <2 x i32>)\n^end(%r: <2 x i32>):\n  %s = extract %r, 0: i32: i32\n  ret %s",
  );
  expect(costsOf(functionOf(used), WASM_MACHINE).all).toBeGreaterThan(cost("%v: <2 x i32>"));
});

test("atomic operations of lanes cost more than those of work-items that run alone", () => {
  const alone = functionOf(`func @f(%p: ptr<local>) {
^e:
  %x = atomic_rmw %p, 1 {add, relaxed, device}: i32
  ret
}
`);
  const lanes = costsOf(functionOf(lanesCounting("  ret 0: i32")), WASM_MACHINE).operations.dearest();
  const [one] = costsOf(alone, WASM_MACHINE).operations.dearest();
  expect(lanes.find(({ op }) => op === Op.ATOMIC_RMW)?.cost).toBe(
    2 * ((one?.cost ?? 0) + WASM_MACHINE.costs.atomicLane),
  );
});

test("spills are one of the kinds, as often as loops run", () => {
  const values = Array.from({ length: 40 }, (_, i) => i);
  const costs = costsOf(
    functionOf(`func @f(%x: <4 x f32>, %n: i32) -> <4 x f32> {
^e:
  br ^loop(0: i32)
^loop(%k: i32):
${values.map((i) => `  %y${i} = fmul %${i === 0 ? "x" : `y${i - 1}`}, %x: <4 x f32>`).join("\n")}
${values.map((i) => `  %z${i} = fadd %y${i}, %${i === 0 ? "x" : `z${i - 1}`}: <4 x f32>`).join("\n")}
  %k1 = add %k, 1: i32
  %more = ult %k1, %n: i1
  cond_br %more, ^loop(%k1: i32), ^end
^end:
  ret %z39
}
`),
    WASM_MACHINE,
  );
  expect(costs.spilled).toBeGreaterThan(0);
  expect(costs.operations.dearest().find(({ op }) => op === null)?.cost).toBe(costs.spilled);
});
