// SPDX-License-Identifier: Apache-2.0
// Which generated files are out of date. Files that are made from OpenCL C by the kit's own compiler are not committed:
// they are large, and every change of a pass changes them. They are made when something needs them, and carry a hash of
// what they were made from. They are JavaScript with committed declarations, so that types can be checked without them.
// This module uses nothing of the kit, so that the check costs some milliseconds.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A generated file that is not committed. */
export interface GeneratedFile {
  /** What commands call it. */
  readonly name: "library" | "batched";
  /** Path from the root of the repository. */
  readonly path: string;
  /** Packages whose sources, and those of what they depend on, make the file what it is. */
  readonly packages: readonly string[];
  /** Files that change what it computes; the rest of the inputs, the compiler, changes only how. */
  readonly definitions: readonly string[];
}

/** The files, in the order in which they are made: the second is compiled with the first. */
export const GENERATED_FILES: readonly [library: GeneratedFile, batched: GeneratedFile] = [
  {
    name: "library",
    path: "modules/builtins/source/generated/modules.js",
    packages: ["opencl-c", "ir", "kernel-abi", "passes", "report"],
    definitions: ["modules/{abacus,builtins}/source/opencl/*.cl", "tools/bake/source/bake.ts"],
  },
  {
    name: "batched",
    path: "modules/abacus/source/generated/batched.js",
    packages: ["compiler-base", "host-compiler", "host"],
    definitions: [
      "modules/{abacus,builtins}/source/opencl/*.cl",
      "modules/abacus/source/batched.table.ts",
      "tools/bake/source/batched*.ts",
    ],
  },
];

/** Folders of packages and of everything of the kit that they depend on. */
function closureOf(packages: readonly string[]): readonly string[] {
  const found = new Set<string>();
  const work = [...packages];
  for (let name = work.pop(); name !== undefined; name = work.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    const manifest = JSON.parse(readFileSync(`${root}modules/${name}/package.json`, "utf8")) as {
      readonly dependencies?: Readonly<Record<string, string>>;
    };
    for (const dependency of Object.keys(manifest.dependencies ?? {}))
      if (dependency.startsWith("@muxkit/")) work.push(dependency.slice("@muxkit/".length));
  }
  return [...found].toSorted();
}

function hashOf(globs: readonly string[]): string {
  const hash = createHash("sha256");
  const made = new Set(GENERATED_FILES.map(({ path }) => path));
  for (const path of new Set(globs.flatMap((glob) => globSync(glob, { cwd: root }).toSorted())))
    if (!made.has(path))
      hash
        .update(path)
        .update("\0")
        .update(readFileSync(root + path));
  return hash.digest("hex").slice(0, 16);
}

/** Hashes of the inputs of a file: of its definitions, and of those with the compiler. */
export function inputHashes({ packages, definitions }: GeneratedFile): readonly [definitions: string, all: string] {
  const compiler = closureOf(packages).map((name) => `modules/${name}/source/**/*.ts`);
  return [hashOf(definitions), hashOf([...definitions, ...compiler])];
}

/** The comment that a generated file carries. */
export function inputsLine(file: GeneratedFile): string {
  return `// Inputs: ${inputHashes(file).join(" ")}`;
}

/**
 * True when a file is as its inputs say. With `isThorough` false, batched functions that an older compiler made are
 * current too: they compute the same, and tests of other packages need not wait for them.
 */
export function isCurrent(file: GeneratedFile, isThorough: boolean): boolean {
  if (!existsSync(root + file.path)) return false;
  const [, definitions, all] =
    /^\/\/ Inputs: (\w+) (\w+)$/mu.exec(readFileSync(root + file.path, "utf8").slice(0, 400)) ?? [];
  const [wanted, wantedAll] = inputHashes(file);
  return definitions === wanted && (all === wantedAll || (file.name === "batched" && !isThorough));
}

/**
 * Makes what is out of date, in another process. Throws when a file is missing and cannot be made; an old one is kept
 * with a message, because what broke the compiler shall be found by tests.
 */
export function prepareGenerated(isThorough: boolean): void {
  const old = GENERATED_FILES.filter((file) => !isCurrent(file, isThorough));
  if (old.length === 0) return;
  const { status } = spawnSync(
    process.execPath,
    [
      "--conditions=source",
      fileURLToPath(new URL("make-generated.ts", import.meta.url)),
      ...old.map(({ name }) => name),
    ],
    { stdio: "inherit" },
  );
  if (status === 0) return;
  const missing = old.find(({ path }) => !existsSync(root + path));
  if (missing !== undefined) throw new Error(`${missing.path} cannot be made`);
  console.error(`muxkit: ${old.map(({ path }) => path).join(", ")} stays as it was before the compiler broke`);
}
