// SPDX-License-Identifier: Apache-2.0
// Kinds of programs that our devices do not take (OpenCL 3.0, 5.8.1). Each call checks the objects that it is
// given, then reports which feature is absent: what else is passed does not matter without it.
import { OpenCLError, ensure } from "./error.ts";
import { live } from "./object.ts";
import { Context, type Device } from "./platform.ts";
import { Program } from "./program.ts";

/**
 * Makes a program of kernels that a device has built in. Errors: CL_INVALID_CONTEXT, CL_INVALID_VALUE for no devices,
 * no names, and names that no device has, CL_INVALID_DEVICE.
 *
 * @public
 */
export function clCreateProgramWithBuiltInKernels(context: Context, devices: readonly Device[], names: string): never {
  const call = "clCreateProgramWithBuiltInKernels";
  live(context, Context, "CL_INVALID_CONTEXT", call);
  ensure(devices.length > 0, "CL_INVALID_VALUE", call, "the list of devices is empty");
  for (const device of devices)
    ensure(context.devices.includes(device), "CL_INVALID_DEVICE", call, "a device does not belong to this context");
  throw new OpenCLError(
    "CL_INVALID_VALUE",
    call,
    `"${names}" is not a built-in kernel; CL_DEVICE_BUILT_IN_KERNELS lists the ones of the device`,
  );
}

/**
 * Deprecated: destructors of program-scope variables are C++, which no device of ours has; always an error. Errors:
 * CL_INVALID_PROGRAM, CL_INVALID_OPERATION.
 *
 * @public
 */
export function clSetProgramReleaseCallback(program: Program, callback: (program: Program) => void): never {
  const call = "clSetProgramReleaseCallback";
  live(program, Program, "CL_INVALID_PROGRAM", call);
  const name = callback?.name ?? "";
  throw new OpenCLError(
    "CL_INVALID_OPERATION",
    call,
    "no device of the program supports destructors of program-scope variables, so the callback" +
      `${name === "" ? "" : ` ${name}`} would never be called`,
  );
}
