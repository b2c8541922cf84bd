// SPDX-License-Identifier: Apache-2.0
// Red zones: a launch that writes next to its buffers fails, and its error says which kernel and which argument. In a
// process of its own: all devices of a process have one size of red zones.
import { openDevice } from "muxkit";
import { afterAll, describe, expect, test, vi } from "vitest";

vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);

const ZONE = 64;
const device = await openDevice({ redZone: ZONE, threads: 2 });
afterAll(() => {
  device.close();
});
const { stray, both, variables, right } = device.build(
  `
  global int table[8];
  kernel void stray(global char* p, int at) { p[at] = ~p[at]; }
  kernel void both(global int* a, global int* b, int n) {
    int i = get_global_id(0);
    if (i <= n) a[i] = b[i];
  }
  kernel void variables(int at) { table[at] = 1; }
  kernel void right(global int* a) { a[get_global_id(0)] = 1; }`,
  { options: "-cl-std=CL3.0" },
);

/** The message of the error that a launch ends with; empty when it succeeds. */
async function messageOf(launch: () => void): Promise<string> {
  try {
    launch();
    await device.finish();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return "";
}

const DISTANCES = [1, 2, 3, 4, 5, 8, 31, 63, ZONE];

describe.each([1, 3, 40, 64, 100, 4096])("each byte of the zones of %i bytes", (size) => {
  const p = device.array(Int8Array, size);

  test.each(DISTANCES)("%i past the end", async (distance) => {
    expect(await messageOf(() => stray(1, p, size - 1 + distance))).toContain(
      `kernel "stray" wrote to byte ${size - 1 + distance} of argument 0, "p", a buffer of ${size} byte`,
    );
  });

  test.each(DISTANCES)("%i before the start", async (distance) => {
    expect(await messageOf(() => stray(1, p, -distance))).toMatch(
      new RegExp(`kernel "stray" wrote ${distance} bytes? before the start of argument 0, "p"`, "u"),
    );
  });

  test("and nothing inside", async () => {
    expect(await messageOf(() => stray(1, p, size - 1))).toBe("");
  });
});

test("of several buffers, the one that is meant is named; the next launch succeeds", async () => {
  const [a, b] = [device.array(Int32Array, 100), device.array(Int32Array, 200)];
  expect(await messageOf(() => both(128, a, b, 100))).toContain(
    'kernel "both" wrote to byte 400 of argument 0, "a", a buffer of 400 bytes',
  );
  expect(await messageOf(() => right(100, a))).toBe("");
  expect(await messageOf(() => right(101, b))).toBe("");
});

test("program-scope variables have zones too", async () => {
  expect(await messageOf(() => variables(1, 7))).toBe("");
  expect(await messageOf(() => variables(1, 8))).toContain(
    'kernel "variables" wrote to byte 32 of a buffer of 32 bytes, which is no argument of it',
  );
});
