// SPDX-License-Identifier: Apache-2.0
// muxkit run --api vulkan: the suite's compute shaders give what its kernels give, and files that are no such jobs are
// told what is wrong.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, test } from "vitest";

import { muxkit } from "./commands.ts";

const folder = mkdtempSync(join(tmpdir(), "muxkit-run-vulkan-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const suite = join(import.meta.dirname, "../../../benchmarks/suite");
const tiny = join(suite, "tiny");

const textOf = (path: string): string => readFileSync(path, "utf8");
const jobs = readdirSync(tiny).filter(
  (name) => name.endsWith(".json") && "glsl" in JSON.parse(textOf(join(tiny, name))),
);
const hasGlslang = spawnSync("glslangValidator", ["--version"]).status === 0;
if (!hasGlslang) console.warn("!! glslangValidator is not here: GLSL jobs are not run (Debian package glslang-tools)");

/** The outputs that a run reports. */
function outputsOf(...args: readonly string[]): unknown {
  const { code, out, error } = muxkit("run", ...args, "--json");
  expect([code, error]).toEqual([0, ""]);
  return (JSON.parse(out) as { readonly outputs: unknown }).outputs;
}

test("the suite has shaders", () => {
  expect(jobs.length).toBeGreaterThan(12);
});

test.skipIf(!hasGlslang).each(jobs)("%s computes the same through both APIs", (name) => {
  const file = join(tiny, name);
  expect(outputsOf(file, "--api", "vulkan")).toEqual(outputsOf(file));
});

const ADD = `; SPIR-V
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %array ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpDecorate %block BufferBlock
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
%void = OpTypeVoid
%function = OpTypeFunction %void
%uint = OpTypeInt 32 0
%vector = OpTypeVector %uint 3
%input = OpTypePointer Input %vector
%inputPart = OpTypePointer Input %uint
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%pointer = OpTypePointer Uniform %block
%element = OpTypePointer Uniform %uint
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%id = OpVariable %input Input
%data = OpVariable %pointer Uniform
%main = OpFunction %void None %function
%begin = OpLabel
%part = OpAccessChain %inputPart %id %zero
%at = OpLoad %uint %part
%place = OpAccessChain %element %data %zero %at
%old = OpLoad %uint %place
%new = OpIAdd %uint %old %one
OpStore %place %new
OpReturn
OpFunctionEnd
`;

/** A job of this folder, with a shader in assembly. */
function jobOf(changes: object): string {
  writeFileSync(join(folder, "add.spvasm"), ADD);
  const job = {
    name: "add",
    source: "add.cl",
    glsl: "add.spvasm",
    kernel: "add",
    global: [8],
    local: [4],
    args: [{ buffer: "uint", count: 8, access: "rw", init: "const:41" }],
    runs: 1,
    warmup: 0,
    ...changes,
  };
  const path = join(folder, "job.json");
  writeFileSync(path, JSON.stringify(job));
  return path;
}

test("a shader in assembly", () => {
  const { out, error, code } = muxkit("run", jobOf({}), "--api", "vulkan");
  expect([code, error]).toEqual([0, ""]);
  expect(out).toMatch(/^add: shader, 8 work-items, .*\n(?:.*\n)*\s+output 0: 8 uint, 42 to 42/u);
});

test("what its code is like", () => {
  const { out, code } = muxkit("run", jobOf({}), "--api", "vulkan", "--explain");
  expect(code).toBe(0);
  expect(out).toContain("main");
});

describe("errors", () => {
  test.each([
    ["a job without a shader", { glsl: undefined }, /the job has no compute shader: name one as "glsl"/u],
    ["a shader that is not there", { glsl: "none.spvasm" }, /none\.spvasm cannot be read/u],
    ["another local size", { local: [8] }, /groups of 4 × 1 × 1 work-items, the job of 8 × 1 × 1/u],
    ["no whole groups", { global: [9], local: undefined }, /no multiple of the shader's local size/u],
    ["no buffer for a binding", { args: [{ uint: 1 }] }, /binding 0 of set 0/u],
  ])("%s", (_what, changes, message) => {
    const { code, error } = muxkit("run", jobOf(changes), "--api", "vulkan");
    expect(code).not.toBe(0);
    expect(error).toMatch(message);
  });

  test.each([
    [["--api", "metal"], /--api takes opencl or vulkan, not "metal"/u],
    [["--api", "vulkan", "--options", "-O0"], /--options means nothing with --api vulkan/u],
    [["--api", "vulkan", "--device", "none"], /no device name contains "none"/u],
  ])("%s", (options, message) => {
    const { code, error } = muxkit("run", jobOf({}), ...options);
    expect(code).not.toBe(0);
    expect(error).toMatch(message);
  });
});
