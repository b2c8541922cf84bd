// SPDX-License-Identifier: Apache-2.0
// Assembly to a module, in the syntax of spirv-as. Operands are read as the grammar's rows say, by the same stack of
// rows as OperandCursor has: an enumerant brings its parameters, an extended instruction its operands, a number the
// width of its type. `!` and an integer is one word as it is; the operands behind it are words too, since nothing is
// known of them.
import { type Result, err, ok } from "@muxkit/cargo";

import type { NumberType } from "../binary/cursor.ts";
import { HEADER_WORDS, SPIRV_MAGIC, stringAt } from "../binary/module.ts";
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
  KIND_RESULT,
  KIND_SEMANTICS,
  KIND_STRING,
} from "../grammar/kinds.ts";
import {
  EXTENDED_SETS,
  type EnumerationRow,
  OP_ROWS,
  type OpRow,
  type OperandRow,
  enumerationOfKind,
} from "../grammar/tables.ts";
import { wordsOfText } from "../binary/literal.ts";
import { generatorNumber } from "./generators.table.ts";
import { integerOf, parseNumber } from "./number.ts";
import { type AssemblyError, type Token, tokensOf } from "./tokens.ts";

/** How assembly is read. @public */
export interface AssembleOptions {
  /** The version in the header, `1.3`; the comment `; Version:` says it where this is left out, else it is 1.6. */
  readonly version?: string;
  /** Ids that are written as numbers keep them; false: all ids are numbered in the order of the text. */
  readonly keepsNumbers?: boolean;
}

class Failure extends Error {
  readonly error: AssemblyError;

  constructor(message: string, { line, column }: Pick<Token, "line" | "column">) {
    super(message);
    this.error = { line, column, message };
  }
}

const once = (kind: number): OperandRow => ({ kind, quantifier: "" });
const PAIRS: Readonly<Record<number, readonly OperandRow[]>> = {
  [KIND_CASE]: [once(KIND_NUMBER), once(KIND_ID)],
  [KIND_MEMBER]: [once(KIND_ID), once(KIND_INTEGER)],
  [KIND_PHI]: [once(KIND_ID), once(KIND_ID)],
};
const IDS: readonly OperandRow[] = [{ kind: KIND_ID, quantifier: "*" }];
/** An instruction has so many words at most. */
const MOST_WORDS = 0xffff;

/** Comments of a header, as disassemblers write them. */
const VERSION = /^; Version: (\d+)\.(\d+)\s*$/mu;
const GENERATOR = /^; Generator: (.+); (\d+)\s*$/mu;
const BOUND = /^; Bound: (\d+)\s*$/mu;
/** Tools that are called so: Khronos SPIR-V Tools Assembler is 7; a text of nobody is ours, which has no number. */
const NO_TOOL = 0;

class Assembler {
  readonly #tokens: readonly Token[];
  readonly #keepsNumbers: boolean;
  #at = 0;
  readonly #words: number[] = [];
  readonly #ids = new Map<string, number>();
  readonly #taken = new Set<number>();
  #nextId = 1;
  /** Number types by the ids of types; types by the ids of values; names of sets by the ids of imports. */
  readonly #numberTypes = new Map<number, NumberType>();
  readonly #typeOf = new Map<number, number>();
  readonly #sets = new Map<number, string>();

  constructor(tokens: readonly Token[], keepsNumbers: boolean) {
    this.#tokens = tokens;
    this.#keepsNumbers = keepsNumbers;
    if (keepsNumbers)
      for (const { text, isString } of tokens)
        if (!isString && /^%[1-9]\d*$/u.test(text) && Number(text.slice(1)) < 2 ** 32)
          this.#taken.add(Number(text.slice(1)));
  }

  run(): { readonly words: readonly number[]; readonly bound: number } {
    while (this.#at < this.#tokens.length) this.#instruction();
    let bound = this.#nextId;
    for (const id of this.#ids.values()) bound = Math.max(bound, id + 1);
    return { words: this.#words, bound };
  }

  #peek(offset = 0): Token | undefined {
    return this.#tokens[this.#at + offset];
  }

  #last(): Token {
    return this.#tokens[this.#at - 1] ?? { text: "", isString: false, line: 1, column: 1 };
  }

  #take(what: string): Token {
    const token = this.#peek();
    if (token === undefined) throw new Failure(`the text ends where ${what} is expected`, this.#last());
    this.#at++;
    return token;
  }

  /** True where an instruction begins, or the text ends. */
  #isBoundary(): boolean {
    const token = this.#peek();
    if (token === undefined) return true;
    if (token.isString) return false;
    if (/^Op[A-Z]/u.test(token.text)) return true;
    return token.text.startsWith("%") && this.#isEquals(this.#peek(1));
  }

  #isEquals(token: Token | undefined): boolean {
    return token?.isString === false && token.text === "=";
  }

  #id(token: Token): number {
    const { text } = token;
    if (token.isString || !/^%\w+$/u.test(text)) throw new Failure(`an id is expected, not "${text}"`, token);
    const name = text.slice(1);
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    const number = Number(name);
    let id: number;
    if (this.#keepsNumbers && this.#taken.has(number) && String(number) === name) id = number;
    else {
      while (this.#taken.has(this.#nextId)) this.#nextId++;
      id = this.#nextId++;
    }
    this.#ids.set(name, id);
    return id;
  }

  #instruction(): void {
    const first = this.#take("an instruction");
    if (!first.isString && first.text.startsWith("!")) {
      this.#words.push(this.#raw(first));
      this.#rawOperands();
      return;
    }
    let result: Token | null = null;
    let name = first;
    if (this.#isEquals(this.#peek())) {
      result = first;
      this.#at++;
      name = this.#take("an instruction");
    }
    const row = name.isString ? undefined : OP_ROWS.get(name.text);
    if (row === undefined) throw new Failure(`"${name.text}" is no instruction`, name);
    if (row.hasResult && result === null)
      throw new Failure(`${row.name} has a result: "%name =" is expected before it`, name);
    if (!row.hasResult && result !== null) throw new Failure(`${row.name} has no result`, result);
    const begin = this.#words.length;
    this.#words.push(0);
    this.#operands(row, name, result);
    const size = this.#words.length - begin;
    if (size > MOST_WORDS) throw new Failure(`${row.name} has ${size} words, ${MOST_WORDS} are the most`, name);
    this.#words[begin] = ((size << 16) | row.opcode) >>> 0;
    this.#learn(row, begin);
  }

  #operands(row: OpRow, name: Token, result: Token | null): void {
    const begin = this.#words.length;
    const pending: OperandRow[] = row.operands.toReversed();
    for (let operand = pending.pop(); operand !== undefined; operand = pending.pop()) {
      const { kind, quantifier } = operand;
      if (kind === KIND_RESULT && result !== null) {
        this.#words.push(this.#id(result));
        continue;
      }
      if (this.#isBoundary()) {
        if (quantifier !== "") continue;
        throw new Failure(`${row.name} lacks operands`, this.#peek() ?? name);
      }
      if (quantifier === "*") pending.push(operand);
      const token = this.#peek();
      if (token !== undefined && !token.isString && token.text.startsWith("!")) {
        if (result !== null && pending.some((one) => one.kind === KIND_RESULT)) this.#words.push(this.#rawWord());
        else {
          this.#rawOperands();
          return;
        }
        continue;
      }
      const pair = PAIRS[kind];
      if (pair !== undefined) pending.push(...pair.toReversed());
      else this.#operand(kind, begin, pending);
    }
  }

  #operand(kind: number, begin: number, pending: OperandRow[]): void {
    const token = this.#take("an operand");
    if (kind <= KIND_SEMANTICS) this.#words.push(this.#id(token));
    else if (kind >= KIND_ENUMERATION) this.#enumerants(enumerationOfKind(kind), token, pending);
    else if (kind === KIND_STRING) {
      if (!token.isString) throw new Failure(`a string is expected, not ${token.text}`, token);
      this.#string(token.text);
    } else if (token.isString) throw new Failure("a string is not expected here", token);
    else if (kind === KIND_INTEGER)
      this.#number(token, { bits: 32, form: token.text.startsWith("-") ? "signed" : "unsigned" });
    else if (kind === KIND_NUMBER) {
      const type = this.#numberType(begin);
      if (type === undefined) throw new Failure("the type of a number is not known here", token);
      this.#number(token, type);
    } else if (kind === KIND_OPCODE) {
      const row = OP_ROWS.get(`Op${token.text}`);
      if (row === undefined || !row.hasType) throw new Failure(`"${token.text}" makes no constant`, token);
      this.#words.push(row.opcode);
      pending.push(...row.operands.slice(2).toReversed());
    } else if (kind === KIND_EXTENDED) this.#extended(token, pending);
  }

  #number(token: Token, type: NumberType): void {
    const words = parseNumber(token.text, type);
    if (typeof words === "string") throw new Failure(words, token);
    this.#words.push(...words);
  }

  #string(text: string): void {
    for (const word of wordsOfText(text)) this.#words.push(word);
  }

  #enumerants(of: EnumerationRow | undefined, token: Token, pending: OperandRow[]): void {
    const parts = of?.isMask === true ? token.text.split("|") : [token.text];
    const rows = parts.map((name) => of?.byName.get(name));
    const number = integerOf(token.text);
    if (number !== null && number >= 0n && number < 2n ** 32n && rows.includes(undefined)) {
      this.#words.push(Number(number));
      return;
    }
    let value = 0;
    for (const [index, row] of rows.entries()) {
      if (row === undefined) throw new Failure(`"${parts[index] ?? ""}" is no ${of?.name ?? "value"}`, token);
      value = (value | row.value) >>> 0;
    }
    this.#words.push(value);
    const inOrder = rows.flatMap((row) => (row === undefined ? [] : [row])).toSorted((a, b) => b.value - a.value);
    for (const row of inOrder) pending.push(...row.operands.toReversed());
  }

  #extended(token: Token, pending: OperandRow[]): void {
    const set = EXTENDED_SETS.get(this.#sets.get(this.#words.at(-1) ?? 0) ?? "");
    const row = set?.byName.get(token.text);
    const number = row?.number ?? integerOf(token.text);
    if (number === null || number < 0 || number >= 2 ** 32)
      throw new Failure(`"${token.text}" is no instruction of ${set?.name ?? "the set, which is not known"}`, token);
    this.#words.push(Number(number));
    pending.length = 0;
    pending.push(...(row?.operands ?? IDS).toReversed());
  }

  #raw(token: Token): number {
    const value = integerOf(token.text.slice(1));
    if (value === null || value < 0n || value >= 2n ** 32n)
      throw new Failure(`! is followed by an integer of 32 bits, not "${token.text.slice(1)}"`, token);
    return Number(value);
  }

  #rawWord(): number {
    return this.#raw(this.#take("a word"));
  }

  /** Words up to the next instruction: nothing is known of what they mean. */
  #rawOperands(): void {
    while (!this.#isBoundary()) {
      const token = this.#take("a word");
      if (token.isString) this.#string(token.text);
      else if (token.text.startsWith("!")) this.#words.push(this.#raw(token));
      else if (token.text.startsWith("%")) this.#words.push(this.#id(token));
      else this.#number(token, this.#guess(token.text));
    }
  }

  #guess(text: string): NumberType {
    if (integerOf(text) === null) return { bits: 32, form: "float" };
    return { bits: 32, form: text.startsWith("-") ? "signed" : "unsigned" };
  }

  /** The type of the numbers of the instruction whose operands begin at a word: of its result, or of its selector. */
  #numberType(begin: number): NumberType | undefined {
    const first = this.#words[begin] ?? 0;
    return this.#numberTypes.get(first) ?? this.#numberTypes.get(this.#typeOf.get(first) ?? 0);
  }

  /** What later instructions need to know of this one. */
  #learn(row: OpRow, begin: number): void {
    const word = (index: number): number => this.#words[begin + index] ?? 0;
    if (row.hasType) this.#typeOf.set(word(2), word(1));
    if (row.name === "OpTypeInt" && word(2) >= 1 && word(2) <= 64)
      this.#numberTypes.set(word(1), { bits: word(2), form: word(3) === 0 ? "unsigned" : "signed" });
    else if (row.name === "OpTypeFloat") this.#numberTypes.set(word(1), { bits: word(2), form: "float" });
    else if (row.name === "OpExtInstImport")
      this.#sets.set(
        word(1),
        stringAt(Uint32Array.from(this.#words.slice(begin + 2)), 0, this.#words.length - begin - 2),
      );
  }
}

function versionWord(version: string | undefined, text: string): number {
  const [major = "1", minor = "6"] = version?.split(".") ?? VERSION.exec(text)?.slice(1) ?? [];
  return ((Number(major) << 16) | (Number(minor) << 8)) >>> 0;
}

/**
 * Assembles a text. Comments of a header as {@link disassemble} writes them give version, generator and bound, so that
 * the text of a module with raw names gives the same bytes again.
 *
 * @public
 */
export function assemble(text: string, options: AssembleOptions = {}): Result<Uint32Array, AssemblyError> {
  const { version, keepsNumbers = true } = options;
  const { tokens, error } = tokensOf(text);
  if (error !== null) return err(error);
  try {
    const { words, bound } = new Assembler(tokens, keepsNumbers).run();
    const [, tool = "", toolVersion = "0"] = GENERATOR.exec(text) ?? [];
    const module = new Uint32Array(HEADER_WORDS + words.length);
    module[0] = SPIRV_MAGIC;
    module[1] = versionWord(version, text);
    module[2] = (Math.max(generatorNumber(tool), NO_TOOL) << 16) | Number(toolVersion);
    module[3] = Math.max(bound, keepsNumbers ? Number(BOUND.exec(text)?.[1] ?? 0) : 0);
    module.set(words, HEADER_WORDS);
    return ok(module);
  } catch (failure) {
    if (failure instanceof Failure) return err(failure.error);
    throw failure;
  }
}
