// SPDX-License-Identifier: Apache-2.0
// Shaders whose modules are here as text, so that they run where no glslang is; what GLSL cannot say; the GLSL kernels
// of the benchmark suite beside the same in OpenCL C.
import { readFileSync } from "node:fs";

import {
  type GlslVariant,
  Machine,
  type Outcome,
  type ShaderDispatch,
  build,
  compileGlsl,
  firstDifference,
  hasGlslang,
  resourcesAfter,
  runReference,
  runThreeWays,
  shaderLaunch,
} from "@muxkit/kernel-suite";
import { assemble, bytesOfWords } from "@muxkit/spirv";
import { describe, expect, test } from "vitest";

import { SHADER_CASES } from "./shaders/all.ts";
import { bytesOf, f32, list, u32, zeros } from "./shaders/shader-case.ts";

const hasTools = hasGlslang();

const text = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

function moduleOf(name: string): Uint8Array {
  const assembled = assemble(text(`shaders/modules/${name}.spvasm`));
  if (!assembled.ok) throw new Error(`line ${assembled.error.line}: ${assembled.error.message}`);
  return bytesOfWords(assembled.value);
}

function wordsAfter(dispatch: ShaderDispatch, outcome: Outcome, key: string): number[] {
  const [bytes = new Uint8Array(0)] = resourcesAfter(dispatch, outcome).get(key) ?? [];
  return [...new Uint32Array(bytes.slice().buffer)];
}

/** Modules that glslang made of the cases of these names. */
const GOLDENS = [
  ["row-major", "a row-major matrix: columns, components, the whole"],
  ["descriptors", "an array of buffers, with constant and dynamic index"],
  ["functions", "a buffer, a part of it and push constants in functions"],
  ["specialization", "specialization constants, and what follows from them"],
  ["reduction", "a reduction in memory of the work-group"],
  ["shuffles", "sub-groups: shuffles and quads, of vectors and truth values"],
  ["images", "arrays of images and samplers, by a dynamic index"],
] as const;

test.each(GOLDENS)("%s: %s", (file, name) => {
  const one = SHADER_CASES.find((own) => own.name === name);
  if (one === undefined) throw new Error(`there is no case ${name}`);
  const dispatch: ShaderDispatch = { ...one, module: moduleOf(file), groups: one.groups ?? [1, 1, 1] };
  const outcome = runReference({ ...shaderLaunch(dispatch), isInterpreted: false });
  for (const [key, wanted] of Object.entries(one.expected)) {
    const got = (resourcesAfter(dispatch, outcome).get(key) ?? []).flatMap((bytes) => [...bytes]);
    expect(got, key).toEqual([...bytesOf(wanted)]);
  }
});

const pointers = (options: string, count: number): ShaderDispatch => ({
  module: moduleOf("variable-pointers"),
  groups: [1, 1, 1],
  options,
  resources: {
    "0,0": { buffer: bytesOf(u32(...list(count, (i) => i))) },
    "0,1": { buffer: bytesOf(u32(...list(count, (i) => i * 100))) },
    "0,2": zeros(32),
  },
});

test.each([
  ["", 10],
  ["-muxkit-robust-buffer-access=zero", 10],
  ["-muxkit-robust-buffer-access=zero", 6],
  ["-muxkit-robust-buffer-access=clamp", 6],
] as const)("variable pointers: %s, %i numbers in each buffer", (options, count) => {
  const dispatch = pointers(options, count);
  const [first, ...others] = runThreeWays(shaderLaunch(dispatch));
  if (first === undefined) throw new Error("a launch has an outcome");
  const at = (n: number): number => (n < count ? n : options.endsWith("clamp") ? count - 1 : 0);
  const wanted = list(8, (i) => 2 * (at(i) + at(i + 1) + at(i + 2)) * (i % 2 === 1 ? 1 : 100) + 3);
  expect(wordsAfter(dispatch, first, "0,2")).toEqual(wanted);
  for (const other of others) expect(firstDifference(first, other, [])).toBeNull();
});

const LIST = `#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 1) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430) buffer Node { uint value; Node next; };
layout(push_constant) uniform P { Node head; uint count; } p;
layout(binding = 0) buffer Out { uint sum; } o;
void main() {
  Node at = p.head;
  for (uint i = 0u; i < p.count; i++) { o.sum += at.value; at.value = i; if (i == 1u) at.next = p.head; at = at.next; }
}`;

test.skipIf(!hasTools)("addresses of buffers: a list that the shader walks over and bends", () => {
  const machine = new Machine();
  const nodes = [7, 30, 500].map((value) => machine.upload(bytesOf(u32(value, 0, 0xdead, 0xbeef))));
  const [first = 0, second = 0, third = 0] = nodes;
  const link = (from: number, to: number): void => machine.bytes(from + 8, 8).set(bytesOf(u32(to, 0)));
  link(first, second);
  link(second, third);
  const out = machine.upload(new Uint8Array(4));
  const image = build({ kind: "spirv", source: compileGlsl(LIST) });
  const push = new Uint8Array(16);
  push.set(bytesOf(u32(first, 0, 4)));
  const given = [{ buffer: out }, { value: bytesOf(u32(4)) }, { value: push }];
  expect(machine.run(image, "main", given, [1], [1])).toBe(0);
  // 7 + 30, then again the first and the second, which have the numbers of their first visits.
  expect([...new Uint32Array(machine.bytes(out, 4).slice().buffer)]).toEqual([38]);
  expect([...new Uint32Array(machine.bytes(second, 16).slice().buffer)]).toEqual([3, 0, first, 0]);
});

/** A kernel of the benchmark suite in both languages: arguments before buffers, in order. */
interface Job {
  readonly shader: string;
  readonly source: string;
  readonly kernel: string;
  readonly local: readonly [number, number];
  readonly groups: readonly [number, number];
  readonly values: readonly Uint8Array[];
  readonly buffers: readonly Uint8Array[];
}

const random = (count: number): Uint8Array => bytesOf(f32(...list(count, (i) => (((i * 7919) % 1000) - 500) / 250)));
const number = (value: number): Uint8Array => bytesOf(u32(value));
const float = (value: number): Uint8Array => bytesOf(f32(value));

const JOBS: readonly Job[] = [
  {
    shader: "saxpy",
    source: "stream",
    kernel: "saxpy",
    local: [16, 1],
    groups: [4, 1],
    values: [number(60), float(2.5)],
    buffers: [random(64), random(64)],
  },
  {
    shader: "nbody",
    source: "nbody",
    kernel: "nbody",
    local: [16, 1],
    groups: [2, 1],
    values: [number(32), float(0.01)],
    buffers: [random(128), new Uint8Array(512)],
  },
  {
    shader: "mandelbrot",
    source: "mandelbrot",
    kernel: "mandelbrot",
    local: [8, 4],
    groups: [4, 8],
    values: [number(30), number(32), float(-2), float(-1.5), float(0.1), number(64)],
    buffers: [new Uint8Array(4096)],
  },
  {
    shader: "sgemm_naive",
    source: "sgemm",
    kernel: "sgemm_naive",
    local: [8, 4],
    groups: [1, 2],
    values: [number(8), number(8), number(8)],
    buffers: [random(64), random(64), new Uint8Array(256)],
  },
  {
    shader: "sgemm_tiled",
    source: "sgemm",
    kernel: "sgemm_tiled",
    local: [16, 16],
    groups: [1, 1],
    values: [number(16), number(16), number(16)],
    buffers: [random(256), random(256), new Uint8Array(1024)],
  },
];

describe.skipIf(!hasTools)("the benchmark suite's shaders", () => {
  test.each(JOBS)("$shader", ({ shader, source, kernel, local, groups, values, buffers }) => {
    const dispatch: ShaderDispatch = {
      module: compileGlsl(text(`../../../benchmarks/suite/${shader}.comp`)),
      groups: [...groups, 1],
      resources: Object.fromEntries(buffers.map((buffer, n) => [`0,${n}`, { buffer }])),
      push: Uint8Array.from(values.flatMap((value) => [...value])),
      specialization: new Map([...local, 1].map((size, n) => [n, number(size)])),
    };
    const [interpreted, ...others] = runThreeWays(shaderLaunch(dispatch));
    if (interpreted === undefined) throw new Error("a launch has an outcome");
    for (const other of others) expect(firstDifference(interpreted, other, [])).toBeNull();
    const direct = runReference({
      source: text(`../../../benchmarks/suite/${source}.cl`),
      kernel,
      options: "-w",
      isInterpreted: false,
      arguments: [...values.map((value) => ({ value })), ...buffers.map((contents) => ({ contents }))],
      global: groups.map((count, axis) => count * (local[axis] ?? 1)),
      local,
    });
    const kinds = buffers.map(() => (shader === "mandelbrot" ? ("bits" as const) : ("f32" as const)));
    expect(firstDifference(interpreted, { ...direct, printed: "" }, kinds)).toBeNull();
  });
});

/** Whole numbers that the mandelbrot shader leaves, by the interpreter, scalar and vector code. */
function mandelbrotWays(glsl: string, variant: GlslVariant): readonly Outcome[] {
  const values = [number(30), number(32), float(-2), float(-1.5), float(0.1), number(64)];
  return runThreeWays(
    shaderLaunch({
      module: compileGlsl(glsl, variant),
      groups: [4, 8, 1],
      resources: { "0,0": { buffer: new Uint8Array(4096) } },
      push: Uint8Array.from(values.flatMap((value) => [...value])),
      specialization: new Map([8, 4, 1].map((size, n) => [n, number(size)])),
    }),
  );
}

// spirv-opt writes Fma where it finds a product that is added, also where the product has a second use, which our own
// rule leaves alone (docs/decisions/017-contraction.md). So a count at the set's edge may differ between the shader as
// glslang writes it and its optimised form, never between the ways to run either; `precise` forbids both to fuse.
test.skipIf(!hasTools)(
  "mandelbrot through spirv-opt: all ways agree, and with precise results the unfused form does",
  () => {
    const glsl = text("../../../benchmarks/suite/mandelbrot.comp");
    const [first, ...others] = mandelbrotWays(glsl, "optimized");
    if (first === undefined) throw new Error("a launch has an outcome");
    for (const other of others) expect(firstDifference(first, other, [])).toBeNull();
    const precise = glsl.replaceAll(/^ +float (?=c?x)/gmu, "precise float ");
    const ways = (["plain", "optimized"] as const).flatMap((variant) => mandelbrotWays(precise, variant));
    const unfused = runReference({
      source: `#pragma OPENCL FP_CONTRACT OFF\n${text("../../../benchmarks/suite/mandelbrot.cl")}`,
      kernel: "mandelbrot",
      options: "-w",
      isInterpreted: false,
      arguments: [
        ...[number(30), number(32), float(-2), float(-1.5), float(0.1), number(64)].map((value) => ({ value })),
        { contents: new Uint8Array(4096) },
      ],
      global: [32, 32],
      local: [8, 4],
    });
    for (const way of ways) expect(firstDifference(unfused, way, [])).toBeNull();
  },
);
