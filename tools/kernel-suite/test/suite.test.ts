// SPDX-License-Identifier: Apache-2.0
/// <reference lib="dom" />
import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { Machine, type MachineArgument, build } from "@muxkit/kernel-suite";

const source = (name: string): string =>
  readFileSync(new URL(`../../../benchmarks/suite/${name}.cl`, import.meta.url), "utf8");

const u32 = (value: number): MachineArgument => ({ value: new Uint8Array(Uint32Array.of(value).buffer) });
const f32 = (value: number): MachineArgument => ({ value: new Uint8Array(Float32Array.of(value).buffer) });

function floats(
  machine: Machine,
  count: number,
  make: (i: number) => number,
): { readonly argument: MachineArgument; readonly view: Float32Array } {
  const address = machine.upload(new Uint8Array(Float32Array.from({ length: count }, (_, i) => make(i)).buffer));
  return { argument: { buffer: address }, view: new Float32Array(machine.memory.buffer, address, count) };
}

function words(
  machine: Machine,
  count: number,
  make: (i: number) => number,
): { readonly argument: MachineArgument; readonly view: Uint32Array } {
  const address = machine.upload(new Uint8Array(Uint32Array.from({ length: count }, (_, i) => make(i)).buffer));
  return { argument: { buffer: address }, view: new Uint32Array(machine.memory.buffer, address, count) };
}

test.each([64, 100, 1024])("saxpy, local size %i, ragged last group", (local) => {
  const machine = new Machine();
  const x = floats(machine, 1000, (i) => i);
  const y = floats(machine, 1000, (i) => i * 0.5);
  expect(
    machine.run(build(source("stream")), "saxpy", [u32(1000), f32(3), x.argument, y.argument], [1000], [local]),
  ).toBe(0);
  expect([...y.view]).toEqual(Array.from({ length: 1000 }, (_, i) => Math.fround(i * 3 + i * 0.5)));
});

test("float4 values", () => {
  const machine = new Machine();
  const a = floats(machine, 64, (i) => i);
  const b = floats(machine, 64, (i) => 100 - i);
  const c = floats(machine, 64, () => 0);
  machine.run(build(source("stream")), "vecadd4", [a.argument, b.argument, c.argument], [16], [4]);
  expect([...c.view]).toEqual(Array.from({ length: 64 }, () => 100));
});

test("a reduction over barriers in a loop, with local memory sized at launch", () => {
  const machine = new Machine();
  const n = 64 * 16 * 4 - 7;
  const x = floats(machine, n, (i) => (i % 13) - 6);
  const partial = floats(machine, 4, () => -1);
  machine.run(
    build(source("reduce")),
    "reduce_sum",
    [u32(n), x.argument, partial.argument, { local: 256 }],
    [256],
    [64],
  );
  const sums = [0, 0, 0, 0];
  for (let i = 0; i < n; i++) sums[Math.floor(i / 1024)] = (sums[Math.floor(i / 1024)] ?? 0) + ((i % 13) - 6);
  expect([...partial.view]).toEqual(sums);
});

test("a transposition through a tile in local memory", () => {
  const machine = new Machine();
  const image = build(source("transpose"));
  const [kernel] = image.kernels;
  const [side] = kernel?.requiredWorkGroupSize ?? [16, 16, 1];
  const n = side * 3;
  const input = floats(machine, n * n, (i) => i);
  const output = floats(machine, n * n, () => 0);
  const list = (kernel?.arguments ?? []).map((argument): MachineArgument =>
    argument.kind === "pointer" ? (argument.isConst ? input.argument : output.argument) : u32(n),
  );
  machine.run(image, kernel?.name ?? "", list, [n, n], [side, kernel?.requiredWorkGroupSize?.[1] ?? side]);
  expect(output.view[n + 2]).toBe(2 * n + 1);
  expect([...output.view].every((value, i) => value === (i % n) * n + Math.floor(i / n))).toBe(true);
});

test("histograms with global and local atomics agree with counting", () => {
  const machine = new Machine();
  const image = build(source("histogram"));
  const n = 4096;
  for (const kernel of image.kernels) {
    const bytes = machine.upload(Uint8Array.from({ length: n * 4 }, (_, i) => (i * 31 + (i >> 5)) & 255));
    const bins = words(machine, 256, () => 0);
    const given = kernel.arguments.map((argument): MachineArgument =>
      argument.kind === "local"
        ? { local: 1024 }
        : argument.kind === "value"
          ? u32(n)
          : argument.isConst
            ? { buffer: bytes }
            : bins.argument,
    );
    machine.run(image, kernel.name, given, [1024], [64]);
    const total = [...bins.view].reduce((sum, count) => sum + count, 0);
    expect(total).toBeGreaterThan(0);
    expect(Math.max(...bins.view) - Math.min(...bins.view)).toBeLessThan(total);
  }
});

test("every kernel file of the suite builds", () => {
  for (const name of [
    "blackscholes",
    "conv",
    "fft",
    "fp64",
    "half",
    "histogram",
    "image",
    "mandelbrot",
    "nbody",
    "null",
    "reduce",
    "sgemm",
    "sha256",
    "spmv",
    "stencil",
    "stream",
    "transpose",
  ]) {
    expect(build(source(name)).kernels.length).toBeGreaterThan(0);
  }
});

test("-cl-opt-disable computes the same results", () => {
  const machine = new Machine();
  const x = floats(machine, 100, (i) => i);
  const y = floats(machine, 100, () => 1);
  machine.run(
    build(source("stream"), { options: "-cl-opt-disable" }),
    "saxpy",
    [u32(100), f32(2), x.argument, y.argument],
    [128],
    [32],
  );
  expect(y.view[99]).toBe(199);
});

test("a specialised kernel equals the generic one", () => {
  const machine = new Machine();
  const text = source("reduce");
  const n = 4096;
  const x = floats(machine, n, (i) => (i * 7) % 11);
  const generic = floats(machine, 4, () => 0);
  const special = floats(machine, 4, () => 0);
  machine.run(build(text), "reduce_sum", [u32(n), x.argument, generic.argument, { local: 256 }], [256], [64]);
  machine.run(
    build(text, { specialization: { localSize: [64, 1, 1], uniformGroups: true, zeroOffset: true } }),
    "reduce_sum",
    [u32(n), x.argument, special.argument, { local: 256 }],
    [256],
    [64],
  );
  expect([...special.view]).toEqual([...generic.view]);
});

test("an endless loop leaves when the time is up, and the cancel word identifies the trap", () => {
  const machine = new Machine();
  const out = words(machine, 4, () => 0);
  let asked = 0;
  const image = build(`kernel void spin(global volatile uint *p) { while (p[0] == 0) p[1]++; }`);
  expect(() =>
    machine.run(image, "spin", [out.argument], [1], [1], { cancelWord: 1, clock: () => (++asked > 2 ? 1 : 0) }),
  ).toThrow(WebAssembly.RuntimeError);
  expect(asked).toBe(3);
  expect(out.view[1]).toBeGreaterThan(1_000_000);
});
