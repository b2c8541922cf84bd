// SPDX-License-Identifier: Apache-2.0
// Kernels over arrays (`muxkit/run`) in programs that the esbuild plugin has made: results, printf, errors.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { build } from "esbuild";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { kernels } from "muxkit/esbuild";
import { type RunKernel, RunError, memory, ready, run, shaped } from "muxkit/run";

const APP = `import { kernel, localArray, specConstant, float, int, uint, float4,
  type Accessor, type Item, type NdItem, type LocalArray } from "muxkit/run";

const FACTOR = specConstant(int, 3);

export const saxpy = kernel((item: Item<1>, a: float, x: Accessor<float, "read">, y: Accessor<float>) => {
  const i = item.getId(0);
  y[i] = a * x[i]! + y[i]!;
});
export const transposed = kernel((item: Item<2>, from: Accessor<int, "read", 2>, to: Accessor<int, "write", 2>) => {
  to[item.getId(1)]![item.getId(0)] = from[item.getId(0)]![item.getId(1)]!;
});
export const sums = kernel((item: NdItem<1>, part: LocalArray<int>, x: Accessor<int, "read">, y: Accessor<int>) => {
  const i = item.getLocalId(0);
  part[i] = x[item.getGlobalId(0)]!;
  item.barrier("local");
  let sum = 0;
  if (i === 0) {
    for (let k = 0; k < item.getLocalRange(0); k++) sum += part[k]!;
    y[item.getGroup(0)] = sum;
  }
});
export const scaled = kernel((item: Item<1>, x: Accessor<int>) => {
  x[item.getId(0)] = x[item.getId(0)]! * FACTOR.value;
});
export const vectors = kernel((item: Item<1>, add: float4, x: Accessor<float4>) => {
  x[item.getId(0)] = x[item.getId(0)]!.add(add);
});
export const once = kernel((x: Accessor<int>) => {
  x[0] = 7;
});
export const printing = kernel((item: Item<1>, x: Accessor<int, "read">) => {
  if (item.getId(0) === 1) console.log("the second is", x[1]!);
});
export const divided = kernel((item: Item<1>, x: Accessor<int>) => {
  for (let i = 0; i < 1000; i++) x[(item.getId(0) + i * 1000000) * 100] = 1;
});
`;

type Kernels = Readonly<
  Record<"saxpy" | "transposed" | "sums" | "scaled" | "vectors" | "once" | "printing" | "divided", RunKernel>
>;

const root = resolve(import.meta.dirname, "../../../out");
mkdirSync(root, { recursive: true });
const folder = mkdtempSync(join(root, "run-"));
let app: Kernels;

beforeAll(async () => {
  writeFileSync(join(folder, "app.ts"), APP);
  await build({
    entryPoints: [join(folder, "app.ts")],
    bundle: true,
    format: "esm",
    platform: "node",
    outfile: join(folder, "app.js"),
    external: ["muxkit/*"],
    logLevel: "silent",
    plugins: [kernels()],
  });
  app = (await import(join(folder, "app.js"))) as Kernels;
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function failure(call: Promise<unknown>): Promise<Error> {
  return (await call.then(
    () => new Error("it did not fail"),
    (error: unknown) => error,
  )) as Error;
}

test("arrays are read, and have what the kernel has written", async () => {
  const x = Float32Array.from({ length: 5000 }, (_, i) => i);
  const y = new Float32Array(5000).fill(1);
  await run(app.saxpy, 5000, 2, x, y);
  expect([...y]).toEqual(Array.from({ length: 5000 }, (_, i) => 2 * i + 1));
  expect(x[4999]).toBe(4999);
});

test("runs follow each other in the order of the calls", async () => {
  const x = new Float32Array(64).fill(1);
  const y = new Float32Array(64);
  await Promise.all([1, 10, 100].map((a) => run(app.saxpy, 64, a, x, y)));
  expect([...y]).toEqual(Array.from({ length: 64 }, () => 111));
});

test("arrays in the device's memory are used where they are", async () => {
  const [x, y] = [await memory(Float32Array, 256), await memory(Float32Array, 256)];
  expect([...y]).toEqual(Array.from({ length: 256 }, () => 0));
  x.fill(3);
  await run(app.saxpy, 256, 2, x, y);
  await run(app.saxpy, 256, 2, y, y);
  expect([...y]).toEqual(Array.from({ length: 256 }, () => 18));
});

test("accessors of two dimensions take arrays with sizes", async () => {
  const from = Int32Array.from({ length: 6 }, (_, i) => i);
  const to = new Int32Array(6);
  await run(app.transposed, [2, 3], shaped(from, 2, 3), shaped(to, 3, 2));
  expect([...to]).toEqual([0, 3, 1, 4, 2, 5]);
});

test("work-groups have local memory that the run sizes", async () => {
  const y = new Int32Array(4);
  await run(
    app.sums,
    { global: 32, local: 8 },
    8,
    Int32Array.from({ length: 32 }, (_, i) => i),
    y,
  );
  expect([...y]).toEqual([28, 92, 156, 220]);
});

test("specialization constants have their defaults, vectors are passed as lists, and a task runs once", async () => {
  const x = Int32Array.of(1, 2, 3);
  await run(app.scaled, 3, x);
  expect([...x]).toEqual([3, 6, 9]);
  const v = new Float32Array(8).fill(1);
  await run(app.vectors, 2, [1, 2, 3, 4], v);
  expect([...v]).toEqual([2, 3, 4, 5, 2, 3, 4, 5]);
  await run(app.once, 1, x);
  expect(x[0]).toBe(7);
});

test("what kernels print is printed", async () => {
  const texts: unknown[] = [];
  const spy = vi.spyOn(process.stdout, "write").mockImplementation((text: unknown) => {
    texts.push(text);
    return true;
  });
  try {
    await run(app.printing, 4, Int32Array.of(1, 5, 2, 3));
  } finally {
    spy.mockRestore();
  }
  expect(texts.join("")).toBe("the second is 5\n");
});

test("threads are counted", async () => {
  expect((await ready()).threads).toBeGreaterThan(0);
});

test.each<readonly [what: string, call: () => Promise<unknown>, message: RegExp]>([
  ["too few arguments", () => run(app.saxpy, 4, 1), /^the kernel "saxpy" takes 3 arguments \(a, x, y\), and 1 were/u],
  [
    "an array of another type",
    () => run(app.saxpy, 4, 1, new Int32Array(4), new Float32Array(4)),
    /^the argument x of the kernel "saxpy" requires a Float32Array, not a Int32Array/u,
  ],
  [
    "a number for memory",
    () => run(app.saxpy, 4, 1, 2, new Float32Array(4)),
    /^the argument x of the kernel "saxpy" requires an array, not a number/u,
  ],
  [
    "a text for a number",
    () => run(app.saxpy, 4, "1", new Float32Array(4), new Float32Array(4)),
    /^the argument a of the kernel "saxpy" is a string; float requires numbers/u,
  ],
  [
    "half a vector",
    () => run(app.vectors, 2, [1, 2, 3, 4], new Float32Array(6)),
    /^the argument x of the kernel "vectors" requires elements of 16 bytes each, and the array has 24 bytes/u,
  ],
  [
    "an array without sizes",
    () => run(app.transposed, [2, 3], new Int32Array(6), new Int32Array(6)),
    /^the argument from of the kernel "transposed" has 2 dimensions; pass shaped\(array, …\) with as many sizes/u,
  ],
  [
    "no local memory",
    () => run(app.sums, { global: 8, local: 8 }, -1, new Int32Array(8), new Int32Array(1)),
    /^the argument part of the kernel "sums" requires a number of elements of local memory/u,
  ],
  [
    "groups that do not divide the range",
    () => run(app.sums, { global: 9, local: 8 }, 8, new Int32Array(9), new Int32Array(2)),
    /^9 work-items are not in groups of 8/u,
  ],
  ["no range", () => run(app.once, -1, new Int32Array(1)), /are not both whole numbers below 2\^32/u],
  [
    "memory that the device does not have",
    () => run(app.divided, 1000, new Int32Array(1)),
    /^kernel "divided" accessed memory outside of the device's memory in/u,
  ],
  ["an array of nothing", () => memory(Float32Array, 0), /^an array has one element at least, not 0/u],
])("an error: %s", async (_, call, message) => {
  const error = await failure(call());
  expect(error).toBeInstanceOf(RunError);
  expect(error.message).toMatch(message);
});

test("a kernel that was not translated says what to do", async () => {
  const { kernel } = await import("muxkit/run");
  const error = await failure(run(kernel(() => undefined) as never, 1));
  expect(error.message).toMatch(/^the kernel was not translated; bundle the program with the plugin/u);
});

test("a failed run does not fail the next one", async () => {
  const x = Int32Array.of(1);
  const [first] = await Promise.allSettled([run(app.scaled, 1, 5), run(app.scaled, 1, x)]);
  expect(first?.status).toBe("rejected");
  expect(x[0]).toBe(3);
});
