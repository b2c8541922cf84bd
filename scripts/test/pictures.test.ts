// SPDX-License-Identifier: Apache-2.0
// The pictures of ARCHITECTURE.md.
import { expect, test } from "vitest";

import { type PackageNode, flowPicture, layerImports, packagePicture, replacePart } from "../architecture/pictures.ts";

const LAYERS = { base: [], ir: ["base"], tool: ["base", "ir"] };
const PACKAGES: readonly PackageNode[] = [
  { name: "@muxkit/cargo", layer: "base", imports: [] },
  { name: "@muxkit/ir", layer: "ir", imports: ["@muxkit/cargo", "from-npm"] },
  { name: "muxkit", layer: "tool", imports: ["@muxkit/cargo", "@muxkit/ir"] },
];

test("imports that others imply are left out", () => {
  expect(layerImports(LAYERS, PACKAGES)).toEqual([
    ["ir", "base"],
    ["tool", "ir"],
  ]);
});

test("each layer shows its packages; a layer that is not known is an error", () => {
  expect(packagePicture(LAYERS, PACKAGES)).toContain('ir["<b>ir</b><br/>ir"]');
  expect(() => packagePicture({ base: [], ir: ["base"] }, PACKAGES)).toThrow("no such layer: muxkit (tool)");
});

test("the flow of data names packages that exist", () => {
  expect(flowPicture([["Your program", "text", "ir"]], PACKAGES)).toContain('n0(["Your program"]) -->|text| n1["ir"]');
  expect(() => flowPicture([["ir", "code", "gone"]], PACKAGES)).toThrow("gone");
});

test("only the part between the marks changes", () => {
  expect(replacePart("a\n<!-- x: begin -->\nold\n<!-- x: end -->\nb", "x", "new")).toBe(
    "a\n<!-- x: begin -->\nnew\n<!-- x: end -->\nb",
  );
  expect(() => replacePart("a", "x", "new")).toThrow("missing");
});
