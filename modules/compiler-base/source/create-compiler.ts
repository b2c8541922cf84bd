// SPDX-License-Identifier: Apache-2.0
// A compiler from what a target supplies: contexts, targets and modules are the same for all.
import { type Result, err, ok } from "@muxkit/cargo";
import {
  type CompilerError,
  type CompilerFacts,
  type CompilerOptions,
  type Context,
  type Info,
  type LaunchFacts,
  OPENCL_VERSION,
  type Target,
  compilerError,
  languageMacros,
} from "@muxkit/compiler";
import { type DataLayout, LAYOUT_32, type Module } from "@muxkit/ir";
import { type MuxDeviceInfo, MuxFloatingPointCapabilities } from "@muxkit/mux";
import type { PrintfDescription } from "@muxkit/printf";

import { BaseModule, type TargetTraits } from "./base-module.ts";
import { reflectShaders } from "./front-ends.ts";
import { type LanguageExtension, registerLanguageExtension } from "./language-extensions.ts";
import { checkLayout } from "./library-linker.ts";
import { specializableKernel } from "./specialized-kernels.ts";
import { type TargetLowering, type TargetPasses, lowerProgram } from "./target-lowering.ts";

/** The requirements of modules beyond the device's facts. @public */
export type DeviceTraits = Omit<TargetTraits, "extensions" | "features" | "deviceVersion" | "deviceOptions">;

/**
 * A compiler whose modules are made by `traitsOf`, for each device. Language options are what the device's facts allow.
 *
 * @public
 */
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
        return ok({
          info,
          device,
          createModule: () => new BaseModule(traits),
          reflectShader: (input) => reflectShaders(input, traits.layout),
        });
      },
    }),
  };
  return info;
}

/** What `build` gets in addition to the program. @public */
export interface TargetBuild {
  /** The device. */
  readonly device: MuxDeviceInfo;
  /** The options of the program. */
  readonly options: CompilerOptions;
  /** What each call of printf prints: what records of them are read by. Empty where the machine prints itself. */
  readonly printfCalls: readonly PrintfDescription[];
}

/** Compiles better code for a known launch; see {@link CompilerTarget.specialization}. @public */
export interface TargetSpecialization {
  /**
   * The facts of a launch that make a difference to a kernel of a finalized program: only those are in the key under
   * which the code is cached. A local size of [0, 0, 0] means any. Null: the generic code is as good. Absent: all
   * facts count.
   */
  readonly useful?: (program: Module, kernel: string, facts: LaunchFacts) => LaunchFacts | null;
  /**
   * The target's passes on the lowered program for launches of a kernel with these facts; absent: those of every
   * program.
   */
  readonly lowered?: (kernel: string, facts: LaunchFacts) => TargetPasses["lowered"] & {};
  /**
   * Makes an executable with one kernel, under its own name, of a lowered program, for launches with these facts. The
   * module is the target's own to change.
   */
  readonly build: (module: Module, kernel: string, facts: LaunchFacts, build: TargetBuild) => Uint8Array;
}

/** What a target's compiler half supplies (docs/decisions/038-target-hooks.md); everything else is shared. @public */
export interface CompilerTarget extends TargetLowering {
  /** Name for people, for example `mine compiler`. */
  readonly name: string;
  /** True when it makes code for the device. */
  readonly supports: (device: MuxDeviceInfo) => boolean;
  /**
   * Sizes of pointers and of size_t, of all devices or for each; absent: 32 bits. The built-in library is there for
   * little-endian layouts whose size_t is as wide as pointers to global memory, 32 or 64 bits.
   */
  readonly layout?: DataLayout | ((device: MuxDeviceInfo) => DataLayout);
  /** Options of its own, `-X name[=value]`; absent: none. */
  readonly deviceOptions?: CompilerFacts["deviceOptions"];
  /**
   * Identifies the build of the compiler, so that its output may be cached across processes; absent: no caching.
   */
  readonly buildId?: string;
  /** True: divisions and square roots are rounded correctly; absent: as in the device's `floatCapabilities`. */
  readonly correctlyRoundedDivideSqrt?: boolean;
  /** True for devices that fuse products and sums, rounding once, where FP_CONTRACT lets them; absent: none does. */
  readonly fusesMultiplyAdd?: (device: MuxDeviceInfo) => boolean;
  /**
   * Extensions of OpenCL C of its own. Programs see those that a device lists in `languageExtensions`; absent: none.
   */
  readonly extensions?: readonly LanguageExtension[];
  /** Makes an executable of a lowered program; the module is the target's own to change. */
  readonly build: (module: Module, build: TargetBuild) => Uint8Array;
  /** Makes code for launches of which more is known, when they come again; absent: there is only the generic code. */
  readonly specialization?: TargetSpecialization;
}

/**
 * Makes a compiler of what a target supplies: front end, linking, passes and the library are shared.
 *
 * @throws InternalError when a device is opened whose layout the library is not baked for, and where an extension is
 *   registered with other contents already
 * @public
 */
export function createCompiler(target: CompilerTarget): Info {
  const facts: CompilerFacts = {
    name: target.name,
    build: target.buildId ?? null,
    supports: target.supports,
    deviceOptions: target.deviceOptions ?? [],
    vectorizable: false,
    supportsDeferredCompilation: target.specialization !== undefined,
  };
  target.extensions?.forEach(registerLanguageExtension);
  return compilerInfo(facts, (device) => {
    const layout = typeof target.layout === "function" ? target.layout(device) : (target.layout ?? LAYOUT_32);
    checkLayout(layout);
    const { specialization } = target;
    return {
      layout,
      lowering: target,
      correctlyRoundedDivideSqrt:
        target.correctlyRoundedDivideSqrt ?? (device.floatCapabilities & MuxFloatingPointCapabilities.full) !== 0,
      fusesMultiplyAdd: target.fusesMultiplyAdd?.(device) === true,
      build: (program, options) => {
        const { module, problem, printfCalls } = lowerProgram(program, target, options);
        return problem === null
          ? target.build(module, { device, options, printfCalls })
          : compilerError("finalize_program_failure", problem);
      },
      kernel: (program, name, options) =>
        specialization === undefined
          ? null
          : specializableKernel(program, name, {
              useful: (launch) =>
                specialization.useful === undefined ? launch : specialization.useful(program, name, launch),
              build: (launch) => {
                const lowered = specialization.lowered?.(name, launch);
                const lowering = lowered === undefined ? target : { ...target, passes: { ...target.passes, lowered } };
                const { module, problem, printfCalls } = lowerProgram(program, lowering, options);
                const request = { device, options, printfCalls };
                return problem === null
                  ? { binary: specialization.build(module, name, launch, request), report: null }
                  : compilerError("finalize_program_failure", problem);
              },
            }),
    };
  });
}
