// SPDX-License-Identifier: Apache-2.0
// Source to a loaded executable, the way a user's program goes.
import { type KernelReport, OPENCL_VERSION, languageMacros } from "@muxkit/compiler";
import { BaseModule, libraryContext } from "@muxkit/compiler-base";
import { type Specialization, buildExecutable, compilers } from "@muxkit/host-compiler";
import { hostDeviceInfo } from "@muxkit/host";
import { LAYOUT_32 } from "@muxkit/ir";
import { type LoadedExecutable, readExecutable } from "@muxkit/metadata";
import type { MuxDeviceInfo } from "@muxkit/mux";

/** The device that the suite builds for. */
export const SUITE_DEVICE: MuxDeviceInfo = hostDeviceInfo({}, 1);

/** How to build. */
export interface BuildOptions {
  /** Option string. */
  readonly options?: string;
  /** Known of launches; absent: generic. */
  readonly specialization?: Specialization;
  /** Lanes, where launches can fill them; absent: as the options say. */
  readonly width?: number;
  /** Rows of work-items that run together, where a width is given and rows can be jammed; absent: where it pays. */
  readonly rows?: number;
  /** False: passes are not verified, as in a user's build. */
  readonly verifyEach?: boolean;
  /** Hears what the vectoriser made of each kernel. */
  readonly report?: (report: KernelReport) => void;
}

/** Builds a program. Throws with the build log when it has errors. */
export function build(
  source: string,
  { options = "", specialization, width, rows, verifyEach = true, report }: BuildOptions = {},
): LoadedExecutable {
  const module = new BaseModule({
    layout: LAYOUT_32,
    ...languageMacros(SUITE_DEVICE),
    deviceVersion: OPENCL_VERSION,
    fusesMultiplyAdd: SUITE_DEVICE.codeFeatures.includes("fused-madd"),
    build: (ir) =>
      buildExecutable({
        module: ir,
        features: SUITE_DEVICE.codeFeatures,
        context: libraryContext(LAYOUT_32),
        only: null,
        specialization: specialization ?? null,
        optimize: !module.options.optDisable,
        vectorization:
          width === undefined ? module.options.vectorization : { width, ...(rows === undefined ? {} : { rows }) },
        verifyEach,
        ...(report === undefined ? {} : { report }),
      }),
    kernel: () => null,
  });
  const steps = [
    module.parseOptions(options, "build"),
    module.compileOpenCLC(source, { headers: [] }),
    module.link([]),
    module.finalize(),
  ];
  const failed = steps.find((step) => !step.ok);
  if (failed !== undefined && !failed.ok) throw new Error(`${failed.error.message}\n${module.log}`);
  const binary = module.createBinary();
  if (!binary.ok) throw new Error(binary.error.message);
  const image = readExecutable(binary.value);
  if (!image.ok) throw new Error(image.error.message);
  return image.value;
}

/** Builds a program as it is shipped: a binary for machines without a compiler. Throws with the build log when it has errors. */
export function buildBinary(source: string, options: string): Uint8Array {
  const target = compilers[0]?.createContext().createTarget(SUITE_DEVICE, null);
  if (target?.ok !== true) throw new Error("the host has no compiler");
  const module = target.value.createModule();
  for (const step of [
    () => module.parseOptions(options, "build"),
    () => module.compileOpenCLC(source, { headers: [] }),
    () => module.link([]),
    () => module.finalize(),
  ]) {
    const done = step();
    if (!done.ok) throw new Error(`${done.error.message}\n${module.log}`);
  }
  const binary = module.createPortableBinary(false);
  if (!binary.ok) throw new Error(binary.error.message);
  return binary.value;
}
