// SPDX-License-Identifier: Apache-2.0
// Variants that an earlier process has kept: taken by the first launch, and not where the device lacks what it
// promised.
import type { Result } from "@muxkit/cargo";
import {
  type CompilerError,
  type LaunchFacts,
  type Module,
  type SpecializedKernel,
  buildProgram,
  openclC,
} from "@muxkit/compiler";
import { HOST_COMPILER_FACTS } from "@muxkit/host-compiler/facts";
import { compilers } from "@muxkit/host-compiler/native";
import { KernelVariants, type ProgramStore, lateLibrary } from "@muxkit/loader";
import { readExecutable } from "@muxkit/metadata";
import type { MuxDeviceInfo } from "@muxkit/mux";
import { expect, test } from "vitest";

import { hostDevice, must } from "./host-device.ts";

const DEVICE = hostDevice();
const SOURCE = `kernel void shift(global int *to, local int *part) {
  int lane = get_local_id(0);
  part[lane] = (int)get_global_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  to[get_global_id(0)] = part[(lane + 1) % (int)get_local_size(0)];
}
`;
const FACTS: LaunchFacts = { localSize: [64, 1, 1], uniformGroups: true, zeroOffset: true };

function memory(): ProgramStore & { readonly kept: Map<string, Uint8Array> } {
  const kept = new Map<string, Uint8Array>();
  return { kept, read: (name) => kept.get(name) ?? null, write: (name, bytes) => void kept.set(name, bytes) };
}

const FEATURE = "x64.3";

/** The device as one that promises machine code, and lacks it or not when it comes to it. */
function promising(lacks: boolean): MuxDeviceInfo {
  const { info } = DEVICE;
  let codeFeatures = [...info.codeFeatures.filter((one) => !one.startsWith("x64.")), FEATURE];
  const device = {
    ...info,
    get codeFeatures() {
      return codeFeatures;
    },
  };
  return Object.defineProperty(device, "lacksFeature", {
    value: (one: string) => {
      if (one !== FEATURE || !lacks) return false;
      codeFeatures = codeFeatures.filter((other) => other !== FEATURE);
      return true;
    },
  });
}

/** A new process with a program that is built. */
function process(store: ProgramStore, info: MuxDeviceInfo = DEVICE.info): Module {
  const library = lateLibrary([{ ...HOST_COMPILER_FACTS, build: "one" }], () => ({ compilers }), store);
  const target = library.compilers[0]?.createContext().createTarget(info, null);
  if (target === undefined) throw new Error("no compiler");
  const module = must(target).createModule();
  must(buildProgram(module, openclC(SOURCE)));
  // What is kept is kept next to a build.
  must(module.createKernelBinary("shift"));
  return module;
}

function specialized(module: Module): Result<SpecializedKernel, CompilerError> {
  const kernel = module.getKernel("shift");
  if (kernel === null) throw new Error("no kernel");
  return kernel.createSpecializedKernel(FACTS);
}

function sections(binary: Uint8Array): readonly string[] {
  return must(readExecutable(binary)).code.map(({ name }) => name);
}

/** Names of the sections of the code that a first launch takes from the store; null: it takes none. */
function found(module: Module): readonly string[] | null {
  const taken = module.getKernel("shift")?.findSpecializedKernel?.(FACTS) ?? null;
  return taken === null ? null : sections(taken.binary);
}

test("the first launch takes a variant that an earlier process has made", () => {
  const store = memory();
  const first = process(store);
  const without = new KernelVariants(first, DEVICE);
  expect(without.find("shift", FACTS, 64, false)).toEqual({ code: null, isFinal: false });
  must(without.free());
  must(specialized(first));

  const variants = new KernelVariants(process(store), DEVICE);
  const { code, isFinal } = variants.find("shift", FACTS, 64, false);
  expect(code).not.toBeNull();
  expect(isFinal).toBe(true);
  // Launches of another kind have none.
  expect(variants.find("shift", { ...FACTS, localSize: [32, 1, 1] }, 64, false).code).toBeNull();
  must(variants.free());
});

test("code that needs what the device turns out to lack is not taken, and what is made then is not kept", () => {
  const store = memory();
  must(specialized(process(store, promising(false))));
  expect(found(process(store, promising(false)))).toEqual([".x64.3"]);
  const count = store.kept.size;

  const poor = process(store, promising(true));
  expect(found(poor)).toBeNull();
  const made = must(specialized(poor));
  expect(sections(made.binary)).toEqual([".wasm"]);
  expect(store.kept.size).toBe(count);
  expect(found(process(store, promising(false)))).toEqual([".x64.3"]);
});
