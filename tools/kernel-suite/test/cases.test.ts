// SPDX-License-Identifier: Apache-2.0
// What random kernels found once, reduced: each file is a launch that every way must agree on.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { firstDifference, readCase, runDefaultCode, runEveryWay, writeCase } from "@muxkit/kernel-suite";
import { expect, test } from "vitest";

const folder = join(import.meta.dirname, "cases");

test.each(readdirSync(folder))("%s", (name) => {
  const { launch, expected } = readCase(readFileSync(join(folder, name), "utf8"));
  const [reference, ...others] = runEveryWay(launch);
  if (reference === undefined) throw new Error("nothing ran");
  for (const other of others) expect(firstDifference(reference, other, [])).toBeNull();
  const [interpreted, run] = runDefaultCode(launch);
  expect(firstDifference(interpreted, run, [])).toBeNull();
  expect(reference.buffers.map((buffer, i) => [...buffer.subarray(0, expected[i]?.length ?? 0)])).toEqual(
    reference.buffers.map((_, i) => [...(expected[i] ?? [])]),
  );
});

test("a case is read as it was written", () => {
  const launch = {
    source: `kernel void k(global int* p) {}`,
    kernel: "k",
    options: "-w",
    global: [3],
    local: [1],
    offset: [0],
    arguments: [
      { contents: Uint8Array.of(1, 2, 3, 4) },
      { value: Uint8Array.of(9) },
      { local: 8 },
      { contents: new Uint8Array(4) },
    ],
  };
  const read = readCase(writeCase({ launch, expected: [Uint8Array.of(1)] }, "words\nof two lines"));
  expect(read.expected).toEqual([Uint8Array.of(1)]);
  expect(read.launch).toMatchObject({
    kernel: "k",
    options: "-w",
    global: [3],
    local: [1],
    offset: [0],
    arguments: launch.arguments,
  });
  expect(() => readCase(`kernel void k() {}`)).toThrow("// launch: ");
});
