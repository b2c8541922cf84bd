// SPDX-License-Identifier: Apache-2.0
// Golden cases: `idea.ir` goes in; `idea.after.ir` holds what is known of it and the vector functions. The second line
// says how many lanes, whether they are a sub-group, and which parameters differ.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import {
  type Constant,
  type Module,
  OPS,
  type Type,
  constantInt,
  describeVerifierError,
  isPointer,
  parseModule,
  printFunction,
  verifyModule,
} from "@muxkit/ir";
import { type ParameterFacts, type VectorizeRequest, printAnalyses, vectorize } from "@muxkit/vecz";
import { expect, test } from "vitest";

import { Random, randomConstant } from "../../ir/test/random-module.ts";
import { compareLanes, requestOf } from "./lanes.ts";

const ROOT = join(import.meta.dirname, "cases");
const NAMES = readdirSync(ROOT)
  .filter((name) => name.endsWith(".ir") && !name.endsWith(".after.ir"))
  .toSorted();

function factsOf(text: string): readonly [position: number, facts: ParameterFacts] {
  const [, position = "", shape = "", zeros = "0"] =
    /^(\d+) (varying|stride -?\d+)(?: zeros (\d+))?$/u.exec(text.trim()) ?? [];
  if (position === "") throw new Error(`"${text}" says nothing of a parameter`);
  return [Number(position), { shape: shape === "varying" ? null : Number(shape.slice(7)), lowZeros: Number(zeros) }];
}

function readCase(name: string): { readonly module: Module; readonly request: VectorizeRequest } {
  const text = readFileSync(join(ROOT, name), "utf8");
  const parsed = parseModule(text);
  if (!parsed.ok) throw new Error(`${name}:${parsed.error.line}: ${parsed.error.message}`);
  expect(verifyModule(parsed.value).map(describeVerifierError)).toEqual([]);
  const [lanes = "", ...facts] = /^; lanes: (.+)$/mu.exec(text)?.[1]?.split(";") ?? [];
  const [width, ...words] = lanes.split(" ");
  return {
    module: parsed.value,
    request: requestOf(parsed.value, Number(width), new Map(facts.map(factsOf)), words.includes("sub-group")),
  };
}

test.each(NAMES)("%s", async (name) => {
  const { module, request } = readCase(name);
  const fn = module.functions.get("f");
  if (fn === undefined) throw new Error(`${name} has a function @f`);
  const made = vectorize(fn, request);
  const variants = made.ok ? [made.variants.general, made.variants.tested] : [];
  for (const variant of variants) if (variant !== null) module.addFunction(variant.fn);
  expect(verifyModule(module).map(describeVerifierError)).toEqual([]);
  const accesses = variants.flatMap((variant) =>
    variant === null
      ? []
      : [
          `; accesses of @${variant.fn.name}: ${variant.accesses
            .map(({ instruction: { op }, kind }) => `${OPS[op]?.name ?? ""} ${kind}`)
            .join(", ")}`,
        ],
  );
  await expect(
    [
      printAnalyses(fn, request),
      ...accesses,
      ...variants.flatMap((variant) => (variant === null ? [] : [printFunction(variant.fn)])),
    ].join("\n"),
  ).toMatchFileSnapshot(join(ROOT, name.replace(/ir$/u, "after.ir")));
});

const ALONE = NAMES.filter((name) => {
  const { module } = readCase(name);
  // Those that access memory through their pointers need a launch; the kernel suite runs such.
  const fn = module.functions.get("f");
  return (
    fn !== undefined &&
    !fn.blocks.some(({ instructions }) =>
      instructions.some(({ operands }) =>
        operands.some((value) => value.kind === "parameter" && value.block === null && isPointer(value.type)),
      ),
    )
  );
});

test.each(ALONE)("%s gives what single work-items give", (name) => {
  const { module, request } = readCase(name);
  for (let seed = 1; seed <= 40; seed++) {
    const random = new Random(seed);
    // Loops run as often as the operands say.
    const small = (type: Type): Constant =>
      type.kind === "int" ? constantInt(type, random.below(9) - 1) : randomConstant(random, type);
    expect(compareLanes(module, "f", request.width, request.parameters, random, small)?.difference ?? "").toBe("");
  }
});

test("there are cases without memory, which can be compared", () => {
  expect(ALONE.length).toBeGreaterThan(12);
});
