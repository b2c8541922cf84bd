// SPDX-License-Identifier: Apache-2.0
// Bytes that native programs move with our driver compared with PoCL's: the same program with both, and with ours
// without shared device memory, in interleaved rounds.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { median } from "../median.ts";
import { table } from "../bench/table.ts";
import { drivers } from "./driver.ts";
import { type Figures, figuresOf, nativeProgram } from "./sides.ts";

const ROUNDS = 3;
const WORKS: readonly (readonly [name: string, text: string])[] = [
  ["write", "blocking write"],
  ["read", "blocking read"],
  ["map", "map, unmap and clFinish"],
  ["touch", "map, writing all of it, unmap and clFinish"],
  ["launch", "kernel that reads and writes all of it, and clFinish"],
  ["fresh", "blocking write of a new buffer"],
];
const SIZES = [1, 16, 256] as const;

/** Measures and prints the table, in GB/s. */
export function moves(): void {
  const native = nativeProgram(join(import.meta.dirname, "moves.c"));
  const folder = mkdtempSync(join(tmpdir(), "muxkit-moves-"));
  const { own, pocl } = drivers(folder);
  const sides: readonly NodeJS.ProcessEnv[] = [
    { OCL_ICD_VENDORS: own },
    { OCL_ICD_VENDORS: own, MUXKIT_ICD_ADDON: "off" },
    { OCL_ICD_VENDORS: pocl },
  ];
  const figures = Array.from({ length: ROUNDS }, () => sides.map((side) => figuresOf(native, [], side)));
  rmSync(folder, { recursive: true });
  const middle = (side: number, name: string): number =>
    median(figures.map((round) => (round[side] as Figures)[name] ?? Number.NaN));
  const rows = WORKS.flatMap(([name, text]) =>
    SIZES.map((size) => {
      const [shared, ring, other] = [0, 1, 2].map((side) => middle(side, `${name}${size}`)) as [number, number, number];
      return [
        `${text}, ${size} MiB`,
        shared.toFixed(2),
        ring.toFixed(2),
        other.toFixed(2),
        (shared / other).toFixed(2),
      ];
    }),
  );
  console.log(table(["GB/s", "Muxkit", "Muxkit, ring alone", "PoCL", "Muxkit is better by"], rows, [0]));
}
