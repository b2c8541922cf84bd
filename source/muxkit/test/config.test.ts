// SPDX-License-Identifier: Apache-2.0
// Settings: precedence of their sources, wrong values, and the list that muxkit prints.
import { readFileSync, globSync } from "node:fs";
import { join } from "node:path";

import { SettingError } from "@muxkit/cargo";
import { openDevice } from "muxkit";
import { DEVICE_QUERIES, PLATFORM_QUERIES } from "@muxkit/opencl";
import { afterEach, describe, expect, test, vi } from "vitest";

import { main } from "../source/command/main.ts";
import { SETTINGS, SETTING_NAMES, readConfig, readSetting } from "../source/config/settings.table.ts";

const root = join(import.meta.dirname, "..", "..", "..");

afterEach(() => {
  vi.unstubAllEnvs();
});

function run(...args: readonly string[]): { readonly code: number; readonly out: string; readonly error: string } {
  const said = { out: "", error: "" };
  const code = main(args, {
    out: (text) => {
      said.out += text;
    },
    error: (text) => {
      said.error += text;
    },
  });
  return { code, ...said };
}

describe("a setting", () => {
  test("comes from code, else from the variable, else from its default", () => {
    expect(readSetting("threads", { MUXKIT_THREADS: "3" }, { threads: 5 })).toEqual({ value: 5, source: "option" });
    expect(readSetting("threads", { MUXKIT_THREADS: "3" })).toEqual({ value: 3, source: "environment" });
    expect(readSetting("deadline", { MUXKIT_DEADLINE: "" })).toEqual({ value: 0, source: "default" });
    expect(readSetting("eager", { MUXKIT_EAGER: "off" }, {})).toEqual({ value: false, source: "environment" });
    expect(readSetting("eager", { MUXKIT_EAGER: "off" }, { engine: { eager: true } })).toEqual({
      value: true,
      source: "option",
    });
  });

  test.each<[variable: string, value: string, message: string]>([
    [
      "MUXKIT_THREADS",
      "two",
      'the environment variable MUXKIT_THREADS: a whole number of at least 1 is needed, not "two"',
    ],
    ["MUXKIT_THREADS", "0", 'the environment variable MUXKIT_THREADS: a whole number of at least 1 is needed, not "0"'],
    [
      "MUXKIT_DEADLINE",
      "-1",
      'the environment variable MUXKIT_DEADLINE: a number of milliseconds, at least 0, is needed, not "-1"',
    ],
    [
      "MUXKIT_COMPILE_BUDGET",
      "never",
      'the environment variable MUXKIT_COMPILE_BUDGET: a number of milliseconds, at least 0, is needed, not "never"',
    ],
    [
      "MUXKIT_DEBUG",
      "maybe",
      'the environment variable MUXKIT_DEBUG: true or false (1 or 0, on or off, yes or no) is needed, not "maybe"',
    ],
    [
      "MUXKIT_RED_ZONE",
      "1.5",
      'the environment variable MUXKIT_RED_ZONE: a whole number of at least 0 is needed, not "1.5"',
    ],
  ])("%s=%s is one clear error", (variable, value, message) => {
    expect(() => readConfig({ [variable]: value })).toThrow(new SettingError(message));
  });

  test("an invalid option is reported by its name", async () => {
    await expect(openDevice({ threads: -2 })).rejects.toThrow(
      "openDevice({ threads }): a whole number of at least 1 is needed, not -2",
    );
    await expect(openDevice({ memoryLimit: Number.NaN })).rejects.toThrow(SettingError);
  });

  test("a wrong variable stops a device from being opened, and the program with it", async () => {
    vi.stubEnv("MUXKIT_THREADS", "many");
    await expect(openDevice({ redZone: 16 })).rejects.toThrow(
      'MUXKIT_THREADS: a whole number of at least 1 is needed, not "many"',
    );
  });
});

test("the config has every setting, typed", () => {
  const config = readConfig({ MUXKIT_CACHE: "off", MUXKIT_THREADS: "7" });
  expect(Object.keys(config)).toEqual(SETTING_NAMES);
  expect(config).toMatchObject({ cache: "off", threads: 7, sharedMemory: true, compilerMode: 0 });
});

test("every variable that the sources name is a row, and each row has its documentation", () => {
  const files = globSync("{modules,source}/*/source/**/*.ts", { cwd: root, exclude: ["**/generated/**"] });
  const named = new Set(
    files.flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(/"(MUXKIT_[A-Z_]+)"/gu)].map(([, name]) => name),
    ),
  );
  const rows = new Set(SETTING_NAMES.map((name) => SETTINGS[name].variable));
  expect([...named].filter((name) => !rows.has(name ?? null))).toEqual([]);
  expect(named.size).toBeGreaterThan(5);
  for (const name of SETTING_NAMES) expect(SETTINGS[name].doc, name).toMatch(/^[A-Z].*\.$/u);
});

describe("muxkit info --config", () => {
  test("prints each setting with its value, its source and its variable", () => {
    vi.stubEnv("MUXKIT_DEADLINE", "250");
    const { code, out } = run("info", "--config");
    expect(code).toBe(0);
    expect(out).toContain("deadline = 250 (environment)\n");
    expect(out).toContain("redZone = 0 (default)\n");
    expect(out).toContain("MUXKIT_DEADLINE; openDevice({ deadline })\n");
    const lines = JSON.parse(run("info", "--config", "--json").out) as readonly {
      readonly name: string;
      readonly source: string;
      readonly value: unknown;
    }[];
    expect(lines.map(({ name }) => name)).toEqual(SETTING_NAMES);
    expect(lines.find(({ name }) => name === "deadline")).toMatchObject({
      value: 250,
      source: "environment",
      variable: "MUXKIT_DEADLINE",
    });
  });

  test("reports which value is wrong, and fails", () => {
    vi.stubEnv("MUXKIT_DEADLINE", "soon");
    const { code, out } = run("info", "--config");
    expect(code).toBe(1);
    expect(out).toContain(
      "deadline = WRONG: the environment variable MUXKIT_DEADLINE: a number of " +
        'milliseconds, at least 0, is needed, not "soon"\n',
    );
    expect(out).toContain("redZone = 0 (default)\n");
  });
});

/** What the command says of native code with a setting: the line, then the facts. */
function runsKernels(
  setting: string,
): readonly [line: string, mode: string, tier: string | null, reason: string | null] {
  process.env["MUXKIT_NATIVE"] = setting;
  const { native } = JSON.parse(run("info", "--json").out) as {
    readonly native: { readonly mode: string; readonly tier: string | null; readonly reason: string | null };
  };
  return [/^ {2}kernels run .*$/mu.exec(run("info").out)?.[0] ?? "", native.mode, native.tier, native.reason];
}

describe("muxkit info", () => {
  test("prints every query of the platform and of each device", () => {
    const { code, out } = run("info");
    expect(code).toBe(0);
    for (const token of [...PLATFORM_QUERIES, ...DEVICE_QUERIES])
      expect(out).toMatch(new RegExp(`^  ${token} +\\S`, "mu"));
    expect(out).not.toMatch(/undefined|\[object/u);
  });

  test("writes bits by their names, versions with points, identifiers as digits", () => {
    const { out } = run("info");
    for (const line of [
      /CL_DEVICE_TYPE +CL_DEVICE_TYPE_CPU$/mu,
      /CL_DEVICE_SVM_CAPABILITIES +CL_DEVICE_SVM_COARSE_GRAIN_BUFFER CL_DEVICE_SVM_FINE_GRAIN_BUFFER CL_DEVICE_SVM_ATOMICS$/mu,
      /CL_DEVICE_PARTITION_AFFINITY_DOMAIN +none$/mu,
      /CL_DEVICE_NUMERIC_VERSION +3\.0\.0$/mu,
      /CL_DEVICE_OPENCL_C_ALL_VERSIONS +OpenCL C 1\.0\.0, /mu,
      /CL_DEVICE_EXTENSIONS_WITH_VERSION +.*cl_khr_command_buffer 0\.9\.4, /mu,
      /CL_DEVICE_UUID_KHR +[\da-f]{32}$/mu,
    ])
      expect(out).toMatch(line);
  });

  test("says what runs kernels, and why not machine code", () => {
    const before = process.env["MUXKIT_NATIVE"];
    try {
      const off = "Native code is not used, because the setting MUXKIT_NATIVE is off.";
      expect(runsKernels("off")).toEqual([`  kernels run as WebAssembly. ${off}`, "off", null, off]);
      const [line, mode, tier, reason] = runsKernels("on");
      const sentence: unknown = expect.stringMatching(/^[A-Z].*\.$/u);
      // A machine that cannot says so in one sentence.
      expect([line, mode, tier, reason]).toEqual(
        tier === null
          ? [`  kernels run as WebAssembly. ${reason}`, "on", null, sentence]
          : [`  kernels run as machine code, ${tier}`, "on", tier, null],
      );
      expect([null, "x64.3", "x64.4"]).toContain(tier);
      process.env["MUXKIT_NATIVE_TIER"] = "x64.3";
      const lowest = tier === null ? null : "x64.3";
      expect(runsKernels("on")[2]).toBe(lowest);
      process.env["MUXKIT_NATIVE"] = "perhaps";
      const { code, error } = run("info");
      expect([code === 0, error]).toEqual([
        false,
        expect.stringContaining('MUXKIT_NATIVE: one of off, on, auto is needed, not "perhaps"'),
      ]);
    } finally {
      delete process.env["MUXKIT_NATIVE_TIER"];
      if (before === undefined) delete process.env["MUXKIT_NATIVE"];
      else process.env["MUXKIT_NATIVE"] = before;
    }
  });

  test("is one JSON object with the same", () => {
    const facts = JSON.parse(run("info", "--json").out) as {
      readonly queries: Readonly<Record<string, unknown>>;
      readonly devices: readonly Readonly<Record<string, unknown>>[];
    };
    expect(Object.keys(facts.queries)).toEqual(PLATFORM_QUERIES);
    for (const device of facts.devices) expect(Object.keys(device)).toEqual(DEVICE_QUERIES);
    expect(facts.devices[0]?.["CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS"]).toBe(3);
  });
});
