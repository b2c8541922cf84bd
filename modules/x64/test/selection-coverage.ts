// SPDX-License-Identifier: Apache-2.0
// Prints as JSON what of the selection no test reaches: blocks of its source files that were not executed while the
// functions of the other tests were compiled. A program of its own, since Node counts what runs in the files as they
// are. Words: names of the files to report.
import { readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { InternalError } from "@muxkit/cargo";
import { type Module, parseModule } from "@muxkit/ir";

import { operandTexts } from "../../ir/test/random-operands.ts";
import { randomMachineModule } from "../../ir/test/random-module.ts";
import { opCaseTexts } from "../../ir/test/run-op-cases.ts";
import { OF_THE_MACHINE, PATTERNS } from "./patterns.ts";

/** Random modules, of which the tests run others each time. */
const MODULES = 300;

const SOURCE = join(import.meta.dirname, "../source");

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
// After counting has begun.
const { generateX64 } = await import("../source/module.ts");
const { X64_TIERS } = await import("../source/tier.ts");

function compile(module: Module): void {
  const exports = [...module.functions.values()].filter(({ blocks }) => blocks.length > 0).map(({ name }) => name);
  for (const { name: tier } of X64_TIERS) {
    try {
      generateX64(module, { exports, results: new Map([["env.clock", 0]]), tier });
    } catch (error) {
      // Ops that a target lowers before.
      if (!(error instanceof InternalError)) throw error;
    }
  }
}

const texts = [...opCaseTexts(), ...operandTexts(/^frem$/u), ...Object.values(PATTERNS).flat(), OF_THE_MACHINE];
for (const text of texts) {
  const module = parseModule(`module "m" pointers 4 4 4 4 4 size_t 32\n${text}`);
  if (!module.ok) throw new Error(`${module.error.line}: ${module.error.message}\n${text}`);
  compile(module.value);
}
for (let seed = 1; seed <= MODULES; seed++) compile(randomMachineModule(seed));

const { result } = await session.post("Profiler.takePreciseCoverage");

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** Blocks that nothing ran, the outermost ones, each with its line and how it begins. */
function unreached(name: string): readonly string[] {
  const text = readFileSync(join(SOURCE, name), "utf8");
  const script = result.find(({ url }) => url === pathToFileURL(join(SOURCE, name)).href);
  if (script === undefined) return [`${name}: not loaded`];
  const ranges = script.functions.flatMap((fn): readonly Range[] => fn.ranges).filter(({ count }) => count === 0);
  const outer = ranges.filter(
    (range) =>
      !ranges.some(
        (other) => other !== range && other.startOffset <= range.startOffset && other.endOffset >= range.endOffset,
      ),
  );
  return outer.flatMap(({ startOffset, endOffset }) => {
    const block = text.slice(startOffset, endOffset).replaceAll(/\s+/gu, " ").trim();
    const line = text.slice(0, startOffset).split("\n").length;
    return /[a-z]/u.test(block) ? [`${name}:${line}: ${block.slice(0, 160)}`] : [];
  });
}

process.stdout.write(JSON.stringify(process.argv.slice(2).flatMap((name) => unreached(name))));
