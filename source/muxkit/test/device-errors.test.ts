// SPDX-License-Identifier: Apache-2.0
// Mistakes of people who have never heard of OpenCL's calls: one sentence each, in the words of this API.
import { inspect } from "node:util";

import { clGetDeviceInfo } from "@muxkit/opencl";
import { DeviceArray, OpenCLError, openDeviceSync, struct } from "muxkit";
import { afterAll, expect, test } from "vitest";

const device = openDeviceSync({ threads: 1 });
afterAll(() => {
  device.close();
});

const SOURCE: string = `#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void f(global float* x, int n) { if (n < 0) x[0x2fffffff] = 1; }
kernel void h(global int4* p, uchar c, half v, ulong big, global const void* any) { p[0] = c; }
typedef struct { float a; } Body;
kernel void picture(read_only image2d_t in) { read_imagef(in, (int2)(0)); }
kernel void st(global Body* bodies, global const unsigned int* q, global half* hh) { bodies[0].a = 1; }`;
const program = device.program(SOURCE, { options: "-cl-std=CL3.0" });
const kernels = Object.fromEntries(program.kernelNames.map((name) => [name, program.kernel(name)]));
const x = device.array(Float32Array, 40);

/** The error that a call throws. */
function errorOf(call: () => unknown): OpenCLError {
  try {
    call();
  } catch (error) {
    if (error instanceof OpenCLError) return error;
    throw error;
  }
  throw new Error("there is no error");
}

const Body = struct("Body", { a: "float" });
const Other = struct("Other", { b: "float" });
const gone = device.array(Float32Array, 4);
gone.destroy();
const untyped = device as unknown as Record<"array" | "image" | "program", (...args: readonly unknown[]) => unknown>;

/** What somebody writes, and the sentence that they get. */
const CASES: readonly (readonly [what: string, call: () => unknown, name: string, message: string])[] = [
  [
    "an option that does not exist",
    () => openDeviceSync({ treads: 3 } as object),
    "CL_INVALID_VALUE",
    'openDevice: there is no option "treads"; did you mean "threads"?',
  ],
  [
    "a kernel that does not exist",
    () => program.kernel("g"),
    "CL_INVALID_KERNEL_NAME",
    "program.kernel: no kernel g; there are f, h, picture, st",
  ],
  [
    "a kernel that does not exist, by name",
    () => device.build(SOURCE, { options: "-cl-std=CL3.0" })["g"],
    "CL_INVALID_KERNEL_NAME",
    "device.build: no kernel g; there are f, h, picture, st",
  ],
  [
    "a build option of another API",
    () => device.build(SOURCE, { optimize: true } as object),
    "CL_INVALID_VALUE",
    'device.build: there is no option "optimize"; there are options',
  ],
  [
    "elements of another type",
    () => kernels["f"]?.(1, device.array(Int32Array, 1), 1),
    "CL_INVALID_ARG_VALUE",
    "f: argument 0 (float* x) requires an array of Float32Array, not of Int32Array; " +
      "array.view(Float32Array) has the same bytes",
  ],
  [
    "elements of another vector",
    () => kernels["h"]?.(1, x, 1, 1, 1, null),
    "CL_INVALID_ARG_VALUE",
    "h: argument 0 (int4* p) requires an array of Int32Array, not of Float32Array; " +
      "array.view(Int32Array) has the same bytes",
  ],
  [
    "another struct",
    () => kernels["st"]?.(1, device.array(Other, 1), null, null),
    "CL_INVALID_ARG_VALUE",
    "st: argument 0 (Body* bodies) requires an array of the struct Body, not of Other",
  ],
  [
    "an array that is gone",
    () => kernels["f"]?.(1, gone, 1),
    "CL_INVALID_ARG_VALUE",
    "f: argument 0 (float* x) is an array that has been destroyed",
  ],
  [
    "a number beyond int",
    () => kernels["f"]?.(1, x, 3e9),
    "CL_INVALID_ARG_VALUE",
    "f: argument 1 (int n) is 3000000000; int holds -2147483648 to 2147483647",
  ],
  [
    "an error of a kernel whose name begins as those of calls do",
    () => device.program("kernel void clip(global float* x, int n) { x[0] = n; }").kernel("clip")(1, x, 3e9),
    "CL_INVALID_ARG_VALUE",
    "clip: argument 1 (int n) is 3000000000; int holds -2147483648 to 2147483647",
  ],
  [
    "a number beyond uchar",
    () => kernels["h"]?.(1, null, 300, 1, 1, null),
    "CL_INVALID_ARG_VALUE",
    "h: argument 1 (uchar c) is 300; uchar holds 0 to 255",
  ],
  [
    "a number beyond half",
    () => kernels["h"]?.(1, null, 1, 1e6, 1, null),
    "CL_INVALID_ARG_VALUE",
    "h: argument 2 (half v) is 1000000; half holds -65504 to 65504",
  ],
  [
    "a negative ulong",
    () => kernels["h"]?.(1, null, 1, 1, -1n, null),
    "CL_INVALID_ARG_VALUE",
    "h: argument 3 (ulong big) is -1; ulong holds 0 to 18446744073709551615",
  ],
  [
    "a range with a typing mistake",
    () => kernels["f"]?.({ globl: 10 } as never, x, 1),
    "CL_INVALID_VALUE",
    'f: there is no option "globl"; did you mean "global"?',
  ],
  [
    "four dimensions",
    () => kernels["f"]?.([1, 2, 3, 4], x, 1),
    "CL_INVALID_WORK_DIMENSION",
    "f: 4 is not a number of dimensions; use 1, 2 or 3",
  ],
  [
    "a length below zero",
    () => device.array(Float32Array, -1),
    "CL_INVALID_VALUE",
    "device.array: a length of -1 is not possible; one to three sizes of at least 1 are needed",
  ],
  [
    "a list in place of an array",
    () => untyped.array([1, 2]),
    "CL_INVALID_VALUE",
    "device.array: a typed array or its class is required (Float32Array.of(…), " +
      "Float32Array with a length), not a list",
  ],
  [
    "a shape that does not fit",
    () => device.array(new Float32Array(5), [2, 3]),
    "CL_INVALID_VALUE",
    "device.array: the shape [2, 3] has 6 elements, and the array has 5",
  ],
  [
    "another typed array in write",
    () => x.write(Int32Array.of(1) as never),
    "CL_INVALID_VALUE",
    "write: the array holds elements of Float32Array, not of Int32Array; use Float32Array.from(…), " +
      "or view(Int32Array) for the same bytes",
  ],
  [
    "a list in write",
    () => x.write([1] as never),
    "CL_INVALID_VALUE",
    "write: the array holds elements of Float32Array, not of Array",
  ],
  [
    "more than fits in write",
    () => x.write(new Float32Array(39), 2),
    "CL_INVALID_VALUE",
    "write: elements 2 to 41 do not fit in the array, which has 40",
  ],
  [
    "a part that begins anywhere",
    () => x.subarray(1),
    "CL_MISALIGNED_SUB_BUFFER_OFFSET",
    "subarray: a part begins at a multiple of 128 bytes, not at 4; read and copyTo take any elements",
  ],
  [
    "a part of nothing",
    () => x.subarray(32, 32),
    "CL_INVALID_VALUE",
    "subarray: elements 32 to 32 are none; at least 1 is needed",
  ],
  [
    "bytes that are no elements",
    () => device.array(Uint8Array, 5).view(Float32Array),
    "CL_INVALID_VALUE",
    "view: 5 bytes are no whole number of elements of Float32Array, which have 4",
  ],
  [
    "reading what is gone",
    () => gone.readSync(),
    "CL_INVALID_MEM_OBJECT",
    "readSync: the array has been destroyed; make a new one",
  ],
  [
    "an image without pixels",
    () =>
      device.image(
        { width: 0, height: 3, format: { channelOrder: "CL_RGBA", channelType: "CL_UNORM_INT8" } },
        Uint8Array,
      ),
    "CL_INVALID_IMAGE_DESCRIPTOR",
    "device.image: width is 0; a whole number of at least 1 is needed",
  ],
  [
    "an array for an image",
    () => kernels["picture"]?.(1, x),
    "CL_INVALID_ARG_VALUE",
    "picture: argument 0 (image2d_t in) requires an image on the device: device.image(…), " +
      "not an array on the device",
  ],
  [
    "an array of another device",
    () => kernels["f"]?.(1, openDeviceSync({ threads: 1, isolated: true }).array(Float32Array, 4), 1),
    "CL_INVALID_ARG_VALUE",
    "f: argument 0 (float* x) is an array of another device",
  ],
  [
    "no range",
    () => kernels["f"]?.(undefined as never, x, 1),
    "CL_INVALID_GLOBAL_WORK_SIZE",
    "f: the range is undefined; pass a number, a list of up to three, or { global, local, offset }",
  ],
  [
    "more than there is memory",
    () => device.array(Float32Array, 1e12),
    "CL_INVALID_BUFFER_SIZE",
    `device.array: 1000000000000 elements of Float32Array have 4000000000000 bytes; ` +
      `an array has at most ${clGetDeviceInfo(device.queue.device, "CL_DEVICE_MAX_MEM_ALLOC_SIZE")}`,
  ],
  [
    "elements before the first",
    () => x.readSync(-1),
    "CL_INVALID_VALUE",
    "readSync: 41 elements from -1 on cannot be; whole numbers of at least 0 are needed",
  ],
  [
    "bytes that are no program",
    () => device.program(Uint8Array.of(1, 2, 3)),
    "CL_INVALID_BINARY",
    "device.program: at byte 0: this is no executable of Muxkit: it begins with neither its prefix nor an ELF header",
  ],
  [
    "no program at all",
    () => untyped.program(5),
    "CL_INVALID_VALUE",
    "device.program: a source or a binary is required, not number",
  ],
];

for (const [what, call, name, message] of CASES)
  test(`${what} is one sentence`, () => {
    const actual = errorOf(call);
    expect(actual).toMatchObject({ name, message });
    expect(actual.message).not.toMatch(/\bcl[A-Z]/u);
  });

test("a launch that fails later, and what waits for it, name the kernel", async () => {
  const failing = kernels["f"];
  if (failing === undefined) throw new Error("f was built");
  await expect((async () => await failing(1, x, -1))()).rejects.toThrow(
    expect.objectContaining({ name: "CL_OUT_OF_RESOURCES", message: expect.stringMatching(/^f: /u) }),
  );
  // What has been reported once is not reported again.
  expect(x.readSync()).toHaveLength(40);
});

test("consoles print one line", async () => {
  const own = device.array(Float32Array, [3, 4]);
  const kernel = program.kernel("f");
  const launch = kernel(1, x, 1);
  expect(inspect(device)).toMatch(/^Device ".+", 1 thread$/u);
  expect(inspect({ own })).toBe("{ own: DeviceArray Float32Array(3 × 4) }");
  expect(String(kernel)).toBe("kernel f(float* x, int n)");
  expect(inspect(kernel)).toBe("kernel f(float* x, int n)");
  expect(inspect(launch)).toBe("f (under way)");
  await launch;
  expect(inspect(launch)).toBe("f (done)");
  expect(inspect(program)).toBe("DeviceProgram f, h, picture, st");
  own.destroy();
  expect(String(own)).toBe("DeviceArray Float32Array(3 × 4), destroyed");
  expect(Object.prototype.toString.call(own)).toBe("[object DeviceArray Float32Array(3 × 4), destroyed]");
  expect(own).toBeInstanceOf(DeviceArray);
  expect(inspect(device.array(Body, 2))).toBe("DeviceArray Body(2)");
  expect(inspect(Body)).toBe("struct Body of 4 bytes: a");
  expect(inspect(Body.from([{ a: 2 }]).at(0))).toBe("{ a: 2 }");
  expect(inspect(device.sampler({}))).toBe("OpenCL sampler");
  expect(inspect(device.queue.device)).toMatch(/^OpenCL device .+$/u);
});

test("what looks at any object may look at kernels by name", async () => {
  const built = device.build("kernel void a(void) {} kernel void b(void) {}");
  const line = "kernels a, b";
  expect(inspect(built)).toBe(line);
  expect(JSON.stringify(built)).toBe("{}");
  expect(await Promise.resolve(built)).toBe(built);
  expect(() => expect(built).toEqual({ c: 1 })).toThrow(/toequal|equal/iu);
  expect(Object.keys(built)).toEqual(["a", "b"]);
});

test("an error says its name once", () => {
  const error = new OpenCLError("CL_INVALID_VALUE", "write", "nothing is written");
  expect(String(error)).toBe("CL_INVALID_VALUE: write: nothing is written");
});
