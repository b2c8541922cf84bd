// SPDX-License-Identifier: Apache-2.0
// Changes of recorded launches: arguments, sizes and offsets between enqueues of a command buffer.
import {
  CL_COMMAND_BUFFER_MUTABLE_KHR,
  CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR,
  CL_COMPLETE,
  CL_MEM_READ_WRITE,
  CL_MUTABLE_DISPATCH_ARGUMENTS_KHR,
  CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR,
  CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR,
  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
  type CommandBuffer,
  type CommandQueue,
  type DispatchProperties,
  type Kernel,
  type MutableCommand,
  type MutableDispatchConfig,
  clCommandFillBufferKHR,
  clCommandNDRangeKernelKHR,
  clCreateCommandBufferKHR,
  clCreateContext,
  clCreateUserEvent,
  clEnqueueCommandBufferKHR,
  clEnqueueNDRangeKernel,
  clFinalizeCommandBufferKHR,
  clFinish,
  clGetDeviceInfo,
  clGetMutableCommandInfoKHR,
  clCreateBuffer,
  clCreateImage,
  clCreateSampler,
  clReleaseCommandBufferKHR,
  clReleaseMemObject,
  clSVMAlloc,
  clSVMFree,
  clSetUserEventStatus,
  clUpdateMutableCommandsKHR,
  svmView,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { SOURCE, context, device, expectError, int, ints, kernelOf, kernelsOf, newQueue, readInts } from "./rig.ts";

const queue = newQueue();
const QUEUES: readonly (readonly [name: string, queue: CommandQueue])[] = [
  ["in order", queue],
  ["out of order", newQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)],
];

/** A finalized command buffer with one launch that can be changed. */
function recorded(
  kernel: Kernel,
  sizes: { readonly global: readonly number[]; readonly local?: readonly number[] },
  flags: number = 0,
  properties: DispatchProperties | null = null,
  target: CommandQueue = queue,
): { readonly commands: CommandBuffer; readonly launch: MutableCommand } {
  const commands = clCreateCommandBufferKHR([target], {
    CL_COMMAND_BUFFER_FLAGS_KHR: CL_COMMAND_BUFFER_MUTABLE_KHR | flags,
  });
  const launch = clCommandNDRangeKernelKHR(
    commands,
    null,
    properties,
    kernel,
    sizes.global.length,
    null,
    sizes.global,
    sizes.local ?? null,
  );
  clFinalizeCommandBufferKHR(commands);
  return { commands, launch };
}

function run(commands: CommandBuffer): void {
  clEnqueueCommandBufferKHR(null, commands);
}

test("clGetDeviceInfo: everything of a recorded launch can be changed", () => {
  expect(clGetDeviceInfo(device, "CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR")).toBe(31);
  expect(clGetDeviceInfo(device, "CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR")).toBe(1 | 4 | 8);
  expect(clGetDeviceInfo(device, "CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR")).toBe(0);
});

test.each(QUEUES)(
  "clUpdateMutableCommandsKHR: buffers, values and null, on a queue %s; the kernel keeps its own",
  (_name, target) => {
    const [one, two] = [ints(0, 0), ints(0, 0)];
    const add = kernelOf(SOURCE, "add", one, int(1));
    const { commands, launch } = recorded(add, { global: [2] }, 0, null, target);
    run(commands);
    clFinish(target);
    for (let i = 0; i < 10; i++) {
      clUpdateMutableCommandsKHR(commands, [
        {
          command: launch,
          arguments: [
            { index: 0, value: i % 2 === 0 ? two : one },
            { index: 1, value: int(10) },
          ],
        },
      ]);
      run(commands);
      clFinish(target);
    }
    clEnqueueNDRangeKernel(target, add, 1, null, [2], null);
    clFinish(target);
    expect([readInts(target, one), readInts(target, two)]).toEqual([
      [52, 52],
      [50, 50],
    ]);
  },
);

test("clUpdateMutableCommandsKHR: one of several launches, and several at once", () => {
  const data = ints(0, 0);
  const add = kernelOf(SOURCE, "add", data, int(1));
  const commands = clCreateCommandBufferKHR([queue], { CL_COMMAND_BUFFER_FLAGS_KHR: CL_COMMAND_BUFFER_MUTABLE_KHR });
  const launches = [0, 1, 2, 3].map((i) => {
    if (i === 2) clCommandFillBufferKHR(commands, null, data, int(0), 4, 4);
    // Those without changes of arguments are gathered, and what comes after them keeps its position.
    return clCommandNDRangeKernelKHR(
      commands,
      null,
      i === 1 ? { CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR: CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR } : null,
      add,
      1,
      null,
      [2],
      null,
    );
  });
  clFinalizeCommandBufferKHR(commands);
  run(commands);
  expect(readInts(queue, data)).toEqual([4, 2]);
  const [first, , third, last] = launches as [MutableCommand, MutableCommand, MutableCommand, MutableCommand];
  clUpdateMutableCommandsKHR(commands, [{ command: third, arguments: [{ index: 1, value: int(100) }] }]);
  run(commands);
  expect(readInts(queue, data)).toEqual([4 + 103, 101]);
  clUpdateMutableCommandsKHR(commands, [
    { command: first, arguments: [{ index: 1, value: int(1000) }] },
    { command: last, arguments: [{ index: 1, value: int(10_000) }] },
    { command: last, globalSize: [1] },
  ]);
  run(commands);
  expect(readInts(queue, data)).toEqual([107 + 1000 + 1 + 100 + 10_000, 100]);
});

test("clUpdateMutableCommandsKHR: global size, local size and offset", () => {
  const out = ints(...Array.from({ length: 8 }, () => -1));
  const where = kernelOf(
    `kernel void where(global int* out) {
      out[get_global_id(0)] = get_local_size(0) * 100 + get_group_id(0);
    }`,
    "where",
    out,
  );
  const { commands, launch } = recorded(where, { global: [8], local: [4] });
  run(commands);
  expect(readInts(queue, out)).toEqual([400, 400, 400, 400, 401, 401, 401, 401]);
  clUpdateMutableCommandsKHR(commands, [{ command: launch, localSize: [2] }]);
  run(commands);
  expect(readInts(queue, out)).toEqual([200, 200, 201, 201, 202, 202, 203, 203]);
  clUpdateMutableCommandsKHR(commands, [{ command: launch, globalSize: [2], globalOffset: [5], localSize: [1] }]);
  run(commands);
  expect(readInts(queue, out)).toEqual([200, 200, 201, 201, 202, 100, 101, 203]);
  expect(clGetMutableCommandInfoKHR(launch, "CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR")).toEqual([5]);
  expect(clGetMutableCommandInfoKHR(launch, "CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR")).toEqual([2]);
  expect(clGetMutableCommandInfoKHR(launch, "CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR")).toEqual([1]);
});

test("clUpdateMutableCommandsKHR: local memory of another size", () => {
  const [input, out] = [ints(1, 2, 3, 4, 5, 6, 7, 8), ints(0, 0, 0, 0)];
  const sum = kernelOf(SOURCE, "sum", input, out, { localBytes: 16 });
  const { commands, launch } = recorded(sum, { global: [8], local: [4] });
  run(commands);
  expect(readInts(queue, out)).toEqual([10, 26, 0, 0]);
  clUpdateMutableCommandsKHR(commands, [
    { command: launch, arguments: [{ index: 2, value: { localBytes: 32 } }], localSize: [8] },
  ]);
  run(commands);
  expect(readInts(queue, out)).toEqual([36, 26, 0, 0]);
});

test("clUpdateMutableCommandsKHR: pointers into shared virtual memory, and what kernels reach", () => {
  const pointer = clSVMAlloc(context, CL_MEM_READ_WRITE, 8);
  const view = new Int32Array(svmView(context, pointer, 8).buffer, svmView(context, pointer, 8).byteOffset, 2);
  view.fill(1);
  const { commands, launch } = recorded(kernelOf(SOURCE, "add", ints(0, 0), int(5)), { global: [1] });
  clUpdateMutableCommandsKHR(commands, [
    {
      command: launch,
      pointerArguments: [{ index: 0, pointer: pointer + 4 }],
      execInfos: [{ name: "CL_KERNEL_EXEC_INFO_SVM_PTRS", value: [pointer] }],
    },
  ]);
  run(commands);
  clFinish(queue);
  expect([...view]).toEqual([1, 6]);
  clReleaseCommandBufferKHR(commands);
  clSVMFree(context, pointer);
});

test("clUpdateMutableCommandsKHR: what was enqueued before keeps its arguments, with CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR", () => {
  const data = ints(0);
  const { commands, launch } = recorded(
    kernelOf(SOURCE, "add", data, int(1)),
    { global: [1] },
    CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR,
  );
  const gate = clCreateUserEvent(context);
  const other = newQueue();
  const event = clEnqueueCommandBufferKHR([other], commands, [gate]);
  for (let i = 1; i <= 20; i++) {
    clUpdateMutableCommandsKHR(commands, [{ command: launch, arguments: [{ index: 1, value: int(100) }] }]);
    run(commands);
  }
  expect(readInts(queue, data)).toEqual([2000]);
  clSetUserEventStatus(gate, CL_COMPLETE);
  clFinish(other);
  expect(event.isComplete).toBe(true);
  expect(readInts(queue, data)).toEqual([2001]);
});

test("clUpdateMutableCommandsKHR: buffers that launches no longer use are released", () => {
  const first = clCreateBuffer(context, CL_MEM_READ_WRITE, 64);
  const { commands, launch } = recorded(kernelOf(SOURCE, "add", first, int(1)), { global: [1] });
  const { memory } = first.buffer.state;
  clReleaseMemObject(first);
  expect(memory?.state.isAlive).toBe(true);
  clUpdateMutableCommandsKHR(commands, [
    {
      command: launch,
      arguments: [
        { index: 0, value: ints(1) },
        { index: 1, value: int(2) },
      ],
    },
  ]);
  expect(memory?.state.isAlive).toBe(false);
  clReleaseCommandBufferKHR(commands);
});

test("clGetMutableCommandInfoKHR: of launches and of other commands", () => {
  const data = ints(1, 2);
  const add = kernelOf(SOURCE, "add", data, int(1));
  const commands = clCreateCommandBufferKHR([queue], { CL_COMMAND_BUFFER_FLAGS_KHR: CL_COMMAND_BUFFER_MUTABLE_KHR });
  const properties = { CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR: CL_MUTABLE_DISPATCH_ARGUMENTS_KHR };
  const launch = clCommandNDRangeKernelKHR(commands, null, properties, add, 1, null, [2], null);
  const fill = clCommandFillBufferKHR(commands, null, data, int(0), 0, 4);
  for (let round = 0; round < 2; round++) {
    expect(clGetMutableCommandInfoKHR(launch, "CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR")).toBe(queue);
    expect(clGetMutableCommandInfoKHR(launch, "CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR")).toBe(commands);
    expect(clGetMutableCommandInfoKHR(launch, "CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR")).toBe("CL_COMMAND_NDRANGE_KERNEL");
    expect(clGetMutableCommandInfoKHR(fill, "CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR")).toBe("CL_COMMAND_FILL_BUFFER");
    expect(clGetMutableCommandInfoKHR(launch, "CL_MUTABLE_DISPATCH_PROPERTIES_ARRAY_KHR")).toEqual(properties);
    expect(clGetMutableCommandInfoKHR(launch, "CL_MUTABLE_DISPATCH_KERNEL_KHR")).toBe(add);
    expect(clGetMutableCommandInfoKHR(launch, "CL_MUTABLE_DISPATCH_DIMENSIONS_KHR")).toBe(1);
    expect(clGetMutableCommandInfoKHR(launch, "CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR")).toEqual([0]);
    expect(clGetMutableCommandInfoKHR(launch, "CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR")).toEqual([2]);
    expect(clGetMutableCommandInfoKHR(launch, "CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR")).toEqual([0]);
    for (const token of [
      "PROPERTIES_ARRAY",
      "KERNEL",
      "DIMENSIONS",
      "GLOBAL_WORK_OFFSET",
      "GLOBAL_WORK_SIZE",
      "LOCAL_WORK_SIZE",
    ] as const)
      expect(clGetMutableCommandInfoKHR(fill, `CL_MUTABLE_DISPATCH_${token}_KHR`)).toBeNull();
    if (round === 0) clFinalizeCommandBufferKHR(commands);
  }
  expectError(
    () => clGetMutableCommandInfoKHR(launch, "CL_MUTABLE_COLOUR" as "CL_MUTABLE_DISPATCH_KERNEL_KHR"),
    "CL_INVALID_VALUE",
    /is not a token/u,
  );
  expectError(
    () => clGetMutableCommandInfoKHR({} as MutableCommand, "CL_MUTABLE_DISPATCH_KERNEL_KHR"),
    "CL_INVALID_MUTABLE_COMMAND_KHR",
    /of a living command buffer/u,
  );
  clReleaseCommandBufferKHR(commands);
  expectError(
    () => clGetMutableCommandInfoKHR(launch, "CL_MUTABLE_DISPATCH_KERNEL_KHR"),
    "CL_INVALID_MUTABLE_COMMAND_KHR",
    /of a living command buffer/u,
  );
});

const foreign = clCreateBuffer(clCreateContext([device]), CL_MEM_READ_WRITE, 8);

const REFUSED: readonly (readonly [
  name: string,
  change: Omit<MutableDispatchConfig, "command">,
  error: Parameters<typeof expectError>[1],
  message: RegExp,
])[] = [
  [
    "an argument that there is not",
    { arguments: [{ index: 2, value: int(1) }] },
    "CL_INVALID_ARG_INDEX",
    /has 2 arguments/u,
  ],
  [
    "an argument of another kind",
    { arguments: [{ index: 0, value: int(1) }] },
    "CL_INVALID_ARG_VALUE",
    /requires a buffer or null/u,
  ],
  [
    "an argument of another size",
    { arguments: [{ index: 1, value: new Uint8Array(8) }] },
    "CL_INVALID_ARG_SIZE",
    /has 4 bytes, not 8/u,
  ],
  [
    "a buffer of another context",
    { arguments: [{ index: 0, value: foreign }] },
    "CL_INVALID_MEM_OBJECT",
    /belongs to another context/u,
  ],
  [
    "a pointer into nothing",
    { pointerArguments: [{ index: 0, pointer: 12 }] },
    "CL_INVALID_ARG_VALUE",
    /is not within an allocation/u,
  ],
  [
    "pointers into nothing",
    { execInfos: [{ name: "CL_KERNEL_EXEC_INFO_SVM_PTRS", value: [12] }] },
    "CL_INVALID_VALUE",
    /is not within an allocation/u,
  ],
  ["no arguments", { arguments: [] }, "CL_INVALID_VALUE", /list of arguments is empty/u],
  ["other dimensions", { dimensions: 2, globalSize: [2, 2] }, "CL_INVALID_OPERATION", /has 1 dimensions/u],
  ["no work-items", { globalSize: [0] }, "CL_INVALID_GLOBAL_WORK_SIZE", /is 0/u],
  ["ids that do not fit", { globalOffset: [2 ** 32] }, "CL_INVALID_GLOBAL_OFFSET", /more global ids/u],
  ["a local size that does not divide", { localSize: [3] }, "CL_INVALID_WORK_GROUP_SIZE", /not a multiple/u],
  ["a local size beyond the device", { localSize: [2 ** 20] }, "CL_INVALID_WORK_ITEM_SIZE", /at most/u],
];

test.each(REFUSED)("clUpdateMutableCommandsKHR: %s changes nothing", (_name, change, error, message) => {
  const data = ints(0, 0, 0, 0);
  const { commands, launch } = recorded(kernelOf(SOURCE, "add", data, int(1)), { global: [4], local: [2] });
  expectError(
    () => {
      clUpdateMutableCommandsKHR(commands, [
        { command: launch, arguments: [{ index: 1, value: int(50) }] },
        { command: launch, ...change },
      ]);
    },
    error,
    message,
  );
  run(commands);
  expect(readInts(queue, data)).toEqual([1, 1, 1, 1]);
});

test("clUpdateMutableCommandsKHR: CL_INVALID_SAMPLER", () => {
  const image = clCreateImage(
    context,
    0,
    { channelOrder: "CL_R", channelType: "CL_SIGNED_INT32" },
    { type: "CL_MEM_OBJECT_IMAGE2D", width: 4, height: 1 },
  );
  const sampler = clCreateSampler(context, false, "CL_ADDRESS_CLAMP_TO_EDGE", "CL_FILTER_NEAREST");
  const pixels = kernelOf(
    `kernel void pixels(read_only image2d_t image, sampler_t s, global int* out) {
      out[get_global_id(0)] = read_imagei(image, s, (int2)(get_global_id(0), 0)).x;
    }`,
    "pixels",
    image,
    sampler,
    ints(0),
  );
  const { commands, launch } = recorded(pixels, { global: [1] });
  expectError(
    () => {
      clUpdateMutableCommandsKHR(commands, [{ command: launch, arguments: [{ index: 1, value: int(1) }] }]);
    },
    "CL_INVALID_SAMPLER",
    /requires a sampler/u,
  );
});

test("clUpdateMutableCommandsKHR: uniform work-groups stay so, and promises are kept", () => {
  const ragged = kernelOf(
    `kernel void touch(global int* data) { data[get_global_id(0)] = 1; }`,
    "touch",
    ints(...Array.from({ length: 8 }, () => 0)),
  );
  const { commands, launch } = recorded(ragged, { global: [8], local: [4] }, 0, {
    CL_MUTABLE_DISPATCH_ASSERTS_KHR: CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR,
  });
  expectError(
    () => {
      clUpdateMutableCommandsKHR(commands, [{ command: launch, localSize: [2] }]);
    },
    "CL_INVALID_VALUE",
    /increases the number of work-groups from 2 to 4/u,
  );
  clUpdateMutableCommandsKHR(commands, [{ command: launch, globalSize: [4] }]);
  const [odd] = kernelsOf(
    `kernel void touch(global int* data) { data[get_global_id(0)] = 1; }`,
    "-cl-std=CL3.0",
    ["touch"],
    ints(...Array.from({ length: 8 }, () => 0)),
  ) as readonly [Kernel];
  const uneven = recorded(odd, { global: [8], local: [4] });
  expectError(
    () => {
      clUpdateMutableCommandsKHR(uneven.commands, [{ command: uneven.launch, globalSize: [7] }]);
    },
    "CL_INVALID_OPERATION",
    /whether work-groups are uniform/u,
  );
  const whole = clCreateCommandBufferKHR([queue], {
    CL_COMMAND_BUFFER_FLAGS_KHR: CL_COMMAND_BUFFER_MUTABLE_KHR,
    CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR: CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR,
  });
  const other = clCommandNDRangeKernelKHR(whole, null, null, ragged, 1, null, [4], [4]);
  clFinalizeCommandBufferKHR(whole);
  expectError(
    () => {
      clUpdateMutableCommandsKHR(whole, [{ command: other, globalSize: [8] }]);
    },
    "CL_INVALID_VALUE",
    /increases the number of work-groups from 1 to 2/u,
  );
});

test("clUpdateMutableCommandsKHR: CL_INVALID_COMMAND_BUFFER_KHR, CL_INVALID_OPERATION, CL_INVALID_VALUE, CL_INVALID_MUTABLE_COMMAND_KHR", () => {
  const data = ints(0);
  const add = kernelOf(SOURCE, "add", data, int(1));
  const change = { arguments: [{ index: 1, value: int(2) }] };
  const fixed = clCreateCommandBufferKHR([queue]);
  const command = clCommandNDRangeKernelKHR(fixed, null, null, add, 1, null, [1], null);
  expectError(
    () => {
      clUpdateMutableCommandsKHR(fixed, [{ command, ...change }]);
    },
    "CL_INVALID_OPERATION",
    /is not finalized/u,
  );
  clFinalizeCommandBufferKHR(fixed);
  expectError(
    () => {
      clUpdateMutableCommandsKHR(fixed, [{ command, ...change }]);
    },
    "CL_INVALID_OPERATION",
    /without CL_COMMAND_BUFFER_MUTABLE_KHR/u,
  );
  const { commands, launch } = recorded(add, { global: [1] }, 0, {
    CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR: CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR,
  });
  expectError(
    () => {
      clUpdateMutableCommandsKHR(commands, [{ command: launch, ...change }]);
    },
    "CL_INVALID_OPERATION",
    /recorded without CL_MUTABLE_DISPATCH_ARGUMENTS_KHR/u,
  );
  expectError(
    () => {
      clUpdateMutableCommandsKHR(commands, []);
    },
    "CL_INVALID_VALUE",
    /the list of changes is empty/u,
  );
  for (const wrong of [command, {} as MutableCommand]) {
    expectError(
      () => {
        clUpdateMutableCommandsKHR(commands, [{ command: wrong, globalSize: [1] }]);
      },
      "CL_INVALID_MUTABLE_COMMAND_KHR",
      /a kernel launch of this command buffer/u,
    );
  }
  const gate = clCreateUserEvent(context);
  const event = clEnqueueCommandBufferKHR(null, commands, [gate]);
  expectError(
    () => {
      clUpdateMutableCommandsKHR(commands, [{ command: launch, globalSize: [1] }]);
    },
    "CL_INVALID_OPERATION",
    /is enqueued and not complete/u,
  );
  clSetUserEventStatus(gate, CL_COMPLETE);
  clFinish(queue);
  expect(event.isComplete).toBe(true);
  clReleaseCommandBufferKHR(commands);
  expectError(
    () => {
      clUpdateMutableCommandsKHR(commands, [{ command: launch, globalSize: [1] }]);
    },
    "CL_INVALID_COMMAND_BUFFER_KHR",
    /has been released/u,
  );
});
