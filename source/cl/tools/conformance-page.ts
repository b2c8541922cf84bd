// SPDX-License-Identifier: Apache-2.0
// Writes docs/conformance.md: every entry point of OpenCL 3.0, whether it is there, and the tests that show it. With
// --check, only compares.
//
// Nothing on the page is written by hand. A call is there when the package exports it; it is refused when it returns
// never; its tests are those of this package that call it.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";

import { type Test, TestReader, callsIn, refusedCalls } from "./read-tests.ts";
import { functionsOf, readSchema } from "./schema.ts";
import { argumentTables } from "./test-tables.ts";

const schema = readSchema();
const byName = new Map(functionsOf(schema).map((fn) => [fn.name, fn] as const));
const errorNames = new Set(
  schema.group.filter(({ form }) => form === "error").flatMap(({ constant }) => constant.map(({ name }) => name)),
);

const root = new URL("../", import.meta.url);
const page = new URL("../../../docs/conformance.md", import.meta.url);

const reader = new TestReader(errorNames);

/** Tests that schema.test.ts makes of the schema: one for each argument that can be wrong, and the valid call. */
const schemaTests: readonly Test[] = [
  ...[...byName.keys()].map((call) => ({
    file: "schema.test.ts",
    title: "it works with arguments that are right",
    calls: new Set([call]),
    errors: new Map(),
  })),
  ...argumentTables(schema).flatMap(({ rows }) =>
    rows.map(({ call, name, errors }) => ({
      file: "schema.test.ts",
      title: `errors for ${name}`,
      calls: new Set([call]),
      errors: new Map([[call, new Set(errors)]]),
    })),
  ),
];

const tests: readonly Test[] = [
  ...schemaTests,
  ...globSync("test/*.test.ts", { cwd: root })
    .toSorted()
    .flatMap((file) => {
      return reader.read(basename(file), readFileSync(new URL(file, root), "utf8"));
    }),
];

const index = readFileSync(new URL("source/index.ts", root), "utf8");
const refused = new Set(
  globSync("source/**/*.ts", { cwd: root }).flatMap((file) =>
    refusedCalls(file, readFileSync(new URL(file, root), "utf8")),
  ),
);

type Status = "implemented" | "refused by specification" | "not yet";

function statusOf(call: string): Status {
  if (!new RegExp(`\\b${call}\\b`, "u").test(index)) return "not yet";
  return refused.has(call) ? "refused by specification" : "implemented";
}

/**
 * How well a test shows a call: best when it expects no error of it and its title begins with the call, then when the
 * title has the call, then when it calls little besides; what the schema makes comes last.
 */
function rank(call: string, { file, title, errors }: Test): number {
  const subjects = callsIn(title);
  return (
    (subjects[0] === call ? 0 : subjects.includes(call) ? 1 : 2) +
    (errors.has(call) || reader.errorsNamed(title).length > 0 ? 3 : 0) +
    (file === "schema.test.ts" ? 6 : 0)
  );
}

function shows(call: string): Test | undefined {
  return tests
    .filter(({ calls }) => calls.has(call))
    .toSorted((a, b) => rank(call, a) - rank(call, b) || a.calls.size - b.calls.size)[0];
}

function errorsOf(call: string): readonly string[] {
  return [...new Set(tests.flatMap(({ errors }) => [...(errors.get(call) ?? [])]))].toSorted();
}

/**
 * Errors that the specification lists and a caller in TypeScript can cause, except for lack of resources.
 */
const listedFor = (call: string): readonly string[] =>
  byName.get(call)?.error.flatMap(({ name, c }) => (c === "true" ? [] : [name])) ?? [];

/** The reason why a listed error cannot come. */
const neverOf = (call: string, error: string): string | undefined =>
  byName.get(call)?.error.find(({ name }) => name === error)?.never;

/** Errors that the specification lists and no test expects, though they can come. */
function missing(call: string): readonly string[] {
  const shown = errorsOf(call);
  return listedFor(call).filter((error) => !shown.includes(error) && neverOf(call, error) === undefined);
}

const escaped = (text: string): string => text.replaceAll("|", "\\|");

function line(call: string): string {
  const test = shows(call);
  const count = tests.filter(({ calls }) => calls.has(call)).length;
  const shown =
    test === undefined
      ? ""
      : `${escaped(test.title)} ` +
        `([${test.file}](../source/cl/test/${test.file})${count > 1 ? `, and ${count - 1} more` : ""})`;
  return `| \`${call}\` | ${statusOf(call)} | ${shown} | ${errorsOf(call)
    .map((error) => `\`${error.replace(/^CL_/u, "")}\``)
    .join(" ")} |`;
}

const calls = [...byName.keys()];
const added = [...byName.values()].filter(({ extension }) => extension !== undefined).length;
const counts = (["implemented", "refused by specification", "not yet"] as const).map(
  (status) => `${calls.filter((call) => statusOf(call) === status).length} ${status}`,
);
const untested = calls.filter((call) => statusOf(call) !== "not yet" && shows(call) === undefined);

/** Listed errors that cannot come and no test expects all the same, by error and reason. */
function impossible(): readonly { readonly error: string; readonly reason: string; readonly of: readonly string[] }[] {
  const names = new Set(calls.flatMap((call) => listedFor(call)));
  return schema.reason.flatMap(({ name, doc }) =>
    [...names].flatMap((error) => {
      const of = calls.filter((call) => neverOf(call, error) === name && !errorsOf(call).includes(error));
      return of.length === 0 ? [] : [{ error, reason: doc, of }];
    }),
  );
}

/** Errors that OpenCL 3.0 does not list for a call that answers them. */
const beyond = [...byName.values()].flatMap(({ name, error }) =>
  error.flatMap((row) =>
    row.beyond === undefined
      ? []
      : [{ call: name, error: row.name, reason: schema.reason.find((one) => one.name === row.beyond)?.doc ?? "" }],
  ),
);

/** What a full profile allows a device to leave out, and why ours does. */
const LEFT_OUT: readonly (readonly [what: string, allowed: string, why: string])[] = [
  [
    "`CL_FP_ROUND_TO_ZERO` and `CL_FP_ROUND_TO_INF` of float, double and half",
    "From OpenCL 2.0 on, a full profile needs `CL_FP_FMA`, `CL_FP_ROUND_TO_NEAREST`, `CL_FP_INF_NAN` and " +
      "`CL_FP_DENORM` of doubles, and float and half need one way to round. Only devices of version 1.0 to 1.2 need " +
      "all four ways of doubles",
    "WebAssembly rounds to nearest only ([decision](decisions/059-rounding.md)). No function of OpenCL C changes the " +
      "way to round of an operation; conversions with `_rtz`, `_rtp` and `_rtn` are all there",
  ],
  [
    "`CL_FP_SOFT_FLOAT`",
    "It is set where basic operations are made by software",
    "The processor computes float and double; half is computed in float and rounded",
  ],
  [
    "`CL_DEVICE_OPENCL_C_VERSION` beyond 1.2",
    "It is the last version that a device supports as a whole; a device of OpenCL 3.0 answers 1.2 or later",
    "OpenCL C 2.0 has features that the device lacks (queues of kernels); `CL_DEVICE_OPENCL_C_ALL_VERSIONS` has 3.0",
  ],
];

const text = `# Conformance

Every entry point of OpenCL 3.0, ${calls.length - added} with those that it calls deprecated, and ${added} of
extensions: ${counts.join(", ")}. Each row names a test that shows the call, and the errors of it that tests of
\`source/cl/test\` expect, without \`CL_\`:
every one that the specification lists and that can come.
A call that is refused checks what it is given and then answers what the specification says where a device lacks
the feature.

This page is written by \`npm run conformance-page\` from \`source/cl/tools/api/cl.xml\`, the exports of
\`source/cl\` and its tests.
${schema.section
  .map(
    ({ title, function: list }) => `
## ${title}

| call | status | shown by | errors shown |
|---|---|---|---|
${list.map(({ name }) => line(name)).join("\n")}
`,
  )
  .join("")}
## Listed errors that cannot come

| error | of | why |
|---|---|---|
${impossible()
  .map(
    ({ error, reason, of }) =>
      `| \`${error.replace(/^CL_/u, "")}\` | ${of.map((call) => `\`${call}\``).join(" ")} | ${reason} |`,
  )
  .join("\n")}

## Errors beyond the lists

| error | of | why |
|---|---|---|
${beyond.map(({ call, error, reason }) => `| \`${error.replace(/^CL_/u, "")}\` | \`${call}\` | ${reason} |`).join("\n")}

## Capabilities that are not announced

| what | what the specification asks for | why it is not there |
|---|---|---|
${LEFT_OUT.map((row) => `| ${row.join(" | ")} |`).join("\n")}
`;

const unshown = calls.flatMap((call) =>
  missing(call).map((error) => `${call}: the specification lists ${error}, and no test expects it`),
);
for (const gap of unshown) console.error(gap);
if (unshown.length > 0) process.exitCode = 1;
for (const call of untested) console.error(`${call} is exported, and no test calls it`);
if (untested.length > 0) process.exitCode = 1;
if (process.argv.includes("--check")) {
  if (readFileSync(page, "utf8") !== text) {
    console.error("docs/conformance.md is stale: run npm run conformance-page");
    process.exitCode = 1;
  }
} else writeFileSync(page, text);
