// SPDX-License-Identifier: Apache-2.0
// Hints to unroll change no result: counted loops, loops that are left early, barriers inside.
import { expect, test } from "vitest";

import { firstDifference, runEveryWay } from "@muxkit/kernel-suite";

function run(source: string): readonly number[] {
  const [reference, ...others] = runEveryWay({
    source,
    kernel: "k",
    global: [16],
    local: [8],
    arguments: [{ contents: new Uint8Array(64) }],
  });
  if (reference === undefined) throw new Error("nothing ran");
  for (const other of others) expect(firstDifference(reference, other, ["bits"])).toBeNull();
  return [...new Int32Array(reference.buffers[0]?.slice().buffer ?? new ArrayBuffer(0))];
}

const HINTS = [
  "",
  "__attribute__((opencl_unroll_hint)) ",
  "__attribute__((opencl_unroll_hint(1))) ",
  "__attribute__((opencl_unroll_hint(3))) ",
  "__attribute__((opencl_unroll_hint(4))) ",
];

const LOOPS: readonly (readonly [name: string, loop: (hint: string) => string])[] = [
  ["a counted loop", (hint) => `${hint}for (int i = 0; i < 12; i++) s = s * 3 + i;`],
  ["a loop whose end is not known", (hint) => `${hint}for (int i = 0; i < id; i++) s = s * 3 + i;`],
  [
    "loops in loops",
    (hint) => `${hint}for (int i = 0; i < 6; i++) ${hint}for (int j = i; j < 5; j++) s += i * j + id;`,
  ],
  [
    "a loop that is left early, with a continue",
    (hint) => `${hint}for (int i = 0; i < 12; i++) { if (i == (id & 7)) continue; if (s > 500) break; s = s * 2 + i; }`,
  ],
  [
    "do and while",
    (hint) =>
      `int i = 0;
      ${hint}do { s += i; }
      while (++i < 7);
      ${hint}while (i > id - 3) {
        s ^= i;
        i -= 2;
        if (i < -9) break;
      }`,
  ],
  [
    "a private array",
    (hint) =>
      `int a[4] = { 1, 2, 3, 4 };
      ${hint}for (int i = 0; i < 8; i++) a[i & 3] += a[(i + id) & 3];
      ${hint}for (int i = 0; i < 4; i++) s += a[i] * i;`,
  ],
  [
    "a barrier",
    (hint) =>
      `local int t[8];
      t[get_local_id(0)] = id;
      ${hint}for (int i = 0; i < 4; i++) { barrier(CLK_LOCAL_MEM_FENCE); s += t[(get_local_id(0)
          + i) & 7]; barrier(CLK_LOCAL_MEM_FENCE); t[get_local_id(0)] += s; }`,
  ],
];

test.each(LOOPS)("%s", (_, loop) => {
  const outcomes = HINTS.map((hint) =>
    run(`kernel void k(global int* out) {
      int id = get_global_id(0);
      int s = 1;
      ${loop(hint)} out[id] = s;
    }`),
  );
  for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0]);
});
