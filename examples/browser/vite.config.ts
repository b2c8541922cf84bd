// SPDX-License-Identifier: Apache-2.0
import { defineConfig } from "vite";

/** What makes a page isolated, so that browsers give it shared memory and with it threads. */
const ISOLATION = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

// `--mode plain` serves the page without the headers: it works on one thread then.
export default defineConfig(({ mode }) => {
  const headers: Record<string, string> = mode === "plain" ? {} : ISOLATION;
  return {
    // The built page can lie in any folder of a server.
    base: "./",
    // The development server leaves alone what starts workers from files next to its own.
    optimizeDeps: { exclude: ["muxkit", "@muxkit/host"] },
    server: { headers },
    preview: { headers },
  };
});
