// SPDX-License-Identifier: Apache-2.0
// References in comments and documents: to files, headings, decisions and npm commands.
//
// Sources are read line by line: what begins as a comment is one, which also covers the comments that a generator
// writes. Of Markdown everything is read. A name with a placeholder (`NAME`, `…`, `*`, `{a,b}`) is no reference.

/** A reference: what it names, and where it is. */
export interface Reference {
  readonly kind: "file" | "heading" | "decision" | "command" | "package";
  /** A path or the end of one, `path#heading`, a number, the name of a script, or of a package. */
  readonly target: string;
  /** Line of the file, from 1. */
  readonly line: number;
  /** True when the path counts from the folder of the file (links); else from the repository or any folder of it. */
  readonly isRelative: boolean;
}

/**
 * Files of the repository that others speak of by their names. In examples, `.cl`, `.json` and others name files of a
 * user.
 */
const NAMED_FILE = /(?<![\w$@./<>{}*-])(?:[\w.@-]+\/)*[\w.@-]+\.(?:ts|mts|mjs|md|xml)\b(?![\w*…<{(/-]|\.[a-z])/gu;
/** Paths from the root of the repository, of files and folders. */
const ROOTED =
  /(?<![\w$@./<>{}*-])(?:modules|source|tools|docs|scripts|benchmarks|examples)\/[\w@-][\w@./-]*\w(?![\w*…<{(/-])/gu;
const LINK = /\]\((?<target>[^)\s]+)\)/gu;
const DECISION = /\bdecisions? (?<number>\d+)\b/giu;
const COMMAND = /\bnpm run (?:--silent |-s )?(?<name>[a-z][\w:-]*)/gu;
/** Links of pages that are read elsewhere too. */
const OWN_PAGES = "https://github.com/muxkit/muxkit/blob/main/";
/** What `npx` would look for in the registry. */
const PACKAGE = /\bnpx (?:--\S+ )*(?<name>[a-z@][\w/@-]*)/gu;
const COMMENT = /^\s*(?:\/\/|\/\*|\*)|(?<=[;,{}()\]]\s+)\/\/\s/u;
const PLACEHOLDER = /NAME|NNN|my-|\.d\.ts$|^https?:|\/generated\/|^\.table\.ts$/u;

/**
 * References of a file's text, each once a line. Generated files may not exist yet, so references to them are left out.
 */
export function findReferences(file: string, text: string): readonly Reference[] {
  const isDocument = file.endsWith(".md");
  return text.split("\n").flatMap((line, index) => {
    const commands = matches(line, COMMAND, "name").map((target) => reference("command", target, index));
    if (isDocument) commands.push(...matches(line, PACKAGE, "name").map((name) => reference("package", name, index)));
    const comment = isDocument ? line : commentOf(line);
    return comment === "" ? commands : [...commands, ...referencesIn(comment, index)];
  });
}

function referencesIn(text: string, index: number): readonly Reference[] {
  const targets = matches(text, LINK, "target");
  const links = targets.filter((target) => !/^[a-z]+:/u.test(target));
  const own = targets.filter((target) => target.startsWith(OWN_PAGES)).map((target) => target.slice(OWN_PAGES.length));
  const withoutLinks = text.replaceAll(/\[[^\]]*\]\([^)\s]+\)/gu, "").replaceAll(/\bhttps?:\/\/\S+/gu, "");
  const files = new Set([...matches(withoutLinks, NAMED_FILE), ...matches(withoutLinks, ROOTED)]);
  return [
    ...links.map((target) => reference(target.includes("#") ? "heading" : "file", target, index, true)),
    ...own.map((target) => reference(target.includes("#") ? "heading" : "file", target, index)),
    ...[...files].map((target) => reference("file", target, index, target.startsWith("../"))),
    ...matches(withoutLinks, DECISION, "number").map((target) => reference("decision", target, index)),
  ].filter(({ target }) => !PLACEHOLDER.test(target));
}

/** The comment of a line; empty where there is none. */
function commentOf(line: string): string {
  const found = COMMENT.exec(line);
  return found === null ? "" : line.slice(found.index);
}

function matches(text: string, pattern: RegExp, group?: string): readonly string[] {
  return [...text.matchAll(pattern)].map((match) => (group === undefined ? match[0] : (match.groups?.[group] ?? "")));
}

function reference(kind: Reference["kind"], target: string, index: number, isRelative = false): Reference {
  return { kind, target, line: index + 1, isRelative };
}
