// SPDX-License-Identifier: Apache-2.0
// Queries of programs and kernels (OpenCL 3.0, 5.8.7, 5.9.4).
import type { ArgumentInfo } from "@muxkit/compiler";
import { readExecutable } from "@muxkit/metadata";
import {
  MuxDeviceType,
  type MuxKernel,
  idLimit,
  muxQueryLocalSizeForSubGroupCount,
  muxQueryMaxNumSubGroups,
  muxQuerySubGroupSizeForLocalSize,
} from "@muxkit/mux";

import { spirvOf } from "../built-program.ts";
import { OpenCLError, ensure } from "../error.ts";
import { fromMux } from "../from-mux.ts";
import type {
  KernelArgumentInfo,
  KernelFacts,
  KernelSubGroupInfo,
  KernelWorkGroupInfo,
  ProgramBuildInfo,
  ProgramInfo,
} from "../generated/info.ts";
import { Kernel, argumentInfo, largestGroup } from "../kernel.ts";
import { live } from "../object.ts";
import type { Device } from "../platform.ts";
import { Program } from "../program.ts";
import { type InfoTable, query } from "./query.ts";

const NO_BINARY = new Uint8Array(0);

function binaries(program: Program): readonly Uint8Array[] {
  return program.devices.map((device) => {
    // What a device was loaded with need not be given to anybody.
    if (program.context.preloaded !== null) return NO_BINARY;
    const place = program.placeOf(device);
    const object = program.objects.get(place)?.serialize();
    return object?.ok === true ? object.value : (program.built.get(place)?.binary.slice() ?? NO_BINARY);
  });
}

function binaryType({ program, device }: Built): ProgramBuildInfo["CL_PROGRAM_BINARY_TYPE"] {
  const object = program.objects.get(device);
  if (object !== undefined)
    return object.state === "library" ? "CL_PROGRAM_BINARY_TYPE_LIBRARY" : "CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT";
  return program.built.has(device) ? "CL_PROGRAM_BINARY_TYPE_EXECUTABLE" : "CL_PROGRAM_BINARY_TYPE_NONE";
}

const PROGRAM: InfoTable<Program, ProgramInfo> = {
  CL_PROGRAM_REFERENCE_COUNT: ({ referenceCount }) => referenceCount,
  CL_PROGRAM_CONTEXT: ({ context }) => context,
  CL_PROGRAM_NUM_DEVICES: ({ devices }) => devices.length,
  CL_PROGRAM_DEVICES: ({ devices }) => devices,
  CL_PROGRAM_SOURCE: ({ source }) => source,
  CL_PROGRAM_BINARY_SIZES: (program) => binaries(program).map(({ length }) => length),
  CL_PROGRAM_BINARIES: binaries,
  CL_PROGRAM_NUM_KERNELS: (program) => program.executable("clGetProgramInfo").kernels.length,
  CL_PROGRAM_KERNEL_NAMES: (program) =>
    program
      .executable("clGetProgramInfo")
      .kernels.map(({ name }) => name)
      .join(";"),
  CL_PROGRAM_IL: ({ il }) => il?.slice() ?? new Uint8Array(0),
  CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT: () => false,
  CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT: () => false,
};

/**
 * A fact of a program. Errors: CL_INVALID_PROGRAM, CL_INVALID_VALUE, CL_INVALID_PROGRAM_EXECUTABLE for the kernels of a
 * program that is not built.
 *
 * @public
 */
export function clGetProgramInfo<Token extends keyof ProgramInfo>(program: Program, token: Token): ProgramInfo[Token] {
  return query("clGetProgramInfo", PROGRAM, live(program, Program, "CL_INVALID_PROGRAM", "clGetProgramInfo"), token);
}

/** A program, and the device that holds the build which is asked about. */
interface Built {
  readonly program: Program;
  readonly device: Device;
}

/** Bytes of the variables outside of functions that lie in global memory. */
function variableBytes({ program, device }: Built): number {
  const built = program.built.get(device);
  if (built === undefined) return 0;
  const image = readExecutable(built.binary);
  return image.ok ? (image.value.programData?.size ?? 0) : 0;
}

/** The program as its front end made it, of what was built or compiled for the device. */
function spirv({ program, device }: Built): Uint8Array {
  const call = "clGetProgramBuildInfo";
  const object = program.objects.get(device);
  const written = object === undefined ? program.built.get(device)?.spirv(call) : spirvOf(object, call);
  return written ?? NO_BINARY;
}

const BUILD: InfoTable<Built, ProgramBuildInfo> = {
  CL_PROGRAM_BUILD_STATUS: ({ program, device }) => program.statuses.get(device) ?? "CL_BUILD_NONE",
  CL_PROGRAM_BUILD_OPTIONS: ({ program, device }) => program.options.get(device) ?? "",
  CL_PROGRAM_BUILD_LOG: ({ program, device }) => program.logs.get(device) ?? "",
  CL_PROGRAM_BINARY_TYPE: binaryType,
  CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE: variableBytes,
  CL_PROGRAM_BUILD_SPIRV_MUXKIT: spirv,
};

/**
 * A fact of a build. Errors: CL_INVALID_PROGRAM, CL_INVALID_DEVICE, CL_INVALID_VALUE; CL_INVALID_OPERATION for the
 * SPIR-V of a program that SPIR-V cannot express.
 *
 * @public
 */
export function clGetProgramBuildInfo<Token extends keyof ProgramBuildInfo>(
  program: Program,
  device: Device,
  token: Token,
): ProgramBuildInfo[Token] {
  const call = "clGetProgramBuildInfo";
  live(program, Program, "CL_INVALID_PROGRAM", call);
  ensure(
    program.devices.includes(device),
    "CL_INVALID_DEVICE",
    call,
    "the device does not belong to the program's context, or the program was not created for it",
  );
  return query(call, BUILD, { program, device: program.placeOf(device) }, token);
}

const KERNEL: InfoTable<Kernel, KernelFacts> = {
  CL_KERNEL_FUNCTION_NAME: ({ info }) => info.name,
  CL_KERNEL_NUM_ARGS: ({ info }) => info.arguments.length,
  CL_KERNEL_REFERENCE_COUNT: ({ referenceCount }) => referenceCount,
  CL_KERNEL_CONTEXT: ({ program }) => program.context,
  CL_KERNEL_PROGRAM: ({ program }) => program,
  CL_KERNEL_ATTRIBUTES: ({ info }) => info.attributes,
};

/** A fact of a kernel. Errors: CL_INVALID_KERNEL, CL_INVALID_VALUE. @public */
export function clGetKernelInfo<Token extends keyof KernelFacts>(kernel: Kernel, token: Token): KernelFacts[Token] {
  return query("clGetKernelInfo", KERNEL, live(kernel, Kernel, "CL_INVALID_KERNEL", "clGetKernelInfo"), token);
}

const SUB_GROUP_CALL = "clGetKernelSubGroupInfo";

function localItems(input: readonly number[]): readonly [number, number, number] {
  const [x = 1, y = 1, z = 1] = input;
  ensure(
    input.length >= 1 && input.length <= 3 && input.every((size) => Number.isInteger(size) && size > 0),
    "CL_INVALID_VALUE",
    SUB_GROUP_CALL,
    `(${input.join(", ")}) is not a local size`,
  );
  return [x, y, z];
}

/** A kernel on a device, and what the query is given. */
interface SubGroupSubject {
  readonly kernel: Kernel;
  readonly device: Device;
  readonly form: MuxKernel;
  readonly input: readonly number[];
}

const SUB_GROUP: InfoTable<SubGroupSubject, KernelSubGroupInfo> = {
  CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE: ({ form, input }) =>
    fromMux(SUB_GROUP_CALL, muxQuerySubGroupSizeForLocalSize(form, ...localItems(input))),
  CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE: ({ form, input }) => {
    const [x, y, z] = localItems(input);
    return Math.ceil((x * y * z) / fromMux(SUB_GROUP_CALL, muxQuerySubGroupSizeForLocalSize(form, x, y, z)));
  },
  CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT: ({ form, input: [count = 0] }) => {
    ensure(
      Number.isInteger(count) && count > 0,
      "CL_INVALID_VALUE",
      SUB_GROUP_CALL,
      `${count} is not a number of sub-groups`,
    );
    return fromMux(SUB_GROUP_CALL, muxQueryLocalSizeForSubGroupCount(form, count));
  },
  CL_KERNEL_MAX_NUM_SUB_GROUPS: ({ form }) => fromMux(SUB_GROUP_CALL, muxQueryMaxNumSubGroups(form)),
  CL_KERNEL_COMPILE_NUM_SUB_GROUPS: () => 0,
  CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL: ({ kernel, device }) => kernel.infoOn(device).requiredSubGroupSize ?? 0,
};

/** The device of a query of a kernel: the one that is given, or with null the kernel's only one. */
function deviceOf(call: string, kernel: Kernel, device: Device | null): Device {
  const devices = kernel.program.builtDevices;
  const chosen = device ?? (devices.length === 1 ? devices[0] : undefined);
  ensure(
    device !== null || chosen !== undefined,
    "CL_INVALID_DEVICE",
    call,
    `the kernel is for ${devices.length} devices; pass one of them`,
  );
  const isBuilt =
    chosen !== undefined &&
    kernel.program.context.devices.includes(chosen) &&
    kernel.program.executableFor(chosen) !== undefined;
  if (chosen === undefined || !isBuilt)
    throw new OpenCLError(
      "CL_INVALID_DEVICE",
      call,
      "the device does not belong to the kernel's context, or the kernel's program was not built for it",
    );
  return chosen;
}

/**
 * A fact of a kernel's sub-groups on a device (null: its only one); `input` is a local size in one to three dimensions,
 * or a number of sub-groups, where the token needs one. Errors: CL_INVALID_KERNEL, CL_INVALID_DEVICE, also for null
 * where there are several, CL_INVALID_VALUE, CL_INVALID_OPERATION on a device without sub-groups.
 *
 * @public
 */
export function clGetKernelSubGroupInfo<Token extends keyof KernelSubGroupInfo>(
  kernel: Kernel,
  device: Device | null,
  token: Token,
  input: readonly number[] = [],
): KernelSubGroupInfo[Token] {
  live(kernel, Kernel, "CL_INVALID_KERNEL", SUB_GROUP_CALL);
  const chosen = deviceOf(SUB_GROUP_CALL, kernel, device);
  ensure(chosen.info.maxSubGroupCount > 0, "CL_INVALID_OPERATION", SUB_GROUP_CALL, "the device has no sub-groups");
  return query(
    SUB_GROUP_CALL,
    SUB_GROUP,
    { kernel, device: chosen, form: kernel.on(SUB_GROUP_CALL, chosen), input },
    token,
  );
}

const ADDRESS_QUALIFIERS = {
  global: "CL_KERNEL_ARG_ADDRESS_GLOBAL",
  local: "CL_KERNEL_ARG_ADDRESS_LOCAL",
  constant: "CL_KERNEL_ARG_ADDRESS_CONSTANT",
  private: "CL_KERNEL_ARG_ADDRESS_PRIVATE",
} as const;
const ACCESS_QUALIFIERS = {
  read_only: "CL_KERNEL_ARG_ACCESS_READ_ONLY",
  write_only: "CL_KERNEL_ARG_ACCESS_WRITE_ONLY",
  read_write: "CL_KERNEL_ARG_ACCESS_READ_WRITE",
  none: "CL_KERNEL_ARG_ACCESS_NONE",
} as const;

const ARGUMENT: InfoTable<ArgumentInfo, KernelArgumentInfo> = {
  // Images are always in global memory (OpenCL C 3.0, 6.7.5).
  CL_KERNEL_ARG_ADDRESS_QUALIFIER: ({ addressSpace, kind }) =>
    ADDRESS_QUALIFIERS[kind === "image" ? "global" : addressSpace],
  CL_KERNEL_ARG_ACCESS_QUALIFIER: ({ access }) => ACCESS_QUALIFIERS[access],
  CL_KERNEL_ARG_TYPE_NAME: ({ typeName }) => typeName,
  CL_KERNEL_ARG_TYPE_QUALIFIER: ({ isConst, isRestrict, isVolatile, kind }) =>
    (isConst ? 1 : 0) | (isRestrict ? 2 : 0) | (isVolatile ? 4 : 0) | (kind === "pipe" ? 8 : 0),
  CL_KERNEL_ARG_NAME: ({ name }) => name,
};

/** A fact of a kernel's argument. Errors: CL_INVALID_KERNEL, CL_INVALID_ARG_INDEX, CL_INVALID_VALUE. @public */
export function clGetKernelArgInfo<Token extends keyof KernelArgumentInfo>(
  kernel: Kernel,
  index: number,
  token: Token,
): KernelArgumentInfo[Token] {
  const call = "clGetKernelArgInfo";
  return query(call, ARGUMENT, argumentInfo(call, live(kernel, Kernel, "CL_INVALID_KERNEL", call), index), token);
}

/** A kernel on a device. */
interface KernelOnDevice {
  readonly kernel: Kernel;
  readonly device: Device;
}

const WORK_GROUP: InfoTable<KernelOnDevice, KernelWorkGroupInfo> = {
  CL_KERNEL_WORK_GROUP_SIZE: ({ kernel, device }) => largestGroup("clGetKernelWorkGroupInfo", kernel, device),
  CL_KERNEL_COMPILE_WORK_GROUP_SIZE: ({ kernel, device }) => kernel.infoOn(device).requiredWorkGroupSize ?? [0, 0, 0],
  CL_KERNEL_LOCAL_MEM_SIZE: ({ kernel, device }) =>
    kernel.arguments.reduce(
      (sum, argument) =>
        sum + (argument?.descriptor !== undefined && "size" in argument.descriptor ? argument.descriptor.size : 0),
      kernel.infoOn(device).localMemorySize,
    ),
  CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: ({ device }) =>
    Math.max(1, Math.floor(device.info.preferredVectorWidth / 4)),
  CL_KERNEL_PRIVATE_MEM_SIZE: ({ kernel, device }) => kernel.infoOn(device).privateMemorySize,
  CL_KERNEL_SPILL_MEM_SIZE_INTEL: () => 0,
  CL_KERNEL_GLOBAL_WORK_SIZE: ({ device }) => {
    ensure(
      device.info.deviceType === MuxDeviceType.custom,
      "CL_INVALID_VALUE",
      "clGetKernelWorkGroupInfo",
      "only kernels of custom devices and built-in kernels have a maximum global size",
    );
    const most = idLimit(device.info) - 1;
    return [most, most, most];
  },
};

/**
 * A fact of a kernel on a device (null: its only one). Errors: CL_INVALID_KERNEL, CL_INVALID_DEVICE, also for null
 * where there are several, CL_INVALID_VALUE.
 *
 * @public
 */
export function clGetKernelWorkGroupInfo<Token extends keyof KernelWorkGroupInfo>(
  kernel: Kernel,
  device: Device | null,
  token: Token,
): KernelWorkGroupInfo[Token] {
  const call = "clGetKernelWorkGroupInfo";
  live(kernel, Kernel, "CL_INVALID_KERNEL", call);
  return query(call, WORK_GROUP, { kernel, device: deviceOf(call, kernel, device) }, token);
}
