// SPDX-License-Identifier: Apache-2.0
// What kernels use of other files, and the data of units.
import { expect, test } from "vitest";

import { mayHaveKernels } from "@muxkit/typescript-kernels";

import { IMPORT, translateText } from "./rig.ts";

const KERNEL = "const k = kernel((item: Item<1>, x: Accessor<float>) => { x[item.getId(0)] = VALUE; });";

/** The last statement of the kernel whose value is an expression. */
function valueOf(head: string, value: string, others: Readonly<Record<string, string>> = {}): string | undefined {
  const { unit, diagnostics } = translateText(IMPORT + head + KERNEL.replace("VALUE", value), others);
  expect(diagnostics.map(({ message }) => message)).toEqual([]);
  return /= (.*);\n\}\n$/u.exec(unit?.openclC ?? "")?.[1];
}

test.each([
  ["a const", "const A = 3;", "A", "3.0f"],
  ["an expression of consts", "const A = 3; const B = A * 2 + 0.5;", "B", "6.5f"],
  ["a member of an object", "const O = { a: { b: 4 } } as const;", "O.a.b", "4.0f"],
  ["an element of an array", "const L = [1, 2.5] as const;", "L[1]", "2.5f"],
  ["an enum", "enum E { A, B = 7, C }", "E.C", "8.0f"],
  ["a constant of Math", "", "Math.PI", "3.1415927f"],
  ["a negative number", "const A = -2;", "A", "-2.0f"],
  ["a fraction of whole numbers", "const A = 1 / 4;", "A", "0.25f"],
])("%s folds", (_name, head, value, expected) => {
  expect(valueOf(head, value)).toBe(expected);
});

test("functions and constants come from other files, through what they export again", () => {
  const others = {
    "/app/math.ts":
      'import type { float } from "muxkit/sycl"; import { HALF } from "./constants.js"; ' +
      "export function half(x: float): float { return x * HALF; }",
    "/app/constants.ts": "export const HALF = 0.5;",
    "/app/index.ts": 'export * from "./math.ts"; export { HALF as PART } from "./constants.ts";',
  };
  expect(
    valueOf(
      'import { half, PART } from "./index.ts"; import * as all from "./index.ts";',
      "half(PART) + all.PART",
      others,
    ),
  ).toBe("half_(0.5f) + 0.5f");
  const { dependencies } = translateText(
    `${IMPORT}import { half } from "./index.ts";${KERNEL.replace("VALUE", "half(1)")}`,
    others,
  );
  expect([...dependencies].toSorted()).toEqual(["/app/constants.ts", "/app/index.ts", "/app/math.ts"]);
});

test("a kernel has its name, its item and its parameters", () => {
  const { unit } = translateText(
    `${IMPORT}\nconst radius = specConstant(int, 3);\nexport const k = kernel((item: NdItem<2>, a: float, v: float4, x: Accessor<uint, "write", 2>, s: LocalArray<float>, p: Pointer<float>) => {\n  p[0] = float(radius.value);\n});`,
  );
  expect(unit?.kernels).toEqual([
    {
      name: "k",
      entry: "k",
      item: "nd-item",
      dimensions: 2,
      line: 4,
      parameters: [
        { kind: "scalar", name: "a", type: { kind: "scalar", name: "float" } },
        { kind: "scalar", name: "v", type: { kind: "vector", scalar: "float", lanes: 4 } },
        { kind: "accessor", name: "x", element: { kind: "scalar", name: "uint" }, dimensions: 2, access: "write" },
        { kind: "local", name: "s", element: { kind: "scalar", name: "float" } },
        { kind: "pointer", name: "p", element: { kind: "scalar", name: "float" }, access: "read_write" },
        { kind: "constant", name: "radius", type: { kind: "scalar", name: "int" } },
      ],
    },
  ]);
  expect(unit?.specConstants).toEqual([
    { name: "radius", type: { kind: "scalar", name: "int" }, value: 3, macro: "SPEC_radius" },
  ]);
});

test("each line of the OpenCL C knows its place", () => {
  const { unit, places } = translateText(
    `${IMPORT}const k = kernel((x: Accessor<float>) => {\n  x[0] = 1;\n  x[1] = 2;\n});`,
  );
  const lines = unit?.openclC.split("\n") ?? [];
  const at = lines.findIndex((line) => line.includes("x[1] = 2.0f;"));
  const place = places[at];
  expect(place?.file.text.slice(place.start, place.end)).toBe("x[1] = 2;");
});

test("a file without kernels is told by its text", () => {
  expect(mayHaveKernels(`${IMPORT}${KERNEL}`)).toBe(true);
  expect(mayHaveKernels("const kernel = 1;")).toBe(false);
  expect(mayHaveKernels('import { Queue } from "muxkit/sycl";')).toBe(false);
  expect(translateText("const a = 1;").unit).toBeNull();
});
