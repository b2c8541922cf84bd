// SPDX-License-Identifier: Apache-2.0
// Writes docs/extensions.md: every extension of the host device with its version, what it provides and the test that
// shows it, and the functions and numbers that each adds. With --check, only compares.
//
// Names and versions come from the tables of the compiler and of this package, functions and numbers from api/cl.xml; a
// test has to mention what it is listed for.
import { readFileSync, writeFileSync } from "node:fs";

import { languageExtensions } from "@muxkit/compiler";
import { hostDeviceInfo } from "@muxkit/host";

import { CALL_EXTENSIONS, OUTSIDE_EXTENSIONS } from "../source/extensions.table.ts";
import { ABSENT, DESCRIPTIONS } from "./extensions.table.ts";
import { functionsOf, numberOf, readSchema } from "./schema.ts";

const root = new URL("../../../", import.meta.url);
const page = new URL("docs/extensions.md", root);
const schema = readSchema();

/** An extension of the host device or of the platform. */
interface Extension {
  readonly name: string;
  readonly version: readonly [number, number, number];
  /** The devices that have it. */
  readonly of: "language" | "calls" | "platform";
}

const device = hostDeviceInfo({}, 2);
const extensions: readonly Extension[] = [
  ...languageExtensions(device).map(({ name, version }) => ({ name, version, of: "language" as const })),
  ...CALL_EXTENSIONS.filter(({ isOn }) => isOn({ ...device, canPartition: true })).map(({ name, version }) => ({
    name,
    version,
    of: "calls" as const,
  })),
  ...OUTSIDE_EXTENSIONS.map(({ name, version }) => ({ name, version, of: "platform" as const })),
];

const problems: string[] = [];

/** What a test has to have in it: the name of the extension, or one of a function or macro that only it has. */
function speaksOf(text: string, { name }: Extension, word: string): boolean {
  return text.includes(name) || text.includes(word);
}

function row(extension: Extension): string {
  const { name, version, of } = extension;
  const description = DESCRIPTIONS.get(name);
  if (description === undefined) {
    problems.push(`${name} has no row in source/cl/tools/extensions.table.ts`);
    return "";
  }
  const { gives, test, word } = description;
  if (!speaksOf(readFileSync(new URL(test, root), "utf8"), extension, word))
    problems.push(`${test} speaks neither of ${name} nor of ${word}`);
  const who = {
    language: "programs",
    calls: "calls",
    platform: "calls, where there are environment variables and files",
  }[of];
  return (
    `| \`${name}\` | ${version.join(".")} | ${who} | ${gives.replaceAll("|", "\\|")} | ` +
    `[${test.split("/").at(-1) ?? test}](../${test}) |`
  );
}

const rows = extensions.map(row);
for (const name of DESCRIPTIONS.keys())
  if (!extensions.some((extension) => extension.name === name)) problems.push(`${name} is described and not there`);

/** Names and numbers that an extension adds. */
function numbersOf(name: string): readonly string[] {
  const constants = [
    ...schema.group.flatMap(({ constant }) => constant),
    ...schema.info.flatMap(({ token }) => token),
  ].filter(({ extension }) => extension === name);
  return constants.map((constant) => {
    const number = numberOf(constant);
    return `\`${constant.name}\` ${number < 0 ? String(number) : `0x${number.toString(16).toUpperCase()}`}`;
  });
}

function additions({ name }: Extension): string {
  const calls = functionsOf(schema)
    .filter(({ extension }) => extension === name)
    .map((fn) => `\`${fn.name}\``);
  const numbers = numbersOf(name);
  if (calls.length === 0 && numbers.length === 0) return "";
  return (
    `\n### ${name}\n` +
    (calls.length === 0 ? "" : `\nFunctions: ${calls.join(", ")}.\n`) +
    (numbers.length === 0 ? "" : `\nNumbers: ${numbers.join(", ")}.\n`)
  );
}

const own = extensions.filter(({ name }) => name.startsWith("cl_muxkit_"));
const text = `# Extensions

What the host device has beyond OpenCL 3.0: ${extensions.length} extensions. Those of programs are macros in
OpenCL C as well; \`clGetDeviceInfo\` lists them all by \`CL_DEVICE_EXTENSIONS_WITH_VERSION\`, except for the
${OUTSIDE_EXTENSIONS.length} that only the platform lists
(\`CL_PLATFORM_EXTENSIONS_WITH_VERSION\`). \`clGetExtensionFunctionAddressForPlatform\` gives their functions by
name; a program in TypeScript imports them.

This page is written by \`npm run extensions-page\` from \`modules/compiler/source/language.table.ts\`,
\`source/cl/source/extensions.table.ts\` and \`source/cl/tools/api/cl.xml\`.

| extension | version | for | what it gives | shown by |
|---|---|---|---|---|
${rows.join("\n")}

## What is not there, and why

| extension | why |
|---|---|
${ABSENT.map(([name, reason]) => `| \`${name}\` | ${reason} |`).join("\n")}

## Extensions of our own

${own.map(({ name }) => `- \`${name}\`: ${DESCRIPTIONS.get(name)?.gives ?? ""}`).join("\n")}

Their numbers are 0x7E00 to 0x7EFF, which no other extension of this platform has. Options from the environment
are read when a program is built: \`MUXKIT_EXTRA_BUILD_OPTIONS\` comes after the options of \`clBuildProgram\`
and \`clCompileProgram\`,
\`MUXKIT_EXTRA_LINK_OPTIONS\` after those of \`clLinkProgram\`.

## Functions and numbers
${extensions.map(additions).join("")}`;

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
if (process.argv.includes("--check")) {
  if (readFileSync(page, "utf8") !== text) {
    console.error("docs/extensions.md is stale: run npm run extensions-page");
    process.exitCode = 1;
  }
} else writeFileSync(page, text);
