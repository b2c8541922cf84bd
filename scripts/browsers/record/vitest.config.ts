// SPDX-License-Identifier: Apache-2.0
// Runs the tests of the kernel suite to record their launches.
import { join } from "node:path";

import { defineConfig } from "vitest/config";

const suite = join(import.meta.dirname, "../../../tools/kernel-suite");
const recorder = join(import.meta.dirname, "kernel-suite.ts");

export default defineConfig({
  root: suite,
  cacheDir: join(suite, "../../node_modules/.vite"),
  // Tests get the recorder, which gets the suite.
  plugins: [
    {
      name: "recorder",
      enforce: "pre",
      resolveId: (source, importer) => (source === "@muxkit/kernel-suite" && importer !== recorder ? recorder : null),
    },
  ],
  ssr: { resolve: { conditions: ["source"] } },
  // What is excluded tests the suite itself: the ways of which the recorder takes one.
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/without-compiler.test.ts"],
    isolate: false,
    testTimeout: 60_000,
  },
});
