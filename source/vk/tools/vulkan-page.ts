// SPDX-License-Identifier: Apache-2.0
// Writes docs/vulkan.md: every entry point and structure of Vulkan 1.0 to 1.3, whether it is there, and how many tests
// call it. With --check, only compares.
//
// Nothing of the lists is written by hand but the reasons of api/absent.table.ts: what is there is what vk.xml has;
// calls of tests are counted where a test names them.
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { wrapMarkdown } from "../../../scripts/line-width/line-width.ts";
import { writeGenerated } from "../../../tools/build/schema-file.ts";
import { RULES } from "../source/validation/rule.table.ts";
import { ABSENT, PENDING } from "./api/absent.table.ts";
import { functionsOf, readSchema } from "./schema.ts";

const schema = readSchema();
const functions = functionsOf(schema);
const known = new Set([...functions, ...schema.struct].map(({ name }) => name));
/** What has been built since it was listed is not pending any more. */
const pending = PENDING.filter((name) => !known.has(name));

const root = new URL("../", import.meta.url);
const tests = globSync("test/**/*.ts", { cwd: root }).map((file) => readFileSync(new URL(file, root), "utf8"));

/** How often files of tests name a call, imports aside. */
function uses(name: string): number {
  const pattern = new RegExp(`(?:\\b|vk\\.)${name}\\(|"${name}"`, "gu");
  return tests.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0);
}

const isCall = (name: string): boolean => name.startsWith("vk");
const code = (name: string): string => `\`${name}\``;
const codes = (names: readonly string[]): string => names.map(code).join(", ");

function section(title: string, list: typeof functions): string {
  const rows = list.map(
    ({ name, doc = "", extension }) =>
      `| ${code(name)} | ${extension === undefined ? "" : code(extension)} | ${doc} | ${(RULES[name] ?? []).length} | ${uses(name)} |`,
  );
  return `### ${title}\n\n| call | of | what it does | rules | uses in tests |\n|---|---|---|--:|--:|\n${rows.join("\n")}\n`;
}

function absent([reason, names]: (typeof ABSENT)[number]): string {
  const calls = names.filter(isCall);
  const structures = names.filter((name) => !isCall(name));
  const lines = [
    calls.length === 0 ? "" : `${calls.length} calls: ${codes(calls)}.`,
    structures.length === 0 ? "" : `${structures.length} structures: ${codes(structures)}.`,
  ];
  const filled = lines.filter((line) => line !== "");
  return `### ${reason.replace(/\.$/u, "")}\n\n${filled.join("\n\n")}\n`;
}

const all = ABSENT.flatMap(([, names]) => names);
const absentCalls = all.filter(isCall).length;
const pendingCalls = pending.filter(isCall).length;
const begin = `Made by \`npm run vulkan-page\`. \`@muxkit/vulkan\` has the compute half of Vulkan 1.0 to 1.3 and some
  extensions: ${functions.length} calls and ${schema.struct.length} structures. ${absentCalls} calls and
  ${all.length - absentCalls} structures of the core are not meant to be there, for the reasons below; ${pendingCalls}
  calls and ${pending.length - pendingCalls} structures are not built yet. Each call's arguments are checked by their
  types; "rules" are those that look at several values (\`source/vk/source/validation\`). What shaders may do is in
  [spirv.md](spirv.md).`;
const page = `# Vulkan

${begin.replace(/\s+/gu, " ")}

## What is there

${schema.section.map(({ title, function: list }) => section(title, list)).join("\n")}
Structures: ${codes(schema.struct.map(({ name }) => name).toSorted())}.

## What is not built yet

${pending.length === 0 ? "Nothing." : `${codes(pending)}.`}

## What is not meant to be there

${ABSENT.map(absent).join("\n")}`;

writeGenerated(
  [[fileURLToPath(new URL("../../../docs/vulkan.md", import.meta.url)), wrapMarkdown(page)]],
  "npm run vulkan-page",
);
