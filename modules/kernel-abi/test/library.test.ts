// SPDX-License-Identifier: Apache-2.0
// The built-in library is OpenCL C and cannot import the tables, so its constants are compared with them here.
import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import {
  IMAGE_DESCRIPTOR_STRUCT,
  SAMPLER_ADDRESSING,
  SAMPLER_COMPARISON,
  SAMPLER_FILTER,
  SAMPLER_NORMALIZED,
} from "@muxkit/kernel-abi";

function source(name: string): string {
  return readFileSync(new URL(`../../builtins/source/opencl/${name}`, import.meta.url), "utf8");
}

/** The value of `#define NAME VALUE`. */
function defined(text: string, name: string): number {
  const [, value] = new RegExp(`^#define ${name} (\\d+)u?$`, "mu").exec(text) ?? [];
  return Number(value);
}

test.each([
  ["printf.cl", ["RING", "LOST"]],
  ["pipes.cl", ["WRITTEN", "READ", "CELLS"]],
])("%s has offsets that the bakery passes, and no number of its own", (file, names) => {
  const text = source(file);
  for (const name of names) expect(text, name).toMatch(new RegExp(`^#define ${name} MUXKIT_\\w+$`, "mu"));
});

test.each(["image.cl", "sampling.cl"])("%s has the bits of samplers", (file) => {
  const text = source(file);
  expect(defined(text, "NORMALIZED")).toBe(SAMPLER_NORMALIZED);
  expect(defined(text, "ADDRESSING")).toBe(
    Object.values(SAMPLER_ADDRESSING).reduce<number>((bits, mode) => bits | mode, 0),
  );
  expect(defined(text, "LINEAR")).toBe(SAMPLER_FILTER.linear);
});

test("sampling.cl has the bits of comparisons", () => {
  const [, shift, mask] = /^#define COMPARISON\(s\) \(\(s\) >> (\d+) & (\d)u\)$/mu.exec(source("sampling.cl")) ?? [];
  expect(Number(mask) << Number(shift)).toBe(SAMPLER_COMPARISON.always);
  expect(1 << Number(shift)).toBe(SAMPLER_COMPARISON.less);
});

/** Names of the descriptor's fields in image.cl that differ from the table's. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  pixels_low: "pixels",
  row: "rowPitch",
  slice: "slicePitch",
  order: "channelOrder",
  type: "channelType",
  size: "pixelBytes",
  pixels_high: "pixelsHigh",
};

test("image.cl has the fields of the image descriptor in their order", () => {
  const [, body = ""] = /struct image \{([^}]*)\}/u.exec(source("image.cl")) ?? [];
  const names = [...body.matchAll(/\w+(?=\s*[,;])/gu)].map(([name]) => SHORT_NAMES[name] ?? name);
  expect(names).toEqual(IMAGE_DESCRIPTOR_STRUCT.fields.map(({ name }) => name));
});
