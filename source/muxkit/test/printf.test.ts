// SPDX-License-Identifier: Apache-2.0
// What kernels print, as a user of the friendly API sees it.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

import { openDeviceSync } from "muxkit";
import { expect, test } from "vitest";

function open(threads: number): { readonly device: ReturnType<typeof openDeviceSync>; readonly texts: string[] } {
  const texts: string[] = [];
  return { device: openDeviceSync({ threads, isolated: true, print: (text) => texts.push(text) }), texts };
}

const SOURCE = `
  kernel void count(uint n) { if (get_global_id(0) < n) printf("%d\\n", (int)get_global_id(0)); }
  kernel void twice(global int *x) { int i = get_global_id(0); x[i] *= 2; printf("x[%d] = %d\\n", i, x[i]); }
  kernel void much(uint times) {
    for (uint i = 0; i < times; i++)
      printf("%s %d %d\\n", "a long line of text for every turn of this loop", (int)get_global_id(0), (int)i);
  }
  kernel void wrong(global int *x) { printf("before %d\\n", (int)get_global_id(0)); x[0x2fffffff] = 1; }
  kernel void wild(global uint *area) { printf("once\\n"); }
  kernel void silent(global int *x) { x[get_global_id(0)] = 1; }
`;

test.each([1, 2])("one text a launch, in the order of work-items, %d threads", async (threads) => {
  const { device, texts } = open(threads);
  const { count } = device.build(SOURCE);
  count({ global: [1000], local: [8] }, 1000);
  await device.finish();
  expect(texts).toEqual([Array.from({ length: 1000 }, (_, i) => `${i}\n`).join("")]);
  device.close();
});

test("launches print before what waits for them, and each for itself", async () => {
  const { device, texts } = open(2);
  const { twice, silent } = device.build(SOURCE);
  const x = device.array(Int32Array.of(1, 2));
  twice(2, x);
  twice(2, x);
  silent(2, x);
  twice(2, x);
  await device.finish();
  expect(texts).toEqual(["x[0] = 2\nx[1] = 4\n", "x[0] = 4\nx[1] = 8\n", "x[0] = 2\nx[1] = 2\n"]);
  device.close();
});

test("many launches without a wait print everything: the host empties the areas between them", async () => {
  const { device, texts } = open(2);
  const { count } = device.build(SOURCE);
  for (let i = 0; i < 300; i++) count({ global: [256], local: [16] }, 200);
  await device.finish();
  const one = Array.from({ length: 200 }, (_, i) => `${i}\n`).join("");
  expect(texts.length).toBe(300);
  expect(texts.every((text) => text === one)).toBe(true);
  device.close();
});

test("an overflow is counted and reported, and the next launch prints again", async () => {
  const { device, texts } = open(1);
  const { much, count } = device.build(SOURCE);
  much(1, 100_000);
  count(1, 1);
  await device.finish();
  const [text = "", lost = "", next] = texts;
  const lines = text.trimEnd().split("\n");
  expect(lines.every((line, i) => line === `a long line of text for every turn of this loop 0 ${i}`)).toBe(true);
  expect(lost).toBe(
    `[muxkit: ${100_000 - lines.length} calls of printf in kernel "much" found no room ` +
      `in 1048576 bytes a thread and printed nothing]\n`,
  );
  expect(lines.length).toBeGreaterThan(20_000);
  expect(next).toBe("0\n");
  device.close();
});

test("a launch that fails has printed what it printed before", async () => {
  const { device, texts } = open(1);
  const { wrong } = device.build(SOURCE);
  const x = device.array(Int32Array, 1);
  wrong(1, x);
  await expect(device.finish()).rejects.toThrow(/wrong/u);
  expect(texts.join("")).toBe("before 0\n");
  device.close();
});

test("without an option the standard output gets it, UTF-8 and all", () => {
  const program = `import { openDeviceSync }
  from "muxkit";
  const d = openDeviceSync();
  d.build('kernel void k(void) { printf("µ %d\\\\n", (int)get_global_id(0)); }').k(2);
  await d.finish();
  d.close();`;
  const output = execFileSync(
    process.execPath,
    ["--conditions=source", "--disable-warning=ExperimentalWarning", "--input-type=module", "--eval", program],
    { encoding: "utf8", cwd: fileURLToPath(new URL("..", import.meta.url)) },
  );
  expect(output).toBe("µ 0\nµ 1\n");
});
