// SPDX-License-Identifier: Apache-2.0
// A slice of the inputs that `npm run fuzz -- --binaries --runs=1000000` makes.
import { binaryFailure, binaryInput, readBinaries } from "@muxkit/kernel-generator";
import { readExecutable } from "@muxkit/metadata";
import { expect, test } from "vitest";

const INPUTS = 1500;
const CORPUS = readBinaries();

test("every changed binary is refused, or its kernels can be launched", () => {
  const kinds = new Set<string>();
  const refusals = new Set<string>();
  let accepted = 0;
  for (let seed = 1; seed <= INPUTS; seed++) {
    const input = binaryInput(seed, CORPUS);
    kinds.add(input.kind);
    const read = readExecutable(input.bytes);
    if (read.ok) accepted++;
    else refusals.add(read.error.message.replaceAll(/\d+|[0-9a-f]{8,}/gu, "#"));
    expect(binaryFailure(input), `seed ${seed}: ${input.kind}`).toBeNull();
  }
  expect(kinds.size).toBe(9);
  // They reach the code after the checksum test.
  expect(refusals.size).toBeGreaterThan(40);
  expect(accepted).toBeGreaterThan(100);
});

test("intact binaries are accepted as intact, and a failure is reported", () => {
  const [bytes = new Uint8Array()] = CORPUS;
  const whole = { kind: "none", bytes, isForged: false, hasOwnCode: true, isWhole: true };
  expect(CORPUS.map((binary) => binaryFailure({ ...whole, bytes: binary }))).toEqual(CORPUS.map(() => null));
  expect(binaryFailure({ ...whole, bytes: bytes.subarray(1) })).toMatch(/^a whole binary fails: /u);
  expect(binaryFailure({ ...whole, isWhole: false })).toBe(
    "a binary that was changed by accident is taken for a whole one",
  );
});

test("a seed decides an input", () => {
  expect(binaryInput(9, CORPUS)).toEqual(binaryInput(9, CORPUS));
});
