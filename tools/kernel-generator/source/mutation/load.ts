// SPDX-License-Identifier: Apache-2.0
// Loads the compiler with one wrong rewrite in its text: a graph of modules of its own in this process. Nothing that
// ships depends on it.
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import type { Mutant } from "./mutants.table.ts";

const ROOT = resolve(import.meta.dirname, "../../../..");

/** The word in the addresses of a mutant's modules: they are other modules than the right ones. */
const MARK = "?mutant=";

function markOf(url: string): string {
  const at = url.indexOf(MARK);
  return at < 0 ? "" : url.slice(at);
}

/**
 * The text of the file with the mutant's change. Throws when the text does not occur there exactly once: the row is out
 * of date.
 */
export function mutated({ name, file, from, to }: Mutant): string {
  const text = readFileSync(join(ROOT, file), "utf8");
  const pieces = text.split(from);
  if (pieces.length !== 2)
    throw new Error(`mutant ${name}: "${from}" stands ${pieces.length - 1} times in ${file}; it must stand there once`);
  return pieces.join(to);
}

/** Imports a module and all that it imports of this repository, with the mutant's change. */
export async function importMutated<T>(mutant: Mutant, path: string): Promise<T> {
  const mark = `${MARK}${mutant.name}`;
  const source = mutated(mutant);
  const changed = pathToFileURL(join(ROOT, mutant.file)).href + mark;
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      // The next hook changes the context passed to it.
      const from = markOf(context.parentURL ?? "");
      const found = next(specifier, { ...context, parentURL: context.parentURL?.replace(/\?.*$/u, "") });
      return from === mark && found.url.startsWith("file:") ? { ...found, url: found.url + mark } : found;
    },
    load: (url, context, next) => {
      if (url === changed) return { format: "module-typescript", source, shortCircuit: true };
      if (markOf(url) !== mark) return next(url, context);
      return {
        format: "module-typescript",
        source: readFileSync(fileURLToPath(url.slice(0, -mark.length)), "utf8"),
        shortCircuit: true,
      };
    },
  });
  try {
    return (await import(`${pathToFileURL(path).href}${mark}`)) as T;
  } finally {
    hooks.deregister();
  }
}
