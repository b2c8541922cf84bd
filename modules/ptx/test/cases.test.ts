// SPDX-License-Identifier: Apache-2.0
// IR and the PTX that it becomes, by golden files. Where ptxas is installed it accepts each.
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { describeParseError, parseModule, verifyModule } from "@muxkit/ir";
import { generatePtx } from "@muxkit/ptx";
import { afterAll, describe, expect, test } from "vitest";

const folder = join(import.meta.dirname, "cases");
const files = globSync("*.ir", { cwd: folder }).toSorted();
const hasPtxas = spawnSync("ptxas", ["--version"]).status === 0;
const made = mkdtempSync(join(tmpdir(), "muxkit-ptx-"));
afterAll(() => {
  rmSync(made, { recursive: true });
});

function textOf(file: string): string {
  const parsed = parseModule(readFileSync(join(folder, file), "utf8"));
  if (!parsed.ok) throw new Error(`${file}: ${describeParseError(parsed.error)}`);
  expect(verifyModule(parsed.value)).toEqual([]);
  return generatePtx(parsed.value).text;
}

test.each(files)("%s", async (file) => {
  await expect(textOf(file)).toMatchFileSnapshot(join(folder, `${basename(file, ".ir")}.ptx`));
});

test("there are cases", () => {
  expect(files.length).toBeGreaterThan(5);
});

if (!hasPtxas) console.warn("ptxas is not on PATH: nothing compiles the generated PTX here");

describe.skipIf(!hasPtxas)("ptxas", () => {
  test.each(files)("accepts %s", (file) => {
    const path = join(made, `${file}.ptx`);
    writeFileSync(path, textOf(file));
    const { status, stderr } = spawnSync("ptxas", ["-arch=sm_90", "-o", `${path}.cubin`, path], { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  });
});

test("an op that a pass must lower is refused", () => {
  const parsed = parseModule(`module "m" pointers 8 8 8 8 8 size_t 64

kernel @k(%out: ptr<global>) {
  argument "out" "float*" pointer global size 8 align 8
^entry:
  %x = load %out {align 4}: f32
  %y = frem %x, %x: f32
  store %y, %out {align 4}
  ret
}
`);
  if (!parsed.ok) throw new Error(describeParseError(parsed.error));
  expect(() => generatePtx(parsed.value)).toThrow("there is no code for op");
});
