// SPDX-License-Identifier: Apache-2.0
// Shared objects: the fields that a dynamic linker reads. That one loads them, the tests of `@muxkit/x64-runtime` show.
import { InternalError } from "@muxkit/cargo";
import { expect, test } from "vitest";

import { PAGE_BYTES, writeSharedObject } from "@muxkit/x64-assembler";

const image = new Uint8Array(PAGE_BYTES + 24).fill(0xcc);
const object = {
  image,
  codeSize: PAGE_BYTES,
  exports: [{ name: "answer", offset: 16 }],
  imports: [{ name: "question", offset: PAGE_BYTES + 8 }],
  isPinned: false,
};

test("code and data are behind the headers, each from a page on", () => {
  const file = writeSharedObject(object);
  const view = new DataView(file.buffer);
  expect([...file.subarray(0, 4)]).toEqual([0x7f, 0x45, 0x4c, 0x46]);
  expect([view.getUint16(16, true), view.getUint16(18, true), view.getUint16(56, true)]).toEqual([3, 62, 5]);
  expect([...file.subarray(PAGE_BYTES, PAGE_BYTES + image.length)]).toEqual([...image]);
  const rights = [0, 1, 2].map((n) => view.getUint32(64 + 56 * n + 4, true));
  // Read; read and execute; read and write: none may be written and executed.
  expect(rights).toEqual([4, 5, 6]);
});

test("the same object gives the same bytes", () => {
  expect(Buffer.compare(writeSharedObject(object), writeSharedObject(object))).toBe(0);
});

test("code that is no whole page is a defect of the caller", () => {
  expect(() => writeSharedObject({ ...object, codeSize: 100 })).toThrow(InternalError);
});
