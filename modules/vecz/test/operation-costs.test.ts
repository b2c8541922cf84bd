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

/** A loop of several blocks through which so many vectors are live; all are added up in the first. */
function loopOfBlocks(blocks: number, live: number): IrFunction {
  const values = Array.from({ length: live }, (_, i) => i);
  return functionOf(`func @f(%x: <4 x f32>, %n: i32) -> <4 x f32> {
^e:
${values.map((i) => `  %v${i} = fmul %${i === 0 ? "x" : `v${i - 1}`}, %x: <4 x f32>`).join("\n")}
  br ^b0(0: i32, %x: <4 x f32>)
^b0(%k: i32, %s: <4 x f32>):
${values.map((i) => `  %s${i} = fadd %${i === 0 ? "s" : `s${i - 1}`}, %v${i}: <4 x f32>`).join("\n")}
${Array.from({ length: blocks - 1 }, (_, i) => `  br ^b${i + 1}\n^b${i + 1}:`).join("\n")}
  %k1 = add %k, 1: i32
  %more = ult %k1, %n: i1
  cond_br %more, ^b0(%k1: i32, %s${live - 1}: <4 x f32>), ^end
^end:
  ret %s${live - 1}
}
`);
}

test("what finds no register is spilled once an iteration, however many blocks it is live through", () => {
  const one = costsOf(loopOfBlocks(1, 40), WASM_MACHINE).spilled;
  expect(one).toBeGreaterThan(0);
  expect(costsOf(loopOfBlocks(4, 40), WASM_MACHINE).spilled).toBe(one);
});

/** A loop that is left by this condition. */
const loopLeftBy = (condition: string): number =>
  costsOf(
    functionOf(`func @f(%x: <4 x f32>, %y: f32) -> <4 x f32> {
^e:
  br ^loop(%x: <4 x f32>)
^loop(%s: <4 x f32>):
  %t = fmul %s, %x: <4 x f32>
${condition}
  cond_br %more, ^loop(%t: <4 x f32>), ^end
^end:
  ret %t
}
`),
    WASM_MACHINE,
  ).all;

test("a loop that lanes leave one by one runs longer than one that they leave together", () => {
  const last = loopLeftBy("  %m = flt %t, %x: <4 x i1>\n  %more = any %m: i1");
  const together = loopLeftBy("  %m = flt %t, %x: <4 x i1>\n  %any = any %m: i1\n  %more = and %any, 1: i1");
  expect(last).toBeGreaterThan(together);
});
