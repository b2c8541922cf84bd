// SPDX-License-Identifier: Apache-2.0
// The parser: tokens to a syntax tree, with a report for each mistake and none for its echo.
import type { DiagnosticList } from "@muxkit/report";

import type { TopLevelItem } from "../ast.ts";
import { report } from "../diagnostics.table.ts";
import type { LanguageOptions } from "../language.ts";
import { IDENTIFIER, PRAGMA } from "../lex/token.ts";
import type { TokenStream } from "../preprocess/preprocessor.ts";
import { Cursor } from "./cursor.ts";
import { Resynchronize } from "./resynchronize.ts";
import { parseDeclaration, parseInitializerList, parseTypeName } from "./declarations.ts";
import { parseAssignment, parseConditional, parseExpression } from "./expressions.ts";
import { parseStaticAssert } from "./extensions.ts";
import { readLoopDirective } from "./loop-directives.ts";
import { namesBetween, skipToEdge } from "./recover.ts";
import { parseCompound } from "./statements.ts";
import { Words } from "./type-words.ts";

/**
 * Parses a preprocessed file, declaration by declaration: each tree can be released when the next one is requested.
 * After a mistake the construct is left out.
 */
export class Parser {
  private readonly cursor: Cursor;

  constructor(stream: TokenStream, diagnostics: DiagnosticList, options: LanguageOptions) {
    this.cursor = new Cursor(
      stream,
      diagnostics,
      {
        typeName: parseTypeName,
        initializerList: parseInitializerList,
        compound: parseCompound,
        expression: parseExpression,
        assignment: parseAssignment,
        conditional: parseConditional,
      },
      new Words(options),
    );
  }

  /** Names of declarations that could not be read. */
  get brokenNames(): ReadonlySet<string> {
    return this.cursor.brokenNames;
  }

  /** The next declaration, function or pragma; null at the end. */
  next(): TopLevelItem | null {
    const { cursor } = this;
    for (;;) {
      const hoisted = cursor.hoisted.shift();
      if (hoisted !== undefined) return hoisted;
      if (cursor.isAtEnd || cursor.diagnostics.isFull) return null;
      cursor.forget();
      const item = this.read();
      if (item !== null) return item;
    }
  }

  private read(): TopLevelItem | null {
    const { cursor } = this;
    const token = cursor.peek();
    if (token.kind === PRAGMA) {
      cursor.next();
      const directive = readLoopDirective(token.text);
      if (directive !== null) report(cursor.diagnostics, "loopExpected", token.span, [directive.name]);
      return { kind: "pragma", text: token.text, span: token.span };
    }
    if (cursor.accept(";") || cursor.acceptWord("__extension__")) return null;
    const start = cursor.position;
    const { depth } = cursor;
    try {
      if (token.kind === IDENTIFIER)
        return cursor.isWord("_Static_assert") ? parseStaticAssert(cursor) : parseDeclaration(cursor, true);
      // What follows a surplus brace was meant to be in a function.
      if (token.text !== "}") {
        report(cursor.diagnostics, "expectedDeclaration", token.span, [`"${token.text}"`]);
        throw new Resynchronize();
      }
      report(cursor.diagnostics, "strayBrace", token.span);
      skipToEdge(cursor);
    } catch (error) {
      if (!(error instanceof Resynchronize)) throw error;
      cursor.depth = depth;
      cursor.skipStatement();
      if (cursor.position === start) cursor.next();
      for (const name of namesBetween(cursor, start, cursor.position)) cursor.brokenNames.add(name);
    }
    return null;
  }
}
