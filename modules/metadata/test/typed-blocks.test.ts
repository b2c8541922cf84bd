// SPDX-License-Identifier: Apache-2.0
import { type MetadataBlock, type TypedValue, readBlocks, writeBlocks } from "@muxkit/metadata";
import * as fc from "fast-check";
import { expect, test } from "vitest";

const key = fc.oneof(
  fc.string({ maxLength: 40 }).filter((s) => s.isWellFormed()),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
);
const { value } = fc.letrec<{ value: TypedValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record({ type: fc.constant("uint" as const), value: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }) }),
    fc.record({ type: fc.constant("sint" as const), value: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }) }),
    fc.record({ type: fc.constant("real" as const), value: fc.double() }),
    fc.record({
      type: fc.constant("string" as const),
      value: fc.string({ maxLength: 40 }).filter((s) => s.isWellFormed()),
    }),
    fc.record({ type: fc.constant("bytes" as const), value: fc.uint8Array({ maxLength: 300 }) }),
    fc.record({ type: fc.constant("array" as const), value: fc.array(tie("value"), { maxLength: 20 }) }),
    fc.record({
      type: fc.constant("table" as const),
      value: fc.array(fc.tuple(key, tie("value")), { maxLength: 20 }).map((entries) => new Map(entries)),
    }),
  ),
}));

test("blocks come back as they were written", () => {
  const block: fc.Arbitrary<MetadataBlock> = fc.oneof(
    fc.record({ name: fc.uuid(), format: fc.constant("values" as const), values: fc.array(value, { maxLength: 5 }) }),
    fc.record({ name: fc.uuid(), format: fc.constant("raw" as const), bytes: fc.uint8Array() }),
  );
  fc.assert(
    fc.property(fc.uniqueArray(block, { selector: (b) => b.name, maxLength: 4 }), (blocks) => {
      expect(readBlocks(writeBlocks(blocks))).toEqual({ ok: true, value: blocks });
    }),
    { numRuns: 300 },
  );
});

/** One block `b` whose content is these bytes. */
function blockOf(...content: readonly number[]): Uint8Array {
  return Uint8Array.of(0x4d, 0x58, 0x4d, 0x42, 1, 1, 1, 0x62, 1, content.length, ...content);
}

test("the values are MessagePack", () => {
  const values: readonly TypedValue[] = [
    { type: "uint", value: 5n },
    { type: "uint", value: 256n },
    { type: "sint", value: 5n },
    { type: "sint", value: -32n },
    { type: "real", value: 1.5 },
    { type: "string", value: "hi" },
    { type: "bytes", value: Uint8Array.of(9) },
    { type: "array", value: [] },
    { type: "table", value: new Map([["k", { type: "uint", value: 1n }]]) },
  ];
  const bytes = writeBlocks([{ name: "b", format: "values", values }]);
  expect([...bytes.subarray(10)].map((byte) => byte.toString(16).padStart(2, "0")).join(" ")).toBe(
    "05 cd 01 00 d0 05 e0 cb 3f f8 00 00 00 00 00 00 a2 68 69 c4 01 09 90 81 a1 6b 01",
  );
});

test("longer encodings and binary32 of other writers are read", () => {
  expect(readBlocks(blockOf(0xcf, 0, 0, 0, 0, 0, 0, 0, 1, 0xca, 0x3f, 0xc0, 0, 0, 0xdd, 0, 0, 0, 0))).toMatchObject({
    ok: true,
    value: [
      {
        values: [
          { type: "uint", value: 1n },
          { type: "real", value: 1.5 },
          { type: "array", value: [] },
        ],
      },
    ],
  });
});

test.each<[string, Uint8Array, string, RegExp]>([
  ["other bytes", Uint8Array.of(1, 2, 3, 4, 5), "foreign", /^at byte 0: /u],
  ["nothing", new Uint8Array(0), "foreign", /no metadata blocks/u],
  ["another version", Uint8Array.of(0x4d, 0x58, 0x4d, 0x42, 9), "wrong_version", /version 9/u],
  ["nil", blockOf(0xc0), "damaged", /^at byte 11: block b: 0xc0 at 0/u],
  ["a cut integer", blockOf(0xcd, 1), "damaged", /^at byte 11: /u],
  ["an array of 2^32 - 1 values", blockOf(0xdd, 255, 255, 255, 255), "damaged", /values do not fit/u],
  ["a table of 2^32 - 1 entries", blockOf(0xdf, 255, 255, 255, 255), "damaged", /entries do not fit/u],
  ["a real as key", blockOf(0x81, 0xca, 0, 0, 0, 0, 1), "damaged", /a key of type real/u],
  ["a key twice", blockOf(0x82, 1, 1, 1, 1), "damaged", /two entries have the key 1/u],
  ["a string that is no UTF-8", blockOf(0xa1, 0xff), "damaged", /no UTF-8/u],
  ["arrays too deep", blockOf(...Array.from({ length: 100 }, () => 0x91)), "damaged", /nested 64 deep/u],
  ["bytes left over", Uint8Array.of(...blockOf(1), 0), "damaged", /left over/u],
  ["an unknown block format", Uint8Array.of(0x4d, 0x58, 0x4d, 0x42, 1, 1, 1, 0x62, 7, 0), "damaged", /unknown format/u],
  [
    "a block name twice",
    Uint8Array.of(0x4d, 0x58, 0x4d, 0x42, 1, 2, 1, 0x62, 0, 0, 1, 0x62, 0, 0),
    "damaged",
    /two blocks/u,
  ],
])("%s is an error", (_, bytes, code, message) => {
  const result = readBlocks(bytes);
  expect(result).toMatchObject({ ok: false, error: { code } });
  expect(result.ok ? "" : result.error.message).toMatch(message);
});

test("any bytes yield blocks or an error", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      const result = readBlocks(blockOf(...bytes));
      expect(result.ok || result.error.offset <= bytes.length + 10).toBe(true);
    }),
    { numRuns: 3000 },
  );
});

test("values that are too deep to be read are not written", () => {
  let deep: TypedValue = { type: "uint", value: 0n };
  for (let i = 0; i < 64; i++) deep = { type: "array", value: [deep] };
  expect(() => writeBlocks([{ name: "b", format: "values", values: [deep] }])).toThrow("nested 64 deep");
});
