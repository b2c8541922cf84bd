// SPDX-License-Identifier: Apache-2.0
// Statements: syntax to typed trees. A `for … of` over constants is its body once for each.
import ts from "typescript";

import { constantNumber, constantOf } from "./constants.ts";
import type { FunctionContext } from "./context.ts";
import { adapt, indexCount, settle } from "./conversions.ts";
import { condition, expression } from "./expressions.ts";
import { spanOf } from "./files.ts";
import { type KernelType, type MemoryType, VOID, isInteger, typeName } from "./kernel-type.ts";
import { patternAssignment, patternDeclaration } from "./patterns.ts";
import type { Expression, Statement, SwitchArm } from "./tree.ts";
import { bindingOf, isElement, typeOfNode, typeToken } from "./type-nodes.ts";

/** Statements that kernels do not have. */
const REFUSED: Readonly<Partial<Record<ts.SyntaxKind, string>>> = {
  [ts.SyntaxKind.ForInStatement]: "`for … in`",
  [ts.SyntaxKind.WithStatement]: "`with`",
  [ts.SyntaxKind.ClassDeclaration]: "classes",
  [ts.SyntaxKind.EnumDeclaration]: "enums within: declare it at the level of the module",
  [ts.SyntaxKind.DebuggerStatement]: "`debugger`: set a breakpoint",
};

/** Statements of a body; an expression is what an arrow function returns. */
export function statements(fn: FunctionContext, body: ts.ConciseBody): readonly Statement[] {
  if (ts.isBlock(body)) return body.statements.flatMap((node) => statement(fn, node));
  const value = expression(fn, body);
  return value.type.kind === "void" ? [{ op: "expression", value, span: value.span }] : [returned(fn, value, body)];
}

/** A statement may be several: a declaration of two variables. */
function statement(fn: FunctionContext, node: ts.Statement, label: string | null = null): readonly Statement[] {
  const span = spanOf(fn.file, node);
  if (ts.isVariableStatement(node)) return declarations(fn, node.declarationList);
  if (ts.isExpressionStatement(node)) {
    const pattern = patternAssignment(fn, node.expression);
    if (pattern !== null) return [pattern];
    return [{ op: "expression", value: expression(fn, node.expression), span }];
  }
  if (ts.isBlock(node)) return [block(fn, node)];
  if (ts.isIfStatement(node))
    return [
      {
        op: "if",
        condition: condition(fn, node.expression),
        whenTrue: nested(fn, node.thenStatement),
        otherwise: node.elseStatement === undefined ? null : nested(fn, node.elseStatement),
        span,
      },
    ];
  if (ts.isForStatement(node)) return [forLoop(fn, node, label)];
  if (ts.isForOfStatement(node)) return forOf(fn, node, label);
  if (ts.isWhileStatement(node))
    return [{ op: "while", label, condition: condition(fn, node.expression), body: nested(fn, node.statement), span }];
  if (ts.isDoStatement(node))
    return [{ op: "do", label, body: nested(fn, node.statement), condition: condition(fn, node.expression), span }];
  if (ts.isSwitchStatement(node)) return [switchStatement(fn, node, label)];
  if (ts.isLabeledStatement(node)) return statement(fn, node.statement, fn.declareLabel(node.label.text));
  if (ts.isBreakStatement(node) || ts.isContinueStatement(node))
    return [
      {
        op: "jump",
        kind: ts.isBreakStatement(node) ? "break" : "continue",
        label: node.label === undefined ? null : fn.labelNamed(node.label.text),
        span,
      },
    ];
  if (ts.isReturnStatement(node)) {
    if (node.expression === undefined) return [returnNothing(fn, node)];
    return [returned(fn, expression(fn, node.expression), node.expression)];
  }
  if (ts.isEmptyStatement(node)) return [];
  if (ts.isThrowStatement(node) || ts.isTryStatement(node)) fn.error(node, "exceptions");
  else if (ts.isFunctionDeclaration(node)) fn.error(node, "closure");
  else if (!ts.isTypeAliasDeclaration(node) && !ts.isInterfaceDeclaration(node))
    fn.error(node, "statement", REFUSED[node.kind] ?? "such statement");
  return [];
}

function block(fn: FunctionContext, node: ts.Block): Statement {
  return {
    op: "block",
    body: fn.inScope(() => node.statements.flatMap((inner) => statement(fn, inner))),
    span: spanOf(fn.file, node),
  };
}

function nested(fn: FunctionContext, node: ts.Statement): Statement {
  fn.depth++;
  const body = fn.inScope(() => statement(fn, node));
  fn.depth--;
  const [only] = body;
  return body.length === 1 && only !== undefined && only.op !== "declare"
    ? only
    : { op: "block", body, span: spanOf(fn.file, node) };
}

function returnNothing(fn: FunctionContext, node: ts.Node): Statement {
  if (fn.result !== null && fn.result.kind !== "void") fn.error(node, "returnType", "void", typeName(fn.result));
  fn.result ??= VOID;
  return { op: "return", value: null, span: spanOf(fn.file, node) };
}

function returned(fn: FunctionContext, value: Expression, node: ts.Node): Statement {
  const span = spanOf(fn.file, node);
  if (fn.isKernel) {
    fn.error(node, "kernelResult");
    return { op: "return", value: null, span };
  }
  if (fn.result?.kind === "void") {
    fn.error(node, "returnType", typeName(value.type), "void");
    return { op: "return", value: null, span };
  }
  const settled = fn.result === null ? settle(fn, value, node) : adapt(fn, value, fn.result, node);
  if (isObject(settled.type)) fn.error(node, "objectValue");
  if (settled.type.kind !== "error") fn.result ??= settled.type;
  return { op: "return", value: settled, span };
}

/** What is used where it is, and no value. */
function isObject({ kind }: KernelType): boolean {
  return kind === "memory" || kind === "item" || kind === "reducer" || kind === "image";
}

function declarations(fn: FunctionContext, list: ts.VariableDeclarationList): readonly Statement[] {
  if ((list.flags & ts.NodeFlags.BlockScoped) === 0) fn.error(list, "varDeclaration");
  const isConst = (list.flags & ts.NodeFlags.Const) !== 0;
  return list.declarations.flatMap((node) => declaration(fn, node, isConst));
}

function declaration(fn: FunctionContext, node: ts.VariableDeclaration, isConst: boolean): readonly Statement[] {
  const span = spanOf(fn.file, node);
  if (!ts.isIdentifier(node.name)) return patternDeclaration(fn, node.name, node.initializer, isConst);
  const name = node.name.text;
  const array = node.initializer === undefined ? null : arrayOf(fn, node.initializer, name, isConst);
  if (array !== null) return array;
  const declared = node.type === undefined ? null : typeOfNode(fn, node.type);
  if (node.initializer === undefined) {
    if (declared === null) fn.error(node, "uninitialised", name);
    return [{ op: "declare", variable: fn.declare(name, declared ?? { kind: "error" }, isConst), value: null, span }];
  }
  const value = expression(fn, node.initializer);
  if (declared === null && isConst && value.op === "literal" && value.type.kind === "literal") {
    fn.declareNumber(name, value);
    return [];
  }
  const settled =
    declared === null ? settle(fn, value, node.initializer) : adapt(fn, value, declared, node.initializer);
  const type: KernelType = declared ?? settled.type;
  if (settled.type.kind === "memory") indexCount(fn, settled, node.initializer);
  if (isObject(type) || type.kind === "void") {
    fn.error(node.initializer, "objectValue");
    fn.declare(name, { kind: "error" }, isConst);
    return [];
  }
  if (type.kind === "record") fn.uses.records.add(type);
  return [{ op: "declare", variable: fn.declare(name, type, isConst), value: settled, span }];
}

/** `privateArray(float, 4, 4)`, `privateArray(float, [1, 2])`, `localArray(float, 64)`; null: none of them. */
function arrayOf(
  fn: FunctionContext,
  node: ts.Expression,
  name: string,
  isConst: boolean,
): readonly Statement[] | null {
  if (!ts.isCallExpression(node)) return null;
  const callee = bindingOf(fn, fn.file, node.expression, false);
  if (callee?.kind !== "library" || (callee.name !== "privateArray" && callee.name !== "localArray")) return null;
  const isLocal = callee.name === "localArray";
  if (!isConst || (isLocal && (!fn.isKernel || fn.depth > 0))) fn.error(node, "localPlace");
  const [token, ...sizes] = node.arguments;
  const element = token === undefined ? null : typeToken(fn, token);
  const [first] = sizes;
  if (element === null || !isElement(element) || first === undefined) {
    fn.error(node, "unknownType", node.getText(fn.file.syntax));
    return [];
  }
  if (element.kind === "record") fn.uses.records.add(element);
  const values =
    !isLocal && ts.isArrayLiteralExpression(first)
      ? first.elements.map((one) => adapt(fn, expression(fn, one), element, one))
      : null;
  const shape = values === null ? sizes.map((size) => sizeOf(fn, size)) : [values.length];
  const memory: MemoryType = {
    kind: "memory",
    element,
    space: isLocal ? "local" : "private",
    shape,
    access: "read_write",
    origin: isLocal ? "LocalArray" : "privateArray",
  };
  const variable = fn.declare(name, memory, true);
  if (isLocal) {
    fn.uses.locals.push(variable);
    return [];
  }
  return [{ op: "array", variable, memory, values: values ?? [], span: spanOf(fn.file, node) }];
}

function sizeOf(fn: FunctionContext, node: ts.Expression): number {
  const value = constantNumber(fn.context, fn.file, node) ?? variableNumber(fn, node);
  if (value !== null && Number.isInteger(value) && value > 0) return value;
  fn.error(node, "notConstant");
  return 1;
}

/** A `const` of the function that is a number, and what is computed of such. */
function variableNumber(fn: FunctionContext, node: ts.Expression): number | null {
  const value = expression(fn, node);
  return value.op === "literal" && typeof value.value === "number" ? value.value : null;
}

function forLoop(fn: FunctionContext, node: ts.ForStatement, label: string | null): Statement {
  return fn.inScope(() => {
    const { initializer } = node;
    const first =
      initializer === undefined
        ? []
        : ts.isVariableDeclarationList(initializer)
          ? declarations(fn, initializer)
          : commaList(initializer).map((one): Statement => ({
              op: "expression",
              value: expression(fn, one),
              span: spanOf(fn.file, one),
            }));
    const test = node.condition === undefined ? null : condition(fn, node.condition);
    const body = nested(fn, node.statement);
    const step = node.incrementor === undefined ? [] : commaList(node.incrementor).map((one) => expression(fn, one));
    return { op: "for", label, first, condition: test, step, body, span: spanOf(fn.file, node) };
  });
}

/** `a, b` as a list. */
function commaList(node: ts.Expression): readonly ts.Expression[] {
  return ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.CommaToken
    ? [...commaList(node.left), node.right]
    : [node];
}

/** `for (const x of [1, 2, 3])`: the body once for each constant. */
function forOf(fn: FunctionContext, node: ts.ForOfStatement, label: string | null): readonly Statement[] {
  const { initializer, expression: over } = node;
  const constant = constantOf(fn.context, fn.file, over);
  const variable = ts.isVariableDeclarationList(initializer) ? initializer.declarations[0]?.name : undefined;
  if (
    constant?.kind !== "members" ||
    !ts.isArrayLiteralExpression(constant.node) ||
    variable === undefined ||
    !ts.isIdentifier(variable)
  ) {
    fn.error(node, "statement", "`for … of` over what is no array of constants");
    return [];
  }
  if (label !== null || jumpsOut(node.statement)) {
    fn.error(node, "statement", "`break` and `continue` of a `for … of`: write a `for`");
    return [];
  }
  return constant.node.elements.flatMap((element): readonly Statement[] => {
    const value = constantOf(fn.context, constant.file, element);
    if (value?.kind !== "number") {
      fn.error(element, "notConstant");
      return [];
    }
    return [
      fn.inScope((): Statement => {
        fn.declareNumber(variable.text, value.literal);
        return { op: "block", body: [nested(fn, node.statement)], span: spanOf(fn.file, node) };
      }),
    ];
  });
}

/** A jump that is of the statement itself, not of a loop within. */
function jumpsOut(node: ts.Node): boolean {
  if (ts.isBreakStatement(node) || ts.isContinueStatement(node)) return true;
  if (ts.isIterationStatement(node, false) || ts.isSwitchStatement(node) || ts.isFunctionLike(node)) return false;
  return ts.forEachChild(node, (child) => jumpsOut(child) || undefined) ?? false;
}

function switchStatement(fn: FunctionContext, node: ts.SwitchStatement, label: string | null): Statement {
  const value = settle(fn, expression(fn, node.expression), node.expression);
  if (value.type.kind !== "error" && !isInteger(value.type))
    fn.error(node.expression, "indexType", typeName(value.type));
  fn.depth++;
  const arms = fn.inScope(() =>
    node.caseBlock.clauses.map((clause): SwitchArm => {
      let labelOf: Expression | null = null;
      if (ts.isCaseClause(clause)) {
        labelOf = adapt(fn, expression(fn, clause.expression), value.type, clause.expression);
        if (labelOf.op !== "literal" && labelOf.op !== "invalid") fn.error(clause.expression, "notConstant");
      }
      return { label: labelOf, body: clause.statements.flatMap((inner) => statement(fn, inner)) };
    }),
  );
  fn.depth--;
  return { op: "switch", label, value, arms, span: spanOf(fn.file, node) };
}
