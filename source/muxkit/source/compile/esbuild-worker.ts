// SPDX-License-Identifier: Apache-2.0
// The worker of a page, for esbuild: it leaves `new Worker(new URL("./worker.js", import.meta.url))` as it is, and
// emits no file. So the address becomes that of a file which is emitted, the bundled worker.
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import type { EsbuildBuild, EsbuildOptions } from "../esbuild.ts";

/** Files of @muxkit/host that may start workers, in a clone and as it is installed. */
const STARTERS = /[\\/]host[\\/](?:source[\\/]web-worker\.ts|dist[\\/]esm[\\/][^\\/]*\.js)$/;
const ADDRESS = /new URL\("\.\/worker\.js",\s*import\.meta\.url\)/u;

/** What is imported for the address; it has a name that files in the output get. */
const WORKER = "muxkit-worker.js";

/** Options that are the same for a page and its worker. */
const SHARED_OPTIONS: readonly (keyof EsbuildOptions)[] = [
  "minify",
  "minifyIdentifiers",
  "minifySyntax",
  "minifyWhitespace",
  "target",
  "conditions",
  "define",
  "charset",
  "legalComments",
  "absWorkingDir",
];

function sharedOptions(options: EsbuildOptions): EsbuildOptions {
  return Object.fromEntries(SHARED_OPTIONS.flatMap((name) => (name in options ? [[name, options[name]]] : [])));
}

/** Makes pages have a file with the worker. Programs of Node find the package's own. */
export function emitWorker(build: EsbuildBuild): void {
  const { initialOptions } = build;
  if (initialOptions.platform === "node") return;
  build.onLoad({ filter: STARTERS }, ({ path }) => {
    const text = readFileSync(path, "utf8");
    if (!ADDRESS.test(text)) return undefined;
    return {
      contents: `import $worker from "${WORKER}";${text.replace(ADDRESS, "new URL($worker, import.meta.url)")}`,
      loader: path.endsWith(".ts") ? "ts" : "js",
      resolveDir: dirname(path),
    };
  });
  build.onResolve({ filter: /^muxkit-worker\.js$/ }, ({ resolveDir }) => ({
    path: WORKER,
    namespace: "muxkit-worker",
    pluginData: join(resolveDir, basename(resolveDir) === "source" ? "worker.ts" : "worker.js"),
  }));
  build.onLoad({ filter: /.*/, namespace: "muxkit-worker" }, async ({ pluginData }) => {
    const { outputFiles } = await build.esbuild.build({
      ...sharedOptions(initialOptions),
      entryPoints: [String(pluginData)],
      bundle: true,
      format: "esm",
      platform: "browser",
      write: false,
    });
    return { contents: outputFiles?.[0]?.contents ?? new Uint8Array(0), loader: "file" };
  });
}
