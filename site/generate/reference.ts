// SPDX-License-Identifier: Apache-2.0
// Reference pages that are made of more than one document: built-ins with their errors, and settings.
import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";

import { numbersOf, tableUnder } from "../../scripts/performance/markdown-table.ts";

/** The document of built-ins, with a chapter of measured errors beside what is allowed. */
export function builtinsPage(builtins: string, ulp: string): string {
  const types = ["float", "double", "half"] as const;
  const columns = types.map((type) => {
    const table = tableUnder(ulp, `## ${type}`);
    const limitAt = table.header.indexOf("limit");
    return {
      limits: new Map(table.rows.map((row) => [row[0] ?? "", row[limitAt] ?? ""])),
      errors: numbersOf(table, "error"),
    };
  });
  const names = [...new Set(columns.flatMap(({ limits }) => [...limits.keys()]))].toSorted();
  const cells = (name: string): string =>
    columns
      .map(({ limits, errors }) => `${errors.get(name)?.toFixed(3) ?? ""} | ${limits.get(name) ?? ""}`)
      .join(" | ");
  return `${builtins.trimEnd()}

## Errors in ULP

The greatest error that was measured of each function, and the limit of the specification ("rounded":
the result must be correctly rounded, 0.5). [How they were measured, and the worst inputs](/evidence/ulp).

| function | ${types.map((type) => `${type} | limit`).join(" | ")} |
|---|${types.map(() => "--:|--:|").join("")}
${names.map((name) => `| \`${name}\` | ${cells(name)} |`).join("\n")}
`;
}

/** A setting as \`muxkit info --config\` tells it. */
interface SettingText {
  readonly name: string;
  readonly value: string;
  readonly about: string;
  readonly ways: readonly string[];
}

/** The settings in what the command printed. */
export function parseSettings(output: string): readonly SettingText[] {
  return [...output.matchAll(/^(\w+) = (.*) \(\w+\)\n {2}(.+)\n {2}(.+)$/gmu)].map(
    ([, name = "", value = "", about = "", ways = ""]) => ({ name, value, about, ways: ways.split("; ") }),
  );
}

/** The page of settings: what the program says of them, with no variable set. */
export function settingsPage(root: string): string {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("MUXKIT_")));
  const run = spawnSync(process.execPath, [join(root, "scripts/clone/muxkit.mjs"), "info", "--config"], {
    encoding: "utf8",
    env,
  });
  const settings = parseSettings(run.stdout);
  if (run.status !== 0 || settings.length === 0) throw new Error(`muxkit info --config failed: ${run.stderr}`);
  const ofMachine: ReadonlySet<string> = new Set(["threads"]);
  const value = ({ name, value: text }: SettingText): string => {
    const shown = text.trim().replace(homedir(), "~");
    return ofMachine.has(name) ? "as many as there are cores" : shown === "" ? "none" : `\`${shown}\``;
  };
  return `---
title: Settings
description: Every setting of Muxkit, its default, and where it is set.
---

# Settings

A setting is an option of \`openDevice\`, an environment variable, or both; an option wins. A value that cannot be is
one error that names the variable and what is needed. \`npx muxkit info --config\` prints this list with the values that
hold on your machine, and who said them.

${settings
  .map(
    (setting) => `## ${setting.name}

${setting.about}

- Set by: ${setting.ways.map((way) => `\`${way}\``).join(", ")}
- Default: ${value(setting)}`,
  )
  .join("\n\n")}
`;
}
