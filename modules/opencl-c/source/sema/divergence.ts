// SPDX-License-Identifier: Apache-2.0
// Warns of barriers and other convergent calls that not all work-items of a group reach (OpenCL C 6.12.8): a divergence
// analysis on the syntax tree, as Coutinho et al. 2011 do on SSA. A value is divergent when it comes from an id of the
// work-item or from an effect that differs between them; that goes through variables (data dependence) and through the
// conditions that stores and calls are under (control dependence). Each function has a summary: the convergent call in
// it or below it, and whether its result is divergent whatever its arguments are.
//
// A walk over the tree is repeated until nothing becomes divergent any more (a fixpoint; a variable or loop changes
// once, so the number of walks is limited by theirs). Functions that neither make such a call nor have a divergent
// source are not walked at all.
import { builtinRows } from "@muxkit/builtin-table";
import { type Diagnostic, type Span, note } from "@muxkit/report";

import type { CompoundStatement, Declaration, Expression, FunctionDefinition, Initializer, Statement } from "../ast.ts";
import { declaredName, functionDeclarator } from "../parse/declarator.ts";
import type { FunctionState, Unit } from "./unit.ts";

/** Where the difference between work-items comes from; null: there is none. */
type Source = Span | null;

/** Why not all work-items are here. */
interface Cause {
  /** The condition, or the jump that some have taken. */
  readonly span: Span;
  /** What makes work-items differ in it. */
  readonly source: Span;
}

/** A variable, as far as it matters. */
interface Variable {
  /** What declares it. */
  readonly key: object;
  /** What was stored in it that differs; null: nothing. */
  source: Source;
  /** Its elements or members are its own: no pointer, no shared memory. */
  readonly isOwner: boolean;
  /** The last pass that read it while nothing differed. */
  read: number;
}

/** What calls of a function mean. */
interface Summary {
  /** A call that all work-items must make, in it or below. */
  readonly sync: string | null;
  /** The result differs whatever the arguments. */
  readonly source: Source;
}

/** A function that makes no such call, and whose result differs as its arguments do. */
const PLAIN: Summary = { sync: null, source: null };

/** Where work-items part, and what makes them. */
function explain({ span: condition, source }: Cause, text: string): readonly Diagnostic[] {
  const isSame = source.start >= condition.start && source.end <= condition.end && source.file === condition.file;
  return [note(text, condition), ...(isSame ? [] : [note("this value differs between work-items", source)])];
}

/** A call that not all work-items come to. */
interface Divergent {
  readonly row: "divergentSync" | "earlyReturn";
  readonly span: Span;
  readonly what: string;
  readonly cause: Cause;
  readonly text: string;
}

/** Walks one function until nothing new is found; what the last walk found is reported. */
class Walk {
  private readonly unit: Unit;
  private readonly summaries: ReadonlyMap<string, Summary>;
  /** Variables in the order of their declarations, and how many of them this pass has come to. */
  private readonly variables: Variable[] = [];
  private met = 0;
  /** The variables in scope by name, and what the names meant outside of the open scopes; null: nothing. */
  private readonly names = new Map<string, Variable | null>();
  private readonly declared: string[] = [];
  private readonly outside: (Variable | null)[] = [];
  /** Why work-items are not all here: conditions and loops around. */
  private around: Cause | null = null;
  /** A return or goto that some work-items have taken. */
  private left: Cause | null = null;
  /** Loops that some work-items leave, or leave the function from, before others. */
  private readonly leftLoops = new Map<Statement, Cause>();
  private readonly returningLoops = new Map<Statement, Cause>();
  private readonly loops: Statement[] = [];
  private passes = 0;
  private hasChanged = false;
  /** Calls that all work-items must make where not all of them are, as this pass has found them. */
  private readonly divergent: Divergent[] = [];
  private sync: string | null = null;
  private result: Source = null;

  constructor(unit: Unit, summaries: ReadonlyMap<string, Summary>) {
    this.unit = unit;
    this.summaries = summaries;
  }

  run(fn: FunctionDefinition): Summary {
    do {
      this.hasChanged = false;
      this.divergent.length = 0;
      this.pass(fn);
    } while (this.hasChanged);
    for (const { row, span, what, cause, text } of this.divergent)
      this.unit.warn(row, span, [what], { notes: explain(cause, text) });
    return { sync: this.sync, source: this.result };
  }

  private pass(fn: FunctionDefinition): void {
    this.around = null;
    this.left = null;
    this.passes++;
    this.met = 0;
    for (const parameter of functionDeclarator(fn.declarator)?.parameters ?? [])
      this.variableOf(parameter, declaredName(parameter.declarator).name, parameter.declarator.kind === "name");
    this.statement(fn.body);
    this.closeScope(0);
  }

  /** Ends the scopes of the names that were declared from an index of the list on. */
  private closeScope(start: number): void {
    while (this.declared.length > start) this.names.set(this.declared.pop() as string, this.outside.pop() ?? null);
  }

  private variableOf(key: object, name: string | null, isOwner: boolean): Variable {
    // Passes go the same way but for parts that one of them need not look at.
    if (this.passes > 1 && this.variables[this.met]?.key !== key) {
      const known = this.variables.findIndex((other) => other.key === key);
      this.met = known < 0 ? this.variables.length : known;
    }
    const variable = this.variables[this.met] ?? { key, source: null, isOwner, read: 0 };
    this.variables[this.met++] = variable;
    if (name !== null) {
      this.declared.push(name);
      this.outside.push(this.names.get(name) ?? null);
      this.names.set(name, variable);
    }
    return variable;
  }

  private find(name: string): Variable | null {
    return this.names.get(name) ?? null;
  }

  /** What makes a variable differ, as far as is known. */
  private sourceOf(name: string): Source {
    const variable = this.find(name);
    if (variable === null) return null;
    if (variable.source === null) variable.read = this.passes;
    return variable.source;
  }

  private mark(variable: Variable | null, source: Source): void {
    if (variable === null || source === null || variable.source !== null) return;
    variable.source = source;
    // Earlier queries assumed that it is uniform.
    if (variable.read === this.passes) this.hasChanged = true;
  }

  /**
   * Enters code that only the work-items satisfying a condition execute; returns the former context, which the caller
   * puts back.
   */
  private enter(condition: Span, source: Source): Cause | null {
    const { around } = this;
    if (source !== null) this.around ??= { span: condition, source };
    return around;
  }

  private all(list: readonly Expression[]): Source {
    let found: Source = null;
    for (const item of list) found = this.expression(item) ?? found;
    return found;
  }

  private initializer(node: Initializer): Source {
    if (node.kind !== "list") return this.expression(node);
    let found: Source = null;
    for (const { value } of node.items) found = this.initializer(value) ?? found;
    return found;
  }

  private expression(node: Expression): Source {
    switch (node.kind) {
      case "name":
        return this.sourceOf(node.name);
      case "call":
        return this.call(node);
      case "index": {
        const base = this.expression(node.base);
        return this.expression(node.index) ?? base;
      }
      case "member":
        return this.expression(node.base);
      case "unary":
      case "postfix": {
        const source = this.expression(node.operand);
        if (node.operator === "++" || node.operator === "--") this.store(node.operand, source);
        return source;
      }
      case "binary": {
        const left = this.expression(node.left);
        const isLogic = node.operator === "&&" || node.operator === "||";
        const around = isLogic ? this.enter(node.left.span, left) : this.around;
        const right = this.expression(node.right);
        this.around = around;
        return node.operator === "," ? right : (left ?? right);
      }
      case "assign": {
        const right = this.expression(node.right);
        const value = node.operator === "=" ? right : (right ?? this.expression(node.left));
        if (node.operator === "=" && node.left.kind !== "name") this.expression(node.left);
        this.store(node.left, value);
        return value;
      }
      case "conditional": {
        const condition = this.expression(node.condition);
        const around = this.enter(node.condition.span, condition);
        const whenTrue = node.whenTrue === null ? null : this.expression(node.whenTrue);
        const whenFalse = this.expression(node.whenFalse);
        this.around = around;
        return condition ?? whenFalse ?? whenTrue;
      }
      case "cast":
        return this.expression(node.operand);
      case "vector":
        return this.all(node.elements);
      default:
        return this.extension(node);
    }
  }

  /** What later versions of C and compilers have. */
  private extension(node: Expression): Source {
    switch (node.kind) {
      case "compound-literal":
        return this.initializer(node.value);
      case "selection":
        return this.all(node.associations.map(({ value }) => value));
      case "statement-expression":
        return this.valueOfBlock(node.body);
      case "builtin-of-types":
        return node.operand === null ? null : this.expression(node.operand);
      default:
        return null;
    }
  }

  /**
   * A divergent value stored in a variable, or in a part of one, makes it divergent; so does any store that only some
   * work-items make.
   */
  private store(target: Expression, value: Source): void {
    let root = target;
    while (root.kind === "index" || root.kind === "member") root = root.base;
    if (root.kind !== "name") return;
    const variable = this.find(root.name);
    if (variable === null || (root !== target && !variable.isOwner)) return;
    this.mark(variable, value ?? this.around?.source ?? null);
  }

  /** A block in parentheses has the value of its last expression. */
  private valueOfBlock(body: CompoundStatement): Source {
    this.statement(body);
    const last = body.items.at(-1);
    return last?.kind === "expression" ? this.expression(last.expression) : null;
  }

  private call(node: Extract<Expression, { kind: "call" }>): Source {
    const given = this.all(node.arguments);
    if (node.callee.kind !== "name") return given;
    const { name } = node.callee;
    const summary = this.summaries.get(name);
    if (summary !== undefined) {
      if (summary.sync !== null) this.convergentCall(`"${name}", which calls ${summary.sync}`, node.callee.span);
      // A function may store through the pointers passed to it.
      for (const argument of node.arguments)
        if (argument.kind === "unary" && argument.operator === "&")
          this.store(argument.operand, given ?? summary.source);
      return given ?? summary.source;
    }
    const [row] = builtinRows(name);
    if (row === undefined) return given;
    if (row.isConvergent) {
      if (!name.startsWith("sub_group") && !name.startsWith("intel_sub_group"))
        this.convergentCall(`${name}()`, node.callee.span);
      return row.uniformity === "varying" ? node.span : null;
    }
    if (row.uniformity === "uniform") return null;
    if (row.uniformity === "varying" || !row.isPure)
      return name.startsWith("async") || name.startsWith("wait") ? null : node.span;
    return given;
  }

  /** A call that all work-items must make. */
  private convergentCall(what: string, span: Span): void {
    this.sync ??= what;
    if (this.around !== null)
      this.divergent.push({
        row: "divergentSync",
        span,
        what,
        cause: this.around,
        text: "this condition differs between work-items",
      });
    else if (this.left !== null)
      this.divergent.push({ row: "earlyReturn", span, what, cause: this.left, text: "some work-items return here" });
  }

  private declaration(node: Declaration): void {
    const { addressSpace } = node.specifiers.qualifiers;
    for (const name of node.names) {
      const isShared = addressSpace === "local" || addressSpace === "constant" || addressSpace === "global";
      const variable = this.variableOf(
        name,
        declaredName(name.declarator).name,
        !isShared && name.declarator.kind !== "pointer",
      );
      if (name.initializer !== null) this.mark(variable, this.initializer(name.initializer));
    }
  }

  private loop(node: Extract<Statement, { kind: "while" | "do" | "for" }>): void {
    const scope = this.declared.length;
    if (node.kind === "for" && node.start !== null) {
      if (node.start.kind === "declaration") this.declaration(node.start);
      else this.expression(node.start);
    }
    const condition = node.condition === null ? null : this.expression(node.condition);
    const early = this.leftLoops.get(node);
    const { left } = this;
    this.left ??= this.returningLoops.get(node) ?? null;
    this.loops.push(node);
    const around = this.enter(early?.span ?? node.condition?.span ?? node.span, early?.source ?? condition);
    this.statement(node.body);
    if (node.kind === "for" && node.step !== null) this.expression(node.step);
    this.around = around;
    this.loops.pop();
    this.left = left ?? this.returningLoops.get(node) ?? null;
    this.closeScope(scope);
  }

  /** A jump that not all work-items take. */
  private jump(node: Extract<Statement, { kind: "break" | "continue" | "return" | "goto" }>): void {
    if (this.around === null) return;
    const cause = { span: node.span, source: this.around.source };
    const loop = this.loops.at(-1);
    if (node.kind === "return" || node.kind === "goto") {
      this.left ??= cause;
      for (const outer of this.loops) this.note(this.returningLoops, outer, cause);
    } else if (loop !== undefined && loop.kind !== "switch") this.note(this.leftLoops, loop, cause);
  }

  private note(map: Map<Statement, Cause>, loop: Statement, cause: Cause): void {
    if (map.has(loop)) return;
    map.set(loop, cause);
    this.hasChanged = true;
  }

  private statement(node: Statement): void {
    switch (node.kind) {
      case "compound": {
        const scope = this.declared.length;
        for (const item of node.items) {
          if (item.kind === "declaration") this.declaration(item);
          else if (item.kind !== "pragma" && item.kind !== "static-assert") this.statement(item);
        }
        this.closeScope(scope);
        return;
      }
      case "expression":
        this.expression(node.expression);
        return;
      case "attributed":
        this.statement(node.body);
        return;
      case "if": {
        const around = this.enter(node.condition.span, this.expression(node.condition));
        this.statement(node.whenTrue);
        if (node.whenFalse !== null) this.statement(node.whenFalse);
        this.around = around;
        return;
      }
      case "while":
      case "do":
      case "for":
        this.loop(node);
        return;
      case "switch": {
        this.loops.push(node);
        const around = this.enter(node.value.span, this.expression(node.value));
        this.statement(node.body);
        this.around = around;
        this.loops.pop();
        return;
      }
      case "case":
      case "default":
      case "label":
        this.statement(node.body);
        return;
      case "return":
        if (node.value !== null) this.result ??= this.expression(node.value) ?? this.around?.source ?? null;
        this.jump(node);
        return;
      case "break":
      case "continue":
      case "goto":
        this.jump(node);
        return;
      default:
    }
  }
}

/**
 * Warns of calls that all work-items of a group must make and that some may not reach. Functions are known before they
 * are called, but for prototypes.
 */
export class DivergenceCheck {
  private readonly unit: Unit;
  private readonly summaries = new Map<string, Summary>();

  constructor(unit: Unit) {
    this.unit = unit;
  }

  /**
   * Looks at a function without errors, in the order of the program. `state` is what was found out while it was
   * written.
   */
  add(item: FunctionDefinition, { symbol, result, hasConvergentCall, hasVaryingCall }: FunctionState): void {
    let [mayConverge, mayVary] = [hasConvergentCall, hasVaryingCall];
    for (const { name } of symbol.calls.keys()) {
      const summary = this.summaries.get(name);
      if (summary === undefined) continue;
      if (summary.sync !== null) mayConverge = true;
      if (summary.source !== null) mayVary = true;
    }
    // Most functions make no such call, and their results depend only on their arguments: they need no walk.
    const isPlain = !mayConverge && (!mayVary || result.kind === "void");
    this.summaries.set(symbol.name, isPlain ? PLAIN : new Walk(this.unit, this.summaries).run(item));
  }
}
