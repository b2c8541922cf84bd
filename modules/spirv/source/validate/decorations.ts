// SPDX-License-Identifier: Apache-2.0
// Decorations by what they decorate: the instructions that decorate an id or a member, groups included. Made once, when
// a layer first asks, for modules whose rules need it.
import { enumerant, opcodeOf } from "../grammar/tables.ts";
import type { EnumerantNames } from "../generated/names.ts";
import type { Validation } from "./validation.ts";

const DECORATE: ReadonlySet<number> = new Set([opcodeOf("OpDecorate"), opcodeOf("OpDecorateId")]);
const MEMBER_DECORATE = opcodeOf("OpMemberDecorate");
const GROUP_DECORATE = opcodeOf("OpGroupDecorate");
const FUNCTION = opcodeOf("OpFunction");
const WHOLE = -1;

type DecorationName = EnumerantNames["Decoration"];

/** A decoration: its instruction, its first parameter's word, and its value. */
export interface Decorated {
  readonly at: number;
  readonly kind: number;
  /** The member that it decorates; -1: the whole. */
  readonly member: number;
  /** The word of its first parameter. */
  readonly word: number;
}

const NONE: readonly Decorated[] = [];

/** The decorations of a module. */
export class Decorations {
  readonly #of = new Map<number, Decorated[]>();
  readonly #validation: Validation;

  constructor(validation: Validation) {
    this.#validation = validation;
    const { opcodes, count } = validation.module;
    for (let at = 0; at < count && opcodes[at] !== FUNCTION; at++) {
      const opcode = opcodes[at] ?? 0;
      if (DECORATE.has(opcode)) this.#add(validation.word(at, 1), at, WHOLE, 2);
      else if (opcode === MEMBER_DECORATE) this.#add(validation.word(at, 1), at, validation.word(at, 2), 3);
      else if (opcode === GROUP_DECORATE) {
        const group = this.#of.get(validation.word(at, 1)) ?? NONE;
        // What a group has once costs its users nothing: the list is shared while they have no others.
        for (let word = 2; word < validation.size(at); word++) {
          const target = validation.word(at, word);
          const known = this.#of.get(target);
          if (known === undefined) this.#of.set(target, group as Decorated[]);
          else if (known !== group) this.#of.set(target, [...new Set([...known, ...group])]);
        }
      }
    }
  }

  #add(target: number, at: number, member: number, word: number): void {
    const one = { at, kind: this.#validation.word(at, word), member, word: word + 1 };
    const known = this.#of.get(target);
    if (known === undefined) this.#of.set(target, [one]);
    else known.push(one);
  }

  /** Everything that decorates an id or its members. */
  of(id: number): readonly Decorated[] {
    return this.#of.get(id) ?? NONE;
  }

  /** A decoration of an id, or of a member; null: it has none. */
  find(id: number, name: DecorationName, member: number = WHOLE): Decorated | null {
    const kind = enumerant("Decoration", name);
    return this.of(id).find((one) => one.kind === kind && one.member === member) ?? null;
  }

  has(id: number, name: DecorationName, member: number = WHOLE): boolean {
    return this.find(id, name, member) !== null;
  }

  /** The first parameter of a decoration; null: there is no such decoration. */
  value(id: number, name: DecorationName, member: number = WHOLE): number | null {
    const found = this.find(id, name, member);
    return found === null ? null : this.#validation.word(found.at, found.word);
  }

  /** Ids that are decorated. */
  get ids(): Iterable<number> {
    return this.#of.keys();
  }
}
