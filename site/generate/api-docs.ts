// SPDX-License-Identifier: Apache-2.0
// The page of a package's API: the signatures of its API report, with the TSDoc comments of its sources.
//
// Reports have what is public and how it is typed, but no comments. Both are parsed without being checked: comments are
// found by the name of a declaration and of its member. What the report says to come from another package leads to that
// package's page.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import ts from "typescript";

/** Comments by `name` and `name.member`. */
export type Comments = ReadonlyMap<string, string>;

type Named = ts.Node & { readonly name?: ts.Node };

function nameOf(node: Named): string | null {
  return node.name !== undefined && (ts.isIdentifier(node.name) || ts.isStringLiteral(node.name))
    ? node.name.text
    : null;
}

/** Prose of a TSDoc comment; empty: there is none. */
function commentOf(node: ts.Node, text: string): string {
  const ranges = ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [];
  const last = ranges.at(-1);
  if (last === undefined) return "";
  const comment = text.slice(last.pos, last.end);
  return comment.startsWith("/**") ? proseOf(comment) : "";
}

/** A TSDoc comment as Markdown. */
export function proseOf(comment: string): string {
  return comment
    .replace(/^\/\*\*/u, "")
    .replace(/\*\/$/u, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\*? ?/u, "").trimEnd())
    .join("\n")
    .replaceAll(/\{@link (\S+?)(?:\s*\|\s*([^}]+))?\}/gu, (_all, name: string, text?: string) => text ?? `\`${name}\``)
    .replaceAll(/@(?:public|internal|beta|alpha)\b/gu, "")
    .replaceAll(/@param (\w+) -?\s*/gu, "\n- `$1`: ")
    .replaceAll(/@returns?\s+/gu, "\nReturns ")
    .replaceAll(/@throws\s+/gu, "\nThrows ")
    .replaceAll(/@(?:remarks|example|defaultValue)\b/gu, "")
    .trim();
}

function membersOf(node: ts.Node): readonly ts.Node[] {
  if (ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node)) return [...node.members];
  return ts.isTypeAliasDeclaration(node) && ts.isTypeLiteralNode(node.type) ? [...node.type.members] : [];
}

function declarationsOf(statement: ts.Statement): readonly Named[] {
  return ts.isVariableStatement(statement) ? [...statement.declarationList.declarations] : [statement];
}

/** The comments of all declarations of a package's sources. */
export function readComments(folder: string): Comments {
  const comments = new Map<string, string>();
  for (const file of globSync("source/**/*.ts", { cwd: folder }).toSorted()) {
    const text = readFileSync(join(folder, file), "utf8");
    const parsed = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    for (const statement of parsed.statements)
      for (const declaration of declarationsOf(statement)) {
        const name = nameOf(declaration);
        if (name === null) continue;
        const comment = commentOf(statement, text);
        if (comment !== "" && !comments.has(name)) comments.set(name, comment);
        for (const member of membersOf(declaration)) {
          const own = nameOf(member);
          const about = own === null ? "" : commentOf(member, text);
          if (about !== "") comments.set(`${name}.${String(own)}`, about);
        }
      }
  }
  return comments;
}

/** What a report says of one name. */
interface ApiItem {
  readonly name: string;
  readonly kind: string;
  readonly signature: string;
  readonly members: readonly string[];
}

const KINDS: readonly { readonly test: (node: ts.Node) => boolean; readonly kind: string }[] = [
  { test: ts.isFunctionDeclaration, kind: "Functions" },
  { test: ts.isClassDeclaration, kind: "Classes" },
  { test: ts.isInterfaceDeclaration, kind: "Interfaces" },
  { test: ts.isTypeAliasDeclaration, kind: "Types" },
  { test: ts.isVariableStatement, kind: "Constants" },
];

/** The code of a report. */
function codeOf(report: string): string {
  return /```ts\n([^]*?)\n```/u.exec(report)?.[1] ?? "";
}

/** A declaration as a reader needs it: without the report's own remarks, and without what is internal. */
function signatureOf(text: string): string {
  const lines: string[] = [];
  let isInternal = false;
  for (const line of text.split("\n")) {
    if (/^\s*\/\//u.test(line)) {
      isInternal ||= line.includes("@internal");
      continue;
    }
    if (!isInternal) lines.push(line);
    isInternal = false;
  }
  return lines.join("\n").trim();
}

/** The names of a report. */
export function itemsOf(report: string): readonly ApiItem[] {
  const text = codeOf(report);
  const parsed = ts.createSourceFile("report.ts", text, ts.ScriptTarget.Latest, true);
  const items = new Map<string, ApiItem>();
  for (const statement of parsed.statements) {
    const kind = KINDS.find((row) => row.test(statement))?.kind;
    const tags = text.slice(statement.getFullStart(), statement.getStart());
    if (kind === undefined || tags.includes("@internal")) continue;
    for (const declaration of declarationsOf(statement)) {
      const name = nameOf(declaration);
      if (name === null || name.startsWith("_")) continue;
      const signature = signatureOf(statement.getText());
      const before = items.get(name);
      items.set(name, {
        name,
        kind: before?.kind ?? kind,
        signature: before === undefined ? signature : `${before.signature}\n\n${signature}`,
        members: membersOf(declaration).flatMap((member) => nameOf(member as Named) ?? []),
      });
    }
  }
  return [...items.values()];
}

/** Packages that a report passes names on from, with the names. */
export function passedOn(report: string): ReadonlyMap<string, readonly string[]> {
  const text = codeOf(report);
  const found = new Map<string, string[]>();
  for (const [, name = "", origin = ""] of text.matchAll(
    /^import (?:type )?\{ (\w+)(?: as \w+)? \} from '([^']+)';$/gmu,
  )) {
    if (!new RegExp(`^export \\{ ${name} \\}$`, "mu").test(text)) continue;
    const names = found.get(origin) ?? [];
    names.push(name);
    found.set(origin, names);
  }
  return found;
}

/** The chapters of a package's page. */
export function apiChapters(report: string, comments: Comments): string {
  const items = itemsOf(report);
  const parts: string[] = [];
  for (const kind of ["Functions", "Classes", "Interfaces", "Types", "Constants"]) {
    const own = items.filter((item) => item.kind === kind).toSorted((a, b) => a.name.localeCompare(b.name));
    if (own.length > 0) parts.push(`## ${kind}`, ...own.map((item) => itemText(item, comments)));
  }
  return parts.join("\n\n");
}

function itemText({ name, signature, members }: ApiItem, comments: Comments): string {
  const about = [...new Set(members)].flatMap((member) => {
    const comment = comments.get(`${name}.${member}`);
    return comment === undefined ? [] : [`- **\`${member}\`**: ${comment.replaceAll(/\n+/gu, " ")}`];
  });
  return [`### ${name}`, comments.get(name) ?? "", `\`\`\`ts\n${signature}\n\`\`\``, about.join("\n")]
    .filter((part) => part !== "")
    .join("\n\n");
}
