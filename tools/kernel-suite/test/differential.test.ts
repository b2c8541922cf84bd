// SPDX-License-Identifier: Apache-2.0
// Interpreter = unoptimised = generic = specialised = binary without a compiler: on every kernel of the benchmark
// suite, and on random expressions.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import {
  type DifferentialLaunch,
  type ElementKind,
  IS_SLICE,
  firstDifference,
  runDefaultCode,
  runEveryWay,
} from "@muxkit/kernel-suite";
import { type Image, createImage, samplerBits } from "@muxkit/libimg";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { arrayOf, loadJob, makeInputs } from "../../../benchmarks/src/job.mjs";

/** How many random programs: `npm run fuzz` runs more. */
const RUNS = Number(process.env["MUXKIT_FUZZ_RUNS"] ?? (IS_SLICE ? "30" : "60"));

/** Jobs of a second and more for the interpreter. */
const SLOW: ReadonlySet<string> = new Set(["sgemm_reg.json", "sgemm_naive.json", "img_blur5.json", "conv5x5.json"]);

const suite = join(import.meta.dirname, "../../../benchmarks/suite/tiny");
const KINDS: Readonly<Record<string, ElementKind>> = { float: "f32", double: "f64" };

function bytesOf(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

function scalar(type: string, value: number | readonly number[]): Uint8Array {
  const list = typeof value === "number" ? [value] : value;
  const make = arrayOf[type];
  if (make === undefined) throw new Error(`there is no type ${type}`);
  return bytesOf(new make(list.length === 3 ? [...list, 0] : list));
}

/** An image of the suite's only format so far. */
function imageOf({
  width,
  height,
  format,
}: {
  readonly width: number;
  readonly height: number;
  readonly format: string;
}): Image {
  if (format !== "rgba8") throw new Error(`no image of format ${format} is known here`);
  const made = createImage(
    {
      type: "2d",
      format: { order: "RGBA", type: "UNORM_INT8" },
      width,
      height,
      depth: 1,
      layers: 1,
      rowPitch: 0,
      slicePitch: 0,
    },
    { width1d: 4096, widthBuffer: 4096, size2d: 4096, size3d: 4096, layers: 1 },
  );
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}

for (const file of readdirSync(suite).filter((name) => name.endsWith(".json"))) {
  test(`the job ${file}`, () => {
    const job = loadJob(join(suite, file));
    makeInputs(job);
    const launch: DifferentialLaunch = {
      source: readFileSync(job.sourcePath, "utf8"),
      kernel: job.kernel,
      options: job.options,
      global: job.global,
      local: job.local ?? [1],
      arguments: job.args.map((argument) => {
        if (argument.kind === "local") return { local: argument.local_bytes };
        if (argument.sampler !== undefined) return { sampler: samplerBits(argument.sampler) };
        if (argument.image2d !== undefined && argument.host !== undefined)
          return { contents: bytesOf(argument.host), image: imageOf(argument.image2d) };
        return argument.host === undefined
          ? { value: scalar(argument.type, argument.value) }
          : { contents: bytesOf(argument.host) };
      }),
    };
    const outcomes = runEveryWay(launch);
    const kinds = job.args.flatMap(({ kind, type }) =>
      kind === "buffer" || kind === "image" ? [KINDS[type] ?? "bits"] : [],
    );
    const [reference, ...others] = outcomes;
    if (reference === undefined) throw new Error("nothing ran");
    for (const other of others) expect(firstDifference(reference, other, kinds)).toBeNull();
    // What engines run that fuse nothing. The interpreter takes long for those whose jobs are larger.
    if (SLOW.has(file)) return;
    const [interpreted, run] = runDefaultCode(launch);
    expect(firstDifference(interpreted, run, kinds)).toBeNull();
  });
}

/** Expressions over the ints a, b, c and the floats x, y that keep their type. */
const { int, float } = fc.letrec<{ int: string; float: string }>((tie) => ({
  int: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom("a", "b", "c", "0", "1", "-1", "7", "0x7fffffff", "INT_MIN"),
    fc
      .tuple(
        tie("int"),
        fc.constantFrom("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", "==", "&&", "||"),
        tie("int"),
      )
      .map(([left, op, right]) => `(${left} ${op} ${right})`),
    fc.tuple(fc.constantFrom("-", "~", "!"), tie("int")).map(([op, value]) => `${op}(${value})`),
    fc.tuple(tie("int"), tie("int"), tie("int")).map(([condition, yes, no]) => `(${condition} ? ${yes} : ${no})`),
    fc
      .tuple(
        fc.constantFrom("min", "max", "add_sat", "sub_sat", "mul_hi", "rotate", "hadd", "abs_diff"),
        tie("int"),
        tie("int"),
      )
      .map(([name, left, right]) => `((int)${name}((int)(${left}), (int)(${right})))`),
    fc
      .tuple(fc.constantFrom("(char)", "(ushort)", "(int)(long)", "(int)(short)", "popcount", "clz"), tie("int"))
      .map(([name, value]) => `((int)${name}(${value}))`),
    tie("float").map((value) => `convert_int_sat(${value})`),
  ),
  float: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom("x", "y", "0.0f", "-0.0f", "1.5f", "1e30f", "INFINITY", "1e-40f"),
    fc
      .tuple(tie("float"), fc.constantFrom("+", "-", "*", "/"), tie("float"))
      .map(([left, op, right]) => `(${left} ${op} ${right})`),
    fc
      .tuple(fc.constantFrom("fabs", "floor", "trunc", "rint", "sqrt", "sign"), tie("float"))
      .map(([name, value]) => `${name}(${value})`),
    // The sign of a NaN that was computed is outside of the promise, so signs are taken from inputs only.
    tie("float").map((value) => `copysign(${value}, y)`),
    fc
      .tuple(fc.constantFrom("fmin", "fmax", "fmod", "fdim"), tie("float"), tie("float"))
      .map(([name, left, right]) => `${name}(${left}, ${right})`),
    fc
      .tuple(tie("float"), tie("float"), tie("float"))
      .map(([left, middle, right]) => `fma(${left}, ${middle}, ${right})`),
    tie("int").map((value) => `(float)(${value})`),
  ),
}));

test(
  "random expressions",
  () => {
    const ints = Int32Array.of(
      0,
      1,
      -1,
      5,
      -7,
      31,
      32,
      100,
      2 ** 31 - 1,
      -(2 ** 31),
      0x1234_5678,
      -99,
      255,
      65_536,
      12,
      3,
    );
    const floats = Float32Array.of(
      0,
      -0,
      1,
      -1.5,
      3.25,
      1e10,
      -1e-10,
      1e-42,
      3e38,
      Number.NaN,
      Infinity,
      -Infinity,
      0.1,
      100.5,
      -2.5,
      1 / 3,
    );
    fc.assert(
      fc.property(int, float, (whole, real) => {
        const source = `kernel void k(global const int* i, global const float* f, global int* o, global float* p) {
      int n = get_global_id(0);
      int a = i[n];
      int b = i[(n + 5) & 15];
      int c = i[(n + 11) & 15];
      float x = f[n];
      float y = f[(n + 7) & 15];
      o[n] = ${whole}; p[n] = ${real};
    }`;
        const outcomes = runEveryWay({
          source,
          kernel: "k",
          global: [16],
          local: [4],
          arguments: [
            { contents: bytesOf(ints) },
            { contents: bytesOf(floats) },
            { contents: new Uint8Array(64) },
            { contents: new Uint8Array(64) },
          ],
        });
        const [reference, ...others] = outcomes;
        if (reference === undefined) throw new Error("nothing ran");
        for (const other of others)
          expect(firstDifference(reference, other, ["bits", "f32", "bits", "f32"]), source).toBeNull();
      }),
      { numRuns: RUNS },
    );
  },
  60_000 + RUNS * 100,
);

test("barriers, ragged groups and offsets", () => {
  const source = `kernel void k(global const int* in, global int* out, local int* tile) {
    int id = get_local_id(0); int global_ = get_global_id(0) - get_global_offset(0);
    tile[id] = in[global_]; int own = id * 3;
    for (int step = 1; step < (int)get_local_size(0); step *= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      int other = id >= step ? tile[id - step] : 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      tile[id] += other;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[global_] = tile[get_local_size(0) - 1 - id] + own + 1000 * (int)get_local_size(0) + 100000
        * (int)get_group_id(0);
  }`;
  for (const [global, local, offset] of [
    [[32], [8], [0]],
    [[30], [8], [0]],
    [[30], [7], [5]],
    [[9], [16], [1]],
  ] as const) {
    const [reference, ...others] = runEveryWay({
      source,
      kernel: "k",
      global,
      local,
      offset,
      arguments: [
        { contents: bytesOf(Int32Array.from({ length: 32 }, (_, i) => i * i)) },
        { contents: new Uint8Array(128) },
        { local: 64 },
      ],
    });
    if (reference === undefined) throw new Error("nothing ran");
    for (const other of others) expect(firstDifference(reference, other, ["bits", "bits"])).toBeNull();
  }
});

function numbers(length: number, factor: number): number[] {
  return Array.from({ length }, (_, i) => (Math.imul(i + 1, factor) >>> 9) & 0xff);
}

test.each([
  // All of a register, halves of one, several, and two vectors; masks as long as the vector, shorter, longer.
  ["uint", 4, 4, false],
  ["uchar", 16, 16, false],
  ["ushort", 8, 8, false],
  ["ulong", 2, 2, false],
  ["uint", 2, 2, false],
  ["uchar", 4, 4, false],
  ["ulong", 8, 8, false],
  ["uint", 16, 16, false],
  ["uint", 2, 8, false],
  ["ushort", 16, 4, false],
  ["uint", 4, 4, true],
  ["uchar", 16, 16, true],
  ["ulong", 4, 2, true],
  ["uchar", 2, 16, true],
] as const)("shuffles by masks of their own: %s%i by %i, two vectors: %s", (type, from, to, hasTwo) => {
  const bits = { uchar: 8, ushort: 16, uint: 32, ulong: 64 }[type];
  const count = 21;
  const call = hasTwo ? `shuffle2(a, a ^ (${type}${from})(85), m)` : "shuffle(a, m)";
  const source = `kernel void k(global const ${type}* in, global const ${type}* masks, global ${type}* out) {
    size_t i = get_global_id(0);
    ${type}${from} a = vload${from}(i, in);
    ${type}${to} m = vload${to}(i, masks);
    vstore${to}(${call}, i, out);
  }`;
  const [values, places] = [numbers(count * from, 0x9e3779b1), numbers(count * to, 0x85ebca6b)];
  const inBytes = (list: readonly number[]): Uint8Array =>
    Uint8Array.from({ length: (list.length * bits) / 8 }, (_, i) =>
      i % (bits / 8) === 0 ? (list[(i * 8) / bits] ?? 0) : 0,
    );
  const [reference, ...others] = runEveryWay({
    source,
    kernel: "k",
    global: [count],
    local: [count],
    arguments: [
      { contents: inBytes(values) },
      { contents: inBytes(places) },
      { contents: inBytes(places.map(() => 0)) },
    ],
  });
  if (reference === undefined) throw new Error("nothing ran");
  for (const other of others) expect(firstDifference(reference, other, ["bits", "bits", "bits"])).toBeNull();
  const expected = places.map((place, i) => {
    const lane = place % (hasTwo ? 2 * from : from);
    const value = values[Math.floor(i / to) * from + (lane % from)] ?? 0;
    return lane < from ? value : value ^ 85;
  });
  expect([...(reference.buffers[2] ?? [])]).toEqual([...inBytes(expected)]);
});

test("shuffles by constant and by variable masks", () => {
  const source = `kernel void k(global const int4* in, global const uint* masks, global int* out) {
    int4 a = in[0]; int4 b = in[1]; uint4 mask = vload4(0, masks); uint8 wide = vload8(0, masks);
    vstore4(shuffle(a, mask), 0, out); vstore8(shuffle2(a, b, wide), 0, out + 4);
    vstore4(shuffle(a, (uint4)(3, 2, 1, 0)), 0, out + 12); vstore2(shuffle2(a, b, (uint2)(7, 0)), 0, out + 16);
    uchar16 bytes = as_uchar16(a);
    vstore4(as_int4(shuffle(bytes, convert_uchar16((uchar16)(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1,
        0)))), 0, out + 18);
    double2 d = convert_double2(a.xy); vstore2(convert_int2(shuffle(d, (ulong2)(1, 0))), 0, out + 22);
  }`;
  const masks = Uint32Array.of(3, 0, 5, 2, 7, 8, 1, 6);
  const input = Int32Array.of(10, 20, 30, 40, 50, 60, 70, 80);
  const [reference, ...others] = runEveryWay({
    source,
    kernel: "k",
    global: [1],
    local: [1],
    arguments: [{ contents: bytesOf(input) }, { contents: bytesOf(masks) }, { contents: new Uint8Array(96) }],
  });
  if (reference === undefined) throw new Error("nothing ran");
  for (const other of others) expect(firstDifference(reference, other, ["bits", "bits", "bits"])).toBeNull();
  const out = new Int32Array(reference.buffers[2]?.slice().buffer ?? new ArrayBuffer(0));
  expect([...out.subarray(0, 4)]).toEqual([40, 10, 20, 30]);
  expect([...out.subarray(4, 12)]).toEqual([40, 10, 60, 30, 80, 10, 20, 70]);
  expect([...out.subarray(12, 18)]).toEqual([40, 30, 20, 10, 80, 10]);
  expect([...out.subarray(22, 24)]).toEqual([20, 10]);
});

test("asynchronous copies to and from local memory, strided too", () => {
  const source = `kernel void k(global const float4* in, global float4* out, global const int* table,
  global int* picked,
      local float4* tile) {
    local int few[5];
    size_t first = get_group_id(0) * 13;
    event_t events[2];
    events[0] = async_work_group_copy(tile, in + first, 13, 0);
    events[1] = async_work_group_strided_copy(few, table, (size_t)5, (size_t)3, events[0]);
    wait_group_events(2, events);
    float4 sum = (float4)(0.0f);
    for (int i = 0; i < 13; ++i) sum += tile[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) + get_local_id(1) == 0) { tile[0] = sum; few[2] += 1000 * (int)get_group_id(0); }
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t done = async_work_group_copy(out + first, tile, 13, 0);
    done = async_work_group_strided_copy(picked + get_group_id(0), few, (size_t)5, (size_t)2, done);
    wait_group_events(1, &done);
  }`;
  const input = Float32Array.from({ length: 26 * 4 }, (_, i) => i * 0.5);
  for (const [global, local] of [
    [[8], [4]],
    [[2], [1]],
    [
      [32, 2],
      [16, 2],
    ],
  ] as const) {
    const [reference, ...others] = runEveryWay({
      source,
      kernel: "k",
      global,
      local,
      arguments: [
        { contents: bytesOf(input) },
        { contents: new Uint8Array(26 * 16) },
        { contents: bytesOf(Int32Array.from({ length: 16 }, (_, i) => i * i)) },
        { contents: new Uint8Array(44) },
        { local: 13 * 16 },
      ],
    });
    if (reference === undefined) throw new Error("nothing ran");
    for (const other of others) expect(firstDifference(reference, other, ["f32", "f32", "bits", "bits"])).toBeNull();
    const picked = new Int32Array(reference.buffers[3]?.slice().buffer ?? new ArrayBuffer(0));
    expect([...picked]).toEqual([0, 0, 9, 9, 36, 1036, 81, 81, 144, 144, 0]);
  }
});
