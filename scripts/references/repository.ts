// SPDX-License-Identifier: Apache-2.0
// What references can point to: the files of a repository, the headings of its documents, its decisions and npm
// scripts.
import { posix } from "node:path";

import type { Reference } from "./find.ts";

/** Packages that documents may run by npx: our own, and those that a clone or a target has installed. */
const PACKAGES: ReadonlySet<string> = new Set(["muxkit", "changeset", "tsc", "nx", "vitest", "node"]);

/** Parts of a repository that references are looked up in. */
export class Repository {
  readonly #paths: ReadonlySet<string>;
  /** Every end of a path, from a `/` on. */
  readonly #ends: ReadonlySet<string>;
  readonly #scripts: ReadonlySet<string>;
  readonly #read: (file: string) => string;

  /**
   * `files` are paths from the root; `scripts` the names that `npm run` knows; `read` returns the text of a document.
   */
  constructor(files: readonly string[], scripts: Iterable<string>, read: (file: string) => string) {
    const paths = new Set<string>();
    const ends = new Set<string>();
    for (const file of files)
      for (let path = file; path !== "."; path = posix.dirname(path)) {
        if (paths.has(path)) break;
        paths.add(path);
        const parts = path.split("/");
        for (let from = 0; from < parts.length; from++) ends.add(parts.slice(from).join("/"));
      }
    this.#paths = paths;
    this.#ends = ends;
    this.#scripts = new Set(scripts);
    this.#read = read;
  }

  /** Why a reference of a file points nowhere; null: it is right. */
  problem(file: string, { kind, target, isRelative }: Reference): string | null {
    if (kind === "command") return this.#scripts.has(target) ? null : `there is no script "npm run ${target}"`;
    if (kind === "package")
      return PACKAGES.has(target) ? null : `npx ${target} runs another's package: write npx muxkit`;
    if (kind === "decision") return this.#decision(target);
    const [path = "", heading] = target.split("#");
    const resolved = isRelative ? this.#resolve(file, path) : path;
    const exists = isRelative ? this.#paths.has(resolved) : this.#ends.has(resolved.replace(/^\.\//u, ""));
    if (!exists) return `there is no file "${path}"`;
    if (heading === undefined || !resolved.endsWith(".md")) return null;
    return headingsOf(this.#read(resolved)).has(heading) ? null : `"${resolved}" has no heading #${heading}`;
  }

  #resolve(file: string, path: string): string {
    return path === "" ? file : posix.normalize(posix.join(posix.dirname(file), path)).replace(/\/$/u, "");
  }

  #decision(number: string): string {
    const prefix = `docs/decisions/${number.padStart(3, "0")}-`;
    const path = [...this.#paths].find((candidate) => candidate.startsWith(prefix));
    return path === undefined ? `there is no decision ${number}` : `write the path of decision ${number}: ${path}`;
  }
}

/** Anchors of a document's headings, as GitHub forms them. */
export function headingsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const counts = new Map<string, number>();
  for (const [, title = ""] of text.matchAll(/^#{1,6} (.+)$/gmu)) {
    const anchor = title
      .toLowerCase()
      .replaceAll(/[^\p{Letter}\p{Number} _-]/gu, "")
      .replaceAll(" ", "-");
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    anchors.add(count === 0 ? anchor : `${anchor}-${String(count)}`);
  }
  return anchors;
}
