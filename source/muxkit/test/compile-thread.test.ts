// SPDX-License-Identifier: Apache-2.0
/// <reference lib="dom" />
// The thread of Node that compiles variants while launches go on: a thread as programs have it, and launches that take
// up what it makes.
import { type LaunchFacts, buildProgram, openclC } from "@muxkit/compiler";
import { hostDeviceInfo } from "@muxkit/host";
import { compilers } from "@muxkit/host-compiler";
import { HOST_COMPILER_FACTS } from "@muxkit/host-compiler/facts";
import { type CompileAnswer, type CompileJob, compilerForDevice, lateLibrary } from "@muxkit/loader";
import {
  clBuildProgram,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateContext,
  clCreateKernel,
  clCreateProgramWithSource,
  clEnqueueNDRangeKernel,
  clEnqueueReadBuffer,
  clEnqueueWriteBuffer,
  clReleaseContext,
  clSetKernelArg,
  hostDeviceFor,
} from "muxkit/opencl";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { expect, test, vi } from "vitest";

import { runCompileThread } from "../source/edge/compile-jobs.ts";
import { mostCompileThreads, startCompileThread } from "../source/edge/compile-port.ts";

const WORKER = new URL("../source/edge/compile-worker.ts", import.meta.url);
const SOURCE = `kernel void turn(global float *x, local float *t) {
  t[get_local_id(0)] = x[get_global_id(0)] + get_group_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  x[get_global_id(0)] = t[get_local_size(0) - 1 - get_local_id(0)];
}
`;
const FACTS: LaunchFacts = { localSize: [64, 1, 1], uniformGroups: true, zeroOffset: true };

test("a thread makes what this one makes; it can be waited for while this one is blocked", () => {
  const device = hostDeviceInfo({}, 1);
  const library = lateLibrary([HOST_COMPILER_FACTS], () => ({ compilers }), null, {
    startThread: () => startCompileThread(WORKER),
  });
  const target = compilerForDevice(library, device)?.createContext().createTarget(device, null);
  if (target?.ok !== true) throw new Error("no target");
  const module = target.value.createModule();
  expect(buildProgram(module, openclC(SOURCE)).ok).toBe(true);
  const kernel = module.getKernel("turn");
  const pending = kernel?.startSpecializedKernel?.(FACTS);
  const [there, here] = [pending?.wait(), kernel?.createSpecializedKernel(FACTS)];
  if (there?.ok !== true || here?.ok !== true) throw new Error("no form");
  expect([there.value.key, there.value.binary]).toEqual([here.value.key, here.value.binary]);
});

test("a thread that cannot be started leaves launches as they are, and is known to be lost", async () => {
  const port = startCompileThread(new URL("not-there.ts", WORKER));
  expect(port.receive(1)).toBeNull();
  await expect.poll(() => port.isLost?.(), { timeout: 60_000 }).toBe(true);
});

/** Modules of threads that note when they end. */
const NOTES = `import { workerData } from "node:worker_threads";
const note = () => Atomics.store(workerData.more, 0, BigInt(Date.now()));
`;
const ENDS = 'workerData.port.on("message", () => { note(); process.exit(); });';
const THREAD_LIST = existsSync("/proc/thread-self");

test.each(
  [
    ["with a word", ENDS, true] as const,
    ["because its module cannot be loaded", 'note(); throw new Error("not here");', true] as const,
    // As when the engine ends it.
    ["without a word", `process.removeAllListeners("exit"); ${ENDS}`, THREAD_LIST] as const,
  ].filter(([, , isSeen]) => isSeen),
)("a thread that ends %s is noticed within a second, while this one is blocked", (_how, code) => {
  const end = new BigInt64Array(new SharedArrayBuffer(8));
  const script = new URL(`data:text/javascript,${encodeURIComponent(NOTES + code)}`);
  const port = startCompileThread(script, end);
  port.post({} as CompileJob);
  expect(port.receive(60_000)).toBeNull();
  const late = Date.now() - Number(end[0]);
  expect(port.isLost?.()).toBe(true);
  expect(end[0]).not.toBe(0n);
  expect(late).toBeLessThan(1000);
});

test("a thread whose module is not there is noticed while this one is blocked", () => {
  const port = startCompileThread(new URL("not-there.ts", WORKER));
  const begin = performance.now();
  expect(port.receive(60_000)).toBeNull();
  expect(port.isLost?.()).toBe(true);
  // Starting it takes most of that.
  expect(performance.now() - begin).toBeLessThan(30_000);
});

test.each([
  [1, 1],
  [2, 1],
  [3, 2],
  [16, 3],
])("of %i cores one is left for the thread that launches: %i threads compile", (cores, most) => {
  const count = vi.spyOn(process.getBuiltinModule("node:os"), "availableParallelism").mockReturnValue(cores);
  try {
    expect(mostCompileThreads()).toBe(most);
  } finally {
    count.mockRestore();
  }
});

test("where the engine has no room for native code the thread answers all the same", () => {
  const takers: ((job: CompileJob) => void)[] = [];
  const answers: CompileAnswer[] = [];
  const sent = new Int32Array(new SharedArrayBuffer(4));
  runCompileThread(
    { port: { on: (_event, taker) => takers.push(taker), postMessage: (answer) => answers.push(answer) }, sent },
    { compilers },
  );
  const full = vi.spyOn(WebAssembly, "Module").mockImplementation(() => {
    throw new RangeError("WebAssembly.Module(): Out of memory");
  });
  try {
    const recipe = { kind: "source", texts: [], frontEnd: "opencl-c", source: SOURCE, headers: [], files: [] } as const;
    takers[0]?.({
      id: 1,
      compiler: 0,
      device: hostDeviceInfo({}, 1),
      program: 1,
      recipe,
      kernel: "turn",
      facts: FACTS,
    });
    expect(full).toHaveBeenCalled();
  } finally {
    full.mockRestore();
  }
  expect(answers).toMatchObject([{ id: 1, made: { binary: expect.any(Uint8Array) as Uint8Array } }]);
  expect([...sent]).toEqual([1]);
});

test("launches give the same before and after they take up a variant that a thread has made", () => {
  const device = hostDeviceFor({ threads: 1 });
  const context = clCreateContext([device]);
  const queue = clCreateCommandQueue(context, device, 0);
  const program = clCreateProgramWithSource(context, [SOURCE]);
  clBuildProgram(program);
  const kernel = clCreateKernel(program, "turn");
  const items = 2 ** 18;
  const variants = program.built.get(device)?.variants;
  // New buffers have whatever their memory had before.
  const input = Float32Array.from({ length: items }, (_, i) => i % 1021);
  const run = (): Float32Array => {
    const x = clCreateBuffer(context, 0, items * 4);
    clEnqueueWriteBuffer(queue, x, true, 0, items * 4, input);
    clSetKernelArg(kernel, 0, x);
    clSetKernelArg(kernel, 1, { localBytes: 256 });
    clEnqueueNDRangeKernel(queue, kernel, 1, null, [items], [64]);
    const result = new Float32Array(items);
    clEnqueueReadBuffer(queue, x, true, 0, items * 4, result);
    return result;
  };
  const generic = run();
  expect(generic).toEqual(input.map((_, i) => (input[i - (i % 64) + 63 - (i % 64)] ?? NaN) + Math.floor(i / 64)));
  // The thread begins, and launches do not wait for it.
  expect(run()).toEqual(generic);
  expect(run()).toEqual(generic);
  variants?.settle();
  const { code, isFinal } = variants?.find("turn", { ...FACTS, arguments: [null, null] }, 1, true) ?? {};
  expect(isFinal).toBe(true);
  expect(code).not.toBeNull();
  expect(run()).toEqual(generic);
  clReleaseContext(context);
});

const PORT = new URL("../source/edge/compile-port.ts", import.meta.url);
/** A program that asks for kernels of many programs, waits for so many answers, and has nothing more to do. */
const ASKS = `
import { startCompileThread } from ${JSON.stringify(PORT.href)};
const [worker, device, facts, source, count] = JSON.parse(process.argv[1]);
const port = startCompileThread(new URL(worker));
for (let program = 1; program <= 40; program++) {
  const recipe = { kind: "source", texts: [], frontEnd: "opencl-c", source, headers: [], files: [] };
  port.post({ id: program, compiler: 0, device, program, recipe, kernel: "turn", facts });
}
let answers = 0;
while (answers < count) if (port.receive(60_000) !== null) answers++;
console.log(answers);
`;

test.each([
  ["starts", 0],
  ["works", 1],
  ["is idle", 40],
])(
  "a program ends by itself while its thread %s",
  (_state, count) => {
    const words = JSON.stringify([WORKER.href, hostDeviceInfo({}, 1), FACTS, SOURCE, count]);
    const { status, signal, stdout, stderr } = spawnSync(
      process.execPath,
      ["--conditions=source", "--disable-warning=ExperimentalWarning", "--input-type=module", "-e", ASKS, words],
      { encoding: "utf8", env: { PATH: process.env["PATH"] }, timeout: 60_000 },
    );
    expect({ status, signal, stdout, stderr }).toEqual({ status: 0, signal: null, stdout: `${count}\n`, stderr: "" });
  },
  300_000,
);
