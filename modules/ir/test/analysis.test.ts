// SPDX-License-Identifier: Apache-2.0
// Analyses on graphs given as texts, and against slow definitions of the same on random graphs.
import {
  type Block,
  Builder,
  Dominators,
  I1,
  I32,
  IrFunction,
  type Value,
  VOID,
  cloneFunction,
  cloneModule,
  constantInt,
  createCloneMap,
  dominators,
  liveness,
  loops,
  parseModule,
  predecessors,
  printFunction,
  printModule,
  replaceUses,
  reversePostorder,
  splitCriticalEdges,
  uses,
  verifyModule,
  walk,
} from "@muxkit/ir";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { Random, randomModule } from "./random-module.ts";

/** A function with blocks a, b, c … and the edges `a>b,c; b>a`. A block without edges returns. */
function graph(text: string): { readonly fn: IrFunction; readonly at: (name: string) => Block } {
  const fn = new IrFunction("f", VOID, [
    { type: I1, name: "c" },
    { type: I32, name: "n" },
  ]);
  const rows = text.split(";").map((row) => row.trim().split(">"));
  const blocks = new Map<string, Block>();
  for (const [name = ""] of rows) blocks.set(name, fn.addBlock(name));
  const at = (name: string): Block => {
    const block = blocks.get(name);
    if (block === undefined) throw new Error(`no block ${name}`);
    return block;
  };
  for (const [name = "", list = ""] of rows) {
    const builder = new Builder(at(name));
    const targets = list
      .split(",")
      .filter((target) => target !== "")
      .map(at);
    const [first, second] = targets;
    const [condition, number] = fn.parameters;
    if (first === undefined || condition === undefined || number === undefined) builder.return();
    else if (second === undefined) builder.branch(first);
    else if (targets.length === 2) builder.conditionalBranch(condition, first, second);
    else
      builder.switch(
        number,
        first,
        targets.slice(1).map((target, i) => [i, target] as const),
      );
  }
  return { fn, at };
}

const names = (blocks: Iterable<Block>): string => [...blocks].map(({ name }) => name).join("");
const DIAMOND = "a>b,c; b>d; c>d; d";
const NESTED = "a>b; b>c,g; c>d; d>d,e; e>c,f; f>b; g";
const IRREDUCIBLE = "a>b,c; b>c; c>b,d; d";

test("orders and predecessors", () => {
  const { fn, at } = graph(`${DIAMOND}; x>d`);
  expect(names(reversePostorder(fn))).toBe("acbd");
  expect(names(predecessors(fn).get(at("d")) ?? [])).toBe("bcx");
  const twice = graph("a>b,b; b");
  expect(names(predecessors(twice.fn).get(twice.at("b")) ?? [])).toBe("aa");
});

test("dominators of a diamond", () => {
  const { fn, at } = graph(`${DIAMOND}; x>d`);
  const tree = dominators(fn);
  expect(["b", "c", "d"].map((name) => tree.immediate(at(name))?.name)).toEqual(["a", "a", "a"]);
  expect(tree.immediate(at("a"))).toBeNull();
  expect(tree.immediate(at("x"))).toBeNull();
  expect(names(tree.children(at("a")))).toBe("cbd");
  expect([
    tree.dominates(at("a"), at("d")),
    tree.dominates(at("b"), at("d")),
    tree.dominates(at("b"), at("b")),
    tree.dominates(at("a"), at("x")),
  ]).toEqual([true, false, true, false]);
  expect([
    names(tree.frontier(at("b"))),
    names(tree.frontier(at("c"))),
    names(tree.frontier(at("a"))),
    names(tree.frontier(at("x"))),
  ]).toEqual(["d", "d", "", ""]);
  expect([tree.position(at("a")), tree.position(at("x"))]).toEqual([0, -1]);
  expect(tree).toBeInstanceOf(Dominators);
});

test("the frontier of a loop's header holds the header", () => {
  const { fn, at } = graph(NESTED);
  const tree = dominators(fn);
  expect([
    names(tree.frontier(at("b"))),
    names(tree.frontier(at("d"))),
    names(tree.frontier(at("e"))),
    names(tree.frontier(at("f"))),
  ]).toEqual(["b", "bcd", "bc", "b"]);
});

test("loops nest, with latches, exits and depth", () => {
  const { fn, at } = graph(NESTED);
  const forest = loops(fn);
  expect(
    forest.loops.map(({ header, latches, exits, depth, parent, blocks }) => [
      header.name,
      names(latches),
      exits.map(([from, to]) => `${from.name}>${to.name}`).join(),
      depth,
      parent?.header.name ?? "",
      names(blocks),
    ]),
  ).toEqual([
    ["b", "f", "b>g", 1, "", "bfedc"],
    ["c", "e", "e>f", 2, "b", "ced"],
    ["d", "d", "d>e", 3, "c", "d"],
  ]);
  expect([
    forest.innermost.get(at("f"))?.header.name,
    forest.innermost.get(at("e"))?.header.name,
    forest.innermost.get(at("d"))?.header.name,
    forest.innermost.get(at("g")),
  ]).toEqual(["b", "c", "d", undefined]);
  expect(forest.irreducible).toEqual([]);
});

test("two latches are one loop; an irreducible edge is listed", () => {
  const { fn } = graph("a>b; b>c,d; c>b; d>b,e; e");
  expect(loops(fn).loops.map(({ header, latches }) => [header.name, names(latches)])).toEqual([["b", "dc"]]);
  const forest = loops(graph(IRREDUCIBLE).fn);
  expect(forest.loops).toEqual([]);
  expect(forest.irreducible.map(([from, to]) => `${from.name}>${to.name}`)).toEqual(["c>b"]);
});

/** A random graph of up to 12 blocks. */
function randomGraph(seed: number): IrFunction {
  const random = new Random(seed);
  const count = 2 + random.below(11);
  const letters = Array.from({ length: count }, (_, i) => String.fromCharCode(97 + i));
  return graph(
    letters
      .map(
        (name) => `${name}>${Array.from({ length: random.below(4) }, () => random.pick(letters.slice(1))).join(",")}`,
      )
      .join(";"),
  ).fn;
}

/** Blocks that control reaches without passing `without`. */
function reachable(fn: IrFunction, without: Block | null): Set<Block> {
  const seen = new Set<Block>();
  const work = [fn.entry];
  for (let block = work.pop(); block !== undefined; block = work.pop()) {
    if (block === without || seen.has(block)) continue;
    seen.add(block);
    work.push(...block.successors);
  }
  return seen;
}

test("on random graphs: dominance is what remains unreachable without a block", () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const fn = randomGraph(seed);
      const tree = dominators(fn);
      const all = reachable(fn, null);
      expect(new Set(tree.order)).toEqual(all);
      for (const by of all) {
        const rest = reachable(fn, by);
        for (const block of all) expect(tree.dominates(by, block)).toBe(!rest.has(block));
        const frontier = [...all].filter(
          (block) =>
            (predecessors(fn).get(block) ?? []).some((pred) => tree.dominates(by, pred)) &&
            !(tree.dominates(by, block) && by !== block),
        );
        expect(names(tree.frontier(by)).split("").toSorted()).toEqual(names(frontier).split("").toSorted());
      }
    }),
    { numRuns: 100 },
  );
});

test("on random graphs: a loop's blocks reach its latches within it, through the header only", () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const fn = randomGraph(seed);
      const tree = dominators(fn);
      for (const loop of loops(fn, tree).loops) {
        for (const block of loop.blocks) expect(tree.dominates(loop.header, block)).toBe(true);
        for (const latch of loop.latches) expect(latch.successors).toContain(loop.header);
        for (const [from, to] of loop.exits)
          expect([loop.blocks.has(from), loop.blocks.has(to)]).toEqual([true, false]);
        expect([...loop.blocks].every((block) => loop.parent === null || loop.parent.blocks.has(block))).toBe(true);
        expect(loop.depth).toBe((loop.parent?.depth ?? 0) + 1);
      }
    }),
    { numRuns: 100 },
  );
});

test("critical edges are split, others are not", () => {
  const { fn, at } = graph("a>b,d; b>d; d>d,e; e");
  const made = splitCriticalEdges(fn);
  expect(made.length).toBe(2);
  expect(fn.blocks.map(({ name }) => name)).toEqual(["a", "edge", "b", "d", "edge", "e"]);
  expect(names(made.flatMap((block) => block.successors))).toBe("dd");
  expect(at("a").successors[1]).toBe(made[0]);
  expect(splitCriticalEdges(fn)).toEqual([]);
});

test("on random modules: splitting keeps the rules and leaves no critical edge", () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const module = randomModule(seed);
      for (const fn of module.functions.values()) {
        splitCriticalEdges(fn);
        const before = predecessors(fn);
        const critical = fn.blocks.filter(
          ({ successors }) => successors.length > 1 && successors.some((to) => (before.get(to)?.length ?? 0) > 1),
        );
        expect(critical).toEqual([]);
      }
      expect(verifyModule(module)).toEqual([]);
    }),
    { numRuns: 50 },
  );
});

const LOOP = `module "m" pointers 4 4 4 4 4 size_t 32
func @sum(%n: i32, %step: i32) -> i32 {
^entry:
  %unused = add %n, 1: i32
  br ^head(0: i32, 0: i32)
^head(%i: i32, %total: i32):
  %more = slt %i, %n: i1
  cond_br %more, ^body, ^done
^body:
  %next = add %i, %step: i32
  %square = mul %i, %i: i32
  %more_total = add %total, %square: i32
  debug_value "u": "int" %unused
  br ^head(%next: i32, %more_total: i32)
^done:
  ret %total
}
`;

function loopFunction(): IrFunction {
  const parsed = parseModule(LOOP);
  if (!parsed.ok) throw new Error(parsed.error.message);
  const fn = parsed.value.functions.get("sum");
  if (fn === undefined) throw new Error("no function");
  return fn;
}

const valueNames = (values: Iterable<Value>): string =>
  [...values]
    .map((value) => (value.kind === "constant" ? "" : value.name))
    .toSorted()
    .join(" ");

test("liveness at the borders of blocks", () => {
  const fn = loopFunction();
  const { liveIn, liveOut } = liveness(fn);
  expect(
    fn.blocks.map((block) => [block.name, valueNames(liveIn.get(block) ?? []), valueNames(liveOut.get(block) ?? [])]),
  ).toEqual([
    ["entry", "n step", "n step"],
    ["head", "n step", "i n step total"],
    ["body", "i n step total", "n step"],
    ["done", "total", ""],
  ]);
});

test("uses count each operand and branch argument, and no debug record", () => {
  const fn = loopFunction();
  const counts = new Map([...uses(fn)].map(([value, users]) => [valueNames([value]), users.length]));
  expect(Object.fromEntries(counts)).toEqual({
    n: 2,
    i: 4,
    more: 1,
    step: 1,
    total: 2,
    square: 1,
    next: 1,
    more_total: 1,
  });
});

test("on random modules: what is live into the entry are parameters", () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      for (const fn of randomModule(seed).functions.values()) {
        if (fn.blocks.length === 0) continue;
        const { liveIn, liveOut } = liveness(fn);
        const tree = dominators(fn);
        for (const value of liveIn.get(fn.entry) ?? []) expect(fn.parameters).toContain(value);
        for (const block of tree.order) {
          for (const successor of block.successors)
            for (const value of liveIn.get(successor) ?? []) expect(liveOut.get(block)?.has(value)).toBe(true);
        }
      }
    }),
    { numRuns: 50 },
  );
});

test("replacing a value reaches branch arguments", () => {
  const fn = loopFunction();
  const next = fn.blocks[2]?.instructions[0];
  if (next === undefined) throw new Error("no instruction");
  replaceUses(fn, new Map<Value, Value>([[next, constantInt(I32, 9)]]));
  expect(printFunction(fn, { names: true })).toContain("br ^head(9: i32, %more_total: i32)");
  let count = 0;
  walk(fn, () => count++);
  expect(count).toBe(10);
});

test("a cloned function prints the same, shares nothing, and can have constants for parameters", () => {
  const fn = loopFunction();
  const copy = cloneFunction(fn, "sum");
  expect(printFunction(copy, { names: true })).toBe(printFunction(fn, { names: true }));
  const owned = new Set<unknown>(fn.blocks.flatMap((block) => [block, ...block.parameters, ...block.instructions]));
  walk(copy, (instruction) => {
    expect([instruction, ...instruction.operands, ...instruction.successors].some((part) => owned.has(part))).toBe(
      false,
    );
  });
  const map = createCloneMap();
  const [, step] = fn.parameters;
  if (step !== undefined) map.values.set(step, constantInt(I32, 2));
  const special = cloneFunction(fn, "by_two", map);
  expect(printFunction(special, { names: true }).split("\n")[0]).toBe("func @by_two(%n: i32) -> i32 {");
  expect(printFunction(special, { names: true })).toContain("%next = add %i, 2: i32");
});

test("a cloned module prints the same and verifies", () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const module = randomModule(seed);
      const copy = cloneModule(module);
      expect(printModule(copy, { names: true, locations: true })).toBe(
        printModule(module, { names: true, locations: true }),
      );
      expect(verifyModule(copy)).toEqual([]);
    }),
    { numRuns: 50 },
  );
});
