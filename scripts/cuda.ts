// SPDX-License-Identifier: Apache-2.0
// `npm run cuda -- pack [folder]`: makes what travels to a machine with a GPU: Node, koffi, and the suites in one file.
// There, `sh run.sh SUITE…` runs them, `figures` and `faults` show what the runtime costs and says, and
// `bench [--data 4] [JOB…]` measures the suite, or jobs of more data, beside NVIDIA's OpenCL.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { build } from "esbuild";

const root = resolve(import.meta.dirname, "..");
const [command, folder = join(root, "out/gpu")] = process.argv.slice(2);

const RUN = `#!/bin/sh
set -e
cd "$(dirname "$0")"
[ -x /tmp/muxkit-node ] || { xz -dc node.xz > /tmp/muxkit-node; chmod +x /tmp/muxkit-node; }
exec /tmp/muxkit-node gpu-main.mjs "$@"
`;

async function pack(into: string): Promise<void> {
  rmSync(join(into, "node_modules"), { recursive: true, force: true });
  mkdirSync(join(into, "node_modules"), { recursive: true });
  await build({
    entryPoints: [join(root, "scripts/cuda/gpu-main.ts")],
    outfile: join(into, "gpu-main.mjs"),
    bundle: true,
    conditions: ["source"],
    platform: "node",
    format: "esm",
    external: ["koffi"],
    plugins: [
      {
        name: "ways",
        // The suite's twin device is an example, which no bundle finds.
        setup: (plugin) => {
          // esbuild takes no flags of JavaScript's.
          // oxlint-disable-next-line require-unicode-regexp
          plugin.onLoad({ filter: /wide-device\.ts$/ }, () => ({
            contents:
              "export const takesWideDevice = () => false; export const buildWide = null; export const runWide = null;",
            loader: "ts",
          }));
        },
      },
    ],
    target: "es2024",
  });
  // Not a dependency of the project: only a machine with a GPU needs it.
  execFileSync("npm", ["install", "koffi@3", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", into], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  for (const name of ["doc", "vendor"])
    rmSync(join(into, "node_modules/koffi", name), { recursive: true, force: true });
  if (!existsSync(join(into, "node.xz")))
    writeFileSync(
      join(into, "node.xz"),
      execFileSync("xz", ["-T2", "-6", "-c", process.execPath], { maxBuffer: 2 ** 28 }),
    );
  for (const name of ["oclrun.c", "src", "suite"]) {
    const target = join(into, "benchmarks", name);
    rmSync(target, { recursive: true, force: true });
    cpSync(join(root, "benchmarks", name), target, { recursive: true });
  }
  cpSync(join(root, "scripts/cuda/launches.c"), join(into, "launches.c"));
  writeFileSync(join(into, "run.sh"), RUN, { mode: 0o755 });
  console.log(`${into}: carry it to a machine with a GPU, and run run.sh unitkernel unitmux, or run.sh bench, there`);
}

if (command === "pack") await pack(resolve(folder));
else {
  console.error("npm run cuda -- pack [folder]");
  process.exitCode = 2;
}
