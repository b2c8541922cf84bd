// SPDX-License-Identifier: Apache-2.0
// How often blocks are expected to run.
import { type Block, type IrFunction, loops, parseModule } from "@muxkit/ir";
import { Frequencies, type Known } from "@muxkit/vecz";
import { expect, test } from "vitest";

function parsed(body: string): IrFunction {
  const result = parseModule(`module "m" pointers 4 4 4 4 4 size_t 32
func @f(%x: f32, %n: i32, %c: i1, %d: i1) {
${body}}
`);
  if (!result.ok) throw new Error(`${result.error.line}: ${result.error.message}`);
  const fn = result.value.functions.get("f");
  if (fn === undefined) throw new Error("no function");
  return fn;
}

/** Frequencies by the blocks' names. */
function frequencies(
  body: string,
  known?: (block: (name: string) => Block) => Known,
): Readonly<Record<string, number>> {
  const fn = parsed(body);
  const blockOf = (name: string): Block => {
    const block = fn.blocks.find((one) => one.name === name);
    if (block === undefined) throw new Error(`no block ${name}`);
    return block;
  };
  const found = new Frequencies(fn, loops(fn), known?.(blockOf));
  return Object.fromEntries(fn.blocks.map((block) => [block.name, found.of(block)]));
}

test("both sides of a branch are equally likely, and their join runs as often as the branch", () => {
  const body = `^e:
  cond_br %c, ^t, ^j
^t:
  cond_br %d, ^u, ^j
^u:
  br ^j
^j:
  ret
`;
  expect(frequencies(body)).toEqual({ e: 1, t: 1 / 2, u: 1 / 4, j: 1 });
});

test.each([
  ["%a = fabs %x: f32\n  %k = fgt %a, 10000.0: f32: i1", 1 / 64],
  ["%a = fabs %x: f32\n  %k = fgt %a, 10.0: f32: i1", 1 / 2],
  ["%k = fne %x, %x: i1", 1 / 64],
  ["%k = feq %x, %x: i1", 63 / 64],
  ["%a = bitcast %x: i32\n  %b = and %a, 2147483647: i32\n  %k = uge %b, 2139095040: i32: i1", 1 / 64],
  ["%k = slt %n, 0: i32: i1", 1 / 2],
])("likely values of floats: %s", (condition, expected) => {
  const body = `^e:
  ${condition}
  cond_br %k, ^t, ^j
^t:
  br ^j
^j:
  ret
`;
  expect(frequencies(body)["t"]).toBe(expected);
});

test("a loop is mostly entered, its blocks count by the iteration, and it is left by each exit alike", () => {
  const body = `^e:
  cond_br %c, ^before, ^end
^before:
  br ^loop
^loop:
  cond_br %d, ^found, ^t
^t:
  cond_br %c, ^u, ^latch
^u:
  br ^latch
^latch:
  cond_br %d, ^loop, ^done
^found:
  br ^end
^done:
  br ^end
^end:
  ret
`;
  expect(frequencies(body)).toEqual({
    e: 1,
    before: 7 / 8,
    loop: 7 / 8,
    t: 7 / 8,
    u: 7 / 16,
    latch: 7 / 8,
    found: 7 / 16,
    done: 7 / 16,
    end: 1,
  });
});

test("what the caller knows comes first", () => {
  const body = `^e:
  cond_br %c, ^t, ^j
^t:
  cond_br %d, ^u, ^v
^u:
  br ^j
^v:
  br ^j
^j:
  ret
`;
  const found = frequencies(body, (block) => ({
    chances: new Map([[block("t"), 0.8]]),
    rare: new Set([block("v")]),
  }));
  expect(found).toEqual({ e: 1, t: 0.8, u: 0.8, v: 0, j: 1 });
});
