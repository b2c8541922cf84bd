// SPDX-License-Identifier: Apache-2.0
// TypeScript files with kernels in bundles: esbuild and Vite compile them ahead of time, show errors as their own,
// watch the files that kernels use, and leave out what nobody uses.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";

import { kernels } from "muxkit/esbuild";
import { type ViteMessage, kernels as viteKernels } from "muxkit/vite";

const folder = mkdtempSync(join(tmpdir(), "muxkit-typescript-"));
const path = (name: string): string => join(folder, name);

const MATH = `import type { float } from "muxkit/sycl";
export const FACTOR = 3;
export function square(x: float): float {
  return x * x;
}
`;
const APP = `import { kernel, thisModule, type Accessor, type Item, type float } from "muxkit/sycl";
import { FACTOR, square } from "./math.ts";

export const used = kernel((item: Item<1>, a: float, x: Accessor<float>) => {
  x[item.getId(0)] = a * square(x[item.getId(0)]) * FACTOR;
});
export const module = thisModule;
`;

/** What the translator lets pass, and the compiler of OpenCL C refuses. */
const TWICE = `import { kernel, type Accessor, type int } from "muxkit/sycl";

export const chosen = kernel((n: Accessor<int>, which: int) => {
  switch (which) {
    case 1:
      n[0] = 1;
      break;
    case 1:
      n[0] = 2;
  }
});
`;

beforeAll(() => {
  mkdirSync(path("sub"));
  writeFileSync(path("math.ts"), MATH);
  writeFileSync(path("app.ts"), APP);
  writeFileSync(path("page.ts"), 'import { other } from "./app.ts";\nconsole.log(other);\n');
  writeFileSync(path("wrong.ts"), APP.replace("a * square", "item * square").replace("* FACTOR", "+ Math.random()"));
  writeFileSync(path("twice.ts"), TWICE);
  writeFileSync(path("plain.ts"), 'export const text = "kernel of muxkit/sycl";\n');
  writeFileSync(path("unused.ts"), `${APP}export const unused = kernel((x: Accessor<float>) => { x[0] = 12345; });\n`);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function bundle(
  name: string,
  text: string | null = null,
): Promise<{ readonly code: string; readonly inputs: readonly string[]; readonly map: string }> {
  const result = await build({
    ...(text === null
      ? { entryPoints: [path(name)] }
      : { stdin: { contents: text, resolveDir: folder, loader: "ts" as const } }),
    absWorkingDir: folder,
    bundle: true,
    format: "esm",
    write: false,
    outfile: "out.js",
    sourcemap: "external",
    metafile: true,
    external: ["muxkit/*"],
    logLevel: "silent",
    plugins: [kernels()],
  });
  const textOf = (end: string): string => result.outputFiles.find((file) => file.path.endsWith(end))?.text ?? "";
  return { code: textOf(".js"), map: textOf(".map"), inputs: Object.keys(result.metafile.inputs) };
}

test("esbuild: the bundle has the executable, and neither the kernel nor its OpenCL C", async () => {
  const { code } = await bundle("app.ts");
  expect(code).toContain('from "muxkit/sycl/runtime"');
  expect(code).not.toContain('"muxkit/sycl"');
  expect(code).toContain('.kernel("used")');
  expect(code).toContain('"format": "executable"');
  expect(code).toContain('"openclC": ""');
  expect(code).not.toContain("getId");
  expect(code).not.toContain("square");
});

test("esbuild: a source map leads to the file as it was written", async () => {
  const { map } = await bundle("app.ts");
  const { sources, sourcesContent } = JSON.parse(map) as {
    readonly sources: readonly string[];
    readonly sourcesContent: readonly string[];
  };
  expect(sources.some((source) => source.endsWith("app.ts"))).toBe(true);
  expect(sourcesContent).toContain(APP);
});

test("esbuild: kernels that nobody uses leave the bundle", async () => {
  const { code } = await bundle(
    "page",
    'import { FACTOR } from "./math.ts"; import { used, unused } from "./unused.ts"; console.log(FACTOR);',
  );
  expect(code).not.toContain("translationUnit(");
  expect(code).not.toContain("executable");
});

test("esbuild: errors of kernels are the bundler's, each with its place and what to do", async () => {
  const failure = (await bundle("wrong.ts").catch((error: unknown) => error)) as {
    readonly errors: readonly { readonly text: string; readonly location: object }[];
  };
  expect(failure.errors.map(({ text, location }) => ({ text: text.split("\n")[0], location }))).toMatchObject([
    {
      text: "`*` of Item<1> and float [TK2004]",
      location: { file: "wrong.ts", line: 5, column: 21, lineText: expect.stringContaining("item * square") as string },
    },
    { text: "`Math.random` is not for kernels [TK3010]", location: { line: 5 } },
  ]);
  expect(failure.errors[0]?.text).toContain("Convert one of them");
});

test("esbuild: what the compiler of OpenCL C refuses has its place in TypeScript", async () => {
  const failure = (await bundle("twice.ts").catch((error: unknown) => error)) as {
    readonly errors: readonly { readonly text: string; readonly location: object }[];
  };
  expect(failure.errors).toHaveLength(1);
  expect(failure.errors[0]?.text).toMatch(/^the compiler of OpenCL C says: .*\[CL\d+\].*\[TK4901\]/u);
  expect(failure.errors[0]?.location).toMatchObject({ file: "twice.ts", line: 8, lineText: "    case 1:" });
});

test("esbuild: files without kernels stay as they are", async () => {
  const { code } = await bundle("plain.ts");
  expect(code).toContain('"kernel of muxkit/sycl"');
  expect(code).not.toContain("translationUnit");
});

/** What Vite gives a plugin, with what it is told. */
function viteContext(): {
  readonly watched: string[];
  readonly warnings: ViteMessage[];
  readonly addWatchFile: (file: string) => void;
  readonly warn: (message: ViteMessage) => void;
  readonly error: (message: ViteMessage) => never;
} {
  const watched: string[] = [];
  const warnings: ViteMessage[] = [];
  return {
    watched,
    warnings,
    addWatchFile: (file) => watched.push(file),
    warn: (message) => warnings.push(message),
    error: (message) => {
      throw Object.assign(new Error(message.message), message);
    },
  };
}

test("Vite: the same text, with its map; files that kernels use are watched", async () => {
  const context = viteContext();
  const made = await viteKernels().transform.call(context, APP, `${path("app.ts")}?v=1`);
  expect(made?.code).toContain('$unit.kernel("used")');
  expect(JSON.parse(made?.map ?? "null")).toMatchObject({ version: 3 });
  expect(context.watched).toEqual([path("math.ts")]);
});

test("Vite: errors have their place; those behind the first are warnings", async () => {
  const context = viteContext();
  const text = APP.replace("a * square", "item * square").replace("* FACTOR", "+ Math.random()");
  await expect(viteKernels().transform.call(context, text, path("wrong.ts"))).rejects.toMatchObject({
    message: expect.stringContaining("TK2004") as string,
    loc: { file: path("wrong.ts"), line: 5, column: 21 },
  });
  expect(context.warnings.map(({ message }) => message.split("\n")[0])).toEqual([
    "`Math.random` is not for kernels [TK3010]",
  ]);
});

test("Vite: other files are not its own", async () => {
  expect(await viteKernels().transform.call(viteContext(), "export const a = 1;", path("a.ts"))).toBeNull();
  expect(await viteKernels().transform.call(viteContext(), APP, path("a.css"))).toBeNull();
});
