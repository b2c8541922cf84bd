// SPDX-License-Identifier: Apache-2.0
// Binaries that are kept: what they need of an engine, and what travels along for compilers.
import type { Result } from "@muxkit/cargo";
import { type CompilerError, type Module, type Target, openclC, buildProgram } from "@muxkit/compiler";
import { hostDeviceInfo } from "@muxkit/host";
import { compilers } from "@muxkit/host-compiler";
import { IR_BLOCK, type LoadedExecutable, findExtraBlock, readExecutable } from "@muxkit/metadata";
import { expect, test } from "vitest";

function must<T>(result: Result<T, CompilerError>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

const ALL = ["simd", "relaxed-simd", "fused-madd", "threads"];

function targetWith(codeFeatures: readonly string[]): Target {
  const [info] = compilers;
  if (info === undefined) throw new Error("there is no compiler");
  return must(info.createContext().createTarget({ ...hostDeviceInfo({}, 1), codeFeatures }, null));
}

function executable(
  source: string,
  {
    features = ALL,
    options = "",
    files = {},
  }: { readonly features?: readonly string[]; readonly options?: string; readonly files?: Record<string, string> } = {},
): Module {
  const module = targetWith(features).createModule();
  must(buildProgram(module, openclC(source, { headers: [], readFile: (path) => files[path] ?? null }), options));
  return module;
}

function imageOf(bytes: Uint8Array): LoadedExecutable {
  const image = readExecutable(bytes);
  if (!image.ok) throw new Error(image.error.message);
  return image.value;
}

const FUSABLE = "kernel void f(global float* x) { size_t i = get_global_id(0); x[i] = x[i] * x[i] + 1.0f; }";
const WHOLE = "kernel void f(global int* x) { x[get_global_id(0)] *= 3; }";

test("default code needs vectors of 128 bits only; other code has a section and variants of its own", () => {
  const image = imageOf(must(executable(FUSABLE).createPortableBinary(true)));
  expect(image.features).toEqual(["simd", "threads"]);
  expect(image.code.map(({ name, features }) => [name, features])).toEqual([
    [".wasm", ["simd", "threads"]],
    [".wasm.relaxed", ["simd", "threads", "fused-madd", "relaxed-simd"]],
  ]);
  expect(
    image.kernels[0]?.variants.map(({ section, engineFeatures }) => [section, engineFeatures.includes("fused-madd")]),
  ).toEqual([
    [".wasm", false],
    [".wasm.relaxed", true],
  ]);
});

test("code that gains nothing from an engine is there once", () => {
  const image = imageOf(must(executable(WHOLE).createPortableBinary(true)));
  expect(image.code.map(({ name }) => name)).toEqual([".wasm"]);
  expect(image.kernels[0]?.variants).toHaveLength(1);
});

test.each([
  ["plain", ""],
  ["unoptimised", "-cl-opt-disable"],
  ["scalar", "-cl-wfv=never"],
])("a binary depends on source and options, not on the engine that it is made on: %s", (_, options) => {
  const source = `constant float t[3] = { 1, 2, 3 }; global int calls = 4; ${FUSABLE}
    kernel void g(global float* x, int n) {
      x[n] = sin(x[n]) * t[n & 1] + exp(x[n]) + fma(x[0], x[1], x[2]);
      calls++;
      printf("%d\\n", n);
    }`;
  const made = [ALL, ["simd", "relaxed-simd", "threads"], ["simd"]].map((features) =>
    must(executable(source, { features, options: `-cl-std=CL3.0 ${options}` }).createPortableBinary(true)),
  );
  expect(made[1]).toEqual(made[0]);
  expect(made[2]).toEqual(made[0]);
});

test.each([
  ["selections of ints", "x[i] = a > 3 ? a : y[i];"],
  ["an fma that the program calls", "x[i] = (a > 3 ? a : y[i]) + fma(z[i], 2.0f, 3.0f);"],
])("where both have one form of a program, each has the code that it gets alone: %s", (_, statement) => {
  const source = `kernel void f(global int* x, global const int* y, global const float* z) {
      size_t i = get_global_id(0);
      int a = x[i];
      ${statement}
    }`;
  const image = imageOf(must(executable(source).createPortableBinary(true)));
  expect(image.code.map(({ name }) => name)).toEqual([".wasm", ".wasm.relaxed"]);
  [[], ["relaxed-simd", "fused-madd"]].forEach((features, i) => {
    const alone = imageOf(must(executable(source, { features }).createBinary()));
    expect(image.code[i]?.bytes).toEqual(alone.code[0]?.bytes);
    expect(image.kernels[0]?.variants[i]?.engineFeatures).toEqual(alone.kernels[0]?.variants[0]?.engineFeatures);
  });
});

test("variables of a program have one address for all of its code", () => {
  const source = `global int n = 7;
    constant int t[4] = { 1, 2, 3, 4 };
    kernel void f(global float* x) {
      x[0] = sin(x[1]) * pow(x[2], x[3]) + fma(x[4], x[5], t[n & 3]);
      n++;
    }`;
  const image = imageOf(must(executable(source, { options: "-cl-std=CL3.0" }).createPortableBinary(true)));
  expect(image.code).toHaveLength(2);
  const alone = imageOf(must(executable(source, { features: [], options: "-cl-std=CL3.0" }).createBinary()));
  // Variables that only the other code needs come after those of the default code.
  const begin = alone.programData?.bytes ?? new Uint8Array(0);
  expect(begin.length).toBeGreaterThan(20);
  expect(image.programData?.bytes.subarray(0, begin.length)).toEqual(begin);
});

test("the linked program is stored too, unless that is off; another compiler continues from it", () => {
  const module = executable(FUSABLE);
  expect(findExtraBlock(imageOf(must(module.createPortableBinary(false))), IR_BLOCK)).toBeNull();
  const ir = findExtraBlock(imageOf(must(module.createPortableBinary(true))), IR_BLOCK);
  if (ir === null) throw new Error("no program travels along");
  for (const features of [ALL, []]) {
    const again = targetWith(features).createModule();
    must(again.deserialize(ir));
    expect(again.state).toBe("intermediate");
    must(again.finalize());
    const facts = { localSize: [64, 1, 1], uniformGroups: true, zeroOffset: true } as const;
    const source = executable(FUSABLE, { features });
    expect(must(again.createBinary())).toEqual(must(source.createBinary()));
    expect(again.getKernel("f")?.createSpecializedKernel(facts)).toEqual(
      source.getKernel("f")?.createSpecializedKernel(facts),
    );
    expect(must(again.createPortableBinary(true))).toEqual(must(module.createPortableBinary(true)));
  }
});

test("requesting a binary does not change what runs, nor vice versa", () => {
  const module = executable(FUSABLE);
  const before = must(module.createPortableBinary(true));
  const code = must(module.createBinary());
  expect(code).toEqual(must(executable(FUSABLE).createBinary()));
  expect(must(module.createPortableBinary(true))).toEqual(before);
});

test("headers are those of the build, whatever they contain now", () => {
  const files: Record<string, string> = { "there/n.h": "#define N 3" };
  const module = executable('#include "n.h"\nkernel void f(global int* x) { *x = N; }', { options: "-I there", files });
  const wanted = must(
    executable('#include "n.h"\nkernel void f(global int* x) { *x = N; }', {
      options: "-I there",
      files: { ...files },
    }).createPortableBinary(true),
  );
  files["there/n.h"] = "#error gone";
  expect(must(module.createPortableBinary(true))).toEqual(wanted);
});

test("a program that was linked from several objects has one too", () => {
  const target = targetWith(ALL);
  const object = (source: string): Module => {
    const made = target.createModule();
    must(made.compile(openclC(source)));
    return made;
  };
  const objects = [
    object("float twice(float x) { return x * 2.0f; }"),
    object("float twice(float x); kernel void f(global float* x) { x[0] = twice(x[1]) * x[2] + x[3]; }"),
  ];
  const linked = target.createModule();
  must(linked.link(objects));
  must(linked.finalize());
  const image = imageOf(must(linked.createPortableBinary(true)));
  expect(image.code).toHaveLength(2);
  const again = target.createModule();
  must(again.deserialize(findExtraBlock(image, IR_BLOCK) ?? new Uint8Array(0)));
  must(again.finalize());
  expect(must(again.createBinary())).toEqual(must(linked.createBinary()));
});
