// SPDX-License-Identifier: Apache-2.0
// A plugin of Vite that bundles the packages of this repository from their sources, as browsers take them: without it
// the packages would have to be built first. It also leaves out what pages that compile OpenCL C never reach.
import { dirname, join } from "node:path";
import { existsSync, readFileSync } from "node:fs";

/** What Vite takes of a plugin here. */
export interface SourcesPlugin {
  readonly name: string;
  readonly enforce: "pre";
  /** Where `#edge` and its like lead in browsers, and what stands for packages that are left out. */
  readonly resolveId: (id: string, importer: string | undefined) => string | null;
  /** Threads are started from a source file, not from a built one. */
  readonly transform: (code: string, id: string) => { readonly code: string; readonly map: null } | null;
}

interface Manifest {
  readonly imports?: Readonly<Record<string, { readonly browser?: string | { readonly default: string } }>>;
}

/** The folder of the package that has a file. */
function packageOf(file: string): string | null {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, "package.json"))) return folder;
  return null;
}

/** `./dist/esm/edge/web.js` of a package as the source that it is built from; null: it is not built from one. */
function sourceOf(root: string, built: string): string | null {
  const file = join(root, built.replace("/dist/esm/", "/source/").replace(/\.js$/, ".ts"));
  return existsSync(file) ? file : null;
}

/** Packages that are left out, by what stands for them. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  "@muxkit/spirv": join(import.meta.dirname, "../engine/without-spirv.ts"),
};

const WORKER = 'new URL("./worker.js", import.meta.url)';

/** The plugin, for Vite's `plugins` and its `worker.plugins`; `resolve.conditions` has to begin with `source`. */
export function browserSources(): SourcesPlugin {
  return {
    name: "muxkit-browser-sources",
    enforce: "pre",
    resolveId: (id, importer) => {
      const standing = LEFT_OUT[id];
      if (standing !== undefined) return standing;
      if (!id.startsWith("#") || importer === undefined) return null;
      const root = packageOf(importer);
      if (root === null) return null;
      const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
      const browser = manifest.imports?.[id]?.browser;
      return browser === undefined ? null : sourceOf(root, typeof browser === "string" ? browser : browser.default);
    },
    transform: (code, id) =>
      id.endsWith("/host/source/web-worker.ts") && code.includes(WORKER)
        ? { code: code.replace(WORKER, WORKER.replace(".js", ".ts")), map: null }
        : null,
  };
}
