// SPDX-License-Identifier: Apache-2.0
/**
 * `muxkit/sycl/register`: a hook of Node's loader, with which TypeScript files have kernels as they are:
 * `node --import muxkit/sycl/register FILE`. The kernels are compiled when they are launched first, and kept as
 * JavaScript for debugging.
 *
 * @packageDocumentation
 */
import { readFileSync } from "node:fs";
import * as module from "node:module";
import { fileURLToPath } from "node:url";

import { bundledTypescript, loadTranslator } from "./compile/bundled-typescript.ts";

/** What the hook uses of Node, which has it from 22.15 on. */
interface HookedModule {
  readonly registerHooks?: (hooks: {
    readonly load: (
      url: string,
      context: object,
      next: (url: string, context: object) => object,
    ) => object | { readonly format: string; readonly source: string; readonly shortCircuit: true };
  }) => unknown;
}

const translator = await loadTranslator();
const { registerHooks } = module as HookedModule;
if (registerHooks === undefined)
  throw new Error(`muxkit/sycl/register needs Node 22.15 or later, and this is ${process.version}`);

registerHooks({
  load: (url, context, next) => {
    if (!url.startsWith("file:") || !/\.m?tsx?$/u.test(new URL(url).pathname) || url.includes("/node_modules/"))
      return next(url, context);
    const path = fileURLToPath(url);
    const made = bundledTypescript(translator, path, readFileSync(path, "utf8"), {
      runtime: "muxkit/sycl",
      keepsFunctions: true,
      keepsSource: true,
    });
    if (made === null) return next(url, context);
    if (made.code === null || made.map === null) throw new SyntaxError(made.errors.map(errorText).join("\n"));
    const map = Buffer.from(made.map).toString("base64");
    const source = `${made.code}\n//# sourceMappingURL=data:application/json;base64,${map}`;
    return { format: "module-typescript", source, shortCircuit: true };
  },
});

function errorText({
  text,
  place,
}: {
  readonly text: string;
  readonly place: { readonly file: string; readonly line: number; readonly column: number } | null;
}): string {
  return place === null ? text : `${place.file}:${place.line}:${place.column}: ${text}`;
}
