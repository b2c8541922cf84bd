// SPDX-License-Identifier: Apache-2.0
// Images and samplers as arguments of kernels, passed to the host through mux, and changed in a finalized command
// buffer.
import { buildProgram, openclC } from "@muxkit/compiler";
import type { Result } from "@muxkit/cargo";
import { hostTarget } from "@muxkit/host";
import { compilers } from "@muxkit/host-compiler/native";
import {
  DEFAULT_ALLOCATOR,
  MuxAddressMode,
  MuxAllocationType,
  type MuxCommandBuffer,
  MuxDescriptorType,
  type MuxDevice,
  MuxDeviceType,
  type MuxError,
  MuxFilterMode,
  type MuxImage,
  MuxImageFormat,
  MuxImageType,
  MuxMemoryProperty,
  type MuxNDRangeOptions,
  MuxQueueType,
  muxAllocateMemory,
  muxBindImageMemory,
  muxCloneCommandBuffer,
  muxCommandFillImage,
  muxCommandNDRange,
  muxCommandReadImage,
  muxCreateCommandBuffer,
  muxCreateDevices,
  muxCreateExecutable,
  muxCreateImage,
  muxCreateKernel,
  muxDestroyDevice,
  muxDestroyImage,
  muxDispatch,
  muxFinalizeCommandBuffer,
  muxGetDeviceInfos,
  muxGetQueue,
  muxUpdateDescriptors,
  muxWaitAll,
  registerTarget,
} from "@muxkit/mux";
import { afterAll, expect, test } from "vitest";

const A = DEFAULT_ALLOCATOR;

function must<T>(result: Result<T, MuxError>): T {
  if (!result.ok) throw new Error(`${result.error.name}: ${result.error.message}`);
  return result.value;
}

const number = registerTarget(hostTarget({ threads: 1, isolated: true }));
const info = must(muxGetDeviceInfos(MuxDeviceType.cpu)).find(({ id }) => (id & 0xff) === number);
if (info === undefined) throw new Error("the host lists no device");
const [device] = must(muxCreateDevices([info], A)) as readonly [MuxDevice];
const queue = must(muxGetQueue(device, MuxQueueType.compute, 0));
afterAll(() => {
  must(muxDestroyDevice(device, A));
});

function executable(source: string): Uint8Array {
  const made = compilers[0]?.createContext().createTarget(device.info, null);
  if (made?.ok !== true) throw new Error("there is no compiler for the host");
  const module = made.value.createModule();
  const built = buildProgram(module, openclC(source));
  if (!built.ok) throw new Error(`${built.error.message}\n${module.log}`);
  const binary = module.createBinary();
  if (!binary.ok) throw new Error(binary.error.message);
  return binary.value;
}

const ALL = { x: 2, y: 2, z: 1 };
const START = { x: 0, y: 0, z: 0 };

function image(): MuxImage {
  const made = must(muxCreateImage(device, MuxImageType.image_2d, MuxImageFormat.RGBA_unorm8, 2, 2, 1, 0, 0, 0, A));
  const memory = must(
    muxAllocateMemory(
      device,
      made.memoryRequirements.size,
      1,
      MuxMemoryProperty.host_visible | MuxMemoryProperty.host_coherent,
      MuxAllocationType.alloc_device,
      0,
      A,
    ),
  );
  must(muxBindImageMemory(device, memory, made, 0));
  return made;
}

function complete(commands: MuxCommandBuffer): void {
  must(muxDispatch(queue, commands, null, [], [], null));
  must(muxWaitAll(queue));
}

function recorded(record: (commands: MuxCommandBuffer) => void): MuxCommandBuffer {
  const commands = must(muxCreateCommandBuffer(device, null, A));
  record(commands);
  must(muxFinalizeCommandBuffer(commands));
  return commands;
}

function filled(value: number): MuxImage {
  const made = image();
  complete(
    recorded((commands) =>
      must(muxCommandFillImage(commands, made, Uint8Array.of(value, value, value, value), START, ALL, [])),
    ),
  );
  return made;
}

function contents(from: MuxImage): number[] {
  const out = new Uint8Array(16);
  complete(recorded((commands) => must(muxCommandReadImage(commands, from, START, ALL, 0, 0, out, []))));
  return [...out];
}

/** Copies an image, shifted to the right by one pixel. */
const COPY = `
kernel void copy(read_only image2d_t from, write_only image2d_t to, sampler_t s) {
  int2 c = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(to, c, read_imagef(from, s, c - (int2)(1, 0)));
}
`;

const kernel = must(muxCreateKernel(device, must(muxCreateExecutable(device, executable(COPY), A)), "copy", A));
const descriptor = (given: MuxImage): MuxNDRangeOptions["descriptors"][number] => ({
  type: MuxDescriptorType.image,
  image: given,
});
const sampler = (addressMode: MuxAddressMode): MuxNDRangeOptions["descriptors"][number] => ({
  type: MuxDescriptorType.sampler,
  sampler: { addressMode, filterMode: MuxFilterMode.nearest, normalizeCoords: false },
});
const range = (descriptors: MuxNDRangeOptions["descriptors"]): MuxNDRangeOptions => ({
  descriptors,
  localSize: [1, 1, 1],
  globalOffset: [0, 0],
  globalSize: [2, 2],
  dimensions: 2,
  firstGroup: null,
  groupCount: null,
});

test("images and samplers are passed, and changed in the recorded command", () => {
  const [first, second, to] = [filled(10), filled(20), image()];
  const commands = recorded((list) =>
    must(
      muxCommandNDRange(
        list,
        kernel,
        range([descriptor(first), descriptor(to), sampler(MuxAddressMode.clamp_edge)]),
        [],
      ),
    ),
  );
  complete(commands);
  expect(contents(to)).toEqual(Array.from({ length: 16 }, () => 10));
  const clone = must(muxCloneCommandBuffer(device, A, commands));
  must(muxUpdateDescriptors(commands, 0, [0, 2], [descriptor(second), sampler(MuxAddressMode.clamp)]));
  complete(commands);
  // Left of the image is the border: transparent black.
  expect(contents(to)).toEqual([0, 0, 0, 0, 20, 20, 20, 20, 0, 0, 0, 0, 20, 20, 20, 20]);
  complete(clone);
  expect(contents(to)).toEqual(Array.from({ length: 16 }, () => 10));
});

test("what is no image, not bound, or destroyed is refused", () => {
  const commands = must(muxCreateCommandBuffer(device, null, A));
  const refused = (descriptors: MuxNDRangeOptions["descriptors"]): boolean =>
    !muxCommandNDRange(commands, kernel, range(descriptors), []).ok;
  const [from, to, gone] = [image(), image(), image()];
  const unbound = must(muxCreateImage(device, MuxImageType.image_2d, MuxImageFormat.RGBA_unorm8, 2, 2, 1, 0, 0, 0, A));
  must(muxDestroyImage(device, gone, A));
  const edge = sampler(MuxAddressMode.clamp_edge);
  expect(
    [
      [descriptor(unbound), descriptor(to), edge],
      [descriptor(gone), descriptor(to), edge],
      [edge, descriptor(to), edge],
      [descriptor(from), descriptor(to), descriptor(to)],
    ].map(refused),
  ).toEqual([true, true, true, true]);
  expect(refused([descriptor(from), descriptor(to), edge])).toBe(false);
});
