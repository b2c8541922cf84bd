// SPDX-License-Identifier: Apache-2.0
// A document of the repository as a page of the site: links lead to pages where the site has them and to the repository
// otherwise, what VitePress would read as HTML or as a template is escaped, diagrams become tables.
//
// The text is read line by line; lines in fences are left alone, and so are code spans within a line.
import { posix } from "node:path";

const REPOSITORY = "https://github.com/muxkit/muxkit";
const OWN_FILE = /^https:\/\/github\.com\/muxkit\/muxkit\/(?:blob|tree)\/main\//u;
/** Elements that documents use. */
const ELEMENTS =
  /^<\/?(?:br|sub|sup|kbd|details|summary|b|i|em|strong|a|div|span|p|img|h1|svg|line|text|rect)\b[^>]*>/iu;

/** What links are rewritten by. */
export interface PageMap {
  /** Addresses of pages by the path of their source, which is a file, or a folder whose README it is. */
  readonly pages: ReadonlyMap<string, string>;
}

/** `internals/decisions/index` as it is linked to: `/internals/decisions/`. */
export function addressOf(page: string): string {
  return `/${page.replace(/(^|\/)index$/u, "$1")}`;
}

/** Where a link of a document leads on the site. */
export function rewriteLink(source: string, target: string, { pages }: PageMap): string {
  const own = OWN_FILE.exec(target);
  if (own === null && (/^[a-z]+:/u.test(target) || target.startsWith("#"))) return target;
  const [path = "", anchor] = (own === null ? target : target.slice(own[0].length)).split("#");
  const resolved = own === null ? posix.normalize(posix.join(posix.dirname(source), path)) : path;
  const file = resolved.replace(/\/$/u, "");
  const page = pages.get(file);
  const hash = anchor === undefined ? "" : `#${anchor}`;
  if (page !== undefined) return `${addressOf(page)}${hash}`;
  const isFile = /\.\w+$/u.test(posix.basename(file));
  return `${REPOSITORY}/${isFile ? "blob" : "tree"}/main/${file}${hash}`;
}

/** A piece of prose between code spans. */
function prose(text: string): string {
  return text.replaceAll("{{", "{&#8203;{").replaceAll(/<[^<]*/gu, (piece) => {
    const isMarkup = ELEMENTS.test(piece) || /^<(?:https?:|!--)/u.test(piece);
    return isMarkup ? piece : `&lt;${piece.slice(1)}`;
  });
}

/** Applies a function to what is not a code span. */
function outsideCode(line: string, change: (text: string) => string): string {
  return line
    .split(/(`+[^`]*`+)/u)
    .map((piece, index) => (index % 2 === 1 ? piece : change(piece)))
    .join("");
}

const plain = (label: string): string =>
  label
    .replaceAll(/,\s*<br\/>\s*/gu, ", ")
    .replaceAll(/\s*<br\/>\s*/gu, ": ")
    .replaceAll(/<\/?b>/gu, "")
    .trim();

/** A flow chart of Mermaid as a table of its arrows, or of its boxes where arrows have no labels. */
export function chartTable(chart: string): string {
  const names = new Map<string, string>();
  for (const [, id = "", label = ""] of chart.matchAll(/([\w-]+)(?:\(\["|\["|\(")([^"]*)"/gu))
    names.set(id, plain(label));
  const clean = chart.replaceAll(/(?:\(\[|\[|\()"[^"]*"(?:\]\)|\]|\))/gu, "");
  const nameOf = (id: string): string => names.get(id) ?? id;
  const arrows = [...clean.matchAll(/^\s*([\w-]+) -->(?:\|([^|]*)\|)? ([\w-]+)/gmu)];
  if (arrows.some(([, , label]) => label !== undefined))
    return [
      "| from | what | to |",
      "|---|---|---|",
      ...arrows.map(([, from = "", label = "", to = ""]) => `| ${nameOf(from)} | ${label} | ${nameOf(to)} |`),
    ].join("\n");
  return [
    "| layer | packages | uses |",
    "|---|---|---|",
    ...[...names].map(([id, label]) => {
      const uses = arrows.filter(([, from]) => from === id).map(([, , , to = ""]) => to);
      return `| ${id} | ${label.replace(/^[\w-]+: /u, "")} | ${uses.join(", ")} |`;
    }),
  ].join("\n");
}

/** The page of a document. */
export function rewriteDocument(source: string, text: string, map: PageMap): string {
  const charts = text.replaceAll(/^```mermaid\n([^]*?)^```$/gmu, (_all, chart: string) =>
    chartTable(chart.replaceAll(/<br\/>\n\s*/gu, "<br/>")),
  );
  let fence = "";
  return charts
    .split("\n")
    .map((line) => {
      const mark = /^\s*(```+|~~~+)/u.exec(line)?.[1];
      if (mark !== undefined && (fence === "" || mark.startsWith(fence))) fence = fence === "" ? mark : "";
      if (fence !== "" || mark !== undefined) return line;
      // A link's text may hold code, its target cannot.
      const linked = line
        .replaceAll(/\]\(([^)\s]+)\)/gu, (_all, target: string) => `](${rewriteLink(source, target, map)})`)
        .replaceAll(
          /^(\[[^\]]+\]: )(\S+)$/gu,
          (_all, name: string, target: string) => name + rewriteLink(source, target, map),
        );
      return outsideCode(linked, prose);
    })
    .join("\n");
}
