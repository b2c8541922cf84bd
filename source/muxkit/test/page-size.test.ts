// SPDX-License-Identifier: Apache-2.0
// What a page with one kernel downloads before its first launch is complete, in bundles of both plugins.
//
// Every byte counts: the page's script, the worker's script, and the kernel, which the script has in it. Files are
// compressed one by one, as servers do. Sources of another run are not there: bundlers get the packages' sources, and
// what package.json chooses for browsers.
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

import { type Plugin, build as esbuild } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { build as vite } from "vite";

import { kernels } from "muxkit/esbuild";
import { kernels as viteKernels } from "muxkit/vite";

/** Bytes of a page with `muxkit/run`, compressed by gzip. */
const MOST_RUN = 39_000;
/** Bytes of a page with queues and buffers, compressed by gzip. */
const MOST_SYCL = 77_800;

const KERNEL = `const saxpy = kernel((item: Item<1>, a: float, x: Accessor<float, "read">, y: Accessor<float>) => {
  const i = item.getId(0);
  y[i] = a * x[i]! + y[i]!;
});
const data = Float32Array.from({ length: 1024 }, (_, i) => i);
const result = new Float32Array(1024).fill(1);
`;
const RUN = `import { kernel, run, type Accessor, type Item, type float } from "muxkit/run";
${KERNEL}await run(saxpy, 1024, 2, data, result);
document.title = String(result[3]);
`;
const SYCL = `import { Buffer, Queue, kernel, range, type Accessor, type Item, type float } from "muxkit/sycl";
${KERNEL}const queue = new Queue();
{
  await using x = new Buffer(data);
  await using y = new Buffer(result);
  queue.submit((handler) => {
    handler.parallelFor(range(1024), saxpy, 2, x.getAccess(handler, "read"), y.getAccess(handler, "read_write"));
  });
}
document.title = String(result[3]);
`;

const root = resolve(import.meta.dirname, "../../..");
mkdirSync(join(root, "out"), { recursive: true });
const folder = mkdtempSync(join(root, "out/page-"));

beforeAll(() => {
  writeFileSync(join(folder, "run.ts"), RUN);
  writeFileSync(join(folder, "sycl.ts"), SYCL);
  for (const name of ["run", "sycl"])
    writeFileSync(join(folder, `${name}.html`), `<script type="module" src="./${name}.ts"></script>\n`);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** What `imports` in the package.json files choose for browsers, as sources. */
const WEB = new Map(
  ["modules/host", "source/muxkit"].flatMap((name) => {
    const { imports } = JSON.parse(readFileSync(join(root, name, "package.json"), "utf8")) as {
      readonly imports: Readonly<Record<string, { readonly browser: string | { readonly default: string } }>>;
    };
    return Object.entries(imports).map(([word, { browser }]) => [
      word,
      join(
        root,
        name,
        (typeof browser === "string" ? browser : browser.default)
          .replace("./dist/esm/", "source/")
          .replace(/\.js$/u, ".ts"),
      ),
    ]);
  }),
);

const webImports: Plugin = {
  name: "web-imports",
  setup: (build) => {
    build.onResolve({ filter: /^#/ }, ({ path }) => ({ path: WEB.get(path) ?? path }));
  },
};

/** Bytes of the scripts in a folder, compressed. */
function sizesOf(output: string): { readonly files: number; readonly gzip: number; readonly brotli: number } {
  const scripts = readdirSync(output, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js"));
  const bytes = scripts.map((name) => readFileSync(join(output, name)));
  const sum = (compress: (one: Buffer) => Buffer): number =>
    bytes.reduce((total, one) => total + compress(one).length, 0);
  return { files: scripts.length, gzip: sum((one) => gzipSync(one, { level: 9 })), brotli: sum(brotliCompressSync) };
}

async function withEsbuild(name: string): Promise<string> {
  const outdir = join(folder, `esbuild-${name}`);
  await esbuild({
    entryPoints: [join(folder, `${name}.ts`)],
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    conditions: ["source"],
    outdir,
    legalComments: "none",
    logLevel: "silent",
    plugins: [kernels(), webImports],
  });
  return outdir;
}

async function withVite(name: string): Promise<string> {
  const outDir = join(folder, `vite-${name}`);
  const plugins = [
    { name: "web-imports", enforce: "pre" as const, resolveId: (word: string) => WEB.get(word) ?? null },
    viteKernels(),
  ];
  await vite({
    root: folder,
    configFile: false,
    logLevel: "error",
    resolve: { conditions: ["source"] },
    worker: { format: "es", plugins: () => plugins.slice(0, 1) },
    build: { outDir, emptyOutDir: true, rollupOptions: { input: join(folder, `${name}.html`) } },
    plugins,
  });
  return outDir;
}

test.each([
  ["esbuild", "run", withEsbuild, MOST_RUN],
  ["Vite", "run", withVite, MOST_RUN],
  ["esbuild", "sycl", withEsbuild, MOST_SYCL],
  ["Vite", "sycl", withVite, MOST_SYCL],
] as const)("%s: a page with a kernel by muxkit/%s", async (bundler, name, bundle, most) => {
  const { files, gzip, brotli } = sizesOf(await bundle(name));
  console.log(`${bundler}, muxkit/${name}: ${gzip} bytes by gzip, ${brotli} by brotli`);
  // The page and the worker.
  expect(files).toBe(2);
  expect(gzip).toBeLessThanOrEqual(most);
});
