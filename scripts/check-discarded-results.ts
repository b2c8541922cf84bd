// SPDX-License-Identifier: Apache-2.0
// Fails when the value of an expression is thrown away although it is a Result of @muxkit/cargo, or a promise of one.
// Run without arguments it looks at the whole workspace; with file names, at those. `void f()` says that a Result is
// dropped on purpose.
import { globSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";

import ts from "typescript";

const root = dirname(import.meta.dirname);

function readOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(`${root}/tsconfig.base.json`, (path) => ts.sys.readFile(path));
  const { options, errors } = ts.convertCompilerOptionsFromJson(config?.compilerOptions, root);
  if (errors.length > 0)
    throw new Error(
      ts.formatDiagnostics(errors, {
        getCanonicalFileName: (f) => f,
        getCurrentDirectory: () => root,
        getNewLine: () => "\n",
      }),
    );
  // One program for all: references and outputs are of no use here.
  return {
    ...options,
    composite: false,
    incremental: false,
    emitDeclarationOnly: false,
    declaration: false,
    isolatedDeclarations: false,
    noEmit: true,
    allowImportingTsExtensions: true,
  };
}

function workspaceFiles(): readonly string[] {
  return globSync(["{modules,source,tools,examples,benchmarks}/*/{source,test}/**/*.ts", "{scripts,tools}/**/*.ts"], {
    cwd: root,
  })
    .filter((path) => !/(?:^|\/)(?:node_modules|dist|fixtures)\//u.test(path))
    .map((path) => resolve(root, path));
}

const named = process.argv.slice(2).map((path) => resolve(path));
const files = named.length > 0 ? named : [...new Set(workspaceFiles())];
const program = ts.createProgram(files, readOptions());
const checker = program.getTypeChecker();
const reports: string[] = [];

/** Structure, not name: an alias is lost in unions and generics, `ok: false` with an `error` is not. */
function isResult(type: ts.Type): boolean {
  if (type.isUnion()) return type.types.some(isResult);
  if ((type.flags & ts.TypeFlags.Object) === 0) return false;
  const okProperty = type.getProperty("ok");
  if (okProperty !== undefined) {
    return (
      type.getProperty("error") !== undefined && checker.typeToString(checker.getTypeOfSymbol(okProperty)) === "false"
    );
  }
  const promised = checker.getAwaitedType(type);
  return promised !== undefined && promised !== type && isResult(promised);
}

function report(node: ts.Node, what: string): void {
  const file = node.getSourceFile();
  const { line, character } = file.getLineAndCharacterOfPosition(node.getStart(file));
  reports.push(
    `${relative(process.cwd(), file.fileName)}:${line + 1}:${character + 1}: ${what}: look at its \`ok\`, or return it`,
  );
}

function isAssignment(node: ts.BinaryExpression): boolean {
  const { kind } = node.operatorToken;
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
}

/** Looks at an expression whose value nobody takes. */
function discard(node: ts.Expression): void {
  if (ts.isParenthesizedExpression(node)) discard(node.expression);
  else if (ts.isConditionalExpression(node)) {
    discard(node.whenTrue);
    discard(node.whenFalse);
  } else if (ts.isBinaryExpression(node)) {
    // The left side of a comma is looked at where the comma is met.
    if (!isAssignment(node)) discard(node.right);
  } else if (!ts.isVoidExpression(node) && isResult(checker.getTypeAtLocation(node)))
    report(node, "this Result is discarded");
}

function signatureOf(type: ts.Type | undefined): ts.Signature | undefined {
  return type === undefined ? undefined : checker.getNonNullableType(type).getCallSignatures()[0];
}

/** A callback whose caller wants nothing from it, but which returns a Result. */
function discardByCaller(argument: ts.Expression): void {
  const wanted = signatureOf(checker.getContextualType(argument));
  if (wanted === undefined || (wanted.getReturnType().flags & ts.TypeFlags.Void) === 0) return;
  const given = signatureOf(checker.getTypeAtLocation(argument));
  if (given !== undefined && isResult(given.getReturnType()))
    report(argument, "the Result of this callback is discarded by its caller");
}

function visit(node: ts.Node): void {
  if (ts.isExpressionStatement(node)) discard(node.expression);
  else if (ts.isForStatement(node)) {
    if (node.initializer !== undefined && !ts.isVariableDeclarationList(node.initializer)) discard(node.initializer);
    if (node.incrementor !== undefined) discard(node.incrementor);
  } else if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.CommaToken) discard(node.left);
  else if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
    for (const argument of node.arguments ?? [])
      if (ts.isArrowFunction(argument) || ts.isFunctionExpression(argument) || ts.isIdentifier(argument))
        discardByCaller(argument);
  }
  ts.forEachChild(node, visit);
}

for (const path of files) {
  const file = program.getSourceFile(path);
  if (file === undefined) reports.push(`${relative(process.cwd(), path)}: there is no such file`);
  else visit(file);
}
for (const line of reports) console.error(line);
if (reports.length === 0) console.log(`no discarded Result in ${files.length} files`);
process.exitCode = reports.length > 0 ? 1 : 0;
