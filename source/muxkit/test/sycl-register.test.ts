// SPDX-License-Identifier: Apache-2.0
// Programs that Node runs from TypeScript files: `--import muxkit/sycl/register` compiles their kernels when they are
// loaded, and runs them as JavaScript too; errors in kernels point into the file.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, expect, test } from "vitest";

const TIMEOUT = 120_000;
// Below the package, so that its own names are found.
const folder = mkdtempSync(join(fileURLToPath(new URL(".", import.meta.url)), "register-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const PROGRAM = `import { Buffer, Queue, float, int, kernel, range, type Accessor, type Item } from "muxkit/sycl";

const saxpy = kernel((item: Item<1>, a: float, x: Accessor<float, "read">, y: Accessor<float, "read_write">) => {
  const i = item.getId(0);
  const half = int(i / 2);
  y[i] = a * x[i]! + y[i]! + float(half);
});

const y = Float32Array.of(1, 1, 1, 1);
using queue = new Queue();
{
  using from = new Buffer(Float32Array.of(1, 2, 3, 4));
  using to = new Buffer(y);
  queue.submit((handler) => {
    handler.parallelFor(range(4), saxpy, 2, from.getAccess(handler, "read"), to.getAccess(handler, "read_write"));
  });
}
console.log([...y].join());
`;

function run(name: string, text: string, ...options: string[]): { output: string; errors: string } {
  const file = join(folder, name);
  writeFileSync(file, text);
  const { stdout, stderr } = spawnSync(process.execPath, ["--conditions=source", ...options, file], {
    encoding: "utf8",
    timeout: TIMEOUT,
    env: { ...process.env, MUXKIT_CACHE: "off", NODE_OPTIONS: "" },
  });
  return { output: stdout, errors: stderr };
}

const REGISTER = ["--import", "muxkit/sycl/register"];

test("a kernel is compiled when its file is loaded", () => {
  const { output, errors } = run("program.ts", PROGRAM, ...REGISTER);
  expect(errors).toBe("");
  expect(output).toBe("3,5,8,10\n");
});

test("an error in a kernel has its place in the file", () => {
  const { output, errors } = run("wrong.ts", PROGRAM.replace("int(i / 2)", "i / 2"), ...REGISTER);
  expect(output).toBe("");
  expect(errors).toMatch(/wrong\.ts:5:\d+/u);
  expect(errors).toContain("int(a / b)");
});

test("without the hook the launch says how to compile kernels", () => {
  const { output, errors } = run("plain.ts", PROGRAM);
  expect(output).toBe("");
  expect(errors).toContain("muxkit/sycl/register");
});
