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
  process.env["MUXKIT_SUITE_SPIRV"] === undefined && process.env["MUXKIT_SUITE_SPIR"] === undefined
    ? {}
    : { "kernel-suite": ["tools/kernel-suite/test/setup/producer-refusals.ts"] };

// Tests of kernels take a share of the ways and rows; a step of `.ci/run` takes all
// (tools/kernel-suite/source/share.ts).
process.env["KERNEL_SUITE"] ??= "slice";

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
      // Node itself loads the modules: that takes a quarter less time than Vite's runner, whose every use of an import
      // goes through an object, and leaves compiled code to the next process.
      test: {
        name: basename(root),
        experimental: { viteModuleRunner: false, nodeLoader: false },
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
