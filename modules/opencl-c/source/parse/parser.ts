// The parser: tokens to a syntax tree, with a report for each mistake and none for its echo.
import type { DiagnosticList } from "@muxkit/report";

import type { TranslationUnit } from "../ast.ts";
import { report } from "../diagnostics.table.ts";
import type { LanguageOptions } from "../language.ts";
import { IDENTIFIER, PRAGMA, type Token } from "../lex/token.ts";
import { Cursor, Resynchronize } from "./cursor.ts";
import { parseDeclaration, parseInitializerList, parseTypeName } from "./declarations.ts";
import { parseAssignment, parseConditional, parseExpression } from "./expressions.ts";
import { parseStaticAssert } from "./extensions.ts";
import { namesBetween, skipToEdge } from "./recover.ts";
import { parseCompound } from "./statements.ts";
import { Words } from "./type-words.ts";

/** Parses a preprocessed file. After a mistake the tree lacks the construct. */
export function parse(tokens: readonly Token[], diagnostics: DiagnosticList, options: LanguageOptions): TranslationUnit {
  const cursor = new Cursor(tokens, diagnostics, { typeName: parseTypeName, initializerList: parseInitializerList, compound: parseCompound, expression: parseExpression, assignment: parseAssignment, conditional: parseConditional }, new Words(options));
  const items: TranslationUnit["items"][number][] = [];
  while (!cursor.isAtEnd) {
    const token = cursor.peek();
    if (token.kind === PRAGMA) {
      cursor.next();
      items.push({ kind: "pragma", text: token.text, span: token.span });
      continue;
    }
    if (cursor.accept(";") || cursor.acceptWord("__extension__")) continue;
    const start = cursor.position;
    try {
      if (token.kind !== IDENTIFIER) {
        report(diagnostics, "expectedDeclaration", token.span, [`"${token.text}"`]);
        // What stands behind a brace too many was meant to stand in a function.
        if (token.text === "}") skipToEdge(cursor);
        else throw new Resynchronize();
        continue;
      }
      items.push(cursor.isWord("_Static_assert") ? parseStaticAssert(cursor) : parseDeclaration(cursor, true));
    } catch (error) {
      if (!(error instanceof Resynchronize)) throw error;
      cursor.skipStatement();
      if (cursor.position === start) cursor.next();
      for (const name of namesBetween(cursor, start, cursor.position)) cursor.brokenNames.add(name);
    }
    items.push(...cursor.hoisted.splice(0));
  }
  return { items, brokenNames: cursor.brokenNames };
}
