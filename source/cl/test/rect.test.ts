// SPDX-License-Identifier: Apache-2.0
// Boxes of bytes in buffers: where their bytes go, when two of them overlap, and what is no box.
import {
  type Buffer,
  CL_MEM_HOST_NO_ACCESS,
  CL_MEM_HOST_READ_ONLY,
  CL_MEM_HOST_WRITE_ONLY,
  CL_MEM_READ_WRITE,
  CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED,
  CL_MIGRATE_MEM_OBJECT_HOST,
  type RectPosition,
  clCreateBuffer,
  clCreateSubBuffer,
  clEnqueueCopyBufferRect,
  clEnqueueMigrateMemObjects,
  clEnqueueReadBuffer,
  clEnqueueReadBufferRect,
  clEnqueueWriteBuffer,
  clEnqueueWriteBufferRect,
  clFinish,
  clGetEventInfo,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { context, expectError, ints, newQueue, readInts } from "./rig.ts";

const queue = newQueue();

/** A buffer whose bytes are 0, 1, 2 … modulo 251. */
function bytes(size: number): { readonly buffer: Buffer; readonly content: Uint8Array<ArrayBuffer> } {
  const content = Uint8Array.from({ length: size }, (_, i) => i % 251);
  const buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, size);
  clEnqueueWriteBuffer(queue, buffer, true, 0, size, content);
  return { buffer, content };
}

function contentOf(buffer: Buffer): Uint8Array {
  const out = new Uint8Array(buffer.size);
  clEnqueueReadBuffer(queue, buffer, true, 0, buffer.size, out);
  return out;
}

/** Offsets of a box's bytes, row by row. */
function places(
  [x, y, z]: RectPosition,
  [width, height, depth]: RectPosition,
  rowPitch: number,
  slicePitch: number,
): number[] {
  const row = rowPitch === 0 ? width : rowPitch;
  const slice = slicePitch === 0 ? height * row : slicePitch;
  const list: number[] = [];
  for (let k = 0; k < depth; k++)
    for (let j = 0; j < height; j++) for (let i = 0; i < width; i++) list.push((z + k) * slice + (y + j) * row + x + i);
  return list;
}

/** Boxes that begin in the middle, have gaps, are tight, and go over the ends of rows. */
const BOXES: readonly (readonly [
  name: string,
  from: RectPosition,
  to: RectPosition,
  region: RectPosition,
  pitches: readonly [number, number, number, number],
])[] = [
  ["a row", [3, 0, 0], [0, 0, 0], [5, 1, 1], [0, 0, 0, 0]],
  ["a plane with gaps", [1, 2, 0], [2, 1, 0], [4, 3, 1], [10, 0, 7, 0]],
  ["a box with gaps on both sides", [1, 2, 1], [2, 1, 1], [4, 3, 2], [10, 60, 7, 35]],
  ["a tight box", [0, 0, 0], [0, 0, 0], [4, 3, 2], [0, 0, 0, 0]],
  ["a tight box next to its origin", [2, 1, 1], [1, 1, 0], [4, 3, 2], [0, 0, 0, 0]],
  ["rows that go over the ends of rows", [8, 4, 0], [6, 3, 1], [5, 3, 2], [10, 50, 7, 28]],
];

test.each(BOXES)(
  "clEnqueueReadBufferRect and clEnqueueWriteBufferRect: %s",
  (_name, from, to, region, [row, slice, hostRow, hostSlice]) => {
    const { buffer, content } = bytes(256);
    const inBuffer = places(from, region, row, slice);
    const inArray = places(to, region, hostRow, hostSlice);
    const array = new Uint8Array(256).fill(255);
    const wanted = array.slice();
    for (const [i, place] of inBuffer.entries()) wanted[inArray[i] as number] = content[place] as number;
    const event = clEnqueueReadBufferRect(queue, buffer, true, from, to, region, row, slice, hostRow, hostSlice, array);
    expect(clGetEventInfo(event, "CL_EVENT_COMMAND_TYPE")).toBe("CL_COMMAND_READ_BUFFER_RECT");
    expect(array).toEqual(wanted);
    const source = Uint8Array.from({ length: 256 }, (__, i) => 255 - i);
    const written = clEnqueueWriteBufferRect(
      queue,
      buffer,
      false,
      from,
      to,
      region,
      row,
      slice,
      hostRow,
      hostSlice,
      source,
    );
    expect(clGetEventInfo(written, "CL_EVENT_COMMAND_TYPE")).toBe("CL_COMMAND_WRITE_BUFFER_RECT");
    const after = content.slice();
    for (const [i, place] of inBuffer.entries()) after[place] = source[inArray[i] as number] as number;
    // A small array is the queue's own once the call returns.
    source.fill(0);
    expect(contentOf(buffer)).toEqual(after);
  },
);

test.each(BOXES)("clEnqueueCopyBufferRect: %s", (_name, from, to, region, [row, slice, targetRow, targetSlice]) => {
  const { buffer: source, content } = bytes(256);
  const { buffer: target, content: wanted } = bytes(256);
  const inTarget = places(to, region, targetRow, targetSlice);
  for (const [i, place] of places(from, region, row, slice).entries())
    wanted[inTarget[i] as number] = content[place] as number;
  const event = clEnqueueCopyBufferRect(queue, source, target, from, to, region, row, slice, targetRow, targetSlice);
  expect(clGetEventInfo(event, "CL_EVENT_COMMAND_TYPE")).toBe("CL_COMMAND_COPY_BUFFER_RECT");
  expect(contentOf(target)).toEqual(wanted);
});

test("clEnqueueReadBufferRect: parts of a buffer count from their own first byte, and wait lists order it", () => {
  const { buffer } = bytes(512);
  const part = clCreateSubBuffer(buffer, 0, { origin: 256, size: 128 });
  const out = new Uint8Array(4);
  const filled = clEnqueueWriteBufferRect(
    queue,
    part,
    false,
    [1, 1, 0],
    [0, 0, 0],
    [2, 2, 1],
    8,
    0,
    0,
    0,
    Uint8Array.of(9, 8, 7, 6),
  );
  clEnqueueReadBufferRect(newQueue(), buffer, true, [1, 33, 0], [0, 0, 0], [2, 2, 1], 8, 0, 0, 0, out, [filled]);
  expect([...out]).toEqual([9, 8, 7, 6]);
});

// All boxes of 3 × 2 × 2 bytes with gaps, against each other, by their bytes.
test("clEnqueueCopyBufferRect: CL_MEM_COPY_OVERLAP exactly when the boxes share a byte", () => {
  const { buffer } = bytes(256);
  const region: RectPosition = [3, 2, 2];
  const from: RectPosition = [2, 1, 1];
  const own = new Set(places(from, region, 8, 32));
  let refused = 0;
  for (let place = 0; place < 128; place++) {
    const to: RectPosition = [place % 8, Math.floor(place / 8) % 4, Math.floor(place / 32)];
    const inside = places(to, region, 8, 32);
    const copy = (): unknown => clEnqueueCopyBufferRect(queue, buffer, buffer, from, to, region, 8, 32, 8, 32);
    if (inside.some((byte) => own.has(byte))) {
      expectError(copy, "CL_MEM_COPY_OVERLAP", /overlap/u);
      refused++;
    } else copy();
  }
  clFinish(queue);
  expect(refused).toBeGreaterThan(20);
  expect(refused).toBeLessThan(60);
});

test("clEnqueueCopyBufferRect: CL_MEM_COPY_OVERLAP between parts of one buffer", () => {
  const { buffer } = bytes(512);
  const part = clCreateSubBuffer(buffer, 0, { origin: 128, size: 256 });
  expectError(
    () => clEnqueueCopyBufferRect(queue, buffer, part, [0, 16, 0], [2, 0, 0], [4, 4, 1], 8, 0, 8, 0),
    "CL_MEM_COPY_OVERLAP",
    /overlap/u,
  );
  clEnqueueCopyBufferRect(queue, buffer, part, [0, 16, 0], [4, 0, 0], [4, 4, 1], 8, 0, 8, 0);
  // Where pitches differ, interleaved boxes are refused.
  expectError(
    () => clEnqueueCopyBufferRect(queue, buffer, part, [0, 16, 0], [6, 0, 0], [4, 4, 1], 8, 0, 16, 0),
    "CL_MEM_COPY_OVERLAP",
    /overlap/u,
  );
  clEnqueueCopyBufferRect(queue, buffer, part, [0, 0, 0], [6, 0, 0], [4, 4, 1], 8, 0, 16, 0);
  clFinish(queue);
});

test("clEnqueueCopyBufferRect: CL_INVALID_VALUE for two pitches within one buffer", () => {
  const { buffer } = bytes(256);
  expectError(
    () => clEnqueueCopyBufferRect(queue, buffer, buffer, [0, 0, 0], [0, 8, 0], [4, 2, 1], 8, 0, 16, 0),
    "CL_INVALID_VALUE",
    /requires equal pitches, not 8 and 16 for the source and 16 and 32 for the target/u,
  );
  expectError(
    () => clEnqueueCopyBufferRect(queue, buffer, buffer, [0, 0, 0], [0, 0, 1], [4, 2, 2], 8, 16, 8, 32),
    "CL_INVALID_VALUE",
    /requires equal pitches/u,
  );
});

/** Invalid boxes: region, origin and pitches of the buffer's side. */
const WRONG: readonly (readonly [
  name: string,
  region: RectPosition,
  origin: RectPosition,
  row: number,
  slice: number,
  message: RegExp,
])[] = [
  ["an empty row", [0, 1, 1], [0, 0, 0], 0, 0, /is empty or invalid/u],
  ["no rows", [4, 0, 1], [0, 0, 0], 0, 0, /is empty or invalid/u],
  ["no slices", [4, 1, 0], [0, 0, 0], 0, 0, /is empty or invalid/u],
  ["half a byte", [1.5, 1, 1], [0, 0, 0], 0, 0, /is empty or invalid/u],
  ["a place before the first byte", [4, 1, 1], [-1, 0, 0], 0, 0, /not three non-negative integers/u],
  ["a negative pitch", [4, 1, 1], [0, 0, 0], -8, 0, /the pitches of the (buffer|source) are -8 and 0/u],
  [
    "rows wider than the row pitch",
    [9, 2, 1],
    [0, 0, 0],
    8,
    0,
    /the row pitch of the (buffer|source) is 8 bytes; a row of the region has 9/u,
  ],
  ["slices greater than the slice pitch", [4, 4, 2], [0, 0, 0], 8, 24, /the slice pitch of the (buffer|source) is 24/u],
  ["a slice pitch that is no multiple of the row pitch", [4, 4, 2], [0, 0, 0], 8, 36, /a multiple of the row pitch 8/u],
  [
    "a region past the end",
    [4, 4, 2],
    [0, 5, 0],
    8,
    32,
    /the region ends at byte \d+ of the (buffer|source), which has 64/u,
  ],
];

test.each(WRONG)("rectangles: CL_INVALID_VALUE for %s", (_name, region, origin, row, slice, message) => {
  const { buffer } = bytes(64);
  const { buffer: other } = bytes(1024);
  const array = new Uint8Array(1024);
  expectError(
    () => clEnqueueReadBufferRect(queue, buffer, true, origin, [0, 0, 0], region, row, slice, 0, 0, array),
    "CL_INVALID_VALUE",
    message,
  );
  expectError(
    () => clEnqueueWriteBufferRect(queue, buffer, true, origin, [0, 0, 0], region, row, slice, 0, 0, array),
    "CL_INVALID_VALUE",
    message,
  );
  expectError(
    () => clEnqueueCopyBufferRect(queue, buffer, other, origin, [0, 0, 0], region, row, slice, 0, 0),
    "CL_INVALID_VALUE",
    message,
  );
  expectError(
    () => clEnqueueCopyBufferRect(queue, other, buffer, [0, 0, 0], origin, region, 0, 0, row, slice),
    "CL_INVALID_VALUE",
    region.every((size) => size >= 1 && Number.isInteger(size)) ? /target/u : /is empty or invalid/u,
  );
});

test("rectangles: CL_INVALID_VALUE for pitches and ends of the caller's array", () => {
  const { buffer } = bytes(64);
  const array = new Uint8Array(20);
  expectError(
    () => clEnqueueReadBufferRect(queue, buffer, true, [0, 0, 0], [0, 0, 0], [4, 2, 1], 0, 0, 3, 0, array),
    "CL_INVALID_VALUE",
    /the row pitch of the array is 3/u,
  );
  expectError(
    () => clEnqueueReadBufferRect(queue, buffer, true, [0, 0, 0], [0, 1, 0], [4, 2, 1], 0, 0, 9, 0, array),
    "CL_INVALID_VALUE",
    /the array has 20 bytes, but 22 are requested/u,
  );
  expectError(
    () => clEnqueueWriteBufferRect(queue, buffer, true, [0, 0, 0], [0, 1, 0], [4, 2, 1], 0, 0, 9, 0, array),
    "CL_INVALID_VALUE",
    /the array has 20 bytes, but 22 are requested/u,
  );
  expectError(
    () =>
      clEnqueueReadBufferRect(
        queue,
        buffer,
        true,
        [0, 0, 0],
        [0, 0, 0],
        [4, 2, 1],
        0,
        0,
        0,
        0,
        null as unknown as Uint8Array,
      ),
    "CL_INVALID_VALUE",
    /the array is not a typed array/u,
  );
});

test("rectangles: CL_INVALID_OPERATION where the host must not read or write", () => {
  const array = new Uint8Array(64);
  const transfer = (command: typeof clEnqueueReadBufferRect, flags: number) => (): unknown =>
    command(queue, clCreateBuffer(context, flags, 64), true, [0, 0, 0], [0, 0, 0], [4, 2, 1], 0, 0, 0, 0, array);
  for (const flags of [CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY])
    expectError(transfer(clEnqueueReadBufferRect, flags), "CL_INVALID_OPERATION", /do not allow the host to read it/u);
  for (const flags of [CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY])
    expectError(
      transfer(clEnqueueWriteBufferRect, flags),
      "CL_INVALID_OPERATION",
      /do not allow the host to write it/u,
    );
});

test("clEnqueueMigrateMemObjects: objects keep their contents, and the event is one of the queue's order", () => {
  const [one, two] = [ints(1, 2), ints(3)];
  for (const flags of [
    0,
    CL_MIGRATE_MEM_OBJECT_HOST,
    CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED,
    CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED,
  ]) {
    const event = clEnqueueMigrateMemObjects(queue, [one, two], flags);
    expect(clGetEventInfo(event, "CL_EVENT_COMMAND_TYPE")).toBe("CL_COMMAND_MIGRATE_MEM_OBJECTS");
    clFinish(queue);
    expect(clGetEventInfo(event, "CL_EVENT_COMMAND_EXECUTION_STATUS")).toBe(0);
  }
  expect([...readInts(queue, one), ...readInts(queue, two)]).toEqual([1, 2, 3]);
});

test("clEnqueueMigrateMemObjects: CL_INVALID_VALUE for no objects and for flags that there are not", () => {
  expectError(() => clEnqueueMigrateMemObjects(queue, [], 0), "CL_INVALID_VALUE", /list of objects is empty/u);
  expectError(() => clEnqueueMigrateMemObjects(queue, [ints(1)], 4), "CL_INVALID_VALUE", /the flags 0x4/u);
  expectError(
    () => clEnqueueMigrateMemObjects(queue, [{} as Buffer], 0),
    "CL_INVALID_MEM_OBJECT",
    /expected an object of type MemoryObject/u,
  );
});
