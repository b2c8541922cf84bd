// SPDX-License-Identifier: Apache-2.0
// `npm run fuzz -- --spirv=1000000`: so many changed modules through decoder, validator, disassembler and assembler,
// and as many changed kernels through the reader. Nothing may throw or take long; what is valid must come back from
// its text word by word.
import { readFileSync } from "node:fs";

import { LAYOUT_32, LAYOUT_64 } from "@muxkit/ir";
import {
  assemble,
  bytesOfWords,
  disassemble,
  parseModule,
  readSpir,
  readSpirv,
  reflectShader,
  validateModule,
} from "@muxkit/spirv";

import { Random, mutated } from "./mutate.ts";

/** More time of the processor than this is a hang: modules here have some hundred words. */
const MOST_MS = 2000;

/** What became of the modules. */
export interface FuzzCounts {
  /** Modules by the rule that refused them; `valid` for those that nothing refused. */
  readonly byRule: Readonly<Record<string, number>>;
  /** What went wrong: the seed of the module, and how. */
  readonly failures: readonly string[];
}

function assembled(paths: readonly string[]): readonly Uint32Array[] {
  return paths.map((path) => {
    const result = assemble(readFileSync(new URL(`${path}.spvasm`, import.meta.url), "utf8"));
    if (!result.ok) throw new Error(`${path}: ${result.error.message}`);
    return result.value;
  });
}

/** What is fuzzed: the modules that are changed, and what becomes of one. */
export interface FuzzTarget {
  readonly originals: () => readonly Uint32Array[];
  /** The rule that refuses a module, or a word for one that nothing refuses. Throws what it does to the module. */
  readonly verdict: (words: Uint32Array) => string;
  /** How a module is changed; by its instructions where this is left out. */
  readonly changed?: (random: Random, original: Uint32Array) => Uint32Array;
}

function textVerdict(words: Uint32Array): string {
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

/** Decoder, validator, disassembler and assembler. */
export const TEXT: FuzzTarget = {
  originals: () => assembled(["kernel", "shader", "base-kernel", "base-shader"].map((name) => `modules/${name}`)),
  verdict: textVerdict,
};

const SUITE = "../../../tools/kernel-suite/test/spirv";
const SHADERS = "../../../tools/kernel-suite/test/shaders/modules";

/** The reader: its sentences without the numbers in them; `read`. */
export const READER: FuzzTarget = {
  originals: () =>
    assembled([
      "modules/kernel",
      ...["various.64-O2", "various.32-O2", "nbody", "reduce"].map((name) => `${SUITE}/${name}`),
      "modules/shader-interface",
      ...["descriptors", "row-major", "images", "variable-pointers"].map((name) => `${SHADERS}/${name}`),
    ]),
  verdict: (words) => {
    const isReflected = reflectShader(bytesOfWords(words)).ok;
    for (const layout of [LAYOUT_64, LAYOUT_32]) {
      const options = { name: "fuzz", layout, specialization: new Map(), floatFlags: 0, uniformWorkGroups: false };
      const read = readSpirv(bytesOfWords(words), options);
      if (!read.ok && layout === LAYOUT_32) return read.error.message.replaceAll(/%?\d+/gu, "N");
    }
    return isReflected ? "read" : "read, without reflection";
  },
};

/** The reader of bitcode: its sentences without the numbers in them; `read`. Words are those of the file. */
export const BITCODE: FuzzTarget = {
  originals: () => {
    const file = readFileSync(new URL("bitcode/kernels.bc", import.meta.url));
    return [new Uint32Array(new Uint8Array(file).buffer)];
  },
  changed: (random, original) => {
    const bytes = new Uint8Array(original.slice().buffer);
    for (let count = 1 + random.below(4); count > 0; count--) {
      const at = random.below(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
    }
    const length = random.below(8) === 0 ? random.below(bytes.length >>> 2) * 4 : bytes.length;
    return new Uint32Array(bytes.buffer, 0, length >>> 2);
  },
  verdict: (words) => {
    const options = {
      name: "fuzz",
      layout: LAYOUT_32,
      specialization: new Map(),
      floatFlags: 0,
      uniformWorkGroups: false,
    };
    const read = readSpir(new Uint8Array(words.buffer, 0, words.byteLength), options);
    return read.ok ? "read" : read.error.message.replaceAll(/%?\d+/gu, "N");
  },
};

/** Changes and reads so many modules. */
export function fuzz(count: number, firstSeed: number, target: FuzzTarget = TEXT): FuzzCounts {
  const originals = target.originals();
  const byRule: Record<string, number> = {};
  const failures: string[] = [];
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const random = new Random(seed);
    const words = (target.changed ?? mutated)(random, originals[random.below(originals.length)] ?? new Uint32Array());
    const begin = process.cpuUsage();
    try {
      const rule = target.verdict(words);
      byRule[rule] = (byRule[rule] ?? 0) + 1;
    } catch (error) {
      failures.push(
        `seed ${seed}: ${error instanceof Error ? (error.stack?.split("\n", 3).join(" ") ?? error.message) : String(error)}`,
      );
    }
    const { user, system } = process.cpuUsage(begin);
    const took = (user + system) / 1000;
    if (took > MOST_MS) failures.push(`seed ${seed}: took ${took} ms`);
  }
  return { byRule, failures };
}

if (import.meta.main) {
  const [, count = "100000"] = /--spirv=(\d+)/u.exec(process.argv.join(" ")) ?? [];
  const [, seed = "1"] = /--seed=(\d+)/u.exec(process.argv.join(" ")) ?? [];
  for (const target of [TEXT, READER, BITCODE]) {
    const { byRule, failures } = fuzz(Number(count), Number(seed), target);
    for (const [rule, times] of Object.entries(byRule).toSorted(([, a], [, b]) => b - a)) console.log(rule, times);
    for (const failure of failures) console.error(failure);
    if (failures.length > 0) process.exitCode = 1;
  }
}
