// SPDX-License-Identifier: Apache-2.0
/**
 * `muxkit/esbuild`: a plugin with which `import { saxpy } from "./saxpy.cl"` imports the file's kernels as functions,
 * and with which TypeScript files have kernels of their own (`muxkit/sycl`). They are compiled when the program is
 * bundled.
 *
 * @packageDocumentation
 */
import { readFileSync } from "node:fs";

import { type KernelPluginOptions, type PluginMessage, bundledModule } from "./compile/bundled-module.ts";
import { bundledTypescript, loadTranslator } from "./compile/bundled-typescript.ts";

export type { KernelPluginOptions } from "./compile/bundled-module.ts";

/** A message in esbuild's format. @public */
export interface EsbuildMessage {
  /** What is wrong. */
  readonly text: string;
  /** Where; null: nowhere in particular. */
  readonly location: {
    readonly file: string;
    readonly line: number;
    readonly column: number;
    readonly length: number;
    readonly lineText: string;
  } | null;
}

/** What esbuild receives for a file. @public */
export interface EsbuildResult {
  /** The module; absent where there are errors. */
  contents?: string;
  /** What the module is. */
  loader?: "js" | "ts" | "tsx";
  /** Errors. */
  errors: EsbuildMessage[];
  /** Warnings. */
  warnings: EsbuildMessage[];
  /** Files to watch. */
  watchFiles: string[];
}

/** What the plugin uses of esbuild. @public */
export interface EsbuildBuild {
  /** See esbuild's documentation. */
  onLoad(
    options: { filter: RegExp },
    callback: (file: { path: string }) => EsbuildResult | Promise<EsbuildResult | undefined>,
  ): void;
}

/** A plugin of esbuild. @public */
export interface EsbuildPlugin {
  /** Its name. */
  name: string;
  /** Called once for a build. */
  setup(build: EsbuildBuild): void;
}

/** esbuild counts columns from 0. */
function inForm({ text, place }: PluginMessage): EsbuildMessage {
  return { text, location: place === null ? null : { ...place, column: place.column - 1 } };
}

/** What bundled kernels stand on: it has no compiler. */
const RUNTIME = "muxkit/sycl/runtime";

function inline(map: string): string {
  return `//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString("base64")}`;
}

/** The plugin. @public */
export function kernels(options: KernelPluginOptions = {}): EsbuildPlugin {
  return {
    name: "muxkit",
    setup: (build) => {
      build.onLoad({ filter: /\.[cm]?tsx?$/ }, async ({ path }) => {
        const text = readFileSync(path, "utf8");
        // Most files have no kernels, and programs without need no translator.
        if (!/muxkit/u.test(text)) return undefined;
        const made = bundledTypescript(await loadTranslator(), path, text, { ...options, runtime: RUNTIME });
        if (made === null) return undefined;
        const { code, map, errors, warnings, dependencies } = made;
        return {
          ...(code === null || map === null ? {} : { contents: `${code}\n${inline(map)}` }),
          loader: path.endsWith("x") ? "tsx" : "ts",
          errors: errors.map(inForm),
          warnings: warnings.map(inForm),
          watchFiles: [path, ...dependencies],
        };
      });
      // The filter is for Go, which has no flag "u".
      build.onLoad({ filter: /\.cl$/ }, ({ path }) => {
        const { code, errors, warnings, included } = bundledModule(path, options);
        return {
          ...(code === null ? {} : { contents: code, loader: "js" as const }),
          errors: errors.map(inForm),
          warnings: warnings.map(inForm),
          watchFiles: [path, ...included],
        };
      });
    },
  };
}
