// SPDX-License-Identifier: Apache-2.0
// The programs of the site's pages to learn from run, from the sources, and print what their comments say.
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { resolve } from "node:path";

import { expect, test } from "vitest";

import { snippetsOf } from "../snippets.ts";

const root = resolve(import.meta.dirname, "../..");
const programs = globSync(["site/index.md", "site/learn/*.md"], { cwd: root })
  .toSorted()
  .flatMap(snippetsOf)
  .filter(({ language }) => language === "ts");

test("there are programs", () => {
  expect(programs.map(({ page }) => page)).toContain("site/learn/first-kernel.md");
});

test.each(programs.map((program) => [`${program.page} ${String(program.index)}`, program.text] as const))(
  "%s",
  (_name, text) => {
    const promised = /console\.log\(.*\); \/\/ ([\d., ]+)/u.exec(text)?.[1];
    if (promised === undefined) throw new Error("the program does not say what it prints");
    const args = ["--conditions=source", "--input-type=module-typescript", "-"];
    const run = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8", input: text });
    expect(run.status, run.stderr).toBe(0);
    expect(/\[([^\]]*)\]/u.exec(run.stdout)?.[1]?.trim()).toBe(promised.trim());
  },
);
