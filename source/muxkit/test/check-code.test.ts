// SPDX-License-Identifier: Apache-2.0
// Binaries are validated before they are written: the host's engine says what is wrong with their code.
import { hostDeviceInfo } from "@muxkit/host";
import { readExecutable, writeExecutable } from "@muxkit/metadata";
import { expect, test } from "vitest";

import { codeError } from "../source/compile/check-code.ts";
import { compileProgram } from "../source/compile/compile-program.ts";
import { deviceNamed } from "../source/compile/offline-devices.ts";

const { codeFeatures } = hostDeviceInfo({}, 1);

function binaryOf(source: string): Uint8Array {
  const { program } = compileProgram({
    program: { file: "k.cl", kind: "cl", text: source },
    words: [],
    device: deviceNamed(null),
  });
  if (program === null) throw new Error("the program has errors");
  return program.binary(false);
}

/** A binary whose code begins anew after the magic number. */
function withCode(
  binary: Uint8Array,
  change: (bytes: Uint8Array) => Uint8Array,
  features: readonly string[],
): Uint8Array {
  const image = readExecutable(binary);
  if (!image.ok) throw new Error(image.error.message);
  const code = image.value.code.map((section) => ({ ...section, features, bytes: change(section.bytes) }));
  return writeExecutable({ ...image.value, code, extraBlocks: [] });
}

const SOURCE = "kernel void k(global half *a, global float *b) { b[get_global_id(0)] = vload_half(0, a); }";

test("what the compiler makes is valid", () => {
  expect(codeError(binaryOf(SOURCE), codeFeatures)).toBeNull();
});

test("code that the engine refuses is told with the engine's reason", () => {
  const broken = withCode(binaryOf(SOURCE), (bytes) => bytes.with(bytes.length - 1, 0xff), ["simd", "threads"]);
  expect(codeError(broken, codeFeatures)).toMatch(/^the engine refuses the code in \.wasm: \S/u);
});

test("code for features that the engine lacks is not judged", () => {
  const foreign = withCode(binaryOf(SOURCE), (bytes) => bytes.with(bytes.length - 1, 0xff), ["of-tomorrow"]);
  expect(codeError(foreign, codeFeatures)).toBeNull();
});
