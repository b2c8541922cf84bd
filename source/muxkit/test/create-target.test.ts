// SPDX-License-Identifier: Apache-2.0
// muxkit create-target: what it writes is a project that type-checks, passes its tests and runs, under any name.
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, test } from "vitest";

import { main } from "../source/command/main.ts";
import { isTargetName, targetFiles } from "../source/create-target.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const folder = mkdtempSync(join(tmpdir(), "muxkit-target-"));

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function run(...args: readonly string[]): { readonly code: number; readonly out: string; readonly error: string } {
  const said = { out: "", error: "" };
  const code = main(["create-target", ...args], {
    out: (text) => {
      said.out += text;
    },
    error: (text) => {
      said.error += text;
    },
  });
  return { code, ...said };
}

/** Runs a program in the project that was written. */
function inProject(
  project: string,
  ...args: readonly string[]
): { readonly status: number | null; readonly text: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: project,
    encoding: "utf8",
    env: { ...process.env, FORCE_COLOR: "0", NODE_OPTIONS: undefined, NODE_TEST_CONTEXT: undefined },
  });
  return { status, text: `${stdout}${stderr}` };
}

test("the program holds the example as it is", () => {
  const checked = spawnSync(
    process.execPath,
    ["--conditions=source", join(root, "source/muxkit/tools/target-template.ts"), "--check"],
    { encoding: "utf8" },
  );
  expect(checked.stderr).toBe("");
  expect(checked.status).toBe(0);
});

test("nothing of the example's name is left, and the kit's packages are of the program's version", () => {
  const files = targetFiles("neuro-chip-2", "9.8.7");
  for (const [path, text] of files) expect(`${path}\n${text}`).not.toMatch(/interpreter.?device/iu);
  const index = files.get("runtime/source/index.ts");
  expect(index).toContain("export const NEURO_CHIP_2_TARGET: MuxTarget = neuroChip2Target();");
  expect(files.get("runtime/package.json")).toContain('"@muxkit/hal": "9.8.7"');
  expect(files.get("compiler/package.json")).toContain('"name": "neuro-chip-2-compiler"');
});

test.each(["", "Chip", "2chip", "my_chip", "my--chip", "chip-", "../chip", "a".repeat(65)])("%j is no name", (name) => {
  expect(isTargetName(name)).toBe(false);
  expect(run(name).code).toBe(2);
});

test("one name is needed, and a folder with something in it is left alone", () => {
  expect(run()).toMatchObject({ code: 2, error: expect.stringContaining("a name is required") as unknown });
  expect(run("one", "two").code).toBe(2);
  const full = join(folder, "full");
  mkdirSync(full);
  writeFileSync(join(full, "mine.txt"), "mine");
  expect(run("chip", "--into", full)).toMatchObject({
    code: 1,
    error: expect.stringContaining("is not empty") as unknown,
  });
  expect(readdirSync(full)).toEqual(["mine.txt"]);
});

test("--from takes the packages of a folder of tarballs", () => {
  const tarballs = join(folder, "tarballs");
  expect(run("chip", "--into", join(folder, "none"), "--from", tarballs)).toMatchObject({
    code: 1,
    error: expect.stringContaining(`--from ${tarballs}: the folder cannot be read`) as unknown,
  });
  mkdirSync(tarballs);
  expect(run("chip", "--into", join(folder, "none"), "--from", tarballs)).toMatchObject({
    code: 1,
    error: expect.stringContaining("there is no tarball of muxkit") as unknown,
  });
  expect(existsSync(join(folder, "none"))).toBe(false);
  for (const name of ["muxkit", "muxkit-hal", "muxkit-opencl-c", "muxkit-x64-runtime"])
    writeFileSync(join(tarballs, `${name}-0.1.0.tgz`), "");
  const into = join(folder, "packed");
  expect(run("chip", "--into", into, "--from", tarballs)).toMatchObject({
    code: 0,
    out: expect.stringContaining("npm install") as unknown,
  });
  const manifest = (path: string): { readonly [list: string]: Readonly<Record<string, string>> | undefined } =>
    JSON.parse(readFileSync(join(into, path, "package.json"), "utf8")) as Record<string, Record<string, string>>;
  expect(manifest(".")["devDependencies"]?.["muxkit"]).toBe(`file:${tarballs}/muxkit-0.1.0.tgz`);
  expect(manifest(".")["overrides"]).toEqual({
    muxkit: `file:${tarballs}/muxkit-0.1.0.tgz`,
    "@muxkit/hal": `file:${tarballs}/muxkit-hal-0.1.0.tgz`,
    "@muxkit/opencl-c": `file:${tarballs}/muxkit-opencl-c-0.1.0.tgz`,
    "@muxkit/x64-runtime": `file:${tarballs}/muxkit-x64-runtime-0.1.0.tgz`,
  });
  expect(manifest("runtime")["dependencies"]?.["@muxkit/hal"]).toBe(`file:${tarballs}/muxkit-hal-0.1.0.tgz`);
});

describe("a target that was written", () => {
  const project = join(folder, "toy-chip");

  test("is there, with two packages", () => {
    expect(run("toy-chip", "--into", project)).toMatchObject({
      code: 0,
      out: expect.stringContaining("npm test") as unknown,
    });
    expect(existsSync(join(project, "README.md"))).toBe(true);
    expect(
      ["runtime", "compiler"].map(
        (half) =>
          (JSON.parse(readFileSync(join(project, half, "package.json"), "utf8")) as { readonly name: string }).name,
      ),
    ).toEqual(["toy-chip", "toy-chip-compiler"]);
    // Instead of npm install: the packages of this checkout.
    symlinkSync(join(root, "node_modules"), join(project, "node_modules"), "dir");
  });

  test("type-checks", () => {
    const { status, text } = inProject(
      project,
      join(root, "node_modules/@typescript/native/bin/tsc"),
      "-p",
      "tsconfig.json",
      "--customConditions",
      "source",
    );
    expect(text).toBe("");
    expect(status).toBe(0);
  });

  test("passes unitmux, the kernel suite and the tests of OpenCL", () => {
    const { status, text } = inProject(
      project,
      "--conditions=source",
      "--test",
      "--test-reporter=tap",
      "test/*.test.ts",
    );
    expect(text).toMatch(/^# fail 0$/mu);
    expect(Number(/^# pass (\d+)$/mu.exec(text)?.[1])).toBeGreaterThan(150);
    expect(status).toBe(0);
  }, 300_000);

  test("runs a program as the processor does", () => {
    const { status, text } = inProject(project, "--conditions=source", "main.ts");
    expect(text).toContain("toy-chip: sums of groups");
    expect(text).toContain("all 272 values agree, bit for bit");
    expect(status).toBe(0);
  });
});
