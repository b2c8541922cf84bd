// SPDX-License-Identifier: Apache-2.0
// One step of building a program for one device: compiling, linking, the executable.
//
// The step works on one compiler module and, at its end, replaces what the program holds for the device. Phases:
// 1. The constructor checks that there is a compiler, makes a module and parses the options: the call's, those of the
//    environment, and -muxkit-stub for offline devices.
// 2. `compile` or `link`, which may follow each other. A failure stores the log, sets CL_BUILD_ERROR and drops the
//    object of an earlier compilation, which does not match the source any more.
// 3. `keepObject` stores the module as an object or library; `finish` finalizes it and stores an executable. Both
//    release the executable of an earlier build.
//
// Code is made late, that of each kernel at its first launch (docs/decisions/062-late-code.md), where all programs that
// can be finalized have code, and no log has to report what became of the kernels. Otherwise `finish` makes all of it,
// so that its errors are those of the build.
import type { Result } from "@muxkit/cargo";
import {
  type CompilerError,
  type Header,
  type Module,
  type OptionMode,
  readIncludeFile,
  type ProgramInput,
  openclC,
} from "@muxkit/compiler";

import { BuiltProgram, lateBytes } from "./built-program.ts";
import { CL_CONTEXT_COMPILER_MODE_OFFLINE_CREATE_EXE_LIBRARY_ALTERA } from "./generated/constants.ts";
import { OpenCLError, ensure } from "./error.ts";
import { extraOptions } from "./extra-options.ts";
import { orElse } from "./from-mux.ts";
import type { Device } from "./platform.ts";
import type { Program } from "./program.ts";

/** What a step of a build is called when it fails: its call, its error, and the error of its options. */
export interface Step {
  readonly call: string;
  readonly failure: "CL_BUILD_PROGRAM_FAILURE" | "CL_COMPILE_PROGRAM_FAILURE" | "CL_LINK_PROGRAM_FAILURE";
  readonly badOptions: "CL_INVALID_BUILD_OPTIONS" | "CL_INVALID_COMPILER_OPTIONS" | "CL_INVALID_LINKER_OPTIONS";
  readonly missing: "CL_COMPILER_NOT_AVAILABLE" | "CL_LINKER_NOT_AVAILABLE";
  readonly mode: OptionMode;
}

/** clBuildProgram. */
export const BUILD: Step = {
  call: "clBuildProgram",
  failure: "CL_BUILD_PROGRAM_FAILURE",
  badOptions: "CL_INVALID_BUILD_OPTIONS",
  missing: "CL_COMPILER_NOT_AVAILABLE",
  mode: "build",
};
/** clCompileProgram. */
export const COMPILE: Step = {
  call: "clCompileProgram",
  failure: "CL_COMPILE_PROGRAM_FAILURE",
  badOptions: "CL_INVALID_COMPILER_OPTIONS",
  missing: "CL_COMPILER_NOT_AVAILABLE",
  mode: "compile",
};
/** clLinkProgram. */
export const LINK: Step = {
  call: "clLinkProgram",
  failure: "CL_LINK_PROGRAM_FAILURE",
  badOptions: "CL_INVALID_LINKER_OPTIONS",
  missing: "CL_LINKER_NOT_AVAILABLE",
  mode: "link",
};

/** One step of a build for one device. What fails is thrown with the log, which the program keeps. */
export class DeviceBuild {
  readonly module: Module;
  private readonly program: Program;
  private readonly device: Device;
  private readonly step: Step;

  constructor(program: Program, device: Device, options: string, step: Step) {
    const { compilerMode, preloaded } = program.context;
    ensure(
      preloaded === null,
      step.missing,
      step.call,
      "this device runs only the program that it was loaded with: nothing can be compiled or linked",
    );
    const compiler = device.compiler();
    ensure(
      compiler !== null,
      step.missing,
      step.call,
      () => `${device.info.deviceName} has no compiler; create the program from a binary`,
    );
    this.program = program;
    this.device = device;
    this.step = step;
    this.module = compiler.createModule();
    program.options.set(device, options);
    const isStub =
      device.isOffline || compilerMode.value === CL_CONTEXT_COMPILER_MODE_OFFLINE_CREATE_EXE_LIBRARY_ALTERA;
    for (const text of [options, extraOptions(step.mode), isStub ? "-muxkit-stub" : ""].filter(
      (part, i) => i === 0 || part !== "",
    )) {
      const parsed = this.module.parseOptions(text, step.mode);
      if (!parsed.ok) throw new OpenCLError(step.badOptions, step.call, parsed.error.message, parsed.error);
    }
  }

  private take<T>(result: Result<T, CompilerError>): T {
    if (result.ok) return result.value;
    const { program, device, module, step } = this;
    const { message } = result.error;
    program.logs.set(device, module.log === "" ? `${message}\n` : module.log);
    this.fail();
    throw new OpenCLError(step.failure, step.call, `${message}\n${module.log}`);
  }

  private fail(): void {
    this.program.statuses.set(this.device, "CL_BUILD_ERROR");
    // The result of an earlier compilation does not match the program's present source.
    this.program.objects.delete(this.device);
  }

  compile(headers: readonly Header[]): void {
    const { il, source, specialization } = this.program;
    const spir = this.program.bitcodeOf(this.device);
    let input: ProgramInput = openclC(source, { headers, readFile: readIncludeFile });
    if (spir !== null) input = { kind: "spir", source: spir };
    else if (il !== null) input = { kind: "spirv", source: il, specialization: new Map(specialization) };
    this.take(this.module.compile(input));
  }

  link(objects: readonly Module[]): void {
    this.take(this.module.link(objects));
  }

  /** Ends with an object or library that can be linked. */
  keepObject(): void {
    const { program, device, module } = this;
    program.dropBuilt(device, this.step.call);
    program.objects.set(device, module);
    this.succeed();
  }

  /** Ends with an executable. */
  finish(): void {
    const { program, device, module } = this;
    const { kernels } = this.take(module.finalize());
    const { device: opened } = device.open(this.step.call);
    const { call } = this.step;
    const built = new BuiltProgram(
      opened,
      kernels,
      lateBytes(module, (result, asked, what) => this.codeOf(result, asked, what)),
    );
    // Of several kernels most processes launch a few. Where the log reports what became of them, and where making code
    // can fail, all are compiled now.
    if (module.options.vectorizationRemarks || device.compiler()?.info.makesKernelsLate !== true) {
      this.take(module.createBinary());
      orElse(
        () => {
          this.fail();
        },
        () => built.all(call),
      );
    }
    program.dropBuilt(device, call);
    program.objects.delete(device);
    program.built.set(device, built);
    this.succeed();
  }

  /** Code that was made late, of a program which has been checked: what can go wrong is that it is too much. */
  private codeOf<T>(result: Result<T, CompilerError>, call: string, what: string): T {
    if (result.ok) return result.value;
    const { program, device, module } = this;
    const message = `the code of ${what} could not be made: ${result.error.message}`;
    program.logs.set(device, `${module.log}${message}\n`);
    throw new OpenCLError("CL_OUT_OF_RESOURCES", call, `${message}\n${module.log}`.trimEnd(), result.error);
  }

  private succeed(): void {
    this.program.logs.set(this.device, this.module.log);
    this.program.statuses.set(this.device, "CL_BUILD_SUCCESS");
  }
}
