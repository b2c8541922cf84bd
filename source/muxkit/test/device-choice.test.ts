// SPDX-License-Identifier: Apache-2.0
// Which device a program gets: by options, by MUXKIT_DEVICE, and what is said where there is none.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

import type { DeviceOptions } from "muxkit";
import { expect, test } from "vitest";

import { choiceOf } from "../source/device-choice.ts";

const gpus = join(import.meta.dirname, "gpu-target.ts");
const tool = join(import.meta.dirname, "../tools/muxkit.ts");

function node(script: string, args: readonly string[], variables: Readonly<Record<string, string>>): string {
  const { stdout, stderr } = spawnSync(process.execPath, ["--conditions=source", script, ...args], {
    encoding: "utf8",
    env: { ...process.env, MUXKIT_CACHE: "off", MUXKIT_GPU: "off", ...variables },
  });
  expect(stderr).toBe("");
  return stdout;
}

/** What is opened for each list of options. */
function opened(list: readonly DeviceOptions[], variables: Readonly<Record<string, string>> = {}): readonly string[] {
  const script = join(import.meta.dirname, "device-choice-child.ts");
  return JSON.parse(node(script, [JSON.stringify(list)], { MUXKIT_TARGETS: gpus, ...variables })) as readonly string[];
}

test.each([
  ["gpu", { type: "gpu" }],
  ["GPU:1", { type: "gpu", index: 1 }],
  ["2", { index: 2 }],
  ["cpu:0", { type: "cpu", index: 0 }],
  ["h100", { name: "h100" }],
  ["NVIDIA H200", { name: "NVIDIA H200" }],
  ["gp", { name: "gp" }],
])("MUXKIT_DEVICE=%s", (text, choice) => {
  expect(choiceOf(text)).toEqual(choice);
});

test("openDevice: by kind, by a part of the name, by number; kernels run there", () => {
  const [host, cpu, gpu, second, named, numbered, both] = opened([
    {},
    { type: "cpu", threads: 1 },
    { type: "gpu" },
    { type: "gpu", index: 1 },
    { name: "ptx INTER" },
    { index: 2 },
    { type: "cpu", name: "muxkit" },
  ]);
  for (const one of [host, cpu, both]) expect(one).toMatch(/^muxkit host.* 2 4 6$/u);
  for (const one of [gpu, second, named, numbered]) expect(one).toMatch(/^PTX interpreter.* 2 4 6$/u);
});

test("openDevice: CL_DEVICE_NOT_FOUND lists what there is, CL_INVALID_VALUE the kinds", () => {
  const [none, number, kind] = opened([{ type: "accelerator" }, { type: "gpu", index: 2 }, { type: "tpu" as "gpu" }]);
  expect(none).toMatch(
    /^CL_DEVICE_NOT_FOUND: openDevice: there is no accelerator device; the devices are 0: "muxkit host.*" \(cpu\), 1: "PTX interpreter.*" \(gpu\), 2: "PTX.*" \(gpu\)$/u,
  );
  expect(number).toMatch(/there is no gpu device number 2; the devices are/u);
  expect(kind).toMatch(
    /^CL_INVALID_VALUE: .*"tpu" is not a kind of device; the kinds are cpu, gpu, accelerator, custom$/u,
  );
});

test("MUXKIT_DEVICE chooses where the program does not", () => {
  const [chosen, own] = opened([{}, { type: "cpu" }], { MUXKIT_DEVICE: "gpu:1" });
  expect(chosen).toMatch(/^PTX interpreter/u);
  expect(own).toMatch(/^muxkit host/u);
  const [wrong] = opened([{}], { MUXKIT_DEVICE: "H200", MUXKIT_TARGETS: "" });
  expect(wrong).toMatch(
    /^CL_DEVICE_NOT_FOUND: MUXKIT_DEVICE: there is no device with "H200" in its name; the devices are 0: "muxkit host.*" \(cpu\); GPUs are not looked for: MUXKIT_GPU is off$/u,
  );
});

test("muxkit info lists all devices, and says why there is no GPU", () => {
  const all = node(tool, ["info"], { MUXKIT_TARGETS: gpus });
  expect(all).toMatch(
    /^0: cpu muxkit host.*\n1: gpu PTX interpreter.*\n2: gpu PTX interpreter.*\nGPUs are not looked/mu,
  );
  const facts = JSON.parse(node(tool, ["info", "--json"], {})) as { readonly gpus: string };
  expect(facts.gpus).toBe("GPUs are not looked for: MUXKIT_GPU is off");
  // Whatever this machine has: GPUs, or a sentence.
  const looked = node(tool, ["info"], { MUXKIT_GPU: "" });
  expect(looked).toMatch(/^(?:1: gpu .+|no NVIDIA GPU: .+)$/mu);
});
