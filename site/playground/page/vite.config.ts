// SPDX-License-Identifier: Apache-2.0
// Builds and serves the page of the playground alone.
import { join } from "node:path";

import { defineConfig } from "vite";

import { browserSources } from "../build/browser-sources.ts";

const HEADERS = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

export default defineConfig(({ mode }) => ({
  root: import.meta.dirname,
  base: "./",
  plugins: [browserSources()],
  resolve: { conditions: ["source", "browser", "import", "module", "default"] },
  worker: { format: "es", plugins: () => [browserSources()] },
  build: { outDir: join(import.meta.dirname, "../../../out/playground"), emptyOutDir: true, target: "es2023" },
  preview: { headers: mode === "plain" ? {} : HEADERS },
}));
