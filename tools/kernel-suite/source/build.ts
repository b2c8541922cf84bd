// SPDX-License-Identifier: Apache-2.0
// Source to a loaded executable, the way a user's program goes.
import { type KernelReport, type ProgramInput, buildProgram } from "@muxkit/compiler";
import type { CpuBackend } from "@muxkit/compiler-base";
import { type Specialization, type Tier, compilers, hostModule } from "@muxkit/host-compiler";
import { NATIVE_BACKENDS } from "@muxkit/host-compiler/native";
import { type LoadedExecutable, readExecutable } from "@muxkit/metadata";

import { SUITE_DEVICE } from "./device.ts";
import { programInput } from "./program-input.ts";
import { TESTED_TIER } from "./native-tier.ts";

export { SUITE_DEVICE } from "./device.ts";

/** How to build. */
export interface BuildOptions {
  /** Option string. */
  readonly options?: string;
  /** Facts about launches; absent: generic. */
  readonly specialization?: Specialization;
  /** How much is done for the code; absent: all there is. */
  readonly tier?: Tier;
  /** Lanes, where launches can fill them; absent: by the options. */
  readonly width?: number;
  /** Vector rows that run together, where a width is set and rows can be jammed; absent: where it pays. */
  readonly rows?: number;
  /** False: passes are not verified, as in a user's build. */
  readonly verifyEach?: boolean;
  /** True: as machine code; a back end: as what it makes. */
  readonly native?: boolean | CpuBackend;
  /** Receives the vectoriser's report on each kernel. */
  readonly report?: (report: KernelReport) => void;
}

/** A module that nothing is asked of. */
function plainModule(): ReturnType<typeof hostModule> {
  return hostModule({
    device: SUITE_DEVICE,
    fusesMultiplyAdd: SUITE_DEVICE.codeFeatures.includes("fused-madd"),
    request: { features: SUITE_DEVICE.codeFeatures, optimize: false, vectorization: "never", verifyEach: false },
  });
}

function inputOf(source: string | ProgramInput, options: string): ProgramInput {
  return typeof source === "string"
    ? programInput(source, options, (direct) => !buildProgram(plainModule(), direct, options).ok)
    : source;
}

/** Builds a program: OpenCL C, or what another front end reads. Throws with the build log when it has errors. */
export function build(
  source: string | ProgramInput,
  {
    options = "",
    specialization,
    tier = "full",
    width,
    rows,
    verifyEach = true,
    native = false,
    report,
  }: BuildOptions = {},
): LoadedExecutable {
  const module = hostModule({
    device: SUITE_DEVICE,
    fusesMultiplyAdd: SUITE_DEVICE.codeFeatures.includes("fused-madd"),
    request: ({ options: { optDisable, vectorization } }) => ({
      features: SUITE_DEVICE.codeFeatures,
      native: typeof native === "boolean" ? (native ? NATIVE_BACKENDS[TESTED_TIER] : null) : native,
      specialization: specialization ?? null,
      optimize: !optDisable,
      tier,
      vectorization: width === undefined ? vectorization : { width, ...(rows === undefined ? {} : { rows }) },
      verifyEach,
      ...(report === undefined ? {} : { report }),
    }),
  });
  const built = buildProgram(module, inputOf(source, options), options);
  if (!built.ok) throw new Error(`${built.error.message}\n${module.log}`);
  const binary = module.createBinary();
  if (!binary.ok) throw new Error(binary.error.message);
  const image = readExecutable(binary.value);
  if (!image.ok) throw new Error(image.error.message);
  return image.value;
}

/**
 * Builds a program as it is shipped: a binary for machines without a compiler. Throws with the build log when it has
 * errors.
 */
export function buildBinary(source: string | ProgramInput, options: string): Uint8Array {
  const target = compilers[0]?.createContext().createTarget(SUITE_DEVICE, null);
  if (target?.ok !== true) throw new Error("the host has no compiler");
  const module = target.value.createModule();
  const built = buildProgram(module, inputOf(source, options), options);
  if (!built.ok) throw new Error(`${built.error.message}\n${module.log}`);
  const binary = module.createPortableBinary(false);
  if (!binary.ok) throw new Error(binary.error.message);
  return binary.value;
}
