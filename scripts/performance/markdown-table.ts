// SPDX-License-Identifier: Apache-2.0
// Tables of Markdown documents as data.

/** A table. */
export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function cellsOf(line: string): readonly string[] {
  return line
    .trim()
    .replace(/^\|/u, "")
    .replace(/\|$/u, "")
    .split(/(?<!\\)\|/u)
    .map((cell) => cell.trim());
}

/**
 * The first table between a heading, which is a whole line (`## Speed`), and the next one. Throws when there is none;
 * `what` is what the message calls it.
 */
export function tableUnder(text: string, heading: string, what: string = "table"): Table {
  const lines = text.split("\n");
  const start = lines.indexOf(heading);
  const rest = start < 0 ? [] : lines.slice(start + 1);
  const next = rest.findIndex((line) => line.startsWith("#"));
  const chapter = next < 0 ? rest : rest.slice(0, next);
  const first = chapter.findIndex((line) => line.startsWith("|"));
  if (first < 0) throw new Error(`there is no ${what} under "${heading}": was the document's heading changed?`);
  const rows: (readonly string[])[] = [];
  for (let at = first + 2; chapter[at]?.startsWith("|") === true; at++) rows.push(cellsOf(chapter[at] ?? ""));
  return { header: cellsOf(chapter[first] ?? ""), rows };
}

/** The numbers of a column by the first cell of its row; rows without a number are left out. */
export function numbersOf(table: Table, column: string): ReadonlyMap<string, number> {
  const at = table.header.indexOf(column);
  if (at < 0) throw new Error(`there is no column "${column}" among ${table.header.join(", ")}`);
  return new Map(
    table.rows.flatMap((row) => {
      const value = Number.parseFloat((row[at] ?? "").replaceAll(",", ""));
      return Number.isFinite(value) ? [[row[0] ?? "", value] as const] : [];
    }),
  );
}
