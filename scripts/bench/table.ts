// SPDX-License-Identifier: Apache-2.0
// Tables of Markdown.

/** A table; numbers are set to the right, `textColumns` to the left. */
export function table(
  head: readonly string[],
  lines: readonly (readonly string[])[],
  textColumns: readonly number[],
): string {
  const bars = head.map((_, i) => (textColumns.includes(i) ? "---" : "--:")).join("|");
  return `| ${head.join(" | ")} |\n|${bars}|\n${lines.map((line) => `| ${line.join(" | ")} |`).join("\n")}\n`;
}
