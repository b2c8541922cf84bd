// SPDX-License-Identifier: Apache-2.0
// Cancellation: innermost loops poll the cancel word. They continue where they were, or stop, depending on it.
import { Machine, build, runsNative } from "@muxkit/kernel-suite";
import { expect, test } from "vitest";

const SOURCE = `kernel void k(global int* p, int n) {
  int s = p[0];
  for (int i = 0; i < n; i++) s = s * 3 + p[i & 7];
  p[get_global_id(0) + 8] = s;
}`;

function launch(rounds: number, cancelWord: number, clock: () => number, width: number): readonly number[] {
  const machine = new Machine();
  const buffer = machine.upload(new Uint8Array(Int32Array.from({ length: 32 }, (_, i) => (i < 8 ? i + 1 : 0)).buffer));
  machine.run(
    build(SOURCE, { width }),
    "k",
    [{ buffer }, { value: new Uint8Array(Int32Array.of(rounds).buffer) }],
    [16],
    [16],
    { cancelWord, clock },
  );
  return [...new Int32Array(machine.memory.buffer, buffer + 32, 16)];
}

function expected(rounds: number): number {
  let s = 1;
  for (let i = 0; i < rounds; i++) s = (Math.imul(s, 3) + (i & 7) + 1) | 0;
  return s;
}

test.each([4, 8])("a loop that looks at the clock loses nothing, %i at once", (width) => {
  for (const rounds of [0, 1, 2, 4095, 4096, 4097, 50_000]) {
    let asked = 0;
    const clock = (): number => {
      asked++;
      return 0;
    };
    const wanted = Array.from({ length: 16 }, () => expected(rounds));
    expect(launch(rounds, 1, clock, width)).toEqual(wanted);
    expect(launch(rounds, 0, clock, width)).toEqual(wanted);
    expect(asked).toBeGreaterThan(0);
  }
});

test("a loop stops when the time is up", () => {
  expect(() => launch(0x7fff_ffff, 1, () => 1, 4)).toThrow(WebAssembly.RuntimeError);
});

const ENDLESS = "kernel void k(volatile global int* p) { while (p[0] == 0) p[1]++; }";

test.skipIf(!runsNative())(
  "machine code that does not end is stopped from outside, and other code runs after it",
  () => {
    const machine = new Machine();
    const image = build(ENDLESS, { native: true });
    const run = (first: number): Int32Array => {
      const buffer = machine.upload(new Uint8Array(Int32Array.of(first, 0).buffer));
      machine.run(image, "k", [{ buffer }], [1], [1], { mostMs: 100 });
      return new Int32Array(machine.memory.buffer, buffer, 2);
    };
    expect(() => run(0)).toThrow("k ended by a fault: stopped");
    expect([...run(1)]).toEqual([1, 0]);
    expect(() => run(0)).toThrow("k ended by a fault: stopped");
  },
);
