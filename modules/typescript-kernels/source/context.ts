// SPDX-License-Identifier: Apache-2.0
// The state of a translation, and of a function while it is translated.
import type { RecordElement } from "@muxkit/kernel-library";
import { DiagnosticList, type Span, formatTemplate, note } from "@muxkit/report";
import type ts from "typescript";

import { type DiagnosticName, diagnosticRow } from "./diagnostics.table.ts";
import { type Files, type ParsedFile, spanOf } from "./files.ts";
import { type KernelType, ERROR } from "./kernel-type.ts";
import { isReservedInC } from "./reserved-words.ts";
import type {
  Combination,
  ConstantTable,
  DeviceFunction,
  Expression,
  Literal,
  SpecConstant,
  Statement,
  Uses,
  Variable,
} from "./tree.ts";

/** The rules that refer to one another across files: calls have expressions, and functions statements. */
export interface Walker {
  /** The typed tree of an expression. */
  readonly expression: (fn: FunctionContext, node: ts.Expression) => Expression;
  /** The typed trees of a body. */
  readonly statements: (fn: FunctionContext, body: ts.ConciseBody) => readonly Statement[];
}

/** What is shared by the functions of a file. */
export class Context {
  readonly files: Files;
  readonly walker: Walker;
  readonly diagnostics: DiagnosticList = new DiagnosticList();
  readonly records: Map<ts.Node, RecordElement | null> = new Map();
  readonly tables: Map<ts.Node, ConstantTable | null> = new Map();
  readonly constants: Map<ts.Node, SpecConstant | null> = new Map();
  /** Functions by their place and the types of a generic one; null: it is being translated. */
  readonly functions: Map<string, DeviceFunction | null> = new Map();
  private readonly taken = new Set<string>();

  constructor(files: Files, walker: Walker) {
    this.files = files;
    this.walker = walker;
  }

  /** A name in OpenCL C that nothing else of the file has. */
  uniqueName(name: string): string {
    const base = cName(name);
    let unique = base;
    for (let i = 2; this.taken.has(unique); i++) unique = `${base}_${i}`;
    this.taken.add(unique);
    return unique;
  }

  /** Reports an error. */
  error(file: ParsedFile, node: ts.Node, name: DiagnosticName, ...values: readonly (string | number)[]): void {
    this.errorAt(spanOf(file, node), name, ...values);
  }

  /** Reports an error of a span. */
  errorAt(span: Span, name: DiagnosticName, ...values: readonly (string | number)[]): void {
    const [code, template, help] = diagnosticRow(name);
    this.diagnostics.error(code, formatTemplate(template, values), span, {
      notes: [note(formatTemplate(help, values), null)],
    });
  }
}

/** A name as OpenCL C can have it. */
export function cName(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_]/gu, (letter) => `_u${letter.codePointAt(0)?.toString(16)}`);
  return isReservedInC(plain) ? `${plain}_` : plain;
}

/** Nothing used. */
export function noUses(): Uses {
  return {
    constants: new Set(),
    tables: new Set(),
    records: new Set(),
    functions: new Set(),
    locals: [],
    waits: false,
  };
}

/** A function that is being translated. */
export class FunctionContext {
  readonly context: Context;
  readonly file: ParsedFile;
  readonly uses: Uses = noUses();
  /** Types of type parameters. */
  readonly typeArguments: ReadonlyMap<string, KernelType>;
  /** A kernel, which may declare local memory. */
  readonly isKernel: boolean;
  /** How reducers of a kernel combine, by the names of the parameters. */
  readonly reducers: Map<string, Combination> = new Map();
  /** Type of what was returned; null: nothing yet. */
  result: KernelType | null = null;
  /** Statements around that are loops or branches. */
  depth = 0;
  /** Labels that surround a statement, by the names that are unique in the function. */
  private readonly labels = new Map<string, string>();
  private labelCount = 0;
  private readonly scopes: Map<string, Variable>[] = [new Map()];
  /** C names of all variables: a local array moves to the head of a kernel, where it meets no other. */
  private readonly taken = new Set<string>();

  constructor(context: Context, file: ParsedFile, isKernel: boolean, typeArguments: ReadonlyMap<string, KernelType>) {
    this.context = context;
    this.file = file;
    this.isKernel = isKernel;
    this.typeArguments = typeArguments;
  }

  /** Reports an error. */
  error(node: ts.Node, name: DiagnosticName, ...values: readonly (string | number)[]): void {
    this.context.error(this.file, node, name, ...values);
  }

  /** Reports an error, and is the expression in its place. */
  invalid(node: ts.Node, name: DiagnosticName, ...values: readonly (string | number)[]): Expression {
    this.error(node, name, ...values);
    return { op: "invalid", type: ERROR, span: spanOf(this.file, node) };
  }

  /** The variable of a name. */
  lookup(name: string): Variable | null {
    for (let i = this.scopes.length - 1; i >= 0; i--) {
      const found = this.scopes[i]?.get(name);
      if (found !== undefined) return found;
    }
    return null;
  }

  /** Declares a variable in the innermost scope. */
  declare(name: string, type: KernelType, isConst: boolean): Variable {
    const base = cName(name);
    let unique = base;
    for (let i = 2; this.taken.has(unique); i++) unique = `${base}_${i}`;
    this.taken.add(unique);
    const variable: Variable = { name, cName: unique, type, isConst };
    this.scopes.at(-1)?.set(name, variable);
    return variable;
  }

  /** Keeps a C name from variables. */
  reserve(name: string): void {
    this.taken.add(name);
  }

  /** Gives a variable of the innermost scope another type. */
  redeclare(variable: Variable, type: KernelType): Variable {
    const made = { ...variable, type };
    this.scopes.at(-1)?.set(variable.name, made);
    return made;
  }

  /** Declares a label; two loops of a function may have the same one. */
  declareLabel(name: string): string {
    const unique = this.labelCount++ === 0 ? name : `${name}_${this.labelCount}`;
    this.labels.set(name, unique);
    return unique;
  }

  /** The label that a jump names. */
  labelNamed(name: string): string {
    return this.labels.get(name) ?? name;
  }

  /** Declares a name for a number. */
  declareNumber(name: string, value: Literal): void {
    this.scopes.at(-1)?.set(name, { name, cName: name, type: value.type, isConst: true, value });
  }

  /** Does something in a scope of its own. */
  inScope<T>(what: () => T): T {
    this.scopes.push(new Map());
    try {
      return what();
    } finally {
      this.scopes.pop();
    }
  }
}
