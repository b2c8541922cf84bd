// SPDX-License-Identifier: Apache-2.0
// The errors of failed commands: of the one that went wrong, and of those that waited for it.
import type { MuxError } from "@muxkit/mux";

import { OpenCLError } from "./error.ts";
import type { CommandType } from "./event.ts";

/** The call that enqueues each kind of command. */
const CALLS: Readonly<Record<Exclude<CommandType, "CL_COMMAND_USER">, string>> = {
  CL_COMMAND_NDRANGE_KERNEL: "clEnqueueNDRangeKernel",
  CL_COMMAND_TASK: "clEnqueueTask",
  CL_COMMAND_NATIVE_KERNEL: "clEnqueueNativeKernel",
  CL_COMMAND_COMMAND_BUFFER_KHR: "clEnqueueCommandBufferKHR",
  CL_COMMAND_READ_BUFFER: "clEnqueueReadBuffer",
  CL_COMMAND_WRITE_BUFFER: "clEnqueueWriteBuffer",
  CL_COMMAND_COPY_BUFFER: "clEnqueueCopyBuffer",
  CL_COMMAND_FILL_BUFFER: "clEnqueueFillBuffer",
  CL_COMMAND_READ_BUFFER_RECT: "clEnqueueReadBufferRect",
  CL_COMMAND_WRITE_BUFFER_RECT: "clEnqueueWriteBufferRect",
  CL_COMMAND_COPY_BUFFER_RECT: "clEnqueueCopyBufferRect",
  CL_COMMAND_READ_IMAGE: "clEnqueueReadImage",
  CL_COMMAND_WRITE_IMAGE: "clEnqueueWriteImage",
  CL_COMMAND_COPY_IMAGE: "clEnqueueCopyImage",
  CL_COMMAND_FILL_IMAGE: "clEnqueueFillImage",
  CL_COMMAND_COPY_IMAGE_TO_BUFFER: "clEnqueueCopyImageToBuffer",
  CL_COMMAND_COPY_BUFFER_TO_IMAGE: "clEnqueueCopyBufferToImage",
  CL_COMMAND_MAP_BUFFER: "clEnqueueMapBuffer",
  CL_COMMAND_MAP_IMAGE: "clEnqueueMapImage",
  CL_COMMAND_UNMAP_MEM_OBJECT: "clEnqueueUnmapMemObject",
  CL_COMMAND_MIGRATE_MEM_OBJECTS: "clEnqueueMigrateMemObjects",
  CL_COMMAND_MARKER: "clEnqueueMarkerWithWaitList",
  CL_COMMAND_BARRIER: "clEnqueueBarrierWithWaitList",
  CL_COMMAND_SVM_FREE: "clEnqueueSVMFree",
  CL_COMMAND_SVM_MEMCPY: "clEnqueueSVMMemcpy",
  CL_COMMAND_SVM_MEMFILL: "clEnqueueSVMMemFill",
  CL_COMMAND_SVM_MAP: "clEnqueueSVMMap",
  CL_COMMAND_SVM_UNMAP: "clEnqueueSVMUnmap",
  CL_COMMAND_SVM_MIGRATE_MEM: "clEnqueueSVMMigrateMem",
  CL_COMMAND_MEMFILL_INTEL: "clEnqueueMemFillINTEL",
  CL_COMMAND_MEMCPY_INTEL: "clEnqueueMemcpyINTEL",
  CL_COMMAND_MIGRATEMEM_INTEL: "clEnqueueMigrateMemINTEL",
  CL_COMMAND_MEMADVISE_INTEL: "clEnqueueMemAdviseINTEL",
};

/** The call that enqueued a command. */
export function callOf(type: CommandType): string {
  return type === "CL_COMMAND_USER" ? "clSetUserEventStatus" : CALLS[type];
}

/** The error of a command that failed on the device. */
export function commandFailure(type: CommandType, error: MuxError): OpenCLError {
  return new OpenCLError(
    "CL_OUT_OF_RESOURCES",
    callOf(type),
    error.message.replace(`${error.entryPoint}: `, ""),
    error,
  );
}

/** The original failure of each error that was passed on to dependent commands. */
const ORIGINS = new WeakMap<OpenCLError, OpenCLError>();

/** The original failure: the error itself, or the one that it was passed on from. */
export function originOf(error: OpenCLError): OpenCLError {
  return ORIGINS.get(error) ?? error;
}

/**
 * The error of a command whose wait list failed. It names the original failure, however many commands have passed it
 * on.
 */
export function dependencyError(type: CommandType, cause: OpenCLError): OpenCLError {
  const origin = originOf(cause);
  const error = new OpenCLError(
    "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
    callOf(type),
    `a command that this one waits for failed: ${origin.message}`,
    origin,
  );
  ORIGINS.set(error, origin);
  return error;
}

/** Failures that were reported to the notify function of a context. */
const REPORTED = new WeakSet<OpenCLError>();

/** True the first time that a failure, or an error passed on from it, is reported. */
export function isFirstReport(error: OpenCLError): boolean {
  const origin = originOf(error);
  if (REPORTED.has(origin)) return false;
  REPORTED.add(origin);
  return true;
}
