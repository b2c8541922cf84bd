// SPDX-License-Identifier: Apache-2.0
import {
  type ExecutableImage,
  findCode,
  findGenericVariant,
  findKernelMetadata,
  patchedBytes,
  readExecutable,
  stripBinaryHeader,
  writeExecutable,
} from "@muxkit/metadata";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { SAMPLE, repairHash } from "./sample.ts";

const BYTES = writeExecutable(SAMPLE);

function failure(bytes: Uint8Array): { readonly code: string; readonly offset: number; readonly message: string } {
  const result = readExecutable(bytes);
  if (result.ok) throw new Error("the bytes were accepted");
  return result.error;
}

test("an executable comes back as it was written", () => {
  const result = readExecutable(BYTES);
  expect(result).toMatchObject({ ok: true, value: { ...SAMPLE, formatVersion: 3 } });
  expect(result.ok && result.value.hash).not.toBe(0n);
});

test("writing is deterministic, and reading then writing reproduces the bytes", () => {
  const result = readExecutable(BYTES);
  expect(result.ok && writeExecutable(result.value)).toEqual(BYTES);
});

test("it begins with the prefix, and the kernel header is followed by ELF data that can be read alone", () => {
  expect(new TextDecoder().decode(BYTES.subarray(0, 7))).toBe("muxkit\0");
  const elf = stripBinaryHeader(BYTES);
  expect(elf.ok && [...elf.value.subarray(0, 4)]).toEqual([0x7f, 0x45, 0x4c, 0x46]);
  expect(elf.ok && readExecutable(elf.value)).toMatchObject({ ok: true, value: SAMPLE });
  expect(elf.ok && stripBinaryHeader(elf.value)).toEqual(elf);
});

test("bytes in shared memory, at an odd offset, are read too", () => {
  const shared = new Uint8Array(new SharedArrayBuffer(BYTES.length + 3), 3);
  shared.set(BYTES);
  expect(readExecutable(shared)).toMatchObject({ ok: true, value: { kernels: SAMPLE.kernels, target: "host" } });
});

test("an empty executable is legal", () => {
  const empty: ExecutableImage = {
    target: "",
    features: [],
    code: [],
    kernels: [],
    programData: null,
    printfCalls: [],
    extraBlocks: [],
  };
  expect(readExecutable(writeExecutable(empty))).toMatchObject({ ok: true, value: empty });
});

test("kernels and sections are found by name", () => {
  expect(findCode(SAMPLE, ".wasm")?.bytes.length).toBe(9);
  expect(findCode(SAMPLE, ".text")).toBeNull();
  const kernel = findKernelMetadata(SAMPLE, "saxpy");
  expect(kernel === null ? null : findGenericVariant(kernel)?.functionName).toBe("saxpy");
  expect(findKernelMetadata(SAMPLE, "saxp")).toBeNull();
});

test("other files are reported as foreign", () => {
  expect(failure(new Uint8Array(0))).toMatchObject({ code: "foreign", offset: 0 });
  expect(failure(new TextEncoder().encode("codeplay\0 and more"))).toMatchObject({ code: "foreign", offset: 0 });
  const elf = stripBinaryHeader(BYTES);
  const other = elf.ok ? elf.value.slice() : new Uint8Array(0);
  other[18] = 62;
  expect(failure(other)).toMatchObject({ code: "foreign", offset: 18 });
});

test("another format version has its own error", () => {
  const at = noteOffset() + 20;
  const other = BYTES.slice();
  other[at] = 9;
  expect(failure(other)).toEqual({
    code: "wrong_version",
    offset: at,
    message: `at byte ${at}: the executable has format version 9, this Muxkit reads version 3; compile it again`,
  });
  expect(failure(repairHash(other)).code).toBe("wrong_version");
});

function noteOffset(): number {
  const name = new TextEncoder().encode("muxkit\0\0");
  const at = BYTES.findIndex((_, i) => i > 7 && name.every((byte, k) => BYTES[i + k] === byte));
  return at - 12;
}

test("a changed byte of code is damage, which the hash shows", () => {
  const at = BYTES.findIndex((_, i) => BYTES[i] === 97 && BYTES[i + 1] === 115 && BYTES[i + 2] === 109);
  const other = BYTES.slice();
  other[at] = 0;
  expect(failure(other)).toMatchObject({ code: "damaged", offset: noteOffset() + 24 });
  expect(failure(other).message).toMatch(/^at byte \d+: the content's hash is [0-9a-f]+, the file says [0-9a-f]+$/u);
});

test("a kernel header that contradicts the kernel metadata is damage", () => {
  const other = BYTES.slice();
  const at = BYTES.findIndex((_, i) => BYTES[i] === 0x73 && BYTES[i + 1] === 0x61 && BYTES[i + 2] === 0x78);
  other[at] = 0x53;
  expect(failure(other)).toMatchObject({ code: "damaged", offset: 11 });
});

test("every truncation yields an error, never a throw, and the offset is in the file", () => {
  for (let length = 0; length < BYTES.length; length++) {
    const { code, offset } = failure(BYTES.subarray(0, length));
    expect(["foreign", "damaged"]).toContain(code);
    expect(offset).toBeLessThanOrEqual(length);
  }
});

test("changed, shifted and spliced bytes never throw; with a repaired hash they reach the records' own checks", () => {
  const messages = new Set<string>();
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(BYTES.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
      fc.nat(2),
      fc.boolean(),
      (edits, shift, repaired) => {
        const base =
          shift === 0
            ? BYTES
            : Uint8Array.from([...BYTES.subarray(0, edits[0]?.[0]), ...BYTES.subarray((edits[0]?.[0] ?? 0) + shift)]);
        const changed = base.slice();
        for (const [at, value] of edits) changed[at % changed.length] = value;
        const result = readExecutable(repaired ? repairHash(changed) : changed);
        if (!result.ok) messages.add(result.error.message.replaceAll(/\d+|0x[0-9a-f]+/gu, "#").slice(0, 40));
        expect(result.ok || (result.error.offset >= 0 && result.error.offset <= changed.length)).toBe(true);
      },
    ),
    { numRuns: 4000, seed: 7 },
  );
  expect(messages.size).toBeGreaterThan(20);
});

test("counts are checked before anything is made", () => {
  // The record of kernels claims 2^32 - 1 kernels: refused at once.
  const elf = stripBinaryHeader(
    writeExecutable({ ...SAMPLE, kernels: [], printfCalls: [], extraBlocks: [], programData: null }),
  );
  if (!elf.ok) throw new Error(elf.error.message);
  const huge = repairHash(growKernels(elf.value));
  const started = performance.now();
  expect(failure(huge).code).toBe("damaged");
  expect(performance.now() - started).toBeLessThan(2000);
});

/** Points the section of kernels at five bytes ff ff ff ff 0f, appended to the file. */
function growKernels(elf: Uint8Array): Uint8Array {
  const grown = Uint8Array.from([...elf, 255, 255, 255, 255, 15]);
  const view = new DataView(grown.buffer);
  const table = Number(view.getBigUint64(40, true));
  const header = table + 5 * 64;
  view.setBigUint64(header + 24, BigInt(elf.length), true);
  view.setBigUint64(header + 32, 5n, true);
  return grown;
}

test("a wrong image is our own bug: InternalError", () => {
  const [first] = SAMPLE.kernels;
  if (first === undefined) throw new Error("no sample");
  expect(() => writeExecutable({ ...SAMPLE, kernels: [first, first] })).toThrow("two kernels have the name saxpy");
  expect(() => writeExecutable({ ...SAMPLE, code: [] })).toThrow("there is no code section .wasm");
  expect(() => writeExecutable({ ...SAMPLE, extraBlocks: [{ name: ".wasm", bytes: new Uint8Array(0) }] })).toThrow(
    "two sections have the name .wasm",
  );
  expect(() => writeExecutable({ ...SAMPLE, kernels: [{ ...first, packedSize: 15 }] })).toThrow(
    "argument a is outside of the packed arguments",
  );
});

test("a patch sets its byte to one of its values, and what a section's bytes contradict is damage", () => {
  const [code] = SAMPLE.code;
  if (code === undefined) throw new Error("the sample has code");
  expect(patchedBytes(code, "shared-memory", 1)?.[8]).toBe(1);
  expect(patchedBytes(code, "shared-memory", 2)).toBeNull();
  expect(patchedBytes(code, "page-size", 2)).toEqual(code.bytes);
  const damaged = (patches: typeof code.patches): string =>
    failure(writeExecutable({ ...SAMPLE, code: [{ ...code, patches }, ...SAMPLE.code.slice(1)] })).message;
  const [patch] = code.patches;
  if (patch === undefined) throw new Error("the sample has a patch");
  expect(damaged([{ ...patch, offset: 1 }])).toMatch(/byte 1 is 97, where the patch "shared-memory" has one of 1, 3$/u);
  expect(damaged([{ ...patch, offset: 99 }])).toMatch(/byte 99 is missing, where/u);
  expect(damaged([patch, patch])).toMatch(/the patch "shared-memory" is listed twice$/u);
});
