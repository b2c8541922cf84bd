// SPDX-License-Identifier: Apache-2.0
// Programs (OpenCL 3.0, 5.8): from source or binary.
import type { Module } from "@muxkit/compiler";
import { isExecutable } from "@muxkit/metadata";

import { isBitcode } from "./bitcode.ts";
import { type BuiltProgram, loadBinary } from "./built-program.ts";
import { OpenCLError, ensure } from "./error.ts";
import { ClObject, live } from "./object.ts";
import { Context, type Device } from "./platform.ts";

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
  /** True for what is compiled: text, which may be empty, or an intermediate language. @internal */
  readonly hasSource: boolean;
  /** CL_PROGRAM_IL; null for a program from source or binaries. @internal */
  readonly il: Uint8Array | null;
  /** Values of specialization constants that were set, by their ids. @internal */
  readonly specialization: Map<number, Uint8Array> = new Map();
  /** Bitcode of SPIR 1.2, which a build compiles, by device. @internal */
  readonly bitcode: Map<Device, Uint8Array> = new Map();
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
  constructor(
    context: Context,
    source: string | null,
    devices: readonly Device[] = context.devices,
    il: Uint8Array | null = null,
  ) {
    super();
    this.il = il;
    this.context = context;
    this.devices = devices;
    this.source = source ?? "";
    this.hasSource = source !== null;
    context.use();
  }

  /**
   * Where a device's build is: at the device itself, or where nothing was built for it, at the nearest device that it
   * is a part of and that something was built for (OpenCL 3.0, 5.8.7: what is built for a device counts for its
   * sub-devices).
   *
   * @internal
   */
  placeOf(device: Device): Device {
    for (let one: Device | null = device; one !== null; one = one.parent)
      if (this.statuses.has(one) || this.built.has(one) || this.objects.has(one)) return one;
    return device;
  }

  /** The executable that a device runs, as it was built; undefined: there is none. @internal */
  executableFor(device: Device): BuiltProgram | undefined {
    const place = this.placeOf(device);
    return this.statuses.get(place) === "CL_BUILD_SUCCESS" ? this.built.get(place) : undefined;
  }

  /** The devices of the program that there is an executable for. @internal */
  get builtDevices(): readonly Device[] {
    return this.devices.filter((device) => this.executableFor(device) !== undefined);
  }

  /**
   * What a device runs, or the first one that has an executable; CL_INVALID_PROGRAM_EXECUTABLE when none has.
   *
   * @internal
   */
  executable(call: string, device: Device | undefined = this.builtDevices[0]): BuiltProgram {
    const built = device === undefined ? undefined : this.executableFor(device);
    if (device !== undefined && built !== undefined) {
      // What a device was loaded with is there once, wherever it runs.
      return built === this.context.preloaded || this.built.get(device) === built
        ? built
        : built.on(device.open(call).device);
    }
    throw new OpenCLError(
      "CL_INVALID_PROGRAM_EXECUTABLE",
      call,
      "the program is not built for the device; call clBuildProgram first and check its error",
    );
  }

  /** The bitcode that a build for a device compiles: its own, or that of a device that it is a part of. @internal */
  bitcodeOf(device: Device): Uint8Array | null {
    for (let one: Device | null = device; one !== null; one = one.parent) {
      const found = this.bitcode.get(one);
      if (found !== undefined) return found;
    }
    return null;
  }

  /** Forgets what was built for a device: what it is a part of decides from now on. @internal */
  forget(device: Device, call: string): void {
    this.dropBuilt(device, call);
    this.statuses.delete(device);
    this.objects.delete(device);
    this.options.delete(device);
    this.logs.delete(device);
  }

  /** Releases the executable that an earlier call built. @internal */
  dropBuilt(device: Device, call: string): void {
    const old = this.built.get(device);
    if (old !== this.context.preloaded) old?.free(call);
    this.built.delete(device);
  }

  /** Releases what it holds. */
  protected free(): void {
    // What the device was loaded with is the context's.
    for (const built of this.built.values()) if (built !== this.context.preloaded) built.free("clReleaseProgram");
    this.built.clear();
    this.objects.clear();
    this.context.unuse();
  }
}

/**
 * Makes a program of source texts, one after the other. Errors: CL_INVALID_CONTEXT, CL_INVALID_VALUE for none.
 *
 * @public
 */
export function clCreateProgramWithSource(context: Context, sources: readonly string[]): Program {
  const call = "clCreateProgramWithSource";
  live(context, Context, "CL_INVALID_CONTEXT", call);
  ensure(
    sources.length > 0 && sources.every((text) => typeof text === "string"),
    "CL_INVALID_VALUE",
    call,
    "a program needs at least one source string",
  );
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
  ensure(
    binary instanceof Uint8Array && binary.length > 0,
    "CL_INVALID_VALUE",
    call,
    "a binary is not a non-empty Uint8Array",
  );
  // Whatever it is, the program is the one that the device was loaded with.
  if (program.context.preloaded !== null) return;
  if (isBitcode(binary)) {
    program.bitcode.set(device, binary.slice());
    return;
  }
  const object = readObject(device, binary);
  if (object !== null) {
    program.objects.set(device, object);
    return;
  }
  program.built.set(device, loadBinary(device, binary, call));
}

/**
 * Makes a program of binaries, one for each device: executables, compiled objects and libraries to link, or LLVM
 * bitcode of SPIR 1.2, which clBuildProgram and clCompileProgram compile (`-x spir` may be among the options).
 * `statuses` gets a code for each binary, CL_SUCCESS (0) or its error, whether or not the call fails. Errors:
 * CL_INVALID_CONTEXT, CL_INVALID_DEVICE, CL_INVALID_VALUE, CL_INVALID_BINARY.
 *
 * @public
 */
export function clCreateProgramWithBinary(
  context: Context,
  devices: readonly Device[],
  binaries: readonly Uint8Array[],
  statuses: number[] | null = null,
): Program {
  const call = "clCreateProgramWithBinary";
  live(context, Context, "CL_INVALID_CONTEXT", call);
  ensure(
    devices.length > 0 && devices.length === binaries.length,
    "CL_INVALID_VALUE",
    call,
    `${binaries.length} binaries were passed for ${devices.length} devices`,
  );
  for (const device of devices)
    ensure(context.devices.includes(device), "CL_INVALID_DEVICE", call, "a device does not belong to this context");
  ensure(new Set(devices).size === devices.length, "CL_INVALID_DEVICE", call, "a device is listed twice");
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
