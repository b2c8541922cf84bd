// SPDX-License-Identifier: Apache-2.0
// What the loops over work-items do once: the input of the code generator, examined through the loops of its
// accesses.
import { buildProgram, openclC } from "@muxkit/compiler";
import { hostModule } from "@muxkit/host-compiler";
import { type Instruction, type IrFunction, type Module, Op, loops } from "@muxkit/ir";
import { expect, test } from "vitest";

/** A kernel `k` as it is passed to the code generator. */
function lowered(source: string): IrFunction {
  const seen: Module[] = [];
  const module = hostModule({ request: { verifyEach: true, lowered: (made) => seen.push(made) } });
  expect(buildProgram(module, openclC(source)).ok, module.log).toBe(true);
  expect(module.createBinary().ok, module.log).toBe(true);
  const fn = seen[0]?.functions.get("k");
  if (fn === undefined) throw new Error("there is no code for k");
  return fn;
}

/** How many loops are around the accesses of a line of the program, each once. */
function depths(fn: IrFunction, line: number, op: number): readonly number[] {
  const { innermost } = loops(fn);
  const depthOf = ({ block }: Instruction): number => {
    let depth = 0;
    for (let loop = block === null ? null : (innermost.get(block) ?? null); loop !== null; loop = loop.parent) depth++;
    return depth;
  };
  const wanted = fn.blocks.flatMap(({ instructions }) =>
    instructions.filter((one) => one.op === op && one.location?.line === line),
  );
  return [...new Set(wanted.map(depthOf))];
}

/** True when the loads of line 3 are further out than the stores of line 4. */
function isDoneOnce(source: string): boolean {
  const fn = lowered(source);
  const [loads, stores] = [depths(fn, 3, Op.LOAD), depths(fn, 4, Op.STORE)];
  expect(loads).not.toEqual([]);
  expect(stores).not.toEqual([]);
  return Math.max(...loads) < Math.min(...stores);
}

const kernel = (
  parameters: string,
  load: string,
  store = "o[x] = s * x;",
): string => `kernel void k(${parameters}, global float* restrict o) {
  int x = get_global_id(0);
  float s = ${load};
  ${store}
}`;

test("a load that all work-items share is done once for many of them, where stores are known to go elsewhere", () => {
  expect(isDoneOnce(kernel("global const float* restrict a, int n", "a[n]"))).toBe(true);
  expect(isDoneOnce(kernel("global const float* a, int n", "a[n]"))).toBe(true);
  expect(isDoneOnce(kernel("constant float* a, int n", "a[n]"))).toBe(true);
  expect(
    isDoneOnce(
      kernel(
        "global const float* restrict a, local float* t",
        "a[get_group_id(0)]",
        "t[get_local_id(0)] = s; o[x] = t[0];",
      ),
    ),
  ).toBe(true);
});

test("it stays in the loop over work-items where a store may change what it reads", () => {
  expect(isDoneOnce(kernel("global const float* a, int n", "a[n]").replace("restrict o", "o"))).toBe(false);
  expect(isDoneOnce(kernel("global float* a, int n", "a[n]", "a[x] = s; o[x] = s;"))).toBe(false);
});

test("loops with a look at the cancel word do not keep it in", () => {
  expect(
    isDoneOnce(
      kernel(
        "global const float* restrict a, int n",
        "a[n]",
        "o[x] = s; for (int i = 0; i < n; i++) o[x] += a[i * n];",
      ),
    ),
  ).toBe(true);
});

const tile = (load: string): string => `kernel void k(global const float* a, global float* o) {
  local float t[64]; int l = get_local_id(0); int x = get_global_id(0); t[l] = a[x]; barrier(CLK_LOCAL_MEM_FENCE);
  float s = ${load};
  o[x] = s * l;
}`;

test("elements of a tile that all work-items read are kept in registers after the barrier", () => {
  expect(isDoneOnce(tile("t[0] + t[1] * t[63]"))).toBe(true);
  expect(isDoneOnce(tile("t[get_num_groups(0) & 63]"))).toBe(true);
  expect(isDoneOnce(tile("t[l ^ 1]"))).toBe(false);
});

test("a small loop of a constant number of iterations over a tile is unrolled, and its elements are kept", () => {
  const fn = lowered(tile("0; for (int i = 0; i < 8; i++) s += t[i * 8]"));
  expect(depths(fn, 3, Op.LOAD).length).toBeGreaterThan(0);
  expect(Math.max(...depths(fn, 3, Op.LOAD))).toBeLessThan(Math.min(...depths(fn, 4, Op.STORE)));
});

test("what a work-item has put into its own element of a tile is not read again before the next barrier", () => {
  const fn = lowered(tile("t[l ^ 1];\n  t[l] = s;\n  s += t[l]"));
  expect(depths(fn, 5, Op.LOAD)).toEqual([]);
  expect(depths(fn, 4, Op.STORE)).not.toEqual([]);
});
