// SPDX-License-Identifier: Apache-2.0
// The packages as users get them: packed, and installed into a project of their own from nothing but the tarballs.
import { execFileSync, spawnSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

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

/** Builds all packages that are published and packs them into a folder. */
export function packAll(into: string): readonly Packed[] {
  execFileSync("nx", ["run-many", "-t", "types", "bundle"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  const folders = globSync("{modules,source,tools}/*/package.json", { cwd: root })
    .map((file) => join(root, file, ".."))
    .filter((folder) => manifestOf(folder).private !== true);
  const answer = execFileSync("npm", ["pack", ...folders, "--json", "--pack-destination", into], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 2 ** 26,
  });
  const packed = JSON.parse(answer) as readonly { readonly name: string; readonly filename: string }[];
  return folders.map((folder) => {
    const manifest = manifestOf(folder);
    const found = packed.find(({ name }) => name === manifest.name);
    if (found === undefined) throw new Error(`npm pack did not list ${manifest.name}`);
    return { manifest, folder, tarball: join(into, found.filename) };
  });
}

/**
 * Installs all tarballs, and nothing else, into a new project: without a network. Gives what npm complains of; empty
 * when all went well.
 */
export function installAll(packed: readonly Packed[], folder: string): string {
  const tarballs = Object.fromEntries(packed.map(({ manifest, tarball }) => [manifest.name, `file:${tarball}`]));
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
