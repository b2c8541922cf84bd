// SPDX-License-Identifier: Apache-2.0
// The kernels of the benchmark suite as PTX: each compiles, and ptxas accepts it where it is installed.
import { execFileSync, spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { type LaunchFacts, type Module, buildProgram, openclC } from "@muxkit/compiler";
import { deviceInfo } from "@muxkit/cuda";
import { CUDA_COMPILER, PTX_SECTION } from "@muxkit/cuda-compiler";
import { findCode, readExecutable } from "@muxkit/metadata";
import { afterAll, expect, test } from "vitest";

const folder = join(import.meta.dirname, "../../../benchmarks/suite");
const files = globSync("*.cl", { cwd: folder }).toSorted();
const hasPtxas = spawnSync("ptxas", ["--version"]).status === 0;
if (!hasPtxas) console.warn("ptxas is not on PATH: nothing compiles the generated PTX here");
const made = mkdtempSync(join(tmpdir(), "muxkit-cuda-"));
afterAll(() => {
  rmSync(made, { recursive: true });
});

const INFO = {
  ...deviceInfo({
    name: "a GPU",
    capability: [9, 0],
    multiprocessors: 132,
    memory: 2 ** 36,
    clockRate: 1_980_000,
    sharedMemory: 232_448,
    cache: 2 ** 25,
  }),
  id: 1,
};

function builtModule(source: string, options: string): Module {
  const target = CUDA_COMPILER.createContext().createTarget(INFO, null);
  if (!target.ok) throw new Error(target.error.message);
  const module = target.value.createModule();
  const built = buildProgram(module, openclC(source), options);
  if (!built.ok) throw new Error(`${built.error.message}\n${module.log}`);
  return module;
}

function textOf(binary: Uint8Array): string {
  const image = readExecutable(binary);
  if (!image.ok) throw new Error(image.error.message);
  return new TextDecoder().decode(findCode(image.value, PTX_SECTION)?.bytes);
}

function ptxOf(source: string, options: string): string {
  const binary = builtModule(source, options).createBinary();
  if (!binary.ok) throw new Error(binary.error.message);
  return textOf(binary.value);
}

function accepted(name: string, ptx: string): void {
  if (!hasPtxas) return;
  const path = join(made, `${basename(name)}.ptx`);
  writeFileSync(path, ptx);
  execFileSync("ptxas", ["-arch=sm_90", "-o", `${path}.cubin`, path], { stdio: ["ignore", "ignore", "inherit"] });
}

test.each(files)("%s", (file) => {
  const ptx = ptxOf(readFileSync(join(folder, file), "utf8"), "-cl-std=CL3.0");
  expect(ptx).toContain(".visible .entry kernel_");
  accepted(file, ptx);
});

test("calls of the library, printf, groups, structs and atomics of floats", () => {
  const ptx = ptxOf(
    `struct pair { int n; float x[3]; };
    constant int table[3] = { 1, 2, 3 };
    constant int *second = table + 1;
    kernel void k(global float *out, struct pair p, float4 v, local float *l, char c) {
      size_t i = get_global_id(0);
      l[get_local_id(0)] = p.x[p.n] + fmod(v.x, v.y) + pow(v.z, v.w) + *second;
      barrier(CLK_LOCAL_MEM_FENCE);
      out[i] = l[0] + work_group_reduce_add(v.w) + work_group_scan_inclusive_max((int)c) + native_sin(v.x);
      if (i == 0) printf("%d %s %v4f\\n", c, "text", v);
    }`,
    "-cl-std=CL3.0",
  );
  expect(ptx).toContain("barrier.sync");
  expect(ptx).toContain("sin.approx.f32");
  accepted("all", ptx);
});

test("a division has the precision that OpenCL asks for, or is rounded correctly", () => {
  const source = "kernel void k(global float *p) { p[0] = p[1] / p[2] + sqrt(p[3]); }";
  expect(ptxOf(source, "")).toContain("div.full.f32");
  const exact = ptxOf(source, "-cl-fp32-correctly-rounded-divide-sqrt");
  expect(exact).toContain("div.rn.f32");
  expect(exact).toContain("sqrt.rn.f32");
});

test("a launch whose sampler and formats are known has code for them alone", () => {
  const source = `
  kernel void other(read_only image2d_t in, global float4 *out) { out[0] = read_imagef(in, (int2)(0)); }
  kernel void filter(read_only image2d_t in, write_only image2d_t out, sampler_t sampler) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = (float4)(0.0f);
    for (int i = -1; i <= 1; i++) sum += read_imagef(in, sampler, at + (int2)(i, 0));
    write_imagef(out, at, sum);
  }`;
  const module = builtModule(source, "");
  const image = { kind: "image", order: 0x10b5, channelType: 0x10d2 } as const;
  const facts: LaunchFacts = {
    localSize: [16, 16, 1],
    uniformGroups: true,
    zeroOffset: true,
    arguments: [image, image, { kind: "sampler", bits: 0x12 }],
  };
  const kernel = module.getKernel("filter");
  const special = kernel?.createSpecializedKernel(facts);
  if (special?.ok !== true) throw new Error("there is no code for the launch");
  const text = textOf(special.value.binary);
  expect(text).not.toContain("kernel_other");
  expect(text.match(/ld\.global[^;]*/gu)?.map((one) => one.split(" ")[0])).toEqual(Array(3).fill("ld.global.v4.u8"));
  expect(text).toContain("st.global.v4.u8");
  expect(kernel?.specializationKey({ ...facts, localSize: [8, 8, 1] })).toBe(special.value.key);
  accepted("filter", text);
});

test("a kernel without images is the same for all launches", () => {
  const module = builtModule("kernel void k(global int *p) { p[get_global_id(0)]++; }", "");
  const facts: LaunchFacts = { localSize: [64, 1, 1], uniformGroups: true, zeroOffset: true };
  expect(module.getKernel("k")?.specializationKey(facts)).toBeNull();
});

// ptxas makes wrong code of such loops: it moves the constants of their stores behind the stores that it peels off.
test("a loop does not test again what a branch before it has decided", () => {
  const ptx = ptxOf(
    `kernel void k(global float4 *out, float x, uint at) {
      uint lid = get_local_id(0);
      float4 places[8];
      for (int i = 0; i < 8; i++) places[i] = (float4)(19.0f);
      { float4 *p = places; for (int i = 0; i < 6; i++) {
        if (lid < 2u) break;
        *p++ = (float4)(nextafter(x, 1.0f), 960.5f, 7.0f, -2.0f);
      } }
      out[lid] = places[at & 7u];
    }`,
    "",
  );
  const tested = [...ptx.matchAll(/@!?(%p\d+) bra/gu)].map(([, predicate]) => predicate);
  expect(tested.length).toBeGreaterThan(0);
  expect(new Set(tested).size).toBe(tested.length);
  accepted("decided", ptx);
});

/** A kernel whose loop holds a square of sums. */
const sums = (edge: number): string => `kernel void k(int n, global const float *a, global float *c) {
  float sum[${edge}][${edge}];
  for (int i = 0; i < ${edge}; i++) for (int j = 0; j < ${edge}; j++) sum[i][j] = 0;
  for (int k = 0; k < n; k++)
    for (int i = 0; i < ${edge}; i++)
      for (int j = 0; j < ${edge}; j++) sum[i][j] += a[k * ${edge} + i] * a[k * ${edge} + j];
  for (int i = 0; i < ${edge}; i++) for (int j = 0; j < ${edge}; j++) c[i * ${edge} + j] = sum[i][j];
}`;

test("kernels with loops may have the registers of one group, unless they need more as they are", () => {
  expect(ptxOf(sums(3), "")).toContain(".maxntid 1024, 1, 1\n.minnctapersm 1\n");
  // ptxas would put what 64 registers do not hold into memory.
  expect(ptxOf(sums(8), "")).not.toContain(".maxntid");
  expect(ptxOf("kernel void k(global float *p) { p[0] = p[1]; }", "")).not.toContain(".maxntid");
  const sized = "__attribute__((reqd_work_group_size(8, 4, 1))) kernel void k(global int *p) { p[0] = 1; }";
  expect(ptxOf(sized, "")).toContain(".maxntid 8, 4, 1\n{");
});
