// SPDX-License-Identifier: Apache-2.0
// Walks over the operands of an instruction as the grammar's rows say. What follows an operand depends on it: an
// enumerant has parameters, an extended instruction has operands of its own, a number is as wide as its type. So the
// cursor holds a short stack of rows. It allocates nothing per operand and reads each word once, but for the ends of
// strings.
import { type OperandRow, type OpRow, EXTENDED_SETS, enumerationOfKind, opRow, opcodeOf } from "../grammar/tables.ts";
import {
  KIND_CASE,
  KIND_ENUMERATION,
  KIND_EXTENDED,
  KIND_ID,
  KIND_INTEGER,
  KIND_MEMBER,
  KIND_NUMBER,
  KIND_OPCODE,
  KIND_PHI,
  KIND_SEMANTICS,
  KIND_STRING,
} from "../grammar/kinds.ts";
import { type SpirvModule, stringAt } from "./module.ts";

const TYPE_INT = opcodeOf("OpTypeInt");
const TYPE_FLOAT = opcodeOf("OpTypeFloat");
const SWITCH = opcodeOf("OpSwitch");

const NONE: readonly OperandRow[] = [];
const IDS: readonly OperandRow[] = [{ kind: KIND_ID, quantifier: "*" }];
const once = (kind: number): OperandRow => ({ kind, quantifier: "" });
const CASE_PARTS = [once(KIND_NUMBER), once(KIND_ID)];
const MEMBER_PARTS = [once(KIND_ID), once(KIND_INTEGER)];
const PHI_PARTS = [once(KIND_ID), once(KIND_ID)];
/**
 * Rows in rows: an instruction, the instruction in OpSpecConstantOp, an enumerant's parameters, the parts of a pair.
 */
const DEPTH = 6;
const DEBUG_INFO = "OpenCL.DebugInfo.100";
/** The widest number that there is. */
const MOST_BITS = 64;

/** How a number is stored, by the type that says it. @public */
export interface NumberType {
  /** How many bits a number has. */
  readonly bits: number;
  /** What the bits mean. */
  readonly form: "unsigned" | "signed" | "float";
}

/** Walks over the operands of one instruction after the other. @public */
export class OperandCursor {
  /** What the operand is: a constant `KIND_…` or an enumeration's kind. Pairs come as their parts. */
  kind = 0;
  /** The operand's first word. */
  offset = 0;
  /** How many words it has. */
  size = 0;
  /** Its first word's value. */
  value = 0;
  /** Why the walk ended early; empty: it has not. */
  problem = "";
  /** The rule that is broken where there is a problem. */
  rule = "";
  /** Which operand this is, from 0. Parameters of enumerants count. */
  index = -1;

  /** The module whose instructions it walks over. */
  readonly module: SpirvModule;
  #end = 0;
  #next = 0;
  #instruction = 0;
  #row: OpRow | undefined;
  #depth = 0;
  #set = "";
  readonly #lists: (readonly OperandRow[])[] = Array.from({ length: DEPTH }, () => NONE);
  readonly #places = new Int32Array(DEPTH);

  /** Makes a cursor that stands before the first operand of nothing. */
  constructor(module: SpirvModule) {
    this.module = module;
  }

  /** Stands before the first operand of an instruction. */
  begin(instruction: number): void {
    const { offsets, opcodes } = this.module;
    this.#instruction = instruction;
    this.#next = (offsets[instruction] ?? 0) + 1;
    this.#end = offsets[instruction + 1] ?? 0;
    this.#row = opRow(opcodes[instruction] ?? 0);
    this.#depth = 0;
    this.#lists[0] = this.#row?.operands ?? NONE;
    this.#places[0] = 0;
    this.problem = "";
    this.rule = "";
    this.index = -1;
    this.#set = "";
  }

  /** Goes to the next operand. False: there is none; `problem` says whether something is wrong. */
  next(): boolean {
    for (;;) {
      const list = this.#lists[this.#depth] ?? NONE;
      const place = this.#places[this.#depth] ?? 0;
      const row = list[place];
      if (row === undefined) {
        if (this.#depth > 0) {
          this.#depth--;
          continue;
        }
        if (this.#next >= this.#end) return false;
        return this.#fail("word-count", `it has ${this.#end - this.#next} words more than operands`);
      }
      if (this.#next >= this.#end) {
        if (row.quantifier === "") return this.#fail("word-count", "it ends before its last operand");
        this.#places[this.#depth] = place + 1;
        continue;
      }
      if (row.quantifier !== "*") this.#places[this.#depth] = place + 1;
      if (row.kind === KIND_CASE) this.#push(CASE_PARTS);
      else if (row.kind === KIND_MEMBER) this.#push(MEMBER_PARTS);
      else if (row.kind === KIND_PHI) this.#push(PHI_PARTS);
      else return this.#take(row.kind);
    }
  }

  /** The text of the operand, which is a string. */
  text(): string {
    return stringAt(this.module.words, this.offset, this.offset + this.size);
  }

  /** The word after the instruction's last one. */
  get end(): number {
    return this.#end;
  }

  /** The name of the extended set whose instruction was met last; empty: none in this instruction. */
  get set(): string {
    return this.#set;
  }

  #push(list: readonly OperandRow[]): void {
    if (list.length === 0) return;
    this.#depth++;
    this.#lists[this.#depth] = list;
    this.#places[this.#depth] = 0;
  }

  #fail(rule: string, problem: string): false {
    this.rule = rule;
    this.problem = problem;
    this.offset = Math.min(this.#next, this.#end);
    this.#depth = 0;
    this.#lists[0] = NONE;
    this.#next = this.#end;
    return false;
  }

  #take(kind: number): boolean {
    const { words, bound } = this.module;
    const value = words[this.#next] ?? 0;
    let size = 1;
    if (kind >= KIND_ENUMERATION) {
      if (!this.#enumerant(kind, value)) return false;
    } else if (kind <= KIND_SEMANTICS) {
      if (value === 0) return this.#fail("id-zero", "an id is 0");
      if (value >= bound) return this.#fail("id-bound", `the id ${value} is not below the bound ${bound}`);
    } else if (kind === KIND_STRING) {
      size = this.#stringSize();
      if (size === 0) return this.#fail("string", "a string has no end");
    } else if (kind === KIND_NUMBER) {
      size = this.#numberSize();
      if (size === 0) return this.#fail("number-type", "the type of a number is no integer or float of up to 64 bits");
      if (size > this.#end - this.#next)
        return this.#fail("word-count", `a number has ${size} words, ${this.#end - this.#next} are left`);
    } else if (kind === KIND_OPCODE) {
      const row = opRow(value);
      if (row === undefined || !row.hasResult || !row.hasType)
        return this.#fail("opcode", `the opcode ${value} makes no constant`);
      this.#push(row.operands.slice(2));
    } else if (kind === KIND_EXTENDED && !this.#extended(value)) return false;
    this.kind = kind;
    this.offset = this.#next;
    this.size = size;
    this.value = value;
    this.index++;
    this.#next += size;
    return true;
  }

  #enumerant(kind: number, value: number): boolean {
    const of = enumerationOfKind(kind);
    const row = of?.byValue.get(value);
    // A name of several bits, as FlagIsPublic, is not a bit: it has no parameters.
    if (row !== undefined && (of?.isMask !== true || (value & (value - 1)) === 0)) {
      this.#push(row.operands);
      return true;
    }
    // Translators write ~0 for what they do not know into debug information, which changes no meaning.
    if (of === undefined || this.#set === DEBUG_INFO) return true;
    if (!of.isMask) return this.#fail("enumerant", `${value} is no ${of.name}`);
    const parameters: OperandRow[] = [];
    for (let rest = value; rest !== 0;) {
      const bit = (rest & -rest) >>> 0;
      const part = of.byValue.get(bit);
      if (part === undefined) return this.#fail("enumerant", `the bit 0x${bit.toString(16)} is no ${of.name}`);
      for (const operand of part.operands) parameters.push(operand);
      rest = (rest ^ bit) >>> 0;
    }
    this.#push(parameters);
    return true;
  }

  #extended(value: number): boolean {
    const name = this.module.imports.get(this.value);
    if (name === undefined) return this.#fail("extended-set", `the id ${this.value} is no imported set`);
    this.#set = name;
    const row = EXTENDED_SETS.get(name)?.rows.get(value);
    if (row === undefined && EXTENDED_SETS.has(name) && !name.startsWith("NonSemantic."))
      return this.#fail("extended-set", `${name} has no instruction ${value}`);
    this.#lists[this.#depth] = row?.operands ?? IDS;
    this.#places[this.#depth] = 0;
    return true;
  }

  #stringSize(): number {
    const { words } = this.module;
    for (let at = this.#next; at < this.#end; at++) {
      const word = words[at] ?? 0;
      // A byte is zero where subtracting one borrows into a bit that was not set.
      if (((word - 0x01010101) & ~word & 0x80808080) !== 0) return at - this.#next + 1;
    }
    return 0;
  }

  #numberSize(): number {
    const type = this.numberType();
    return type === null ? 0 : Math.max(1, Math.ceil(type.bits / 32));
  }

  /** How the numbers of this instruction are stored; null: it has no such type. */
  numberType(): NumberType | null {
    const { words, offsets, opcodes, types, definitions } = this.module;
    let type = types[this.#instruction] ?? 0;
    if (opcodes[this.#instruction] === SWITCH) {
      const selector = definitions.of(words[(offsets[this.#instruction] ?? 0) + 1] ?? 0);
      type = selector < 0 ? 0 : (types[selector] ?? 0);
    }
    const definition = definitions.of(type);
    if (definition < 0) return null;
    const opcode = opcodes[definition];
    const at = offsets[definition] ?? 0;
    const size = (offsets[definition + 1] ?? 0) - at;
    const bits = words[at + 2] ?? 0;
    if (bits > MOST_BITS) return null;
    if (opcode === TYPE_INT && size > 3) return { bits, form: words[at + 3] === 0 ? "unsigned" : "signed" };
    return opcode === TYPE_FLOAT && size > 2 ? { bits, form: "float" } : null;
  }
}
