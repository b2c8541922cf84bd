// SPDX-License-Identifier: Apache-2.0
// What entry points do beyond one right call: orders, repetitions, parts, and the errors that only a target can see.
import type { Result } from "@muxkit/cargo";
import {
  DEFAULT_ALLOCATOR,
  MuxAllocationType,
  type MuxBuffer,
  type MuxCommandBuffer,
  MuxDescriptorType,
  MuxDeviceType,
  type MuxError,
  MuxMemoryProperty,
  type MuxNDRangeOptions,
  MuxResult,
  muxAllocateMemory,
  muxBindBufferMemory,
  muxCloneCommandBuffer,
  muxCommandBeginQuery,
  muxCommandCopyBuffer,
  muxCommandEndQuery,
  muxCommandFillBuffer,
  muxCommandNDRange,
  muxCommandReadBuffer,
  muxCommandUserCallback,
  muxCommandWriteBuffer,
  muxCreateBuiltInKernel,
  muxCreateDevices,
  muxCreateExecutable,
  muxCreateKernel,
  muxDestroyBuffer,
  muxDestroyDevice,
  muxDispatch,
  muxFinalizeCommandBuffer,
  muxGetDeviceInfos,
  muxGetQueryPoolResults,
  muxGetQueue,
  muxMapMemory,
  muxResetCommandBuffer,
  muxTryWait,
  muxUnmapMemory,
  muxUpdateDescriptors,
  muxWaitAll,
} from "@muxkit/mux";

import { verify } from "./case.ts";
import { IMAGE_BEHAVIOURS } from "./image-behaviours.ts";
import { BUFFER_BYTES, type World, must } from "./world.ts";

/** Something that an entry point does. */
export interface Behaviour {
  readonly entryPoint: string;
  readonly name: string;
  /** Throws when it does something else. */
  readonly run: (world: World) => void;
}

const A = DEFAULT_ALLOCATOR;
const int = (value: number): { readonly type: typeof MuxDescriptorType.plain_old_data; readonly data: Uint8Array } => ({
  type: MuxDescriptorType.plain_old_data,
  data: new Uint8Array(Int32Array.of(value).buffer),
});

function refused(result: Result<unknown, MuxError>, code: MuxResult): void {
  verify(!result.ok, "it is accepted");
  verify(result.error.code === code, `the answer is ${result.error.name}: ${result.error.message}`);
}

/** The first numbers of a buffer, which holds 32-bit integers. */
function numbers(world: World, buffer: MuxBuffer, count: number): string {
  const out = new Uint8Array(count * 4);
  world.complete(world.finalized((commands) => must(muxCommandReadBuffer(commands, buffer, 0, out, []))));
  return new Int32Array(out.buffer).join();
}

function expectNumbers(world: World, buffer: MuxBuffer, wanted: readonly number[]): void {
  const found = numbers(world, buffer, wanted.length);
  verify(found === wanted.join(), `the buffer holds ${found}; ${wanted.join()} is right`);
}

/** A buffer of zeros. */
function zeros(world: World): MuxBuffer {
  const buffer = world.buffer();
  world.complete(
    world.finalized((commands) => must(muxCommandFillBuffer(commands, buffer, 0, BUFFER_BYTES, Uint8Array.of(0), []))),
  );
  return buffer;
}

function launched(world: World, options: Partial<MuxNDRangeOptions>, wanted: readonly number[]): void {
  const out = zeros(world);
  world.complete(
    world.finalized((commands) =>
      must(muxCommandNDRange(commands, world.kernel(), { ...world.launch(out, 10, 4), ...options }, [])),
    ),
  );
  expectNumbers(world, out, wanted);
}

/** A finalized launch of two work-items. */
function launch(world: World, out: MuxBuffer, value: number): MuxCommandBuffer {
  return world.finalized((commands) =>
    must(muxCommandNDRange(commands, world.kernel(), world.launch(out, value, 2), [])),
  );
}

const DEVICES: readonly Behaviour[] = [
  {
    entryPoint: "muxGetDeviceInfos",
    name: "lists the requested kinds only",
    run: ({ info }) => {
      verify(must(muxGetDeviceInfos(info.deviceType)).includes(info), "the device is among those of its kind");
      const others = (MuxDeviceType.all & ~info.deviceType) >>> 0;
      verify(!must(muxGetDeviceInfos(others)).includes(info), "the device is not among those of other kinds");
    },
  },
  {
    entryPoint: "muxCreateDevices",
    name: "an info from nowhere",
    run: ({ info }) => {
      refused(muxCreateDevices([{ ...info }], A), MuxResult.error_invalid_value);
    },
  },
  {
    entryPoint: "muxCreateDevices",
    name: "one that fails leaves none open and no bytes taken",
    run: ({ info }) => {
      let taken = 0;
      const counting = {
        allocate: (bytes: number) => {
          taken += bytes;
          return true;
        },
        free: (bytes: number) => {
          taken -= bytes;
        },
      };
      refused(muxCreateDevices([info, { ...info }], counting), MuxResult.error_invalid_value);
      verify(taken === 0, `${taken} bytes stay taken`);
    },
  },
  {
    entryPoint: "muxDestroyDevice",
    name: "destroyed twice",
    run: (world) => {
      const { device } = world.again();
      must(muxDestroyDevice(device, A));
      refused(muxDestroyDevice(device, A), MuxResult.error_invalid_value);
    },
  },
  {
    entryPoint: "muxGetQueue",
    name: "each device has queues of its own",
    run: (world) => {
      verify(must(muxGetQueue(world.other.device, 0, 0)) !== world.queue, "another device has another queue");
    },
  },
];

const MEMORY: readonly Behaviour[] = [
  {
    entryPoint: "muxAllocateMemory",
    name: "more than there is",
    run: ({ device }) => {
      refused(
        muxAllocateMemory(device, 2 ** 50, 1, MuxMemoryProperty.host_visible, MuxAllocationType.alloc_device, 0, A),
        MuxResult.error_out_of_memory,
      );
    },
  },
  {
    entryPoint: "muxMapMemory",
    name: "shows what the device wrote, from the offset on",
    run: (world) => {
      const buffer = world.unboundBuffer();
      const memory = world.memory(buffer.memoryRequirements.size);
      must(muxBindBufferMemory(world.device, memory, buffer, 0));
      world.complete(
        world.finalized((commands) =>
          must(
            muxCommandWriteBuffer(
              commands,
              buffer,
              0,
              Uint8Array.from({ length: 32 }, (_, i) => i),
              [],
            ),
          ),
        ),
      );
      const view = must(muxMapMemory(world.device, memory, 8, 4));
      verify(view.join() === "8,9,10,11", `the view holds ${view.join()}`);
      must(muxUnmapMemory(world.device, memory));
    },
  },
  {
    entryPoint: "muxBindBufferMemory",
    name: "two buffers in one memory keep apart",
    run: (world) => {
      const [a, b] = [world.unboundBuffer(), world.unboundBuffer()];
      const { alignment, size } = a.memoryRequirements;
      const offset = Math.ceil(size / alignment) * alignment;
      const memory = world.memory(offset + size);
      must(muxBindBufferMemory(world.device, memory, a, 0));
      must(muxBindBufferMemory(world.device, memory, b, offset));
      world.complete(
        world.finalized((commands) => {
          must(muxCommandFillBuffer(commands, a, 0, BUFFER_BYTES, Uint8Array.of(1), []));
          must(muxCommandFillBuffer(commands, b, 0, BUFFER_BYTES, Uint8Array.of(2), []));
        }),
      );
      expectNumbers(
        world,
        a,
        Array.from({ length: BUFFER_BYTES / 4 }, () => 0x0101_0101),
      );
      expectNumbers(world, b, [0x0202_0202]);
    },
  },
  {
    entryPoint: "muxDestroyBuffer",
    name: "leaves the memory to others",
    run: (world) => {
      const [a, b] = [world.unboundBuffer(), world.unboundBuffer()];
      const memory = world.memory(a.memoryRequirements.size);
      must(muxBindBufferMemory(world.device, memory, a, 0));
      must(muxBindBufferMemory(world.device, memory, b, 0));
      world.complete(
        world.finalized((commands) => must(muxCommandFillBuffer(commands, a, 0, 8, Uint8Array.of(5), []))),
      );
      must(muxDestroyBuffer(world.device, a, A));
      expectNumbers(world, b, [0x0505_0505, 0x0505_0505]);
    },
  },
];

const PROGRAMS: readonly Behaviour[] = [
  {
    entryPoint: "muxCreateExecutable",
    name: "bytes that are no executable",
    run: ({ device }) => {
      refused(
        muxCreateExecutable(
          device,
          Uint8Array.from({ length: 64 }, (_, i) => i * 37),
          A,
        ),
        MuxResult.error_invalid_binary,
      );
    },
  },
  {
    entryPoint: "muxCreateExecutable",
    name: "the first bytes of an executable",
    run: ({ device, setup }) => {
      refused(muxCreateExecutable(device, setup.executable.slice(0, 16), A), MuxResult.error_invalid_binary);
    },
  },
  {
    entryPoint: "muxCreateKernel",
    name: "a kernel that there is not",
    run: ({ device, executable }) => {
      refused(muxCreateKernel(device, executable, "nothing", A), MuxResult.error_missing_kernel);
    },
  },
  {
    entryPoint: "muxCreateKernel",
    name: "a name that every object has",
    run: ({ device, executable }) => {
      refused(muxCreateKernel(device, executable, "constructor", A), MuxResult.error_missing_kernel);
    },
  },
  {
    entryPoint: "muxCreateBuiltInKernel",
    name: "a kernel that there is not",
    run: ({ device }) => {
      refused(muxCreateBuiltInKernel(device, "nothing", A), MuxResult.error_missing_kernel);
    },
  },
];

const LAUNCHES: readonly Behaviour[] = [
  {
    entryPoint: "muxCommandNDRange",
    name: "an offset moves the ids",
    run: (world) => {
      launched(world, { globalOffset: [2], globalSize: [3] }, [0, 0, 12, 13, 14, 0]);
    },
  },
  {
    entryPoint: "muxCommandNDRange",
    name: "groups of several work-items, the last one smaller",
    run: (world) => {
      launched(world, { localSize: [4, 1, 1], globalSize: [6] }, [10, 11, 12, 13, 14, 15, 0]);
    },
  },
  {
    entryPoint: "muxCommandNDRange",
    name: "three dimensions",
    run: (world) => {
      launched(world, { dimensions: 3, globalSize: [3, 2, 2], globalOffset: [1, 0, 0] }, [0, 11, 12, 13, 0]);
    },
  },
  {
    entryPoint: "muxCommandNDRange",
    name: "a part of the groups",
    run: (world) => {
      launched(
        world,
        { localSize: [2, 1, 1], globalSize: [8], firstGroup: [1, 0, 0], groupCount: [2, 1, 1] },
        [0, 0, 12, 13, 14, 15, 0, 0],
      );
    },
  },
  {
    entryPoint: "muxCommandNDRange",
    name: "an offset into the buffer",
    run: (world) => {
      const out = zeros(world);
      const options = world.launch(out, 7, 2);
      world.complete(
        world.finalized((commands) =>
          must(
            muxCommandNDRange(
              commands,
              world.kernel(),
              { ...options, descriptors: [{ type: MuxDescriptorType.buffer, buffer: out, offset: 8 }, int(7)] },
              [],
            ),
          ),
        ),
      );
      expectNumbers(world, out, [0, 0, 7, 8, 0]);
    },
  },
  {
    entryPoint: "muxCommandNDRange",
    name: "arguments are copied at the call",
    run: (world) => {
      const out = zeros(world);
      const value = int(3);
      const commands = world.finalized((list) =>
        must(
          muxCommandNDRange(
            list,
            world.kernel(),
            {
              ...world.launch(out, 0, 2),
              descriptors: [{ type: MuxDescriptorType.buffer, buffer: out, offset: 0 }, value],
            },
            [],
          ),
        ),
      );
      value.data.fill(9);
      world.complete(commands);
      expectNumbers(world, out, [3, 4, 0]);
    },
  },
  {
    entryPoint: "muxUpdateDescriptors",
    name: "another buffer",
    run: (world) => {
      const [a, b] = [zeros(world), zeros(world)];
      const commands = launch(world, a, 5);
      must(muxUpdateDescriptors(commands, 0, [0], [{ type: MuxDescriptorType.buffer, buffer: b, offset: 4 }]));
      world.complete(commands);
      expectNumbers(world, a, [0, 0]);
      expectNumbers(world, b, [0, 5, 6, 0]);
    },
  },
  {
    entryPoint: "muxUpdateDescriptors",
    name: "a command that there is not, one that is no launch, an argument that there is not",
    run: (world) => {
      const out = world.buffer();
      const commands = world.finalized((list) => {
        must(muxCommandNDRange(list, world.kernel(), world.launch(out, 1, 2), []));
        must(muxCommandFillBuffer(list, out, 64, 4, Uint8Array.of(1), []));
      });
      refused(muxUpdateDescriptors(commands, 9, [1], [int(1)]), MuxResult.error_invalid_value);
      refused(muxUpdateDescriptors(commands, 1, [1], [int(1)]), MuxResult.error_invalid_value);
      refused(muxUpdateDescriptors(commands, 0, [2], [int(1)]), MuxResult.error_invalid_value);
    },
  },
  {
    entryPoint: "muxUpdateDescriptors",
    name: "an argument of another kind",
    run: (world) => {
      refused(muxUpdateDescriptors(launch(world, world.buffer(), 1), 0, [0], [int(1)]), MuxResult.error_invalid_value);
    },
  },
  {
    entryPoint: "muxCloneCommandBuffer",
    name: "a clone keeps its arguments when the original's change",
    run: (world) => {
      if (!world.info.descriptorsUpdatable) return;
      const out = zeros(world);
      const commands = launch(world, out, 5);
      const clone = must(muxCloneCommandBuffer(world.device, A, commands));
      must(muxUpdateDescriptors(commands, 0, [1], [int(50)]));
      world.complete(clone);
      expectNumbers(world, out, [5, 6]);
      world.complete(commands);
      expectNumbers(world, out, [50, 51]);
    },
  },
  {
    entryPoint: "muxCloneCommandBuffer",
    name: "a clone lives on when the original is emptied",
    run: (world) => {
      const out = zeros(world);
      const commands = launch(world, out, 5);
      const clone = must(muxCloneCommandBuffer(world.device, A, commands));
      must(muxResetCommandBuffer(commands));
      world.complete(clone);
      expectNumbers(world, out, [5, 6]);
    },
  },
];

const ORDER: readonly Behaviour[] = [
  {
    entryPoint: "muxCommandCopyBuffer",
    name: "commands run one after the other where a sync-point orders them",
    run: (world) => {
      const [a, b] = [zeros(world), zeros(world)];
      world.complete(
        world.finalized((commands) => {
          const filled = must(muxCommandFillBuffer(commands, a, 0, 16, Uint8Array.of(3), []));
          const copied = must(muxCommandCopyBuffer(commands, a, 0, b, 0, 16, [filled]));
          must(muxCommandFillBuffer(commands, a, 0, 16, Uint8Array.of(4), [copied]));
        }),
      );
      expectNumbers(world, a, [0x0404_0404]);
      expectNumbers(world, b, [0x0303_0303]);
    },
  },
  {
    entryPoint: "muxCommandCopyBuffer",
    name: "parts of one buffer that only touch",
    run: (world) => {
      const buffer = zeros(world);
      world.complete(
        world.finalized((commands) => {
          const filled = must(muxCommandFillBuffer(commands, buffer, 0, 8, Uint8Array.of(6), []));
          must(muxCommandCopyBuffer(commands, buffer, 0, buffer, 8, 8, [filled]));
        }),
      );
      expectNumbers(world, buffer, [0x0606_0606, 0x0606_0606, 0x0606_0606, 0x0606_0606, 0]);
    },
  },
  {
    entryPoint: "muxCommandFillBuffer",
    name: "the pattern is copied at the call",
    run: (world) => {
      const buffer = zeros(world);
      const pattern = Uint8Array.of(1, 2, 3, 4);
      const commands = world.finalized((list) => must(muxCommandFillBuffer(list, buffer, 0, 8, pattern, [])));
      pattern.fill(9);
      world.complete(commands);
      expectNumbers(world, buffer, [0x0403_0201, 0x0403_0201, 0]);
    },
  },
  {
    entryPoint: "muxResetCommandBuffer",
    name: "what was recorded is gone",
    run: (world) => {
      const buffer = zeros(world);
      const commands = world.finalized((list) => must(muxCommandFillBuffer(list, buffer, 0, 4, Uint8Array.of(1), [])));
      must(muxResetCommandBuffer(commands));
      must(muxCommandFillBuffer(commands, buffer, 4, 4, Uint8Array.of(2), []));
      must(muxFinalizeCommandBuffer(commands));
      world.complete(commands);
      expectNumbers(world, buffer, [0, 0x0202_0202]);
    },
  },
  {
    entryPoint: "muxDispatch",
    name: "any number of times",
    run: (world) => {
      let calls = 0;
      const commands = world.finalized((list) =>
        must(
          muxCommandUserCallback(list, () => {
            calls++;
          }, []),
        ),
      );
      for (let i = 0; i < 3; i++) world.complete(commands);
      verify(calls === 3, `the commands ran ${calls} times; 3 is right`);
    },
  },
  {
    entryPoint: "muxCommandUserCallback",
    name: "what goes on elsewhere is complete when it says so",
    run: (world) => {
      let questions = 0;
      let seen = 0;
      const commands = world.finalized((list) => {
        const first = must(muxCommandUserCallback(list, () => () => ++questions > 3, []));
        must(
          muxCommandUserCallback(list, () => {
            seen = questions;
          }, [first]),
        );
      });
      world.complete(commands);
      verify(seen === 4, `the next command ran after ${seen} questions; 4 is right`);
    },
  },
  {
    entryPoint: "muxDispatch",
    name: "an empty command buffer",
    run: (world) => {
      const fence = world.fence();
      must(muxDispatch(world.queue, world.finalized(), fence, [], [], null));
      verify(must(muxTryWait(world.queue, Infinity, fence)) === "ready", "its fence is signalled");
    },
  },
  {
    entryPoint: "muxDispatch",
    name: "one that waits runs after the one that signals",
    run: (world) => {
      const order: string[] = [];
      const note = (word: string): MuxCommandBuffer =>
        world.finalized((list) =>
          must(
            muxCommandUserCallback(list, () => {
              order.push(word);
            }, []),
          ),
        );
      const semaphore = world.semaphore();
      must(muxDispatch(world.queue, note("second"), null, [semaphore], [], null));
      must(muxDispatch(world.queue, note("first"), null, [], [semaphore], null));
      must(muxWaitAll(world.queue));
      verify(order.join() === "first,second", `they ran as ${order.join()}`);
    },
  },
  {
    entryPoint: "muxDispatch",
    name: "a fence and a semaphore once more",
    run: (world) => {
      const [fence, semaphore] = [world.fence(), world.semaphore()];
      for (let i = 0; i < 2; i++) {
        must(muxDispatch(world.queue, world.finalized(), null, [], [semaphore], null));
        must(muxDispatch(world.queue, world.finalized(), fence, [semaphore], [], null));
        verify(must(muxTryWait(world.queue, Infinity, fence)) === "ready", "the fence is signalled again");
        must(muxWaitAll(world.queue));
      }
    },
  },
  {
    entryPoint: "muxDispatch",
    name: "the function is called once, before the waits end",
    run: (world) => {
      let calls = 0;
      must(
        muxDispatch(world.queue, world.finalized(), null, [], [], () => {
          calls++;
        }),
      );
      must(muxWaitAll(world.queue));
      verify(calls === 1, `it is called ${calls} times`);
    },
  },
  {
    entryPoint: "muxTryWait",
    name: "no time and a dispatch that waits: not ready, then ready",
    run: (world) => {
      const { fence, release } = world.inFlight();
      verify(must(muxTryWait(world.queue, 0, fence)) === "not_ready", "the fence is not signalled yet");
      release();
      verify(must(muxTryWait(world.queue, 0, fence)) === "ready", "the fence is signalled");
    },
  },
  {
    entryPoint: "muxTryWait",
    name: "a fence that no dispatch uses",
    run: (world) => {
      // Nothing will ever signal it: a target may report that.
      const result = muxTryWait(world.queue, 0, world.fence());
      verify(
        result.ok ? result.value === "not_ready" : result.error.code === MuxResult.error_invalid_value,
        "the fence is not signalled",
      );
    },
  },
  {
    entryPoint: "muxGetQueryPoolResults",
    name: "an end that is not before the start",
    run: (world) => {
      const pool = world.queryPool(2);
      world.complete(
        world.finalized((commands) => {
          const begun = must(muxCommandBeginQuery(commands, pool, 1, 1, []));
          const done = must(muxCommandFillBuffer(commands, world.buffer(), 0, BUFFER_BYTES, Uint8Array.of(1), [begun]));
          must(muxCommandEndQuery(commands, pool, 1, 1, [done]));
        }),
      );
      const [unused, times] = must(muxGetQueryPoolResults(world.queue, pool, 0, 2));
      verify(
        times !== undefined && "start" in times && times.start > 0n && times.end >= times.start,
        "times of the query that was used",
      );
      verify(
        unused !== undefined && "start" in unused && unused.start === 0n && unused.end === 0n,
        "zeros for the one that was not",
      );
    },
  },
];

/** All of them. */
export const BEHAVIOURS: readonly Behaviour[] = [
  ...DEVICES,
  ...MEMORY,
  ...PROGRAMS,
  ...LAUNCHES,
  ...ORDER,
  ...IMAGE_BEHAVIOURS,
];
