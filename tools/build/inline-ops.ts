// SPDX-License-Identifier: Apache-2.0
// Puts the numbers of operations where their names are. A bundler does so within a package; what another one gives as a
// namespace it reads from an object by a function each time.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

import type { Plugin } from "esbuild";

const root = resolve(import.meta.dirname, "../..");
const OPS = join(root, "modules/ir/source/generated/op.ts");

/** A file that has the namespace by an import. */
const IMPORTS = /^import [^;]*\bOp\b[^;]*;$/mu;

function numbers(): ReadonlyMap<string, string> {
  return new Map(
    [...readFileSync(OPS, "utf8").matchAll(/^export const (\w+) = (\d+);$/gmu)].map(([, name = "", number = ""]) => [
      name,
      number,
    ]),
  );
}

/** The plugin. */
export function inlineOps(): Plugin {
  const known = numbers();
  return {
    name: "inline-ops",
    setup: (build) => {
      // The filter is for Go, which has no flag "u".
      build.onLoad({ filter: /[\\/]source[\\/].*\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, "utf8");
        return {
          loader: "ts",
          contents: IMPORTS.test(text)
            ? text.replaceAll(/\bOp\.([A-Z]\w*)\b/gu, (whole, name: string) => known.get(name) ?? whole)
            : text,
        };
      });
    },
  };
}
