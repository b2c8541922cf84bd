// SPDX-License-Identifier: Apache-2.0
// Which code is made for devices that run machine code, and what is in its section. That it computes what it should is
// the kernel suite's to show.
import { InternalError } from "@muxkit/cargo";
import { type LaunchFacts, type Module, argumentFacts, launchKey, openclC, remarksOf } from "@muxkit/compiler";
import { hostDeviceInfo } from "@muxkit/host";
import { compilers } from "@muxkit/host-compiler";
import { NATIVE_BACKENDS, compilers as nativeCompilers } from "@muxkit/host-compiler/native";
import { type CodeSection, type LoadedExecutable, isVerifiedCode, readExecutable } from "@muxkit/metadata";
import { readCodeObject, writeCodeObject } from "@muxkit/x64-assembler";
import { expect, test } from "vitest";

import { hostCompiler } from "../source/host-compiler.ts";

const SOURCE = `
float twice(float x) { return x + x; }
kernel void scale(global float *x, float a) { x[get_global_id(0)] = twice(x[get_global_id(0)]) * a; }
kernel void turn(global float *x, local float *t) {
  t[get_local_id(0)] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  x[get_global_id(0)] = t[get_local_size(0) - 1 - get_local_id(0)];
}
`;

const ANY_LAUNCH: LaunchFacts = { localSize: [0, 0, 0], uniformGroups: false, zeroOffset: false };
const LAUNCH: LaunchFacts = { localSize: [64, 1, 1], uniformGroups: true, zeroOffset: true };

function finalized(features: readonly string[], [compiler] = nativeCompilers, options = "", source = SOURCE): Module {
  const device = hostDeviceInfo({}, 1);
  const codeFeatures = [...device.codeFeatures.filter((feature) => !feature.startsWith("x64")), ...features];
  const target = compiler?.createContext().createTarget({ ...device, codeFeatures }, null);
  if (target?.ok !== true) throw new Error("no target");
  const module = target.value.createModule();
  expect(module.parseOptions(options, "compile").ok).toBe(true);
  expect(module.compile(openclC(source)).ok).toBe(true);
  expect(module.link([]).ok).toBe(true);
  expect(module.finalize().ok).toBe(true);
  return module;
}

function read(bytes: Uint8Array | null | undefined): LoadedExecutable {
  const image = readExecutable(bytes ?? new Uint8Array());
  if (!image.ok) throw new Error(image.error.message);
  return image.value;
}

function names(bytes: Uint8Array | null | undefined): readonly string[] {
  return read(bytes).code.map(({ name }) => name);
}

/** The sections of code that are made for a kernel, by way. */
function sections(module: Module): Readonly<Record<string, readonly string[]>> {
  const built = module.createBinary();
  const alone = module.createKernelBinary("scale");
  const portable = module.createPortableBinary(false);
  const hot = module.getKernel("turn")?.createSpecializedKernel(LAUNCH);
  if (!built.ok || !alone.ok || hot?.ok !== true || !portable.ok) throw new Error("not made");
  return {
    program: names(built.value),
    kernel: names(alone.value),
    portable: names(portable.value),
    hot: names(hot.value.binary),
    quick: names(module.getKernel("turn")?.createQuickKernel?.(ANY_LAUNCH, 64, 0)?.binary),
  };
}

const WASM = [".wasm"];
const NATIVE = [".x64.3"];

test.each([
  ["a device without native code", [], { program: WASM, kernel: WASM, portable: WASM, hot: WASM, quick: WASM }],
  [
    "one that runs it: what is made again for launches",
    ["x64.3"],
    { program: WASM, kernel: WASM, portable: WASM, hot: NATIVE, quick: WASM },
  ],
  [
    "one that wants nothing else: all but what runs elsewhere, which has both",
    ["x64.3", "x64.3-always"],
    { program: [...WASM, ...NATIVE], kernel: NATIVE, portable: WASM, hot: NATIVE, quick: NATIVE },
  ],
  [
    "one that runs two tiers: the higher one",
    ["x64.3", "x64.4", "x64.3-always"],
    { program: [...WASM, ".x64.4"], kernel: [".x64.4"], portable: WASM, hot: [".x64.4"], quick: [".x64.4"] },
  ],
])("%s", (_, features, expected) => {
  expect(sections(finalized(features))).toEqual(expected);
});

test("a compiler without a generator of machine code makes WebAssembly for any device", () => {
  expect(sections(finalized(["x64.3", "x64.3-always"], compilers))).toEqual({
    program: WASM,
    kernel: WASM,
    portable: WASM,
    hot: WASM,
    quick: WASM,
  });
});

test("a section is a code object: kernels are its entries, and it says what a device must have", () => {
  const built = finalized(["x64.3", "x64.3-always"]).createBinary();
  const image = read(built.ok ? built.value : null);
  expect(image.kernels.map(({ variants }) => variants.map(({ section }) => section))).toEqual([
    [".wasm", ".x64.3"],
    [".wasm", ".x64.3"],
  ]);
  expect(image.kernels.map(({ variants }) => variants.at(-1)?.engineFeatures)).toEqual([["x64.3"], ["x64.3"]]);
  const object = readCodeObject(image.code.at(-1)?.bytes ?? new Uint8Array());
  expect(object.ok && [...object.value.entries.keys()]).toEqual(["scale", "turn"]);
});

const IMAGES = `
kernel void shrink(read_only image2d_t from, write_only image2d_t to, sampler_t s) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(to, p, read_imagef(from, s, 2 * p) * 0.5f);
}
`;

test("a launch with images waits for WebAssembly, and later ones run machine code", () => {
  const RGBA_BYTES = { kind: "image", order: 0x10b5, channelType: 0x10d2 } as const;
  const known = { ...ANY_LAUNCH, arguments: [RGBA_BYTES, RGBA_BYTES, { kind: "sampler", bits: 0 } as const] };
  const kernel = finalized(["x64.3"], undefined, "", IMAGES).getKernel("shrink");
  const first = kernel?.createQuickKernel?.(known, 64, 1e9);
  const hot = kernel?.createSpecializedKernel(known);
  expect([names(first?.binary), names(hot?.ok === true ? hot.value.binary : null)]).toEqual([WASM, NATIVE]);
  expect(first?.paysAfter).toBeGreaterThan(1e5);
  // Of launches of which nothing is known the generic code is made, and there is one way to make it.
  expect(kernel?.createQuickKernel?.(ANY_LAUNCH, 64, 1e9)).toBeNull();
  expect(finalized([], undefined, "", IMAGES).getKernel("shrink")?.createQuickKernel?.(known, 64, 1e9)).toBeNull();
});

function key(features: readonly string[], options = ""): string | null | undefined {
  return finalized(features, undefined, options).getKernel("scale")?.specializationKey(LAUNCH);
}

test("kernels that gain nothing by facts are made again where that makes them native", () => {
  expect(key([])).toBeNull();
  // What is known of arguments alone: kept builds need no compiler to tell.
  expect(key(["x64.3"])).toBe(launchKey(argumentFacts(LAUNCH)));
  expect(key(["x64.3", "x64.3-always"])).toBeNull();
  expect(key(["x64.3"], "-cl-opt-disable")).toBeNull();
});

test("machine code is verified where it is made, and marked so", () => {
  const always = finalized(["x64.3", "x64.3-always"]);
  const hot = finalized(["x64.3"]).getKernel("turn")?.createSpecializedKernel(LAUNCH);
  const made = [always.createBinary(), always.createKernelBinary("scale")].map((one) => (one.ok ? one.value : null));
  const quick = always.getKernel("turn")?.createQuickKernel?.(ANY_LAUNCH, 64, 0)?.binary;
  for (const bytes of [...made, quick, hot?.ok === true ? hot.value.binary : null]) {
    expect(isVerifiedCode(bytes ?? new Uint8Array())).toBe(true);
    expect(isVerifiedCode(new Uint8Array(bytes ?? []))).toBe(false);
  }
  const wasm = finalized(["x64.3"]).createBinary();
  expect(wasm.ok && isVerifiedCode(wasm.value)).toBe(false);
});

const CODE_OF_THE_SYSTEM = Uint8Array.of(0x0f, 0x05, 0xc3);

test.each([
  [
    "x64 cannot compute this",
    () => {
      throw new InternalError("x64 cannot compute this");
    },
  ],
  [
    "the code of .x64.3 is refused: ",
    (_: unknown, kernels: readonly string[]): CodeSection => {
      const functions = [{ name: kernels[0] ?? "", offset: 0 }];
      const entries = new Map(kernels.slice(0, 1).map((name) => [name, 0]));
      const bytes = writeCodeObject({ bytes: CODE_OF_THE_SYSTEM, codeBytes: 3, entries, functions });
      return { name: ".x64.3", bytes, features: ["x64.3"], patches: [] };
    },
  ],
])("what the generator or the verifier refuses is WebAssembly, and the report says so: %s", (reason, generate) => {
  const refusing = hostCompiler((tier) => ({ ...NATIVE_BACKENDS[tier], generate }));
  const module = finalized(["x64.3", "x64.3-always"], [refusing], "-cl-wfv=auto");
  expect(sections(module)).toEqual({ program: WASM, kernel: WASM, portable: WASM, hot: WASM, quick: WASM });
  const explained = module.explain();
  const remarks = explained.ok ? explained.value.flatMap(remarksOf).map(({ text }) => text) : [];
  const refusals = ["scale", "turn"].map(
    (kernel) => `kernel ${kernel}: runs as WebAssembly, since there is no machine code for it: ${reason}`,
  );
  const found = remarks.filter((text) => text.includes("machine code"));
  expect(found.map((text, n) => text.slice(0, refusals[n]?.length))).toEqual(refusals);
  expect(remarks.length).toBeGreaterThan(2);
  for (const refusal of refusals) expect(module.log).toContain(refusal);
});

test("a program without kernels has no machine code", () => {
  const built = finalized(["x64.3", "x64.3-always"], undefined, "", "constant int seven = 7;").createBinary();
  expect(names(built.ok ? built.value : null)).toEqual(WASM);
});
