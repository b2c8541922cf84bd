// SPDX-License-Identifier: Apache-2.0
// A compiler from what a target says of itself: contexts, targets and modules are the same for all.
import { type Result, err, ok } from "@muxkit/cargo";
import {
  type CompilerError,
  type CompilerFacts,
  type CompilerOptions,
  type Context,
  type Info,
  OPENCL_VERSION,
  type Target,
  compilerError,
  languageMacros,
} from "@muxkit/compiler";
import { type DataLayout, LAYOUT_32, type Module } from "@muxkit/ir";
import { type MuxDeviceInfo, MuxFloatingPointCapabilities } from "@muxkit/mux";

import { BaseModule, type TargetTraits } from "./base-module.ts";
import { type TargetLowering, lowerProgram } from "./target-lowering.ts";

/** What modules need beyond what the device's facts say. @public */
export type DeviceTraits = Omit<TargetTraits, "extensions" | "features" | "deviceVersion" | "deviceOptions">;

/** A compiler whose modules are made by `traitsOf`, for each device. Language options are what the device's facts allow. @public */
export function compilerInfo(facts: CompilerFacts, traitsOf: (device: MuxDeviceInfo) => DeviceTraits): Info {
  const info: Info = {
    ...facts,
    createContext: (): Context => ({
      info,
      createTarget: (device): Result<Target, CompilerError> => {
        if (!facts.supports(device))
          return err(compilerError("feature_unsupported", `${facts.name} makes no code for ${device.deviceName}`));
        const traits: TargetTraits = {
          ...traitsOf(device),
          ...languageMacros(device),
          deviceVersion: OPENCL_VERSION,
          deviceOptions: facts.deviceOptions,
        };
        return ok({ info, device, createModule: () => new BaseModule(traits) });
      },
    }),
  };
  return info;
}

/** What `build` is told beside the program. @public */
export interface TargetBuild {
  /** The device. */
  readonly device: MuxDeviceInfo;
  /** The options of the program. */
  readonly options: CompilerOptions;
}

/** What a target's compiler half supplies (decision 38); everything else is shared. @public */
export interface CompilerTarget extends TargetLowering {
  /** Name for people, for example `mine compiler`. */
  readonly name: string;
  /** True when it makes code for the device. */
  readonly supports: (device: MuxDeviceInfo) => boolean;
  /** Sizes of pointers and of size_t; absent: 32 bits. */
  readonly layout?: DataLayout;
  /** Options of its own, `-X name[=value]`; absent: none. */
  readonly deviceOptions?: CompilerFacts["deviceOptions"];
  /** Tells builds of the compiler apart, so that what it makes may be kept for other processes; absent: nothing is kept. */
  readonly buildId?: string;
  /** True: divisions and square roots are rounded correctly; absent: as the device's `floatCapabilities` say. */
  readonly correctlyRoundedDivideSqrt?: boolean;
  /** Makes an executable of a lowered program; the module is the target's own to change. */
  readonly build: (module: Module, build: TargetBuild) => Uint8Array;
}

/** Makes a compiler of what a target supplies: front end, linking, passes and the library are shared. Code is made for launches of any size. @public */
export function createCompiler(target: CompilerTarget): Info {
  const facts: CompilerFacts = {
    name: target.name,
    build: target.buildId ?? null,
    supports: target.supports,
    deviceOptions: target.deviceOptions ?? [],
    vectorizable: false,
    supportsDeferredCompilation: false,
  };
  return compilerInfo(facts, (device) => ({
    layout: target.layout ?? LAYOUT_32,
    lowering: target,
    correctlyRoundedDivideSqrt:
      target.correctlyRoundedDivideSqrt ?? (device.floatCapabilities & MuxFloatingPointCapabilities.full) !== 0,
    build: (program, options) => {
      const { module, problem } = lowerProgram(program, target, options);
      return problem === null
        ? target.build(module, { device, options })
        : compilerError("finalize_program_failure", problem);
    },
    kernel: () => null,
  }));
}
