// Programs (OpenCL 3.0, 5.8): from source or binary, built for the context's devices.
import type { Result } from "@muxkit/cargo";
import { type CompilerError, type Header, type Module, type OptionMode, readIncludeFile } from "@muxkit/compiler";
import { isExecutable } from "@muxkit/metadata";

import { BuiltProgram, loadBinary } from "./built-program.ts";
import { CL_CONTEXT_COMPILER_MODE_OFFLINE_CREATE_EXE_LIBRARY_ALTERA } from "./generated/constants.ts";
import { OpenCLError, require } from "./error.ts";
import { extraOptions } from "./extra-options.ts";
import { orElse } from "./from-mux.ts";
import { addToLibrary, builtByMode } from "./mode-builds.ts";
import { ClObject, live } from "./object.ts";
import { Context, type Device } from "./platform.ts";
import { KernelVariants } from "./variants.ts";
import { callBegins, callEnds } from "./trace.ts";

/** CL_PROGRAM_BUILD_STATUS. @public */
export type BuildStatus = "CL_BUILD_NONE" | "CL_BUILD_SUCCESS" | "CL_BUILD_ERROR";

/** A program. @public */
export class Program extends ClObject {
  /** The error for a released one. */
  protected readonly invalid = "CL_INVALID_PROGRAM";
  /** Kind, for messages. */
  protected readonly kind = "program";
  /** CL_PROGRAM_CONTEXT. */
  readonly context: Context;
  /** CL_PROGRAM_DEVICES. */
  readonly devices: readonly Device[];
  /** CL_PROGRAM_SOURCE; empty for a program from binaries. */
  readonly source: string;
  /** False for a program from binaries; a source may be empty. @internal */
  readonly hasSource: boolean;
  /** CL_PROGRAM_BUILD_LOG by device. @internal */
  readonly logs: Map<Device, string> = new Map();
  /** Of the package itself. @internal */
  readonly statuses: Map<Device, BuildStatus> = new Map();
  /** Of the package itself. @internal */
  readonly built: Map<Device, BuiltProgram> = new Map();
  /** Compiled objects and libraries, which can be linked. @internal */
  readonly objects: Map<Device, Module> = new Map();
  /** CL_PROGRAM_BUILD_OPTIONS by device. @internal */
  readonly options: Map<Device, string> = new Map();
  /** Kernels that hold on to the program: no rebuild while there are any. @internal */
  attachedKernels = 0;

  /** Of the package itself. @internal */
  constructor(context: Context, source: string | null, devices: readonly Device[] = context.devices) {
    super();
    this.context = context;
    this.devices = devices;
    this.source = source ?? "";
    this.hasSource = source !== null;
    context.use();
  }

  /** The devices that there is an executable for. @internal */
  get builtDevices(): readonly Device[] {
    return this.devices.filter((device) => this.built.has(device) && this.statuses.get(device) === "CL_BUILD_SUCCESS");
  }

  /** What was built for a device, or for the first one that something was built for; CL_INVALID_PROGRAM_EXECUTABLE when nothing was. @internal */
  executable(call: string, device: Device | undefined = this.builtDevices[0]): BuiltProgram {
    const built = device === undefined || this.statuses.get(device) !== "CL_BUILD_SUCCESS" ? undefined : this.built.get(device);
    if (built !== undefined) return built;
    throw new OpenCLError("CL_INVALID_PROGRAM_EXECUTABLE", call, "the program is not built for the device; call clBuildProgram first, and see its error");
  }

  /** Gives back what it holds. */
  protected free(): void {
    // What the device was loaded with is the context's.
    for (const built of this.built.values()) if (built !== this.context.preloaded) built.free("clReleaseProgram");
    this.built.clear();
    this.objects.clear();
    this.context.unuse();
  }
}

/** Makes a program of source texts, one after the other. Errors: CL_INVALID_CONTEXT, CL_INVALID_VALUE for none. @public */
export function clCreateProgramWithSource(context: Context, sources: readonly string[]): Program {
  const call = "clCreateProgramWithSource";
  live(context, Context, "CL_INVALID_CONTEXT", call);
  require(sources.length > 0 && sources.every((text) => typeof text === "string"), "CL_INVALID_VALUE", call, "a program needs at least one text");
  return new Program(context, sources.join(""));
}

/** The compiled object or library that a binary holds; null: it is none. */
function readObject(device: Device, binary: Uint8Array): Module | null {
  // No reason to load a compiler.
  if (isExecutable(binary)) return null;
  const module = device.compiler()?.createModule();
  if (module === undefined || !module.deserialize(binary).ok) return null;
  return module.state === "compiled_object" || module.state === "library" ? module : null;
}

/** Takes a binary into a program. */
function takeBinary(call: string, program: Program, device: Device, binary: Uint8Array | undefined): void {
  require(binary instanceof Uint8Array && binary.length > 0, "CL_INVALID_VALUE", call, "a binary is empty");
  // Whatever it is, the program is the one that the device was loaded with.
  if (program.context.preloaded !== null) return;
  const object = readObject(device, binary);
  if (object !== null) {
    program.objects.set(device, object);
    return;
  }
  program.built.set(device, loadBinary(device, binary, call));
}

/**
 * Makes a program of binaries, one for each device: executables, or compiled objects and libraries to link. `statuses` gets a code for each binary, CL_SUCCESS (0) or its error, whether or not the call fails.
 * Errors: CL_INVALID_CONTEXT, CL_INVALID_DEVICE, CL_INVALID_VALUE, CL_INVALID_BINARY.
 *
 * @public
 */
export function clCreateProgramWithBinary(context: Context, devices: readonly Device[], binaries: readonly Uint8Array[], statuses: number[] | null = null): Program {
  const call = "clCreateProgramWithBinary";
  live(context, Context, "CL_INVALID_CONTEXT", call);
  require(devices.length > 0 && devices.length === binaries.length, "CL_INVALID_VALUE", call, `${binaries.length} binaries are given for ${devices.length} devices`);
  for (const device of devices) require(context.devices.includes(device), "CL_INVALID_DEVICE", call, "a device is not of this context");
  require(new Set(devices).size === devices.length, "CL_INVALID_DEVICE", call, "a device is named twice");
  const program = new Program(context, null, [...devices]);
  const failures = devices.map((device, i) => {
    try {
      takeBinary(call, program, device, binaries[i]);
      return null;
    } catch (error) {
      if (error instanceof OpenCLError) return error;
      throw error;
    }
  });
  statuses?.splice(0, Infinity, ...failures.map((failure) => failure?.code ?? 0));
  const failure = failures.find((each) => each !== null) ?? null;
  if (failure === null) return program;
  program.release(call);
  throw failure;
}

/** Code that was made of a program which has been checked: what can go wrong with it is that it is too much. */
function codeOf<T>(result: Result<T, CompilerError>, call: string): T {
  if (result.ok) return result.value;
  throw new OpenCLError("CL_OUT_OF_RESOURCES", call, result.error.message, result.error);
}

/** What a step of a build is called when it fails: its call, its error, and the error of its options. */
interface Step {
  readonly call: string;
  readonly failure: "CL_BUILD_PROGRAM_FAILURE" | "CL_COMPILE_PROGRAM_FAILURE" | "CL_LINK_PROGRAM_FAILURE";
  readonly badOptions: "CL_INVALID_BUILD_OPTIONS" | "CL_INVALID_COMPILER_OPTIONS" | "CL_INVALID_LINKER_OPTIONS";
  readonly missing: "CL_COMPILER_NOT_AVAILABLE" | "CL_LINKER_NOT_AVAILABLE";
  readonly mode: OptionMode;
}

const BUILD: Step = { call: "clBuildProgram", failure: "CL_BUILD_PROGRAM_FAILURE", badOptions: "CL_INVALID_BUILD_OPTIONS", missing: "CL_COMPILER_NOT_AVAILABLE", mode: "build" };
const COMPILE: Step = { call: "clCompileProgram", failure: "CL_COMPILE_PROGRAM_FAILURE", badOptions: "CL_INVALID_COMPILER_OPTIONS", missing: "CL_COMPILER_NOT_AVAILABLE", mode: "compile" };
const LINK: Step = { call: "clLinkProgram", failure: "CL_LINK_PROGRAM_FAILURE", badOptions: "CL_INVALID_LINKER_OPTIONS", missing: "CL_LINKER_NOT_AVAILABLE", mode: "link" };

/** One step of a build for one device. What fails is thrown with the log, which the program keeps. */
class DeviceBuild {
  readonly module: Module;
  private readonly program: Program;
  private readonly device: Device;
  private readonly step: Step;

  constructor(program: Program, device: Device, options: string, step: Step) {
    const { compilerMode, preloaded } = program.context;
    require(preloaded === null, step.missing, step.call, "programs of this context are the one that the device was loaded with: nothing is compiled or linked");
    const compiler = device.compiler();
    require(compiler !== null, step.missing, step.call, () => `${device.info.deviceName} has no compiler; make the program from a binary`);
    this.program = program;
    this.device = device;
    this.step = step;
    this.module = compiler.createModule();
    program.options.set(device, options);
    const isStub = device.isOffline || compilerMode.value === CL_CONTEXT_COMPILER_MODE_OFFLINE_CREATE_EXE_LIBRARY_ALTERA;
    for (const text of [options, extraOptions(step.mode), isStub ? "-muxkit-stub" : ""].filter((part, i) => i === 0 || part !== "")) {
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
    // What an earlier call compiled is not what the program says now.
    this.program.objects.delete(this.device);
  }

  compile(headers: readonly Header[]): void {
    this.take(this.module.compileOpenCLC(this.program.source, { headers, readFile: readIncludeFile }));
  }

  link(objects: readonly Module[]): void {
    this.take(this.module.link(objects));
  }

  /** Ends with an object or library that can be linked. */
  keepObject(): void {
    const { program, device, module } = this;
    this.dropExecutable();
    program.objects.set(device, module);
    this.succeed();
  }

  /** Ends with an executable. */
  finish(): void {
    const { program, device, module } = this;
    const { kernels } = this.take(module.finalize());
    const { device: opened } = device.open(this.step.call);
    const { call } = this.step;
    const built = new BuiltProgram(opened, kernels, new KernelVariants(module, opened), {
      all: () => codeOf(module.createBinary(), call), alone: (name) => codeOf(module.createKernelBinary(name), call), portable: () => codeOf(module.createPortableBinary(true), call),
    });
    // Of several kernels most processes launch a few. Where the log tells what became of them, and where kernels are not made one by one, all are compiled now.
    if (kernels.length < 2 || module.options.vectorizationRemarks || device.compiler()?.info.supportsDeferredCompilation !== true) {
      this.take(module.createBinary());
      orElse(() => { this.fail(); }, () => built.all(call));
    }
    this.dropExecutable();
    program.objects.delete(device);
    program.built.set(device, built);
    this.succeed();
  }

  private succeed(): void {
    this.program.logs.set(this.device, this.module.log);
    this.program.statuses.set(this.device, "CL_BUILD_SUCCESS");
  }

  private dropExecutable(): void {
    dropBuilt(this.program, this.device, this.step.call);
  }
}

/** Gives back what an earlier call built. */
function dropBuilt({ built, context }: Program, device: Device, call: string): void {
  const old = built.get(device);
  if (old !== context.preloaded) old?.free(call);
  built.delete(device);
}

/** The devices of a call: those that are given, or all that there are. */
function devicesOf(all: readonly Device[], devices: readonly Device[] | null, call: string): readonly Device[] {
  require(devices === null || devices.length > 0, "CL_INVALID_VALUE", call, "the list of devices is empty; null stands for all of the program");
  for (const device of devices ?? []) require(all.includes(device), "CL_INVALID_DEVICE", call, "a device is not of the program's context, or the program is not for it");
  return devices ?? all;
}

function requireNoKernels({ attachedKernels }: Program, call: string): void {
  require(attachedKernels === 0, "CL_INVALID_OPERATION", call, `${attachedKernels} kernels of the program exist; release them first`);
}

/**
 * Builds for the devices (null: all of the context). A failure is thrown with the build log; clGetProgramBuildInfo tells it again.
 * Errors: CL_INVALID_PROGRAM, CL_INVALID_VALUE for an empty list of devices, CL_INVALID_DEVICE, CL_INVALID_BUILD_OPTIONS, CL_INVALID_BINARY, CL_INVALID_OPERATION while kernels exist, CL_COMPILER_NOT_AVAILABLE, CL_BUILD_PROGRAM_FAILURE.
 *
 * @public
 */
export function clBuildProgram(program: Program, devices: readonly Device[] | null = null, options: string = ""): void {
  const { call } = BUILD;
  const begin = callBegins();
  live(program, Program, "CL_INVALID_PROGRAM", call);
  requireNoKernels(program, call);
  for (const device of devicesOf(program.devices, devices, call)) {
    program.options.set(device, options);
    const given = builtByMode(program, device, call);
    if (given !== null) {
      dropBuilt(program, device, call);
      program.built.set(device, given);
      program.logs.delete(device);
      program.statuses.set(device, "CL_BUILD_SUCCESS");
      continue;
    }
    // A program from a binary is built already.
    if (!program.hasSource && program.built.has(device)) {
      program.statuses.set(device, "CL_BUILD_SUCCESS");
      continue;
    }
    require(program.hasSource || !program.objects.has(device), "CL_INVALID_BINARY", call, "the binary is a compiled object or a library; clLinkProgram makes a program of it");
    const build = new DeviceBuild(program, device, options, BUILD);
    build.compile([]);
    build.link([]);
    build.finish();
    addToLibrary(program, device, call);
  }
  callEnds(call, begin);
}

/** A header for clCompileProgram: a program whose source is the header's text, and the name that `#include` finds it by. @public */
export interface IncludedProgram {
  /** Name as `#include` writes it. */
  readonly name: string;
  /** Program from source. */
  readonly program: Program;
}

/**
 * Compiles a program's source for the devices (null: all of the context) to objects that clLinkProgram takes. Headers are found by their names before the directories of `-I`.
 * Errors: CL_INVALID_PROGRAM (the program or a header), CL_INVALID_VALUE for an empty list of devices and for a header without name or source, CL_INVALID_DEVICE, CL_INVALID_COMPILER_OPTIONS,
 * CL_INVALID_OPERATION for a program without source or while kernels exist, CL_COMPILER_NOT_AVAILABLE, CL_COMPILE_PROGRAM_FAILURE.
 *
 * @public
 */
export function clCompileProgram(program: Program, devices: readonly Device[] | null = null, options: string = "", headers: readonly IncludedProgram[] = []): void {
  const { call } = COMPILE;
  live(program, Program, "CL_INVALID_PROGRAM", call);
  requireNoKernels(program, call);
  require(program.hasSource, "CL_INVALID_OPERATION", call, "the program has no source: it was made of binaries or by clLinkProgram");
  const texts = headers.map(({ name, program: header }) => {
    live(header, Program, "CL_INVALID_PROGRAM", call);
    require(name !== "" && header.hasSource, "CL_INVALID_VALUE", call, `the header "${name}" needs a name and a program from source`);
    return { name, source: header.source };
  });
  for (const device of devicesOf(program.devices, devices, call)) {
    const build = new DeviceBuild(program, device, options, COMPILE);
    build.compile(texts);
    build.keepObject();
  }
}

/**
 * Links compiled objects and libraries to a new program for the devices (null: all of the context): an executable, or with `-create-library` a library.
 * Errors: CL_INVALID_CONTEXT, CL_INVALID_VALUE for no inputs and for an empty list of devices, CL_INVALID_PROGRAM, CL_INVALID_DEVICE, CL_INVALID_LINKER_OPTIONS, CL_INVALID_OPERATION for an input without object for a device,
 * CL_LINKER_NOT_AVAILABLE, CL_LINK_PROGRAM_FAILURE.
 *
 * @public
 */
export function clLinkProgram(context: Context, devices: readonly Device[] | null, options: string, inputs: readonly Program[]): Program {
  const { call } = LINK;
  live(context, Context, "CL_INVALID_CONTEXT", call);
  require(inputs.length > 0, "CL_INVALID_VALUE", call, "there is nothing to link");
  for (const input of inputs) live(input, Program, "CL_INVALID_PROGRAM", call);
  const asked = devicesOf(context.devices, devices, call);
  // Where no input has anything for a device, and some other device has, nothing is linked for it (5.8.5).
  const linkable = asked.filter((device) => inputs.some((input) => input.objects.has(device)));
  const targets = linkable.length === 0 ? asked : linkable;
  const objects = targets.map((device) => inputs.map((input, i) => {
    const object = input.objects.get(device);
    require(object !== undefined, "CL_INVALID_OPERATION", call, `input ${i} has no compiled object or library for ${device.info.deviceName}; call clCompileProgram first`);
    return object;
  }));
  const program = new Program(context, null, [...asked]);
  const link = (): void => {
    targets.forEach((device, i) => {
      const build = new DeviceBuild(program, device, options, LINK);
      build.link(objects[i] ?? []);
      if (build.module.state === "library") build.keepObject();
      else build.finish();
    });
  };
  orElse(() => { program.release(call); }, link);
  return program;
}
