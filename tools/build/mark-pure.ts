// SPDX-License-Identifier: Apache-2.0
// Marks what a package computes at the level of its modules as free of side effects, for bundlers of programs.
//
// A package says so of itself (`sideEffects: false`), and of its sources a bundler leaves out each file that nobody
// needs. As it is installed a package is one file or two, where every initializer counts by itself: bundlers keep a
// call, an access to a property or a spread of something that is not used, as it might do anything. So each of these
// becomes `/* @__PURE__ */ (() => initializer)()`, which they drop where its variable is not used, and unwrap where it
// is.
import ts from "typescript";

/** True for what bundlers see to be free of side effects. */
function isPlain(node: ts.Expression): boolean {
  if (
    ts.isLiteralExpression(node) ||
    ts.isIdentifier(node) ||
    ts.isArrowFunction(node) ||
    ts.isFunctionExpression(node) ||
    [ts.SyntaxKind.TrueKeyword, ts.SyntaxKind.FalseKeyword, ts.SyntaxKind.NullKeyword].includes(node.kind)
  )
    return true;
  // A class would lose the name that it has of its variable.
  if (ts.isClassExpression(node)) return true;
  if (ts.isParenthesizedExpression(node)) return isPlain(node.expression);
  if (ts.isPrefixUnaryExpression(node)) return ts.isNumericLiteral(node.operand);
  if (ts.isVoidExpression(node)) return true;
  if (ts.isArrayLiteralExpression(node)) return node.elements.every(isPlain);
  if (ts.isObjectLiteralExpression(node))
    return node.properties.every(
      (one) =>
        ts.isMethodDeclaration(one) ||
        ts.isShorthandPropertyAssignment(one) ||
        (ts.isPropertyAssignment(one) && !ts.isComputedPropertyName(one.name) && isPlain(one.initializer)),
    );
  return false;
}

/** The text of a module with its initializers marked. */
export function markPure(text: string): string {
  const file = ts.createSourceFile("module.js", text, ts.ScriptTarget.Latest, false, ts.ScriptKind.JS);
  let marked = "";
  let end = 0;
  for (const statement of file.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { initializer, name } of statement.declarationList.declarations) {
      if (initializer === undefined || !ts.isIdentifier(name) || isPlain(initializer)) continue;
      const [from, to] = [initializer.getStart(file), initializer.getEnd()];
      const value = text.slice(from, to);
      marked += `${text.slice(end, from)}/* @__PURE__ */(()=>${value.startsWith("{") ? `(${value})` : value})()`;
      end = to;
    }
  }
  return marked + text.slice(end);
}
