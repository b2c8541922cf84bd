// SPDX-License-Identifier: Apache-2.0
// What the tests of this package show of OpenCL's calls: their titles, the calls that they make, and the errors that
// they expect.
//
// Files are read as TypeScript syntax, so formatting does not matter. A test is a statement `test(title, …)` or
// `test.each(table)(title, …)` of a file; what follows it up to the next test counts as part of it, because helpers are
// written next to the tests that use them.
import ts from "typescript";

/** A test of this package. */
export interface Test {
  readonly file: string;
  readonly title: string;
  readonly calls: ReadonlySet<string>;
  /** Errors that it expects, by call. */
  readonly errors: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A row of a table of tests: its text, and the strings that it begins with. */
interface Row {
  readonly text: string;
  readonly cells: readonly string[];
}

const CALL = /\bcl[A-Z]\w*/gu;
const TOKEN = /\bCL_\w+/gu;

/** Names of OpenCL's calls in a text. */
export function callsIn(text: string): readonly string[] {
  return [...text.matchAll(CALL)].map(([name]) => name);
}

/** Reads the tests of one file. `errorNames` are the constants that are errors. */
export class TestReader {
  readonly #errorNames: ReadonlySet<string>;

  constructor(errorNames: ReadonlySet<string>) {
    this.#errorNames = errorNames;
  }

  /** Errors that a text names. */
  errorsNamed(text: string): readonly string[] {
    return [...text.matchAll(TOKEN)]
      .map(([name]) => name)
      .filter((name) => this.#errorNames.has(name) && name !== "CL_SUCCESS");
  }

  /** The tests of a source text, in their order. */
  read(file: string, text: string): readonly Test[] {
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    const starts = source.statements.filter((statement) => testCall(statement) !== null);
    return starts.flatMap((statement, index) => {
      const block = text.slice(statement.getStart(), starts[index + 1]?.getStart() ?? text.length);
      const call = testCall(statement);
      return call === null ? [] : this.#testsOf(file, source, call, block);
    });
  }

  /** A test, once for each call that its table has rows of. */
  #testsOf(file: string, source: ts.SourceFile, call: ts.CallExpression, block: string): readonly Test[] {
    const [titleNode] = call.arguments;
    const title = titleNode === undefined ? null : textOf(titleNode);
    if (title === null) return [];
    const table = ts.isCallExpression(call.expression) ? (call.expression.arguments[0] ?? null) : null;
    const rows = table === null ? [] : rowsOf(source, table);
    const text = table === null ? "" : rows.length > 0 ? rows.map((row) => row.text).join("\n") : table.getText();
    const make = (own: string, more: string): Test => ({
      file,
      title: own.replaceAll(/%[\dsio$]+/gu, "…"),
      calls: new Set([...callsIn(block), ...callsIn(more)]),
      errors: this.#errorsIn(block, own, this.errorsNamed(`${own} ${more}`)),
    });
    // A table whose rows begin with calls has a test for each of them; where the test speaks of an error of its row,
    // the row names it.
    const byCall = title.startsWith("%s") ? rows.filter(({ cells }) => (cells[0] ?? "").startsWith("cl")) : [];
    if (byCall.length === 0) return [make(title, text)];
    return byCall.map((row) => {
      const own = row.cells.reduce((made, cell) => made.replace("%s", cell), title);
      const names = row.cells.filter((cell) => cell.startsWith("cl"));
      const test = make(own, names.join(" "));
      const more = /\berror\b/u.test(block) ? this.errorsNamed(row.text) : [];
      const errors = names.map((name) => [name, new Set([...(test.errors.get(name) ?? []), ...more])] as const);
      return { ...test, errors: new Map([...test.errors, ...errors]) };
    });
  }

  /**
   * Errors that expectError calls of a text name, by the outermost call of the last statement that each contains;
   * `named` are those of the calls that the title begins with.
   */
  #errorsIn(text: string, title: string, named: readonly string[]): Map<string, Set<string>> {
    const errors = new Map<string, Set<string>>();
    const note = (call: string, error: string): void => {
      errors.set(call, (errors.get(call) ?? new Set()).add(error));
    };
    for (const part of text.split("expectError(").slice(1)) {
      const [error] = this.errorsNamed(part);
      if (error === undefined) continue;
      const statements = part.slice(0, part.indexOf(`"${error}"`)).split(/;\s/u);
      const [call] = statements.map(callsIn).findLast((list) => list.length > 0) ?? [];
      if (call !== undefined) note(call, error);
    }
    // A title that begins with calls names the errors of theirs that it shows.
    const [subject = ""] = title.split(/[:,;]/u);
    for (const call of callsIn(subject)) for (const error of named) note(call, error);
    return errors;
  }
}

/** Names of functions of a source text that are exported and return `never`. */
export function refusedCalls(file: string, text: string): readonly string[] {
  return ts
    .createSourceFile(file, text, ts.ScriptTarget.Latest)
    .statements.flatMap((statement) =>
      ts.isFunctionDeclaration(statement) &&
      statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true &&
      statement.type?.kind === ts.SyntaxKind.NeverKeyword &&
      statement.name !== undefined
        ? [statement.name.text]
        : [],
    );
}

/** The source text between the quotes of a literal, or of several that are added; null for what is none. */
function textOf(node: ts.Node): string | null {
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [textOf(node.left), textOf(node.right)];
    return left === null || right === null ? null : left + right;
  }
  const isText = ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node);
  return isText ? node.getText().slice(1, -1) : null;
}

/** The call `test(…)` or `test.each(…)(…)` that a statement is; null for others. */
function testCall(statement: ts.Statement): ts.CallExpression | null {
  if (!ts.isExpressionStatement(statement) || !ts.isCallExpression(statement.expression)) return null;
  const call = statement.expression;
  const named = ts.isCallExpression(call.expression) ? call.expression.expression : call.expression;
  return /^test(?:\.each)?$/u.test(named.getText()) ? call : null;
}

/**
 * The rows of a table: an array, a constant that is one, or rows that are chosen of one by a pattern of the name or by
 * a kind.
 */
function rowsOf(source: ts.SourceFile, table: ts.Expression): readonly Row[] {
  if (ts.isArrayLiteralExpression(table)) return table.elements.map(rowOf);
  if (ts.isIdentifier(table)) {
    const value = initialiser(source, table.text);
    return value === null ? [] : rowsOf(source, value);
  }
  if (ts.isAsExpression(table) || ts.isSatisfiesExpression(table)) return rowsOf(source, table.expression);
  if (!ts.isCallExpression(table) || !ts.isPropertyAccessExpression(table.expression)) return [];
  const { name, expression } = table.expression;
  if (!["filter", "flatMap"].includes(name.text)) return [];
  const by = table.arguments.map((argument) => argument.getText()).join(" ");
  const wanted = /\/(.+)\/u\.test/u.exec(by)?.[1];
  const kind = /!== "(\w+)"/u.exec(by)?.[1];
  return rowsOf(source, expression).filter(
    ({ text }) =>
      (wanted === undefined || new RegExp(wanted, "u").test(/"(cl\w+)"/u.exec(text)?.[1] ?? "")) &&
      (kind === undefined || !text.includes(`"${kind}"`)),
  );
}

function rowOf(node: ts.Expression): Row {
  const cells: string[] = [];
  for (const element of ts.isArrayLiteralExpression(node) ? node.elements : []) {
    if (!ts.isStringLiteral(element)) break;
    cells.push(element.text);
  }
  return { text: node.getText(), cells };
}

/** What a constant of a file is initialised with. */
function initialiser(source: ts.SourceFile, name: string): ts.Expression | null {
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const declaration of statement.declarationList.declarations)
      if (declaration.name.getText() === name) return declaration.initializer ?? null;
  }
  return null;
}
