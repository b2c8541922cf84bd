// SPDX-License-Identifier: Apache-2.0
// Building programs (OpenCL 3.0, 5.8.2 to 5.8.5): at once, or compiled and linked.
import type { Module } from "@muxkit/compiler";

import { BUILD, COMPILE, DeviceBuild, LINK, type Step } from "./build-step.ts";
import { OpenCLError, ensure } from "./error.ts";
import { orElse } from "./from-mux.ts";
import { addToLibrary, builtByMode } from "./mode-builds.ts";
import { live } from "./object.ts";
import { Context, type Device } from "./platform.ts";
import { Program } from "./program.ts";

/** The devices of a call: those that are passed, or all of them. */
function devicesOf(all: readonly Device[], devices: readonly Device[] | null, call: string): readonly Device[] {
  ensure(
    devices === null || devices.length > 0,
    "CL_INVALID_VALUE",
    call,
    "the list of devices is empty; pass null for all devices of the program",
  );
  for (const device of devices ?? [])
    ensure(
      all.includes(device),
      "CL_INVALID_DEVICE",
      call,
      "a device does not belong to the program's context, or the program was not created for it",
    );
  return devices ?? all;
}

/** What of a program can be linked for a device. */
function objectOf(input: Program, device: Device): Module | undefined {
  return input.objects.get(input.placeOf(device));
}

/** True when a device that this one is a part of is in the list. */
function isPartOf(device: Device, list: readonly Device[]): boolean {
  for (let one = device.parent; one !== null; one = one.parent) if (list.includes(one)) return true;
  return false;
}

/**
 * The devices that source is compiled for: parts of others in the list use what is made for those, so that each text is
 * compiled once.
 */
function compiledFor(program: Program, asked: readonly Device[], call: string): readonly Device[] {
  for (const device of asked) if (isPartOf(device, asked)) program.forget(device, call);
  return asked.filter((device) => !isPartOf(device, asked));
}

function ensureNoKernels({ attachedKernels }: Program, call: string): void {
  ensure(
    attachedKernels === 0,
    "CL_INVALID_OPERATION",
    call,
    `${attachedKernels} kernels of the program still exist; release them first`,
  );
}

/** Called on the event loop when a build has ended: clGetProgramBuildInfo returns its status. @public */
export type BuildCallback = (program: Program) => void;

function checkNotify(call: string, notify: BuildCallback | null): void {
  ensure(
    notify === null || typeof notify === "function",
    "CL_INVALID_VALUE",
    call,
    "the callback is neither a function nor null",
  );
}

/**
 * Builds. With a callback for the end, mistakes in the program are in its status and log then, and no error
 * of the call.
 */
function toTheEnd({ failure }: Step, program: Program, notify: BuildCallback | null, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (notify === null || !(error instanceof OpenCLError) || error.name !== failure) throw error;
  }
  if (notify !== null)
    queueMicrotask(() => {
      notify(program);
    });
}

/**
 * Builds for the devices (null: all of the context). A failure is thrown with the build log; clGetProgramBuildInfo
 * reports them again. `notify` is called after the build, which then throws no errors of the source. Errors:
 * CL_INVALID_PROGRAM, CL_INVALID_VALUE for an empty list of devices, CL_INVALID_DEVICE, CL_INVALID_BUILD_OPTIONS,
 * CL_INVALID_BINARY, CL_INVALID_OPERATION while kernels exist, CL_COMPILER_NOT_AVAILABLE, CL_BUILD_PROGRAM_FAILURE.
 *
 * @public
 */
export function clBuildProgram(
  program: Program,
  devices: readonly Device[] | null = null,
  options: string = "",
  notify: BuildCallback | null = null,
): void {
  const { call } = BUILD;
  live(program, Program, "CL_INVALID_PROGRAM", call);
  checkNotify(call, notify);
  ensureNoKernels(program, call);
  const asked = devicesOf(program.devices, devices, call);
  toTheEnd(BUILD, program, notify, () => {
    for (const device of program.hasSource ? compiledFor(program, asked, call) : asked)
      buildFor(program, device, options);
  });
}

function buildFor(program: Program, device: Device, options: string): void {
  const { call } = BUILD;
  program.options.set(device, options);
  const given = builtByMode(program, device, call);
  if (given !== null) {
    program.dropBuilt(device, call);
    program.built.set(device, given);
    program.logs.delete(device);
    program.statuses.set(device, "CL_BUILD_SUCCESS");
    return;
  }
  // A program from a binary is built already.
  const place = program.placeOf(device);
  if (!program.hasSource && program.built.has(place)) {
    program.statuses.set(place, "CL_BUILD_SUCCESS");
    return;
  }
  ensure(
    program.hasSource || !program.objects.has(place),
    "CL_INVALID_BINARY",
    call,
    "the binary is a compiled object or a library; call clLinkProgram to make an executable program of it",
  );
  const build = new DeviceBuild(program, device, options, BUILD);
  build.compile([]);
  build.link([]);
  build.finish();
  addToLibrary(program, device, call);
}

/**
 * A header for clCompileProgram: a program whose source is the header's text, and the name that `#include` finds it by.
 *
 * @public
 */
export interface IncludedProgram {
  /** Name as `#include` writes it. */
  readonly name: string;
  /** Program from source. */
  readonly program: Program;
}

/**
 * Compiles a program's source for the devices (null: all of the context) to objects that clLinkProgram takes. Headers
 * are found by their names before the directories of `-I`. `notify` as in {@link clBuildProgram}. Errors:
 * CL_INVALID_PROGRAM (the program or a header), CL_INVALID_VALUE for an empty list of devices and for a header without
 * name or source, CL_INVALID_DEVICE, CL_INVALID_COMPILER_OPTIONS, CL_INVALID_OPERATION for a program without source or
 * while kernels exist, CL_COMPILER_NOT_AVAILABLE, CL_COMPILE_PROGRAM_FAILURE.
 *
 * @public
 */
export function clCompileProgram(
  program: Program,
  devices: readonly Device[] | null = null,
  options: string = "",
  headers: readonly IncludedProgram[] = [],
  notify: BuildCallback | null = null,
): void {
  const { call } = COMPILE;
  live(program, Program, "CL_INVALID_PROGRAM", call);
  checkNotify(call, notify);
  ensureNoKernels(program, call);
  ensure(
    program.hasSource || program.bitcode.size > 0,
    "CL_INVALID_OPERATION",
    call,
    "the program has no source: it was created from binaries or by clLinkProgram",
  );
  const texts = headers.map(({ name, program: header }) => {
    live(header, Program, "CL_INVALID_PROGRAM", call);
    ensure(
      name !== "" && header.hasSource && header.il === null,
      "CL_INVALID_VALUE",
      call,
      `the header "${name}" needs a name and a program from source`,
    );
    return { name, source: header.source };
  });
  const asked = devicesOf(program.devices, devices, call);
  toTheEnd(COMPILE, program, notify, () => {
    for (const device of compiledFor(program, asked, call)) {
      const build = new DeviceBuild(program, device, options, COMPILE);
      build.compile(texts);
      build.keepObject();
    }
  });
}

/**
 * Links compiled objects and libraries to a new program for the devices (null: all of the context): an executable, or
 * with `-create-library` a library. With `notify`, which is called after the link, a program that could not be linked
 * is returned all the same, and its status reports it. Errors: CL_INVALID_CONTEXT, CL_INVALID_VALUE for no inputs and
 * for an empty list of devices, CL_INVALID_PROGRAM, CL_INVALID_DEVICE, CL_INVALID_LINKER_OPTIONS, CL_INVALID_OPERATION
 * for an input without object for a device, CL_LINKER_NOT_AVAILABLE, CL_LINK_PROGRAM_FAILURE.
 *
 * @public
 */
export function clLinkProgram(
  context: Context,
  devices: readonly Device[] | null,
  options: string,
  inputs: readonly Program[],
  notify: BuildCallback | null = null,
): Program {
  const { call } = LINK;
  live(context, Context, "CL_INVALID_CONTEXT", call);
  checkNotify(call, notify);
  ensure(inputs.length > 0, "CL_INVALID_VALUE", call, "the list of programs to link is empty");
  for (const input of inputs) live(input, Program, "CL_INVALID_PROGRAM", call);
  const asked = devicesOf(context.devices, devices, call);
  // Where no input has anything for a device, and some other device has, nothing is linked for it (5.8.5). Parts use
  // what is linked for the device that they are parts of, unless an input has an object of their own.
  const own = asked.filter(
    (device) => !isPartOf(device, asked) || inputs.some((input) => input.placeOf(device) === device),
  );
  const linkable = own.filter((device) => inputs.some((input) => objectOf(input, device) !== undefined));
  const targets = linkable.length === 0 ? own : linkable;
  const objects = targets.map((device) =>
    inputs.map((input, i) => {
      const object = objectOf(input, device);
      ensure(
        object !== undefined,
        "CL_INVALID_OPERATION",
        call,
        `input ${i} has no compiled object or library for ${device.info.deviceName}; call clCompileProgram first`,
      );
      return object;
    }),
  );
  const program = new Program(context, null, [...asked]);
  const link = (): void => {
    targets.forEach((device, i) => {
      const build = new DeviceBuild(program, device, options, LINK);
      build.link(objects[i] ?? []);
      if (build.module.state === "library") build.keepObject();
      else build.finish();
    });
  };
  orElse(
    () => {
      program.release(call);
    },
    () => {
      toTheEnd(LINK, program, notify, link);
    },
  );
  return program;
}
