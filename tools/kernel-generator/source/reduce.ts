// SPDX-License-Identifier: Apache-2.0
// Reduces a failing program while a property holds: deletes statements, unwraps inner blocks, simplifies expressions.
//
// Works on the generator's tree, not on text, so that each candidate is a well-formed program. The search is greedy, in
// the manner of delta debugging (Zeller & Hildebrandt 2002) on trees (hierarchical delta debugging, Misherghi & Su
// 2006): a change is made in place, the property is tested, and the change is undone if it no longer holds.
//
// Three transformations are repeated up to a fixpoint:
//
// 1. Delete runs of statements, from half of a block down to single ones, the last ones first.
// 2. Replace a statement by the statements of its inner blocks: `if (c) { s; }` becomes `s;`.
// 3. Replace an expression by 0, 1 or a subexpression of the same type.
//
// Cost: one run of the program for each candidate, bounded by `limit`.
import { small } from "./generate/literals.ts";
import type { Block, Expression, Statement } from "./tree.ts";

/** A list in the tree whose items may go. */
interface Site<T> {
  readonly list: T[];
}

type Hole = string | Expression | Block;

/** Every list of statements, outermost first. */
function blocksOf(root: Block): Block[] {
  return [
    root,
    ...root.statements.flatMap(({ parts }) =>
      parts.flatMap((part) => (typeof part !== "string" && part.kind === "block" ? blocksOf(part) : [])),
    ),
  ];
}

/** Every list of parts that holds an expression, outermost first. */
function sitesOf(root: Block): Site<Hole>[] {
  const sites: Site<Hole>[] = [];
  const visit = (parts: readonly Hole[]): void => {
    sites.push({ list: parts as Hole[] });
    for (const part of parts) {
      if (typeof part === "string") continue;
      if (part.kind === "expression") visit(part.parts);
      else for (const { parts: inner } of part.statements) visit(inner);
    }
  };
  for (const { parts } of root.statements) visit(parts);
  return sites;
}

/** Expressions of the same type within an expression, nearest first. */
function within({ type, parts }: Expression): Expression[] {
  const inner = parts.flatMap((part) => (typeof part === "string" ? [] : [part]));
  return [...inner.filter((one) => one.type === type), ...inner.flatMap((one) => within(one))].filter(
    (one) => one.type === type,
  );
}

/** Applies a change, keeps it when the property stays, else takes it back. */
type Attempt = (change: () => () => void) => boolean;

/** Deletes runs of statements: halves first, then ever shorter ones. */
function deleteStatements(root: Block, attempt: Attempt): boolean {
  let changed = false;
  for (const { statements } of blocksOf(root)) {
    for (let size = Math.max(1, statements.length >> 1); size >= 1; size >>= 1) {
      for (let at = statements.length - size; at >= 0; at -= size) {
        changed =
          attempt(() => {
            const removed = statements.splice(at, size);
            return () => statements.splice(at, 0, ...removed);
          }) || changed;
      }
    }
  }
  return changed;
}

/** Puts the statements of inner blocks instead of what is around them. */
function unwrap(root: Block, attempt: Attempt): boolean {
  let changed = false;
  for (const { statements } of blocksOf(root)) {
    for (let at = statements.length - 1; at >= 0; at--) {
      const around = statements[at];
      const inner = (around?.parts ?? []).flatMap((part) =>
        typeof part !== "string" && part.kind === "block" ? [part.statements] : [],
      );
      if (around === undefined) continue;
      for (const replacement of [inner.flat(), ...inner].filter((list: readonly Statement[]) => list.length > 0)) {
        const done = attempt(() => {
          statements.splice(at, 1, ...replacement);
          return () => statements.splice(at, replacement.length, around);
        });
        changed = done || changed;
        if (done) break;
      }
    }
  }
  return changed;
}

/** Puts a literal, or a part of the same type, instead of an expression. */
function simplifyExpressions(root: Block, attempt: Attempt): boolean {
  let changed = false;
  for (const { list } of sitesOf(root)) {
    for (const [at, part] of list.entries()) {
      if (
        typeof part === "string" ||
        part.kind !== "expression" ||
        part.parts.every((piece) => typeof piece === "string" && piece.length < 12)
      )
        continue;
      for (const simpler of [small(part.type, 0), small(part.type, 1), ...within(part).slice(0, 6)]) {
        const done = attempt(() => {
          list[at] = simpler;
          return () => {
            list[at] = part;
          };
        });
        changed = done || changed;
        if (done) break;
      }
    }
  }
  return changed;
}

/** The result of {@link reduce}. */
export interface Reduction {
  readonly root: Block;
  /** Programs that were tried. */
  readonly tried: number;
}

/**
 * Reduces a tree while `stays` returns true; the tree is not changed, a smaller one is returned.
 * `limit` bounds the programs that are tried.
 */
export function reduce(tree: Block, stays: (root: Block) => boolean, limit = 3000): Reduction {
  const root = structuredTree(tree);
  let tried = 0;
  const attempt: Attempt = (change) => {
    if (tried >= limit) return false;
    const undo = change();
    tried++;
    if (stays(root)) return true;
    undo();
    return false;
  };
  const round = (): boolean =>
    [deleteStatements, unwrap, simplifyExpressions].map((step) => step(root, attempt)).includes(true);
  // Each iteration that changes something may enable the next one; attempts beyond the limit change nothing.
  while (round());
  return { root, tried };
}

/** A copy whose lists can be changed; types stay the same objects. */
function structuredTree({ statements }: Block): Block {
  const copyHole = (part: Hole): Hole =>
    typeof part === "string" ? part : part.kind === "block" ? structuredTree(part) : copyExpression(part);
  const copyExpression = ({ kind, type, parts }: Expression): Expression => ({
    kind,
    type,
    parts: parts.map((part) => (typeof part === "string" ? part : copyExpression(part))),
  });
  return { kind: "block", statements: statements.map(({ kind, parts }) => ({ kind, parts: parts.map(copyHole) })) };
}
