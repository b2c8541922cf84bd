// SPDX-License-Identifier: Apache-2.0
// Random modules: each pass, and every sequence of passes, preserves the results of the functions and well-formedness.
import { describeInterpreterError, interpretFunction, sameValue } from "@muxkit/interpreter";
import { type Constant, type Module, cloneModule, printConstant, printModule } from "@muxkit/ir";
import { EMPTY_CONTEXT, PASSES, type PassContext, runPasses } from "@muxkit/passes";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { Random, TRACE, randomConstant, randomModule, randomTracedModule } from "../../ir/test/random-module.ts";
import { FOUR_COPIES } from "./cases.ts";

/** A module whose results must not change: without the flags that permit other results. */
function strictModule(seed: number): Module {
  const module = randomTracedModule(seed);
  for (const fn of module.functions.values())
    for (const block of fn.blocks)
      for (const instruction of block.instructions) if (instruction.operands.length > 0) instruction.flags &= ~0x7ff;
  return module;
}

interface Call {
  readonly name: string;
  readonly operands: readonly Constant[];
  /** Its result; null: none. */
  readonly value: Constant | null;
  /** Traced values, in order. */
  readonly traced: readonly string[];
}

/** Calls a function; traced values are appended to the list. */
function call(
  module: Module,
  name: string,
  operands: readonly Constant[],
  traced: string[],
): ReturnType<typeof interpretFunction> {
  return interpretFunction(module, name, operands, {
    resolveBuiltin: ({ name: builtin }) =>
      builtin === TRACE.name
        ? ([value]) => {
            traced.push(String(value));
            return null;
          }
        : null,
  });
}

/** Calls each function that has a body a few times. */
function calls(module: Module, seed: number): readonly Call[] {
  const random = new Random(seed);
  const made: Call[] = [];
  for (const fn of module.functions.values()) {
    if (fn.kernel !== null || fn.blocks.length === 0) continue;
    for (let i = 0; i < 3; i++) {
      const operands = fn.parameters.map(({ type }) => randomConstant(random, type));
      const traced: string[] = [];
      const result = call(module, fn.name, operands, traced);
      if (!result.ok) throw new Error(describeInterpreterError(result.error));
      made.push({ name: fn.name, operands, value: result.value, traced });
    }
  }
  return made;
}

/** Of a machine for which every pass has something to do. */
const CONTEXT: PassContext = {
  ...EMPTY_CONTEXT,
  machine: { ...EMPTY_CONTEXT.machine, unrolling: FOUR_COPIES },
};

/** Describes a call whose result the passes change, with the module before and after; empty: there is none. */
function change(before: Module, passes: readonly string[], wanted: readonly Call[]): string {
  const module = cloneModule(before);
  runPasses(module, passes, CONTEXT, { verifyEach: true, checkAnalyses: true });
  for (const { name, operands, value, traced } of wanted) {
    const now: string[] = [];
    const result = call(module, name, operands, now);
    const got = result.ok ? result.value : null;
    if (
      result.ok &&
      (value === null || got === null ? value === got : sameValue(value, got)) &&
      traced.join() === now.join()
    )
      continue;
    const shown = result.ok ? got && printConstant(got) : describeInterpreterError(result.error);
    const list = operands.map((operand) => printConstant(operand)).join(", ");
    const old = `${value && printConstant(value)} and trace [${traced.join(", ")}]`;
    return [
      `${passes.join(", ")}: @${name}(${list}) had the result ${old}, now ${shown} and [${now.join(", ")}]`,
      printModule(before),
      "after",
      printModule(module),
    ].join("\n");
  }
  return "";
}

/** Those that need neither a library nor kernels. */
const NAMES = PASSES.map(({ name }) => name).filter((name) => name !== "link-builtins" && name !== "global-dce");
const RUNS = Number(process.env["MUXKIT_FUZZ_RUNS"] ?? "60");

test(
  "random modules, each pass alone",
  () => {
    fc.assert(
      fc.property(fc.nat(0x7fff_ffff), (seed) => {
        const module = strictModule(seed);
        const wanted = calls(module, seed);
        expect(NAMES.map((name) => change(module, [name], wanted)).join("")).toBe("");
      }),
      { numRuns: RUNS },
    );
  },
  60_000 + RUNS * 1000,
);

test(
  "random modules, sequences of passes",
  () => {
    fc.assert(
      fc.property(
        fc.nat(0x7fff_ffff),
        fc.array(fc.constantFrom(...NAMES), { minLength: 4, maxLength: 12 }),
        (seed, passes) => {
          const module = strictModule(seed);
          expect(change(module, passes, calls(module, seed))).toBe("");
        },
      ),
      { numRuns: RUNS },
    );
  },
  60_000 + RUNS * 1000,
);

test(
  "random modules, idempotent passes change nothing when they run twice",
  () => {
    const idempotent = PASSES.filter((pass) => pass.kind === "function" && pass.isIdempotent === true).map(
      ({ name }) => name,
    );
    expect(idempotent).not.toEqual([]);
    fc.assert(
      fc.property(fc.nat(0x7fff_ffff), fc.array(fc.constantFrom(...NAMES), { maxLength: 8 }), (seed, passes) => {
        for (const name of idempotent) {
          const module = strictModule(seed);
          runPasses(module, [...passes, name], EMPTY_CONTEXT);
          runPasses(module, [name], EMPTY_CONTEXT, {
            after: ({ changed }) => {
              expect([name, changed]).toEqual([name, false]);
            },
          });
        }
      }),
      { numRuns: RUNS },
    );
  },
  60_000 + RUNS * 1000,
);

/** Sequences as builds run them: a pass may fail on what another one prepares. */
const SEQUENCES: readonly (readonly string[])[] = [
  [
    "simplify-cfg",
    "mem2reg",
    "inline",
    "simplify-cfg",
    "sroa",
    "mem2reg",
    "simplify",
    "gvn",
    "loop-rotate",
    "licm",
    "loop-unroll",
    "simplify-cfg",
    "simplify",
    "sroa",
    "mem2reg",
    "simplify",
    "gvn",
    "simplify-cfg",
    "dce",
  ],
  ["loop-rotate", "licm"],
  ["loop-rotate", "simplify-cfg", "loop-rotate", "gvn", "licm"],
  ["loop-rotate", "loop-unroll", "simplify-cfg", "gvn", "dce"],
  ["simplify", "gvn", "sroa", "mem2reg", "simplify", "gvn", "dce"],
];

test(
  "random modules, sequences as builds run them",
  () => {
    fc.assert(
      fc.property(fc.nat(0x7fff_ffff), (seed) => {
        const module = strictModule(seed);
        const wanted = calls(module, seed);
        expect(SEQUENCES.map((passes) => change(module, passes, wanted)).join("")).toBe("");
      }),
      { numRuns: RUNS },
    );
  },
  60_000 + RUNS * 1000,
);

test(
  "random modules with all flags: the results are well-formed",
  () => {
    fc.assert(
      fc.property(fc.nat(0x7fff_ffff), fc.shuffledSubarray([...NAMES, "global-dce"]), (seed, passes) => {
        expect(() => {
          runPasses(randomModule(seed), passes, EMPTY_CONTEXT, { verifyEach: true });
        }).not.toThrow();
      }),
      { numRuns: RUNS },
    );
  },
  60_000 + RUNS * 1000,
);
