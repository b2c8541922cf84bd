// SPDX-License-Identifier: Apache-2.0
// Golden cases of loops that are split: `idea.ir` goes in, `idea.after.ir` comes out. The second line says how many
// loops come of one. What they compute is compared with what the loop computed.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import {
  I32,
  type Module,
  constantInt,
  describeVerifierError,
  parseModule,
  printConstant,
  printFunction,
  verifyModule,
} from "@muxkit/ir";
import { describeInterpreterError, interpretFunction } from "@muxkit/interpreter";
import { splitLoops } from "@muxkit/vecz";
import { WASM_MACHINE } from "@muxkit/wasm";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { Random } from "../../ir/test/random-module.ts";

const RUNS = Number(process.env["MUXKIT_FUZZ_RUNS"] ?? "60");
const ROOT = join(import.meta.dirname, "split-cases");
const NAMES = readdirSync(ROOT)
  .filter((name) => name.endsWith(".ir") && !name.endsWith(".after.ir"))
  .toSorted();

function parsed(text: string, name: string): Module {
  const result = parseModule(text);
  if (!result.ok) throw new Error(`${name}:${result.error.line}: ${result.error.message}`);
  return result.value;
}

const WIDE = "<8 x i32>";

/**
 * A loop with reductions of shared values, at times of one another. Values of the last iteration, of the one before, of
 * several reductions and of stores are live out of it.
 */
function randomLoop(random: Random): string {
  const count = 6 + random.below(14);
  const sums = Array.from({ length: count }, (_, i) => i);
  const lines = [
    'module "m" pointers 4 4 4 4 4 size_t 32',
    "func @g(%n: i32) -> i32 {",
    "^entry:",
    "  %m = alloca {[512 x i32], align 32}: ptr<private>",
    "  br ^fill(0: i32)",
    "^fill(%i: i32):",
    "  %p = address %m, %i {scale 4}: ptr<private>",
    "  %square = mul %i, %i: i32",
    "  store %square, %p {align 4, alias 99}",
    "  %i1 = add %i, 1: i32",
    "  %on = ult %i1, 512: i32: i1",
    "  cond_br %on, ^fill(%i1: i32), ^begin",
    "^begin:",
    ...sums.flatMap((i) => [
      `  %a${i} = address %m {offset ${1024 + 32 * i}}: ptr<private>`,
      `  %b${i} = load %a${i} {align 4, alias ${random.chance(80) ? i + 1 : 1}}: ${WIDE}`,
    ]),
    `  br ^loop(0: i32, 3: i32, ${sums.map((i) => `%b${i}: ${WIDE}`).join(", ")})`,
    `^loop(%k: i32, %step: i32, ${sums.map((i) => `%t${i}: ${WIDE}`).join(", ")}):`,
    "  %low = and %step, 7: i32",
    ...[0, 1, 2].flatMap((j) => [
      `  %q${j} = address %m, %low {scale 4, offset ${16 * j}}: ptr<private>`,
      `  %x${j} = load %q${j} {align 4, alias 98}: ${WIDE}`,
    ]),
    ...sums.flatMap((i) => {
      const other = random.chance(10) ? `%t${random.below(count)}` : `%x${random.below(3)}`;
      return [
        `  %u${i} = ${random.pick(["add", "xor", "mul"])} %x${random.below(3)}, ${other}: ${WIDE}`,
        `  %r${i} = ${random.pick(["add", "sub", "mul"])} %t${i}, %u${i}: ${WIDE}`,
      ];
    }),
    `  %both = add %r${random.below(count)}, %u${random.below(count)}: ${WIDE}`,
    "  %step1 = add %step, %k: i32",
    "  %k1 = add %k, 1: i32",
    "  %more = ult %k1, %n: i1",
    `  cond_br %more, ^loop(%k1: i32, %step1: i32, ${sums.map((i) => `%r${i}: ${WIDE}`).join(", ")}), ` +
      `^end(%t${random.below(count)}: ${WIDE})`,
    `^end(%last: ${WIDE}):`,
    ...sums
      .filter(() => random.chance(70))
      .map(
        (i) =>
          `  store ${random.pick([`%r${i}`, `%r${i}`, `%u${i}`, `%t${i}`])}, %a${random.chance(90) ? i : 0} {align 4}`,
      ),
    `  %s = add %last, ${random.chance(30) ? "%both" : "%last"}: ${WIDE}`,
    "  %e = extract %s, 5: i32: i32",
    "  br ^hash(0: i32, %e: i32)",
    "^hash(%h: i32, %v: i32):",
    "  %w = address %m, %h {scale 4}: ptr<private>",
    "  %l = load %w {align 4}: i32",
    "  %rot = rotl %v, 7: i32",
    "  %v1 = xor %rot, %l: i32",
    "  %h1 = add %h, 1: i32",
    "  %again = ult %h1, 512: i32: i1",
    "  cond_br %again, ^hash(%h1: i32, %v1: i32), ^done",
    "^done:",
    "  %sum = add %v1, %step1: i32",
    "  ret %sum",
    "}",
  ];
  return `${lines.join("\n")}\n`;
}

/** What a function gives for some operands. */
function results(module: Module, name: string): readonly string[] {
  return [1, 2, 7].map((operand) => {
    const result = interpretFunction(module, name, [constantInt(I32, operand)]);
    return result.ok && result.value !== null
      ? printConstant(result.value)
      : `error: ${result.ok ? "no value" : describeInterpreterError(result.error)}`;
  });
}

test.each(NAMES)("%s", async (name) => {
  const text = readFileSync(join(ROOT, name), "utf8");
  const module = parsed(text, name);
  const fn = module.functions.get("f");
  if (fn === undefined) throw new Error(`${name} has a function @f`);
  const run = /^; run: %(\w+)$/mu.exec(text)?.[1];
  const compute = (): readonly string[] => (run === undefined ? [] : results(module, run));
  const wanted = compute();
  expect(wanted.some((one) => one.startsWith("error"))).toBe(false);
  const parts = Number(/^; parts: (\d+)$/mu.exec(text)?.[1]);
  expect(splitLoops(fn, WASM_MACHINE)).toBe(parts);
  expect(verifyModule(module).map(describeVerifierError)).toEqual([]);
  expect(compute()).toEqual(wanted);
  await expect(printFunction(fn)).toMatchFileSnapshot(join(ROOT, name.replace(/ir$/u, "after.ir")));
});

test(
  "random loops give the same in parts",
  () => {
    let split = 0;
    fc.assert(
      fc.property(fc.nat(0x7fff_ffff), (seed) => {
        const module = parsed(randomLoop(new Random(seed)), "random");
        const fn = module.functions.get("g");
        if (fn === undefined) return;
        const wanted = results(module, "g");
        if (splitLoops(fn, WASM_MACHINE) > 1) split++;
        expect(verifyModule(module).map(describeVerifierError)).toEqual([]);
        expect(results(module, "g")).toEqual(wanted);
      }),
      { numRuns: RUNS },
    );
    expect(split).toBeGreaterThan(RUNS / 4);
  },
  60_000 + RUNS * 1000,
);
