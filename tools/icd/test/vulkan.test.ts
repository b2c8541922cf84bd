// SPDX-License-Identifier: Apache-2.0
// Native programs of Vulkan through Debian's loader: vulkaninfo, calls of each group, the suite's GLSL jobs.
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { type Driver, has, keptCc, makeDriver, removeDriver, run, script } from "./rig.ts";

const BENCHMARKS = fileURLToPath(new URL("../../../benchmarks/", import.meta.url));
const LAVAPIPE = globSync("/usr/share/vulkan/icd.d/lvp_icd*.json")[0];
const HAS_VULKAN =
  process.platform === "linux" &&
  has("cc") &&
  has("vulkaninfo") &&
  has("glslangValidator") &&
  existsSync("/usr/include/vulkan/vulkan.h");
/** Relative difference that contraction of multiplications and additions makes in these jobs. */
const CLOSE = 1e-4;

if (!HAS_VULKAN)
  console.error("!! the Vulkan driver is not tested: install libvulkan-dev, vulkan-tools, glslang-tools and gcc");

/** What `vkrun` prints of an output. */
interface Output {
  readonly count: number;
  readonly mean: number;
  readonly nonfinite: number;
  readonly first: readonly number[];
  readonly sample: readonly number[];
}

function isClose(given: number, wanted: number): boolean {
  return Math.abs(given - wanted) <= CLOSE * Math.max(1, Math.abs(wanted));
}

describe.skipIf(!HAS_VULKAN)("the Vulkan driver", () => {
  let driver: Driver;
  let environment: NodeJS.ProcessEnv;

  beforeAll(() => {
    driver = makeDriver();
    const folder = join(driver.folder, "muxkit", "icd");
    const manifest = join(folder, "vulkan", "muxkit_vulkan.json");
    const words = readFileSync(driver.library.replace(/\.so$/u, ".server"));
    writeFileSync(join(folder, "libmuxkit_vulkan.server"), words);
    environment = { VK_DRIVER_FILES: manifest, VK_ICD_FILENAMES: manifest };
  });
  afterAll(() => {
    removeDriver(driver);
  });

  function compileShader(file: string): string {
    const target = join(driver.folder, `${basename(file)}.spv`);
    execFileSync("glslangValidator", ["-V", "--target-env", "vulkan1.1", file, "-o", target], { stdio: "ignore" });
    return target;
  }

  test("vulkaninfo describes the device", () => {
    const { status, output } = run(driver, "vulkaninfo", ["--summary"], environment);
    expect(output).toMatch(/deviceName\s+= muxkit host/u);
    expect(output).toMatch(/apiVersion\s+= 1\.3/u);
    expect(output).toMatch(/deviceType\s+= PHYSICAL_DEVICE_TYPE_CPU/u);
    expect(status).toBe(0);
  });

  test("vulkaninfo asks for all that there is", () => {
    const { status, output } = run(driver, "vulkaninfo", [], environment);
    expect(output).toMatch(/maxComputeWorkGroupInvocations\s+= \d{3}/u);
    expect(output).toContain("QUEUE_COMPUTE");
    expect(output).not.toContain("QUEUE_GRAPHICS");
    expect(status).toBe(0);
  });

  test("calls of each group, a fork, and the death of the server", () => {
    const program = join(driver.folder, "vulkan_calls");
    keptCc(["-O1", "-Wall", "-o", program, script("vulkan_calls.c"), "-lvulkan", "-lpthread"]);
    const shader = compileShader(script("increment.comp"));
    const pids = join(driver.folder, "pid");
    const words = readFileSync(driver.library.replace(/\.so$/u, ".server"), "utf8").trim().split("\n");
    const MUXKIT_ICD_SERVER = ["sh", "-c", `echo $$ > ${pids}; exec ${words.join(" ")}`].join("\n");
    const { status, output, errors } = run(driver, program, [shader, pids], { ...environment, MUXKIT_ICD_SERVER });
    expect(errors).toBe("");
    expect(output).toBe("0 failures\n");
    expect(status).toBe(0);
  });

  test("a trace tells which calls wait", () => {
    const program = join(driver.folder, "vulkan_calls");
    keptCc(["-O1", "-Wall", "-o", program, script("vulkan_calls.c"), "-lvulkan", "-lpthread"]);
    const more = { ...environment, MUXKIT_ICD_TRACE: "1" };
    const { errors } = run(driver, program, [compileShader(script("increment.comp"))], more);
    const told = [...errors.matchAll(/^muxkit: trace: (\w+) \((\w+)\): frames (\d+), waits (\d+)$/gmu)].map((line) =>
      line.slice(1).join(" "),
    );
    expect(told).toContain("vkCmdDispatch pipelined 1 0");
    expect(told).toContain("vkUpdateDescriptorSets pipelined 1 0");
    expect(told).toContain("vkQueueSubmit waiting 1 1");
    expect(told.filter((line) => /^vk(?:Cmd|Destroy)/u.test(line) && !line.endsWith(" pipelined 1 0"))).toEqual([]);
    expect(told.filter((line) => /^vk(?:Create|Allocate)/u.test(line) && !line.endsWith(" 1 1"))).toEqual([]);
  });

  test("memory that is not shared cannot be mapped", () => {
    const program = join(driver.folder, "vulkan_calls");
    keptCc(["-O1", "-Wall", "-o", program, script("vulkan_calls.c"), "-lvulkan", "-lpthread"]);
    const shader = compileShader(script("increment.comp"));
    const more = { ...environment, MUXKIT_ICD_ADDON: "off", MUXKIT_ICD_LOG: "1" };
    const { status, errors } = run(driver, program, [shader], more);
    expect(errors).toContain("VK_ERROR_MEMORY_MAP_FAILED");
    expect(status).toBe(4);
  });

  test.skipIf(LAVAPIPE === undefined)("the suite's GLSL jobs have lavapipe's results", () => {
    const program = join(driver.folder, "vkrun");
    keptCc(["-O2", "-w", "-ffp-contract=off", "-o", program, join(BENCHMARKS, "vkrun.c"), "-lvulkan", "-lm"]);
    for (const shader of globSync(join(BENCHMARKS, "suite/*.comp"))) compileShader(shader);
    const jobs = globSync(join(BENCHMARKS, "suite/tiny/*.json")).filter(
      (job) => (JSON.parse(readFileSync(job, "utf8")) as { readonly glsl?: string }).glsl !== undefined,
    );
    expect(jobs.length).toBeGreaterThanOrEqual(5);
    const results = (job: string, more: NodeJS.ProcessEnv): readonly Output[] => {
      const { status, output, errors } = run(driver, program, [job, "--spv-dir", driver.folder], more);
      expect([basename(job), status, errors]).toEqual([basename(job), 0, ""]);
      return (JSON.parse(output) as { readonly outputs: readonly Output[] }).outputs;
    };
    const lavapipe = { VK_DRIVER_FILES: LAVAPIPE, VK_ICD_FILENAMES: LAVAPIPE };
    for (const job of jobs) {
      const wanted = results(job, lavapipe);
      results(job, environment).forEach((one, index) => {
        const other = wanted[index];
        expect([one.count, one.nonfinite]).toEqual([other?.count, other?.nonfinite]);
        const [given, right] = [one, other].map((side) => [...(side?.first ?? []), ...(side?.sample ?? [])]);
        const wrong = given?.filter((value, at) => !isClose(value, right?.[at] ?? NaN));
        expect([basename(job), wrong]).toEqual([basename(job), []]);
      });
    }
  });
});
