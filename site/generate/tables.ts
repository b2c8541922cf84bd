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

/** The first table under a heading of level two; throws when the document has no such table. */
export function tableUnder(text: string, heading: string | null): Table {
  const lines = text.split("\n");
  const start = heading === null ? 0 : lines.indexOf(`## ${heading}`);
  const first = start < 0 ? -1 : lines.findIndex((line, index) => index >= start && line.startsWith("|"));
  if (first < 0)
    throw new Error(`there is no table under "## ${String(heading)}": was the document's heading changed?`);
  const rows: (readonly string[])[] = [];
  for (let at = first + 2; lines[at]?.startsWith("|") === true; at++) rows.push(cellsOf(lines[at] ?? ""));
  return { header: cellsOf(lines[first] ?? ""), rows };
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
