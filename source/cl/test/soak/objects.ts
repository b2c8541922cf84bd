// SPDX-License-Identifier: Apache-2.0
// What is made and released while commands are under way, and launches of kernels.
import {
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_READ_WRITE,
  CL_MEM_USE_HOST_PTR,
  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
  CL_QUEUE_PROFILING_ENABLE,
  type Buffer,
  type Kernel,
  clBuildProgram,
  clCloneKernel,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateImage,
  clCreateProgramWithBinary,
  clCreateProgramWithSource,
  clCreateSubBuffer,
  clCreateUserEvent,
  clEnqueueBarrierWithWaitList,
  clEnqueueMarkerWithWaitList,
  clEnqueueNDRangeKernel,
  clFlush,
  clReleaseCommandQueue,
  clReleaseKernel,
  clReleaseMemObject,
  clReleaseProgram,
  clSVMAlloc,
  clSVMFree,
  clSetKernelArg,
} from "@muxkit/opencl";

import { GROUP, type KernelName, SOURCE, add, kernelsOf, scale, sums } from "./kernels.ts";
import { Shadow } from "./shadow.ts";
import type { Action } from "./transfers.ts";
import type { Lane, Place, Root, World } from "./world.ts";

const MOST_PLACES = 12;
const MOST_PICTURES = 3;
const MOST_LANES = 5;
const MOST_PROGRAMS = 3;
const nothing = (): void => undefined;

function newRoot(size: number): Root {
  return { shadow: new Shadow(size), users: [] };
}

function sizeFor(world: World): number {
  const { random } = world;
  return random.oneIn(12) ? random.between(64, 300) * 1024 : random.between(1, 128) * 64;
}

function makeBuffer(world: World): void {
  const { random, context, places } = world;
  if (places.length >= MOST_PLACES) return;
  const size = sizeFor(world);
  const root = newRoot(size);
  const kind = random.below(4);
  if (kind === 0) {
    const pointer = clSVMAlloc(context, CL_MEM_READ_WRITE, size);
    if (pointer !== 0) places.push({ root, buffer: null, pointer, base: 0, size });
    return;
  }
  const bytes = Uint8Array.from({ length: kind === 1 ? 0 : size }, () => random.bits());
  const flags = CL_MEM_READ_WRITE | (kind === 1 ? 0 : kind === 2 ? CL_MEM_COPY_HOST_PTR : CL_MEM_USE_HOST_PTR);
  if (kind !== 1) root.shadow.write(0, bytes);
  const buffer = world.attempt(`make a buffer of ${size} bytes, flags ${flags}`, () =>
    clCreateBuffer(context, flags, size, kind === 1 ? null : bytes),
  );
  if (buffer !== null) places.push({ root, buffer, pointer: 0, base: 0, size });
}

function makePart(world: World): void {
  const { random, places } = world;
  const whole = random.pick(places.filter(({ buffer, size }) => buffer?.parent === null && size > 256));
  if (whole === undefined || places.length >= MOST_PLACES) return;
  const base = random.below(Math.floor(whole.size / 128)) * 128;
  const size = random.between(1, whole.size - base);
  const buffer = world.attempt(`make a part of ${size} bytes at ${base}`, () =>
    clCreateSubBuffer(whole.buffer as Buffer, 0, { origin: base, size }),
  );
  if (buffer !== null) places.push({ root: whole.root, buffer, pointer: 0, base, size });
}

function makeImage(world: World): void {
  const { random, context, pictures } = world;
  if (pictures.length >= MOST_PICTURES) return;
  const [width, height] = [random.between(1, 40), random.between(1, 12)];
  const image = world.attempt(`make an image of ${width} × ${height}`, () =>
    clCreateImage(
      context,
      CL_MEM_READ_WRITE,
      { channelOrder: "CL_R", channelType: "CL_SIGNED_INT32" },
      { type: "CL_MEM_OBJECT_IMAGE2D", width, height },
    ),
  );
  if (image !== null) pictures.push({ root: newRoot(width * height * 4), image, width, height });
}

/** Queues of every kind. */
export function makeLane(world: World): void {
  const { random, context, device, lanes } = world;
  if (lanes.length >= MOST_LANES) return;
  const isInOrder = random.oneIn(2);
  const isTimed = random.oneIn(3);
  const queue = world.attempt(`make a queue${isInOrder ? "" : " out of order"}${isTimed ? " with times" : ""}`, () =>
    clCreateCommandQueue(
      context,
      device,
      (isInOrder ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) | (isTimed ? CL_QUEUE_PROFILING_ENABLE : 0),
    ),
  );
  if (queue !== null) lanes.push({ number: world.lanesMade++, queue, isInOrder, isTimed });
}

/** A program: of source now and then, of the binary mostly. */
export function makeProgram(world: World, binary: Uint8Array): void {
  const { random, context, device, programs, kernels } = world;
  if (programs.length >= MOST_PROGRAMS) return;
  const fromSource = random.oneIn(8);
  const program = world.attempt(`make a program of ${fromSource ? "source" : "a binary"}`, () =>
    fromSource ? clCreateProgramWithSource(context, [SOURCE]) : clCreateProgramWithBinary(context, [device], [binary]),
  );
  if (program === null) return;
  const made = world.attempt("build it and make its kernels", () => {
    clBuildProgram(program);
    return kernelsOf(program);
  });
  if (made === null) {
    clReleaseProgram(program);
    return;
  }
  programs.push(program);
  kernels.push(...made);
}

function takeOut<T>(world: World, list: T[]): T | undefined {
  return list.splice(world.random.below(Math.max(1, list.length)), 1)[0];
}

function release(world: World): void {
  const { random, places, pictures, kernels, programs, lanes } = world;
  const kind = random.below(6);
  if (kind <= 1) {
    const place = takeOut(world, places);
    if (place === undefined) return;
    world.note("release memory");
    if (place.buffer === null) {
      clSVMFree(world.context, place.pointer);
      return;
    }
    clReleaseMemObject(place.buffer);
  } else if (kind === 2) {
    const picture = takeOut(world, pictures);
    if (picture !== undefined) clReleaseMemObject(picture.image);
  } else if (kind === 3) {
    const kernel = takeOut(world, kernels);
    if (kernel !== undefined) clReleaseKernel(kernel);
  } else if (kind === 4) {
    const program = programs.length > 1 ? takeOut(world, programs) : undefined;
    if (program === undefined) return;
    world.note("release a program");
    clReleaseProgram(program);
  } else if (lanes.length > 2) {
    const lane = takeOut(world, lanes);
    if (lane === undefined) return;
    world.note("release a queue");
    clReleaseCommandQueue(lane.queue);
  }
}

function kernelNamed(world: World, name: KernelName): Kernel | undefined {
  return world.random.pick(world.kernels.filter(({ info }) => info.name === name));
}

function intsOf(world: World, least: number = 1): (Place & { readonly buffer: Buffer }) | undefined {
  // Kernels read ints, so places that begin between two are not theirs.
  return world.random.pick(
    world.places.filter(({ buffer, base, size }) => buffer !== null && base % 4 === 0 && size >= least * 4),
  ) as (Place & { readonly buffer: Buffer }) | undefined;
}

function itemsIn(world: World, ...places: readonly Place[]): number {
  return world.random.between(1, Math.floor(Math.min(...places.map(({ size }) => size)) / 4));
}

function launchAdd(world: World, lane: Lane): void {
  const [kernel, place] = [kernelNamed(world, "add"), intsOf(world)];
  if (kernel === undefined || place === undefined) return;
  const items = itemsIn(world, place);
  const first = world.random.below(Math.floor(place.size / 4) - items + 1);
  const value = world.random.bits() | 0;
  clSetKernelArg(kernel, 0, place.buffer);
  clSetKernelArg(kernel, 1, Int32Array.of(value));
  world.command({
    name: `add to ${items} ints`,
    lane,
    uses: [place.root],
    enqueue: (waits) =>
      clEnqueueNDRangeKernel(lane.queue, kernel, 1, first === 0 ? null : [first], [items], null, waits),
    effect: () => {
      add(place.root.shadow, place.base, first, items, value);
    },
    lost: () => {
      place.root.shadow.lose(place.base, place.size);
    },
  });
}

function launchScale(world: World, lane: Lane): void {
  const [kernel, from, to] = [kernelNamed(world, "scale"), intsOf(world), intsOf(world)];
  if (kernel === undefined || from === undefined || to === undefined || from.root === to.root) return;
  const items = itemsIn(world, from, to);
  const value = world.random.bits() | 0;
  clSetKernelArg(kernel, 0, from.buffer);
  clSetKernelArg(kernel, 1, to.buffer);
  clSetKernelArg(kernel, 2, Int32Array.of(value));
  world.command({
    name: `scale ${items} ints`,
    lane,
    uses: [from.root, to.root],
    enqueue: (waits) => clEnqueueNDRangeKernel(lane.queue, kernel, 1, null, [items], null, waits),
    effect: () => {
      scale(from.root.shadow, from.base, to.root.shadow, to.base, items, value);
    },
    lost: () => {
      to.root.shadow.lose(to.base, items * 4);
    },
  });
}

function launchSums(world: World, lane: Lane): void {
  const [kernel, from, to] = [kernelNamed(world, "sums"), intsOf(world, GROUP), intsOf(world)];
  if (kernel === undefined || from === undefined || to === undefined || from.root === to.root) return;
  const groups = world.random.between(1, Math.min(Math.floor(from.size / 4 / GROUP), Math.floor(to.size / 4)));
  clSetKernelArg(kernel, 0, from.buffer);
  clSetKernelArg(kernel, 1, to.buffer);
  clSetKernelArg(kernel, 2, { localBytes: GROUP * 4 });
  world.command({
    name: `${groups} sums`,
    lane,
    uses: [from.root, to.root],
    enqueue: (waits) => clEnqueueNDRangeKernel(lane.queue, kernel, 1, null, [groups * GROUP], [GROUP], waits),
    effect: () => {
      sums(from.root.shadow, from.base, to.root.shadow, to.base, groups * GROUP);
    },
    lost: () => {
      to.root.shadow.lose(to.base, groups * 4);
    },
  });
}

function launchTexels(world: World, lane: Lane): void {
  const [kernel, to, picture] = [kernelNamed(world, "texels"), intsOf(world), world.random.pick(world.pictures)];
  if (kernel === undefined || to === undefined || picture === undefined) return;
  const items = Math.min(picture.width, Math.floor(to.size / 4));
  const row = world.random.below(picture.height);
  clSetKernelArg(kernel, 0, picture.image);
  clSetKernelArg(kernel, 1, to.buffer);
  clSetKernelArg(kernel, 2, Int32Array.of(row));
  world.command({
    name: `read ${items} texels`,
    lane,
    uses: [picture.root, to.root],
    enqueue: (waits) => clEnqueueNDRangeKernel(lane.queue, kernel, 1, null, [items], null, waits),
    effect: () => {
      to.root.shadow.copyRows(
        picture.root.shadow,
        { start: row * picture.width * 4, pitch: 0 },
        { start: to.base, pitch: 0 },
        items * 4,
        1,
      );
    },
    lost: () => {
      to.root.shadow.lose(to.base, items * 4);
    },
  });
}

/** A kernel that traps, or never ends until its deadline. Its buffer keeps what it has, but for the second int. */
function launchFaulty(world: World, lane: Lane, name: "wild" | "endless"): void {
  const [kernel, place] = [kernelNamed(world, name), intsOf(world, 2)];
  if (kernel === undefined || place === undefined) return;
  clSetKernelArg(kernel, 0, place.buffer);
  world.command({
    name: `the kernel ${name}`,
    lane,
    uses: [place.root],
    isFaulty: true,
    effect: nothing,
    enqueue: (waits) => clEnqueueNDRangeKernel(lane.queue, kernel, 1, null, [1], null, waits),
    lost: () => {
      place.root.shadow.lose(place.base, 8);
    },
  });
}

function join(world: World, lane: Lane): void {
  const isMarker = world.random.oneIn(2);
  world.command({
    name: isMarker ? "marker" : "barrier",
    lane,
    uses: [],
    effect: nothing,
    lost: nothing,
    enqueue: (waits) =>
      isMarker ? clEnqueueMarkerWithWaitList(lane.queue, waits) : clEnqueueBarrierWithWaitList(lane.queue, waits),
  });
}

function gate(world: World): void {
  const made = world.attempt("make a user event", () => clCreateUserEvent(world.context));
  if (made !== null) world.addGate(made);
}

function flush(world: World, lane: Lane): void {
  world.note("flush");
  clFlush(lane.queue);
}

function clone(world: World): void {
  const kernel = world.random.pick(world.kernels);
  if (kernel === undefined || world.kernels.length > 24) return;
  const made = world.attempt("clone a kernel", () => clCloneKernel(kernel));
  if (made !== null) world.kernels.push(made);
}

/** See the file's head. */
export const OBJECTS: readonly Action[] = [
  { weight: 8, run: makeBuffer },
  { weight: 3, run: makePart },
  { weight: 3, run: makeImage },
  { weight: 2, run: makeLane },
  { weight: 6, run: release },
  { weight: 14, run: launchAdd },
  { weight: 10, run: launchScale },
  { weight: 8, run: launchSums },
  { weight: 4, run: launchTexels },
  {
    weight: 1,
    run: (world, lane) => {
      if (world.hasFaults) launchFaulty(world, lane, "wild");
    },
  },
  { weight: 3, run: join },
  { weight: 2, run: gate },
  { weight: 4, run: flush },
  { weight: 1, run: clone },
  {
    weight: 2,
    run: (world) => {
      world.openGates();
    },
  },
];

/** A kernel that never ends: rare, since it takes as long as its deadline. */
export function runEndless(world: World, lane: Lane): void {
  launchFaulty(world, lane, "endless");
}
