// SPDX-License-Identifier: Apache-2.0
import { globSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { defineConfig } from "vitest/config";

import { prepareGenerated } from "./tools/build/generated-files.ts";

prepareGenerated(false);

// Tests start Node more than a hundred times, for servers, threads and tools of this tree:
// each finds there what the engine made of the sources before.
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "node_modules/.cache/muxkit-node");

/** What a project's tests load first, where the environment asks for it. */
const setupFiles: Readonly<Record<string, readonly string[]>> =
  process.env["MUXKIT_SUITE_SPIRV"] === undefined
    ? {}
    : { "kernel-suite": ["tools/kernel-suite/test/setup/producer-refusals.ts"] };

const packages = globSync("{modules,source,tools}/*/package.json", { cwd: import.meta.dirname }).map(dirname);

export default defineConfig({
  test: {
    // `npm run coverage -- passes`; paths are relative to each project.
    coverage: {
      provider: "v8",
      include: ["source/**/*.ts"],
      reporter: ["text", "html"],
      reportsDirectory: "out/coverage",
    },
    projects: [...packages, "scripts"].map((root) => ({
      root,
      cacheDir: join(import.meta.dirname, "node_modules/.vite"),
      // Tests import packages by name and get their TypeScript sources: no build first.
      ssr: { resolve: { conditions: ["source"] } },
      // One worker for each core: vitest would leave one out, and on two cores run everything in a row.
      // A hang is found out late, but a busy machine is no failure.
      test: {
        name: basename(root),
        include: ["test/**/*.test.ts"],
        isolate: false,
        testTimeout: 300_000,
        hookTimeout: 300_000,
        maxWorkers: "100%",
        setupFiles: (setupFiles[basename(root)] ?? []).map((file) => join(import.meta.dirname, file)),
      },
    })),
  },
});
