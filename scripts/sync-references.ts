// SPDX-License-Identifier: Apache-2.0
// Writes each tsconfig's `references` from the package.json dependencies. With --check, only compares.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";

interface Package {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly muxkit?: { readonly bundled?: readonly string[] };
}

const check = process.argv.includes("--check");
const roots = globSync("{modules,source,tools}/*/package.json").map(dirname).toSorted();
const packages = new Map<string, Package>(roots.map((r) => [r, JSON.parse(readFileSync(`${r}/package.json`, "utf8"))]));
const rootOf = new Map<string, string>([...packages].map(([root, pkg]) => [pkg.name, root]));
let stale = 0;

function put(file: string, paths: readonly string[]): void {
  const old = readFileSync(file, "utf8");
  const config: Record<string, unknown> = JSON.parse(old);
  config["references"] = paths.map((path) => ({ path }));
  const text = `${JSON.stringify(config, null, 2)}\n`;
  if (JSON.stringify(JSON.parse(old)) === JSON.stringify(config)) return;
  stale++;
  console.error(`${check ? "stale" : "wrote"}: ${file}`);
  if (!check) writeFileSync(file, text);
}

put("tsconfig.json", ["tools", "site", ...roots.flatMap((r) => [r, `${r}/test`])]);
for (const [root, pkg] of packages) {
  // What is bundled into a package's programs is a dependency of its sources, and none of those who install it.
  const needed = [...Object.keys(pkg.dependencies ?? {}), ...(pkg.muxkit?.bundled ?? [])];
  const local = needed.flatMap((name) => rootOf.get(name) ?? []);
  put(
    `${root}/tsconfig.json`,
    local.map((r) => relative(root, r)),
  );
  const forTests = Object.keys({ ...pkg.dependencies, ...pkg.devDependencies }).flatMap(
    (name) => rootOf.get(name) ?? [],
  );
  put(`${root}/test/tsconfig.json`, ["..", ...forTests.map((r) => relative(`${root}/test`, r))]);
}
process.exitCode = check && stale > 0 ? 1 : 0;
