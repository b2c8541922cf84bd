// SPDX-License-Identifier: Apache-2.0
/**
 * The text of a PTX module as data: variables, functions, and instructions with their operands and lines. What an
 * opcode means is not looked at here. Grammar: PTX ISA 7.8, chapters 4 and 5, as far as the generator uses it.
 *
 * Cost: linear in the text; one pass of a regular expression makes the tokens.
 */
import { type Result, err, ok } from "@muxkit/cargo";

/** A failure to read or to understand a module. @public */
export interface PtxError {
  /** Counted from 1. */
  readonly line: number;
  /** One sentence. */
  readonly message: string;
}

/** An operand as written. */
export type Operand =
  | { readonly kind: "register"; readonly name: string }
  | { readonly kind: "integer"; readonly value: bigint }
  | { readonly kind: "float"; readonly bits: 32 | 64; readonly value: bigint }
  | { readonly kind: "symbol"; readonly name: string }
  | { readonly kind: "address"; readonly base: Operand | null; readonly offset: number }
  | { readonly kind: "vector"; readonly items: readonly Operand[] }
  | { readonly kind: "list"; readonly items: readonly Operand[] };

/** An instruction. */
export interface Statement {
  readonly line: number;
  /** The guard: a predicate register, and whether it is read inverted. */
  readonly guard: { readonly register: string; readonly isInverted: boolean } | null;
  /** Name with its modifiers and types. */
  readonly opcode: string;
  readonly operands: readonly Operand[];
}

/** A variable or parameter, with its initial bytes. */
export interface Variable {
  readonly name: string;
  readonly space: string;
  readonly alignment: number;
  readonly bytes: number;
  readonly initial: Uint8Array | null;
  /** Words of 64 bits that are addresses of other variables. */
  readonly addresses: readonly { readonly offset: number; readonly name: string; readonly addend: bigint }[];
  readonly isExternal: boolean;
}

/** A kernel or function. */
export interface PtxFunction {
  readonly name: string;
  readonly line: number;
  readonly isKernel: boolean;
  readonly parameters: readonly Variable[];
  readonly result: Variable | null;
  /** Classes of registers by what their names begin with; a count where names are numbered. */
  readonly registers: readonly { readonly prefix: string; readonly type: string; readonly count: number | null }[];
  readonly variables: readonly Variable[];
  readonly statements: readonly Statement[];
  /** Labels, by the index of the statement that they stand before. */
  readonly labels: ReadonlyMap<string, number>;
  /** The most work-items of a group in x, y and z; null: nothing is said. */
  readonly mostItems: readonly number[] | null;
}

/** A module. */
export interface PtxText {
  readonly version: string;
  readonly target: string;
  readonly variables: readonly Variable[];
  readonly functions: readonly PtxFunction[];
}

const TOKEN =
  /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/|(?<token>"[^"\n]*"|0[fFdD][0-9a-fA-F]+|[-]?\d[\w]*(?:\.\d+)?|[.%$_a-zA-Z][\w.$%]*|[@!;:,()[\]{}=+<>|*-])|(?<wrong>.)/gsu;

interface Token {
  readonly text: string;
  readonly line: number;
}

function tokens(text: string): readonly Token[] {
  const list: Token[] = [];
  let line = 1;
  let counted = 0;
  for (const match of text.matchAll(TOKEN)) {
    const { groups, index } = match;
    if (groups?.["token"] === undefined && groups?.["wrong"] === undefined) continue;
    for (let next = text.indexOf("\n", counted); next >= 0 && next < index; next = text.indexOf("\n", counted)) {
      line++;
      counted = next + 1;
    }
    if (groups["wrong"] !== undefined) throw new Refusal(line, `${JSON.stringify(match[0])} is no part of PTX`);
    list.push({ text: match[0], line });
  }
  list.push({ text: "", line });
  return list;
}

/** Thrown inside of the reader. */
class Refusal extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** Bytes of an element of a type. */
const TYPE_BYTES: Readonly<Record<string, number>> = {
  ".b8": 1,
  ".u8": 1,
  ".s8": 1,
  ".b16": 2,
  ".u16": 2,
  ".s16": 2,
  ".f16": 2,
  ".b32": 4,
  ".u32": 4,
  ".s32": 4,
  ".f32": 4,
  ".b64": 8,
  ".u64": 8,
  ".s64": 8,
  ".f64": 8,
};

const SPACES: ReadonlySet<string> = new Set([".global", ".shared", ".local", ".const", ".param"]);

class Reader {
  private readonly list: readonly Token[];
  private at = 0;
  private readonly variables: Variable[] = [];
  private readonly functions: PtxFunction[] = [];

  constructor(text: string) {
    this.list = tokens(text);
  }

  private get next(): string {
    return this.list[this.at]?.text ?? "";
  }

  private get line(): number {
    return this.list[this.at]?.line ?? 0;
  }

  private refuse(message: string): never {
    throw new Refusal(this.line, message);
  }

  private take(): string {
    const { next } = this;
    if (next === "") this.refuse("the text ends too early");
    this.at++;
    return next;
  }

  private accept(text: string): boolean {
    if (this.next !== text) return false;
    this.at++;
    return true;
  }

  private expect(text: string): void {
    if (!this.accept(text)) this.refuse(`"${text}" is expected, not "${this.next}"`);
  }

  private integer(): bigint {
    const text = this.take();
    const isNegative = text.startsWith("-");
    const digits = text.slice(isNegative ? 1 : 0).replace(/U$/u, "");
    if (!/^(?:0[xX][0-9a-fA-F]+|[0-9]+)$/u.test(digits)) this.refuse(`"${text}" is no whole number`);
    // A number that begins with 0 is octal.
    const value = BigInt(/^0[0-7]+$/u.test(digits) ? `0o${digits.slice(1)}` : digits);
    return isNegative ? -value : value;
  }

  private count(): number {
    return Number(this.integer());
  }

  /** The module. */
  read(): PtxText {
    this.expect(".version");
    const version = this.take();
    this.expect(".target");
    const target = this.take();
    this.expect(".address_size");
    if (this.take() !== "64") this.refuse("addresses have 64 bits");
    while (this.next !== "") {
      let isExternal = false;
      while (this.next === ".visible" || this.next === ".extern") isExternal = this.take() === ".extern";
      if (this.accept(".entry")) this.function(true);
      else if (this.accept(".func")) this.function(false);
      else if (SPACES.has(this.next)) {
        this.variables.push(this.variable(isExternal));
        this.expect(";");
      } else this.refuse(`a variable or function is expected, not "${this.next}"`);
    }
    return { version, target, variables: this.variables, functions: this.functions };
  }

  /** From the space to the initial value. */
  private variable(isExternal: boolean): Variable {
    const space = this.take();
    const alignment = this.accept(".align") ? this.count() : 0;
    const type = this.take();
    const element = TYPE_BYTES[type];
    if (element === undefined) this.refuse(`"${type}" is no type of a variable`);
    const name = this.take();
    let bytes = element;
    if (this.accept("[")) {
      bytes = this.next === "]" ? 0 : this.count() * element;
      this.expect("]");
    }
    const addresses: { readonly offset: number; readonly name: string; readonly addend: bigint }[] = [];
    const initial = this.accept("=") ? this.initial(bytes, element, addresses) : null;
    return { name, space, alignment: alignment === 0 ? element : alignment, bytes, initial, addresses, isExternal };
  }

  private initial(
    bytes: number,
    element: number,
    addresses: { readonly offset: number; readonly name: string; readonly addend: bigint }[],
  ): Uint8Array {
    const data = new DataView(new ArrayBuffer(bytes));
    this.expect("{");
    for (let offset = 0; !this.accept("}"); offset += element) {
      if (offset + element > bytes) this.refuse("there are more initial values than elements");
      if (this.accept("generic")) {
        this.expect("(");
        const name = this.take();
        this.expect(")");
        // A sign may be a part of the number.
        const addend = this.accept("+") ? this.integer() : this.next.startsWith("-") ? this.integer() : 0n;
        if (element !== 8) this.refuse("an address has 64 bits");
        addresses.push({ offset, name, addend });
      } else {
        const value = this.integer();
        for (let i = 0; i < element; i++) data.setUint8(offset + i, Number(BigInt.asUintN(8, value >> BigInt(8 * i))));
      }
      if (this.next !== "}") this.expect(",");
    }
    return new Uint8Array(data.buffer);
  }

  private parameters(): readonly Variable[] {
    const list: Variable[] = [];
    this.expect("(");
    while (!this.accept(")")) {
      list.push(this.variable(false));
      if (this.next !== ")") this.expect(",");
    }
    return list;
  }

  private function(isKernel: boolean): void {
    const { line } = this;
    const [result = null] = this.next === "(" ? this.parameters() : [];
    const name = this.take();
    const parameters = this.next === "(" ? this.parameters() : [];
    let mostItems: readonly number[] | null = null;
    while (this.next === ".maxntid" || this.next === ".reqntid" || this.next === ".minnctapersm") {
      const directive = this.take();
      const numbers = [this.count()];
      while (this.accept(",")) numbers.push(this.count());
      if (directive !== ".minnctapersm") mostItems = numbers;
    }
    const body = new Body();
    this.expect("{");
    this.block(body);
    const { registers, variables, statements, labels } = body;
    this.functions.push({
      name,
      line,
      isKernel,
      parameters,
      result,
      mostItems,
      registers,
      variables,
      statements,
      labels,
    });
  }

  /** Statements up to the brace that closes. Blocks within are scopes of names; those of the generator are unique. */
  private block(body: Body): void {
    while (!this.accept("}")) {
      if (this.accept("{")) this.block(body);
      else if (this.accept(".reg")) this.registers(body);
      else if (SPACES.has(this.next)) {
        body.variables.push(this.variable(false));
        this.expect(";");
      } else if (this.next.startsWith(".pragma")) {
        while (!this.accept(";")) this.take();
      } else if (this.list[this.at + 1]?.text === ":") {
        const label = this.take();
        this.take();
        if (body.labels.has(label)) this.refuse(`the label ${label} stands at two places`);
        body.labels.set(label, body.statements.length);
      } else body.statements.push(this.statement());
    }
  }

  private registers(body: Body): void {
    const type = this.take();
    do {
      const prefix = this.take();
      let count: number | null = null;
      if (this.accept("<")) {
        count = this.count();
        this.expect(">");
      }
      body.registers.push({ prefix, type, count });
    } while (this.accept(","));
    this.expect(";");
  }

  private statement(): Statement {
    const { line } = this;
    let guard: Statement["guard"] = null;
    if (this.accept("@")) {
      const isInverted = this.accept("!");
      guard = { register: this.take(), isInverted };
    }
    const opcode = this.take();
    if (!/^[a-z]/u.test(opcode)) this.refuse(`an instruction is expected, not "${opcode}"`);
    const operands: Operand[] = [];
    while (!this.accept(";")) {
      operands.push(this.operand());
      if (this.next !== ";" && !this.accept("|")) this.expect(",");
    }
    return { line, guard, opcode, operands };
  }

  private items(end: string): readonly Operand[] {
    const list: Operand[] = [];
    while (!this.accept(end)) {
      list.push(this.operand());
      if (this.next !== end) this.expect(",");
    }
    return list;
  }

  private operand(): Operand {
    if (this.accept("{")) return { kind: "vector", items: this.items("}") };
    if (this.accept("(")) return { kind: "list", items: this.items(")") };
    if (this.accept("[")) return this.address();
    const { next } = this;
    if (/^0[fF][0-9a-fA-F]{8}$/u.test(next) || /^0[dD][0-9a-fA-F]{16}$/u.test(next)) {
      this.take();
      return { kind: "float", bits: next.length === 10 ? 32 : 64, value: BigInt(`0x${next.slice(2)}`) };
    }
    if (this.accept("-")) return { kind: "integer", value: -this.integer() };
    if (/^-?\d/u.test(next)) return { kind: "integer", value: this.integer() };
    if (/^[%]/u.test(next)) return { kind: "register", name: this.take() };
    if (/^[$_a-zA-Z]/u.test(next)) return { kind: "symbol", name: this.take() };
    return this.refuse(`an operand is expected, not "${next}"`);
  }

  private address(): Operand {
    const base = this.operand();
    let offset = 0;
    if (this.accept("+")) offset = this.count();
    else if (/^-\d/u.test(this.next)) offset = this.count();
    this.expect("]");
    if (base.kind === "integer") return { kind: "address", base: null, offset: Number(base.value) + offset };
    return { kind: "address", base, offset };
  }
}

/** What a body declares and does, while it is read. */
class Body {
  readonly registers: { readonly prefix: string; readonly type: string; readonly count: number | null }[] = [];
  readonly variables: Variable[] = [];
  readonly statements: Statement[] = [];
  readonly labels = new Map<string, number>();
}

/** Reads a module. */
export function parsePtx(text: string): Result<PtxText, PtxError> {
  try {
    return ok(new Reader(text).read());
  } catch (error) {
    if (error instanceof Refusal) return err({ line: error.line, message: error.message });
    throw error;
  }
}
