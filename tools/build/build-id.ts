// SPDX-License-Identifier: Apache-2.0
// The identity of a build of the host's compiler: a hash of every source that it is made of.
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
const COMPILER = "@muxkit/host-compiler";

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function manifests(): ReadonlyMap<string, { readonly folder: string; readonly manifest: Manifest }> {
  return new Map(
    globSync("{modules,source}/*/package.json", { cwd: root }).map((file) => {
      const manifest = JSON.parse(readFileSync(join(root, file), "utf8")) as Manifest;
      return [manifest.name, { folder: join(root, file, ".."), manifest }];
    }),
  );
}

/** Sixteen hexadecimal digits. */
export function buildId(): string {
  const known = manifests();
  const found = new Set<string>();
  const visit = (name: string): void => {
    const entry = known.get(name);
    if (entry === undefined || found.has(name)) return;
    found.add(name);
    for (const needed of Object.keys(entry.manifest.dependencies ?? {})) visit(needed);
  };
  visit(COMPILER);
  const hash = createHash("sha256");
  for (const name of [...found].toSorted()) {
    const folder = known.get(name)?.folder ?? "";
    for (const file of globSync("source/**/*.ts", { cwd: folder }).toSorted())
      hash.update(`${name}/${file}\0`).update(readFileSync(join(folder, file)));
  }
  return hash.digest("hex").slice(0, 16);
}
