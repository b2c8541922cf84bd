// Programs (OpenCL 3.0, 5.8): from source or binary, built for the context's devices.
import type { KernelInfo, Module } from "@muxkit/compiler";
import { readExecutable } from "@muxkit/metadata";
import { DEFAULT_ALLOCATOR, type MuxExecutable, muxCreateExecutable, muxDestroyExecutable } from "@muxkit/mux";

import { OpenCLError, require } from "./error.ts";
import { fromMux } from "./from-mux.ts";
import { ClObject, live } from "./object.ts";
import { Context, type Device } from "./platform.ts";

/** What a build made for one device. @internal */
export interface BuiltProgram {
  /** Loaded code. */
  readonly executable: MuxExecutable;
  /** The bytes of it. */
  readonly binary: Uint8Array;
  /** Its kernels. */
  readonly kernels: readonly KernelInfo[];
  /** The compiler's form; null for a binary. */
  readonly module: Module | null;
}

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
  /** CL_PROGRAM_SOURCE; empty for a program from binaries. */
  readonly source: string;
  /** CL_PROGRAM_BUILD_LOG by device. @internal */
  readonly logs: Map<Device, string> = new Map();
  /** Of the package itself. @internal */
  readonly statuses: Map<Device, BuildStatus> = new Map();
  /** Of the package itself. @internal */
  readonly built: Map<Device, BuiltProgram> = new Map();
  /** Of the package itself. @internal */
  options = "";
  /** Kernels that hold on to the program: no rebuild while there are any. @internal */
  attachedKernels = 0;

  /** Of the package itself. @internal */
  constructor(context: Context, source: string) {
    super();
    this.context = context;
    this.source = source;
    context.use();
  }

  /** What was built for the context's device; CL_INVALID_PROGRAM_EXECUTABLE when nothing was. @internal */
  executable(call: string): BuiltProgram {
    const { device } = this.context;
    const built = this.built.get(device);
    if (built !== undefined && this.statuses.get(device) === "CL_BUILD_SUCCESS") return built;
    throw new OpenCLError("CL_INVALID_PROGRAM_EXECUTABLE", call, "the program is not built for the device; call clBuildProgram first, and see its error");
  }

  /** Gives back what it holds. */
  protected free(): void {
    for (const { executable } of this.built.values()) fromMux("clReleaseProgram", muxDestroyExecutable(executable.device, executable, DEFAULT_ALLOCATOR));
    this.built.clear();
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

/** Kernels as an executable describes them. */
function kernelsOf(binary: Uint8Array, call: string): readonly KernelInfo[] {
  const image = readExecutable(binary);
  if (!image.ok) throw new OpenCLError("CL_INVALID_BINARY", call, image.error.message, image.error);
  return image.value.kernels.map((kernel) => ({ ...kernel, localMemorySize: kernel.variants[0]?.staticLocalBytes ?? 0 }));
}

/** Makes a program of executables, one for each device. Errors: CL_INVALID_CONTEXT, CL_INVALID_DEVICE, CL_INVALID_VALUE, CL_INVALID_BINARY. @public */
export function clCreateProgramWithBinary(context: Context, devices: readonly Device[], binaries: readonly Uint8Array[]): Program {
  const call = "clCreateProgramWithBinary";
  live(context, Context, "CL_INVALID_CONTEXT", call);
  require(devices.length > 0 && devices.length === binaries.length, "CL_INVALID_VALUE", call, `${binaries.length} binaries are given for ${devices.length} devices`);
  const program = new Program(context, "");
  devices.forEach((device, i) => {
    const binary = binaries[i];
    require(context.devices.includes(device), "CL_INVALID_DEVICE", call, "a device is not of this context");
    require(binary !== undefined && binary.length > 0, "CL_INVALID_VALUE", call, "a binary is empty");
    const executable = fromMux(call, muxCreateExecutable(device.open(call).device, binary, DEFAULT_ALLOCATOR));
    program.built.set(device, { executable, binary, kernels: kernelsOf(binary, call), module: null });
  });
  return program;
}

function buildFor(program: Program, device: Device, options: string, call: string): void {
  const compiler = device.compiler();
  require(compiler !== null, "CL_COMPILER_NOT_AVAILABLE", call, () => `${device.info.deviceName} has no compiler; make the program from a binary`);
  const module = compiler.createModule();
  const fail = (message: string): never => {
    program.logs.set(device, module.log === "" ? `${message}\n` : module.log);
    program.statuses.set(device, "CL_BUILD_ERROR");
    throw new OpenCLError("CL_BUILD_PROGRAM_FAILURE", call, `${message}\n${module.log}`);
  };
  const parsed = module.parseOptions(options, "build");
  if (!parsed.ok) throw new OpenCLError("CL_INVALID_BUILD_OPTIONS", call, parsed.error.message, parsed.error);
  for (const step of [() => module.compileOpenCLC(program.source, { headers: [] }), () => module.link([])]) {
    const result = step();
    if (!result.ok) fail(result.error.message);
  }
  const info = module.finalize();
  if (!info.ok) return fail(info.error.message);
  const binary = module.createBinary();
  if (!binary.ok) return fail(binary.error.message);
  const executable = fromMux(call, muxCreateExecutable(device.open(call).device, binary.value, DEFAULT_ALLOCATOR));
  const old = program.built.get(device);
  if (old !== undefined) fromMux(call, muxDestroyExecutable(old.executable.device, old.executable, DEFAULT_ALLOCATOR));
  program.built.set(device, { executable, binary: binary.value, kernels: info.value.kernels, module });
  program.logs.set(device, module.log);
  program.statuses.set(device, "CL_BUILD_SUCCESS");
}

/**
 * Builds for the devices (null: all of the context). A failure is thrown with the build log; clGetProgramBuildInfo tells it again.
 * Errors: CL_INVALID_PROGRAM, CL_INVALID_DEVICE, CL_INVALID_BUILD_OPTIONS, CL_INVALID_OPERATION while kernels exist, CL_COMPILER_NOT_AVAILABLE, CL_BUILD_PROGRAM_FAILURE.
 *
 * @public
 */
export function clBuildProgram(program: Program, devices: readonly Device[] | null = null, options: string = ""): void {
  const call = "clBuildProgram";
  live(program, Program, "CL_INVALID_PROGRAM", call);
  require(program.attachedKernels === 0, "CL_INVALID_OPERATION", call, `${program.attachedKernels} kernels of the program exist; release them first`);
  for (const device of devices ?? program.context.devices) {
    require(program.context.devices.includes(device), "CL_INVALID_DEVICE", call, "a device is not of the program's context");
    program.options = options;
    // A program from a binary is built already.
    if (program.source === "" && program.built.has(device)) program.statuses.set(device, "CL_BUILD_SUCCESS");
    else buildFor(program, device, options, call);
  }
}
