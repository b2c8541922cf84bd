// SPDX-License-Identifier: Apache-2.0
// The thread that runs binaries: it has the runtime and nothing that compiles, and reports what goes wrong.
import { build, buildBinary, runEveryWay, runWithoutCompiler } from "@muxkit/kernel-suite";
import { expect, test } from "vitest";

const SOURCE = `global int calls = 5;
  kernel void k(global int* x, int n, local int* t) {
    t[0] = n;
    x[get_global_id(0)] += t[0] * calls++;
  }`;
const launch = { binary: buildBinary(SOURCE, "-cl-std=CL3.0"), kernels: ["k"], global: [1], local: [1], offset: [] };
const value = new Uint8Array(Int32Array.of(3).buffer);

/** Modules that run a binary. */
const RUNTIME = ["cargo", "hal", "host", "kernel-abi", "kernel-suite", "libimg", "metadata", "mux", "printf"];
/** And those that load machine code; neither generates any. */
const MACHINE_CODE = ["x64-assembler", "x64-runtime"];

test("a binary runs with the modules of the runtime alone, and its variables are its own each time", () => {
  const given = new Uint8Array(Int32Array.of(100).buffer);
  for (let i = 0; i < 2; i++) {
    const { buffers, loaded } = runWithoutCompiler({
      ...launch,
      kernels: ["k", "k"],
      arguments: [
        { kind: "buffer", bytes: given },
        { kind: "value", bytes: value },
        { kind: "local", size: 4 },
      ],
    });
    expect([...new Int32Array(buffers[0]?.slice().buffer ?? new ArrayBuffer(0))]).toEqual([100 + 3 * 5 + 3 * 6]);
    expect(new Set(loaded.flatMap((url) => /\/(?:modules|source|tools)\/([\w-]+)\//u.exec(url)?.[1] ?? []))).toEqual(
      new Set([...RUNTIME, ...MACHINE_CODE]),
    );
  }
});

test("what cannot be loaded or launched is reported", () => {
  const list = [
    { kind: "buffer", bytes: value },
    { kind: "value", bytes: value },
    { kind: "local", size: 4 },
  ] as const;
  expect(() => runWithoutCompiler({ ...launch, binary: Uint8Array.of(1, 2, 3), arguments: list })).toThrow(
    /binary, without a compiler: invalid_binary/u,
  );
  expect(() => runWithoutCompiler({ ...launch, kernels: ["none"], arguments: list })).toThrow(/none/u);
  expect(() => runWithoutCompiler({ ...launch, arguments: [] })).toThrow(/takes 3 arguments and got 0/u);
});

test("every launch is tried so", () => {
  const ways = runEveryWay({
    source: SOURCE,
    kernel: "k",
    options: "-cl-std=CL3.0",
    arguments: [{ contents: value }, { value }, { local: 4 }],
    global: [1],
    local: [1],
    takesAll: true,
  }).map(({ way }) => way);
  expect(ways).toContain("interpreter");
  expect(ways.at(-1)).toBe("binary, without a compiler");
  expect(build(SOURCE, { options: "-cl-std=CL3.0" }).kernels).toHaveLength(1);
});
