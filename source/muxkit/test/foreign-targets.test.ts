// SPDX-License-Identifier: Apache-2.0
// Targets that others made, loaded by the bundled program: what `muxkit create-target` writes, as a file and as a
// package, on copies of the kit's packages of its own.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { main } from "../source/command/main.ts";
import { programOf } from "./kept-program.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const folder = mkdtempSync(join(tmpdir(), "muxkit-foreign-"));
const project = join(folder, "toy-chip");
const job = join(root, "benchmarks/suite/tiny/vecadd4.json");

interface Answer {
  readonly status: number | null;
  readonly out: string;
  readonly error: string;
}

function node(args: readonly string[], cwd: string, variables: Readonly<Record<string, string>> = {}): Answer {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--conditions=source", ...args], {
    cwd,
    encoding: "utf8",
    env: { ...process.env, MUXKIT_CACHE: join(folder, "cache"), ...variables },
  });
  return { status, out: stdout, error: stderr };
}

/** The bundled program in the project's folder. */
function muxkit(targets: string, ...args: readonly string[]): Answer {
  return node([programOf("cli")[1], ...args], project, { MUXKIT_TARGETS: targets });
}

function put(path: string, text: string): void {
  mkdirSync(join(project, path, ".."), { recursive: true });
  writeFileSync(join(project, path), text);
}

/** What a run left. */
function outputs(answer: Answer): unknown {
  expect(answer.error).toBe("");
  return (JSON.parse(answer.out) as { readonly outputs: unknown }).outputs;
}

beforeAll(() => {
  main(["create-target", "toy-chip", "--into", project], { out: () => undefined, error: () => undefined });
  // Instead of npm install: the packages of this checkout, and the target as a package.
  mkdirSync(join(project, "node_modules"));
  symlinkSync(join(root, "node_modules/@muxkit"), join(project, "node_modules/@muxkit"), "dir");
  put(
    "node_modules/toy-package/package.json",
    JSON.stringify({ name: "toy-package", type: "module", exports: "./index.js" }),
  );
  const script = `
    import { build } from "esbuild";
    await build({ entryPoints: [${JSON.stringify(join(project, "register.ts"))}], bundle: true,
        packages: "external", format: "esm",
        outfile: ${JSON.stringify(join(project, "node_modules/toy-package/index.js"))} });`;
  const { error } = node(["--input-type=module", "--eval", script], join(root, "source/muxkit"));
  if (error !== "") throw new Error(error);
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

test("muxkit info lists the device, and the setting that named it", () => {
  const { status, out } = muxkit("./register.ts", "info", "--json");
  expect(status).toBe(0);
  const { devices } = JSON.parse(out) as { readonly devices: readonly Readonly<Record<string, unknown>>[] };
  expect(devices.map(({ CL_DEVICE_NAME: name }) => name)).toEqual([expect.stringMatching(/^muxkit/u), "toy-chip"]);
  expect(devices[1]).toMatchObject({ CL_DEVICE_COMPILER_AVAILABLE: true, CL_DEVICE_SVM_CAPABILITIES: 0 });
  expect(muxkit("./register.ts", "info", "--config").out).toMatch(
    /^targets = \.\/register\.ts \(environment\)\n.*\n {2}MUXKIT_TARGETS;/mu,
  );
  expect(muxkit("", "info").out).not.toContain("toy-chip");
});

test("muxkit run runs on it, by the file and by the package: the same results as the processor's", () => {
  const own = outputs(muxkit("", "run", job, "--json", "--runs", "1"));
  for (const targets of ["./register.ts", "toy-package", " toy-package , ./register.ts,"]) {
    const answer = muxkit(targets, "run", job, "--json", "--runs", "1", "--device", "TOY");
    expect(JSON.parse(answer.out)).toMatchObject({ device: "toy-chip" });
    expect(outputs(answer)).toEqual(own);
  }
  expect(muxkit("toy-package", "run", job, "--device", "gpu")).toMatchObject({
    status: 1,
    error: expect.stringMatching(
      /no device name contains "gpu"; the devices are "muxkit[^"]*", "toy-chip"\. MUXKIT_TARGETS lists modules of further targets/u,
    ) as string,
  });
  expect(muxkit("toy-package", "run", job, "--device", "toy", "--explain")).toMatchObject({
    status: 2,
    error: expect.stringMatching(/omit --device/u) as string,
  });
});

test("clc --device compiles and links for it, and the binaries run", () => {
  put(
    "k.cl",
    `int twice(int x);
kernel void vecadd4(global const float4* a, global const float4* b, global float4* c) {
  size_t i = get_global_id(0);
  c[i] = a[i] + b[i] + twice(0);
}
`,
  );
  put("twice.cl", "int twice(int x) { return 2 * x; }\n");
  expect(muxkit("./register.ts", "compile", "--list-devices").out).toMatch(/^muxkit.*\ntoy-chip\n$/u);
  expect(muxkit("./register.ts", "compile", "-d", "toy", "k.cl", "twice.cl", "-o", "k.bin")).toEqual({
    status: 0,
    out: "",
    error: "",
  });
  expect(
    outputs(muxkit("./register.ts", "run", job, "--json", "--device", "toy", "--binary", "k.bin", "--runs", "1")),
  ).toEqual(outputs(muxkit("", "run", job, "--json", "--runs", "1")));
  // The same by clc itself, and what its code is not.
  const clc = (...args: readonly string[]): Answer =>
    node([programOf("clc")[1], ...args], project, { MUXKIT_TARGETS: "toy-package" });
  expect(clc("-d", "toy", "k.cl", "twice.cl", "-o", "again.bin")).toEqual({ status: 0, out: "", error: "" });
  expect(readFileSync(join(project, "again.bin"))).toEqual(readFileSync(join(project, "k.bin")));
  expect(clc("-d", "toy", "twice.cl", "--emit", "wasm")).toMatchObject({
    status: 1,
    error: expect.stringMatching(
      /^clc: twice\.cl: the code of this device is .*, not WebAssembly; use --emit binary\n$/u,
    ) as string,
  });
  expect(clc("-d", "gpu", "k.cl")).toMatchObject({
    status: 2,
    error: expect.stringMatching(/^clc: there is no device "gpu"; there are muxkit host.*, toy-chip\n$/u) as string,
  });
});

test("programs that open devices by the library have it too", () => {
  symlinkSync(join(root, "node_modules/muxkit"), join(project, "node_modules/muxkit"), "dir");
  put(
    "own.ts",
    `import { openDeviceSync } from "muxkit";
const device = openDeviceSync({ device: "toy-chip" });
const x = device.array(Int32Array.of(20, 21));
device.build("kernel void k(global int* x) { x[get_global_id(0)] *= 2; }").k(2, x);
console.log(device.name, [...x.readSync()].join(" "));
`,
  );
  expect(node(["own.ts"], project, { MUXKIT_TARGETS: "./register.ts" })).toEqual({
    status: 0,
    out: "toy-chip 40 42\n",
    error: "",
  });
});

test.each<readonly [targets: string, files: Readonly<Record<string, string>>, message: RegExp]>([
  [
    "gone",
    {},
    /MUXKIT_TARGETS: gone was not found from .*toy-chip: use a package that is installed there, or a path that begins with \./u,
  ],
  ["./gone.js", {}, /MUXKIT_TARGETS: \.\/gone\.js cannot be loaded: Cannot find module/u],
  [
    "./empty.js",
    { "empty.js": "export const other = 1;" },
    /\.\/empty\.js exports neither "targets" \(the runtime half\) nor "compilers"/u,
  ],
  [
    "./half.js",
    { "half.js": "export const targets = [{ name: 'x' }];" },
    /\.\/half\.js exports "targets", whose entry 0 is not valid: it needs getDeviceInfos, createDevice/u,
  ],
  [
    "./waits.js",
    { "waits.js": "await 1; export const targets = [];" },
    /\.\/waits\.js cannot be loaded: it has a top-level await/u,
  ],
  [
    "./wrong.js",
    { "wrong.js": "throw new Error('no chip is plugged in');" },
    /\.\/wrong\.js cannot be loaded: no chip is plugged in/u,
  ],
])(
  "%s is refused with a sentence",
  (targets, files, message) => {
    for (const [name, text] of Object.entries(files)) put(name, text);
    for (const args of [["info"], ["compile", "--list-devices"]])
      expect(muxkit(targets, ...args)).toMatchObject({ status: 1, error: expect.stringMatching(message) as string });
  },
  300_000,
);
