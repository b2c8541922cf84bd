// SPDX-License-Identifier: Apache-2.0
// `npm run fuzz -- --spirv=1000000`: so many changed modules through decoder, validator, disassembler and assembler.
// Nothing may throw or take long; what is valid must come back from its text word by word.
import { readFileSync } from "node:fs";

import { assemble, disassemble, parseModule, validateModule } from "@muxkit/spirv";

import { Random, mutated } from "./mutate.ts";

/** Longer than this is a hang: modules here have some hundred words. */
const MOST_MS = 2000;

/** What became of the modules. */
export interface FuzzCounts {
  /** Modules by the rule that refused them; `valid` for those that nothing refused. */
  readonly byRule: Readonly<Record<string, number>>;
  /** What went wrong: the seed of the module, and how. */
  readonly failures: readonly string[];
}

/** The modules that are changed. */
export function fuzzOriginals(): readonly Uint32Array[] {
  return ["kernel", "shader", "base-kernel", "base-shader"].map((name) => {
    const result = assemble(readFileSync(new URL(`modules/${name}.spvasm`, import.meta.url), "utf8"));
    if (!result.ok) throw new Error(`${name}: ${result.error.message}`);
    return result.value;
  });
}

/** What a module does to those that read it: the rule that refuses it; `valid`. Throws what they throw. */
function verdict(words: Uint32Array): string {
  const parsed = parseModule(words);
  if (!parsed.ok) return parsed.error.rule;
  const text = disassemble(parsed.value, { names: "friendly" });
  const [error] = validateModule(parsed.value);
  if (error !== undefined) return error.rule;
  if (!text.ok) throw new Error(`a valid module has no text: ${text.error.message}`);
  const raw = disassemble(parsed.value, { names: "raw" });
  const again = raw.ok ? assemble(raw.value) : null;
  if (again === null || !again.ok) throw new Error("the text of a valid module does not assemble");
  // Strings may have anything behind their ends, which no text shows: the second text is compared.
  const reread = parseModule(again.value);
  const second = reread.ok ? disassemble(reread.value, { names: "raw" }) : null;
  if (second === null || !second.ok || !raw.ok || second.value !== raw.value)
    throw new Error("the text of a valid module gives another module");
  return "valid";
}

/** Changes and reads so many modules. */
export function fuzz(count: number, firstSeed: number): FuzzCounts {
  const originals = fuzzOriginals();
  const byRule: Record<string, number> = {};
  const failures: string[] = [];
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const random = new Random(seed);
    const words = mutated(random, originals[random.below(originals.length)] ?? new Uint32Array());
    const begin = performance.now();
    try {
      const rule = verdict(words);
      byRule[rule] = (byRule[rule] ?? 0) + 1;
    } catch (error) {
      failures.push(
        `seed ${seed}: ${error instanceof Error ? (error.stack?.split("\n", 3).join(" ") ?? error.message) : String(error)}`,
      );
    }
    if (performance.now() - begin > MOST_MS) failures.push(`seed ${seed}: took ${performance.now() - begin} ms`);
  }
  return { byRule, failures };
}

if (import.meta.main) {
  const [, count = "100000"] = /--spirv=(\d+)/u.exec(process.argv.join(" ")) ?? [];
  const [, seed = "1"] = /--seed=(\d+)/u.exec(process.argv.join(" ")) ?? [];
  const { byRule, failures } = fuzz(Number(count), Number(seed));
  for (const [rule, times] of Object.entries(byRule).toSorted(([, a], [, b]) => b - a)) console.log(rule, times);
  for (const failure of failures) console.error(failure);
  process.exitCode = failures.length === 0 ? 0 : 1;
}
