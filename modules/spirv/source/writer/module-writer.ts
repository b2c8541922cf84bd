// SPDX-License-Identifier: Apache-2.0
// A module while it is written: the sections of SPIR-V's logical layout as words, ids, and what is declared once.
// Types and constants are interned by their words, so equal ones have one id, as the specification demands of types.
import { Module } from "@muxkit/ir";

import { wordsOfText } from "../binary/literal.ts";
import type { EnumerantNames, ExtendedNames } from "../generated/names.ts";
import { enumerant, opRow } from "../grammar/tables.ts";
import { Unwritable } from "./error.ts";
import { written } from "./written.ts";

/** Sections in the order of the logical layout; what comes before them is made at the end. */
export type Section = "modes" | "strings" | "names" | "annotations" | "declarations" | "prototypes" | "functions";

const OP_NAME = written("OpName");
const OP_DECORATE = written("OpDecorate");
const OP_MEMBER_DECORATE = written("OpMemberDecorate");
const OP_STRING = written("OpString");
const OP_EXT_INST_IMPORT = written("OpExtInstImport");

/** An operand: a word, or a text. */
export type Operand = number | string;

/** Appends an instruction to a list of words. */
export function append(words: number[], opcode: number, operands: readonly Operand[]): void {
  const begin = words.length;
  words.push(0);
  for (const operand of operands)
    if (typeof operand === "number") words.push(operand >>> 0);
    else for (const word of wordsOfText(operand)) words.push(word);
  const size = words.length - begin;
  if (size > 0xffff)
    throw new Unwritable({
      where: "",
      place: "",
      message: `${opRow(opcode)?.name ?? "an instruction"} has more than 65,535 words`,
    });
  words[begin] = ((size << 16) | opcode) >>> 0;
}

/** See the file's head. */
export class ModuleWriter {
  readonly module: Module;
  /** What the module is for: it decides between rows of the tables. */
  readonly target: "kernel" | "shader";
  /** Where addresses have bits: 32 or 64; shaders have none. */
  readonly addressBits: number;
  readonly sections: Readonly<Record<Section, number[]>> = {
    modes: [],
    strings: [],
    names: [],
    annotations: [],
    declarations: [],
    prototypes: [],
    functions: [],
  };
  /** Capabilities that follow from types and the like, not from an instruction's row. */
  readonly capabilities: Set<number> = new Set();
  readonly extensions: Set<string> = new Set();
  readonly imports: number[] = [];
  private readonly sets = new Map<string, number>();
  private readonly interned = new Map<string, number>();
  private readonly texts = new Map<string, number>();
  private readonly decorated = new Set<string>();
  private next = 1;

  constructor(module: Module, target: "kernel" | "shader") {
    this.module = module;
    this.target = target;
    this.addressBits = module.layout.sizeBits;
  }

  /** A new id. */
  id(): number {
    return this.next++;
  }

  /** Every id is less. */
  get bound(): number {
    return this.next;
  }

  require(name: EnumerantNames["Capability"]): void {
    this.capabilities.add(enumerant("Capability", name));
  }

  /** Appends an instruction to a section. */
  emit(section: Section, opcode: number, ...operands: readonly Operand[]): void {
    append(this.sections[section], opcode, operands);
  }

  /** Declares a type or a constant: what has these operands already has its id. */
  declare(opcode: number, ...operands: readonly number[]): number {
    const key = `${opcode} ${operands.join(" ")}`;
    const known = this.interned.get(key);
    if (known !== undefined) return known;
    const made = this.declareNew(opcode, ...operands);
    this.interned.set(key, made);
    return made;
  }

  /** Declares something of its own. */
  declareNew(opcode: number, ...operands: readonly number[]): number {
    const made = this.id();
    const [first = 0, ...rest] = operands;
    const isTyped = opRow(opcode)?.hasType === true;
    append(this.sections.declarations, opcode, isTyped ? [first, made, ...rest] : [made, ...operands]);
    return made;
  }

  /** An extended set. */
  set(name: keyof ExtendedNames): number {
    let known = this.sets.get(name);
    if (known === undefined) {
      this.sets.set(name, (known = this.id()));
      append(this.imports, OP_EXT_INST_IMPORT, [known, name]);
    }
    return known;
  }

  /** The id of a text. */
  text(value: string): number {
    let known = this.texts.get(value);
    if (known === undefined) {
      this.texts.set(value, (known = this.id()));
      this.emit("strings", OP_STRING, known, value);
    }
    return known;
  }

  name(id: number, name: string): void {
    if (name !== "") this.emit("names", OP_NAME, id, name);
  }

  decorate(id: number, decoration: EnumerantNames["Decoration"], ...operands: readonly Operand[]): void {
    this.emit("annotations", OP_DECORATE, id, enumerant("Decoration", decoration), ...operands);
  }

  /** Decorates something that several places may declare. */
  decorateOnce(id: number, decoration: EnumerantNames["Decoration"], ...operands: readonly Operand[]): void {
    const key = `${id} ${decoration}`;
    if (this.decorated.has(key)) return;
    this.decorated.add(key);
    this.decorate(id, decoration, ...operands);
  }

  decorateMember(
    id: number,
    member: number,
    decoration: EnumerantNames["Decoration"],
    ...operands: readonly Operand[]
  ): void {
    this.emit("annotations", OP_MEMBER_DECORATE, id, member, enumerant("Decoration", decoration), ...operands);
  }
}
