// SPDX-License-Identifier: Apache-2.0
// Copies and fills of memory: every byte arrives, and values that live on stay what they are.
import { describe, expect, test } from "vitest";

import { compilerOf, INPUT, moduleOf, NATIVE, OUTPUT, TIERS } from "./run.ts";

const COUNTS = [0, 1, 15, 16, 17, 30, 64, 100];
/** A value in each of the first registers for vectors lives over the copy. */
const LIVE = 12;

function text(body: string): string {
  const indices = Array.from({ length: LIVE }, (_, i) => i);
  return `func @bulk(%in: ptr<global>, %out: ptr<global>, %floats: ptr<global>, %count: i32) {
^0:
${indices.map((i) => `  %a${i} = address %floats {offset ${4 * i}}: ptr<global>\n  %f${i} = load %a${i} {align 4}: f32\n  %d${i} = fdiv 1.0, %f${i}: f32\n`).join("")}${body}
${indices.map((i) => `  store %d${i}, %a${i} {align 4}`).join("\n")}
  ret
}
`;
}

describe.skipIf(NATIVE === null).each(TIERS)("%s", (tier) => {
  const compile = compilerOf(tier);

  test.each(COUNTS)("%i bytes", (count) => {
    const floats = OUTPUT + 1024;
    for (const [body, expected] of [
      ["  memory_copy %out, %in, %count {align 1}", (i: number) => (i * 7 + 1) & 255],
      ["  memory_fill %out, 90: i8, %count {align 1}", () => 90],
    ] as const) {
      const { call, bytes } = compile(moduleOf(text(body)));
      const view = new DataView(bytes.buffer, bytes.byteOffset);
      for (let i = 0; i < 128; i++) bytes[INPUT + i] = (i * 7 + 1) & 255;
      bytes.fill(3, OUTPUT, OUTPUT + 128);
      for (let i = 0; i < LIVE; i++) view.setFloat32(floats + 4 * i, 2 ** i, true);
      call("bulk", INPUT, OUTPUT, floats, count);
      for (let i = 0; i < 128; i++) expect(bytes[OUTPUT + i]).toBe(i < count ? expected(i) : 3);
      for (let i = 0; i < LIVE; i++) expect(view.getFloat32(floats + 4 * i, true)).toBe(2 ** -i);
    }
  });
});
