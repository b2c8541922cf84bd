// SPDX-License-Identifier: Apache-2.0
// Parser of one instruction of the text form. Operands, successors and symbols that are defined later are recorded as
// pending and patched at the end of their function or module.
import type { Block, Global, IrFunction } from "./function.ts";
import * as Op from "./generated/op.ts";
import { type AtomicKind, FLAG_NAMES, Instruction, type MemoryOrder, type Scope } from "./instruction.ts";
import type { Lexer } from "./lex.ts";
import type { Location } from "./location.ts";
import { combines } from "./group-operations.ts";
import { opNumber } from "./op.table.ts";
import { type Literal, atLiteral, literalConstant, parseLiteral, parseType } from "./parse-type.ts";
import { I32, type Type, VOID } from "./type.ts";
import { type Value, constantZero } from "./value.ts";

const ORDERS: ReadonlySet<string> = new Set<MemoryOrder>(["relaxed", "acquire", "release", "acq_rel", "seq_cst"]);
const SCOPES: ReadonlySet<string> = new Set<Scope>(["work_item", "sub_group", "work_group", "device", "system"]);
const ATOMIC_KINDS: ReadonlySet<string> = new Set<AtomicKind>([
  "exchange",
  "add",
  "sub",
  "and",
  "or",
  "xor",
  "smin",
  "smax",
  "umin",
  "umax",
  "fadd",
  "fmin",
  "fmax",
  "mul",
  "fmul",
]);
const TYPE_NAME = /[^(),"\n]*/uy;
/** Placeholder of a value that is defined later. */
const PENDING: Value = constantZero(I32);

/** A list entry that is patched once its value is defined. */
interface PendingValue {
  readonly list: Value[];
  readonly index: number;
  readonly name: string;
  readonly start: number;
}

/** Names of a function's values and blocks, collected while it is read. */
export class FunctionScope {
  readonly values: Map<string, Value> = new Map();
  readonly blocks: Map<string, Block> = new Map();
  private readonly pendingValues: PendingValue[] = [];
  private readonly pendingBlocks: {
    readonly list: Block[];
    readonly index: number;
    readonly name: string;
    readonly start: number;
  }[] = [];
  private readonly lexer: Lexer;

  constructor(lexer: Lexer) {
    this.lexer = lexer;
  }

  /** Defines a name, once. */
  define(name: string, value: Value, start: number): void {
    if (this.values.has(name)) this.lexer.fail(`%${name} is defined twice`, start);
    this.values.set(name, value);
  }

  /** Appends the value of a name to a list; patched by `finish` when it is defined later. */
  useValue(list: Value[], name: string, start: number): void {
    const known = this.values.get(name);
    if (known === undefined) this.pendingValues.push({ list, index: list.length, name, start });
    list.push(known ?? PENDING);
  }

  /** Appends the block of a name to a list; patched by `finish`. */
  useBlock(list: Block[], name: string, start: number, placeholder: Block): void {
    this.pendingBlocks.push({ list, index: list.length, name, start });
    list.push(placeholder);
  }

  /** Patches the pending values and blocks. */
  finish(): void {
    for (const { list, index, name, start } of this.pendingValues) {
      const value = this.values.get(name);
      if (value === undefined) this.lexer.fail(`%${name} is not defined in this function`, start);
      else list[index] = value;
    }
    for (const { list, index, name, start } of this.pendingBlocks) {
      const block = this.blocks.get(name);
      if (block === undefined) this.lexer.fail(`there is no block ^${name} in this function`, start);
      else list[index] = block;
    }
  }
}

/** Names of a module's functions and globals. */
export interface ModuleScope {
  readonly globals: ReadonlyMap<string, Global>;
  readonly functions: ReadonlyMap<string, IrFunction>;
  /** Called at the end of the module, when everything is known. */
  readonly later: (run: () => void) => void;
}

/** An operand as it is written: a literal without a type takes the result's. */
type OperandText =
  | { readonly kind: "value"; readonly name: string; readonly start: number }
  | { readonly kind: "literal"; readonly literal: Literal; readonly type: Type | null };

class InstructionParser {
  private readonly lexer: Lexer;
  private readonly scope: FunctionScope;
  private readonly module: ModuleScope;
  private readonly block: Block;

  constructor(lexer: Lexer, scope: FunctionScope, module: ModuleScope, block: Block) {
    this.lexer = lexer;
    this.scope = scope;
    this.module = module;
    this.block = block;
  }

  run(): void {
    const { lexer, scope } = this;
    const { start } = lexer;
    const name = lexer.kind === "value" ? lexer.take("value", "") : null;
    if (name !== null) lexer.expect("mark", "=");
    const op = lexer.kind === "word" ? opNumber(lexer.value) : undefined;
    if (op === undefined) {
      lexer.expected("an operation");
      return;
    }
    lexer.advance();
    const made = new Instruction(op, VOID, [], null);
    this.symbol(made);
    const operands = this.operands(made);
    if (lexer.at("mark", "{")) lexer.list("{", "}", () => this.detail(made));
    made.type = this.resultType(name, operands);
    for (const operand of operands) {
      if (operand.kind === "value") scope.useValue(made.operands, operand.name, operand.start);
      else made.operands.push(literalConstant(lexer, operand.literal, operand.type ?? made.type));
    }
    if (lexer.accept("word", "loc")) {
      lexer.expect("mark", "(");
      made.location = parseLocation(lexer);
      lexer.expect("mark", ")");
    }
    if (name !== null) {
      scope.define(name, made, start);
      made.name = /^\d/u.test(name) ? "" : name;
    }
    this.block.append(made);
  }

  /** The type after the last literal may be the result's: `add %0, 1: i32`. */
  private resultType(name: string | null, operands: OperandText[]): Type {
    const { lexer } = this;
    if (name === null) return VOID;
    if (lexer.accept("mark", ":")) return parseType(lexer);
    const last = operands.at(-1);
    if (last?.kind === "literal" && last.type !== null) return last.type;
    lexer.expected("`:` and the type of the result");
    return VOID;
  }

  private symbol(made: Instruction): void {
    const { lexer, module } = this;
    const { start } = lexer;
    if (lexer.kind === "symbol" && (made.op === Op.CALL || made.op === Op.GLOBAL_ADDRESS)) {
      const name = lexer.take("symbol", "a name");
      module.later(() => {
        made.symbol = (made.op === Op.CALL ? module.functions.get(name) : module.globals.get(name)) ?? null;
        if (made.symbol === null)
          lexer.fail(`there is no ${made.op === Op.CALL ? "function" : "global"} @${name} in this module`, start);
      });
    } else if (made.op === Op.CALL || made.op === Op.GLOBAL_ADDRESS) lexer.expected("`@` and a name");
    else if (made.op === Op.CALL_BUILTIN) {
      const name = lexer.take("word", "the name of a built-in");
      made.symbol = { kind: "builtin", name, parameters: this.typeNames() };
    } else if (made.op === Op.DEBUG_VALUE) {
      const name = lexer.take("text", "the name of a variable in quotes");
      lexer.expect("mark", ":");
      made.symbol = { kind: "variable", name, typeName: lexer.take("text", "the type of a variable in quotes") };
    }
  }

  /** OpenCL type names in parentheses: as they are, or in quotes. */
  private typeNames(): string[] {
    const { lexer } = this;
    if (!lexer.at("mark", "(")) {
      lexer.expected("`(`");
      return [];
    }
    const names: string[] = [];
    do names.push(lexer.rawText(TYPE_NAME));
    while (lexer.at("mark", ","));
    lexer.expect("mark", ")");
    return names.length === 1 && names[0] === "" ? [] : names;
  }

  private operands(made: Instruction): OperandText[] {
    const { lexer } = this;
    const operands: OperandText[] = [];
    // `ret` before the next block, `call @f` before the next instruction: the end of the line ends an instruction
    // without operands.
    if (lexer.beginsLine) return operands;
    for (;;) {
      if (lexer.kind === "value") {
        const { start } = lexer;
        operands.push({ kind: "value", name: lexer.take("value", ""), start });
      } else if (lexer.kind === "block" || lexer.at("word", "default")) {
        this.successors(made);
        return operands;
      } else if (atLiteral(lexer)) {
        const literal = parseLiteral(lexer);
        operands.push({ kind: "literal", literal, type: lexer.accept("mark", ":") ? parseType(lexer) : null });
      } else {
        if (operands.length > 0) lexer.expected("an operand or a block");
        return operands;
      }
      if (!lexer.accept("mark", ",")) return operands;
    }
  }

  private successors(made: Instruction): void {
    const { lexer, scope } = this;
    const cases: number[] = [];
    made.successors = [];
    made.successorArguments = [];
    do {
      if (made.op === Op.SWITCH) {
        if (made.successors.length === 0) lexer.expect("word", "default");
        else cases.push(lexer.integer("a case", -0x8000_0000));
        lexer.expect("mark", ":");
      }
      const { start } = lexer;
      scope.useBlock(made.successors, lexer.take("block", "a block"), start, this.block);
      const list: Value[] = [];
      made.successorArguments.push(list);
      if (lexer.at("mark", "(")) lexer.list("(", ")", () => this.argument(list));
    } while (lexer.accept("mark", ","));
    if (made.op === Op.SWITCH) made.lanes = cases;
  }

  /** An argument of a block: a value with its type. */
  private argument(list: Value[]): void {
    const { lexer, scope } = this;
    const { start } = lexer;
    if (lexer.kind === "value") {
      const name = lexer.take("value", "");
      lexer.expect("mark", ":");
      parseType(lexer);
      scope.useValue(list, name, start);
    } else if (atLiteral(lexer)) {
      const literal = parseLiteral(lexer);
      lexer.expect("mark", ":");
      list.push(literalConstant(lexer, literal, parseType(lexer)));
    } else lexer.expected("a value");
  }

  private detail(made: Instruction): void {
    const { lexer } = this;
    if (made.op === Op.SHUFFLE && lexer.at("mark", "[")) {
      const lanes: number[] = [];
      lexer.list("[", "]", () => lanes.push(lexer.integer("a lane", -1, 127)));
      made.lanes = lanes;
      return;
    }
    if (lexer.kind === "word") {
      const word = lexer.value;
      const flag = FLAG_NAMES.indexOf(word);
      if (flag >= 0) made.flags |= 1 << flag;
      else if (ORDERS.has(word)) made.order = word as MemoryOrder;
      else if (SCOPES.has(word)) made.scope = word as Scope;
      else if (combines(made.op) && ATOMIC_KINDS.has(word)) made.atomicKind = word as AtomicKind;
      else {
        this.number(made, word);
        return;
      }
      lexer.advance();
      return;
    }
    made.elementType = parseType(lexer);
  }

  private number(made: Instruction, word: string): void {
    const { lexer } = this;
    const set: Readonly<Record<string, () => void>> = {
      scale: () => (made.scale = lexer.integer("a scale", -0x8000_0000)),
      offset: () => (made.offset = lexer.integer("an offset", -Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)),
      align: () => (made.alignment = lexer.integer("an alignment")),
      semantics: () => (made.semantics = lexer.integer("bits")),
      alias: () => (made.aliasGroup = lexer.integer("a group")),
    };
    const read = set[word];
    if (read === undefined) made.elementType = parseType(lexer);
    else {
      lexer.advance();
      read();
    }
  }
}

/** A source location with its inlining chain. */
function parseLocation(lexer: Lexer): Location {
  const chain: Omit<Location, "inlinedAt">[] = [];
  do {
    const file = lexer.take("text", "the name of a file in quotes");
    lexer.expect("mark", ":");
    const line = lexer.integer("a line");
    lexer.expect("mark", ":");
    const column = lexer.integer("a column");
    lexer.expect("word", "in");
    chain.push({ file, line, column, scope: lexer.take("text", "the name of a function in quotes") });
  } while (lexer.accept("word", "at"));
  return (
    chain.reduceRight<Location | null>((outer, own) => ({ ...own, inlinedAt: outer }), null) ?? {
      file: "",
      line: 0,
      column: 0,
      scope: "",
      inlinedAt: null,
    }
  );
}

/** Reads one instruction and appends it to a block. */
export function parseInstruction(lexer: Lexer, scope: FunctionScope, module: ModuleScope, block: Block): void {
  new InstructionParser(lexer, scope, module, block).run();
}
