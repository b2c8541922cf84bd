// SPDX-License-Identifier: Apache-2.0
// What compilers took over from later versions of C and from GNU: typeof, statement expressions, _Generic,
// _Static_assert, __builtin_offsetof.
import type { BaseType, Expression, InitializerItem, StaticAssert, TypeName } from "../ast.ts";
import { STRING } from "../lex/token.ts";
import type { Cursor } from "./cursor.ts";
import { startsType } from "./starts.ts";

/** Reads `typeof(type or expression)`. */
export function parseTypeof(cursor: Cursor): BaseType {
  const first = cursor.next();
  cursor.expect("(", `after "${first.text}"`);
  const type = startsType(cursor, 0) ? cursor.grammar.typeName(cursor) : null;
  const operand = type === null ? cursor.grammar.expression(cursor) : null;
  cursor.expect(")", "after the type");
  return { kind: "typeof", type, operand, span: cursor.spanFrom(first) };
}

/** Reads `({ … })`: a block whose last expression is the value. */
export function parseStatementExpression(cursor: Cursor): Expression {
  const first = cursor.next();
  const body = cursor.grammar.compound(cursor);
  cursor.expect(")", "after a block in parentheses");
  return { kind: "statement-expression", body, span: cursor.spanFrom(first) };
}

function parseSelection(cursor: Cursor): Expression {
  const first = cursor.next();
  cursor.expect("(", "after _Generic");
  const control = cursor.grammar.assignment(cursor);
  const associations: { readonly type: TypeName | null; readonly value: Expression }[] = [];
  while (cursor.accept(",")) {
    const type = cursor.acceptWord("default") ? null : cursor.grammar.typeName(cursor);
    cursor.expect(":", "after a type of _Generic");
    associations.push({ type, value: cursor.grammar.assignment(cursor) });
  }
  cursor.expect(")", "at the end of _Generic");
  return { kind: "selection", control, associations, span: cursor.spanFrom(first) };
}

/** Reads designators: `.a[2].b`. The first name needs no point when `isBare`. */
export function parseDesignators(cursor: Cursor, isBare: boolean): InitializerItem["designators"][number][] {
  const designators: InitializerItem["designators"][number][] = [];
  for (;;) {
    if (cursor.accept(".") || (isBare && designators.length === 0)) {
      const name = cursor.expectName('after "."');
      designators.push({ kind: "member", name: name.text, span: name.span });
    } else if (cursor.accept("[")) {
      const index = cursor.grammar.conditional(cursor);
      const last = cursor.accept("...") ? cursor.grammar.conditional(cursor) : null;
      designators.push({ kind: "element", index, last });
      cursor.expect("]", "after a designator");
    } else return designators;
  }
}

function parseOffsetof(cursor: Cursor): Expression {
  const first = cursor.next();
  cursor.expect("(", "after __builtin_offsetof");
  const type = cursor.grammar.typeName(cursor);
  cursor.expect(",", "after the type");
  const path = parseDesignators(cursor, true);
  cursor.expect(")", "after the member");
  return { kind: "offsetof", type, path, span: cursor.spanFrom(first) };
}

/** A built-in whose last arguments are types: `values` of the first ones are values. */
function parseOfTypes(values: number): (cursor: Cursor) => Expression {
  return (cursor) => {
    const first = cursor.next();
    cursor.expect("(", `after ${first.text}`);
    const operand = values === 0 ? null : cursor.grammar.assignment(cursor);
    if (operand !== null) cursor.expect(",", "after the value");
    const types = [cursor.grammar.typeName(cursor)];
    while (cursor.accept(",")) types.push(cursor.grammar.typeName(cursor));
    cursor.expect(")", "after the type");
    return { kind: "builtin-of-types", name: first.text, operand, types, span: cursor.spanFrom(first) };
  };
}

/** Expressions that begin with a word of their own. */
export const WORD_EXPRESSIONS: Readonly<Record<string, (cursor: Cursor) => Expression>> = {
  _Generic: parseSelection,
  __builtin_offsetof: parseOffsetof,
  __builtin_astype: parseOfTypes(1),
  __builtin_convertvector: parseOfTypes(1),
  __builtin_types_compatible_p: parseOfTypes(0),
};

/** Reads `_Static_assert(condition, "message");`. */
export function parseStaticAssert(cursor: Cursor): StaticAssert {
  const first = cursor.next();
  cursor.expect("(", "after _Static_assert");
  const condition = cursor.grammar.conditional(cursor);
  const message = cursor.accept(",") && cursor.peek().kind === STRING ? cursor.grammar.assignment(cursor) : null;
  cursor.expect(")", "after the message");
  cursor.expect(";", "after _Static_assert");
  return { kind: "static-assert", condition, message, span: cursor.spanFrom(first) };
}
