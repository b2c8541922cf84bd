// SPDX-License-Identifier: Apache-2.0
// Golden cases of index-set splitting: `idea.ir` goes in; `idea.after.ir` holds the function for the outside and the
// code that computes the range. The second line names the parameters that differ along the dimension. Also all
// comparisons: outside of a range every work-item must be on the expected side.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { interpretFunction } from "@muxkit/interpreter";
import {
  Builder,
  I1,
  I32,
  IrFunction,
  Module,
  constantInt,
  describeVerifierError,
  parseModule,
  printFunction,
  verifyModule,
} from "@muxkit/ir";
import { EMPTY_CONTEXT, runPasses } from "@muxkit/passes";
import { type ParameterFacts, type IndexRange, type IndexSetSplit, splitIndexSet } from "@muxkit/vecz";
import { expect, test } from "vitest";

import { Random } from "../../ir/test/random-module.ts";

const ROOT = join(import.meta.dirname, "index-set-cases");
const NAMES = readdirSync(ROOT)
  .filter((name) => name.endsWith(".ir") && !name.endsWith(".after.ir"))
  .toSorted();

function parsed(text: string): Module {
  const result = parseModule(text);
  if (!result.ok) throw new Error(`${result.error.line}: ${result.error.message}`);
  expect(verifyModule(result.value).map(describeVerifierError)).toEqual([]);
  return result.value;
}

function tidy(fn: IrFunction, { layout }: Module): void {
  const apart = new Module("apart", layout);
  apart.addFunction(fn);
  runPasses(apart, ["simplify-cfg", "simplify", "dce"], EMPTY_CONTEXT);
}

function rangeOf(module: Module, parameters: ReadonlyMap<number, ParameterFacts>): IndexSetSplit | null {
  const fn = module.functions.get("f");
  if (fn === undefined) throw new Error("there is a function @f");
  return splitIndexSet(fn, {
    layout: module.layout,
    axis: 0,
    parameters,
    tidy: (one) => tidy(one, module),
    name: "outside",
  });
}

/** Functions of the parameters and a length that give the ends of a range. */
function addEnds(module: Module, range: IndexSetSplit): IrFunction[] {
  const ends: readonly (keyof IndexRange)[] = ["from", "end"];
  return ends.map((end) => {
    const fn = module.addFunction(
      new IrFunction(
        end,
        I32,
        [...range.outside.parameters, { name: "length", type: I32 }].map(({ name, type }) => ({ name, type })),
      ),
    );
    const builder = new Builder(fn.addBlock("e"));
    const length = fn.parameters.at(-1);
    if (length === undefined) throw new Error("the length is a parameter");
    builder.return(range.write(builder, fn.parameters.slice(0, -1), length)[end]);
    tidy(fn, module);
    return fn;
  });
}

test.each(NAMES)("%s", async (name) => {
  const text = readFileSync(join(ROOT, name), "utf8");
  const module = parsed(text);
  const [, position = "", stride = ""] = /^; (\d+) stride (-?\d+)$/mu.exec(text) ?? [];
  const range = rangeOf(module, new Map([[Number(position), { shape: Number(stride), lowZeros: 0 }]]));
  expect(range === null).toBe(name.startsWith("refused"));
  if (range === null) return;
  const functions = [module.addFunction(range.outside), ...addEnds(module, range)];
  expect(verifyModule(module).map(describeVerifierError)).toEqual([]);
  await expect(functions.map((one) => printFunction(one)).join("\n")).toMatchFileSnapshot(
    join(ROOT, name.replace(/ir$/u, "after.ir")),
  );
});

const COMPARISONS = ["ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge", "eq", "ne"].flatMap((op) =>
  ["%g, %n", "%n, %g"].flatMap((operands) => [true, false].map((isTaken) => ({ op, operands, isTaken }))),
);

/** Work-items for which the condition is as it is said to write a place of their own; the others do nothing. */
function comparing(op: string, operands: string, isTaken: boolean): Module {
  return parsed(`module "m" pointers 4 4 4 4 4 size_t 32
func @f(%a: i32, %x: i32, %base: i32, %n: i32) {
^e:
  %p = inttoptr %a: ptr<global>
  %g = add %base, %x: i32
  %c = ${op} ${operands}: i1
  cond_br %c, ${isTaken ? "^a, ^j" : "^j, ^a"}
^a:
  %q = address %p, %x {scale 4}: ptr<global>
  store 1: i32, %q {align 4}
  br ^j
^j:
  ret
}
func @condition(%base: i32, %x: i32, %n: i32) -> i1 {
^e:
  %g = add %base, %x: i32
  %c = ${op} ${operands}: i1
  ret %c
}
`);
}

/** Numbers around which comparisons change. */
const CORNERS = [0, 1, 7, 0x7fff_fff0, 0x7fff_ffff, -0x8000_0000, -0x7fff_fff8, -9, -1];

test.each(COMPARISONS)("work-items outside of $op $operands, taken: $isTaken", ({ op, operands, isTaken }) => {
  const module = comparing(op, operands, isTaken);
  const range = rangeOf(module, new Map([[1, { shape: 1, lowZeros: 0 }]]));
  // All but one are no range.
  const isRange = !(op === "eq" && !isTaken) && !(op === "ne" && isTaken);
  expect(range !== null).toBe(isRange);
  if (range === null) return;
  addEnds(module, range);
  const run = (name: string, ...numbers: number[]): number => {
    const result = interpretFunction(
      module,
      name,
      numbers.map((number) => constantInt(I32, number)),
    );
    if (!result.ok || result.value === null) throw new Error(`${name} gives a value`);
    return result.value.type === I1 ? result.value.low & 1 : result.value.low >>> 0;
  };
  const random = new Random(7);
  const corner = (): number => ((CORNERS[random.below(CORNERS.length)] ?? 0) + random.below(24) - 12) | 0;
  const missed: string[] = [];
  let inside = 0;
  let outside = 0;
  for (let trial = 0; trial < 200; trial++) {
    const [base, bound, length] = [corner(), corner(), 1 + random.below(20)];
    const [from, end] = [run("from", 0, 0, base, bound, length), run("end", 0, 0, base, bound, length)];
    expect(from).toBeLessThanOrEqual(length);
    expect(end).toBeLessThanOrEqual(length);
    for (let place = 0; place < length; place++) {
      const takesPart = (run("condition", base, place, bound) === 1) === isTaken;
      const isInside = from <= place && place < end;
      if (isInside) inside++;
      else outside++;
      if (!isInside && takesPart) missed.push(`${base} and ${bound} of ${length}: ${place}`);
    }
  }
  expect(missed).toEqual([]);
  expect(Math.min(inside, outside)).toBeGreaterThan(20);
});
