// SPDX-License-Identifier: Apache-2.0
// Functions of our own extensions: cl_muxkit_wfv, cl_muxkit_kernel_exec_info, cl_muxkit_set_threads.
import { muxQueryWFVInfoForLocalSize, MuxWfvStatus } from "@muxkit/mux";

import { ensure } from "./error.ts";
import { fromMux } from "./from-mux.ts";
import type { KernelWfvInfo } from "./generated/info.ts";
import { type InfoTable, query } from "./info/query.ts";
import { Kernel } from "./kernel.ts";
import { type KernelExecInfo, checkExecInfo } from "./kernel-svm.ts";
import { live } from "./object.ts";
import { Device } from "./platform.ts";
import { SubDevice } from "./sub-device.ts";

/** Whether work-items run several at a time, as lanes of vectors (whole-function vectorization). @public */
export type WfvStatus = "CL_WFV_SUCCESS_MUXKIT" | "CL_WFV_NONE_MUXKIT" | "CL_WFV_ERROR_MUXKIT";

/** A local size on a device, for a kernel. */
interface Asked {
  readonly call: string;
  readonly kernel: Kernel;
  readonly device: Device;
  readonly localSize: readonly [number, number, number];
}

const STATUSES: Readonly<Record<MuxWfvStatus, WfvStatus>> = {
  [MuxWfvStatus.none]: "CL_WFV_NONE_MUXKIT",
  [MuxWfvStatus.success]: "CL_WFV_SUCCESS_MUXKIT",
  [MuxWfvStatus.error]: "CL_WFV_ERROR_MUXKIT",
};

const wfvOf = ({
  call,
  kernel,
  device,
  localSize: [x, y, z],
}: Asked): { readonly status: MuxWfvStatus; readonly workWidth: readonly [number, number, number] } =>
  fromMux(call, muxQueryWFVInfoForLocalSize(kernel.on(call, device), x, y, z));

const WFV: InfoTable<Asked, KernelWfvInfo> = {
  CL_KERNEL_WFV_STATUS_MUXKIT: (asked) => STATUSES[wfvOf(asked).status],
  CL_KERNEL_WFV_WIDTHS_MUXKIT: (asked) => wfvOf(asked).workWidth,
};

/**
 * How work-items of a kernel run in work-groups of a local size (one to three numbers). Errors: CL_INVALID_KERNEL;
 * CL_INVALID_DEVICE; CL_INVALID_WORK_DIMENSION; CL_INVALID_WORK_GROUP_SIZE for a local size that no work-group has;
 * CL_INVALID_PROGRAM_EXECUTABLE on a device that the program was not built for; CL_INVALID_VALUE.
 *
 * @public
 */
export function clGetKernelWFVInfoMUXKIT<Token extends keyof KernelWfvInfo>(
  kernel: Kernel,
  device: Device,
  localSize: readonly number[],
  token: Token,
): KernelWfvInfo[Token] {
  const call = "clGetKernelWFVInfoMUXKIT";
  live(kernel, Kernel, "CL_INVALID_KERNEL", call);
  ensure(
    device instanceof Device && kernel.program.context.devices.includes(device),
    "CL_INVALID_DEVICE",
    call,
    "the device does not belong to the kernel's context",
  );
  ensure(
    [1, 2, 3].includes(localSize.length),
    "CL_INVALID_WORK_DIMENSION",
    call,
    `${localSize.length} is not a number of dimensions; use 1, 2 or 3`,
  );
  const [x = 1, y = 1, z = 1] = localSize;
  const isSize =
    [x, y, z].every((size) => Number.isInteger(size) && size > 0) && x * y * z <= device.info.maxConcurrentWorkItems;
  ensure(isSize, "CL_INVALID_WORK_GROUP_SIZE", call, `a work-group cannot have ${x} × ${y} × ${z} work-items`);
  return query(call, WFV, { call, kernel, device, localSize: [x, y, z] }, token);
}

/** {@link clSetKernelExecInfo} for platforms of OpenCL 1.2, whose errors it has. @public */
export function clSetKernelExecInfoMUXKIT<Name extends keyof KernelExecInfo>(
  kernel: Kernel,
  name: Name,
  value: KernelExecInfo[Name],
): void {
  const call = "clSetKernelExecInfoMUXKIT";
  checkExecInfo(call, live(kernel, Kernel, "CL_INVALID_KERNEL", call), name, value);
}

/**
 * Sets how many threads run the commands of a device of the platform, from one to CL_DEVICE_MAX_COMPUTE_UNITS as it was
 * at first, which is the count from then on. To be called before anything is made of the device. Errors:
 * CL_INVALID_DEVICE, also for a part of a device; CL_INVALID_VALUE; CL_INVALID_OPERATION when something was made of the
 * device already, or where its threads cannot be chosen.
 *
 * @public
 */
export function clSetThreadsMUXKIT(device: Device, count: number): void {
  const call = "clSetThreadsMUXKIT";
  ensure(
    device instanceof Device && !(device instanceof SubDevice),
    "CL_INVALID_DEVICE",
    call,
    "the value is not a device of the platform",
  );
  device.setThreads(call, count);
}
