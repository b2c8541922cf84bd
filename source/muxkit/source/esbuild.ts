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
import { emitWorker } from "./compile/esbuild-worker.ts";
import { needsTranslator } from "./compile/needs-translator.ts";

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

/** What esbuild receives for a file of no loader of the plugin's. @public */
export interface EsbuildText {
  /** The file. */
  contents: string | Uint8Array;
  /** What it is. */
  loader: "js" | "ts" | "file";
  /** Where imports of it begin. */
  resolveDir?: string;
  /** Files to watch. */
  watchFiles?: string[];
}

/** Options of a build which that of a page's worker has, too. @public */
export interface EsbuildOptions {
  /** See esbuild's documentation, as for all of them. */
  platform?: "browser" | "node" | "neutral";
  /** See `platform`. */
  minify?: boolean;
  /** See `platform`. */
  minifyIdentifiers?: boolean;
  /** See `platform`. */
  minifySyntax?: boolean;
  /** See `platform`. */
  minifyWhitespace?: boolean;
  /** See `platform`. */
  target?: string | string[];
  /** See `platform`. */
  conditions?: string[];
  /** See `platform`. */
  define?: Record<string, string>;
  /** See `platform`. */
  charset?: "ascii" | "utf8";
  /** See `platform`. */
  legalComments?: "none" | "inline" | "eof" | "linked" | "external";
  /** See `platform`. */
  absWorkingDir?: string;
}

/** Options of the build of a page's worker. @public */
export interface EsbuildWorkerOptions extends EsbuildOptions {
  /** The worker. */
  entryPoints: string[];
  /** With all that it imports. */
  bundle: true;
  /** A module. */
  format: "esm";
  /** Into memory. */
  write: false;
}

/** What the plugin uses of esbuild. @public */
export interface EsbuildBuild {
  /** The options of the build. */
  readonly initialOptions: EsbuildOptions;
  /** esbuild. */
  readonly esbuild: {
    build(
      options: EsbuildWorkerOptions,
    ): Promise<{ readonly outputFiles?: readonly { readonly contents: Uint8Array }[] }>;
  };
  /** See esbuild's documentation. */
  onResolve(
    options: { filter: RegExp },
    callback: (file: { path: string; resolveDir: string }) => { path: string; namespace: string; pluginData: string },
  ): void;
  /** See esbuild's documentation. */
  onLoad(
    options: { filter: RegExp; namespace?: string },
    callback: (file: {
      path: string;
      pluginData: unknown;
    }) => EsbuildResult | EsbuildText | undefined | Promise<EsbuildResult | EsbuildText | undefined>,
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
      emitWorker(build);
      build.onLoad({ filter: /\.[cm]?tsx?$/ }, async ({ path }) => {
        const text = readFileSync(path, "utf8");
        // Most files have no kernels, and programs without need no translator.
        if (!needsTranslator(text)) return undefined;
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
