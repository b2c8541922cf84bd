// SPDX-License-Identifier: Apache-2.0
// Packages as bundlers see them: what is computed at the level of a module leaves the bundle where nobody uses it, and
// is as it was where somebody does.
import { build } from "esbuild";
import { expect, test } from "vitest";

import { markPure } from "../../tools/build/mark-pure.ts";

const MODULE = `function make(value) { return { value, list: [value] }; }
const first = make(1), { value } = first;
export const both = { ...first, second: make(2).value };
export const flags = first.value | both.second;
export const table = new Map([["a", make(3)]]);
export class Named { static kind = "named"; }
export const plain = [1, -2, "three", () => make(4)];
export let object = { a: 1 }.a;
globalThis.marked = "ran";
`;

async function bundled(text: string, used: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: `export { ${used} } from "module";` },
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
    plugins: [
      {
        name: "module",
        setup: (setup) => {
          setup.onResolve({ filter: /^module$/ }, () => ({ path: "module", namespace: "module" }));
          setup.onLoad({ filter: /.*/, namespace: "module" }, () => ({ contents: text }));
        },
      },
    ],
  });
  return outputFiles[0]?.text ?? "";
}

async function run(text: string): Promise<Readonly<Record<string, unknown>>> {
  return (await import(`data:text/javascript,${encodeURIComponent(text)}`)) as Readonly<Record<string, unknown>>;
}

test("what is not used leaves the bundle, and statements stay", async () => {
  const before = await bundled(MODULE, "plain");
  const after = await bundled(markPure(MODULE), "plain");
  expect(before).toContain("new Map");
  expect(after).not.toContain("new Map");
  expect(after).toContain('globalThis.marked="ran"');
});

test("what is used is unwrapped", async () => {
  const after = await bundled(markPure(MODULE), "table");
  expect(after).toMatch(/new Map\(\[\["a",/u);
  expect(after).not.toContain("=>new Map");
});

test("modules are as they were", async () => {
  const [before, after] = [await run(MODULE), await run(markPure(MODULE))];
  expect(Object.keys(after)).toEqual(Object.keys(before));
  for (const name of ["both", "flags", "table", "object"]) expect(after[name]).toEqual(before[name]);
  expect((after["Named"] as () => void).name).toBe("Named");
});
