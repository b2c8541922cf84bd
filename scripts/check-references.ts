// SPDX-License-Identifier: Apache-2.0
// Fails when a comment or a document refers to a file, a heading, a decision or an npm command that does not exist.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

import { findReferences } from "./references/find.ts";
import { Repository } from "./references/repository.ts";

const CHECKED = /\.(?:[cm]?[jt]s|[ch]|cl|md)$/u;
/** Records and texts of others, data, generated files (their generators are read), and changes that are told once. */
const EXCLUDED =
  /(?:^|\/)(?:generated|external|golden|cases|fixtures|node_modules)\/|^benchmarks\/suite\/|^\.changeset\/|\.api\.md$|^scripts\/test\/references/u;
/** Files that a how-to makes. */
const MADE_BY_EXAMPLES: ReadonlySet<string> = new Set(["modules/passes/source/strength.ts"]);

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  encoding: "utf8",
  maxBuffer: 2 ** 26,
})
  .split("\n")
  .filter((file) => file !== "" && existsSync(file));
const scripts = files
  .filter((file) => file.endsWith("package.json"))
  .flatMap((file) => {
    const manifest = JSON.parse(readFileSync(file, "utf8")) as { readonly scripts?: Readonly<Record<string, string>> };
    return Object.keys(manifest.scripts ?? {});
  });
const repository = new Repository(files, scripts, (file) => readFileSync(file, "utf8"));
let count = 0;
for (const file of files) {
  if (!CHECKED.test(file) || EXCLUDED.test(file)) continue;
  for (const reference of findReferences(file, readFileSync(file, "utf8"))) {
    // Addresses of the site's pages: building the site checks them.
    if (file.startsWith("site/") && reference.target.startsWith("/")) continue;
    const problem = repository.problem(file, reference);
    if (problem === null || MADE_BY_EXAMPLES.has(reference.target)) continue;
    count++;
    console.error(`${file}:${String(reference.line)}: ${problem}`);
  }
}
process.exitCode = count === 0 ? 0 : 1;
