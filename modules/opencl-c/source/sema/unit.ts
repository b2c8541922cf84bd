// SPDX-License-Identifier: Apache-2.0
// The state of one compilation: scopes, the function being written, helpers that every part uses.
import { type DiagnosticExtra, DiagnosticList, type Span, nearest, note, replace } from "@muxkit/report";
import { ATOMIC_CONSTANTS } from "@muxkit/builtin-table";
import {
  type Block,
  Builder,
  CONTRACT,
  type Constant,
  type Global,
  I32,
  Instruction,
  type IrFunction,
  type Location,
  Module,
  NO_OPERANDS,
  Op,
  PRIVATE,
  TAKES_FLOAT_FLAGS,
  type Type,
  type Value,
  constantInt,
  evaluate,
  pointerType,
} from "@muxkit/ir";

import type {
  CompoundStatement,
  Declarator,
  Expression,
  Initializer,
  InitializerList,
  Statement,
  TypeName,
} from "../ast.ts";
import { type DiagnosticName, report } from "../diagnostics.table.ts";
import { floatFlags } from "../float-flags.ts";
import { literalBytes } from "../lex/literal.ts";
import { languageVersion } from "../language.ts";
import type { FrontEndOptions } from "../options.ts";
import { type CType, INT, type Qualified, arrayOf } from "./ctype.ts";
import { foreignName } from "../parse/foreign-names.ts";
import { Words } from "../parse/type-words.ts";
import type { KnownBuiltin } from "./known-builtins.ts";
import type { Operand } from "./operands.ts";
import { type LocationScope, SourceLocation } from "./source-location.ts";
import { Scopes } from "./scopes.ts";
import { arraySpelling } from "./spelling.ts";
import type { UninitializedVariable } from "./uninitialized.ts";

export { type Operand, lvalueOf, valueOf } from "./operands.ts";

/**
 * What a name means. A handle is an image or sampler passed to a function; a sampler is one that the program
 * makes.
 */
export type Meaning =
  | {
      readonly kind: "variable";
      readonly type: Qualified;
      readonly address: Value | Global;
      readonly alignment: number;
      readonly constant: Constant | null;
      readonly span: Span;
      readonly isParameter: boolean;
      used: boolean;
    }
  | FunctionMeaning
  | { readonly kind: "handle"; readonly type: CType; readonly value: Value; readonly span: Span }
  | { readonly kind: "sampler"; readonly bits: Constant; readonly span: Span }
  | { readonly kind: "type"; readonly type: Qualified; readonly span?: Span }
  | { readonly kind: "enum"; readonly value: Constant; readonly type: CType; readonly span?: Span };

/**
 * A function of the program. A class, as are all that hold IR for as long as the program is written: see `listOf` of
 * the IR.
 */
export class FunctionSymbol {
  readonly name: string;
  /** As it was first declared; from its definition on as that has it: parameters may be const there. */
  type: CType;
  readonly ir: IrFunction;
  readonly span: Span;
  /** As it was first declared. */
  readonly declarator: Declarator;
  isDefined = false;
  readonly isKernel: boolean;
  /** Declared static: other objects cannot call it. */
  readonly isStatic: boolean;
  /** Others of its name may have other parameters. */
  readonly isOverloadable: boolean;
  /** All functions of its name, itself among them. */
  readonly overloads: FunctionSymbol[];
  /** Functions that it calls, with the span of the first call. */
  readonly calls: Map<FunctionSymbol, Span> = new Map();

  constructor(
    declared: Pick<
      FunctionSymbol,
      "name" | "type" | "ir" | "span" | "declarator" | "isKernel" | "isStatic" | "isOverloadable" | "overloads"
    >,
  ) {
    this.name = declared.name;
    this.type = declared.type;
    this.ir = declared.ir;
    this.span = declared.span;
    this.declarator = declared.declarator;
    this.isKernel = declared.isKernel;
    this.isStatic = declared.isStatic;
    this.isOverloadable = declared.isOverloadable;
    this.overloads = declared.overloads;
  }
}

/** The meaning of a function's name. */
export class FunctionMeaning {
  readonly kind = "function";
  readonly fn: FunctionSymbol;

  constructor(fn: FunctionSymbol) {
    this.fn = fn;
  }
}

/** A label of the function being written. */
export interface LabelState {
  readonly block: Block;
  isPlaced: boolean;
  /** A goto names it. */
  isUsed: boolean;
  /** Where it was met first, as label or in a goto. */
  readonly span: Span;
  /** Its source location. */
  placeSpan?: Span;
}

/** The function being written. */
export interface FunctionState {
  readonly symbol: FunctionSymbol;
  /** This declaration or an earlier one has the kernel qualifier. */
  readonly isKernel: boolean;
  readonly result: CType;
  /** Address that a record is returned through. */
  readonly resultAddress: Value | null;
  readonly labels: Map<string, LabelState>;
  breakTo: Block | null;
  continueTo: Block | null;
  switchState: SwitchState | null;
  /** Private scalars that were declared without a value, by their address. */
  readonly uninitialized: Map<Instruction, UninitializedVariable>;
  /** Nesting of blocks; 1 is the outermost. */
  depth: number;
  /** It calls a built-in that all work-items of a group must call together. */
  hasConvergentCall: boolean;
  /** It calls a built-in whose result differs between work-items whatever its arguments. */
  hasVaryingCall: boolean;
}

/** A case of a switch, or a range of cases. */
export interface SwitchCase {
  readonly low: bigint;
  readonly high: bigint;
  readonly block: Block;
  readonly span: Span;
}

/** The switch being written. */
export interface SwitchState {
  readonly cases: SwitchCase[];
  otherwise: Block | null;
  /** The location of the default label. */
  otherwiseSpan: Span | null;
  readonly type: CType;
}

/** Parts of the front end that call one another in a circle are reached through here. */
export interface Parts {
  expression(unit: Unit, expression: Expression): Operand;
  typeName(unit: Unit, type: TypeName): Qualified;
  initialize(unit: Unit, type: Qualified, address: Value, alignment: number, initializer: Initializer): void;
  statement(unit: Unit, statement: Statement): void;
  blockItem(unit: Unit, item: CompoundStatement["items"][number]): void;
  /** The element count that a list determines for an array without size. */
  listLength(unit: Unit, element: Qualified, list: InitializerList): number;
}

/** Locations that are kept, a power of two. */
const KEPT_LOCATIONS = 16;

/** One compilation. */
export class Unit {
  readonly options: FrontEndOptions;
  diagnostics: DiagnosticList;
  readonly module: Module;
  readonly parts: Parts;
  readonly scopes: Scopes<Meaning> = new Scopes();
  readonly tags: Scopes<CType> = new Scopes();
  /** Built-in types without qualifiers, by the names that were looked up. */
  readonly plainTypes: Map<string, Qualified> = new Map();
  readonly functions: FunctionSymbol[] = [];
  /** The cache of called built-ins, by name. */
  readonly builtins: Map<string, KnownBuiltin> = new Map();
  /** Numbers without anything to report, by their text. */
  readonly numbers: Map<string, Operand> = new Map();
  /** Variables that functions declared extern, where the program itself has not declared them. */
  readonly externals: Map<string, Meaning> = new Map();
  /** Strings that printf prints and that are no literals: where they come from is looked up at the end. */
  readonly printedTexts: { readonly pointer: Value; readonly specifier: string; readonly span: Span }[] = [];
  /** Variables that were declared of a struct without members. */
  readonly openGlobals: { readonly global: Global; readonly type: CType }[] = [];
  /** The language's words under the options. */
  readonly words: Words;
  /** Names of declarations that could not be read: that they mean nothing is no news. */
  brokenNames: ReadonlySet<string> = new Set();
  /** Names that were reported as undeclared in the current function: one missing declaration is one mistake. */
  private readonly undeclared = new Map<string, FunctionState | null>();
  /**
   * Where instructions go; outside of functions a scratch block, so that constant expressions can be written and
   * folded.
   */
  builder: Builder;
  fn: FunctionState | null = null;
  /** The construct being emitted, for messages about its value. */
  span: Span | null = null;
  /** The binary expression being written, for messages about its operands. */
  operator: {
    readonly operator: string;
    readonly left: Expression;
    readonly right: Expression;
    readonly span: Span;
  } | null = null;
  /** FP_CONTRACT ON, the default. */
  isContracting = true;
  /** Half is computed with: `#pragma OPENCL EXTENSION cl_khr_fp16 : enable` precedes. */
  isHalfEnabled: boolean;
  /** It was reported that the device cannot compute with half. */
  isHalfRefused = false;
  private isTypeOnly = false;
  private readonly warnings: (() => void)[] = [];
  private names = 0;
  /** The last locations that were made. */
  private readonly locations: (SourceLocation | undefined)[] = [];
  private around: LocationScope | null = null;
  private aroundFn: FunctionState | null = null;

  constructor(name: string, options: FrontEndOptions, diagnostics: DiagnosticList, parts: Parts, scratch: IrFunction) {
    this.options = options;
    this.words = new Words(options);
    this.diagnostics = diagnostics;
    this.parts = parts;
    this.module = new Module(name, options.layout);
    this.builder = new Builder(scratch.addBlock("scratch"));
    this.isHalfEnabled = options.library;
    this.updateFlags();
    for (const [constant, value] of ATOMIC_CONSTANTS) {
      if (languageVersion(options) >= 200 && this.words.missing(constant) === null)
        this.declare(constant, { kind: "enum", value: constantInt(I32, value), type: INT });
    }
  }

  /** Sets the flags of float operations from options and pragmas. */
  updateFlags(): void {
    this.builder.floatFlags = floatFlags(this.options) | (this.isContracting ? CONTRACT : 0);
  }

  /** Reports a row of the table. */
  report(
    name: DiagnosticName,
    span: Span | null,
    values: readonly (string | number)[] = [],
    extra: DiagnosticExtra = {},
  ): void {
    report(this.diagnostics, name, span, values, extra);
  }

  /**
   * Reports a warning, unless warnings are off. Those of a function wait for its end: where it has errors they may be
   * nothing but an echo.
   */
  warn(name: DiagnosticName, span: Span, values: readonly (string | number)[] = [], extra: DiagnosticExtra = {}): void {
    if (this.options.warnings === "none" || this.isTypeOnly) return;
    this.warnings.push(() => {
      report(this.diagnostics, name, span, values, extra);
    });
  }

  /** Reports the deferred warnings, or drops them. */
  flushWarnings(areTold: boolean): void {
    for (const tell of this.warnings.splice(0)) if (areTold) tell();
  }

  /** A name that nothing else in the module has. */
  unique(stem: string): string {
    let name = stem;
    while (this.module.globals.has(name) || this.module.functions.has(name)) name = `${stem}.${++this.names}`;
    return name;
  }

  /** Sets the source location of the instructions emitted next. */
  locate(span: Span): void {
    this.builder.location = this.locationOf(span);
    this.span = span;
  }

  /**
   * Where a span starts, as instructions hold it. Expressions within one another start at few offsets: the last ones
   * are kept.
   */
  locationOf({ file, start }: Span): Location {
    const around = this.locationScope(file);
    const slot = start & (KEPT_LOCATIONS - 1);
    const kept = this.locations[slot];
    if (kept !== undefined && kept.isAt(around, start)) return kept;
    const location = new SourceLocation(around, start);
    this.locations[slot] = location;
    return location;
  }

  /** The function being written, and a file with a location in it. */
  private locationScope(file: Span["file"]): LocationScope {
    if (this.around?.file !== file || this.aroundFn !== this.fn) {
      this.around = { file, scope: this.fn?.symbol.name ?? "" };
      this.aroundFn = this.fn;
    }
    return this.around;
  }

  /** What a name means here; null: nothing. */
  find(name: string): Meaning | null {
    return this.scopes.find(name) ?? null;
  }

  /** The struct, union or enum of a tag; null: none. */
  findTag(tag: string): CType | null {
    return this.tags.find(tag) ?? null;
  }

  /** Reports a name that means nothing here, with the nearest name that does. */
  reportUndeclared(name: string, span: Span, more: Iterable<string> = []): void {
    const missing = this.words.missing(name);
    if (missing !== null) {
      this.report("needsFeature", span, [name, missing]);
      return;
    }
    if (this.words.isType(name)) {
      this.report("expectedExpression", span, [`"${name}"`]);
      return;
    }
    if (this.brokenNames.has(name) || (this.undeclared.has(name) && this.undeclared.get(name) === this.fn)) return;
    this.undeclared.set(name, this.fn);
    const known = [...this.scopes.names(), ...more];
    const best = foreignName(name) ?? nearest(name, known) ?? nearest(name, this.words.types());
    if (best === null) this.report("undeclared", span, [name]);
    else report(this.diagnostics, "undeclared", span, [name], { fix: replace(span, best) });
  }

  /** Runs `write` where its instructions go nowhere: only types and reports remain. */
  typeOnly(write: () => Operand): Operand {
    const { builder, diagnostics } = this;
    const { block } = builder;
    const { owner } = block;
    const blocks = [...owner.blocks];
    const entry = [...owner.entry.instructions];
    const globals = new Set(this.module.globals.keys());
    const scratch = owner.addBlock("scratch");
    builder.block = scratch;
    const { isTypeOnly: outer } = this;
    this.isTypeOnly = true;
    this.diagnostics = new DiagnosticList();
    const operand = write();
    this.isTypeOnly = outer;
    // If the expression is also emitted, the error is in the list already.
    for (const diagnostic of this.diagnostics.all) diagnostics.add(diagnostic);
    this.diagnostics = diagnostics;
    owner.blocks = blocks;
    owner.entry.instructions = entry;
    for (const name of this.module.globals.keys()) if (!globals.has(name)) this.module.globals.delete(name);
    builder.block = block;
    return operand;
  }

  /** An array type whose size is set by its initialiser. */
  completedBy(type: Qualified, initializer: Initializer): Qualified {
    if (type.type.kind !== "array" || type.type.count >= 0 || type.type.target === null) return type;
    let count = 0;
    if (initializer.kind === "string")
      count = initializer.texts.reduce((sum, text) => sum + literalBytes(text).bytes.length, 1);
    else if (initializer.kind === "list") count = this.parts.listLength(this, type.type.target, initializer);
    return {
      ...type,
      type: arrayOf(type.type.target.type, count),
      spelling: arraySpelling(type.spelling?.target ?? null, count),
    };
  }

  /** Keeps what a number means, for the next time that it is written. */
  rememberNumber(text: string, meaning: Operand): Operand {
    this.numbers.set(text, meaning);
    return meaning;
  }

  openScope(): void {
    this.scopes.open();
    this.tags.open();
  }

  /** Ends a scope. Unused variables are reported. */
  closeScope(): void {
    this.scopes.close(this.checkUse);
    this.tags.close(ignore);
  }

  private readonly checkUse = (name: string, meaning: Meaning): void => {
    if (meaning.kind !== "variable" || meaning.used) return;
    if (!meaning.isParameter) this.warn("unused", meaning.span, [name]);
    else if (this.options.extraWarnings === true) this.warn("unusedParameter", meaning.span, [name]);
  };

  /** Reports a variable of a function that hides another one of it. */
  reportShadow(name: string, span: Span): void {
    // The outermost scope holds the program's names, which a kernel may well use again.
    const hidden = this.scopes.between(name, ({ kind }) => kind === "variable");
    if (hidden?.kind === "variable")
      this.warn("shadowed", span, [name], { notes: [note("the other one is declared here", hidden.span)] });
  }

  /** Declares a name in the innermost scope. */
  declare(name: string, meaning: Meaning): void {
    this.scopes.declare(name, meaning);
  }

  /** Adds a block to the function and continues there. */
  startBlock(block: Block): void {
    const { owner } = block;
    if (!owner.blocks.includes(block)) owner.blocks.push(block);
    this.builder.block = block;
  }

  /** A block that is placed later. */
  newBlock(name: string): Block {
    const { owner } = this.builder.block;
    const block = owner.addBlock(name);
    owner.blocks.pop();
    return block;
  }

  /**
   * A variable of the current function: an alloca in the entry block, whose instructions are turned around when the
   * function is whole: the last one declared comes first.
   */
  variable(type: Type, alignment: number, name: string): Instruction {
    const { owner } = this.builder.block;
    const made = new Instruction(Op.ALLOCA, pointerType(PRIVATE), NO_OPERANDS, this.builder.location);
    made.elementType = type;
    made.alignment = alignment;
    made.name = name;
    made.block = owner.entry;
    owner.entry.instructions.push(made);
    return made;
  }

  /** Writes an op, or folds it when its operands are constants. */
  op(op: number, type: Type, ...operands: Value[]): Value {
    const folded = areConstant(operands) ? evaluate(op, type, operands) : null;
    if (folded !== null) return folded;
    const made = new Instruction(op, type, operands, this.builder.location);
    if (TAKES_FLOAT_FLAGS[op] === true) made.flags = this.builder.floatFlags;
    return this.builder.insert(made);
  }
}

function ignore(): void {
  // An unused tag is not reported.
}

function areConstant(operands: Value[]): operands is Constant[] {
  for (let i = 0; i < operands.length; i++) if ((operands[i] as Value).kind !== "constant") return false;
  return operands.length > 0;
}
