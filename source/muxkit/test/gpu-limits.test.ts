// SPDX-License-Identifier: Apache-2.0
// Kernels of GPUs that can be stopped, as PTX that an interpreter runs: they compute what the others do, a set word
// ends them before they have written anything, and one that is set while they run ends their loops.
import { ok } from "@muxkit/cargo";
import { type CudaDriver, type CudaGpu, cudaTargetOf } from "@muxkit/cuda";
import { CUDA_COMPILER } from "@muxkit/cuda-compiler";
import { registerTarget } from "@muxkit/mux";
import { addCompilers } from "@muxkit/opencl";
import { ptxDriver } from "@muxkit/ptx-interpreter";
import { type Device, openDeviceSync } from "muxkit";
import { afterAll, expect, test } from "vitest";

const SOURCE = `
global int calls = 0;
kernel void count(global int* x) { x[get_global_id(0)] = atomic_inc(&calls); }
kernel void sums(global int* x, int n) {
  local int shared[16];
  int own = 0;
  for (int round = 0; round < n; round++) {
    shared[get_local_id(0)] = x[get_global_id(0)] + round;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < get_local_size(0); i += 1 + (x[i] & 1)) own += shared[i];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  x[get_global_id(0)] = own;
}
kernel void nested(global int* x, int n) {
  int own = x[get_global_id(0)];
  do {
    if (own & 1) { own = own * 3 + 1; continue; }
    switch (own % 5) { case 0: own /= 2; break; case 1: own -= 7; break; default: own >>= 1; }
    while (own > 1000) own -= 900;
  } while (--n > 0);
  x[get_global_id(0)] = own;
}
kernel void endless(global volatile int* x, long at) {
  for (int i = 0;; i++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] = i;
    if (i == 200 && get_global_id(0) == 0) x[at] = 1;
  }
}`;

/** The block of the words (-1: it comes next), and what comes before a launch with one. */
let words = 0;
let beforeLaunch: (word: number, gpu: CudaGpu, argument: number) => void = () => undefined;

function watched(gpu: CudaGpu): CudaGpu {
  return new Proxy(gpu, {
    get: (target, name: keyof CudaGpu) => {
      if (name === "createStream")
        return (isUrgent?: boolean) => {
          words = isUrgent === true ? -1 : words;
          return target.createStream(isUrgent);
        };
      if (name === "allocate")
        return (bytes: number) => {
          const taken = target.allocate(bytes);
          // The words are taken after their stream was made.
          if (taken.ok && words === -1) words = taken.value;
          return taken;
        };
      if (name === "start")
        return (...[stream, work]: Parameters<CudaGpu["start"]>) => {
          if (work.kind === "launch" && words > 0) {
            const { view, at, bytes } = work.parameter;
            const word = Number(view.getBigUint64(at + bytes - 16, true));
            if (word >= words && word < words + 4096) beforeLaunch(word, target, Number(view.getBigUint64(at, true)));
          }
          return target.start(stream, work);
        };
      const member: unknown = target[name];
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

function open(): Device {
  const driver = ptxDriver({});
  const own: CudaDriver = {
    gpus: driver.gpus,
    stopsKernels: true,
    reachesHost: driver.reachesHost,
    version: driver.version,
    open: (index) => {
      const opened = driver.open(index);
      return opened.ok ? ok(watched(opened.value)) : opened;
    },
  };
  registerTarget(cudaTargetOf(own));
  addCompilers({ compilers: [CUDA_COMPILER] });
  return openDeviceSync({ type: "gpu" });
}

const device = open();
const program = device.build(SOURCE, { options: "-cl-std=CL3.0" });
afterAll(() => {
  device.close();
});

const numbers = (): Int32Array => Int32Array.from({ length: 64 }, (_, i) => (i * 7919) % 1000);

function write(gpu: CudaGpu, word: number, value: number): void {
  const stream = gpu.createStream();
  const written = stream.ok ? gpu.write(stream.value, word, Uint8Array.of(value, 0, 0, 0)) : stream;
  if (!written.ok) throw new Error("the word is not written");
}

test.each(["sums", "nested"] as const)("%s computes the same as a kernel that can be stopped", (name) => {
  const [plain, limited] = [device.array(numbers()), device.array(numbers())];
  program[name]({ global: 64, local: 16 }, plain, 90);
  program[name]({ global: 64, local: 16, deadline: 60_000 }, limited, 90);
  expect([...limited.readSync()]).toEqual([...plain.readSync()]);
});

test("kernels share the program's variables with those that can be stopped", () => {
  const x = device.array(Int32Array, 1);
  const seen: number[] = [];
  for (let i = 0; i < 4; i++) {
    program["count"]({ global: 1, ...(i % 2 === 1 ? { deadline: 60_000 } : {}) }, x);
    seen.push(...x.readSync());
  }
  expect(seen).toEqual([0, 1, 2, 3]);
});

test("a kernel whose word is set at the beginning writes nothing", () => {
  const x = device.array(numbers());
  beforeLaunch = (word, gpu) => {
    write(gpu, word, 1);
  };
  program["nested"]({ global: 64, deadline: 60_000 }, x, 5);
  expect([...x.readSync()]).toEqual([...numbers()]);
  beforeLaunch = () => undefined;
});

test("a kernel whose word is set while it runs ends, and the next one runs", () => {
  const x = device.array(Int32Array, 64);
  let at = 0;
  // All launches before have given their words back, so it is the one that the next launch takes.
  beforeLaunch = (word, gpu, argument) => {
    // Nobody but the test before has set it, so nobody has cleared it.
    write(gpu, word, 0);
    at = (word - argument) / 4;
  };
  program["nested"]({ global: 64, deadline: 60_000 }, x, 1);
  x.readSync();
  beforeLaunch = () => undefined;
  program["endless"]({ global: 64, local: 16, deadline: 60_000 }, x, BigInt(at));
  const [first = 0] = x.readSync();
  expect(first).toBeGreaterThanOrEqual(200);
  expect(first).toBeLessThan(300);
});
