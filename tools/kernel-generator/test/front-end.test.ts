// SPDX-License-Identifier: Apache-2.0
// A slice of the inputs that `npm run fuzz -- --front-end=1000000` makes.
import { frontEndFailure, frontEndInput, reduceText } from "@muxkit/kernel-generator";
import { expect, test } from "vitest";

const INPUTS = 1500;
const CORPUS = [
  `kernel void k(global int* x, int n) { for (int i = 0; i < n; i++) { x[i] += n * (i - 1); } }
`,
  `typedef struct { int a; float4 b; } S;
kernel void k(global S* s) { s->b.xy = (float2)(s->a, 1.0f); }
`,
];

test("every input ends, with a module or with errors", () => {
  const kinds = new Set<string>();
  for (let seed = 1; seed <= INPUTS; seed++) {
    const input = frontEndInput(seed, CORPUS);
    kinds.add(input.kind);
    expect(frontEndFailure(input), `seed ${seed}: ${input.text.slice(0, 2000)}`).toBeNull();
  }
  expect(kinds).toEqual(new Set(["bytes", "soup", "changed kernel", "bomb"]));
});

test("a seed decides an input", () => {
  expect(frontEndInput(9, CORPUS)).toEqual(frontEndInput(9, CORPUS));
  expect(new Set(Array.from({ length: 200 }, (_, i) => frontEndInput(i, CORPUS).text)).size).toBeGreaterThan(190);
});

test("texts are reduced to what matters", () => {
  expect(reduceText("one\ntwo\nthree needle four\nfive", (text) => text.includes("needle"))).toBe("needle");
});
