// SPDX-License-Identifier: Apache-2.0
// Changed frames against a session of the server, and the numbers that both sides have.
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { internals } from "@muxkit/icd";
import { CL_DEVICE_TYPE_ALL, clGetDeviceIDs, clGetPlatformIDs } from "muxkit/opencl";
import { expect, test } from "vitest";

import { makeShared, sendMutated } from "./mutated.ts";

const { WireReader, WireWriter, ProtocolError } = internals;

test("written values are read back: numbers, text, bytes, lists", () => {
  const body = new WireWriter()
    .u32(7)
    .u64(2 ** 40)
    .text("grün")
    .bytes(new Uint8Array([1, 2, 3]))
    .u32(2)
    .u32(5)
    .u32(6).body;
  const reader = new WireReader(body);
  expect([reader.u32(), reader.u64(), reader.text(), [...reader.bytes()], reader.list()]).toEqual([
    7,
    2 ** 40,
    "grün",
    [1, 2, 3],
    [5, 6],
  ]);
});

test("a frame that grows beyond its first bytes is whole", () => {
  const writer = new WireWriter();
  for (let i = 0; i < 5000; i++) writer.u32(i);
  const reader = new WireReader(writer.body);
  expect(Array.from({ length: 5000 }, () => reader.u32())).toEqual(Array.from({ length: 5000 }, (_, i) => i));
});

test.each([
  ["a number", (reader: internals.WireReader) => reader.u32()],
  ["bytes", (reader: internals.WireReader) => reader.bytes()],
  ["a list", (reader: internals.WireReader) => reader.list()],
])("reading %s beyond the end of a frame is a refusal", (_, read) => {
  expect(() => read(new WireReader(new Uint8Array([255, 255, 255])))).toThrow(ProtocolError);
});

test("frames without use before the next one are written with it, in order; long ones are whole", () => {
  const folder = mkdtempSync(join(tmpdir(), "frames-"));
  const file = join(folder, "socket");
  const descriptor = openSync(file, "w");
  const transport = new internals.Transport(descriptor, -1, 0, () => {
    throw new Error("the library is gone");
  });
  const sizes = [5, 64 * 1024, 3, 100_000, 0, 40_000, 40_000];
  const written: number[] = [];
  sizes.forEach((size, index) => {
    const body = new Uint8Array(size).fill(index + 1);
    if (index % 2 === 0 && index !== 4) transport.sendWithNext(4, index, 0, body);
    else transport.send(1, index, -index, body);
    written.push(readFileSync(file).length);
  });
  transport.send(1, 7, 0);
  closeSync(descriptor);
  const bytes = readFileSync(file);
  rmSync(folder, { recursive: true });
  const seen: unknown[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt32LE(at))
    seen.push([
      bytes.readUInt32LE(at) - 16,
      bytes.readUInt32LE(at + 8),
      bytes.readInt32LE(at + 12),
      new Set(bytes.subarray(at + 16, at + bytes.readUInt32LE(at))),
    ]);
  expect(seen).toEqual(
    [...sizes, 0].map((size, index) => [
      size,
      index,
      index % 2 === 1 && index < 7 ? -index : index === 4 ? -4 : 0,
      new Set(size === 0 ? [] : [index + 1]),
    ]),
  );
  expect(written[0]).toBe(0);
  expect(written[2]).toBe(written[1]);
});

// MUXKIT_FUZZ_RUNS sets a larger number: a million take twenty minutes.
const FRAMES = Number(process.env["MUXKIT_FUZZ_RUNS"] ?? 4000);

test(
  "changed frames are answered, or end their session",
  async () => {
    const [platform] = clGetPlatformIDs();
    const [device] = platform === undefined ? [] : clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL);
    if (device === undefined) throw new Error("the list of devices is empty");
    const { answered, ended } = await sendMutated(makeShared(device), FRAMES, 2026);
    expect(answered).toBeGreaterThan(FRAMES / 4);
    expect(ended).toBeGreaterThan(FRAMES / 40);
  },
  60_000 + FRAMES * 10,
);
