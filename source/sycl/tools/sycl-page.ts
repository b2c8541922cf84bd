// SPDX-License-Identifier: Apache-2.0
// Writes docs/sycl-modules.md: each statement of the proposal of SYCL modules with the tests that show it. With
// --check, only compares. A statement without a test or a reason, and a test that there is not, is an error.
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { wrapMarkdown } from "../../../scripts/line-width/line-width.ts";
import { writeGenerated } from "../../../tools/build/schema-file.ts";
import { SECTIONS, type Statement } from "../test/statements.table.ts";

const root = new URL("../", import.meta.url);
const sources = globSync("test/**/*.ts", { cwd: root }).map((file) => readFileSync(new URL(file, root), "utf8"));
const text = sources.join("\n");

/** Ids that tests have: of rows, of rows that are made for each value of a list, and of tests of types. */
const known = new Set(
  [...text.matchAll(/id: (?:"([^"]+)"|`([^`]+)`)|forStates\("([^"]+)"|test\("([^":]+):/gu)].map(
    ([, plain, template, states, types]) =>
      plain ?? template?.replace(/\$\{.*$/u, "") ?? (states === undefined ? (types ?? "") : `${states}-`),
  ),
);

/** True when a test has this id, or one of those that it stands for. */
function isKnown(id: string): boolean {
  const all = [...known];
  if (known.has(id)) return true;
  return id.endsWith("-")
    ? all.some((one) => one.startsWith(id))
    : all.some((one) => /[-/]$/u.test(one) && id.startsWith(one));
}

const problems: string[] = [];
for (const { statements } of SECTIONS)
  for (const { text: statement, tests, absent } of statements) {
    if (tests.length === 0 && absent === undefined) problems.push(`"${statement}" has neither a test nor a reason`);
    for (const id of tests) if (!isKnown(id)) problems.push(`"${statement}" names the test ${id}, which there is not`);
  }
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);

const shown = (id: string): string => `\`${id}${id.endsWith("-") ? "…" : ""}\``;

function row({ text: statement, tests, absent }: Statement): string {
  const state = absent === undefined ? "yes" : tests.length === 0 ? "no" : "otherwise";
  return `| ${statement} | ${state} | ${tests.map(shown).join(", ")} |`;
}

const all = SECTIONS.flatMap(({ statements }) => statements);
const others = all.filter(({ absent }) => absent !== undefined);
const sections = SECTIONS.map(
  ({ title, statements }) =>
    `## ${title}\n\n| statement | here | tests |\n|---|---|---|\n${statements.map(row).join("\n")}\n`,
);
const page = `# SYCL modules

Made by \`npm run sycl-page\`. \`@muxkit/sycl\` has the modules of the proposal "SYCL Modules", revision 9 of 12th December 2019. These are its ${all.length} statements, in our words. ${all.length - others.length} hold as they are; those with "otherwise" hold in another way, for the reasons at the end. Tests are rows of \`source/sycl/test\`, found by \`npm test -- sycl -t ID\`; an id that ends in … stands for all that begin so.

${sections.join("\n")}
## What is otherwise, and why

${others.map(({ text: statement, absent }) => `- ${statement} ${(absent ?? "").charAt(0).toUpperCase()}${(absent ?? "").slice(1)}`).join("\n")}
`;

writeGenerated(
  [[fileURLToPath(new URL("../../../docs/sycl-modules.md", import.meta.url)), wrapMarkdown(page)]],
  "npm run sycl-page",
);
