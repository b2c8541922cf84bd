// SPDX-License-Identifier: Apache-2.0
// `clc --target x86_64-linux`: programs in C link the objects and give what the device gives; tools of the system find
// the lines of the source; mistakes are told in one sentence.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { readExecutable, writeExecutable } from "@muxkit/metadata";
import { readCodeObject } from "@muxkit/x64-assembler";
import { openDeviceSync } from "muxkit";
import { afterAll, beforeEach, expect, test } from "vitest";

import { COMPILE } from "../source/command/compile.ts";
import { runCommand } from "../source/command/main.ts";
import { programEnvironment, programOf } from "./kept-program.ts";

const SOURCE = `#pragma OPENCL FP_CONTRACT OFF
typedef struct { char a; int b; short c; } Mixed;
constant int table[4] = {7, 11, 13, 17};
global int counter = 5;
global int* global where = &counter;

kernel void saxpy(global float* y, global const float* x, float a) {
  size_t i = get_global_id(0);
  y[i] += a * sin(x[i]);
}

kernel void reduce(global float* out, global const float* in, local float* scratch) {
  local float all[16];
  uint i = get_local_id(0), n = get_local_size(0);
  scratch[i] = in[get_global_id(0)];
  for (uint half_n = n / 2; half_n > 0; half_n /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < half_n) scratch[i] += scratch[i + half_n];
  }
  if (i == 0) all[get_group_id(0) & 15] = scratch[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = all[get_group_id(0) & 15] * (float)(i + 1);
}

kernel __attribute__((reqd_work_group_size(8, 4, 1)))
void matrix(global double* out, global const double* in, int width, double4 shift) {
  int x = get_global_id(0), y = get_global_id(1);
  double d = in[y * width + x] + shift.z;
  out[y * width + x] = sqrt(d) / (in[x * width + y] + shift.x) + shift.w;
}

kernel void mixed(global int* out, Mixed m, uchar3 v, long n, ushort class) {
  int i = get_global_id(0) - get_global_offset(0);
  atomic_add(where, 1);
  out[i] = table[i & 3] * m.b + m.a - m.c + v.z * class + (int)(n >> 32);
  if (i == 0) out[get_global_size(0)] = *where > 5;
}

kernel void pixels(global uint4* out, read_only image2d_t image, sampler_t sampler) {
  int x = get_global_id(0), y = get_global_id(1);
  out[y * 4 + x] = read_imageui(image, sampler, (int2)(x - 1, y));
}
`;

const N = 64;
const PROGRAM = `#include <pthread.h>
#include <stdio.h>
#include "all.cl.h"

static int failed(int result) {
  if (result == MUXKIT_DONE) return 0;
  printf("%s\\n", muxkit_message(result));
  return 1;
}
static void show(const muxkit_memory *memory, uint32_t address, unsigned words) {
  const uint32_t *list = (const uint32_t *)muxkit_pointer(memory, address);
  for (unsigned i = 0; i < words; i++) printf("%x ", (unsigned)list[i]);
  printf("\\n");
}
struct part { const muxkit_launch *launch; uint32_t thread; int result; };
static void *run_part(void *given) {
  struct part *part = (struct part *)given;
  const uint32_t half = part->launch->groups / 2, first = part->thread * half;
  part->result = muxkit_groups(part->launch, part->thread, first, part->thread == 0 ? half : part->launch->groups);
  return NULL;
}

int main(void) {
  muxkit_memory memory;
  muxkit_program program;
  muxkit_launch launch;
  struct part parts[2];
  pthread_t other;
  if (failed(muxkit_reserve(&memory, 1 << 20)) || failed(all_load(&program, &memory))) return 1;
  const uint32_t in = muxkit_allocate(&memory, ${8 * N}), out = muxkit_allocate(&memory, ${8 * N});
  float *floats = (float *)muxkit_pointer(&memory, in), *results = (float *)muxkit_pointer(&memory, out);

  for (int i = 0; i < ${N}; i++) floats[i] = (float)i * 0.25f - 3.0f, results[i] = (float)i;
  struct saxpy_args saxpy_args;
  saxpy_args.y = out;
  saxpy_args.x = in;
  saxpy_args.a = 1.5f;
  const uint32_t top = memory.top;
  if (failed(saxpy_begin(&launch, &program, &saxpy_args, muxkit_make_size(0, 0, 0), muxkit_make_size(${N - 3}, 1, 1),
                         muxkit_make_size(8, 1, 1), 2))) return 1;
  for (uint32_t i = 0; i < 2; i++) parts[i].launch = &launch, parts[i].thread = i;
  pthread_create(&other, NULL, run_part, &parts[1]);
  run_part(&parts[0]);
  pthread_join(other, NULL);
  if (failed(parts[0].result) || failed(parts[1].result)) return 1;
  muxkit_end(&launch);
  printf("%d\\n", memory.top == top);
  show(&memory, out, ${N});

  struct reduce_args reduce_args;
  reduce_args.out = out;
  reduce_args.in = in;
  reduce_args.scratch = 16 * 4;
  if (failed(reduce_run(&program, &reduce_args, muxkit_make_size(${N}, 1, 1), muxkit_make_size(16, 1, 1)))) return 1;
  show(&memory, out, ${N});

  double *doubles = (double *)muxkit_pointer(&memory, in);
  for (int i = 0; i < ${N}; i++) doubles[i] = (double)i / 7.0;
  struct matrix_args matrix_args;
  matrix_args.out = out;
  matrix_args.in = in;
  matrix_args.width = 8;
  for (int i = 0; i < 4; i++) matrix_args.shift[i] = 0.125 * (i + 1);
  printf("%d\\n", matrix_run(&program, &matrix_args, muxkit_make_size(8, 8, 1), muxkit_make_size(4, 8, 1)));
  if (failed(matrix_run(&program, &matrix_args, muxkit_make_size(8, 8, 1), muxkit_make_size(8, 4, 1)))) return 1;
  show(&memory, out, ${2 * N});

  struct mixed_args mixed_args;
  mixed_args.out = out;
  const struct { signed char a; int b; short c; } value = {3, -100000, 21};
  memcpy(mixed_args.m, &value, sizeof(value));
  mixed_args.v[2] = 200;
  mixed_args.n = INT64_C(-3) * (INT64_C(1) << 32);
  mixed_args.class_ = 40000;
  if (failed(mixed_begin(&launch, &program, &mixed_args, muxkit_make_size(100, 0, 0), muxkit_make_size(21, 1, 1),
                         muxkit_make_size(4, 1, 1), 1))) return 1;
  if (failed(muxkit_groups(&launch, 0, 0, 2)) || failed(muxkit_groups(&launch, 0, 2, launch.groups))) return 1;
  muxkit_end(&launch);
  show(&memory, out, 22);

  unsigned char *bytes = (unsigned char *)muxkit_pointer(&memory, in);
  for (int i = 0; i < 48; i++) bytes[i] = (unsigned char)(5 * i);
  struct pixels_args pixels_args;
  memset(&pixels_args, 0, sizeof(pixels_args));
  pixels_args.out = out;
  pixels_args.image.pixels = in;
  pixels_args.image.width = 4;
  pixels_args.image.height = 3;
  pixels_args.image.slices = 1;
  pixels_args.image.row_pitch = pixels_args.image.slice_pitch = 16;
  pixels_args.image.channel_order = 0x10b5;
  pixels_args.image.channel_type = 0x10da;
  pixels_args.image.pixel_bytes = 4;
  pixels_args.image.channels = 4;
  pixels_args.sampler = 0x12;
  if (failed(pixels_run(&program, &pixels_args, muxkit_make_size(4, 3, 1), muxkit_make_size(4, 1, 1)))) return 1;
  show(&memory, out, 48);

  const muxkit_size one = muxkit_make_size(1, 1, 1);
  printf("%d\\n", saxpy_run(&program, &saxpy_args, muxkit_make_size(0, 1, 1), one));
  printf("%d\\n", saxpy_run(&program, &saxpy_args, one, muxkit_make_size(1025, 1, 1)));
  reduce_args.scratch = 1 << 24;
  printf("%d\\n", reduce_run(&program, &reduce_args, one, one));
  printf("%u\\n", (unsigned)muxkit_allocate(&memory, 1 << 20));
  muxkit_release(&memory);
  return 0;
}
`;

const root = mkdtempSync(join(tmpdir(), "clc-native-"));
let folder = root;
beforeEach(() => {
  folder = mkdtempSync(join(root, "test-"));
});
afterAll(() => {
  rmSync(root, { recursive: true });
});

function put(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** Runs `clc` in this process. */
function clc(...args: readonly string[]): { readonly code: number; readonly out: string; readonly error: string } {
  let out = "";
  let error = "";
  const code = runCommand("clc", COMPILE, args, {
    out: (text) => {
      out += text;
    },
    error: (text) => {
      error += text;
    },
  });
  return { code, out, error };
}

function areInstalled(...programs: readonly string[]): boolean {
  const missing = programs.filter((program) => spawnSync(program, ["--version"]).status !== 0);
  if (missing.length > 0) process.stderr.write(`!! ${missing.join(", ")}: not installed, tests are skipped\n`);
  return missing.length === 0;
}

/** Whether the machine runs the code: the flags that `muxkit_runs_here` asks for. */
function canRun(): boolean {
  const flags =
    process.platform === "linux" && process.arch === "x64" ? readFileSync("/proc/cpuinfo", "utf8") : "nothing";
  const needed = ["avx2", "fma", "f16c", "bmi1", "bmi2", "abm", "popcnt", "fsgsbase"];
  const missing = needed.filter((name) => !new RegExp(`^flags.*\\b${name}\\b`, "mu").test(flags));
  if (missing.length > 0) process.stderr.write(`!! no ${missing.join(", ")} here: native code is not run\n`);
  return missing.length === 0;
}

/** Runs a program in the test's folder; it must succeed. */
function run(program: string, ...args: readonly string[]): string {
  const env = { ...process.env, LC_ALL: "C", LD_LIBRARY_PATH: folder, DEBUGINFOD_URLS: "" };
  const { status, signal, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: "utf8", env });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${signal ?? status}\n${stdout}${stderr}`);
  return stdout;
}

const hasTools = areInstalled("gcc", "g++", "objdump", "addr2line");
const runs = hasTools && canRun();

function words(bytes: ArrayBufferView): string {
  return [...new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)]
    .map((word) => `${word.toString(16)} `)
    .join("");
}

/** What the program in C has to print, from the device. */
function expected(): string {
  const device = openDeviceSync({ threads: 1 });
  try {
    const kernels = device.program(SOURCE, { options: "-cl-std=CL3.0" });
    const lines: string[] = [];
    const floats = Float32Array.from({ length: N }, (_, i) => i * 0.25 - 3);
    const y = device.array(Float32Array.from({ length: N }, (_, i) => i));
    kernels.kernel("saxpy")({ global: N - 3, local: 8 }, y, device.array(floats), 1.5);
    lines.push("1", words(y.readSync()));
    kernels.kernel("reduce")({ global: N, local: 16 }, y, device.array(floats), { localBytes: 64 });
    lines.push(words(y.readSync()));
    const doubles = device.array(Float64Array.from({ length: N }, (_, i) => i / 7));
    const matrix = device.array(Float64Array, N);
    const shift = [0.125, 0.25, 0.375, 0.5];
    kernels.kernel("matrix")({ global: [8, 8], local: [8, 4] }, matrix, doubles, 8, shift);
    lines.push("4", words(matrix.readSync()));
    const out = device.array(Int32Array, 22);
    const value = new Uint8Array(12);
    new DataView(value.buffer).setInt8(0, 3);
    new DataView(value.buffer).setInt32(4, -100000, true);
    new DataView(value.buffer).setInt16(8, 21, true);
    kernels.kernel("mixed")(
      { global: 21, local: 4, offset: 100 },
      out,
      value,
      Uint8Array.of(0, 0, 200, 0),
      -3n << 32n,
      40000,
    );
    lines.push(words(out.readSync()));
    const pixels = Uint32Array.from({ length: 48 }, (_, i) => {
      const [at, channel] = [i >> 2, i & 3];
      const x = Math.max(0, (at & 3) - 1);
      return 5 * (16 * (at >> 2) + 4 * x + channel);
    });
    return `${[...lines, words(pixels), "4", "4", "3", "0"].join("\n")}\n`;
  } finally {
    device.close();
  }
}

test.skipIf(!runs)("a program in C gives what the device gives: as C11, as C++, by the shared object", () => {
  const file = put("all.cl", SOURCE);
  put("main.c", PROGRAM);
  expect(clc("--target", "x86_64-linux", "-cl-std=CL3.0", file)).toEqual({ code: 0, out: "", error: "" });
  expect(readdirSync(folder).toSorted()).toEqual(["all.cl", "all.cl.h", "all.cl.o", "main.c"]);
  const wanted = expected();
  const strict = ["-Wall", "-pedantic", "-Wextra", "-Werror", "-O1", "-pthread"];
  run("gcc", "-std=c11", ...strict, "main.c", "all.cl.o", "-Wl,--fatal-warnings", "-o", "main");
  expect(run("./main")).toBe(wanted);
  run("g++", "-std=c++11", ...strict, "-x", "c++", "main.c", "-x", "none", "all.cl.o", "-o", "main");
  expect(run("./main")).toBe(wanted);
  expect(clc("-o", join(folder, "liball.so"), "--target=x86_64-linux", "-cl-std=CL3.0", file).code).toBe(0);
  run("gcc", "-std=gnu17", ...strict, "main.c", "-L.", "-lall", "-o", "main");
  expect(run("./main")).toBe(wanted);
});

const STRAY = `#include <stdio.h>
#include "k.h"
int main(int count, char **words) {
  muxkit_memory memory;
  muxkit_program program;
  struct put_args args = {0, 1};
  if (muxkit_reserve(&memory, 8192) || whole_load(&program, &memory)) return 2;
  const uint32_t places[] = {8188, 0, 8192, 0xfffffffcu};
  args.x = places[words[count - 1][0] - 'a'];
  args.value = 7;
  const muxkit_size one = muxkit_make_size(1, 1, 1);
  const int result = put_run(&program, &args, one, one);
  return result == MUXKIT_DONE && *(uint32_t *)muxkit_pointer(&memory, args.x) == 7 ? 0 : 3;
}
`;

test.skipIf(!runs)("a stray access is a SIGSEGV, and debuggers show the line", () => {
  const file = put("whole.cl", "kernel void put(global int* x, int value) {\n  *x = value;\n}\n");
  put("main.c", STRAY);
  expect(clc("--target", "x86_64-linux", "-o", join(folder, "k.h"), file).code).toBe(0);
  expect(clc("--target", "x86_64-linux", "-o", join(folder, "k.o"), file).code).toBe(0);
  run("gcc", "-g", "-Wall", "-Werror", "main.c", "k.o", "-o", "main");
  const endOf = (word: string): number | string | null => {
    const { status, signal } = spawnSync("./main", [word], { cwd: folder });
    return signal ?? status;
  };
  // Usable memory; the null pointer; behind what is usable; the last word of all.
  expect(["a", "b", "c", "d"].map(endOf)).toEqual([0, "SIGSEGV", "SIGSEGV", "SIGSEGV"]);
  if (!areInstalled("gdb")) return;
  expect(run("gdb", "-batch", "-ex", "run c", "-ex", "backtrace", "main")).toMatch(
    /SIGSEGV[^]*\n#0 .*put\.groups.*whole\.cl:2\n[^]* main /u,
  );
});

test.skipIf(!runs)("the example draws what the device draws", () => {
  const example = resolve(import.meta.dirname, "../../../examples/ahead-of-time");
  const file = join(example, "mandelbrot.cl");
  expect(clc("--target", "x86_64-linux", "-o", folder, file)).toEqual({ code: 0, out: "", error: "" });
  run("gcc", "-O2", "-Wall", "-Werror", "-I", folder, join(example, "main.c"), "mandelbrot.cl.o", "-o", "main");
  const device = openDeviceSync({ threads: 1 });
  const letters = device.array(Int8Array, 78 * 24);
  device.program(readFileSync(file, "utf8")).kernel("mandelbrot")([78, 24], letters, -2.1, -1.05, 0.04);
  const text = String.fromCodePoint(...letters.readSync());
  device.close();
  expect(run("./main")).toBe(Array.from({ length: 24 }, (_, y) => `${text.slice(78 * y, 78 * (y + 1))}\n`).join(""));
});

test.skipIf(!hasTools)("objdump and addr2line show OpenCL C; so does the text", () => {
  const file = put(
    "k.cl",
    "kernel void half_of(global float* x) {\n  x[get_global_id(0)] =\n    0.375f * x[get_global_id(0)];\n}\n",
  );
  expect(clc("--emit", "elf,so,asm", "-o", folder, file)).toEqual({ code: 0, out: "", error: "" });
  expect(run("objdump", "-dl", "k.cl.o")).toMatch(/k\.cl:3\n(?:.*\n)*?.*\tv?mul[sp]s /u);
  const [, from = ""] = /^0*([\da-f]+) <half_of>:/mu.exec(run("objdump", "-d", "k.cl.so")) ?? [];
  expect(run("addr2line", "-fe", "k.cl.so", from)).toMatch(/^half_of\n.*k\.cl:[123]\n$/u);
  expect(run("objdump", "-p", "k.cl.so")).toMatch(/SONAME +k\.cl\.so\n/u);
  const text = readFileSync(join(folder, "k.cl.ir"), "utf8");
  expect(text).toMatch(/# .*k\.cl:3: 0\.375f \* x\[get_global_id\(0\)\];\n/u);
});

/** What a binary's `saxpy` makes of two numbers, with or without native code. */
function callSaxpy(binary: Uint8Array, native: "on" | "off"): readonly number[] {
  const device = openDeviceSync({ threads: 1, engine: { native } });
  try {
    const [y, x] = [device.array(Float32Array.of(1, 2)), device.array(Float32Array.of(1, 3))];
    device.program(binary).kernel("saxpy")(2, y, x, 0.5);
    return [...y.readSync()];
  } finally {
    device.close();
  }
}

test("a binary has native code beside WebAssembly, which runs where there is none", () => {
  const file = put("all.cl", SOURCE);
  expect(clc("--target", "x86_64-linux", "--emit", "binary", "-cl-std=CL3.0", file).error).toBe("");
  const bytes = new Uint8Array(readFileSync(`${file}.bin`));
  const image = readExecutable(bytes);
  if (!image.ok) throw new Error(image.error.message);
  const native = image.value.code.find(({ name }) => name === ".x64.3");
  expect(native?.features).toEqual(["x64.3"]);
  const code = readCodeObject(native?.bytes ?? new Uint8Array(0));
  expect(code.ok && [...code.value.entries.keys()].toSorted()).toEqual([
    "matrix",
    "mixed",
    "pixels",
    "reduce",
    "saxpy",
  ]);
  for (const { variants } of image.value.kernels) {
    expect(variants[0]?.section).toBe(".wasm");
    expect(variants.at(-1)).toMatchObject({ section: ".x64.3", engineFeatures: ["x64.3"] });
  }
  const wanted = callSaxpy(bytes, "off");
  expect(wanted[0]).toBeCloseTo(1 + Math.sin(1) / 2);
  // Without WebAssembly in it nothing else can have run.
  const nativeOnly = writeExecutable({
    ...image.value,
    features: ["x64.3"],
    code: image.value.code.filter(({ name }) => name === ".x64.3"),
    kernels: image.value.kernels.map((kernel) => ({
      ...kernel,
      variants: kernel.variants.filter(({ section }) => section === ".x64.3"),
    })),
    extraBlocks: [],
  });
  expect(() => callSaxpy(nativeOnly, "off")).toThrow("MUXKIT_NATIVE");
  if (!runs) return;
  expect(callSaxpy(nativeOnly, "on")).toEqual(wanted);
  expect(callSaxpy(bytes, "on")).toEqual(wanted);
});

test("a binary has code of several tiers, of which devices take the best that they run", () => {
  const file = put("tiers.cl", SOURCE);
  const options = ["--target", "x86_64-linux", "--tier", "x64.4,x64.3", "--emit", "binary", "-cl-std=CL3.0"];
  expect(clc(...options, file).error).toBe("");
  const bytes = new Uint8Array(readFileSync(`${file}.bin`));
  const image = readExecutable(bytes);
  if (!image.ok) throw new Error(image.error.message);
  const native = image.value.code.filter(({ name }) => name.startsWith(".x64."));
  expect(native.map(({ name, features }) => [name, features])).toEqual([
    [".x64.3", ["x64.3"]],
    [".x64.4", ["x64.3", "x64.4"]],
  ]);
  const wanted = callSaxpy(bytes, "off");
  expect(runs ? callSaxpy(bytes, "on") : wanted).toEqual(wanted);
});

test("code for programs in C has one tier", () => {
  const file = put("wide.cl", SOURCE);
  const options = ["--target", "x86_64-linux", "--emit", "asm", "-cl-std=CL3.0"];
  expect(clc(...options, "--tier", "x64.4", "-o", join(folder, "wide.s"), file).error).toBe("");
  expect(readFileSync(join(folder, "wide.s"), "utf8")).toContain("zmm");
  expect(
    clc(
      "--target",
      "x86_64-linux",
      "--tier",
      "x64.4",
      "-cl-std=CL3.0",
      "--emit",
      "header",
      "-o",
      join(folder, "wide.h"),
      file,
    ).error,
  ).toBe("");
  expect(readFileSync(join(folder, "wide.h"), "utf8")).toContain("if (!muxkit_runs_wide()) return");
  expect(clc(...options, "--tier", "x64.3,x64.4", file).error).toContain("--tier takes one tier for programs in C");
  expect(clc(...options, "--tier", "x64.9", file).error).toContain('--tier takes x64.3, x64.4, or both, not "x64.9"');
  expect(clc("--tier", "x64.4", file).error).toContain("--tier needs --target");
});

test("several inputs become one object; names of outputs say what they are", () => {
  const a = put("a.cl", "int f(int x);\nkernel void a(global int* x) { *x = f(*x); }\n");
  const b = put("b.cl", "int f(int x) { return 3 * x; }\n");
  for (const name of ["whole.o", "whole.so", "whole.h", "whole.s", "whole.bin"])
    expect(clc("--target", "x86_64-linux", "-o", join(folder, name), a, b)).toEqual({ code: 0, out: "", error: "" });
  const head = (name: string): number[] => [...readFileSync(join(folder, name)).subarray(0, 18)];
  expect(head("whole.o").slice(0, 4)).toEqual([0x7f, 0x45, 0x4c, 0x46]);
  expect([head("whole.o")[16], head("whole.so")[16]]).toEqual([1, 3]);
  expect(readFileSync(join(folder, "whole.h"), "utf8")).toContain("int whole_load(");
  expect(readFileSync(join(folder, "whole.s"), "utf8")).toMatch(/^a:$/mu);
});

test("the packed program loads what writes machine code when it is asked for, and writes the same", () => {
  const file = put("k.cl", "kernel void k(global float* x) { x[get_global_id(0)] *= 0.75f; }\n");
  expect(clc("--target", "x86_64-linux", file).code).toBe(0);
  const [object, header] = [readFileSync(`${file}.o`), readFileSync(`${file}.h`)];
  const [node, script] = programOf("clc");
  const call = [script, "--target", "x86_64-linux", "-o", join(folder, "packed/"), file];
  // Names of folders are in the lines, so it runs where this process does.
  const { status, stderr } = spawnSync(node, call, { encoding: "utf8", env: programEnvironment() });
  expect([status, stderr]).toEqual([0, ""]);
  expect(readFileSync(join(folder, "packed/k.cl.o"))).toEqual(object);
  expect(readFileSync(join(folder, "packed/k.cl.h"))).toEqual(header);
});

test("mistakes are told in one sentence each, and nothing is written", () => {
  const file = put("k.cl", "kernel void k(global int* x) { *x = 1; }\n");
  const print = put("print.cl", 'kernel void k() { printf("%d\\n", 1); }\n');
  const named = put("named.cl", "kernel void muxkit_groups(global int* x) { *x = 1; }\n");
  const twice = put("k2.cl", "kernel void a() {}\nkernel void a_run() {}\n");
  for (const [args, code, reason] of [
    [["--target", "arm", file], 2, '--target takes x86_64-linux, not "arm"'],
    [["--target"], 2, "--target requires a value after it"],
    [["--target", "x86_64-linux", "-d", "cpu", file], 2, "machine code for programs in C is for no device"],
    [["--emit", "header", "-c", file], 0, ""],
    [["--emit", "elf,so", "-o", join(folder, "one.o"), file], 2, "is not a folder, but there are several outputs"],
    [["--target", "x86_64-linux", print], 1, 'print.cl: it calls printf("%d\\n"), and a program in C has nothing'],
    [["--emit", "so", named], 1, "a program in C cannot have a kernel called muxkit_groups"],
    [["--emit", "header", twice], 1, "two functions of the header would be called a_run"],
    [["--emit", "elf", "-o", "-", file], 1, "bytes cannot be written to standard output here; use -o"],
  ] as const) {
    const told = clc(...args);
    expect([told.code, told.error.trim().split("\n").length], told.error).toEqual([code, 1]);
    expect(told.error).toContain(reason);
  }
  expect(existsSync(`${print}.o`) || existsSync(`${named}.so`) || existsSync(`${twice}.h`)).toBe(false);
});
