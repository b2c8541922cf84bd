// SPDX-License-Identifier: Apache-2.0
// What the system refuses as a whole: reserving memory, growing it, starting threads. Each is an error of the
// specification or no error at all, and everything works once the system has resources again.
import { type HostDevice, NODE_ENVIRONMENT, hostDevice, hostTarget } from "@muxkit/host";
import { registerTarget } from "@muxkit/mux";
import {
  CL_DEVICE_TYPE_ALL,
  CL_MEM_READ_WRITE,
  type Context,
  type Device,
  type ErrorName,
  OpenCLError,
  clBuildProgram,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateContext,
  clCreateImage,
  clCreateKernel,
  clCreatePipe,
  clCreateProgramWithSource,
  clEnqueueNDRangeKernel,
  clEnqueueReadBuffer,
  clFinish,
  clGetDeviceIDs,
  clGetDeviceInfo,
  clReleaseContext,
  clReleaseMemObject,
  clSVMAlloc,
  clSVMFree,
  clSharedMemAllocINTEL,
  clMemFreeINTEL,
  clSetKernelArg,
  clWaitForEvents,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { expectError, platform } from "./rig.ts";

const MIB = 2 ** 20;
const R32 = { channelOrder: "CL_RGBA", channelType: "CL_FLOAT" } as const;
const LOOP = `kernel void count(global uint* out, uint rounds) {
    uint sum = 0;
    for (uint i = 0; i < rounds; i++) sum = sum * 5 + i;
    out[get_global_id(0)] = sum;
  }`;

/** A device whose system refuses what is named, as long as it is. */
interface Rig {
  readonly device: Device;
  readonly refused: Set<"reserve" | "control" | "growth" | "worker">;
  readonly host: () => HostDevice;
}

function rigOf(threads: number): Rig {
  const refused: Rig["refused"] = new Set();
  const refuse = (what: "reserve" | "control" | "growth" | "worker", message: string): void => {
    if (refused.has(what)) throw new RangeError(message);
  };
  const number = registerTarget(
    hostTarget({
      threads,
      environment: {
        ...NODE_ENVIRONMENT,
        reserveMemory: (...args) => {
          refuse("reserve", "could not allocate memory");
          return NODE_ENVIRONMENT.reserveMemory(...args);
        },
        reserveControl: (...args) => {
          refuse("control", "Array buffer allocation failed");
          return NODE_ENVIRONMENT.reserveControl(...args);
        },
        growMemory: (...args) => {
          refuse("growth", "Unable to grow instance memory");
          NODE_ENVIRONMENT.growMemory(...args);
        },
        startWorker: (...args) => {
          refuse("worker", "Worker initialization failure: ERR_WORKER_INIT_FAILED");
          return NODE_ENVIRONMENT.startWorker(...args);
        },
      },
    }),
  );
  const device = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL).find(({ info }) => (info.id & 0xff) === number);
  if (device === undefined) throw new Error("the device is not listed");
  return { device, refused, host: () => hostDevice(device.open("a test").device).host };
}

const taken = ({ host }: Rig): number => host().statistics().memorySize - host().statistics().memoryFree;

/** Runs a launch of many work-items and looks at what it computed. */
function compute(context: Context, device: Device, items: number, rounds: number): void {
  const queue = clCreateCommandQueue(context, device);
  const program = clCreateProgramWithSource(context, [LOOP]);
  clBuildProgram(program);
  const kernel = clCreateKernel(program, "count");
  const out = clCreateBuffer(context, CL_MEM_READ_WRITE, items * 4);
  clSetKernelArg(kernel, 0, out);
  clSetKernelArg(kernel, 1, Uint32Array.of(rounds));
  clEnqueueNDRangeKernel(queue, kernel, 1, null, [items], [64]);
  const array = new Uint32Array(items);
  clEnqueueReadBuffer(queue, out, true, 0, items * 4, array);
  let sum = 0;
  for (let i = 0; i < rounds; i++) sum = (Math.imul(sum, 5) + i) >>> 0;
  expect(array.every((value) => value === sum)).toBe(true);
  clFinish(queue);
  clReleaseMemObject(out);
}

test.each([
  ["reserve", /memory cannot be reserved/u],
  ["control", /control block cannot be reserved/u],
] as const)(
  "clCreateContext: CL_OUT_OF_RESOURCES while the system refuses to %s, and a context afterwards",
  (what, message) => {
    const { device, refused } = rigOf(2);
    refused.add(what);
    for (let i = 0; i < 3; i++) {
      expectError(
        () => {
          // A device is opened when something of it is needed.
          const context = clCreateContext([device]);
          clCreateCommandQueue(context, device);
        },
        "CL_OUT_OF_RESOURCES",
        message,
      );
    }
    refused.clear();
    const context = clCreateContext([device]);
    compute(context, device, 1024, 10);
    clReleaseContext(context);
  },
);

const LARGE: readonly (readonly [
  call: string,
  error: ErrorName,
  make: (context: Context, device: Device) => () => void,
])[] = [
  [
    "clCreateBuffer",
    "CL_MEM_OBJECT_ALLOCATION_FAILURE",
    (context) => {
      const buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 200 * MIB);
      return () => {
        clReleaseMemObject(buffer);
      };
    },
  ],
  [
    "clCreateImage",
    "CL_MEM_OBJECT_ALLOCATION_FAILURE",
    (context) => {
      const image = clCreateImage(context, CL_MEM_READ_WRITE, R32, {
        type: "CL_MEM_OBJECT_IMAGE2D",
        width: 4096,
        height: 3200,
      });
      return () => {
        clReleaseMemObject(image);
      };
    },
  ],
  [
    "clCreatePipe",
    "CL_MEM_OBJECT_ALLOCATION_FAILURE",
    (context) => {
      const pipe = clCreatePipe(context, 0, 1024, 200 * 1024);
      return () => {
        clReleaseMemObject(pipe);
      };
    },
  ],
  [
    "clSharedMemAllocINTEL",
    "CL_OUT_OF_RESOURCES",
    (context, device) => {
      const pointer = clSharedMemAllocINTEL(context, device, null, 200 * MIB);
      return () => {
        clMemFreeINTEL(context, pointer);
      };
    },
  ],
];

test.each(LARGE)(
  "%s: %s while the memory cannot grow, nothing is taken, and the next call works",
  (_call, error, make) => {
    const rig = rigOf(2);
    const { device, refused } = rig;
    const context = clCreateContext([device]);
    compute(context, device, 1024, 10);
    const before = taken(rig);
    refused.add("growth");
    for (let i = 0; i < 3; i++) expectError(() => make(context, device), error, /memory/u);
    expect(taken(rig)).toBe(before);
    // What fits still works.
    compute(context, device, 1024, 10);
    const between = taken(rig);
    refused.clear();
    make(context, device)();
    expect(taken(rig)).toBe(between);
    clReleaseContext(context);
  },
);

test("clSVMAlloc: 0 and a reason while the memory cannot grow", () => {
  const { device, refused } = rigOf(2);
  const told: string[] = [];
  const context = clCreateContext([device], (message) => {
    told.push(message);
  });
  refused.add("growth");
  expect(clSVMAlloc(context, CL_MEM_READ_WRITE, 200 * MIB)).toBe(0);
  expect(told.join()).toMatch(/^clSVMAlloc: .*cannot be allocated/u);
  refused.clear();
  const pointer = clSVMAlloc(context, CL_MEM_READ_WRITE, 200 * MIB);
  expect(pointer).toBeGreaterThan(0);
  clSVMFree(context, pointer);
  clReleaseContext(context);
});

test("a launch whose work-groups need memory that cannot be had fails with CL_OUT_OF_RESOURCES, and runs once it can", () => {
  const { device, refused } = rigOf(2);
  const context = clCreateContext([device]);
  const queue = clCreateCommandQueue(context, device);
  const program = clCreateProgramWithSource(context, [
    `kernel void wide(global int* out, local int* scratch) {
      scratch[get_local_id(0)] = 1;
      barrier(CLK_LOCAL_MEM_FENCE);
      out[get_global_id(0)] = scratch[0];
    }`,
  ]);
  clBuildProgram(program);
  const kernel = clCreateKernel(program, "wide");
  const out = clCreateBuffer(context, CL_MEM_READ_WRITE, 256);
  // All that the memory has without growth.
  const held: (() => void)[] = [];
  refused.add("growth");
  for (let bytes = 16 * MIB; bytes >= 4096; bytes /= 2) {
    for (;;) {
      try {
        const buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes);
        held.push(() => {
          clReleaseMemObject(buffer);
        });
      } catch (error) {
        if (!(error instanceof OpenCLError)) throw error;
        break;
      }
    }
  }
  clSetKernelArg(kernel, 0, out);
  clSetKernelArg(kernel, 1, { localBytes: clGetDeviceInfo(device, "CL_DEVICE_LOCAL_MEM_SIZE") });
  const launch = (): number => {
    clWaitForEvents([clEnqueueNDRangeKernel(queue, kernel, 1, null, [64], [64])]);
    const array = new Int32Array(64);
    clEnqueueReadBuffer(queue, out, true, 0, 256, array);
    return array.reduce((sum, value) => sum + value, 0);
  };
  const failed = clEnqueueNDRangeKernel(queue, kernel, 1, null, [64], [64]);
  expectError(
    () => {
      clWaitForEvents([failed]);
    },
    "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
    /local and private memory/u,
  );
  expect(failed.error).toMatchObject({ name: "CL_OUT_OF_RESOURCES" });
  for (const release of held) release();
  refused.clear();
  expect(launch()).toBe(64);
  clReleaseContext(context);
});

test("threads that cannot be started leave the work to the caller, and come once they can", async () => {
  const { device, refused, host } = rigOf(4);
  const context = clCreateContext([device]);
  refused.add("worker");
  compute(context, device, 65_536, 2000);
  const { workers, failure } = host().statistics();
  expect([workers, failure]).toEqual([0, "Worker initialization failure: ERR_WORKER_INIT_FAILED"]);
  refused.clear();
  // Worker slots that stayed empty are tried again a second later, when there is work for them.
  await new Promise((resolve) => {
    setTimeout(resolve, 1100);
  });
  compute(context, device, 65_536, 2000);
  expect(host().statistics()).toMatchObject({ workers: 4, failure: null });
  compute(context, device, 65_536, 2000);
  clReleaseContext(context);
});

test("64 threads work on one launch, and on launches that wait for each other", () => {
  const { device, host } = rigOf(64);
  expect(clGetDeviceInfo(device, "CL_DEVICE_MAX_COMPUTE_UNITS")).toBe(64);
  const context = clCreateContext([device]);
  for (let round = 0; round < 3; round++) compute(context, device, 65_536, 2000);
  expect(host().statistics().workers).toBe(64);
  const queue = clCreateCommandQueue(context, device);
  const program = clCreateProgramWithSource(context, [
    `kernel void add(global uint* data) { atomic_inc(data + (get_global_id(0) & 63)); }`,
  ]);
  clBuildProgram(program);
  const kernel = clCreateKernel(program, "add");
  const data = clCreateBuffer(context, CL_MEM_READ_WRITE, 256);
  clSetKernelArg(kernel, 0, data);
  clEnqueueNDRangeKernel(queue, kernel, 1, null, [64], null);
  const before = new Uint32Array(64);
  clEnqueueReadBuffer(queue, data, true, 0, 256, before);
  for (let i = 0; i < 200; i++) clEnqueueNDRangeKernel(queue, kernel, 1, null, [4096], [16]);
  const after = new Uint32Array(64);
  clEnqueueReadBuffer(queue, data, true, 0, 256, after);
  expect([...after].map((value, i) => value - (before[i] ?? 0))).toEqual(Array.from({ length: 64 }, () => 200 * 64));
  clReleaseContext(context);
});
