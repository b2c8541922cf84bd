// SPDX-License-Identifier: Apache-2.0
// For each entry point a call that is right, and how to check its effect.
//
// The suite derives most of its cases from these calls by mutation. The success case makes the call and looks at its
// effect. An error case of a rule or a type replaces one argument, one of a check those that the check relates; the
// rest of the call stays right, so the expected error can have no other cause. Each case makes its call anew from the
// shared world, because a call uses its objects up (it destroys, binds or finalizes them); `end` undoes what would
// disturb later cases.
import {
  DEFAULT_ALLOCATOR,
  MuxAllocationCapabilities,
  MuxAllocationType,
  type MuxBuffer,
  type MuxCommandBuffer,
  muxCommandCopyBuffer,
  muxCommandFillBuffer,
  muxCommandFillImage,
  muxCommandLaunches,
  muxCommandNDRange,
  muxCommandReadBuffer,
  muxCommandReadImage,
  muxCommandWriteBuffer,
  muxCommandWriteImage,
  MuxDescriptorType,
  type MuxDevice,
  MuxDeviceType,
  muxDispatch,
  type MuxExecutable,
  type MuxFence,
  muxFinalizeCommandBuffer,
  muxGetQueryPoolResults,
  type MuxImage,
  MuxImageFormat,
  MuxImageType,
  type MuxKernel,
  type MuxLaunch,
  muxMapMemory,
  type MuxMemory,
  MuxMemoryProperty,
  type MuxQueryPool,
  MuxQueryType,
  MuxQueueType,
  type MuxSyncPoint,
  muxTryWait,
  muxWaitAll,
} from "@muxkit/mux";

import { verify } from "./case.ts";
import { BUFFER_BYTES, IMAGE_SIDE, type World, must } from "./world.ts";

/** A valid call: its arguments, and what to check afterwards. `value` is the result of the call. */
export interface ValidCall {
  readonly args: readonly unknown[];
  readonly look?: (value: unknown) => void;
  /** Undoes what the call, or a changed one that failed, has left. */
  readonly end?: () => void;
}

/** A feature without which an entry point answers feature_unsupported. */
export type Feature = "images" | "counters" | "builtin_kernels" | "sub_groups" | "clone" | "update" | "cached_host";

const A = DEFAULT_ALLOCATOR;
const NO_OFFSET = { x: 0, y: 0, z: 0 };
const ONE_TEXEL = { x: 1, y: 1, z: 1 };
const ALL_TEXELS = { x: IMAGE_SIDE, y: IMAGE_SIDE, z: 1 };

const bytes = (length: number, first: number = 0): Uint8Array => Uint8Array.from({ length }, (_, i) => first + i);

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** The first bytes of a buffer. */
function contents(world: World, buffer: MuxBuffer, length: number, offset: number = 0): Uint8Array {
  const out = new Uint8Array(length);
  world.complete(world.finalized((commands) => must(muxCommandReadBuffer(commands, buffer, offset, out, []))));
  return out;
}

function texels(world: World, image: MuxImage): Uint8Array {
  const out = new Uint8Array(image.pixelSize * IMAGE_SIDE * IMAGE_SIDE);
  world.complete(
    world.finalized((commands) => must(muxCommandReadImage(commands, image, NO_OFFSET, ALL_TEXELS, 0, 0, out, []))),
  );
  return out;
}

/** Runs a command buffer that the call has recorded into. */
function finish(world: World, commands: MuxCommandBuffer): void {
  must(muxFinalizeCommandBuffer(commands));
  world.complete(commands);
}

function filled(world: World, value: number): MuxBuffer {
  const buffer = world.buffer();
  world.complete(
    world.finalized((commands) =>
      must(muxCommandFillBuffer(commands, buffer, 0, BUFFER_BYTES, Uint8Array.of(value), [])),
    ),
  );
  return buffer;
}

function numbered(world: World, length: number): MuxBuffer {
  const buffer = world.buffer();
  world.complete(world.finalized((commands) => must(muxCommandWriteBuffer(commands, buffer, 0, bytes(length), []))));
  return buffer;
}

function mapped(world: World): { readonly memory: MuxMemory; readonly view: Uint8Array } {
  const memory = world.memory();
  return { memory, view: must(muxMapMemory(world.device, memory, 0, BUFFER_BYTES)) };
}

const region = (origin: number, target: number): object => ({
  region: { x: 2, y: 2, z: 1 },
  srcOrigin: { x: origin, y: 0, z: 0 },
  dstOrigin: { x: target, y: 0, z: 0 },
  srcDesc: { x: 8, y: 64 },
  dstDesc: { x: 4, y: 16 },
});

const isMemberOf =
  (type: string) =>
  (value: unknown): void => {
    verify(typeof value === "object" && value !== null && "state" in value, `${type} is an object of the front's`);
  };

/** A destroyed object is dead. */
const isDead = (object: { readonly state: { readonly isAlive: boolean } }) => (): void => {
  verify(!object.state.isAlive, "a destroyed object is not alive");
};

/** Right calls, by entry point. */
export const VALID_CALLS: Readonly<Record<string, (world: World) => ValidCall>> = {
  muxGetDeviceInfos: (world) => ({
    args: [MuxDeviceType.all],
    look: (value) => {
      verify(Array.isArray(value) && value.includes(world.info), "the same infos come every time");
    },
  }),
  muxCreateDevices: (world) => ({
    args: [[world.info], A],
    look: (value) => {
      const [device] = value as readonly MuxDevice[];
      verify(device?.info === world.info, "a device for the info");
    },
  }),
  muxDestroyDevice: (world) => {
    const { device } = world.again();
    return { args: [device, A], look: isDead(device) };
  },
  muxAllocateMemory: ({ device }) => ({
    args: [
      device,
      256,
      1,
      MuxMemoryProperty.host_visible | MuxMemoryProperty.host_coherent,
      MuxAllocationType.alloc_device,
      64,
      A,
    ],
    look: (value) => {
      verify((value as MuxMemory).size >= 256, "memory is at least as large as requested");
    },
  }),
  muxCreateMemoryFromHost: (world) => {
    const array = bytes(64);
    return {
      args: [world.device, array, A],
      look: (value) => {
        verify(
          isSame(must(muxMapMemory(world.device, value as MuxMemory, 0, 64)), bytes(64)),
          "memory made of an array shows its bytes",
        );
      },
    };
  },
  muxFreeMemory: (world) => {
    const memory = world.memory();
    return { args: [world.device, memory, A], look: isDead(memory) };
  },
  muxMapMemory: (world) => ({
    args: [world.device, world.memory(), 16, 32],
    look: (value) => {
      verify(value instanceof Uint8Array && value.length === 32, "a view of the mapped bytes");
    },
  }),
  muxUnmapMemory: (world) => {
    const { memory, view } = mapped(world);
    view.set(bytes(8, 5));
    return {
      args: [world.device, memory],
      look: () => {
        verify(
          isSame(must(muxMapMemory(world.device, memory, 0, 8)), bytes(8, 5)),
          "what was written to a map is in the memory",
        );
      },
    };
  },
  muxFlushMappedMemoryToDevice: (world) => ({ args: [world.device, mapped(world).memory, 0, 64] }),
  muxFlushMappedMemoryFromDevice: (world) => ({ args: [world.device, mapped(world).memory, 0, 64] }),
  muxCreateBuffer: ({ device }) => ({
    args: [device, 256, A],
    look: (value) => {
      const { size, alignment } = (value as MuxBuffer).memoryRequirements;
      verify(
        size >= 256 && Number.isInteger(Math.log2(alignment)),
        "requirements: the size, and an alignment that is a power of two",
      );
    },
  }),
  muxDestroyBuffer: (world) => {
    const buffer = world.buffer();
    return { args: [world.device, buffer, A], look: isDead(buffer) };
  },
  muxBindBufferMemory: (world) => {
    const buffer = world.unboundBuffer();
    return {
      args: [world.device, world.memory(), buffer, 0],
      look: () => {
        verify(buffer.state.memory !== null, "the buffer has memory");
      },
    };
  },
  muxCreateImage: (world) => ({
    args: [world.device, MuxImageType.image_2d, imageFormat(world), IMAGE_SIDE, IMAGE_SIDE, 1, 0, 0, 0, A],
    look: isMemberOf("an image"),
  }),
  muxDestroyImage: (world) => {
    const image = world.image();
    return { args: [world.device, image, A], look: isDead(image) };
  },
  muxBindImageMemory: (world) => {
    const image = world.unboundImage();
    return { args: [world.device, world.memory(image.memoryRequirements.size), image, 0] };
  },
  muxGetSupportedImageFormats: ({ device }) => ({
    args: [device, MuxImageType.image_2d, MuxAllocationType.alloc_device],
    look: (value) => {
      verify(Array.isArray(value), "a list of formats");
    },
  }),
  muxGetSupportedQueryCounters: ({ device }) => ({ args: [device, MuxQueueType.compute] }),
  muxGetQueue: (world) => ({
    args: [world.device, MuxQueueType.compute, 0],
    look: (value) => {
      verify(value === world.queue, "the same queue every time");
    },
  }),
  muxCreateFence: ({ device }) => ({ args: [device, A], look: isMemberOf("a fence") }),
  muxDestroyFence: (world) => {
    const fence = world.fence();
    return { args: [world.device, fence, A], look: isDead(fence) };
  },
  muxCreateSemaphore: ({ device }) => ({ args: [device, A], look: isMemberOf("a semaphore") }),
  muxDestroySemaphore: (world) => {
    const semaphore = world.semaphore();
    return { args: [world.device, semaphore, A], look: isDead(semaphore) };
  },
  muxCreateCommandBuffer: ({ device }) => ({ args: [device, null, A], look: isMemberOf("a command buffer") }),
  muxFinalizeCommandBuffer: (world) => {
    const commands = world.commandBuffer();
    return {
      args: [commands],
      look: () => {
        verify(commands.state.phase === "finalized", "a finalized command buffer");
        world.complete(commands);
      },
    };
  },
  muxCloneCommandBuffer: (world) => {
    const buffer = world.buffer();
    const commands = world.finalized((list) => must(muxCommandFillBuffer(list, buffer, 0, 8, Uint8Array.of(9), [])));
    return {
      args: [world.device, A, commands],
      look: (value) => {
        world.complete(value as MuxCommandBuffer);
        verify(isSame(contents(world, buffer, 8), new Uint8Array(8).fill(9)), "a clone does what the original does");
      },
    };
  },
  muxDestroyCommandBuffer: (world) => {
    const commands = world.commandBuffer();
    return { args: [world.device, commands, A], look: isDead(commands) };
  },
  muxCreateExecutable: (world) => ({
    args: [world.device, world.setup.executable, A],
    look: isMemberOf("an executable"),
  }),
  muxDestroyExecutable: (world) => {
    const executable = world.object("MuxExecutable") as MuxExecutable;
    return { args: [world.device, executable, A], look: isDead(executable) };
  },
  muxCreateKernel: (world) => ({
    args: [world.device, world.executable, "fill", A],
    look: (value) => {
      const { preferredLocalSize, argumentTypes } = value as MuxKernel;
      verify(
        preferredLocalSize.every((side) => side >= 1),
        "a local size to take",
      );
      verify(argumentTypes === null || argumentTypes.length === 2, "the kinds of both arguments, where they are known");
    },
  }),
  muxCreateBuiltInKernel: (world) => ({
    args: [world.device, world.info.builtinKernelDeclarations.split("(")[0] || "any", A],
  }),
  muxQueryMaxNumSubGroups: (world) => ({ args: [world.kernel()] }),
  muxQueryLocalSizeForSubGroupCount: (world) => ({ args: [world.kernel(), 1] }),
  muxQuerySubGroupSizeForLocalSize: (world) => ({ args: [world.kernel(), 16, 1, 1] }),
  muxQueryWFVInfoForLocalSize: (world) => ({ args: [world.kernel(), 16, 1, 1] }),
  muxDestroyKernel: (world) => {
    const kernel = world.kernel();
    return { args: [world.device, kernel, A], look: isDead(kernel) };
  },
  muxCreateLaunch: (world) => {
    const out = world.buffer();
    return {
      args: [world.kernel(), world.launch(out, 60, 3), A],
      look: (value) => {
        const commands = world.commandBuffer();
        must(muxCommandLaunches(commands, [value as MuxLaunch], []));
        finish(world, commands);
        verify(
          isSame(contents(world, out, 12), new Uint8Array(Int32Array.of(60, 61, 62).buffer)),
          "the launch runs as it was prepared",
        );
      },
    };
  },
  muxDestroyLaunch: (world) => {
    const out = world.buffer();
    const launch = world.prepared(out, 80, 2);
    const commands = world.finalized((list) => must(muxCommandLaunches(list, [launch], [])));
    return {
      args: [world.device, launch, A],
      look: () => {
        isDead(launch)();
        world.complete(commands);
        verify(
          isSame(contents(world, out, 8), new Uint8Array(Int32Array.of(80, 81).buffer)),
          "a command buffer keeps what it recorded",
        );
      },
    };
  },
  muxCreateQueryPool: (world) => ({
    args: [world.queue, MuxQueryType.duration, 3, [], A],
    look: isMemberOf("a query pool"),
  }),
  muxDestroyQueryPool: (world) => {
    const pool = world.queryPool();
    return { args: [world.queue, pool, A], look: isDead(pool) };
  },
  muxGetQueryCounterRequiredPasses: (world) => ({ args: [world.queue, 1, [{ uuid: 0, data: null }]] }),
  muxGetQueryPoolResults: (world) => ({
    args: [world.queue, world.queryPool(2), 0, 2],
    look: (value) => {
      verify(Array.isArray(value) && value.length === 2, "a result for each query");
    },
  }),
  muxCommandReadBuffer: (world) => {
    const commands = world.commandBuffer();
    const out = new Uint8Array(16);
    return {
      args: [commands, numbered(world, 64), 8, out, []],
      look: () => {
        finish(world, commands);
        verify(isSame(out, bytes(16, 8)), "the bytes from the offset on");
      },
    };
  },
  muxCommandReadBufferRegions: (world) => {
    const commands = world.commandBuffer();
    const out = new Uint8Array(16);
    return {
      args: [commands, numbered(world, 64), out, [region(3, 1)], []],
      look: () => {
        finish(world, commands);
        verify([out[1], out[2], out[5], out[6]].join() === "3,4,11,12", "the box, with the pitches of both sides");
      },
    };
  },
  muxCommandWriteBuffer: (world) => {
    const commands = world.commandBuffer();
    const buffer = filled(world, 0);
    return {
      args: [commands, buffer, 4, bytes(8, 1), []],
      look: () => {
        finish(world, commands);
        verify(isSame(contents(world, buffer, 8, 4), bytes(8, 1)), "the bytes at the offset");
      },
    };
  },
  muxCommandWriteBufferRegions: (world) => {
    const commands = world.commandBuffer();
    const buffer = filled(world, 0);
    return {
      args: [commands, buffer, bytes(64), [region(3, 1)], []],
      look: () => {
        finish(world, commands);
        verify(
          isSame(contents(world, buffer, 8), Uint8Array.of(0, 3, 4, 0, 0, 11, 12, 0)),
          "the box, with the pitches of both sides",
        );
      },
    };
  },
  muxCommandCopyBuffer: (world) => {
    const commands = world.commandBuffer();
    const target = filled(world, 0);
    return {
      args: [commands, numbered(world, 64), 16, target, 8, 8, []],
      look: () => {
        finish(world, commands);
        verify(isSame(contents(world, target, 8, 8), bytes(8, 16)), "the bytes between the offsets");
      },
    };
  },
  muxCommandCopyBufferRegions: (world) => {
    const commands = world.commandBuffer();
    const target = filled(world, 0);
    return {
      args: [commands, numbered(world, 64), target, [region(3, 1)], []],
      look: () => {
        finish(world, commands);
        verify(
          isSame(contents(world, target, 8), Uint8Array.of(0, 3, 4, 0, 0, 11, 12, 0)),
          "the box, with the pitches of both sides",
        );
      },
    };
  },
  muxCommandFillBuffer: (world) => {
    const commands = world.commandBuffer();
    const buffer = filled(world, 0);
    return {
      args: [commands, buffer, 4, 8, Uint8Array.of(1, 2), []],
      look: () => {
        finish(world, commands);
        verify(
          isSame(contents(world, buffer, 14), Uint8Array.of(0, 0, 0, 0, 1, 2, 1, 2, 1, 2, 1, 2, 0, 0)),
          "the pattern, over and over",
        );
      },
    };
  },
  muxCommandReadImage: (world) => {
    const image = world.image();
    const commands = world.commandBuffer();
    must(muxCommandFillImage(commands, image, Uint8Array.of(1, 2, 3, 4), NO_OFFSET, ALL_TEXELS, []));
    const out = new Uint8Array(image.pixelSize);
    return {
      args: [commands, image, { x: 1, y: 2, z: 0 }, ONE_TEXEL, 0, 0, out, []],
      look: () => {
        finish(world, commands);
        verify(isSame(out.subarray(0, 4), Uint8Array.of(1, 2, 3, 4)), "the texel");
      },
    };
  },
  muxCommandWriteImage: (world) => {
    const image = world.image();
    const commands = world.commandBuffer();
    return {
      args: [commands, image, NO_OFFSET, ONE_TEXEL, 0, 0, bytes(image.pixelSize, 7), []],
      look: () => {
        finish(world, commands);
        verify(
          isSame(texels(world, image).subarray(0, image.pixelSize), bytes(image.pixelSize, 7)),
          "the texel is written",
        );
      },
    };
  },
  muxCommandFillImage: (world) => {
    const image = world.image();
    const commands = world.commandBuffer();
    return {
      args: [commands, image, bytes(image.pixelSize, 3), NO_OFFSET, ALL_TEXELS, []],
      look: () => {
        finish(world, commands);
        verify(
          texels(world, image).every((byte, i) => byte === 3 + (i % image.pixelSize)),
          "every texel has the colour",
        );
      },
    };
  },
  muxCommandCopyImage: (world) => {
    const [from, to] = [world.image(), world.image()];
    const commands = world.commandBuffer();
    must(muxCommandWriteImage(commands, from, { x: 2, y: 3, z: 0 }, ONE_TEXEL, 0, 0, bytes(from.pixelSize, 9), []));
    return {
      args: [commands, from, to, { x: 2, y: 3, z: 0 }, NO_OFFSET, ONE_TEXEL, []],
      look: () => {
        finish(world, commands);
        verify(isSame(texels(world, to).subarray(0, to.pixelSize), bytes(to.pixelSize, 9)), "the texel is copied");
      },
    };
  },
  muxCommandCopyImageToBuffer: (world) => {
    const image = world.image();
    const buffer = filled(world, 0);
    const commands = world.commandBuffer();
    must(muxCommandWriteImage(commands, image, NO_OFFSET, ONE_TEXEL, 0, 0, bytes(image.pixelSize, 5), []));
    return {
      args: [commands, image, buffer, NO_OFFSET, 16, ONE_TEXEL, []],
      look: () => {
        finish(world, commands);
        verify(isSame(contents(world, buffer, image.pixelSize, 16), bytes(image.pixelSize, 5)), "the texel's bytes");
      },
    };
  },
  muxCommandCopyBufferToImage: (world) => {
    const image = world.image();
    const commands = world.commandBuffer();
    return {
      args: [commands, numbered(world, 64), image, 8, NO_OFFSET, ONE_TEXEL, []],
      look: () => {
        finish(world, commands);
        verify(
          isSame(texels(world, image).subarray(0, image.pixelSize), bytes(image.pixelSize, 8)),
          "the bytes as a texel",
        );
      },
    };
  },
  muxCommandNDRange: (world) => {
    const commands = world.commandBuffer();
    const out = world.buffer();
    return {
      args: [commands, world.kernel(), world.launch(out, 40, 4), []],
      look: () => {
        finish(world, commands);
        verify(
          isSame(contents(world, out, 16), new Uint8Array(Int32Array.of(40, 41, 42, 43).buffer)),
          "the kernel ran for each work-item",
        );
      },
    };
  },
  muxCommandLaunches: (world) => {
    const commands = world.commandBuffer();
    const [first, second] = [world.buffer(), world.buffer()];
    must(muxCommandFillBuffer(commands, first, 0, 16, Uint8Array.of(0), []));
    const launches = [world.prepared(first, 10, 4), world.prepared(second, 20, 2), world.prepared(first, 30, 2)];
    return {
      args: [commands, launches, []],
      look: () => {
        must(muxCommandCopyBuffer(commands, first, 0, second, 8, 8, []));
        finish(world, commands);
        verify(
          isSame(contents(world, first, 16), new Uint8Array(Int32Array.of(30, 31, 12, 13).buffer)),
          "the launches run one after the other, after the fill",
        );
        verify(
          isSame(contents(world, second, 16), new Uint8Array(Int32Array.of(20, 21, 30, 31).buffer)),
          "what follows runs after the last of them",
        );
      },
    };
  },
  muxCommandParallelLaunches: (world) => {
    const commands = world.commandBuffer();
    const [first, second] = [world.buffer(), world.buffer()];
    must(muxCommandFillBuffer(commands, first, 0, 16, Uint8Array.of(0), []));
    const launches = [world.prepared(first, 10, 4), world.prepared(second, 20, 2)];
    return {
      args: [commands, launches, []],
      look: () => {
        must(muxCommandCopyBuffer(commands, first, 0, second, 8, 8, []));
        finish(world, commands);
        verify(
          isSame(contents(world, first, 16), new Uint8Array(Int32Array.of(10, 11, 12, 13).buffer)),
          "the launches run after the fill",
        );
        verify(
          isSame(contents(world, second, 16), new Uint8Array(Int32Array.of(20, 21, 10, 11).buffer)),
          "what follows runs after all of them",
        );
      },
    };
  },
  muxCommandBarrier: (world) => {
    const commands = world.commandBuffer();
    const [first, second] = [world.buffer(), world.buffer()];
    must(muxCommandFillBuffer(commands, first, 0, 8, Uint8Array.of(3), []));
    return {
      args: [commands, []],
      look: (value) => {
        must(muxCommandCopyBuffer(commands, first, 0, second, 0, 8, [value as MuxSyncPoint]));
        finish(world, commands);
        verify(
          isSame(contents(world, second, 8), new Uint8Array(8).fill(3)),
          "what waits for the barrier runs after what the barrier waits for",
        );
      },
    };
  },
  muxUpdateDescriptors: (world) => {
    const out = world.buffer();
    const commands = world.finalized((list) =>
      must(muxCommandNDRange(list, world.kernel(), world.launch(out, 1, 2), [])),
    );
    return {
      args: [
        commands,
        0,
        [1],
        [{ type: MuxDescriptorType.plain_old_data, data: new Uint8Array(Int32Array.of(70).buffer) }],
      ],
      look: () => {
        world.complete(commands);
        verify(
          isSame(contents(world, out, 8), new Uint8Array(Int32Array.of(70, 71).buffer)),
          "the kernel has the new argument",
        );
      },
    };
  },
  muxCommandUserCallback: (world) => {
    const commands = world.commandBuffer();
    const calls: unknown[] = [];
    return {
      args: [commands, (queue: unknown, of: unknown) => calls.push(queue, of), []],
      look: () => {
        finish(world, commands);
        verify(
          calls[0] === world.queue && calls[1] === commands && calls.length === 2,
          "the function is called once, with queue and command buffer",
        );
      },
    };
  },
  muxCommandBeginQuery: (world) => query(world, 0),
  muxCommandEndQuery: (world) => query(world, 1),
  muxCommandResetQueryPool: (world) => query(world, 2),
  muxResetCommandBuffer: (world) => {
    const commands = world.finalized();
    return {
      args: [commands],
      look: () => {
        verify(commands.state.phase === "recording", "a command buffer that records again");
        world.syncPoint(commands);
      },
    };
  },
  muxDispatch: (world) => {
    const buffer = filled(world, 0);
    const commands = world.finalized((list) => must(muxCommandFillBuffer(list, buffer, 0, 4, Uint8Array.of(6), [])));
    const [fence, semaphore] = [world.fence(), world.semaphore()];
    const received: unknown[] = [];
    return {
      args: [world.queue, commands, fence, [], [semaphore], (of: unknown, error: unknown) => received.push(of, error)],
      look: () => {
        verify(must(muxTryWait(world.queue, Infinity, fence)) === "ready", "the fence is signalled");
        must(muxDispatch(world.queue, world.finalized(), null, [semaphore], [], null));
        must(muxWaitAll(world.queue));
        verify(
          received[0] === commands && received[1] === null,
          "the function receives the command buffer and no error",
        );
        verify(isSame(contents(world, buffer, 4), Uint8Array.of(6, 6, 6, 6)), "the commands are done");
      },
      end: () => {
        must(muxWaitAll(world.queue));
      },
    };
  },
  muxTryWait: (world) => {
    const fence: MuxFence = world.fence();
    must(muxDispatch(world.queue, world.finalized(), fence, [], [], null));
    return {
      args: [world.queue, Infinity, fence],
      look: (value) => {
        verify(value === "ready", "the fence is signalled");
      },
      end: () => {
        must(muxWaitAll(world.queue));
      },
    };
  },
  muxWaitAll: (world) => ({ args: [world.queue] }),
};

function query(world: World, which: 0 | 1 | 2): ValidCall {
  const commands = world.commandBuffer();
  const pool: MuxQueryPool = world.queryPool(2);
  const args: readonly unknown[] = [commands, pool, 0, 1, [] as readonly MuxSyncPoint[]];
  return {
    args,
    look: () => {
      finish(world, commands);
      if (which !== 2) return;
      const [result] = must(muxGetQueryPoolResults(world.queue, pool, 0, 1));
      verify(
        result !== undefined && "start" in result && result.start === 0n && result.end === 0n,
        "a query that is reset is zero",
      );
    },
  };
}

/** A format that the device has. */
function imageFormat(world: World): number {
  return world.info.imageSupport ? world.unboundImage().format : MuxImageFormat.RGBA_unorm8;
}

/** The feature that an entry point needs; null: every device has it. */
export function featureOf(entryPoint: string): Feature | null {
  if (/Image/u.test(entryPoint) && entryPoint !== "muxGetSupportedImageFormats") return "images";
  const features: Readonly<Record<string, Feature>> = {
    muxGetSupportedImageFormats: "images",
    muxGetSupportedQueryCounters: "counters",
    muxGetQueryCounterRequiredPasses: "counters",
    muxCreateBuiltInKernel: "builtin_kernels",
    muxQueryMaxNumSubGroups: "sub_groups",
    muxQueryLocalSizeForSubGroupCount: "sub_groups",
    muxQuerySubGroupSizeForLocalSize: "sub_groups",
    muxCloneCommandBuffer: "clone",
    muxUpdateDescriptors: "update",
    muxCreateMemoryFromHost: "cached_host",
  };
  return features[entryPoint] ?? null;
}

/** True when the device reports a feature. */
export function hasFeature({ info }: World, feature: Feature): boolean {
  const has: Readonly<Record<Feature, boolean>> = {
    images: info.imageSupport,
    counters: info.queryCounterSupport,
    builtin_kernels: info.supportsBuiltinKernels,
    sub_groups: info.maxSubGroupCount > 0,
    clone: info.canCloneCommandBuffers,
    update: info.descriptorsUpdatable,
    cached_host: (info.allocationCapabilities & MuxAllocationCapabilities.cached_host) !== 0,
  };
  return has[feature];
}
