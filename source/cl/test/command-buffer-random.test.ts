// SPDX-License-Identifier: Apache-2.0
// Random command buffers against a model of their commands: hazards are covered by sync-points and barriers, arguments
// change between enqueues.
import {
  type Buffer,
  CL_COMMAND_BUFFER_MUTABLE_KHR,
  CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR,
  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
  CL_QUEUE_PROFILING_ENABLE,
  type CommandBuffer,
  type Event,
  type Kernel,
  type MutableCommand,
  clCommandBarrierWithWaitListKHR,
  clCommandCopyBufferKHR,
  clCommandFillBufferKHR,
  clCommandNDRangeKernelKHR,
  clCreateCommandBufferKHR,
  clEnqueueCommandBufferKHR,
  clFinalizeCommandBufferKHR,
  clFinish,
  clReleaseCommandBufferKHR,
  clReleaseMemObject,
  clSetKernelArg,
  clUpdateMutableCommandsKHR,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { int, ints, kernelOf, newQueue, readInts } from "./rig.ts";

const BUFFERS = 5;
const SIZE = 16;
const COMMANDS = 24;

/** Numbers below a limit, the same for the same seed. */
function numbers(seed: number): (limit: number) => number {
  let state = seed * 2654435761 + 1;
  return (limit) => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b_3c6d) + 0x9e37_79b9;
    return (state >>> 8) % limit;
  };
}

/** A command: what it reads (-1: nothing) and writes, and what it does to one element. */
interface Step {
  readonly from: number;
  readonly to: number;
  /** Of a launch: the number that is added, which changes. */
  addend: number;
  readonly kind: "copy" | "fill" | "launch";
}

/** The same in arrays. */
function simulate(steps: readonly Step[], data: Int32Array[]): void {
  for (const { from, to, addend, kind } of steps) {
    const target = data[to] as Int32Array;
    const source = data[from === -1 ? to : from] as Int32Array;
    for (let i = 0; i < SIZE; i++)
      target[i] =
        kind === "fill"
          ? addend
          : kind === "copy"
            ? (source[i] as number)
            : (Math.imul(target[i] as number, 3) + (source[i] as number) + addend) | 0;
  }
}

/** Records steps; on a queue out of order each waits for those whose buffers it meets, or a barrier comes before it. */
function record(
  commands: CommandBuffer,
  steps: readonly Step[],
  buffers: readonly Buffer[],
  kernel: Kernel,
  pick: (limit: number) => number,
): (MutableCommand | null)[] {
  const made: MutableCommand[] = [];
  let first = 0;
  return steps.map((step, i) => {
    if (pick(8) === 0) {
      clCommandBarrierWithWaitListKHR(
        commands,
        null,
        pick(2) === 0 ? [] : made.slice(first).map(({ syncPoint }) => syncPoint),
      );
      first = i;
    }
    const meets = (other: Step): boolean => other.to === step.to || other.to === step.from || other.from === step.to;
    const waits = made
      .slice(first)
      .filter((_, j) => meets(steps[first + j] as Step))
      .map(({ syncPoint }) => syncPoint);
    const { from, to, addend, kind } = step;
    const [source, target] = [buffers[from === -1 ? to : from] as Buffer, buffers[to] as Buffer];
    if (kind === "fill") made.push(clCommandFillBufferKHR(commands, null, target, int(addend), 0, SIZE * 4, waits));
    else if (kind === "copy") made.push(clCommandCopyBufferKHR(commands, null, source, target, 0, 0, SIZE * 4, waits));
    else {
      clSetKernelArg(kernel, 0, target);
      clSetKernelArg(kernel, 1, source);
      clSetKernelArg(kernel, 2, int(addend));
      made.push(
        clCommandNDRangeKernelKHR(commands, null, null, kernel, 1, null, [SIZE], pick(2) === 0 ? [4] : null, waits),
      );
    }
    return kind === "launch" ? (made.at(-1) ?? null) : null;
  });
}

const QUEUES: readonly (readonly [name: string, properties: number, flags: number])[] = [
  ["in order", 0, CL_COMMAND_BUFFER_MUTABLE_KHR],
  ["in order, not changed", 0, 0],
  ["out of order", CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_COMMAND_BUFFER_MUTABLE_KHR],
  ["out of order, not changed", CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR],
  [
    "in order and measured, many at once",
    CL_QUEUE_PROFILING_ENABLE,
    CL_COMMAND_BUFFER_MUTABLE_KHR | CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR,
  ],
];

test.each(QUEUES)(
  "forty random command buffers on a queue %s match the model of their commands",
  (_name, properties, flags) => {
    const kernel = kernelOf(
      `kernel void mix(global int* to, global const int* from, int addend) {
        size_t i = get_global_id(0);
        to[i] = to[i] * 3 + from[i] + addend;
      }`,
      "mix",
    );
    const queue = newQueue(properties);
    for (let seed = 1; seed <= 40; seed++) {
      const pick = numbers(seed);
      const steps = Array.from({ length: COMMANDS }, (): Step => {
        const kind = (["copy", "fill", "launch", "launch"] as const)[pick(4)] ?? "fill";
        const to = pick(BUFFERS);
        const from = (to + 1 + pick(BUFFERS - 1)) % BUFFERS;
        return { kind, to, from: kind === "fill" ? -1 : from, addend: pick(1000) };
      });
      const data = Array.from({ length: BUFFERS }, () => Int32Array.from({ length: SIZE }, () => pick(100)));
      const buffers = data.map((values) => ints(...values));
      const commands = clCreateCommandBufferKHR([queue], { CL_COMMAND_BUFFER_FLAGS_KHR: flags });
      const launches = record(commands, steps, buffers, kernel, pick);
      clFinalizeCommandBufferKHR(commands);
      let before: Event[] = [];
      for (let round = 0; round < 4; round++) {
        before = [clEnqueueCommandBufferKHR(null, commands, before)];
        simulate(steps, data);
        if ((flags & CL_COMMAND_BUFFER_MUTABLE_KHR) === 0 && (flags & CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR) === 0)
          clFinish(queue);
        if ((flags & CL_COMMAND_BUFFER_MUTABLE_KHR) === 0) continue;
        if ((flags & CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR) === 0) clFinish(queue);
        const changes = launches.flatMap((launch, i) => {
          if (launch === null || pick(3) > 0) return [];
          const step = steps[i] as Step;
          step.addend = pick(1000);
          return [
            {
              command: launch,
              arguments: [{ index: 2, value: int(step.addend) }],
              ...(pick(3) === 0 ? { localSize: [[1, 2, 4, 8, 16][pick(5)] ?? 1] } : {}),
            },
          ];
        });
        if (changes.length > 0) clUpdateMutableCommandsKHR(commands, changes);
      }
      clFinish(queue);
      expect(
        buffers.map((buffer) => readInts(queue, buffer)),
        `seed ${seed}`,
      ).toEqual(data.map((values) => [...values]));
      clReleaseCommandBufferKHR(commands);
      for (const buffer of buffers) clReleaseMemObject(buffer);
    }
  },
);
