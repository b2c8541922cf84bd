// SPDX-License-Identifier: Apache-2.0
// The offsets are an ABI: executables that were compiled earlier depend on them, so the test pins each.
import { expect, test } from "vitest";

import {
  type AbiStruct,
  ARGUMENT_KINDS,
  DISPATCH,
  DISPATCH_BYTES,
  DISPATCH_STRUCT,
  IMAGE_DESCRIPTOR,
  IMAGE_DESCRIPTOR_BYTES,
  IMAGE_DESCRIPTOR_STRUCT,
  layoutArena,
  layoutStruct,
  localArgumentSpace,
  packArgumentLayout,
  PIPE,
  PIPE_HEADER_BYTES,
  PIPE_STRUCT,
  PRINTF_AREA,
  PRINTF_AREA_HEADER_BYTES,
  PRINTF_AREA_STRUCT,
  PRINTF_HEADER_BYTES,
  PRINTF_RECORD,
  PRINTF_RECORD_STRUCT,
  typeBytes,
  WORKER,
  WORKER_BYTES,
  WORKER_STRUCT,
  writeDispatchBlock,
} from "@muxkit/kernel-abi";

const STRUCTS: readonly AbiStruct[] = [
  DISPATCH_STRUCT,
  WORKER_STRUCT,
  PRINTF_AREA_STRUCT,
  PRINTF_RECORD_STRUCT,
  IMAGE_DESCRIPTOR_STRUCT,
  PIPE_STRUCT,
];

test("offsets for addresses of 32 bits", () => {
  expect(DISPATCH).toEqual({
    size: 0,
    dimensions: 4,
    globalSize: 8,
    globalOffset: 20,
    localSize: 32,
    groupCount: 44,
    rangeStart: 56,
    rangeCount: 68,
    rangeTotal: 80,
    liveOffset: 88,
    privateOffset: 92,
    programData: 96,
    reserved0: 100,
    flags: 104,
    shadowBase: 108,
    traceBase: 112,
    printfLost: 116,
    reserved1: 120,
  });
  expect(WORKER).toEqual({
    size: 0,
    thread: 4,
    arenaBase: 8,
    arenaSize: 12,
    cancelWord: 16,
    countdown: 20,
    faultKind: 24,
    faultDetail: 28,
    faultGroup: 32,
    groupBase: 44,
    printfArea: 56,
    reserved: 60,
  });
  expect(PRINTF_AREA).toEqual({ head: 0, tail: 4, ringBytes: 8, reserved: 12 });
  expect(PRINTF_RECORD).toEqual({ size: 0, call: 4, launch: 8, item: 12, group: 16, reserved: 28 });
  expect(IMAGE_DESCRIPTOR).toEqual({
    pixels: 0,
    width: 4,
    height: 8,
    slices: 12,
    rowPitch: 16,
    slicePitch: 20,
    channelOrder: 24,
    channelType: 28,
    pixelBytes: 32,
    channels: 36,
    pixelsHigh: 40,
    view: 44,
  });
  expect(PIPE).toEqual({ packetBytes: 0, maxPackets: 4, written: 8, read: 16, reserved: 24 });
  expect([
    DISPATCH_BYTES,
    WORKER_BYTES,
    PRINTF_AREA_HEADER_BYTES,
    PRINTF_HEADER_BYTES,
    IMAGE_DESCRIPTOR_BYTES,
    PIPE_HEADER_BYTES,
  ]).toEqual([128, 128, 16, 32, 48, 64]);
});

test("names are unique and sentences are there", () => {
  for (const { fields } of STRUCTS) {
    expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length);
    for (const { text, count } of fields) {
      expect(text).not.toBe("");
      expect(count).toBeGreaterThan(0);
    }
  }
});

test.each([4, 8] as const)("fields do not overlap and are aligned with pointers of %i bytes", (pointerBytes) => {
  for (const struct of STRUCTS) {
    const { offsets, bytes } = layoutStruct(struct, pointerBytes);
    let end = 0;
    for (const { name, type, count } of struct.fields) {
      const offset = offsets[name] ?? -1;
      const size = typeBytes(type, pointerBytes);
      expect(offset).toBeGreaterThanOrEqual(end);
      expect(offset % size).toBe(0);
      end = offset + size * count;
    }
    expect(bytes).toBeGreaterThanOrEqual(end);
  }
});

test("wide pointers move what follows them", () => {
  expect(layoutStruct(IMAGE_DESCRIPTOR_STRUCT, 8).bytes).toBe(IMAGE_DESCRIPTOR_BYTES);
  expect(layoutStruct(WORKER_STRUCT, 8).offsets).toMatchObject({ arenaBase: 8, arenaSize: 16, printfArea: 64 });
});

test("arguments are packed at their alignments", () => {
  const list = [
    { kind: "value", size: 1, alignment: 1 },
    { kind: "pointer", size: 4, alignment: 4 },
    { kind: "value", size: 16, alignment: 16 },
    { kind: "image", size: 0, alignment: 0 },
    { kind: "sampler", size: 4, alignment: 4 },
    { kind: "local", size: 0, alignment: 128 },
    { kind: "value", size: 128, alignment: 4096 },
  ] as const;
  expect(packArgumentLayout(list, 4)).toEqual({
    offsets: [0, 4, 16, 32, 80, 84, 128],
    sizes: [1, 4, 16, 48, 4, 4, 128],
    bytes: 256,
  });
  expect(packArgumentLayout(list, 8)).toEqual({
    offsets: [0, 8, 16, 32, 80, 88, 128],
    sizes: [1, 8, 16, 48, 8, 8, 128],
    bytes: 256,
  });
  expect(packArgumentLayout([], 4)).toEqual({ offsets: [], sizes: [], bytes: 16 });
  expect(ARGUMENT_KINDS).toHaveLength(6);
});

test("the arena has local memory, live values and the stack", () => {
  const needs = { staticLocalBytes: 4, liveBytes: 12, privateBytes: 100 };
  expect(layoutArena(needs, localArgumentSpace(200), 17)).toEqual({
    localArguments: 128,
    live: 384,
    private: 384 + 12 * 32,
    bytes: 384 + 12 * 32 + 100,
  });
});

test("a dispatch block has its values where the offsets are", () => {
  const words = new Int32Array(64).fill(-1);
  writeDispatchBlock(words, 64, {
    dimensions: 2,
    globalSize: [2 ** 32 - 1, 3, 1],
    globalOffset: [5, 0, 0],
    localSize: [1, 1, 1],
    groupCount: [2 ** 32 - 1, 3, 1],
    rangeStart: [1, 0, 0],
    rangeCount: [2 ** 31, 3, 1],
    liveOffset: 128,
    privateOffset: 256,
    programData: 2 ** 31,
  });
  const at = (offset: number): number => (words[(64 + offset) >>> 2] ?? 0) >>> 0;
  expect([at(DISPATCH.size), at(DISPATCH.dimensions), at(DISPATCH.globalSize), at(DISPATCH.globalSize + 4)]).toEqual([
    128,
    2,
    2 ** 32 - 1,
    3,
  ]);
  expect([at(DISPATCH.rangeTotal), at(DISPATCH.rangeTotal + 4), at(DISPATCH.programData)]).toEqual([
    2 ** 31,
    1,
    2 ** 31,
  ]);
  expect([at(DISPATCH.printfLost), at(DISPATCH.reserved1 + 4), words[15], words[48]]).toEqual([0, 0, -1, -1]);
});
