// SPDX-License-Identifier: Apache-2.0
/**
 * `muxkit/vite`: a plugin with which `import { saxpy } from "./saxpy.cl"` imports the file's kernels as functions. They
 * are compiled when the program is bundled or served. It is one of Rollup and Rolldown too.
 *
 * @packageDocumentation
 */
import { type KernelPluginOptions, type PluginMessage, bundledModule } from "./compile/bundled-module.ts";

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
      const [first, ...more] = errors;
      if (code !== null) return { code, map: null };
      for (const error of more) this.warn(inForm(error));
      return this.error(first === undefined ? { message: `${id} cannot be compiled` } : inForm(first));
    },
  };
}
