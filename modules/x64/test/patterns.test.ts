// SPDX-License-Identifier: Apache-2.0
// What the selection does specially: machine code computes what the interpreter computes. And nothing of the selection
// is left that no test reaches.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import { differenceOf } from "../../interpreter/test/random-modules-in-code.ts";
import { Random } from "../../ir/test/random-module.ts";
import { OF_THE_MACHINE, PATTERNS, PLACE } from "./patterns.ts";
import { compilerOf, moduleOf, NATIVE, OUTPUT, TIERS, type Compiled } from "./run.ts";

const CALLS = 6;

describe.skipIf(NATIVE === null).each(TIERS)("%s", (tier) => {
  const compile = compilerOf(tier);

  test.each(Object.entries(PATTERNS))("%s", (name, texts) => {
    const different = texts
      .filter((text) => text !== "")
      .map((text) => differenceOf({ compile, output: OUTPUT }, moduleOf(text), new Random(name.length), CALLS));
    expect(different.filter((text) => text !== "").slice(0, 3)).toEqual([]);
  });

  const compileForMachine = (): Compiled => compile(moduleOf(OF_THE_MACHINE), new Map([["env.clock", 3]]));

  test("the private stack's pointer, functions of the runtime, address 0", () => {
    const { call, words } = compileForMachine();
    // A frame of 16 bytes is above what the pointer is set to.
    expect(call("stack", 0x9_0000)).toBe(0x9_0000 + 16 + 5);
    expect(call("clock", 39)).toBe(42);
    words[PLACE / 4 + 2] = 1000;
    expect(call("constants", 5, 2)).toBe(1000 + 5 + PLACE + 4);
    expect([words[0], words[PLACE / 4 + 1]]).toEqual([2, 77]);
    expect(() => compile(moduleOf(OF_THE_MACHINE))).toThrow("functions of the runtime cannot be called");
  });
});

/** Files of the selection. */
const FILES = [
  "chunks",
  "convert",
  "deferred",
  "gathers",
  "instructions",
  "lane-widths",
  "lanes",
  "macros",
  "masks",
  "memory",
  "permutations",
  "pick-bytes",
  "pick-lanes",
  "scalar-ops",
  "scatters",
  "selector",
  "shape",
  "shuffles",
  "vector-integers",
  "vector-ops",
].map((name) => `${name}.ts`);

/** How blocks begin that nothing has to reach: errors, and what modules that verify do not have. */
const NEED_NOT_BE_REACHED: readonly RegExp[] = [
  /^(?:default: |return )*(?:throw |(?:s|this)\.refuse\()/u,
  // Names in messages of errors.
  /^\?\? (?:op|"unreachable")$/u,
  // Masks are neither stored, scattered nor loaded under masks; nothing is multiplied atomically.
  /^\? maskOfBits\(s, loaded\)|^\? "imul"$/u,
  // Switches have at most 32 bits; pointers become no i1.
  /^\? "cmp r64\/m64, s32"$|^\? build\.emit\(form\("and r32\/m32, s8"\), \[value, 1\]\)$/u,
  // A store of results that has become too large.
  /^FOUND\.clear\(\);$/u,
  // What callers rule out, and what nobody calls.
  /^chunks\.push\(s\.zero\(16\)\);$|^: s\.addressValue\(address\)$|^return (?:part|value|\[\]|0);$|^break;$|^default: return null;$|^: "vpor x, x, x\/m128"$/u,
  /^\? (?:type\.bits|part)$|^(?:scalar\(value: Value\)|function laneType)/u,
  // For debuggers.
  /^return;$/u,
  // For who lays out calls before the functions are selected.
  /^function passedBytes/u,
];

/** Whether a block, with its place before it, has to be reached. */
function isOpen(block: string): boolean {
  return !NEED_NOT_BE_REACHED.some((pattern) => pattern.test(block.replace(/^[^ ]+ /u, "")));
}

test("a test reaches each block of the selection", () => {
  const program = join(import.meta.dirname, "selection-coverage.ts");
  const { stdout, stderr } = spawnSync(process.execPath, ["--conditions=source", program, ...FILES], {
    encoding: "utf8",
    env: { ...process.env, MUXKIT_FUZZ_RUNS: "3" },
  });
  expect(stderr.replaceAll(/^.*Warning.*\n/gmu, "")).toBe("");
  const blocks = JSON.parse(stdout) as readonly string[];
  expect(blocks.filter(isOpen)).toEqual([]);
}, 300_000);
