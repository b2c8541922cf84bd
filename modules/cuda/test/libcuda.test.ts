// SPDX-License-Identifier: Apache-2.0
// The calls of libcuda by koffi, tried with a library in C: what they pass and what they get, and each of them failing.
import { type CudaGpu, type GpuLaunch, type Handle, openLibCuda } from "@muxkit/cuda";
import { afterAll, describe, expect, test } from "vitest";

import { PROTOTYPES } from "../source/libcuda-calls.ts";
import { must } from "./must.ts";
import { buildStub } from "./stub.ts";

const stub = buildStub();
afterAll(() => stub?.remove());

function openGpu(index: number = 0): CudaGpu {
  const driver = openLibCuda(stub?.path);
  if (!driver.ok) throw new Error(driver.error);
  return must(driver.value.open(index));
}

function launchOf(gpu: CudaGpu, address: number, dynamicLocal: number = 0): GpuLaunch {
  const launch = gpu.prepare(1, { groups: [1, 1, 1], localSize: [1, 1, 1], dynamicLocal }, 32);
  launch.parameter.view.setBigUint64(launch.parameter.at, BigInt(address), true);
  return launch;
}

function words(gpu: CudaGpu, stream: Handle, address: number, count: number): readonly number[] {
  const bytes = new Uint8Array(4 * count);
  must(gpu.read(stream, address, bytes));
  return [...new Uint32Array(bytes.buffer)];
}

/** Everything that a GPU does, once. Returns what fails first. */
async function everything(gpu: CudaGpu): Promise<string> {
  const text = new TextEncoder().encode("text");
  const address = must(gpu.allocate(4096));
  const stream = must(gpu.createStream());
  const [first, second] = [must(gpu.createEvent(true)), must(gpu.createEvent(true))];
  must(gpu.record(first, stream));
  must(gpu.waitEvent(stream, first));
  must(gpu.isDone(first));
  must(gpu.finish(first));
  must(await gpu.finishLater(first));
  must(gpu.elapsed(first, second));
  const box = { kind: "copy", fromRow: 8, fromSlice: 16, toRow: 4, toSlice: 8, bytes: 4, rows: 2, slices: 2 } as const;
  const copy = { ...box, from: address, to: address + 256 };
  must(gpu.write(stream, address, new Uint8Array(64)));
  must(gpu.start(stream, copy));
  must(gpu.start(stream, { ...copy, rows: 1, slices: 1 }));
  for (const unit of [1, 2, 4] as const)
    for (const rows of [1, 2])
      must(gpu.start(stream, { kind: "set", address: address + 512, unit, value: 1, width: 2, rows, pitch: 16 }));
  const set = { kind: "set", address: address + 512, unit: 4, value: 1, width: 2, rows: 1, pitch: 0 } as const;
  must(gpu.start(stream, launchOf(gpu, address, 65_536)));
  const graph = must(gpu.createGraph([launchOf(gpu, address), copy, set]));
  must(gpu.startGraph(stream, graph));
  must(gpu.setLaunch(graph, 0, launchOf(gpu, address + 4)));
  must(gpu.read(stream, address, new Uint8Array(4)));
  const compiled = must(gpu.compile(text));
  const module = must(gpu.load(compiled ?? text));
  must(gpu.mostItems(must(gpu.entry(module, "k"))));
  const block = must(gpu.allocateHost(64));
  const shared = new SharedArrayBuffer(4096);
  must(gpu.register(shared));
  must(gpu.reachPeer(1));
  gpu.unregister(shared);
  gpu.freeHost(block);
  gpu.unload(module);
  gpu.destroyGraph(graph);
  gpu.destroyEvent(first);
  gpu.destroyEvent(second);
  gpu.destroyStream(stream);
  gpu.free(address);
  return "done";
}

/** Calls whose failure is no failure: what they give back is gone either way, or they only describe. */
const QUIET: ReadonlySet<string> = new Set([
  "free",
  "freeHost",
  "unregister",
  "destroyStream",
  "destroyEvent",
  "unload",
  "destroyLink",
  "destroyGraph",
  "destroyExecutable",
  "driverVersion",
  "attribute",
  "totalMemory",
  "device",
  "errorName",
  "errorText",
]);

describe.skipIf(stub === null)("libcuda", () => {
  test("GPUs are found with their facts", () => {
    const driver = openLibCuda(stub?.path);
    expect(driver.ok && driver.value.gpus.map(({ name, capability, memory }) => [name, capability, memory])).toEqual([
      ["Stub 0", [9, 0], 80 * 2 ** 30],
      ["Stub 1", [9, 0], 80 * 2 ** 30],
    ]);
  });

  test("everything that a GPU does", async () => {
    expect(await everything(openGpu())).toBe("done");
  });

  test("launches, boxes and sets do the same in a stream and in a graph", () => {
    const gpu = openGpu();
    const stream = must(gpu.createStream());
    const [plain, graphed] = [false, true].map((inGraph) => {
      const address = must(gpu.allocate(4096));
      must(gpu.write(stream, address, new Uint8Array(Uint32Array.from({ length: 64 }, (_, i) => i).buffer)));
      const work = [
        launchOf(gpu, address),
        {
          kind: "copy",
          from: address,
          fromRow: 8,
          fromSlice: 16,
          to: address + 128,
          toRow: 4,
          toSlice: 8,
          bytes: 4,
          rows: 2,
          slices: 2,
        },
        { kind: "set", address: address + 192, unit: 2, value: 0x1234, width: 1, rows: 3, pitch: 8 },
      ] as const;
      if (inGraph) must(gpu.startGraph(stream, must(gpu.createGraph(work))));
      else for (const one of work) must(gpu.start(stream, one));
      return words(gpu, stream, address, 64);
    });
    expect(graphed).toEqual(plain);
    expect(plain?.slice(0, 2)).toEqual([1, 1]);
    expect(plain?.slice(32, 36)).toEqual([1, 2, 4, 6]);
    expect(plain?.slice(48, 53)).toEqual([0x1234, 49, (50 & 0xffff_0000) | 0x1234, 51, 0x1234]);
  });

  test("launches of many chunks keep their parameters, and go to the stream that is said", () => {
    const gpu = openGpu();
    const address = must(gpu.allocate(4 * 3000));
    must(gpu.write(1, address, new Uint8Array(4 * 3000)));
    const launches = Array.from({ length: 3000 }, (_, i) => launchOf(gpu, address + 4 * i));
    const large = gpu.prepare(1, launches[0] as GpuLaunch, 100_000);
    large.parameter.view.setBigUint64(large.parameter.at, BigInt(address), true);
    for (const [i, launch] of [...launches, large].entries()) {
      must(gpu.start(2 ** 40 + i, launch));
      expect(stub?.launchedTo()).toBe(2 ** 40 + i);
    }
    const found = words(gpu, 1, address, 3000);
    expect(found[0]).toBe(2);
    expect(found.slice(1).every((count) => count === 1)).toBe(true);
  });

  test("a graph whose launch was changed runs the other one", () => {
    const gpu = openGpu();
    const stream = must(gpu.createStream());
    const address = must(gpu.allocate(64));
    must(gpu.write(stream, address, new Uint8Array(64)));
    const graph = must(gpu.createGraph([launchOf(gpu, address)]));
    must(gpu.startGraph(stream, graph));
    must(gpu.setLaunch(graph, 0, launchOf(gpu, address + 4)));
    must(gpu.startGraph(stream, graph));
    must(gpu.startGraph(stream, graph));
    expect(words(gpu, stream, address, 2)).toEqual([1, 2]);
  });

  test("what the driver compiles is a copy, and what it refuses comes with its log", () => {
    const gpu = openGpu();
    const compiled = must(gpu.compile(new TextEncoder().encode("text")));
    expect(new TextDecoder().decode(compiled ?? undefined)).toBe("compiled text");
    for (const refused of [gpu.compile(new TextEncoder().encode("bad")), gpu.load(new TextEncoder().encode("bad"))])
      expect(refused.ok ? "" : refused.error.message).toContain("line 1: no such instruction");
  });

  test("a GPU that reaches another one is let into that one's pool", () => {
    const driver = openLibCuda(stub?.path);
    if (!driver.ok) throw new Error(driver.error);
    const [first, second] = [must(driver.value.open(0)), must(driver.value.open(1))];
    expect(must(first.reachPeer(1))).toBe(true);
    expect(stub?.admitted()).toBe(0x1001_00);
    expect(must(second.reachPeer(0))).toBe(true);
    expect(stub?.admitted()).toBe(0x1000_01);
  });

  test("the largest group of a kernel is the driver's answer", () => {
    const gpu = openGpu();
    const module = must(gpu.load(new TextEncoder().encode("text")));
    expect(must(gpu.mostItems(must(gpu.entry(module, "k"))))).toBe(384);
  });

  test("the array of pinned memory is empty when the memory is given back", () => {
    const gpu = openGpu();
    const block = must(gpu.allocateHost(64));
    expect(block.bytes.length).toBe(64);
    gpu.freeHost(block);
    expect(block.bytes.length).toBe(0);
  });

  test("each call that fails says which, and what the driver calls the error", async () => {
    expect(stub?.called()).toBeGreaterThan(0);
    for (const [name, prototype] of Object.entries(PROTOTYPES)) {
      if (QUIET.has(name)) continue;
      const [, own = ""] = /(cu\w+)\(/u.exec(prototype) ?? [];
      stub?.fail(own, 2);
      try {
        const driver = openLibCuda(stub?.path);
        const opened = driver.ok ? driver.value.open(0) : driver;
        const message = opened.ok
          ? // One after the other: the library has one state.
            // oxlint-disable-next-line no-await-in-loop
            await everything(opened.value).catch((error: unknown) => String(error))
          : typeof opened.error === "string"
            ? opened.error
            : opened.error.message;
        expect(message, name).toMatch(new RegExp(`${own}: CUDA_ERROR_OUT_OF_MEMORY|finds no GPU`, "u"));
      } finally {
        stub?.fail("", 0);
      }
    }
  });
});
