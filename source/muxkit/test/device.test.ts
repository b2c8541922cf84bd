// SPDX-License-Identifier: Apache-2.0
// The friendly API, as its users write it.
import { type Device, OpenCLError, openDevice, openDeviceSync } from "muxkit";
import { afterAll, expect, expectTypeOf, test } from "vitest";

const device: Device = openDeviceSync();
afterAll(() => {
  device.close();
});

test("ten lines: open, build, call, read", async () => {
  const own = await openDevice();
  const { saxpy } = own.build(`
    kernel void saxpy(global float* y, global const float* x, float a) {
      size_t i = get_global_id(0);
      y[i] += a * x[i];
    }`);
  const x = own.array(Float32Array.of(1, 2, 3, 4));
  const y = own.array(Float32Array, 4);
  saxpy(4, y, x, 2.5);
  expect([...(await y.read())]).toEqual([2.5, 5, 7.5, 10]);
  own.close();
});

test("types of a literal source: arrays, numbers, vectors, local memory", () => {
  const kernels = device.build(`
    __kernel void first(__global const uchar *a, uint b, float4 c, local int *d, long e) {
      if (a[0] + b + (int)c.x + d[0] + (int)e == 12345) d[0] = 1;
    }
    kernel void third() {}`);
  expectTypeOf(kernels.first).parameters.toEqualTypeOf<
    [
      import("muxkit").Range,
      import("muxkit").DeviceArray<Uint8Array | Uint8ClampedArray> | null,
      number,
      readonly (number | bigint)[] | ArrayBufferView,
      import("muxkit").LocalMemory,
      number | bigint,
    ]
  >();
  expectTypeOf(kernels.third).parameters.toEqualTypeOf<[import("muxkit").Range]>();
  const { tiled } = device.build(`
    // This kernel is tiled: each work-group keeps a tile.
    kernel __attribute__((reqd_work_group_size(4, 1, 1)))
    void tiled(global float4* restrict data,
               const uint count)
    {
      if (get_global_id(0) < count) data[get_global_id(0)] *= 2.0f;
    }`);
  expectTypeOf(tiled).parameters.toEqualTypeOf<
    [import("muxkit").Range, import("muxkit").DeviceArray<Float32Array> | null, number]
  >();
  tiled(4, device.array(new Float32Array(16)), 4);
  kernels.first(1, device.array(Uint8Array.of(1)), 1, [1, 2, 3, 4], { localBytes: 4 }, 5n);
  kernels.third(1);
  device.finishSync();
  const program = device.program(`kernel void only(global int* x) { *x = 3; }`);
  expect(program.kernelNames).toEqual(["only"]);
  program.destroy();
});

test("what the types forbid, the call refuses too", () => {
  const { k } = device.build(`kernel void k(global float* data, int n) { data[0] = n; }`);
  const floats = device.array(Float32Array, 1);
  const ints = device.array(Int32Array, 1);
  // @ts-expect-error a number is no array
  expect(() => k(1, 5, 5)).toThrow(/requires an array on the device/u);
  // @ts-expect-error a text is no number
  expect(() => k(1, floats, "5")).toThrow(/is a string; int requires numbers/u);
  // @ts-expect-error one argument is missing
  expect(() => k(1, floats)).toThrow(/2 arguments are required/u);
  // @ts-expect-error the kernel writes floats
  expect(() => k(1, ints, 5)).toThrow(/requires an array of Float32Array, not of Int32Array/u);
  device.finishSync();
});

test("values of every kind reach the kernel", () => {
  const { k } = device.build(`
    kernel void k(global double* out, char a, uchar b, short c, ushort d, int e, uint f, long g, ulong h,
        float i, double j, float3 v, int w) {
      out[0] = a;
      out[1] = b;
      out[2] = c;
      out[3] = d;
      out[4] = e;
      out[5] = f;
      out[6] = g;
      out[7] = h;
      out[8] = i;
      out[9] = j;
      out[10] = v.x + 10 * v.y + 100 * v.z;
      out[11] = w;
    }`);
  const out = device.array(Float64Array, 12);
  k(1, out, -1, 255, -2, 65535, -3, 4294967295, -4n, 5n, 0.5, 0.1, [1, 2, 3], 7);
  expect([...out.readSync()]).toEqual([-1, 255, -2, 65535, -3, 4294967295, -4, 5, 0.5, 0.1, 321, 7]);
});

test("halves reach the kernel by value, as buffers their bits do", () => {
  const { k } = device.build(
    `#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global half* out, half a, half3 v, int w) {
  out[0] += a;
  out[1] = v.x + 10 * v.y + 100 * v.z;
  out[2] = w / a;
}`,
  );
  const out = device.array(Uint16Array.of(0x3c00, 0, 0));
  k(1, out, 0.1, [1, 2, 3], 7);
  // 1 + 0.0999755859375 is between two halves, nearer to the upper one; 7 divided by it is 70.0171, of which the
  // nearest half is 70.
  expect([...out.readSync()]).toEqual([0x3c66, 0x5d04, 0x5460]);
});

test("ranges with local size and offset", () => {
  const { k } = device.build(
    `kernel void k(global uint* out) {
      out[get_global_id(0) - get_global_offset(0)] = 1000 * get_local_size(0) + get_global_id(0);
    }`,
  );
  const out = device.array(Uint32Array, 4);
  k({ global: 4, local: 2, offset: 10 }, out);
  expect([...out.readSync()]).toEqual([2010, 2011, 2012, 2013]);
  k({ global: [4] }, out);
  expect([...out.readSync()].map((value) => value % 1000)).toEqual([0, 1, 2, 3]);
});

function messageOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof OpenCLError) return `${error.name}: ${error.message}`;
    throw error;
  }
  return "no error";
}

test("wrong arguments are reported by name", () => {
  const source: string = `kernel void k(global int* data, int value, local int* scratch) {
    data[0] = value + scratch[0];
  }`;
  const k = device.program(source).kernel("k");
  const data = device.array(Int32Array.of(1));
  expect(messageOf(() => k(1, data))).toMatch(
    /CL_INVALID_KERNEL_ARGS: k: 3 arguments are required \(data, value, scratch\), not 1/u,
  );
  expect(messageOf(() => k(1, 5, 5, { localBytes: 4 }))).toMatch(
    /argument 0 \(int\* data\) requires an array on the device/u,
  );
  expect(messageOf(() => k(1, data, data, { localBytes: 4 }))).toMatch(/argument 1 \(int value\) requires a value/u);
  expect(messageOf(() => k(1, data, 1.5, { localBytes: 4 }))).toMatch(
    /argument 1 \(int value\) is 1.5; int requires integers/u,
  );
  expect(messageOf(() => k(1, data, [1, 2], { localBytes: 4 }))).toMatch(/has 2 values; int has 1/u);
  expect(messageOf(() => k(1, data, 1, 4))).toMatch(/requires an object \{ localBytes \}/u);
  for (const items of [-1, 1.5, Number.NaN])
    expect(messageOf(() => k(items, data, 1, { localBytes: 4 }))).toMatch(/CL_INVALID_GLOBAL_WORK_SIZE/u);
  k(1, data, 1, { localBytes: 4 });
  device.finishSync();
});

test("a launch without work-items does nothing", () => {
  const k = device.program(`kernel void k(global int* data) { data[0] = 7; }`).kernel("k");
  const data = device.array(Int32Array.of(1));
  k(0, data);
  k([4, 0], data);
  expect([...data.readSync()]).toEqual([1]);
  k(1, data);
  expect([...data.readSync()]).toEqual([7]);
});

test("a source with a mistake throws the log", () => {
  expect(
    messageOf(() =>
      device.build(`kernel void k(global int* x) {
  *x = y;
}`),
    ),
  ).toMatch(/CL_BUILD_PROGRAM_FAILURE: [^]*:2:8: error: [^]*\*x = y;/u);
  expect(messageOf(() => device.program(`kernel void k(void) {}`).kernel("j"))).toMatch(
    /program\.kernel: no kernel j; there are k/u,
  );
});

test("a binary can be saved and loaded", async () => {
  const { binary } = device.program(`kernel void k(global int* x) { *x = 42; }`);
  const out = device.array(Int32Array, 1);
  device.program(binary).kernel("k")(1, out);
  expect((await out.read())[0]).toBe(42);
});

test("a failed launch is thrown by the next read or finish, once", async () => {
  const { fault } = device.build(`kernel void fault(global int* x) { x[0x2fffffff] = 1; }`);
  const data = device.array(Int32Array.of(5));
  fault(1, data);
  await expect(data.read()).rejects.toThrow(/kernel "fault"/u);
  expect([...(await data.read())]).toEqual([5]);
  fault(1, data);
  await expect(device.finish()).rejects.toMatchObject({ name: "CL_OUT_OF_RESOURCES" });
  await device.finish();
  fault(1, data);
  expect(() => {
    device.finishSync();
  }).toThrow(/kernel "fault"/u);
});

test("arrays: write, fill, destroy", async () => {
  const array = device.array(Int16Array, 5);
  expect([...(await array.read())]).toEqual([0, 0, 0, 0, 0]);
  array.fill(-7);
  array.write(Int16Array.of(1, 2), 3);
  expect([...(await array.read())]).toEqual([-7, -7, -7, 1, 2]);
  array.destroy();
  await expect(array.read()).rejects.toMatchObject({ name: "CL_INVALID_MEM_OBJECT" });
});

test("private arrays of work-items that run on several threads at once do not meet", () => {
  const { mix } = device.build(`
    kernel void mix(global uint* out, global uint* places) {
      uint own[16];
      uint id = get_global_id(0);
      for (int i = 0; i < 16; i++) own[i] = id + i;
      uint sum = 0;
      for (int round = 0; round < 200; round++) for (int i = 0; i < 16; i++) sum += own[(i * 7 + round) & 15];
      out[id] = sum;
      places[id] = (uint)own;
    }`);
  const count = 1 << 16;
  const out = device.array(Uint32Array, count);
  const places = device.array(Uint32Array, count);
  mix({ global: count, local: 64 }, out, places);
  expect(out.readSync().every((sum, id) => sum === ((16 * id + 120) * 200) >>> 0)).toBe(true);
  // Nothing of a kernel is on page 0: a null pointer points there.
  expect(places.readSync().every((place) => place >= 65_536)).toBe(true);
});

for (const threads of [1, 2]) {
  test(`a kernel that never ends is stopped by its deadline, ${threads === 1 ? "on the calling thread alone" : "with a worker"}; the device continues`, async () => {
    const limited = await openDevice({ threads, deadline: 150 });
    const { endless, inCall, plain } = limited.build(`
      kernel void endless(global volatile int* x) { while (x[0] == 0) { x[1]++; } }
      int spin(global volatile int* x) { int n = 0; while (x[0] == 0) n++; return n; }
      kernel void inCall(global volatile int* x) { x[1] = spin(x); }
      kernel void plain(global int* x) { x[get_global_id(0)] = 9; }`);
    const data = limited.array(Int32Array.of(0, 0));
    for (const kernel of [endless, inCall]) {
      kernel(1, data);
      const begin = performance.now();
      expect(() => {
        limited.finishSync();
      }).toThrow(/was stopped: it ran longer than its deadline of 150 ms/u);
      expect(performance.now() - begin).toBeLessThan(5000);
    }
    plain(2, data);
    expect([...(await data.read())]).toEqual([9, 9]);
    limited.close();
  });
}
