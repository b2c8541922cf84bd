// SPDX-License-Identifier: Apache-2.0
// Decorations by what they decorate, for all who ask: columns of instructions, no object for a decoration. Lists by
// target in one array (counted, then filled, as rows of a sparse matrix are); what a group applies is a list of the
// groups of its target, never a copy: a module of n words that decorates n things by a group of n decorations keeps n
// numbers, not n².
//
// Short lists are walked; long ones are sorted by member and kind when they are made, and searched. Cost: linear in the
// module but for that sorting.
import type { EnumerantNames } from "../generated/names.ts";
import { enumerant, opcodeOf } from "../grammar/tables.ts";
import type { SpirvModule } from "./module.ts";

const FUNCTION = opcodeOf("OpFunction");
const DECORATE = opcodeOf("OpDecorate");
const DECORATE_ID = opcodeOf("OpDecorateId");
const DECORATE_STRING = opcodeOf("OpDecorateString");
const MEMBER_DECORATE = opcodeOf("OpMemberDecorate");
const MEMBER_DECORATE_STRING = opcodeOf("OpMemberDecorateString");
const GROUP_DECORATE = opcodeOf("OpGroupDecorate");
const GROUP_MEMBER_DECORATE = opcodeOf("OpGroupMemberDecorate");

/** The member that stands for the whole. */
export const WHOLE = -1;
/** Longer lists are sorted. */
const SHORT = 8;
/** Who has more groups is remembered decoration by decoration: nobody has, but for modules that are made to be slow. */
const MANY_GROUPS = 1000;

/** Words of the decoration's kind, by opcode; undefined: the instruction is no decoration of a thing. */
const KIND_WORDS: (1 | 2 | 3 | undefined)[] = [];
for (const opcode of [DECORATE, DECORATE_ID, DECORATE_STRING]) KIND_WORDS[opcode] = 2;
for (const opcode of [MEMBER_DECORATE, MEMBER_DECORATE_STRING]) KIND_WORDS[opcode] = 3;

/** Decorations as they are named. */
export type DecorationName = EnumerantNames["Decoration"];

/** Values in lists: where each list begins in `values`, and the end as the last element. */
interface Lists {
  readonly begins: Uint32Array;
  readonly values: Uint32Array;
}

/** Lists of what `each` gives: it is walked twice, and must give the same both times. */
function listsOf(count: number, each: (take: (list: number, value: number) => void) => void): Lists {
  // Counted two places behind, a list's begin lies one place behind while it is filled, and in its own place after.
  const begins = new Uint32Array(count + 2);
  each((list) => (begins[list + 2] = (begins[list + 2] ?? 0) + 1));
  for (let list = 2; list < begins.length; list++) begins[list] = (begins[list] ?? 0) + (begins[list - 1] ?? 0);
  const values = new Uint32Array(begins[count + 1] ?? 0);
  each((list, value) => {
    const place = begins[list + 1] ?? 0;
    values[place] = value;
    begins[list + 1] = place + 1;
  });
  return { begins, values };
}

/** The decorations of a module. */
export class Decorations {
  readonly #module: SpirvModule;
  /** Instructions by the definition of what they decorate. */
  readonly #own: Lists;
  /** Words that name a target of a group, by the definition of that target; null: there are no groups. */
  readonly #applied: Lists | null;
  readonly #byName = new Map<number, readonly number[]>();
  readonly #remembered = new Map<number, ReadonlyMap<number, number>>();

  /** Reads the decorations that stand before the first function. */
  constructor(module: SpirvModule) {
    this.#module = module;
    const { opcodes, count } = module;
    let end = 0;
    let hasGroups = false;
    for (; end < count && opcodes[end] !== FUNCTION; end++)
      hasGroups ||= opcodes[end] === GROUP_DECORATE || opcodes[end] === GROUP_MEMBER_DECORATE;
    this.#own = listsOf(count, (take) => this.#eachDecoration(end, take));
    this.#applied = hasGroups ? listsOf(count, (take) => this.#eachApplication(end, take)) : null;
    const { begins, values } = this.#own;
    for (let target = 0; target < count; target++) {
      if ((begins[target + 1] ?? 0) - (begins[target] ?? 0) <= SHORT) continue;
      const list = values.subarray(begins[target], begins[target + 1]);
      list.sort((a, b) => this.#compare(a, this.#member(b), this.#kind(b)) || a - b);
    }
  }

  #eachDecoration(end: number, take: (target: number, instruction: number) => void): void {
    const { opcodes, words, offsets, definitions } = this.#module;
    for (let at = 0; at < end; at++) {
      if (KIND_WORDS[opcodes[at] ?? 0] === undefined) continue;
      const target = definitions.of(words[(offsets[at] ?? 0) + 1] ?? 0);
      if (target >= 0) take(target, at);
    }
  }

  #eachApplication(end: number, take: (target: number, word: number) => void): void {
    const { opcodes, words, offsets, definitions } = this.#module;
    for (let at = 0; at < end; at++) {
      const opcode = opcodes[at];
      const step = opcode === GROUP_DECORATE ? 1 : opcode === GROUP_MEMBER_DECORATE ? 2 : 0;
      if (step === 0) continue;
      for (let word = (offsets[at] ?? 0) + 2; word < (offsets[at + 1] ?? 0); word += step) {
        const target = definitions.of(words[word] ?? 0);
        if (target >= 0) take(target, word);
      }
    }
  }

  #kindWord(instruction: number): number {
    const { opcodes, offsets } = this.#module;
    return (offsets[instruction] ?? 0) + (KIND_WORDS[opcodes[instruction] ?? 0] ?? 2);
  }

  #kind(instruction: number): number {
    return this.#module.words[this.#kindWord(instruction)] ?? 0;
  }

  #member(instruction: number): number {
    const { opcodes, words, offsets } = this.#module;
    return KIND_WORDS[opcodes[instruction] ?? 0] === 3 ? (words[(offsets[instruction] ?? 0) + 2] ?? 0) : WHOLE;
  }

  /** The order of long lists. */
  #compare(instruction: number, member: number, kind: number): number {
    return this.#member(instruction) - member || this.#kind(instruction) - kind;
  }

  /** The place in the list of a definition at which decorations of a kind may begin. */
  #lowerBound(definition: number, member: number, kind: number): number {
    const { begins, values } = this.#own;
    let low = begins[definition] ?? 0;
    let high = begins[definition + 1] ?? 0;
    if (high - low <= SHORT) return low;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(values[middle] ?? 0, member, kind) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Own decorations of a kind, without those of groups. */
  *#eachOwn(definition: number, member: number, kind: number): Generator<number> {
    const { begins, values } = this.#own;
    const begin = begins[definition] ?? 0;
    const end = begins[definition + 1] ?? 0;
    for (let at = this.#lowerBound(definition, member, kind); at < end; at++) {
      const instruction = values[at] ?? 0;
      if (this.#compare(instruction, member, kind) === 0) yield instruction;
      else if (end - begin > SHORT) return;
    }
  }

  #findOwn(definition: number, member: number, kind: number): number {
    const { begins, values } = this.#own;
    const begin = begins[definition] ?? 0;
    const end = begins[definition + 1] ?? 0;
    for (let at = this.#lowerBound(definition, member, kind); at < end; at++) {
      const instruction = values[at] ?? 0;
      if (this.#compare(instruction, member, kind) === 0) return instruction;
      if (end - begin > SHORT) return -1;
    }
    return -1;
  }

  /** The groups that decorate a thing, as definitions. Each as often as it is applied. */
  *#groups(definition: number, member: number): Generator<number> {
    if (this.#applied === null) return;
    const { begins, values } = this.#applied;
    const { opcodes, words, offsets, definitions } = this.#module;
    for (let at = begins[definition] ?? 0; at < (begins[definition + 1] ?? 0); at++) {
      const word = values[at] ?? 0;
      const instruction = this.#instructionAt(word);
      const own = opcodes[instruction] === GROUP_MEMBER_DECORATE ? (words[word + 1] ?? 0) : WHOLE;
      const group = own === member ? definitions.of(words[(offsets[instruction] ?? 0) + 1] ?? 0) : -1;
      if (group >= 0) yield group;
    }
  }

  /** The instruction that has a word. */
  #instructionAt(word: number): number {
    const { offsets, count } = this.#module;
    let low = 0;
    let high = count;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((offsets[middle] ?? 0) <= word) low = middle;
      else high = middle;
    }
    return low;
  }

  /** True for what has decorations. */
  isDecorated(id: number): boolean {
    const definition = this.#module.definitions.of(id);
    const has = ({ begins }: Lists): boolean => begins[definition] !== begins[definition + 1];
    return definition >= 0 && (has(this.#own) || (this.#applied !== null && has(this.#applied)));
  }

  /** The instruction that decorates an id, or a member of it; -1: none does. */
  find(id: number, name: DecorationName, member: number = WHOLE): number {
    const definition = this.#module.definitions.of(id);
    if (definition < 0) return -1;
    const kind = enumerant("Decoration", name);
    const own = this.#findOwn(definition, member, kind);
    if (own >= 0 || this.#applied === null) return own;
    const { begins } = this.#applied;
    if (member === WHOLE && (begins[definition + 1] ?? 0) - (begins[definition] ?? 0) > MANY_GROUPS)
      return this.#kindsOf(definition).get(kind) ?? -1;
    for (const group of this.#groups(definition, member)) {
      const found = this.#findOwn(group, WHOLE, kind);
      if (found >= 0) return found;
    }
    return -1;
  }

  /** The first decoration of each kind that groups give to a thing. */
  #kindsOf(definition: number): ReadonlyMap<number, number> {
    const known = this.#remembered.get(definition);
    if (known !== undefined) return known;
    const kinds = new Map<number, number>();
    const { begins, values } = this.#own;
    for (const group of new Set(this.#groups(definition, WHOLE)))
      for (const instruction of values.subarray(begins[group], begins[group + 1]))
        if (!kinds.has(this.#kind(instruction))) kinds.set(this.#kind(instruction), instruction);
    this.#remembered.set(definition, kinds);
    return kinds;
  }

  /** Every instruction that decorates an id, or a member of it, by a kind. */
  *each(id: number, name: DecorationName, member: number = WHOLE): Generator<number> {
    const definition = this.#module.definitions.of(id);
    if (definition < 0) return;
    const kind = enumerant("Decoration", name);
    yield* this.#eachOwn(definition, member, kind);
    for (const group of this.#groups(definition, member)) yield* this.#eachOwn(group, WHOLE, kind);
  }

  has(id: number, name: DecorationName, member: number = WHOLE): boolean {
    return this.find(id, name, member) >= 0;
  }

  /** The words behind the kind of a decoration. */
  parameters(instruction: number): Uint32Array {
    const { words, offsets } = this.#module;
    return words.subarray(this.#kindWord(instruction) + 1, offsets[instruction + 1]);
  }

  /** The first parameter of a decoration; null: there is no such decoration, or it has none. */
  value(id: number, name: DecorationName, member: number = WHOLE): number | null {
    const found = this.find(id, name, member);
    if (found < 0) return null;
    const at = this.#kindWord(found) + 1;
    return at < (this.#module.offsets[found + 1] ?? 0) ? (this.#module.words[at] ?? 0) : null;
  }

  /** Ids that have a decoration as a whole, in the order of their definitions. */
  decorated(name: DecorationName): readonly number[] {
    const kind = enumerant("Decoration", name);
    let ids = this.#byName.get(kind);
    if (ids === undefined) {
      const found: number[] = [];
      for (const id of this.#module.results) if (id !== 0 && this.isDecorated(id) && this.has(id, name)) found.push(id);
      this.#byName.set(kind, (ids = found));
    }
    return ids;
  }
}
