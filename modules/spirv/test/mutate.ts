// SPDX-License-Identifier: Apache-2.0
// Modules that lie: changed copies of valid ones. A change knows words and instructions, so that most of its results
// get past the first layers.
import { type SpirvModule, parseModule } from "@muxkit/spirv";

/** Numbers that look random and are the same in each run. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 to less than `count`. */
  below(count: number): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
    const mixed = Math.imul(this.#state ^ (this.#state >>> 15), 0x2c1b3c6d);
    return ((mixed ^ (mixed >>> 12)) >>> 0) % Math.max(count, 1);
  }
}

type Change = (random: Random, words: number[], module: SpirvModule) => void;

const LARGE = [0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xffff, 0x10000, 3];

function instruction(random: Random, { offsets, count }: SpirvModule): readonly [begin: number, end: number] {
  const at = random.below(count);
  return [offsets[at] ?? 0, offsets[at + 1] ?? 0];
}

/** What changes do. Each works on the words of the original, whose instructions `module` knows. */
const CHANGES: readonly Change[] = [
  // A word becomes another one of the module, a large one, or differs in a bit.
  (random, words) => {
    words[5 + random.below(words.length - 5)] = words[random.below(words.length)] ?? 0;
  },
  (random, words) => {
    words[random.below(words.length)] = LARGE[random.below(LARGE.length)] ?? 0;
  },
  (random, words) => {
    const at = random.below(words.length);
    words[at] = ((words[at] ?? 0) ^ (1 << random.below(32))) >>> 0;
  },
  // An operand becomes an id nearby.
  (random, words, module) => {
    const [begin, end] = instruction(random, module);
    if (end - begin > 1) words[begin + 1 + random.below(end - begin - 1)] = 1 + random.below(module.bound);
  },
  (random, words, module) => {
    const [begin, end] = instruction(random, module);
    if (end - begin > 1) {
      const at = begin + 1 + random.below(end - begin - 1);
      words[at] = ((words[at] ?? 0) + random.below(5) - 2) >>> 0;
    }
  },
  // An opcode becomes another one with the same number of words.
  (random, words, module) => {
    const [begin] = instruction(random, module);
    const opcode = module.opcodes[random.below(module.count)] ?? 0;
    words[begin] = (((words[begin] ?? 0) & 0xffff0000) | opcode) >>> 0;
  },
  // An instruction goes, comes twice, or moves.
  (random, words, module) => {
    const [begin, end] = instruction(random, module);
    words.splice(begin, end - begin);
  },
  (random, words, module) => {
    const [begin, end] = instruction(random, module);
    const [to] = instruction(random, module);
    words.splice(to, 0, ...words.slice(begin, end));
  },
  (random, words, module) => {
    const [begin, end] = instruction(random, module);
    const [to] = instruction(random, module);
    const moved = words.splice(begin, end - begin);
    words.splice(to > begin ? to - moved.length : to, 0, ...moved);
  },
  // The module ends early; its header lies.
  (random, words) => {
    words.length = random.below(words.length);
  },
  (random, words) => {
    words[random.below(5)] = LARGE[random.below(LARGE.length)] ?? 0;
  },
  (random, words) => {
    words[3] = 0xffffffff - random.below(3);
  },
];

/** A changed copy of a module: one to three changes. */
export function mutated(random: Random, original: Uint32Array): Uint32Array {
  const parsed = parseModule(original);
  if (!parsed.ok) return original;
  const words = [...original];
  // Changes that move instructions come last: those before them know where instructions are.
  const chosen = Array.from({ length: 1 + random.below(3) }, () => random.below(CHANGES.length)).toSorted(
    (a, b) => a - b,
  );
  for (const change of chosen) if (words.length >= original.length) CHANGES[change]?.(random, words, parsed.value);
  return Uint32Array.from(words);
}
