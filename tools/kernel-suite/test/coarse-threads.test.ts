// SPDX-License-Identifier: Apache-2.0
// Kernels whose threads do several work-items: they leave what one work-item a thread leaves, and run for the launches
// that they are for.
import { CUDA_COMPILER, PTX_SECTION } from "@muxkit/cuda-compiler";
import { type CoarseLaunches, CudaDevice, type CudaGpu, deviceInfo } from "@muxkit/cuda";
import { HalWay } from "@muxkit/kernel-suite";
import { findCode, readExecutable } from "@muxkit/metadata";
import { ptxDriver } from "@muxkit/ptx-interpreter";
import { expect, test } from "vitest";

const ALWAYS: CoarseLaunches = { threads: 1, groupThreads: 1 };
const NEVER: CoarseLaunches = { threads: Infinity, groupThreads: 1 };

/** Threads of the last launch. */
let threads = 0;

function watched(gpu: CudaGpu): CudaGpu {
  return new Proxy(gpu, {
    get: (target, name: keyof CudaGpu) => {
      if (name === "start")
        return (...[stream, work]: Parameters<CudaGpu["start"]>) => {
          if (work.kind === "launch")
            threads = [...work.groups, ...work.localSize].reduce((total, size) => total * size, 1);
          return gpu.start(stream, work);
        };
      const member: unknown = target[name];
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

function wayWith(limits: CoarseLaunches): HalWay {
  const driver = ptxDriver({});
  const [facts] = driver.gpus;
  if (facts === undefined) throw new Error("the driver has a GPU");
  return new HalWay({
    name: "GPU",
    compiler: CUDA_COMPILER,
    info: { ...deviceInfo(facts), id: 1 },
    open: (print) => {
      const gpu = driver.open(0);
      const device = gpu.ok ? CudaDevice.open(watched(gpu.value), print, { limits }) : gpu;
      if (!device.ok) throw new Error(device.error.message);
      return device.value;
    },
  });
}

const ways = { always: wayWith(ALWAYS), never: wayWith(NEVER) };

interface Launch {
  readonly source: string;
  readonly global?: readonly number[];
  readonly local?: readonly number[];
  readonly offset?: readonly number[];
  readonly scalar?: number;
}

/** Runs `k(in, out, scalar)` both ways; the threads that it took, when both leave the same. */
function threadsOf({ source, global = [64], local = [16], offset = [0], scalar = 61 }: Launch): number {
  const contents = Uint8Array.from({ length: 4096 }, (_, i) => (i * 73) % 251);
  const value = new Uint8Array(Int32Array.of(scalar).buffer);
  const [left, right] = [ways.never, ways.always].map((way) =>
    way.run(way.build(source, "-cl-std=CL3.0"), {
      source,
      kernel: "k",
      arguments: [{ contents }, { contents: new Uint8Array(4096).fill(9) }, { value }],
      global: [...global],
      local: [...local],
      offset: [...offset],
    }),
  );
  expect(right?.buffers).toEqual(left?.buffers);
  return threads;
}

const kernel = (body: string, type: string = "float"): string =>
  `kernel void k(global const ${type} *in, global ${type} *out, int n) { size_t i = get_global_id(0); ${body} }`;

test("accesses of work-items side by side are one", () => {
  const source = kernel("out[i] = in[i] * 3.0f + out[i];");
  expect(threadsOf({ source })).toBe(32);
  const image = readExecutable(ways.always.build(source, ""));
  if (!image.ok) throw new Error(image.error.message);
  const text = new TextDecoder().decode(findCode(image.value, PTX_SECTION)?.bytes);
  expect(text.match(/ld\.global\.v2\.f32/gu)).toHaveLength(2);
  expect(text).toContain("st.global.v2.f32");
});

test.each([
  ["uchar", 16],
  ["short", 16],
  ["int", 32],
  ["uchar4", 32],
  ["short2", 32],
  ["long", 64],
  ["float4", 64],
])("%s: as many items as fill two accesses of four bytes", (type, expected) => {
  expect(threadsOf({ source: kernel(`out[i] = in[i] + (${type})(5);`, type) })).toBe(expected);
});

test.each([
  ["a guard that items part at", "if (i < n) out[i] = in[i] * 2.0f;", 32],
  ["two guards", "if (i > 2) { if ((int)i < n - 1) out[i] = in[i] + 1.0f; }", 32],
  ["a guard with an else", "if (i % 3 == 0) { out[i] = in[i]; return; } out[i] = in[i + 1] + n;", 32],
  ["neighbours", "out[i] = in[i] + in[i + 1] + in[i + 2];", 32],
  ["ids of every kind", "out[i] = in[i] + get_local_id(0) * 100 + get_group_id(0) + get_local_size(0) * 10000;", 32],
  ["linear ids", "out[i] = in[get_global_linear_id()] + get_local_linear_id() + get_global_size(0);", 32],
  ["an index of 32 bits", "int j = get_global_id(0); out[j] = in[j];", 32],
  ["an index that may wrap", "uint j = (uint)get_global_id(0) + (uint)n; out[i] = in[(uint)(j - n + 1u)];", 32],
  ["a write before items part", "out[i] = 1.0f; if (i > 5) out[i] = in[i];", 64],
  ["a loop", "float s = 0; for (int j = 0; j < n; j++) s += in[j]; out[i] = s;", 64],
  ["a gather", "out[i] = in[(int)in[i] & 63];", 64],
  ["a stride", "out[2 * i] = in[2 * i];", 64],
  ["a barrier", "local float l[64]; l[get_local_id(0)] = in[i]; barrier(1); out[i] = l[get_local_id(0) ^ 1];", 64],
])("%s", (_, body, expected) => {
  expect(threadsOf({ source: kernel(body) })).toBe(expected);
});

test("rows of a picture, and an offset", () => {
  const source = `kernel void k(global const float *in, global float *out, int w) {
    uint x = get_global_id(0), y = get_global_id(1), at = y * w + x;
    if (x == 0 || x == 31 || y == 0) { out[at] = in[at]; return; }
    out[at] = in[at - 1] + in[at + 1] + in[at - w];
  }`;
  expect(threadsOf({ source, global: [32, 8], local: [8, 2], scalar: 32 })).toBe(128);
  expect(threadsOf({ source: kernel("out[i] = in[i];"), offset: [6] })).toBe(32);
});

test.each([
  ["an odd local size", { global: [63], local: [9] }, 63],
  ["an odd offset", { offset: [3] }, 64],
  ["a last group that is smaller", { global: [60], local: [16] }, 12],
])("%s takes one item a thread", (_, launch, expected) => {
  expect(threadsOf({ source: kernel("out[i] = in[i];"), ...launch })).toBe(expected);
});

test("groups of a required size", () => {
  const source = kernel("out[i] = in[i];").replace("kernel", "__attribute__((reqd_work_group_size(16, 1, 1))) kernel");
  expect(threadsOf({ source })).toBe(32);
});
