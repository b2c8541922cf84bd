// SPDX-License-Identifier: Apache-2.0
// Looking into declarators.
import type { Span } from "@muxkit/report";

import type { Declarator } from "../ast.ts";

/** The name that a declarator declares; null if there is none. */
export function declaredName(declarator: Declarator): { readonly name: string | null; readonly span: Span } {
  let inner = declarator;
  while (inner.kind !== "name") inner = inner.inner;
  return inner;
}

/** The part of a declarator that makes its name a function; null when it is none. */
export function functionDeclarator(declarator: Declarator): Extract<Declarator, { kind: "function" }> | null {
  for (let part: Declarator = declarator; part.kind !== "name"; part = part.inner) {
    if (part.kind === "function" && part.inner.kind === "name") return part;
  }
  return null;
}
