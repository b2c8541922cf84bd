// SPDX-License-Identifier: Apache-2.0
// Unified shared memory: allocations of host, device and both by their addresses, with kernels, copies and queries.
import {
  CL_COMPLETE,
  CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL,
  CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL,
  CL_MEM_ALLOC_WRITE_COMBINED_INTEL,
  CL_MEM_READ_WRITE,
  CL_MIGRATE_MEM_OBJECT_HOST,
  type CommandQueue,
  type Context,
  type Device,
  type ErrorName,
  type Kernel,
  type KernelExecInfo,
  clCreateCommandQueue,
  clCreateContext,
  clCreateUserEvent,
  clDeviceMemAllocINTEL,
  clEnqueueMemAdviseINTEL,
  clEnqueueMemFillINTEL,
  clEnqueueMemcpyINTEL,
  clEnqueueMemsetINTEL,
  clEnqueueMigrateMemINTEL,
  clEnqueueNDRangeKernel,
  clFinish,
  clGetDeviceInfo,
  clGetEventInfo,
  clGetMemAllocInfoINTEL,
  clHostMemAllocINTEL,
  clMemBlockingFreeINTEL,
  clMemFreeINTEL,
  clReleaseKernel,
  clSVMAlloc,
  clSVMFree,
  clSetKernelArg,
  clSetKernelArgMemPointerINTEL,
  clSetKernelExecInfo,
  clSetUserEventStatus,
  clSharedMemAllocINTEL,
  clWaitForEvents,
  usmView,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { SOURCE, context, device, expectError, int, ints, kernelOf, newQueue } from "./rig.ts";

const queue = newQueue();

/** A shared allocation of integers, and the host's view of it. */
function shared(...values: number[]): { readonly pointer: number; readonly view: Int32Array } {
  const pointer = clSharedMemAllocINTEL(context, device, null, values.length * 4);
  const bytes = usmView(context, pointer, values.length * 4);
  const view = new Int32Array(bytes.buffer, bytes.byteOffset, values.length);
  view.set(values);
  return { pointer, view };
}

test("clGetDeviceInfo: host, device and shared allocations with atomics at the same time, and nothing of other devices or other memory", () => {
  expect(clGetDeviceInfo(device, "CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL")).toBe(15);
  expect(clGetDeviceInfo(device, "CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL")).toBe(15);
  expect(clGetDeviceInfo(device, "CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL")).toBe(15);
  expect(clGetDeviceInfo(device, "CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL")).toBe(0);
  expect(clGetDeviceInfo(device, "CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL")).toBe(0);
});

const KINDS: readonly (readonly [
  name: string,
  type: string,
  allocate: (size: number, alignment?: number, flags?: number, of?: Context) => number,
])[] = [
  [
    "clHostMemAllocINTEL",
    "CL_MEM_TYPE_HOST_INTEL",
    (size, alignment, flags, of = context) =>
      clHostMemAllocINTEL(of, flags === undefined ? null : { CL_MEM_ALLOC_FLAGS_INTEL: flags }, size, alignment),
  ],
  [
    "clDeviceMemAllocINTEL",
    "CL_MEM_TYPE_DEVICE_INTEL",
    (size, alignment, flags, of = context) =>
      clDeviceMemAllocINTEL(
        of,
        device,
        flags === undefined ? null : { CL_MEM_ALLOC_FLAGS_INTEL: flags },
        size,
        alignment,
      ),
  ],
  [
    "clSharedMemAllocINTEL",
    "CL_MEM_TYPE_SHARED_INTEL",
    (size, alignment, flags, of = context) =>
      clSharedMemAllocINTEL(
        of,
        device,
        flags === undefined ? null : { CL_MEM_ALLOC_FLAGS_INTEL: flags },
        size,
        alignment,
      ),
  ],
];

test.each(KINDS)("%s: an address that kernels take, and its queries (%s)", (_name, type, allocate) => {
  const pointer = allocate(16, 64, CL_MEM_ALLOC_WRITE_COMBINED_INTEL);
  expect(pointer % 64).toBe(0);
  const add = kernelOf(SOURCE, "add", ints(0), int(5));
  clSetKernelArgMemPointerINTEL(add, 0, pointer + 4);
  clEnqueueMemFillINTEL(queue, pointer, int(1), 16);
  clEnqueueNDRangeKernel(queue, add, 1, null, [2], null);
  const out = new Int32Array(4);
  clEnqueueMemcpyINTEL(queue, true, out, pointer, 16);
  expect([...out]).toEqual([1, 6, 6, 1]);
  for (const inside of [pointer, pointer + 15]) {
    expect(clGetMemAllocInfoINTEL(context, inside, "CL_MEM_ALLOC_TYPE_INTEL")).toBe(type);
    expect(clGetMemAllocInfoINTEL(context, inside, "CL_MEM_ALLOC_BASE_PTR_INTEL")).toBe(pointer);
    expect(clGetMemAllocInfoINTEL(context, inside, "CL_MEM_ALLOC_SIZE_INTEL")).toBe(16);
    expect(clGetMemAllocInfoINTEL(context, inside, "CL_MEM_ALLOC_DEVICE_INTEL")).toBe(
      type === "CL_MEM_TYPE_HOST_INTEL" ? null : device,
    );
    expect(clGetMemAllocInfoINTEL(context, inside, "CL_MEM_ALLOC_FLAGS_INTEL")).toBe(CL_MEM_ALLOC_WRITE_COMBINED_INTEL);
  }
  clMemFreeINTEL(context, pointer);
  expect(clGetMemAllocInfoINTEL(context, pointer, "CL_MEM_ALLOC_TYPE_INTEL")).toBe("CL_MEM_TYPE_UNKNOWN_INTEL");
});

test.each(KINDS)(
  "%s: CL_INVALID_CONTEXT, CL_INVALID_VALUE, CL_INVALID_PROPERTY, CL_INVALID_BUFFER_SIZE (%s)",
  (_name, type, allocate) => {
    expectError(() => allocate(4, 0, 0, {} as Context), "CL_INVALID_CONTEXT", /expected an object of type Context/u);
    for (const alignment of [3, 256, -1, 0.5])
      expectError(() => allocate(4, alignment), "CL_INVALID_VALUE", /a power of two up to 128/u);
    const wrong =
      type === "CL_MEM_TYPE_SHARED_INTEL"
        ? CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL
        : CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;
    for (const flags of [wrong, 8, 0.5])
      expectError(() => allocate(4, 0, flags), "CL_INVALID_PROPERTY", /are not supported for this allocation/u);
    for (const size of [0, -4, 2 ** 40])
      expectError(() => allocate(size), "CL_INVALID_BUFFER_SIZE", /an allocation has 1 to/u);
  },
);

test.each(KINDS)("%s: CL_OUT_OF_RESOURCES when memory runs out (%s)", (_name, _type, allocate) => {
  const most = clGetDeviceInfo(device, "CL_DEVICE_MAX_MEM_ALLOC_SIZE");
  const held: number[] = [];
  expectError(
    () => {
      for (let i = 0; i < 64; i++) held.push(allocate(most));
    },
    "CL_OUT_OF_RESOURCES",
    /no memory for/u,
  );
  for (const pointer of held) clMemFreeINTEL(context, pointer);
});

test("clDeviceMemAllocINTEL: CL_INVALID_DEVICE", () => {
  expectError(
    () => clDeviceMemAllocINTEL(context, {} as Device, null, 4),
    "CL_INVALID_DEVICE",
    /does not belong to this context/u,
  );
});

test("clSharedMemAllocINTEL: CL_INVALID_DEVICE, and without a device; properties", () => {
  expectError(
    () => clSharedMemAllocINTEL(context, {} as Device, null, 4),
    "CL_INVALID_DEVICE",
    /does not belong to this context/u,
  );
  expectError(
    () => clSharedMemAllocINTEL(context, null, { CL_MEM_COLOUR: 1 } as object, 4),
    "CL_INVALID_PROPERTY",
    /CL_MEM_COLOUR is not a property/u,
  );
  const pointer = clSharedMemAllocINTEL(
    context,
    null,
    { CL_MEM_ALLOC_FLAGS_INTEL: CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL },
    4,
  );
  expect(clGetMemAllocInfoINTEL(context, pointer, "CL_MEM_ALLOC_DEVICE_INTEL")).toBeNull();
  clMemFreeINTEL(context, pointer);
});

test("usmView: the bytes that kernels see, while they run; CL_INVALID_OPERATION for a device's, CL_INVALID_VALUE, CL_INVALID_CONTEXT", async () => {
  const { pointer, view } = shared(0);
  const count = kernelOf(
    `kernel void count(global int* counter, int rounds) {
      for (int i = 0; i < rounds; ++i) atomic_inc(counter);
    }`,
    "count",
    null,
    int(1000),
  );
  clSetKernelArgMemPointerINTEL(count, 0, pointer);
  const event = clEnqueueNDRangeKernel(queue, count, 1, null, [64], [1]);
  for (let i = 0; i < 5000; i++) Atomics.add(view, 0, 1);
  await event.done;
  expect(view[0]).toBe(69_000);
  const own = clDeviceMemAllocINTEL(context, device, null, 8);
  expectError(() => usmView(context, own, 4), "CL_INVALID_OPERATION", /cannot access a device allocation/u);
  expectError(() => usmView(context, pointer, 5), "CL_INVALID_VALUE", /are not within an allocation/u);
  expectError(() => usmView(context, pointer, 0), "CL_INVALID_VALUE", /at least one byte/u);
  expectError(() => usmView({} as Context, pointer, 4), "CL_INVALID_CONTEXT", /expected an object of type Context/u);
  clMemFreeINTEL(context, own);
});

test("clSetKernelExecInfo: a list in shared memory, with pointers named, or all of a kind", () => {
  const walk = kernelOf(
    `
    struct Node { int value; global struct Node* next; };
    kernel void walk(global struct Node* node, global int* sum) {
      int all = 0;
      for (; node; node = node->next) all += node->value;
      *sum = all;
    }
  `,
    "walk",
  );
  const nodes = Array.from({ length: 10 }, (_, i) => shared(i + 1, 0));
  for (const [i, { view }] of nodes.entries()) view[1] = nodes[i + 1]?.pointer ?? 0;
  const sum = shared(0);
  clSetKernelArgMemPointerINTEL(walk, 0, nodes[0]?.pointer ?? 0);
  clSetKernelArgMemPointerINTEL(walk, 1, sum.pointer);
  clSetKernelExecInfo(
    walk,
    "CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL",
    nodes.map(({ pointer }) => pointer),
  );
  for (const kind of ["HOST", "DEVICE", "SHARED"] as const)
    clSetKernelExecInfo(walk, `CL_KERNEL_EXEC_INFO_INDIRECT_${kind}_ACCESS_INTEL`, true);
  clEnqueueNDRangeKernel(queue, walk, 1, null, [1], null);
  for (const { pointer } of nodes) clMemBlockingFreeINTEL(context, pointer);
  expect(sum.view[0]).toBe(55);
});

const WRONG_INFO: readonly (readonly [name: keyof KernelExecInfo, value: unknown, message: RegExp])[] = [
  ["CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL", [], /the pointers are not a non-empty list/u],
  ["CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL", [12], /12 is not within an allocation/u],
  ["CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL", 1, /neither true nor false/u],
  ["CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL", 1, /neither true nor false/u],
  ["CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL", 1, /neither true nor false/u],
];

test.each(WRONG_INFO)("clSetKernelExecInfo: CL_INVALID_VALUE for a wrong %s", (name, value, message) => {
  expectError(
    () => {
      clSetKernelExecInfo(kernelOf(SOURCE, "add"), name, value as never);
    },
    "CL_INVALID_VALUE",
    message,
  );
});

test("clSetKernelArgMemPointerINTEL: null; CL_INVALID_KERNEL, CL_INVALID_ARG_INDEX, CL_INVALID_ARG_VALUE", () => {
  const isNull = kernelOf(`kernel void isnull(global int* p, global int* out) { *out = p == 0; }`, "isnull", ints(1));
  const out = shared(7);
  clSetKernelArgMemPointerINTEL(isNull, 0, 0);
  clSetKernelArgMemPointerINTEL(isNull, 1, out.pointer);
  clEnqueueNDRangeKernel(queue, isNull, 1, null, [1], null);
  clFinish(queue);
  expect(out.view[0]).toBe(1);
  const other = clSVMAlloc(context, CL_MEM_READ_WRITE, 8);
  for (const pointer of [12, -4, 0.5, other]) {
    expectError(
      () => {
        clSetKernelArgMemPointerINTEL(isNull, 0, pointer);
      },
      "CL_INVALID_ARG_VALUE",
      /is not within an allocation of unified shared memory/u,
    );
  }
  clSVMFree(context, other);
  expectError(
    () => {
      clSetKernelArgMemPointerINTEL(isNull, 2, 0);
    },
    "CL_INVALID_ARG_INDEX",
    /has 2 arguments/u,
  );
  expectError(
    () => {
      clSetKernelArgMemPointerINTEL(kernelOf(SOURCE, "add"), 1, 0);
    },
    "CL_INVALID_ARG_VALUE",
    /is not a pointer/u,
  );
  clReleaseKernel(isNull);
  expectError(
    () => {
      clSetKernelArgMemPointerINTEL(isNull, 0, 0);
    },
    "CL_INVALID_KERNEL",
    /has been released/u,
  );
});

test("clEnqueueMemcpyINTEL: between allocations and arrays, both ways; CL_MEM_COPY_OVERLAP", () => {
  const [one, two] = [shared(1, 2, 3, 4), shared(0, 0, 0, 0)];
  const event = clEnqueueMemcpyINTEL(queue, true, two.pointer + 4, one.pointer, 8);
  expect(clGetEventInfo(event, "CL_EVENT_COMMAND_TYPE")).toBe("CL_COMMAND_MEMCPY_INTEL");
  expect([...two.view]).toEqual([0, 1, 2, 0]);
  clEnqueueMemcpyINTEL(queue, true, two.pointer + 12, int(9), 4);
  const out = new Int32Array(2);
  clEnqueueMemcpyINTEL(queue, true, out, two.pointer + 8, 8);
  expect([...out]).toEqual([2, 9]);
  clEnqueueMemcpyINTEL(queue, true, one.pointer, two.pointer, 0);
  expect([...one.view]).toEqual([1, 2, 3, 4]);
  expectError(
    () => clEnqueueMemcpyINTEL(queue, true, one.pointer, one.pointer + 4, 8),
    "CL_MEM_COPY_OVERLAP",
    /overlap/u,
  );
});

test("clEnqueueMemcpyINTEL: CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST when it blocks for what has failed", () => {
  const { pointer } = shared(1, 2);
  const gate = clCreateUserEvent(context);
  clSetUserEventStatus(gate, -5);
  expectError(
    () => clEnqueueMemcpyINTEL(queue, true, pointer, int(1), 4, [gate]),
    "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
    /waits for failed/u,
  );
});

test("clEnqueueMemFillINTEL, clEnqueueMemsetINTEL, clEnqueueMigrateMemINTEL, clEnqueueMemAdviseINTEL: fills, hints and their kinds", () => {
  const { pointer, view } = shared(0, 0, 0, 0);
  const events = [
    clEnqueueMemFillINTEL(queue, pointer, Int32Array.of(1, 2), 16),
    clEnqueueMemsetINTEL(queue, pointer + 4, -1, 4),
    clEnqueueMigrateMemINTEL(queue, pointer, 16, CL_MIGRATE_MEM_OBJECT_HOST),
    clEnqueueMemAdviseINTEL(queue, pointer, 16, 0),
  ];
  clWaitForEvents(events);
  expect([...view]).toEqual([1, -1, 1, 2]);
  expect(events.map((event) => clGetEventInfo(event, "CL_EVENT_COMMAND_TYPE"))).toEqual([
    "CL_COMMAND_MEMFILL_INTEL",
    "CL_COMMAND_MEMFILL_INTEL",
    "CL_COMMAND_MIGRATEMEM_INTEL",
    "CL_COMMAND_MEMADVISE_INTEL",
  ]);
});

const bytes = shared(0, 0, 0, 0);
const foreign = clCreateContext([device]);

const COMMANDS: readonly (readonly [
  name: string,
  run: (queue: CommandQueue, pointer: number, waits?: readonly never[]) => unknown,
])[] = [
  ["clEnqueueMemcpyINTEL", (target, pointer, waits) => clEnqueueMemcpyINTEL(target, false, pointer, int(1), 4, waits)],
  ["clEnqueueMemFillINTEL", (target, pointer, waits) => clEnqueueMemFillINTEL(target, pointer, int(1), 4, waits)],
  ["clEnqueueMemsetINTEL", (target, pointer, waits) => clEnqueueMemsetINTEL(target, pointer, 1, 4, waits)],
  ["clEnqueueMigrateMemINTEL", (target, pointer, waits) => clEnqueueMigrateMemINTEL(target, pointer, 4, 0, waits)],
  ["clEnqueueMemAdviseINTEL", (target, pointer, waits) => clEnqueueMemAdviseINTEL(target, pointer, 4, 0, waits)],
];

test.each(COMMANDS)(
  "%s: CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT, CL_INVALID_VALUE, CL_INVALID_EVENT_WAIT_LIST",
  (_name, run) => {
    expectError(
      () => run({} as CommandQueue, bytes.pointer),
      "CL_INVALID_COMMAND_QUEUE",
      /expected an object of type CommandQueue/u,
    );
    expectError(
      () => run(queue, bytes.pointer, [clCreateUserEvent(foreign) as never]),
      "CL_INVALID_CONTEXT",
      /another context/u,
    );
    for (const pointer of [0, bytes.pointer + 16, bytes.pointer - 4, -4])
      expectError(() => run(queue, pointer), "CL_INVALID_VALUE", /is not a pointer|are not within an allocation/u);
    expectError(
      () => run(clCreateCommandQueue(foreign, device), bytes.pointer),
      "CL_INVALID_VALUE",
      /are not within an allocation/u,
    );
    expectError(() => run(queue, bytes.pointer, [{} as never]), "CL_INVALID_EVENT_WAIT_LIST", /not an event/u);
  },
);

const REFUSED: readonly (readonly [name: string, error: ErrorName, run: () => unknown, message: RegExp])[] = [
  [
    "clEnqueueMemFillINTEL",
    "CL_INVALID_VALUE",
    () => clEnqueueMemFillINTEL(queue, bytes.pointer, new Uint8Array(3), 3),
    /a pattern has 1, 2, 4/u,
  ],
  [
    "clEnqueueMemFillINTEL",
    "CL_INVALID_VALUE",
    () => clEnqueueMemFillINTEL(queue, bytes.pointer + 2, int(1), 4),
    /multiples of the pattern/u,
  ],
  [
    "clEnqueueMemFillINTEL",
    "CL_INVALID_VALUE",
    () => clEnqueueMemFillINTEL(queue, bytes.pointer, int(1), 6),
    /multiples of the pattern/u,
  ],
  [
    "clEnqueueMemsetINTEL",
    "CL_INVALID_VALUE",
    () => clEnqueueMemsetINTEL(queue, bytes.pointer, 0.5, 4),
    /not an integer/u,
  ],
  [
    "clEnqueueMigrateMemINTEL",
    "CL_INVALID_VALUE",
    () => clEnqueueMigrateMemINTEL(queue, bytes.pointer, 4, 64),
    /flags/u,
  ],
  [
    "clEnqueueMigrateMemINTEL",
    "CL_INVALID_VALUE",
    () => clEnqueueMigrateMemINTEL(queue, bytes.pointer, -1, 0),
    /not a number of bytes/u,
  ],
  [
    "clEnqueueMemAdviseINTEL",
    "CL_INVALID_VALUE",
    () => clEnqueueMemAdviseINTEL(queue, bytes.pointer, 4, 0x4208),
    /does not support the advice/u,
  ],
  [
    "clGetMemAllocInfoINTEL",
    "CL_INVALID_CONTEXT",
    () => clGetMemAllocInfoINTEL({} as Context, bytes.pointer, "CL_MEM_ALLOC_SIZE_INTEL"),
    /expected an object of type Context/u,
  ],
  [
    "clGetMemAllocInfoINTEL",
    "CL_INVALID_VALUE",
    () => clGetMemAllocInfoINTEL(context, bytes.pointer, "CL_MEM_COLOUR" as "CL_MEM_ALLOC_SIZE_INTEL"),
    /is not a token/u,
  ],
];

test.each(REFUSED)("%s: %s", (_name, error, run, message) => {
  expectError(run, error, message);
});

test("clGetMemAllocInfoINTEL: of a pointer into no allocation everything is unknown", () => {
  for (const pointer of [0, 12, bytes.pointer + 16]) {
    expect(clGetMemAllocInfoINTEL(context, pointer, "CL_MEM_ALLOC_TYPE_INTEL")).toBe("CL_MEM_TYPE_UNKNOWN_INTEL");
    for (const token of ["BASE_PTR", "SIZE", "FLAGS"] as const)
      expect(clGetMemAllocInfoINTEL(context, pointer, `CL_MEM_ALLOC_${token}_INTEL`)).toBe(0);
    expect(clGetMemAllocInfoINTEL(context, pointer, "CL_MEM_ALLOC_DEVICE_INTEL")).toBeNull();
  }
});

const FREES: readonly (readonly [name: string, free: (of: Context, pointer: number) => void])[] = [
  ["clMemFreeINTEL", clMemFreeINTEL],
  ["clMemBlockingFreeINTEL", clMemBlockingFreeINTEL],
];

test.each(FREES)("%s: null is nothing; CL_INVALID_CONTEXT, CL_INVALID_VALUE", (_name, free) => {
  const { pointer } = shared(1, 2);
  free(context, 0);
  expectError(
    () => {
      free({} as Context, pointer);
    },
    "CL_INVALID_CONTEXT",
    /expected an object of type Context/u,
  );
  for (const wrong of [pointer + 4, 12]) {
    expectError(
      () => {
        free(context, wrong);
      },
      "CL_INVALID_VALUE",
      /is not an allocation of unified shared memory/u,
    );
  }
  free(context, pointer);
  expectError(
    () => {
      free(context, pointer);
    },
    "CL_INVALID_VALUE",
    /or was already freed/u,
  );
});

test("clMemBlockingFreeINTEL: waits for every queue of the context; clMemFreeINTEL leaves what is enqueued its memory", () => {
  const others = [newQueue(), newQueue()];
  const [first, second] = [shared(3), shared(3)];
  const events = others.map((target, i) => {
    const slow = kernelOf(SOURCE, "slow", ints(1), int(3_000_000));
    clSetKernelArgMemPointerINTEL(slow, 0, (i === 0 ? first : second).pointer);
    return clEnqueueNDRangeKernel(target, slow, 1, null, [1], null);
  });
  clMemFreeINTEL(context, second.pointer);
  clMemBlockingFreeINTEL(context, first.pointer);
  expect(events.map((event) => clGetEventInfo(event, "CL_EVENT_COMMAND_EXECUTION_STATUS"))).toEqual([
    CL_COMPLETE,
    CL_COMPLETE,
  ]);
});

test("clSetKernelArg: a kernel of pointers takes buffers as before", () => {
  const kernel: Kernel = kernelOf(SOURCE, "add", null, int(1));
  clSetKernelArg(kernel, 0, ints(1));
  clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null);
  clFinish(queue);
  expect(kernel.arguments[0]?.buffer).not.toBeNull();
});
