// SPDX-License-Identifier: Apache-2.0
// `.cl` files as modules: a consumer's project, compiled by `clc` and bundled by esbuild and Vite, type-checked, and
// run where no compiler is loaded.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { CompiledProgram, openDeviceSync } from "muxkit/runtime";
import { afterAll, beforeAll, expect, test } from "vitest";

import { typesOfModule } from "../source/compile/typed-module.ts";
import { compileProgram } from "../source/compile/compile-program.ts";
import { offlineDevices } from "../source/compile/offline-devices.ts";

const MUXKIT = resolve(import.meta.dirname, "..");
const MODULES = resolve(MUXKIT, "../../node_modules");
const CLC = join(MUXKIT, "source/clc.ts");

const SAXPY = `#include "factor.h"
kernel void saxpy(global float* y, global const float* x, float a) {
  size_t i = get_global_id(0);
  y[i] += FACTOR * a * x[i];
}
kernel void delete(global int* x) { x[get_global_id(0)] = 0; }
`;

/** Prints results, and whether anything that compiles was loaded. */
const MAIN = `import { openDevice } from "muxkit/runtime";
import program, { saxpy, delete as clear } from "./kernels.cl";

const device = await openDevice({ threads: 1 });
const [y, x, n] = [device.array(Float32Array.of(1, 2, 3)), device.array(Float32Array.of(10, 20, 30)),
    device.array(Int32Array.of(7, 8))];
saxpy(3, y, x, 0.5);
saxpy.on(device)({ global: [1] }, y, x, 1);
clear(2, n);
const said: string[] = [program.on(device).kernelNames.join()];
try {
  device.build("kernel void k() {}");
} catch (error) {
  said.push(error instanceof Error ? error.name : "");
}
console.log([...await y.read(), ...await n.read(), ...said].join(" "));
device.close();
`;
const ANSWER = "31 22 33 0 0 saxpy,delete CL_COMPILER_NOT_AVAILABLE\n";

/** Prints which modules were loaded, when the process ends. */
const SPY = `import { registerHooks } from "node:module";
const loaded = [];
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
process.on("exit", () => console.error(JSON.stringify(loaded)));
`;

const folder = mkdtempSync(join(tmpdir(), "muxkit-consumer-"));
const path = (name: string): string => join(folder, name);
beforeAll(() => {
  mkdirSync(path("node_modules/@types"), { recursive: true });
  symlinkSync(MUXKIT, path("node_modules/muxkit"), "dir");
  for (const name of ["esbuild", "vite"]) symlinkSync(join(MODULES, name), path(`node_modules/${name}`), "dir");
  symlinkSync(join(MODULES, "@types/node"), path("node_modules/@types/node"), "dir");
  writeFileSync(path("package.json"), '{ "type": "module" }');
  writeFileSync(path("kernels.cl"), SAXPY);
  writeFileSync(path("factor.h"), "#define FACTOR 2.0f\n");
  writeFileSync(path("main.ts"), MAIN);
  writeFileSync(path("spy.mjs"), SPY);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const node = (...args: readonly string[]): ReturnType<typeof spawnSync> =>
  spawnSync(process.execPath, ["--conditions=source", ...args], { cwd: folder, encoding: "utf8" });

/** Runs a module; what it loads has nothing that compiles. */
function expectAnswer(file: string): void {
  const { stdout, stderr, status } = node("--import", "./spy.mjs", file);
  expect(status, String(stderr)).toBe(0);
  expect(stdout).toBe(ANSWER);
  const loaded = JSON.parse(String(stderr).trim().split("\n").at(-1) ?? "") as readonly string[];
  expect(loaded.some((url) => url.includes("/modules/host/"))).toBe(true);
  expect(
    loaded.filter((url) =>
      /\/(?:modules\/(?:host-compiler|work-item-lowering|compiler-base|opencl-c|passes|vecz|wasm|ir|builtins|abacus|builtin-table|interpreter)|source\/muxkit\/source\/(?:compile|own-compiler|compiler-part|late-compiler))\b/u.test(
        url,
      ),
    ),
  ).toEqual([]);
}

/** The output of the type checker. */
function typeErrors(...files: readonly string[]): string {
  const config = {
    compilerOptions: {
      target: "es2024",
      lib: ["es2024"],
      module: "esnext",
      moduleResolution: "bundler",
      customConditions: ["source"],
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: ["node"],
      allowImportingTsExtensions: true,
      erasableSyntaxOnly: true,
    },
    files,
  };
  writeFileSync(path("tsconfig.json"), JSON.stringify(config));
  const { status, stdout, stderr } = spawnSync(join(MODULES, ".bin/tsc"), ["-p", "."], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(status === 0, stderr).toBe(stdout === "");
  return stdout;
}

test("clc writes a module and its types; the module needs no compiler", () => {
  expect(node(CLC, "kernels.cl", "--emit", "esm,dts")).toMatchObject({ status: 0, stdout: "", stderr: "" });
  writeFileSync(path("direct.ts"), MAIN.replace('"./kernels.cl"', '"./kernels.cl.js"'));
  expectAnswer("direct.ts");
  expect(readFileSync(path("kernels.cl.d.ts"), "utf8"))
    .toBe(`// Kernels of kernels.cl. Written by clc; changes are lost.
import type { CompiledKernel, CompiledProgram, DeviceArray } from "muxkit/runtime";

/** The program itself. */
declare const program: CompiledProgram;
/** \`kernel void saxpy(global float* y, global const float* x, float a)\` */
declare const kernel0: CompiledKernel<[y: DeviceArray<Float32Array> | null, x: DeviceArray<Float32Array> | null, \
a: number]>;
/** \`kernel void delete(global int* x)\` */
declare const kernel1: CompiledKernel<[x: DeviceArray<Int32Array> | null]>;
export { program as default, kernel0 as saxpy, kernel1 as delete };
`);
  const first = readFileSync(path("kernels.cl.js"));
  expect(node(CLC, "kernels.cl", "--emit", "esm,dts").status).toBe(0);
  expect(readFileSync(path("kernels.cl.js"))).toEqual(first);
});

test("with esbuild: kernels are imported from .cl files, with types; headers are watched; errors have their location", () => {
  rmSync(path("kernels.cl.d.ts"), { force: true });
  writeFileSync(
    path("build.ts"),
    `import { build } from "esbuild";
import { kernels } from "muxkit/esbuild";
const result = await build({ entryPoints: [process.argv[2] ?? ""], outfile: "out/esbuild.mjs", bundle: true,
    format: "esm", platform: "node", packages: "external", plugins: [kernels()], metafile: true,
    logLevel: "silent" }).catch((error) => error);
console.log(JSON.stringify({ errors: result.errors, inputs: Object.keys(result.metafile?.inputs ?? {}) }));
`,
  );
  expect(JSON.parse(String(node("build.ts", "main.ts").stdout))).toEqual({
    errors: [],
    inputs: ["kernels.cl", "main.ts"],
  });
  expectAnswer("out/esbuild.mjs");
  expect(readFileSync(path("kernels.cl.d.ts"), "utf8")).toContain(
    "export { program as default, kernel0 as saxpy, kernel1 as delete };",
  );
  expect(typeErrors("main.ts", "build.ts")).toBe("");
  writeFileSync(
    path("wrong.ts"),
    MAIN.replace("saxpy(3, y, x, 0.5)", 'saxpy(3, y, x, "0.5")')
      .replace("clear(2, n)", "clear(2, y)")
      .replace("{ saxpy,", "{ saxpy, saxpi,"),
  );
  const errors = typeErrors("wrong.ts");
  expect(errors).toMatch(/'string' is not assignable to parameter of type 'number'/u);
  expect(errors).toMatch(
    /'DeviceArray<Float32Array.*' is not assignable to parameter of type 'DeviceArray<Int32Array/u,
  );
  expect(errors).toMatch(/has no exported member (?:named )?'saxpi'/u);

  writeFileSync(
    path("broken.cl"),
    `kernel void k(global int* x) {
  *x = y;
}
`,
  );
  writeFileSync(path("broken.ts"), 'import "./broken.cl";\n');
  const told = JSON.parse(String(node("build.ts", "broken.ts").stdout)) as { readonly errors: readonly unknown[] };
  expect(told.errors).toMatchObject([
    {
      pluginName: "muxkit",
      text: '"y" is not declared [CL2001]',
      location: { file: "broken.cl", line: 2, column: 7, length: 1, lineText: "  *x = y;" },
    },
  ]);
});

const vite = (entry: string): ReturnType<typeof spawnSync> =>
  spawnSync(
    process.execPath,
    ["--conditions=source", join(MODULES, "vite/bin/vite.js"), "build", "--configLoader", "native"],
    { cwd: folder, encoding: "utf8", env: { ...process.env, ENTRY: entry } },
  );

test("with Vite: the same", () => {
  writeFileSync(
    path("vite.config.ts"),
    `import { kernels } from "muxkit/vite";
import { defineConfig } from "vite";
export default defineConfig({ plugins: [kernels({ options: "-D TWICE", declarations: false })],
    build: { ssr: process.env["ENTRY"] ?? "main.ts", outDir: "out/vite",
    rolldownOptions: { external: [/^muxkit/] } }, logLevel: "warn" });
`,
  );
  const done = vite("main.ts");
  expect(done.status, String(done.stderr)).toBe(0);
  expectAnswer("out/vite/main.js");
  expect(typeErrors("vite.config.ts")).toBe("");
  writeFileSync(
    path("broken.cl"),
    `kernel void k(global int* x) {
  *x = y;
}
`,
  );
  writeFileSync(path("broken.ts"), 'import "./broken.cl";\n');
  const failed = vite("broken.ts");
  expect(failed.status).not.toBe(0);
  expect(String(failed.stderr)).toMatch(/\[plugin muxkit\] .*broken\.cl:2:7[^]*is not declared \[CL2001\]/u);
});

test("declarations are written when they change, and not else", () => {
  const old = new Date(1e12);
  expect(node("build.ts", "main.ts").status).toBe(0);
  utimesSync(path("kernels.cl.d.ts"), old, old);
  expect(node("build.ts", "main.ts").status).toBe(0);
  expect(execFileSync("stat", ["-c", "%Y", path("kernels.cl.d.ts")], { encoding: "utf8" })).toBe("1000000000\n");
});

test("types of arguments of every kind", () => {
  const [device] = offlineDevices();
  if (device === undefined) throw new Error("the list of devices is empty");
  const source = `typedef struct { float a; int b[3]; } S; typedef float real;
kernel void k(global uchar4* a, constant long* b, local half* c, global S* d, S e, float4 f, unsigned int g,
    ulong h, read_only image2d_t i, sampler_t j, real m, global unsigned short* n, global void* o, char p,
    global real* class) {
}`;
  const { program } = compileProgram({ program: { file: "all.cl", kind: "cl", text: source }, words: [], device });
  const text = typesOfModule("all.cl", program?.kernels ?? []);
  expect(/CompiledKernel<\[(.*)\]>/u.exec(text)?.[1]?.split(/, (?=\w+: )/u)).toEqual([
    "a: DeviceArray<Uint8Array | Uint8ClampedArray> | null",
    "b: DeviceArray<BigInt64Array> | null",
    "c: LocalMemory",
    "d: DeviceArray | null",
    "e: Value",
    "f: readonly (number | bigint)[] | ArrayBufferView",
    "g: number",
    "h: number | bigint",
    "i: DeviceImage",
    "j: Sampler",
    "m: Value",
    "n: DeviceArray<Uint16Array> | null",
    "o: DeviceArray | null",
    "p: number",
    "argument14: DeviceArray | null",
  ]);
  expect(text).toContain(
    "import type { CompiledKernel, CompiledProgram, DeviceArray, DeviceImage, LocalMemory, Sampler, Value } from",
  );
});

test("a kernel without arrays names its device; a program is loaded once a device", () => {
  const [info] = offlineDevices();
  if (info === undefined) throw new Error("the list of devices is empty");
  const { program } = compileProgram({
    program: {
      file: "k.cl",
      kind: "cl",
      text: `kernel void k(int n) {}
    kernel void set(global int* x, int n) { x[0] = n; }`,
    },
    words: [],
    device: info,
  });
  const compiled = new CompiledProgram(Buffer.from(program?.binary(false) ?? []).toString("base64"));
  expect(compiled.binary).toEqual(program?.binary(false));
  const device = openDeviceSync({ threads: 1 });
  const kernel = compiled.kernel<[number]>("k");
  expect(() => kernel(1, 5)).toThrow(/k\.on\(device\)/u);
  kernel.on(device)(1, 5);
  expect(compiled.on(device)).toBe(compiled.on(device));
  expect(() => compiled.kernel("none").on(device)).toThrow(expect.objectContaining({ name: "CL_INVALID_KERNEL_NAME" }));
  const other = openDeviceSync({ threads: 1, isolated: true });
  const [here, there] = [device.array(Int32Array, 1), other.array(Int32Array, 1)];
  const set = compiled.kernel<[typeof here, number]>("set");
  set(1, here, 3);
  set(1, there, 4);
  expect([...here.readSync(), ...there.readSync()]).toEqual([3, 4]);
  for (const one of [device, other]) one.close();
});
