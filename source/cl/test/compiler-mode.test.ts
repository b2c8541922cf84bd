// SPDX-License-Identifier: Apache-2.0
// cl_altera_compiler_mode over a library in memory: modes, properties, environment variables and their precedence, the
// offline device, the preloaded binary.
import { readFileSync } from "node:fs";

import { type Result, err, ok } from "@muxkit/cargo";
import { NO_COMPILER } from "@muxkit/loader";
import { compilers } from "@muxkit/host-compiler/native";
import {
  CL_CONTEXT_COMPILER_MODE_OFFLINE_ALTERA,
  CL_CONTEXT_COMPILER_MODE_OFFLINE_CREATE_EXE_LIBRARY_ALTERA,
  CL_CONTEXT_COMPILER_MODE_OFFLINE_USE_EXE_LIBRARY_ALTERA,
  CL_CONTEXT_COMPILER_MODE_PRELOADED_BINARY_ONLY_ALTERA,
  CL_DEVICE_TYPE_ACCELERATOR,
  CL_DEVICE_TYPE_ALL,
  CL_DEVICE_TYPE_CPU,
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_READ_WRITE,
  CL_QUEUE_PROFILING_ENABLE,
  type Context,
  type Device,
  type Kernel,
  type LibraryEntry,
  type Program,
  type ProgramLibrary,
  clBuildProgram,
  clCompileProgram,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateContext,
  clCreateContextFromType,
  clCreateKernel,
  clCreateProgramWithBinary,
  clCreateProgramWithSource,
  clEnqueueNDRangeKernel,
  clEnqueueReadBuffer,
  clGetContextInfo,
  clGetDeviceIDs,
  clGetDeviceInfo,
  clGetEventProfilingInfo,
  clGetPlatformInfo,
  clGetProgramBuildInfo,
  clGetProgramInfo,
  clGetKernelArgInfo,
  clReleaseContext,
  clReleaseKernel,
  clReleaseProgram,
  clSetKernelArg,
  clCreateSubDevices,
  clLinkProgram,
  deviceWord,
  preloadBinary,
  setCompilerModeEdge,
  setCompilers,
} from "@muxkit/opencl";
import { afterEach, beforeEach, expect, test } from "vitest";

import { device, expectError, platform } from "./rig.ts";

const SOURCE = `kernel void answer(global int* out) { *out = 42; }`;
const CREATE = CL_CONTEXT_COMPILER_MODE_OFFLINE_CREATE_EXE_LIBRARY_ALTERA;
const USE = CL_CONTEXT_COMPILER_MODE_OFFLINE_USE_EXE_LIBRARY_ALTERA;
const PRELOADED = CL_CONTEXT_COMPILER_MODE_PRELOADED_BINARY_ONLY_ALTERA;

const variables = new Map<string, string>();
/** Entries by what finds them; null: not compiled. */
const entries = new Map<string, { readonly entry: LibraryEntry; binary: Uint8Array | null }>();
const roots: (string | null)[] = [];
let onPreload: Result<Uint8Array | null, string> = ok(null);

class MemoryLibrary implements ProgramLibrary {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  key(entry: LibraryEntry): string {
    return JSON.stringify([this.root, entry]);
  }

  add(entry: LibraryEntry): Result<string, string> {
    if (this.root === "/full") return err("the disk is full");
    if (!entries.has(this.key(entry))) entries.set(this.key(entry), { entry, binary: null });
    return ok(`${this.root}/entry`);
  }

  find(entry: LibraryEntry): Result<Uint8Array, string> {
    const found = entries.get(this.key(entry));
    if (found === undefined) return err("there is no entry");
    return found.binary === null ? err("the entry was not compiled") : ok(found.binary);
  }
}

beforeEach(() => {
  variables.clear();
  entries.clear();
  roots.length = 0;
  onPreload = ok(null);
  setCompilerModeEdge({
    variable: (name) => variables.get(name),
    openLibrary: (root) => {
      roots.push(root);
      return new MemoryLibrary(root ?? "/default");
    },
    preloadedBinary: () => onPreload,
  });
});

afterEach(() => {
  setCompilerModeEdge(null);
  setCompilers({ compilers });
});

function built(context: Context, options: string = "", source: string = SOURCE): Program {
  const program = clCreateProgramWithSource(context, [source]);
  clBuildProgram(program, null, options);
  return program;
}

/** What a kernel with one buffer leaves in it. */
function run(context: Context, kernel: Kernel, before: number = 7): number {
  const queue = clCreateCommandQueue(context, context.devices[0] as Device, CL_QUEUE_PROFILING_ENABLE);
  const buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 4, Int32Array.of(before));
  clSetKernelArg(kernel, 0, buffer);
  const event = clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null);
  const out = new Int32Array(1);
  clEnqueueReadBuffer(queue, buffer, true, 0, 4, out);
  const times = (["QUEUED", "SUBMIT", "START", "END"] as const).map((time) =>
    clGetEventProfilingInfo(event, `CL_PROFILING_COMMAND_${time}`),
  );
  expect(times).toEqual(times.toSorted((left, right) => left - right));
  expect(times[0]).toBeGreaterThan(0);
  return out[0] as number;
}

/** Compiles every entry of all libraries, as their users do. */
function compileEntries(): void {
  const context = clCreateContext([device]);
  for (const kept of entries.values())
    kept.binary =
      clGetProgramInfo(built(context, kept.entry.options, kept.entry.source), "CL_PROGRAM_BINARIES")[0] ?? null;
}

test("the tokens have the values of the extension", () => {
  const schema = readFileSync(new URL("../tools/api/cl.xml", import.meta.url), "utf8");
  expect(
    [...schema.matchAll(/<constant name="(CL_CONTEXT_\w+_ALTERA)" value="(0x\w+)"/gu)].map(([, name, value]) => [
      name,
      value,
    ]),
  ).toEqual([
    ["CL_CONTEXT_COMPILER_MODE_ALTERA", "0x40F0"],
    ["CL_CONTEXT_PROGRAM_EXE_LIBRARY_ROOT_ALTERA", "0x40F1"],
    ["CL_CONTEXT_OFFLINE_DEVICE_ALTERA", "0x40F2"],
  ]);
  expect([CL_CONTEXT_COMPILER_MODE_OFFLINE_ALTERA, CREATE, USE, PRELOADED]).toEqual([0, 1, 2, 3]);
});

test("the platform lists the extension where there is what it needs", () => {
  expect(clGetPlatformInfo(platform, "CL_PLATFORM_EXTENSIONS")).toMatch(/\bcl_altera_compiler_mode\b/u);
  expect(clGetPlatformInfo(platform, "CL_PLATFORM_EXTENSIONS_WITH_VERSION").map(({ name }) => name)).toContain(
    "cl_altera_compiler_mode",
  );
  setCompilerModeEdge(null);
  expect(clGetPlatformInfo(platform, "CL_PLATFORM_EXTENSIONS")).not.toMatch(/altera/u);
  expectError(
    () => clCreateContext([device], null, { CL_CONTEXT_COMPILER_MODE_ALTERA: CREATE }),
    "CL_INVALID_PROPERTY",
    /setCompilerModeEdge/,
  );
});

test("builds of a library are stubs: kernels are made, set up and enqueued, and have no effect", () => {
  const context = clCreateContext([device], null, {
    CL_CONTEXT_COMPILER_MODE_ALTERA: CREATE,
    CL_CONTEXT_PROGRAM_EXE_LIBRARY_ROOT_ALTERA: "/lib",
  });
  expect(roots).toEqual(["/lib"]);
  const program = built(context, "-cl-opt-disable -cl-kernel-arg-info");
  const kernel = clCreateKernel(program, "answer");
  expect(run(context, kernel)).toBe(7);
  expect(clGetKernelArgInfo(kernel, 0, "CL_KERNEL_ARG_NAME")).toBe("out");
  expect([...entries.values()].map(({ entry }) => entry)).toEqual([
    { device: "muxkit", source: SOURCE, options: "-cl-opt-disable -cl-kernel-arg-info" },
  ]);
  expect(clGetProgramBuildInfo(program, device, "CL_PROGRAM_BUILD_LOG")).toMatch(/\/lib\/entry/);
  expect(clGetProgramBuildInfo(program, device, "CL_PROGRAM_BUILD_OPTIONS")).toBe(
    "-cl-opt-disable -cl-kernel-arg-info",
  );
});

test("each device, source and options are an entry of their own, and the same ones are one", () => {
  const context = clCreateContext([device], null, { CL_CONTEXT_COMPILER_MODE_ALTERA: CREATE });
  for (const options of ["", "-D A=1", "-D A=2", "-D A=1"]) built(context, options);
  built(context, "", `${SOURCE}\n`);
  expect(entries.size).toBe(4);
});

test("a stub has loops, local memory, barriers, images and program-scope data without running any of them", () => {
  const context = clCreateContext([device], null, { CL_CONTEXT_COMPILER_MODE_ALTERA: CREATE });
  const source = `
    constant int table[2] = { 1, 2 };
    int helper(global int* out) { return out[0] + table[1]; }
    kernel void answer(global int* out) {
      local int scratch[16];
      scratch[get_local_id(0)] = helper(out);
      barrier(CLK_LOCAL_MEM_FENCE);
      while (1) out[0] += scratch[0];
    }
    kernel void pixels(read_only image2d_t image, sampler_t s, local int* l, float4 f) {
      printf("%f", read_imagef(image, s, (int2)(0)).x + f.x + l[0]);
    }`;
  for (const options of ["", "-cl-opt-disable"]) {
    const program = built(context, options, source);
    expect(run(context, clCreateKernel(program, "answer"))).toBe(7);
    expect(clGetProgramInfo(program, "CL_PROGRAM_KERNEL_NAMES")).toBe("answer;pixels");
  }
});

test("errors of the source are errors of the stub, and leave no entry", () => {
  const context = clCreateContext([device], null, { CL_CONTEXT_COMPILER_MODE_ALTERA: CREATE });
  expectError(() => built(context, "", `kernel void broken( {}`), "CL_BUILD_PROGRAM_FAILURE", /error/);
  expectError(() => built(context, "-no-such-option"), "CL_INVALID_BUILD_OPTIONS", /no-such-option/);
  expect(entries.size).toBe(0);
});

test("what the library cannot keep is the build's failure", () => {
  const context = clCreateContext([device], null, {
    CL_CONTEXT_COMPILER_MODE_ALTERA: CREATE,
    CL_CONTEXT_PROGRAM_EXE_LIBRARY_ROOT_ALTERA: "/full",
  });
  const program = clCreateProgramWithSource(context, [SOURCE]);
  expectError(
    () => {
      clBuildProgram(program);
    },
    "CL_BUILD_PROGRAM_FAILURE",
    /the disk is full/,
  );
  expect(clGetProgramBuildInfo(program, device, "CL_PROGRAM_BUILD_STATUS")).toBe("CL_BUILD_ERROR");
});

test("a library is used without a compiler; what it lacks, or what was never compiled, is an error", () => {
  const made = clCreateContext([device], null, { CL_CONTEXT_COMPILER_MODE_ALTERA: CREATE });
  built(made, "-D A=1");
  compileEntries();
  built(made, "-D A=2");
  setCompilers(NO_COMPILER);
  const context = clCreateContext([device], null, { CL_CONTEXT_COMPILER_MODE_ALTERA: USE });
  const program = built(context, "-D A=1");
  expect(clGetProgramBuildInfo(program, device, "CL_PROGRAM_BUILD_STATUS")).toBe("CL_BUILD_SUCCESS");
  expect(run(context, clCreateKernel(program, "answer"))).toBe(42);
  expectError(() => built(context, "-D A=2"), "CL_BUILD_PROGRAM_FAILURE", /was not compiled/);
  expectError(() => built(context, "-D A=3"), "CL_BUILD_PROGRAM_FAILURE", /there is no entry/);
  const failed = clCreateProgramWithSource(context, [SOURCE]);
  expectError(
    () => {
      clBuildProgram(failed);
    },
    "CL_BUILD_PROGRAM_FAILURE",
    /there is no entry/,
  );
  expect(clGetProgramBuildInfo(failed, device, "CL_PROGRAM_BUILD_LOG")).toMatch(/there is no entry/);
});

test("a binary of the library that is none is CL_INVALID_BINARY; the same program builds when it is mended", () => {
  const made = clCreateContext([device], null, { CL_CONTEXT_COMPILER_MODE_ALTERA: CREATE });
  built(made);
  const [kept] = entries.values();
  if (kept === undefined) throw new Error("there is no entry");
  kept.binary = Uint8Array.of(1, 2, 3);
  const context = clCreateContext([device], null, { CL_CONTEXT_COMPILER_MODE_ALTERA: USE });
  const program = clCreateProgramWithSource(context, [SOURCE]);
  expectError(
    () => {
      clBuildProgram(program);
    },
    "CL_INVALID_BINARY",
    /./,
  );
  compileEntries();
  clBuildProgram(program);
  clBuildProgram(program);
  expect(run(context, clCreateKernel(program, "answer"))).toBe(42);
});

test("variables apply where properties are not set, and properties win", () => {
  variables.set("CL_CONTEXT_COMPILER_MODE_ALTERA", String(CREATE));
  variables.set("CL_CONTEXT_PROGRAM_EXE_LIBRARY_ROOT_ALTERA", "/variable");
  built(clCreateContext([device]));
  built(clCreateContextFromType(CL_DEVICE_TYPE_ALL));
  expect(roots).toEqual(["/variable", "/variable"]);
  built(clCreateContext([device], null, { CL_CONTEXT_PROGRAM_EXE_LIBRARY_ROOT_ALTERA: "/property" }));
  expect(roots[2]).toBe("/property");
  const standard = clCreateContext([device], null, {
    CL_CONTEXT_COMPILER_MODE_ALTERA: CL_CONTEXT_COMPILER_MODE_OFFLINE_ALTERA,
  });
  expect(run(standard, clCreateKernel(built(standard), "answer"))).toBe(42);
  expect(clGetContextInfo(standard, "CL_CONTEXT_PROPERTIES")).toEqual({ CL_CONTEXT_COMPILER_MODE_ALTERA: 0 });
  variables.delete("CL_CONTEXT_PROGRAM_EXE_LIBRARY_ROOT_ALTERA");
  clCreateContext([device]);
  expect(roots[3]).toBeNull();
});

test("values that are none are refused, in properties and in variables", () => {
  expectError(
    () => clCreateContext([device], null, { CL_CONTEXT_COMPILER_MODE_ALTERA: 4 }),
    "CL_INVALID_PROPERTY",
    /0, 1, 2, 3, not 4/,
  );
  expectError(
    () => clCreateContext([device], null, { CL_CONTEXT_PROGRAM_EXE_LIBRARY_ROOT_ALTERA: "" }),
    "CL_INVALID_PROPERTY",
    /folder/,
  );
  expectError(
    () => clCreateContext([device], null, { CL_CONTEXT_OFFLINE_DEVICE_ALTERA: "mydevice" }),
    "CL_INVALID_PROPERTY",
    /was not set/,
  );
  variables.set("CL_CONTEXT_COMPILER_MODE_ALTERA", "create");
  expectError(() => clCreateContext([device]), "CL_INVALID_PROPERTY", /not "create"/);
});

function offline(name: string): Device {
  variables.set("CL_CONTEXT_OFFLINE_DEVICE_ALTERA", name);
  const [found] = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL);
  if (found === undefined) throw new Error("the list of devices is empty");
  return found;
}

/** Devices of this file's target: files that share a process add targets of their own. */
function ownDevices(type: number): readonly Device[] {
  return clGetDeviceIDs(platform, type).filter(({ info }) => (info.id & 0xff) === (device.info.id & 0xff));
}

test("an offline device is the only one, has the requested name, and runs kernels without effect", () => {
  const emulated = offline("mydevice");
  expect(ownDevices(CL_DEVICE_TYPE_ALL)).toEqual([emulated]);
  expect(ownDevices(CL_DEVICE_TYPE_ACCELERATOR)).toEqual([emulated]);
  expectError(() => clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU), "CL_DEVICE_NOT_FOUND", /./);
  expect(deviceWord(clGetDeviceInfo(emulated, "CL_DEVICE_NAME"))).toBe("mydevice");
  const context = clCreateContext([emulated], null, { CL_CONTEXT_OFFLINE_DEVICE_ALTERA: "mydevice" });
  expect(run(context, clCreateKernel(built(context), "answer"))).toBe(7);
  expectError(
    () => clCreateContext([emulated], null, { CL_CONTEXT_OFFLINE_DEVICE_ALTERA: "another" }),
    "CL_INVALID_PROPERTY",
    /was "mydevice"/,
  );
});

test("a known device is emulated under its own name, as the same kind, and its parts are too", () => {
  const emulated = offline("muxkit");
  expect(emulated).not.toBe(device);
  expect(clGetDeviceInfo(emulated, "CL_DEVICE_NAME")).toBe(clGetDeviceInfo(device, "CL_DEVICE_NAME"));
  expect(ownDevices(CL_DEVICE_TYPE_CPU)).toEqual([emulated]);
  const [part] = clCreateSubDevices(emulated, { CL_DEVICE_PARTITION_EQUALLY: 1 });
  const context = clCreateContext([part as Device]);
  expect(run(context, clCreateKernel(built(context), "answer"))).toBe(7);
});

test("programs compiled and linked for an offline device are stubs too", () => {
  const emulated = offline("muxkit");
  const context = clCreateContext([emulated]);
  const object = clCreateProgramWithSource(context, [SOURCE]);
  clCompileProgram(object);
  const program = clLinkProgram(context, null, "", [object]);
  expect(run(context, clCreateKernel(program, "answer"))).toBe(7);
});

test("a value that the variable gets after the platform was first called does not count", () => {
  expect(ownDevices(CL_DEVICE_TYPE_ALL)).toEqual([device]);
  variables.set("CL_CONTEXT_OFFLINE_DEVICE_ALTERA", "mydevice");
  expect(ownDevices(CL_DEVICE_TYPE_ALL)).toEqual([device]);
  expectError(
    () => clCreateContext([device], null, { CL_CONTEXT_OFFLINE_DEVICE_ALTERA: "mydevice" }),
    "CL_INVALID_PROPERTY",
    /was not set/,
  );
});

test("with a preloaded binary every program is that one: nothing is compiled, read or shown", () => {
  expectError(
    () => clCreateContext([device], null, { CL_CONTEXT_COMPILER_MODE_ALTERA: PRELOADED }),
    "CL_DEVICE_NOT_AVAILABLE",
    /preloadBinary/,
  );
  onPreload = err("the file is gone");
  expectError(
    () => clCreateContext([device], null, { CL_CONTEXT_COMPILER_MODE_ALTERA: PRELOADED }),
    "CL_DEVICE_NOT_AVAILABLE",
    /the file is gone/,
  );
  const [binary] = clGetProgramInfo(built(clCreateContext([device])), "CL_PROGRAM_BINARIES");
  onPreload = ok(binary ?? null);
  setCompilers(NO_COMPILER);
  const context = clCreateContext([device], null, { CL_CONTEXT_COMPILER_MODE_ALTERA: PRELOADED });
  const fromSource = built(context, "-any options", "this is no OpenCL C");
  const fromBinary = clCreateProgramWithBinary(context, [device], [Uint8Array.of(0)]);
  clBuildProgram(fromBinary);
  for (const program of [fromSource, fromBinary]) {
    expect(clGetProgramInfo(program, "CL_PROGRAM_KERNEL_NAMES")).toBe("answer");
    expect(clGetProgramInfo(program, "CL_PROGRAM_BINARIES")).toEqual([new Uint8Array(0)]);
    const kernel = clCreateKernel(program, "answer");
    expect(run(context, kernel)).toBe(42);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
  }
  const program = clCreateProgramWithSource(context, [SOURCE]);
  expectError(
    () => {
      clCompileProgram(program);
    },
    "CL_COMPILER_NOT_AVAILABLE",
    /loaded with/,
  );
  expectError(() => clCreateProgramWithBinary(context, [device], [new Uint8Array(0)]), "CL_INVALID_VALUE", /empty/);
  clReleaseProgram(program);
  clReleaseContext(context);
});

test("a call can declare a device loaded too, and its parts with it", () => {
  expectError(
    () => {
      preloadBinary(device, new Uint8Array(0));
    },
    "CL_INVALID_VALUE",
    /not a non-empty Uint8Array/,
  );
  expectError(
    () => {
      preloadBinary(platform as never, Uint8Array.of(1));
    },
    "CL_INVALID_DEVICE",
    /./,
  );
  preloadBinary(device, Uint8Array.of(1, 2, 3));
  expectError(
    () => clCreateContext([device], null, { CL_CONTEXT_COMPILER_MODE_ALTERA: PRELOADED }),
    "CL_INVALID_BINARY",
    /./,
  );
  const [binary] = clGetProgramInfo(built(clCreateContext([device])), "CL_PROGRAM_BINARIES");
  preloadBinary(device, binary ?? new Uint8Array(1));
  const [part] = clCreateSubDevices(device, { CL_DEVICE_PARTITION_EQUALLY: 1 });
  for (const one of [device, part as Device]) {
    const context = clCreateContext([one], null, { CL_CONTEXT_COMPILER_MODE_ALTERA: PRELOADED });
    expect(run(context, clCreateKernel(built(context, "", "anything"), "answer"))).toBe(42);
  }
});

test("words of names as C identifiers", () => {
  expect(
    ["muxkit host: AMD (x)", " a10ref : Arria 10 ", "my-board-7:x y", "7up one", "de5net_a7"].map(deviceWord),
  ).toEqual(["muxkit", "a10ref", "my_board_7_x", "_7up", "de5net_a7"]);
});
