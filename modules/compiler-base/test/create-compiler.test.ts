// SPDX-License-Identifier: Apache-2.0
// The compiler that createCompiler makes of a target: layouts by device, a machine for passes, and kernels for launches
// that come again.
import { type Kernel, type LaunchFacts, type Module, buildProgram, compilerError, openclC } from "@muxkit/compiler";
import { type CompilerTarget, compilerInfo, createCompiler } from "@muxkit/compiler-base";
import { LAYOUT_32, LAYOUT_64, encodeModule } from "@muxkit/ir";
import { genericMachine } from "@muxkit/machine-target";
import {
  MuxAddressCapabilities,
  MuxAtomicCapabilities,
  type MuxDeviceInfo,
  MuxFloatingPointCapabilities,
  MuxIntegerCapabilities,
} from "@muxkit/mux";
import type { Pass } from "@muxkit/passes";
import { describe, expect, test } from "vitest";

/** A modest device with images. */
function device(addressCapabilities: number = MuxAddressCapabilities.bits32): MuxDeviceInfo {
  const facts: Partial<MuxDeviceInfo> = {
    deviceName: "test",
    addressCapabilities,
    floatCapabilities: MuxFloatingPointCapabilities.inf_nan | MuxFloatingPointCapabilities.rte,
    doubleCapabilities: 0,
    halfCapabilities: 0,
    integerCapabilities:
      MuxIntegerCapabilities.bits8 |
      MuxIntegerCapabilities.bits16 |
      MuxIntegerCapabilities.bits32 |
      MuxIntegerCapabilities.bits64,
    atomicCapabilities: MuxAtomicCapabilities.bits32,
    imageSupport: true,
    maxSubGroupCount: 0,
    subGroupSizes: [],
    codeFeatures: [],
    languageExtensions: [],
  };
  return facts as MuxDeviceInfo;
}

function target(more: Partial<CompilerTarget>): CompilerTarget {
  return { name: "test compiler", supports: () => true, build: (module) => encodeModule(module), ...more };
}

const SOURCE = `
kernel void scale(global float* p, float by) {
  p[get_global_id(0)] *= by;
}
kernel void pick(read_only image2d_t image, sampler_t sampler, global float4* out) {
  out[0] = read_imagef(image, sampler, (float2)(0.5f, 0.5f));
}`;

/** A program, to its end. */
function build(own: CompilerTarget, source: string = SOURCE, info: MuxDeviceInfo = device()): Module {
  const made = createCompiler(own).createContext().createTarget(info, null);
  if (!made.ok) throw new Error(made.error.message);
  const module = made.value.createModule();
  const built = buildProgram(module, openclC(source));
  if (!built.ok) throw new Error(`${built.error.message}\n${module.log}`);
  return module;
}

function kernelOf(module: Module, name: string): Kernel {
  const kernel = module.getKernel(name);
  if (kernel === null) throw new Error(`no kernel ${name}`);
  return kernel;
}

const LAUNCH: LaunchFacts = { localSize: [8, 1, 1], uniformGroups: true, zeroOffset: true };

describe("layouts", () => {
  const sizes = "kernel void k(global int* p) { p[0] = sizeof(size_t) + sizeof(p); }";
  const byDevice: CompilerTarget = target({
    layout: ({ addressCapabilities }) =>
      (addressCapabilities & MuxAddressCapabilities.bits64) === 0 ? LAYOUT_32 : LAYOUT_64,
  });

  test("are chosen by the device's facts", () => {
    const bits: number[] = [];
    for (const capabilities of [MuxAddressCapabilities.bits32, MuxAddressCapabilities.bits64]) {
      const own = target({
        ...byDevice,
        build: ({ layout }) => {
          bits.push(layout.sizeBits);
          return new Uint8Array(1);
        },
      });
      expect(build(own, sizes, device(capabilities)).createBinary().ok).toBe(true);
    }
    expect(bits).toEqual([32, 64]);
  });

  test("that the library is not baked for are refused before anything is compiled", () => {
    const context = createCompiler(target({ layout: { ...LAYOUT_64, littleEndian: false } })).createContext();
    expect(() => context.createTarget(device(), null)).toThrow("not baked for this data layout");
  });
});

test("shared and target-specific passes receive the target's machine", () => {
  const machine = { ...genericMachine(LAYOUT_32), name: "test machine" };
  const seen: string[] = [];
  const look = (name: string): Pass => ({
    kind: "module",
    name,
    doc: "Notes the machine.",
    run: (_module, context) => {
      seen.push(`${name}: ${context.machine.name}`);
      return false;
    },
  });
  const passes = { linked: [look("linked")], finalized: [look("finalized")], lowered: [look("lowered")] };
  expect(build(target({ machine, passes })).createBinary().ok).toBe(true);
  expect(seen).toEqual(["linked: test machine", "finalized: test machine", "lowered: test machine"]);
});

/** A target that records the builds requested of it. */
function specializing(useful?: (facts: LaunchFacts) => LaunchFacts | null): {
  readonly own: CompilerTarget;
  readonly builds: string[];
} {
  const builds: string[] = [];
  const own = target({
    specialization: {
      ...(useful === undefined ? {} : { useful: (_program, _kernel, facts) => useful(facts) }),
      build: (module, kernel, { localSize, arguments: list = [] }) => {
        builds.push(`${kernel} ${localSize.join("x")} ${list.map((fact) => fact?.kind ?? "-").join()}`);
        expect(module.kernels.map(({ name }) => name)).toContain(kernel);
        return Uint8Array.of(builds.length);
      },
    },
  });
  return { own, builds };
}

describe("specialisation", () => {
  test("without it there is only the generic code", () => {
    expect(createCompiler(target({})).supportsDeferredCompilation).toBe(false);
    expect(build(target({})).getKernel("scale")).toBeNull();
  });

  test("code is made once for launches with the same facts", () => {
    const { own, builds } = specializing();
    expect(createCompiler(own).supportsDeferredCompilation).toBe(true);
    const module = build(own);
    const kernel = kernelOf(module, "scale");
    const [first, again, other] = [LAUNCH, { ...LAUNCH }, { ...LAUNCH, localSize: [4, 2, 1] as const }].map((facts) =>
      kernel.createSpecializedKernel(facts),
    );
    expect(first?.ok && again?.ok && first.value === again.value).toBe(true);
    expect(first?.ok && first.value.key).toBe(kernel.specializationKey(LAUNCH));
    expect(other?.ok && other.value.binary).toEqual(Uint8Array.of(2));
    expect(builds).toEqual(["scale 8x1x1 ", "scale 4x2x1 "]);
    expect(module.getKernel("nothing")).toBeNull();
  });

  test("facts that the target does not use share the code, and no useful fact means none", () => {
    const samplers = specializing((facts) => ({ ...facts, localSize: [0, 0, 0] }));
    const kernel = kernelOf(build(samplers.own), "pick");
    const withSampler = (x: number, bits: number): LaunchFacts => ({
      ...LAUNCH,
      localSize: [x, 1, 1],
      arguments: [null, { kind: "sampler", bits }, null],
    });
    for (const facts of [withSampler(1, 16), withSampler(2, 16), withSampler(4, 32)])
      expect(kernel.createSpecializedKernel(facts).ok).toBe(true);
    expect(samplers.builds).toEqual(["pick 0x0x0 -,sampler,-", "pick 0x0x0 -,sampler,-"]);
    expect(kernelOf(build(specializing(() => null).own), "scale").specializationKey(LAUNCH)).toBeNull();
  });

  test("kernels of programs with variables stay together", () => {
    const source = "global int count; kernel void k(global int* p) { p[0] = count++; }";
    const { own } = specializing();
    const made = createCompiler(own).createContext().createTarget(device(), null);
    if (!made.ok) throw new Error(made.error.message);
    const module = made.value.createModule();
    const built = buildProgram(module, openclC(source), "-cl-std=CL3.0");
    expect(built.ok, module.log).toBe(true);
    expect(kernelOf(module, "k").specializationKey(LAUNCH)).toBeNull();
  });

  test("a local size that there is not, and a type that the machine has not, are errors", () => {
    const { own, builds } = specializing();
    const wrong = kernelOf(build(own), "scale").createSpecializedKernel({ ...LAUNCH, localSize: [0, 1, 1] });
    expect(wrong.ok ? "" : wrong.error.message).toContain("local size");
    const long = "kernel void k(global long* p) { p[0] *= 3; }";
    const small: CompilerTarget = { ...own, legalTypes: { half: false, double: false, long: false } };
    const illegal = kernelOf(build(small, long), "k").createSpecializedKernel(LAUNCH);
    expect(illegal.ok ? "" : illegal.error.message).toContain("long");
    expect(builds).toEqual([]);
  });
});

describe("code that a target cannot make is an error of whoever asks for it, with the target's reason", () => {
  const reason = compilerError("finalize_program_failure", "k is too large");
  const info = compilerInfo(
    {
      name: "refusing compiler",
      supports: () => true,
      deviceOptions: [],
      vectorizable: false,
      supportsDeferredCompilation: false,
    },
    () => ({
      layout: LAYOUT_32,
      build: () => reason,
      buildPortable: () => reason,
      buildKernel: (_module, name) => (name === "scale" ? reason : null),
      kernel: () => null,
    }),
  );
  test.each<readonly [string, (module: Module) => unknown]>([
    ["all kernels", (module) => module.createBinary()],
    ["one kernel", (module) => module.createKernelBinary("scale")],
    ["a binary for this device", (module) => module.createDeviceBinary?.()],
    ["a binary for all devices", (module) => module.createPortableBinary(true)],
    ["reports", (module) => module.explain()],
  ])("%s", (_what, make) => {
    const made = info.createContext().createTarget(device(), null);
    if (!made.ok) throw new Error(made.error.message);
    const module = made.value.createModule();
    expect(buildProgram(module, openclC(SOURCE)).ok).toBe(true);
    expect(make(module)).toEqual({ ok: false, error: reason });
    expect(module.createKernelBinary("pick")).toEqual({ ok: true, value: null });
  });
});
