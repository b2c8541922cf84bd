// SPDX-License-Identifier: Apache-2.0
// The programs of the site's pages to learn from, and of the algorithms, run from the sources and print what their
// comments say. Their types are checked by scripts/check-packages.ts.
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";

import { expect, test } from "vitest";

import { learnPages, snippetsOf } from "../snippets.ts";

const root = resolve(import.meta.dirname, "../..");
const programs = [...learnPages(), "source/algorithms/README.md"]
  .flatMap(snippetsOf)
  .filter(({ language }) => language === "ts");

test("there are programs", () => {
  expect(programs.map(({ page }) => page)).toContain("site/learn/first-kernel.md");
});

/** What the comments behind calls of `console.log` promise, one for each, in the order of the text. */
function promisesOf(text: string): readonly string[] {
  return [...text.matchAll(/console\.log\(.*\); \/\/ (.+)$/gmu)].map(([, promised = ""]) => promised);
}

/** What was printed, a call a line: of an array its elements, of other values their text. */
function printedLines(output: string): readonly string[] {
  return output
    .trimEnd()
    .split("\n")
    .map((line) => /^(?:\w+\(\d+\) )?\[ (.*) \]$/u.exec(line)?.[1] ?? line);
}

test.each(programs.map((program) => [`${program.page} ${String(program.index)}`, program.text] as const))(
  "%s",
  (_name, text) => {
    const promises = promisesOf(text);
    expect(promises, "what the program says that it prints").not.toEqual([]);
    const args = ["--conditions=source", "--input-type=module-typescript", "-"];
    const run = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8", input: text });
    expect(run.status, run.stderr).toBe(0);
    expect(printedLines(run.stdout)).toEqual(promises);
  },
);
