// SPDX-License-Identifier: Apache-2.0
/**
 * `muxkit/vite`: a plugin with which `import { saxpy } from "./saxpy.cl"` imports the file's kernels as functions, and
 * with which TypeScript files have kernels of their own (`muxkit/sycl`). They are compiled when the program is bundled
 * or served. It is one of Rollup and Rolldown too.
 *
 * @packageDocumentation
 */
import { type KernelPluginOptions, type PluginMessage, bundledModule } from "./compile/bundled-module.ts";
import { bundledTypescript, loadTranslator } from "./compile/bundled-typescript.ts";
import { needsTranslator } from "./compile/needs-translator.ts";

export type { KernelPluginOptions } from "./compile/bundled-module.ts";

/** A message in Vite's format. @public */
export interface ViteMessage {
  /** What is wrong. */
  message: string;
  /** Where. */
  loc?: { file: string; line: number; column: number };
  /** The line. */
  frame?: string;
}

/** What the plugin uses of Vite. @public */
export interface ViteContext {
  /** Watches a file. */
  addWatchFile(path: string): void;
  /** Reports a warning. */
  warn(message: ViteMessage): void;
  /** Reports an error, and ends. */
  error(message: ViteMessage): never;
}

/** A plugin of Vite. @public */
export interface VitePlugin {
  /** Its name. */
  name: string;
  /** Before those that take any file for an asset. */
  enforce: "pre";
  /** The module of a file; null: it is not one of this plugin. */
  load(this: ViteContext, id: string): { code: string; map: null } | null;
  /** The text of a TypeScript file with kernels; null: it stays as it is. */
  transform(this: ViteContext, text: string, id: string): Promise<{ code: string; map: string } | null>;
}

/** Vite counts columns from 0. */
function inForm({ text, place }: PluginMessage): ViteMessage {
  return place === null
    ? { message: text }
    : {
        message: text,
        loc: { file: place.file, line: place.line, column: place.column - 1 },
        frame: `${place.line}: ${place.lineText}\n${" ".repeat(`${place.line}: `.length + place.column - 1)}^`,
      };
}

/** What bundled kernels stand on: it has no compiler. */
const RUNTIME = "muxkit/sycl/runtime";

/** The first error ends the build; the others are told before. */
function refuse(context: ViteContext, id: string, [first, ...more]: readonly PluginMessage[]): never {
  for (const error of more) context.warn(inForm(error));
  return context.error(first === undefined ? { message: `${id} cannot be compiled` } : inForm(first));
}

/** The plugin. @public */
export function kernels(options: KernelPluginOptions = {}): VitePlugin {
  return {
    name: "muxkit",
    enforce: "pre",
    load(id) {
      // What has a question mark is the text, or an address.
      if (!id.endsWith(".cl")) return null;
      const { code, errors, warnings, included } = bundledModule(id, options);
      for (const file of included) this.addWatchFile(file);
      for (const warning of warnings) this.warn(inForm(warning));
      if (code !== null) return { code, map: null };
      return refuse(this, id, errors);
    },
    async transform(text, id) {
      const [path = id] = id.split("?");
      if (!/\.[cm]?tsx?$/u.test(path) || !needsTranslator(text)) return null;
      const made = bundledTypescript(await loadTranslator(), path, text, { ...options, runtime: RUNTIME });
      if (made === null) return null;
      for (const file of made.dependencies) this.addWatchFile(file);
      for (const warning of made.warnings) this.warn(inForm(warning));
      if (made.code !== null && made.map !== null) return { code: made.code, map: made.map };
      return refuse(this, id, made.errors);
    },
  };
}
