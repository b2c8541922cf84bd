// SPDX-License-Identifier: Apache-2.0
// Whatever allocation of the device fails in a session of many calls, the call or the event reports it with the error
// of the specification, nothing leaks, and everything works afterwards.
import { type AllocationKind, NODE_ENVIRONMENT, hostDevice, hostTarget } from "@muxkit/host";
import { registerTarget } from "@muxkit/mux";
import {
  CL_COMPLETE,
  CL_DEVICE_TYPE_ALL,
  CL_MAP_WRITE,
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_READ_WRITE,
  CL_MEM_USE_HOST_PTR,
  CL_QUEUE_PROFILING_ENABLE,
  type Context,
  type Device,
  type Event,
  type Kernel,
  OpenCLError,
  type Program,
  clBuildProgram,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateContext,
  clCreateImage,
  clCreateKernel,
  clCreatePipe,
  clCreateProgramWithBinary,
  clCreateProgramWithSource,
  clCreateSampler,
  clCreateSubBuffer,
  clCreateSubDevices,
  clCreateUserEvent,
  clEnqueueCopyBuffer,
  clEnqueueCopyBufferRect,
  clEnqueueFillBuffer,
  clEnqueueFillImage,
  clEnqueueMapBuffer,
  clEnqueueMarkerWithWaitList,
  clEnqueueNDRangeKernel,
  clEnqueueNativeKernel,
  clEnqueueReadBuffer,
  clEnqueueReadImage,
  clEnqueueSVMMemFill,
  clEnqueueUnmapMemObject,
  clEnqueueWriteBuffer,
  clFinish,
  clFlush,
  clGetDeviceIDs,
  clGetEventInfo,
  clGetProgramInfo,
  clReleaseCommandQueue,
  clReleaseContext,
  clReleaseDevice,
  clReleaseEvent,
  clReleaseKernel,
  clReleaseMemObject,
  clReleaseProgram,
  clReleaseSampler,
  clSVMAlloc,
  clSVMFree,
  clSetKernelArg,
  clSetUserEventStatus,
  clWaitForEvents,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { context as sharedContext, int, platform } from "./rig.ts";

const SOURCE = `
constant int table[4] = { 1, 2, 3, 4 };
global int counter = 5;
kernel void add(global int* data, int value) { data[get_global_id(0)] += value + table[1] + counter - 7; }
kernel void sum(global const int* in, global int* out, local int* scratch) {
  int id = get_local_id(0);
  scratch[id] = in[get_global_id(0)];
  for (int step = get_local_size(0) / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < step) scratch[id] += scratch[id + step];
  }
  if (id == 0) out[get_group_id(0)] = scratch[0];
}
kernel void say(global const int* in) { if (get_global_id(0) == 0) printf("%d\\n", in[0]); }
kernel void pixels(read_only image2d_t image, sampler_t s, global int* out) {
  out[get_global_id(0)] = read_imagei(image, s, (int2)(get_global_id(0), 0)).x;
}`;
const SMALL = `kernel void one(global int* out) { *out = 1; }`;
const FORMAT = { channelOrder: "CL_R", channelType: "CL_SIGNED_INT32" } as const;
const ITEMS = 64;
/** Rounds until the amounts that are held must be the same twice. */
const MOST_ROUNDS = 5;

/** The kernels of the sessions: compiling them each time would take longer than all the rest. */
const BINARY = ((): Uint8Array => {
  const program = clCreateProgramWithSource(sharedContext, [SOURCE]);
  clBuildProgram(program, null, "-cl-std=CL3.0");
  return clGetProgramInfo(program, "CL_PROGRAM_BINARIES")[0] ?? new Uint8Array(0);
})();

interface Rig {
  readonly device: Device;
  /** Refuses the allocation with this number, counted from 1; 0: none. Counts from now on. */
  readonly refuseAt: (number: number) => void;
  /** What was refused; null: nothing yet. */
  readonly refused: () => AllocationKind | null;
  /** Rows of the control block and bytes of memory that are taken. */
  readonly taken: () => readonly [rows: number, bytes: number];
}

function rigOf(threads: number): Rig {
  let count = 0;
  let at = 0;
  let refused: AllocationKind | null = null;
  const refuses = (kind: AllocationKind): boolean => {
    if (++count !== at) return false;
    refused = kind;
    return true;
  };
  const number = registerTarget(
    hostTarget({
      threads,
      engine: { eager: false },
      environment: { ...NODE_ENVIRONMENT, refuses },
      print: () => undefined,
    }),
  );
  const device = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL).find(({ info }) => (info.id & 0xff) === number);
  if (device === undefined) throw new Error("the device is not listed");
  return {
    device,
    refuseAt: (next) => {
      count = 0;
      at = next;
      refused = null;
    },
    refused: () => refused,
    taken: () => {
      const { rowsUsed, memorySize, memoryFree } = hostDevice(device.open("a test").device).host.statistics();
      return [rowsUsed, memorySize - memoryFree];
    },
  };
}

/** What a session came to. */
interface Outcome {
  readonly errors: readonly OpenCLError[];
  /** What the buffers held at the end; only worth something without errors. */
  readonly values: readonly number[];
}

/** One session: every kind of object and command. A step that fails is left out, and so is what needs it. */
function session(device: Device): Outcome {
  const errors: OpenCLError[] = [];
  const releases: (() => void)[] = [];
  const values: number[] = [];
  const events: Event[] = [];
  const attempt = <T>(make: () => T): T | null => {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof OpenCLError)) throw error;
      errors.push(error);
      return null;
    }
  };
  const own = <T>(make: () => T, release: (object: T) => void): T | null => {
    const made = attempt(make);
    if (made !== null)
      releases.push(() => {
        release(made);
      });
    return made;
  };
  /** Does a step when everything that it needs is there. */
  const step = <const T extends readonly unknown[]>(
    needs: T,
    run: (...objects: { readonly [I in keyof T]: NonNullable<T[I]> }) => Event | undefined,
  ): void => {
    if (needs.includes(null)) return;
    const event = attempt(() => run(...(needs as unknown as { readonly [I in keyof T]: NonNullable<T[I]> })));
    if (event !== null && event !== undefined) events.push(event);
  };
  const context = own((): Context => clCreateContext([device], () => undefined), clReleaseContext);
  if (context !== null) {
    const queue = own(() => clCreateCommandQueue(context, device), clReleaseCommandQueue);
    const timed = own(() => clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE), clReleaseCommandQueue);
    const outside = new Int32Array(ITEMS).fill(3);
    const data = own(
      () => clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, ITEMS * 4, outside),
      clReleaseMemObject,
    );
    const used = own(
      () => clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, ITEMS * 4, outside),
      clReleaseMemObject,
    );
    const out = own(() => clCreateBuffer(context, CL_MEM_READ_WRITE, ITEMS * 4), clReleaseMemObject);
    const part =
      data === null ? null : own(() => clCreateSubBuffer(data, 0, { origin: 128, size: 64 }), clReleaseMemObject);
    const image = own(
      () =>
        clCreateImage(context, CL_MEM_READ_WRITE, FORMAT, { type: "CL_MEM_OBJECT_IMAGE2D", width: ITEMS, height: 2 }),
      clReleaseMemObject,
    );
    own(() => clCreatePipe(context, 0, 4, 4), clReleaseMemObject);
    const sampler = own(
      () => clCreateSampler(context, false, "CL_ADDRESS_CLAMP_TO_EDGE", "CL_FILTER_NEAREST"),
      clReleaseSampler,
    );
    const [program, small] = [
      own(() => clCreateProgramWithBinary(context, [device], [BINARY]), clReleaseProgram),
      own(() => clCreateProgramWithSource(context, [SMALL]), clReleaseProgram),
    ];
    const [built, compiled] = [program, small].map((one) =>
      one === null
        ? null
        : attempt(() => {
            clBuildProgram(one);
            return one;
          }),
    );
    const kernel = (name: string, from: Program | null | undefined = built): Kernel | null =>
      from === null || from === undefined ? null : own(() => clCreateKernel(from, name), clReleaseKernel);
    const [add, sum, say, pixels] = [kernel("add"), kernel("sum"), kernel("say"), kernel("pixels")];
    const single = kernel("one", compiled);
    const gate = own(() => clCreateUserEvent(context), clReleaseEvent);
    const pointer = clSVMAlloc(context, CL_MEM_READ_WRITE, 64);
    if (pointer !== 0)
      releases.push(() => {
        clSVMFree(context, pointer);
      });
    for (const lane of [queue, timed]) {
      step([lane, out], (to, buffer) => clEnqueueFillBuffer(to, buffer, int(1), 0, ITEMS * 4));
      step([lane, data], (to, buffer) =>
        clEnqueueWriteBuffer(to, buffer, false, 0, ITEMS * 4, new Int32Array(ITEMS).fill(2)),
      );
      for (let round = 0; round < 3; round++) {
        step([lane, add, data], (to, code, buffer) => {
          clSetKernelArg(code, 0, buffer);
          clSetKernelArg(code, 1, int(round));
          return clEnqueueNDRangeKernel(to, code, 1, null, [ITEMS], null);
        });
      }
      step([lane, add, part], (to, code, buffer) => {
        clSetKernelArg(code, 0, buffer);
        return clEnqueueNDRangeKernel(to, code, 1, null, [16], [16]);
      });
      step([lane, sum, data, out], (to, code, from, into) => {
        clSetKernelArg(code, 0, from);
        clSetKernelArg(code, 1, into);
        clSetKernelArg(code, 2, { localBytes: 64 });
        return clEnqueueNDRangeKernel(to, code, 1, null, [ITEMS], [16]);
      });
      step([lane, data, out], (to, from, into) => clEnqueueCopyBuffer(to, from, into, 128, 128, 128));
      // The first command of a batch, by a launch that is new.
      step([lane], (to) => {
        clFlush(to);
        return undefined;
      });
      step([lane, single, out], (to, code, buffer) => {
        clSetKernelArg(code, 0, buffer);
        return clEnqueueNDRangeKernel(to, code, 1, null, [1], null);
      });
      step([lane, data, out], (to, from, into) =>
        clEnqueueCopyBufferRect(to, from, into, [0, 0, 0], [0, 4, 0], [8, 2, 1], 16, 0, 16, 0),
      );
      step([lane, image], (to, one) =>
        clEnqueueFillImage(to, one, Int32Array.of(9, 9, 9, 9), [0, 0, 0], [ITEMS, 2, 1]),
      );
      step([lane, pixels, image, sampler, out], (to, code, one, how, into) => {
        clSetKernelArg(code, 0, one);
        clSetKernelArg(code, 1, how);
        clSetKernelArg(code, 2, into);
        return clEnqueueNDRangeKernel(to, code, 1, null, [8], null);
      });
      step([lane, image], (to, one) =>
        clEnqueueReadImage(to, one, false, [0, 0, 0], [ITEMS, 1, 1], 0, 0, new Int32Array(ITEMS)),
      );
      step([lane, used], (to, buffer) => {
        const { array } = clEnqueueMapBuffer(to, buffer, true, CL_MAP_WRITE, 0, 64);
        return clEnqueueUnmapMemObject(to, buffer, array);
      });
      step([lane, say, data], (to, code, buffer) => {
        clSetKernelArg(code, 0, buffer);
        return clEnqueueNDRangeKernel(to, code, 1, null, [4], null);
      });
      step([lane, data], (to, buffer) => clEnqueueNativeKernel(to, () => undefined, [buffer]));
      if (pointer !== 0) step([lane], (to) => clEnqueueSVMMemFill(to, pointer, int(4), 64));
      step([lane], (to) => clEnqueueMarkerWithWaitList(to, events.slice(-3)));
    }
    // Queues that wait for each other, and for the user.
    step([timed, out, gate], (to, buffer, user) => clEnqueueFillBuffer(to, buffer, int(6), 0, 4, [user]));
    step([queue, out], (to, buffer) => clEnqueueCopyBuffer(to, buffer, buffer, 0, 8, 4, events.slice(-1)));
    if (gate !== null)
      attempt(() => {
        clSetUserEventStatus(gate, CL_COMPLETE);
      });
    const [unit] =
      own(
        () => clCreateSubDevices(device, { CL_DEVICE_PARTITION_EQUALLY: 1 }),
        (parts) => {
          for (const one of parts) clReleaseDevice(one);
        },
      ) ?? [];
    const partContext =
      unit === undefined ? null : own(() => clCreateContext([unit], () => undefined), clReleaseContext);
    if (partContext !== null && unit !== undefined) {
      const lane = own(() => clCreateCommandQueue(partContext, unit, CL_QUEUE_PROFILING_ENABLE), clReleaseCommandQueue);
      const own1 = own(() => clCreateBuffer(partContext, CL_MEM_READ_WRITE, 64), clReleaseMemObject);
      step([lane, own1], (to, buffer) => clEnqueueFillBuffer(to, buffer, int(5), 0, 64));
      if (lane !== null)
        attempt(() => {
          clFinish(lane);
        });
    }
    for (const lane of [queue, timed]) {
      if (lane === null) continue;
      attempt(() => {
        clFlush(lane);
      });
      for (const buffer of [data, out]) {
        const array = new Int32Array(ITEMS);
        step([buffer], (from) => clEnqueueReadBuffer(lane, from, true, 0, ITEMS * 4, array));
        values.push(...array);
      }
      attempt(() => {
        clFinish(lane);
      });
    }
    for (const event of events) {
      const status = clGetEventInfo(event, "CL_EVENT_COMMAND_EXECUTION_STATUS");
      if (status > CL_COMPLETE) throw new Error(`a command ${event.commandType} never ends`);
      if (event.error !== null) errors.push(event.error);
      if (
        status < 0 &&
        attempt(() => {
          clWaitForEvents([event]);
          return event;
        }) !== null
      )
        throw new Error(`who waits for a command ${event.commandType} that failed does not hear of it`);
      clReleaseEvent(event);
    }
  }
  for (const release of releases.toReversed()) release();
  return { errors, values };
}

/** The error of a call when an allocation fails. */
function expectedOf({ call }: OpenCLError): readonly string[] {
  if (/^clCreate(?:Buffer|SubBuffer|Image|Pipe)$/u.test(call)) return ["CL_MEM_OBJECT_ALLOCATION_FAILURE"];
  return ["CL_OUT_OF_RESOURCES", "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"];
}

test.each([1, 2])(
  "each allocation of a session fails once, with %d threads: no leaks, specified errors, and all works afterwards",
  (threads) => {
    const { device, refuseAt, refused, taken } = rigOf(threads);
    const clean = session(device);
    expect(clean.errors).toEqual([]);
    refuseAt(0);
    expect(session(device)).toEqual(clean);
    const kinds = new Set<AllocationKind>();
    const held: (readonly number[])[] = [];
    // What is kept for later is what was in flight at once, the most of all rounds: with two threads that is chance.
    // What leaks, leaks in each of the hundreds of sessions of each round.
    while (held.length < 2 || (String(held.at(-1)) !== String(held.at(-2)) && held.length < MOST_ROUNDS)) {
      for (let number = 1; ; number++) {
        refuseAt(number);
        const { errors, values } = session(device);
        const kind = refused();
        const what = `${kind ?? "nothing"}, allocation ${number}`;
        expect(
          errors.filter((error) => !expectedOf(error).includes(error.name)),
          what,
        ).toEqual([]);
        // A launch without a row of its own runs by itself, and a kernel without a variant of its own as it is.
        expect(errors.length === 0 ? values : clean.values, what).toEqual(clean.values);
        if (kind === null) break;
        kinds.add(kind);
      }
      refuseAt(0);
      expect(session(device)).toEqual(clean);
      held.push(taken());
    }
    expect(held.at(-1)).toEqual(held.at(-2));
    // Whether a worker comes for a part of the work in time is chance. Which of fences, semaphores and queries are made
    // anew depends on how many are kept.
    expect([...kinds]).toEqual(expect.arrayContaining(["code", "instance", "launch", "memory", "node", "waiter"]));
  },
);
