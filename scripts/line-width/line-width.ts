// SPDX-License-Identifier: Apache-2.0
// Lines that are too wide, and the wrapping of comments.
//
// Wrapping works on lines, not on syntax: from the first line of a paragraph of a comment that is too wide, the rest of
// the paragraph is filled again. A paragraph ends at an empty comment line, at a list item, a tag, a heading of a
// table, or a line that is indented further.

/** Columns of a line, as the formatter has them. */
export const LINE_WIDTH = 120;

/** A row of a table in Markdown, a link that cannot be broken, or a row of a table in a comment. */
const TABLE_ROW = /^\s*(?:\/\/|\*)?\s*\|.*\|\s*$/u;
/** One word that has no place to break. */
const ONE_WORD = /^\s*(?:\/\/|\*|-|\/\*\*)?\s*\S+$/u;
/** Lines that have no place to break: a regular expression, the title of a test, a template with expressions in it. */
const UNBREAKABLE = /^\s*\/.*\/[dgimsuvy]*[,;)]?$|^\s*String\.raw|^\s*test(?:\.\w+)?\(["`]|`[^`]*\$\{/u;
const COMMENT_LINE = /^(?<indent>\s*)(?<mark>\/\/|\*(?!\/)) ?(?<text>.*)$/u;
const ONE_LINE_DOC = /^(?<indent>\s*)\/\*\* (?<text>.*) \*\/$/u;
/** What begins a paragraph of its own. */
const STARTS_PARAGRAPH = /^(?:\s|- |\* |\d+\. |@|\||#|```|$)/u;

/** Numbers, from 1, of the lines that are too wide. */
export function wideLines(file: string, text: string): readonly number[] {
  return text.split("\n").flatMap((line, index) => {
    const isTable = TABLE_ROW.test(line) && (file.endsWith(".md") || /^\s*(?:\/\/|\*)/u.test(line));
    const mayBeWide = isTable || ONE_WORD.test(line) || (!file.endsWith(".md") && UNBREAKABLE.test(line));
    return line.length <= LINE_WIDTH || mayBeWide ? [] : [index + 1];
  });
}

/** A source text whose comments have no lines that are too wide, where they can be broken. */
export function wrapComments(text: string): string {
  const lines = text.split("\n").flatMap(withoutWideDoc);
  const out: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const groups = COMMENT_LINE.exec(line)?.groups;
    if (groups === undefined || line.length <= LINE_WIDTH || TABLE_ROW.test(line)) {
      out.push(line);
      continue;
    }
    const { indent = "", mark = "", text: first = "" } = groups;
    const words = [first];
    while (at + 1 < lines.length) {
      const next = COMMENT_LINE.exec(lines[at + 1] ?? "")?.groups;
      if (next?.["indent"] !== indent || next["mark"] !== mark || STARTS_PARAGRAPH.test(next["text"] ?? "")) break;
      words.push(next["text"] ?? "");
      at++;
    }
    out.push(...fill(words.join(" "), `${indent}${mark} `, /^(?:- |\d+\. )/u.exec(first)?.[0].length ?? 0));
  }
  return out.join("\n");
}

/** A Markdown text whose paragraphs and list items have no lines that are too wide; code and tables stay. */
export function wrapMarkdown(text: string): string {
  const lines = text.split("\n");
  const out: string[] = [];
  let isCode = false;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (/^\s*```/u.test(line)) isCode = !isCode;
    if (isCode || line.length <= LINE_WIDTH || TABLE_ROW.test(line) || line.startsWith("#")) {
      out.push(line);
      continue;
    }
    const item = /^(?<indent>\s*)(?<bullet>- |\d+\. )?/u.exec(line)?.groups;
    const indent = item?.["indent"] ?? "";
    const bullet = item?.["bullet"] ?? "";
    const continued = indent + " ".repeat(bullet.length);
    const words = [line.slice(indent.length)];
    for (let next = lines[at + 1]; next?.startsWith(continued) === true; next = lines[at + 1]) {
      if (STARTS_PARAGRAPH.test(next.slice(continued.length))) break;
      words.push(next.slice(continued.length));
      at++;
    }
    out.push(...fill(words.join(" "), indent, bullet.length));
  }
  return out.join("\n");
}

/** A documentation comment in one line that is too wide, in three. */
function withoutWideDoc(line: string): readonly string[] {
  const groups = line.length > LINE_WIDTH ? ONE_LINE_DOC.exec(line)?.groups : undefined;
  if (groups === undefined) return [line];
  const { indent = "", text = "" } = groups;
  const tag = / (?<tag>@(?:public|internal))$/u.exec(text)?.groups?.["tag"];
  const body = tag === undefined ? text : text.slice(0, -tag.length).trimEnd();
  const tail = tag === undefined ? [] : [`${indent} *`, `${indent} * ${tag}`];
  return [`${indent}/**`, `${indent} * ${body}`, ...tail, `${indent} */`];
}

/** Words in lines with a prefix; lines after the first are indented by `hanging` more. */
function fill(text: string, prefix: string, hanging: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  let start = prefix;
  // A link, also one of TSDoc (`{@link x}`), and code in backticks stay in one line.
  for (const word of text.match(/(?:\{@[^}]*\}|`[^`]*`|\[[^\]]*\]\([^)]*\)|\S)+/gu) ?? []) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && start.length + longer.length > LINE_WIDTH) {
      lines.push(start + line);
      start = prefix + " ".repeat(hanging);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, start + line];
}
