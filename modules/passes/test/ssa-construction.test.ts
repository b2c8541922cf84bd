// SPDX-License-Identifier: Apache-2.0
// SSA construction makes block parameters only at joins that several values of a variable reach.
import { Builder, I1, I32, IrFunction, constantInt, dominators, predecessors } from "@muxkit/ir";
import { expect, test } from "vitest";

import { Construction } from "../source/ssa-construction.ts";

/** `count` diamonds in a row, all within a loop. Each has a variable that one side of it writes. */
function diamonds(count: number) {
  const fn = new IrFunction("f", I32, [{ name: "c", type: I1 }]);
  const [condition] = fn.parameters;
  if (condition === undefined) throw new Error("f has a parameter");
  const builder = new Builder(fn.addBlock("entry"));
  const header = fn.addBlock("header");
  builder.branch(header);
  builder.block = header;
  const all = Array.from({ length: count }, () => {
    const [side, join] = [fn.addBlock("side"), fn.addBlock("join")];
    builder.conditionalBranch(condition, side, join);
    builder.block = side;
    builder.branch(join);
    builder.block = join;
    return { side, join };
  });
  const out = fn.addBlock("out");
  builder.conditionalBranch(condition, header, out);
  builder.block = out;
  builder.return(constantInt(I32, 0));
  const before = predecessors(fn);
  const construction = new Construction(
    before,
    dominators(fn, before),
    all.map((_, i) => ({ type: I32, name: `v${i}` })),
  );
  all.forEach(({ side }, i) => construction.write(side, i, constantInt(I32, i + 1)));
  return { all, header, out, construction };
}

test("a value at a join needs a parameter there and at the loop around it, and nowhere else", () => {
  const count = 200;
  const { all, header, out, construction } = diamonds(count);
  all.forEach((_, i) => construction.start(out, i));
  construction.fillParameters();
  expect(construction.made).toHaveLength(2 * count);
  expect(header.parameters).toHaveLength(count);
  expect(all.map(({ join }) => join.parameters.length)).toEqual(all.map(() => 1));
});

test("a join where a variable is dead gets no parameter", () => {
  const { all, construction } = diamonds(3);
  const [first, second] = all;
  expect(first !== undefined && construction.start(first.side, 1).kind).toBe("parameter");
  expect(second !== undefined && construction.start(second.join, 0)).toBe(first?.join.parameters[0]);
  construction.fillParameters();
  // The header has both variables, each join its own.
  expect(construction.made.map(({ name, block }) => `${name} ${block?.name}`)).toEqual([
    "v1 header",
    "v0 join",
    "v1 join",
    "v0 header",
  ]);
});

test("arguments of new parameters are what is written on each edge, and zero before the first write", () => {
  const { all, header, out, construction } = diamonds(1);
  const [diamond] = all;
  const value = construction.start(out, 0);
  construction.fillParameters();
  const [looped] = header.parameters;
  expect(value).toBe(diamond?.join.parameters[0]);
  expect(diamond?.side.terminator.successorArguments).toEqual([[constantInt(I32, 1)]]);
  expect(header.terminator.successorArguments).toEqual([[], [looped]]);
  expect(header.owner.entry.terminator.successorArguments).toEqual([[constantInt(I32, 0)]]);
  expect(diamond?.join.terminator.successorArguments).toEqual([[value], []]);
});

test("a value that is written once is found without parameters", () => {
  const { all, header, construction } = diamonds(2);
  const [first] = all;
  if (first === undefined) throw new Error("there is a first diamond");
  const fresh = new Construction(predecessors(header.owner), dominators(header.owner), [{ type: I32, name: "x" }]);
  fresh.write(header.owner.entry, 0, constantInt(I32, 9));
  expect(fresh.start(first.join, 0)).toBe(constantInt(I32, 9));
  expect(fresh.made).toEqual([]);
  expect(construction.made).toEqual([]);
});
