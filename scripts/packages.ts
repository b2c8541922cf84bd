// SPDX-License-Identifier: Apache-2.0
// The packages as users get them: packed, and installed into a project of their own from nothing but the tarballs.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";

import ts from "typescript";

const root = resolve(import.meta.dirname, "..");

/** What these scripts read of a package.json. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly description?: string;
  readonly homepage?: string;
  readonly bugs?: string;
  readonly license?: string;
  readonly keywords?: readonly string[];
  readonly engines?: { readonly node?: string };
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly imports?: Readonly<Record<string, unknown>>;
  readonly files?: readonly string[];
  readonly repository?: { readonly directory?: string };
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** A package and its tarball. */
export interface Packed {
  readonly manifest: Manifest;
  readonly folder: string;
  readonly tarball: string;
}

/** The manifest of a package's folder. */
export function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

/** What a file of declarations names: in imports, in exports, and in types of the form `import("…")`. */
function importsOf(file: string, text: string): readonly string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const named =
      ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
        ? node.moduleSpecifier
        : ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)
          ? node.argument.literal
          : undefined;
    if (named !== undefined && ts.isStringLiteral(named)) found.push(named.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  return found;
}

/** Files of types that the entries of a package reach by their imports; paths from the package's folder. */
function reachedTypes(folder: string, { exports, imports }: Manifest): ReadonlySet<string> {
  const reached = new Set<string>();
  const worklist: string[] = [];
  const addEntries = (entry: unknown): void => {
    if (typeof entry === "string") {
      if (entry.endsWith(".d.ts")) worklist.push(join(entry));
    } else if (typeof entry === "object" && entry !== null) Object.values(entry).forEach(addEntries);
  };
  addEntries([exports, imports]);
  for (let file = worklist.pop(); file !== undefined; file = worklist.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    for (const from of importsOf(file, readFileSync(join(folder, file), "utf8")))
      if (/^\.{1,2}\//u.test(from)) worklist.push(join(dirname(file), from.replace(/\.(?:ts|js)$/u, ".d.ts")));
  }
  return reached;
}

/**
 * Copies what a package publishes to a folder: its own files without the types of what no entry reaches. Types are
 * emitted for every source, and those of internals would be a third of all.
 */
function stage(folder: string, into: string): void {
  const manifest = manifestOf(folder);
  const reached = reachedTypes(folder, manifest);
  for (const name of ["package.json", "README.md", ...(manifest.files ?? [])])
    cpSync(join(folder, name), join(into, name), {
      recursive: true,
      filter: (file) => !file.endsWith(".d.ts") || reached.has(relative(folder, file)),
    });
}

/** Builds all packages that are published and packs them into a folder. */
export function packAll(into: string): readonly Packed[] {
  execFileSync("nx", ["run-many", "-t", "types", "bundle"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  const folders = globSync("{modules,source,tools}/*/package.json", { cwd: root })
    .map((file) => join(root, file, ".."))
    .filter((folder) => manifestOf(folder).private !== true);
  const staging = mkdtempSync(join(tmpdir(), "muxkit-pack-"));
  const staged = folders.map((folder) => join(staging, relative(root, folder)));
  folders.forEach((folder, i) => stage(folder, staged[i] as string));
  const answer = execFileSync("npm", ["pack", ...staged, "--json", "--pack-destination", into], {
    cwd: staging,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 2 ** 26,
  });
  rmSync(staging, { recursive: true });
  const packed = JSON.parse(answer) as readonly { readonly name: string; readonly filename: string }[];
  return folders.map((folder) => {
    const manifest = manifestOf(folder);
    const found = packed.find(({ name }) => name === manifest.name);
    if (found === undefined) throw new Error(`npm pack did not list ${manifest.name}`);
    return { manifest, folder, tarball: join(into, found.filename) };
  });
}

/**
 * Installs all tarballs, and a link to the project's TypeScript, into a new project: without a network. Gives what npm
 * complains of; empty when all went well.
 */
export function installAll(packed: readonly Packed[], folder: string): string {
  const tarballs = Object.fromEntries([
    ...packed.map(({ manifest, tarball }) => [manifest.name, `file:${tarball}`] as const),
    // An optional peer of some: npm looks up its versions, which a new machine's cache does not have.
    ["typescript", `file:${join(root, "node_modules/typescript")}`] as const,
  ]);
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify(
      { name: "consumer", private: true, type: "module", dependencies: tarballs, overrides: tarballs },
      null,
      1,
    ),
  );
  const installed = spawnSync(
    "npm",
    ["install", "--ignore-scripts", "--offline", "--no-audit", "--no-fund", "--loglevel=error"],
    { cwd: folder, encoding: "utf8" },
  );
  return installed.status === 0 ? "" : installed.stderr;
}
