// SPDX-License-Identifier: Apache-2.0
// Random arithmetic of C on chars and shorts: promoted to int, computed, cut or kept. Its vectors compute in as few
// bits as they can, and must give what single work-items give.
import {
  Builder,
  I16,
  I32,
  I8,
  IrFunction,
  LAYOUT_32,
  Module,
  Op,
  type Type,
  type Value,
  constantInt,
  constantZero,
  describeVerifierError,
  laneCount,
  printModule,
  verifyModule,
  vectorType,
  withLanesOf,
} from "@muxkit/ir";
import { type ParameterFacts, vectorize } from "@muxkit/vecz";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { Random } from "../../ir/test/random-module.ts";
import { compareLanes, requestOf } from "./lanes.ts";

const RUNS = Number(process.env["MUXKIT_FUZZ_RUNS"] ?? "400");
const BINARY = [Op.ADD, Op.ADD, Op.SUB, Op.SUB, Op.MUL, Op.AND, Op.OR, Op.XOR, Op.SMIN, Op.SMAX, Op.UMIN, Op.UMAX];
const SHIFTS = [Op.SHL, Op.LSHR, Op.ASHR];
const COMPARISONS = [Op.EQ, Op.NE, Op.SLT, Op.SLE, Op.SGT, Op.SGE, Op.ULT, Op.ULE, Op.UGT, Op.UGE];
const NUMBERS = [
  0, 1, 2, 3, 7, 77, 127, 128, 150, 255, 256, 1000, 32_767, 32_768, 65_535, 65_536, -1, -2, -128, -129, -32_768,
  -32_769, 0x7fff_ffff, -0x8000_0000,
];

/** A function of bytes and shorts, some of them vectors of the language. */
function randomArithmetic(seed: number): Module {
  const random = new Random(seed);
  const lanes = random.pick([1, 1, 1, 2, 4]);
  const shaped = (type: Type): Type => (lanes === 1 ? type : vectorType(type, lanes));
  const inputs = Array.from({ length: 4 }, () => shaped(random.pick([I8, I8, I8, I16, I32])));
  const int = shaped(I32);
  const returned = shaped(random.pick([I8, I8, I16, I32]));
  const module = new Module("random", LAYOUT_32);
  const fn = module.addFunction(
    new IrFunction(
      "f",
      returned,
      inputs.map((type, i) => ({ name: `p${i}`, type })),
    ),
  );
  const builder = new Builder(fn.addBlock("entry"));
  const values: Value[] = fn.parameters.map((value) =>
    value.type === int ? value : builder.convert(random.pick([Op.ZEXT, Op.SEXT]), value, int),
  );
  const some = (): Value =>
    random.chance(25) ? constantInt(int, random.pick(NUMBERS)) : random.pick(values.slice(-8));
  for (let i = 3 + random.below(16); i > 0; i--) {
    const choice = random.below(10);
    if (choice < 5) values.push(builder.same(random.pick(BINARY), some(), some()));
    else if (choice < 7)
      values.push(
        builder.same(random.pick(SHIFTS), some(), constantInt(int, random.pick([0, 1, 2, 4, 7, 8, 9, 15, 16, 31, 33]))),
      );
    else if (choice < 8)
      values.push(builder.select(builder.compare(random.pick(COMPARISONS), some(), some()), some(), some()));
    else if (choice < 9) {
      // The magnitude of a number, as abs makes it.
      const number = some();
      values.push(
        builder.same(random.pick([Op.UMIN, Op.SMAX]), number, builder.same(Op.SUB, constantZero(int), number)),
      );
    } else {
      const cut = builder.convert(Op.TRUNC, some(), withLanesOf(random.pick([I8, I16]), int));
      values.push(builder.convert(random.pick([Op.ZEXT, Op.SEXT]), cut, int));
    }
  }
  const last = values.at(-1) ?? constantZero(int);
  builder.return(returned === int ? last : builder.convert(Op.TRUNC, last, returned));
  return module;
}

test(
  "narrow arithmetic gives what C's ints give",
  () => {
    let narrowed = 0;
    fc.assert(
      fc.property(fc.nat(0x7fff_ffff), (seed) => {
        const module = randomArithmetic(seed);
        expect(verifyModule(module).map(describeVerifierError)).toEqual([]);
        const random = new Random(seed);
        const fn = module.functions.get("f");
        const facts = new Map<number, ParameterFacts>(
          fn?.parameters.flatMap((_, i): [number, ParameterFacts][] =>
            random.chance(85) ? [[i, { shape: null, lowZeros: 0 }]] : [],
          ),
        );
        const result = compareLanes(module, "f", 8, facts, random);
        expect(
          result === null || result.difference === ""
            ? ""
            : `${result.difference}\n${JSON.stringify([...facts])}\n${printModule(module)}`,
        ).toBe("");
        if (fn === undefined) return;
        const made = vectorize(fn, requestOf(module, 8, facts));
        const isNarrow =
          made.ok &&
          made.variants.general.fn.blocks.some(({ instructions }) =>
            instructions.some(
              ({ op, type }) =>
                BINARY.includes(op) && laneCount(type) >= 8 && (type.element === I8 || type.element === I16),
            ),
          );
        if (isNarrow) narrowed++;
      }),
      { numRuns: RUNS },
    );
    // Else nothing has been shown.
    expect(narrowed).toBeGreaterThan(RUNS / 5);
  },
  60_000 + RUNS * 1000,
);
