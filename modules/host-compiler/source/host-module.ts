// SPDX-License-Identifier: Apache-2.0
// A program for the host's code generator outside of any device's compiler: what tools and tests compile with that look
// at the IR, or that choose how code is made.
import { OPENCL_VERSION, languageMacros } from "@muxkit/compiler";
import { BaseModule, type TargetTraits, libraryContext } from "@muxkit/compiler-base";
import { LAYOUT_32 } from "@muxkit/ir";
import type { MuxDeviceInfo } from "@muxkit/mux";

import { type BuildRequest, buildExecutable } from "./pipeline.ts";

/**
 * How {@link hostModule} makes a program. What is absent is as it is for kernels of any launch on a machine without
 * anything special.
 *
 * @public
 */
export interface HostModuleOptions extends Partial<
  Pick<TargetTraits, "extensions" | "features" | "fusesMultiplyAdd" | "build">
> {
  /** Device whose extensions and features the program has; absent: `extensions` and `features`, or none. */
  readonly device?: MuxDeviceInfo;
  /** How an executable is made; a function is called for each build. */
  readonly request?: Partial<BuildRequest> | ((module: BaseModule) => Partial<BuildRequest>);
}

/** An empty program that is compiled for the host; `request` decides how its executables are made. @public */
export function hostModule({ device, request = {}, ...traits }: HostModuleOptions = {}): BaseModule {
  const module: BaseModule = new BaseModule({
    layout: LAYOUT_32,
    deviceVersion: OPENCL_VERSION,
    kernel: () => null,
    build: (ir) =>
      buildExecutable({
        module: ir,
        features: [],
        context: libraryContext(LAYOUT_32),
        only: null,
        specialization: null,
        optimize: true,
        vectorization: "auto",
        verifyEach: false,
        ...(typeof request === "function" ? request(module) : request),
      }),
    extensions: [],
    ...(device === undefined ? {} : languageMacros(device)),
    ...traits,
  });
  return module;
}
