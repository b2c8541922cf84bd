// SPDX-License-Identifier: Apache-2.0
// Kernels as compute shaders: spirv-val accepts them for Vulkan, and lavapipe computes what the interpreter computes.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { writeShaders } from "@muxkit/compiler-base";
import {
  type DifferentialArgument,
  type ShaderValue,
  firstDifference,
  frontEndIr,
  runReference,
  shaderRunner,
} from "@muxkit/kernel-suite";
import { type WrittenShader, describeWriterError } from "@muxkit/spirv";
import { afterAll, expect, test } from "vitest";

const SUITE = join(import.meta.dirname, "../../../benchmarks/suite");
const OPTIONS = "-w -cl-std=CL3.0";

const folder = mkdtempSync(join(tmpdir(), "muxkit-shaders-"));
afterAll(() => rmSync(folder, { recursive: true }));

const hasValidator = spawnSync("spirv-val", ["--version"]).status === 0;
if (!hasValidator)
  console.warn("!! spirv-val is not here (Debian package spirv-tools): what compares with it is skipped");
const runner = shaderRunner();

/** What spirv-val says of a shader; nothing where it is not here. */
function verdict({ binary }: WrittenShader): string {
  if (!hasValidator) return "";
  const file = join(folder, "shader.spv");
  writeFileSync(file, binary);
  const { stdout, stderr } = spawnSync("spirv-val", ["--target-env", "vulkan1.2", file], { encoding: "utf8" });
  return `${stdout}${stderr}`;
}

function shadersOf(source: string): ReadonlyMap<string, WrittenShader> {
  const written = writeShaders(frontEndIr(source, OPTIONS));
  if (!written.ok) throw new Error(describeWriterError(written.error));
  return written.value;
}

function shaderOf(source: string, kernel: string): WrittenShader {
  const found = shadersOf(source).get(kernel);
  if (found === undefined) throw new Error("there is no such kernel");
  return found;
}

const bytes = (array: ArrayBufferView): Uint8Array => new Uint8Array(array.buffer as ArrayBuffer);
const ints = (count: number): DifferentialArgument => ({
  contents: bytes(Int32Array.from({ length: count }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >> 12)),
});
const floats = (count: number): DifferentialArgument => ({
  contents: bytes(Float32Array.from({ length: count }, (_, i) => ((i * 7) % 31) / 4 - 3.5)),
});
const zeros = (count: number): DifferentialArgument => ({ contents: new Uint8Array(count) });
const int = (value: number): DifferentialArgument => ({ value: bytes(Int32Array.of(value)) });
const float = (value: number): DifferentialArgument => ({ value: bytes(Float32Array.of(value)) });

interface Row {
  readonly what: string;
  readonly source: string;
  readonly global: readonly number[];
  readonly local: readonly number[];
  readonly arguments: readonly DifferentialArgument[];
}

const line = (what: string, source: string, ...list: readonly DifferentialArgument[]): Row => ({
  what,
  source,
  global: [64],
  local: [16],
  arguments: list,
});

const ROWS: readonly Row[] = [
  line(
    "numbers as arguments",
    `kernel void k(global float *out, const global float *in, float by, int n) {
      int i = get_global_id(0);
      if (i < n) out[i] = in[i] * by + 1.0f;
    }`,
    zeros(256),
    floats(64),
    float(2.5),
    int(50),
  ),
  line(
    "loops with breaks, continues, switches and early returns",
    `kernel void k(global int *out, int n) {
      int i = get_global_id(0), s = 0;
      for (int j = 0; j < n; j++) {
        if (j == i) continue;
        if (j * j > 100 + i) break;
        s += j;
        for (int k = j; k < 9; k++) {
          if (k == 3 + (i & 3)) { s += 100; break; }
          if (s > 5000) goto done;
          s ^= k;
          while (s & 1) { s >>= 1; if (s < 3) return; }
        }
      }
    done:
      switch (i & 7) {
        case 0: s += 1; break;
        case 1: s *= 2;
        case 2: case 5: s -= 3; break;
        case 3: return;
        case 4: for (;;) { s++; if (s % 7 == 0) break; } break;
        default: s = -s;
      }
      out[i] = s;
    }`,
    ints(64),
    int(40),
  ),
  line(
    "irreducible control flow",
    `kernel void k(global int *out) {
      int i = get_global_id(0), s = i;
      if (i & 1) goto second;
    first:
      s += 3;
      if (s > 90) goto done;
    second:
      s *= 2;
      if (s < 200) goto first;
    done:
      out[i] = s;
    }`,
    zeros(256),
  ),
  line(
    "local memory, of the kernel and as an argument",
    `kernel void k(global int *out, local int *scratch, global const int *in) {
      local short fixed[16];
      int l = get_local_id(0);
      scratch[l] = in[get_global_id(0)];
      fixed[l] = l;
      for (int s = 8; s > 0; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s) scratch[l] += scratch[l + s] + fixed[15 - l];
      }
      if (l == 0) out[get_group_id(0)] = scratch[0];
    }`,
    zeros(16),
    { local: 64 },
    ints(64),
  ),
  line(
    "one buffer as several kinds of numbers",
    `kernel void k(global uchar *out, global const void *in) {
      int i = get_global_id(0);
      global const ushort *shorts = in;
      global const float4 *vectors = in;
      global const long *longs = in;
      ((global int *)out)[i] = shorts[i] + (int)vectors[i & 7].z;
      barrier(CLK_GLOBAL_MEM_FENCE);
      out[i * 4 + 3] = (uchar)(longs[i & 15] >> 9) ^
        as_uchar4(vload2(i, (global const float *)in).y).x;
    }`,
    zeros(256),
    floats(128),
  ),
  line(
    "private arrays, structs by value, constant tables",
    `typedef struct { int a; float b; short c[4]; } S;
    constant int table[5] = { 3, 1, 4, 1, 5 };
    kernel void k(global int *out, S s, global S *all) {
      int i = get_global_id(0), own[8];
      for (int j = 0; j < 8; j++) own[j] = i * j + table[j % 5];
      S copy = all[i & 3];
      copy.c[i & 3] += s.c[(i + 1) & 3];
      all[4 + (i & 3)].b = copy.b + s.b;
      out[i] = own[(i + s.a) & 7] + copy.c[i & 3];
    }`,
    zeros(256),
    { value: bytes(new Int16Array([3, 0, 0, 16448, 1, 2, 3, 4])) },
    ints(40),
  ),
  line(
    "integers of all widths",
    `kernel void k(global int *out, global const int *in, long wide, uchar narrow) {
      int i = get_global_id(0), x = in[i], y = in[63 - i];
      long l = (long)x * y + wide;
      out[i] = rotate(x, i) ^ clz(y) ^ ctz(x | 1) ^ popcount(y) ^ mul_hi(x, y) ^ (int)(l >> 7) ^ (int)(l / (i + 1)) ^
        max(x, y) ^ (int)min((uint)x, (uint)y) ^ (x % (i + 3)) ^ convert_uchar_sat(x) ^ (char)y ^ narrow ^
        (x << (y & 31)) ^ (int)mul_hi(l, (long)y << 33) ^ (int)mul_hi((ulong)l, (ulong)wide) ^ (int)clz(l) ^
        (int)popcount(wide) ^ (int)ctz(l) ^ clz((short)x) ^ mul_hi((char)x, (char)y) ^ abs(x) ^
        (int)add_sat(x, y) ^ upsample((short)x, (ushort)y);
    }`,
    zeros(256),
    ints(64),
    { value: bytes(BigInt64Array.of(-1234567890123n)) },
    { value: Uint8Array.of(200) },
  ),
  line(
    "floats become ints with saturation",
    `kernel void k(global int *out, global const float *in) {
      int i = get_global_id(0);
      float x = in[i] * (i == 5 ? 1e30f : i == 6 ? -1e30f : 1.0f);
      if (i == 7) x = NAN;
      out[i] = convert_int_sat(x) + convert_uchar_sat(x) + (int)(convert_uint_sat_rtp(x) >> 3) +
        (int)rint(in[i] * 3.7f);
    }`,
    zeros(256),
    floats(64),
  ),
  line(
    "library functions",
    `kernel void k(global float *out, global const float *in) {
      int i = get_global_id(0), e;
      float x = in[i], whole;
      out[i * 4] = ldexp(frexp(x, &e), e) + floor(x) + copysign(2.0f, x) + fabs(x) + trunc(x * 3);
      out[i * 4 + 1] = fract(x, &whole) + whole + fmin(x, 1.0f) + fmax(x, -1.0f) + fmod(x, 2.0f) + sign(x);
      out[i * 4 + 2] = isnan(x) + signbit(x) + clamp(x, -1.0f, 1.0f) + step(0.0f, x) + nextafter(x, 9.0f);
      float4 v = (float4)(x, 1, 2, 3);
      v.yz = v.zy * x;
      out[i * 4 + 3] = v.y + v.z + any(v > 2.0f) + (float)all(isless(v, (float4)(4)));
    }`,
    zeros(1024),
    floats(64),
  ),
  line(
    "atomic operations",
    `kernel void k(global int *out, global float *swapped) {
      local int count;
      int i = get_global_id(0);
      if (get_local_id(0) == 0) count = 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      atomic_add(&count, i);
      atomic_max(&out[0], i * 3);
      atomic_xor(&out[1], 1 << (i & 31));
      int old = atomic_cmpxchg(&out[2], 0, 77);
      atomic_inc(&out[3]);
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      if (get_local_id(0) == 0) out[4 + get_group_id(0)] = count;
      if (i == 9) atomic_xchg(swapped, 2.5f);
    }`,
    zeros(64),
    zeros(4),
  ),
  {
    what: "work-items of three dimensions",
    source: `kernel void k(global int *out) {
      int i = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
      int d = i % 4;
      out[i] = get_local_id(1) + 10 * get_group_id(0) + 100 * get_num_groups(2) + 1000 * get_local_size(0) +
        (get_global_linear_id() == i) * 10000 + get_local_linear_id() * 100000 + get_global_size(d) +
        get_global_offset(1);
    }`,
    global: [8, 4, 2],
    local: [4, 2, 1],
    arguments: [zeros(256)],
  },
  line(
    "choices between places in one buffer",
    `int pick(global int *a, global int *b, int i) { return *(i & 1 ? a : b); }
    kernel void k(global int *out, global int *in) {
      int i = get_global_id(0);
      global int *p = in + i;
      for (int j = 0; j < (i & 3); j++) p = (p == in + 5) ? in : p + 1 < in + 64 ? p + 1 : in;
      out[i] = *p + pick(in, in + 3, i);
    }`,
    zeros(256),
    ints(64),
  ),
];

function valueOf(argument: DifferentialArgument): ShaderValue {
  if ("contents" in argument) return { contents: argument.contents };
  if ("value" in argument) return { value: argument.value };
  if ("local" in argument) return { local: argument.local };
  throw new Error("shaders have no such argument");
}

test.skipIf(runner === null).each(ROWS)("lavapipe: $what", ({ source, global, local, arguments: list }) => {
  const shader = shaderOf(source, "k");
  expect(verdict(shader)).toBe("");
  const [x = 1, y = 1, z = 1] = local;
  const groups = [0, 1, 2].map((axis) => (global[axis] ?? 1) / (local[axis] ?? 1)) as [number, number, number];
  const buffers = runner?.run(shader.binary, shader.bindings, list.map(valueOf), groups, [x, y, z]) ?? [];
  const wanted = runReference({ source, kernel: "k", options: OPTIONS, global, local, arguments: list });
  expect(firstDifference(wanted, { way: "lavapipe", buffers, printed: "" }, ["f32", "f32", "f32"])).toBeNull();
});

/** Functions whose code rounds by adding a large number and subtracting it, which drivers must not cancel. */
const FUNCTIONS = ["exp(x)", "exp2(x)", "sin(x)", "cos(x)", "tan(x)", "pow(x, 1.5f)", "log(x)", "tanh(x)", "cbrt(x)"];

/** How far a driver may be off, relatively: it may round products before it adds. */
const MOST_OFF = 8 * 2 ** -24;

test.skipIf(runner === null).each(FUNCTIONS)("lavapipe: %s", (expression) => {
  const source = `kernel void k(global float *out, global const float *in) {
    int i = get_global_id(0);
    float x = in[i];
    out[i] = ${expression};
  }`;
  const shader = shaderOf(source, "k");
  const list = [zeros(256), { contents: bytes(Float32Array.from({ length: 64 }, (_, i) => 0.01 + i / 7)) }];
  const [got = new Uint8Array(0)] =
    runner?.run(shader.binary, shader.bindings, list.map(valueOf), [4, 1, 1], [16, 1, 1]) ?? [];
  const launch = { source, kernel: "k", options: OPTIONS, global: [64], local: [16], arguments: list };
  const [wanted = new Uint8Array(0)] = runReference(launch).buffers;
  const [left, right] = [got, wanted].map((part) => new Float32Array(part.slice().buffer)) as [
    Float32Array,
    Float32Array,
  ];
  const off = [...right].map((value, i) => Math.abs((left[i] ?? 0) - value) / Math.abs(value));
  expect(right).toHaveLength(64);
  expect(Math.max(...off)).toBeLessThan(MOST_OFF);
});

const PROGRAMS = readdirSync(SUITE).filter((name) => name.endsWith(".cl"));

/** Programs of the benchmark suite that do not fit: they have images. */
const UNFIT: ReadonlySet<string> = new Set(["image.cl"]);

test.each(PROGRAMS.filter((name) => !UNFIT.has(name)))("%s as shaders", (name) => {
  const shaders = shadersOf(readFileSync(join(SUITE, name), "utf8"));
  expect([...shaders.values()].map(verdict).join("")).toBe("");
});

test.each([...UNFIT])("%s does not fit", (name) => {
  expect(() => shadersOf(readFileSync(join(SUITE, name), "utf8"))).toThrow(/is an image/u);
});

test("the places of arguments", () => {
  const source = `kernel __attribute__((reqd_work_group_size(4, 2, 1)))
    void k(global int *out, constant float4 *in, char c, double d, local short *l, float3 v) {
      l[0] = c; out[0] = in[0].x + d + l[1] + v.y;
    }`;
  expect(shaderOf(source, "k").bindings).toMatchSnapshot();
});

test.each([
  ["an image", "kernel void k(read_only image2d_t i, global int *p) { p[0] = 1; }", "k: the argument i is an image"],
  [
    "two objects",
    `kernel void k(global int *a, global int *b, int n) {
      global int *p = n ? a : b;
      for (int i = 0; i < n; i++) *p += i;
    }`,
    "a pointer of a shader must point into one argument or variable",
  ],
  [
    "a variable of the program",
    "global int x; kernel void k(global int *p) { p[0] = x++; }",
    "x: variables of the program",
  ],
  ["printf", 'kernel void k(global int *p) { printf("%d", p[0]); }', "shaders have no printf"],
  ["a long vector", "kernel void k(global float8 *p) { p[0] += p[1]; }", "vectors of shaders have at most 4 numbers"],
  [
    "an address as a number",
    "kernel void k(global int *p) { p[0] = (int)(uintptr_t)p; }",
    "a shader's pointers are no numbers",
  ],
  [
    "too many numbers",
    "typedef struct { int a[40]; } S; kernel void k(global int *p, S s) { p[0] = s.a[p[1]]; }",
    "its numbers and structs take 160 bytes, and push constants have 128",
  ],
])("%s does not fit", (_, source, message) => {
  expect(() => shadersOf(source)).toThrow(message);
});
