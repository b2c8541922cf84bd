// SPDX-License-Identifier: Apache-2.0
// `npx muxkit`, `npx clc` and `npx veczc` inside a clone: links in node_modules/.bin that run the sources.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const programs = ["muxkit", "clc", "veczc"];

/** A Node from outside this clone, which is what npx starts; the project's own where there is none. */
const outerNode =
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => !resolve(folder).startsWith(root))
    .map((folder) => join(folder, "node"))
    .find((file) => existsSync(file)) ?? process.execPath;

function run(program: string, ...args: readonly string[]): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(outerNode, [join(root, "scripts/clone", `${program}.mjs`), ...args], {
    encoding: "utf8",
  });
  return { status, output: stdout + stderr };
}

test("each program prints its help", () => {
  for (const program of programs) {
    const { status, output } = run(program, "--help");
    expect({ program, status }).toEqual({ program, status: 0 });
    expect(output).toContain(program);
  }
});

test("clc compiles from the sources, and exit codes pass through", () => {
  const folder = mkdtempSync(join(tmpdir(), "muxkit-clone-"));
  const input = join(folder, "a.cl");
  writeFileSync(input, "kernel void k(global int* x) { x[get_global_id(0)] = 1; }\n");
  expect(run("clc", input, "-o", join(folder, "a.bin"))).toMatchObject({ status: 0 });
  expect(readFileSync(join(folder, "a.bin")).length).toBeGreaterThan(100);
  writeFileSync(input, "kernel void k( {\n");
  expect(run("clc", input, "-o", join(folder, "b.bin")).status).toBe(1);
  expect(run("muxkit", "no-such-command").status).toBe(2);
  rmSync(folder, { recursive: true });
});

test("a target that muxkit creates uses the sources of the clone, with 64-bit addresses too", () => {
  const project = join(mkdtempSync(join(tmpdir(), "muxkit-clone-")), "clone-chip");
  const { status, output } = run("muxkit", "create-target", "clone-chip", "--into", project);
  expect(output).toContain("leave out npm install");
  expect(output).not.toContain("  npm install");
  expect(status).toBe(0);
  const info = join(project, "runtime/source/device-info.ts");
  writeFileSync(info, readFileSync(info, "utf8").replace("AddressBits = 32;", "AddressBits = 64;"));
  const npm = (...words: readonly string[]): string =>
    spawnSync("npm", words, {
      cwd: project,
      encoding: "utf8",
      shell: process.platform === "win32",
      env: { ...process.env, NODE_OPTIONS: undefined },
    }).stdout;
  expect(npm("start")).toContain("all 272 values agree, bit for bit");
  expect(npm("run", "types")).not.toContain("error");
  rmSync(join(project, ".."), { recursive: true });
});

test.skipIf(process.platform === "win32")("links are added where nothing is, and what is there stays", async () => {
  const clone = mkdtempSync(join(tmpdir(), "muxkit-clone-"));
  const bin = join(clone, "node_modules", ".bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "clc"), "own");
  const { linkPrograms } = (await import(pathToFileURL(join(root, "scripts/clone/link-programs.mjs")).href)) as {
    readonly linkPrograms: (root: string) => void;
  };
  linkPrograms(clone);
  linkPrograms(clone);
  expect(readFileSync(join(bin, "clc"), "utf8")).toBe("own");
  expect(readlinkSync(join(bin, "muxkit"))).toBe("../../scripts/clone/muxkit.mjs");
  expect(readlinkSync(join(bin, "veczc"))).toBe("../../scripts/clone/veczc.mjs");
  rmSync(clone, { recursive: true });
});
