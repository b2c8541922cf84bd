// SPDX-License-Identifier: Apache-2.0
// Programs in the manner of benchmark suites, small: each result is what a plain C loop makes.
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { type Driver, HAS_LOADER, compile, makeDriver, removeDriver, run } from "./rig.ts";

const LIMIT = 200_000;
/** Each program with a size and a count of rounds that take no time. */
const SMALL: Readonly<Record<string, readonly (readonly [name: string, size: number, count: number])[]>> = {
  rodinia: [
    ["bfs", 1000, 1],
    ["streamcluster", 100, 5],
    ["lavamd", 2, 2],
    ["dwt2d", 128, 2],
    ["myocyte", 5, 5],
    ["hotspot", 32, 2],
  ],
  shoc: [
    ["fft", 5, 2],
    ["reduction", 10_001, 2],
    ["scan", 300, 2],
    ["sort", 1, 2],
    ["spmv", 333, 2],
    ["md", 500, 2],
    ["triad", 3, 2],
  ],
  polybench: [
    ["gemm", 40, 2],
    ["2mm", 24, 2],
    ["jacobi-1d", 1000, 51],
    ["fdtd-2d", 32, 10],
    ["correlation", 32, 2],
    ["gramschmidt", 32, 2],
  ],
};

describe.skipIf(!HAS_LOADER)("programs in the manner of benchmark suites", () => {
  let driver: Driver;
  beforeAll(() => {
    driver = makeDriver();
  }, LIMIT);
  afterAll(() => {
    removeDriver(driver);
  });

  describe.each(Object.entries(SMALL))("%s.c", (file, programs) => {
    test(
      "has no other programs",
      () => {
        const { status, output } = run(driver, compile(driver, `${file}.c`));
        expect(status).toBe(2);
        expect([...output.matchAll(/^ {2}(?<name>\S+)/gmu)].map(([, name]) => name)).toEqual(
          programs.map(([name]) => name),
        );
      },
      LIMIT,
    );

    test(
      "each program is right",
      () => {
        const words = programs.flatMap(([name, size, count]) => [name, String(size), String(count)]);
        const { status, output, errors } = run(driver, compile(driver, `${file}.c`), words);
        expect({ status, errors, lines: output.trimEnd().split("\n") }).toEqual({
          status: 0,
          errors: "",
          lines: programs.flatMap(([name]) => [
            `ok ${name}`,
            expect.stringMatching(/^step [\d.]+ us, median of [1-9]\d*$/u),
          ]),
        });
      },
      LIMIT,
    );
  });
});
