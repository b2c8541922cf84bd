// SPDX-License-Identifier: Apache-2.0
// Functions of extensions by name, and the compiler's rest (OpenCL 3.0, 5.8.4 and 9.2).
import {
  clCreateCommandBufferKHR,
  clEnqueueCommandBufferKHR,
  clFinalizeCommandBufferKHR,
  clReleaseCommandBufferKHR,
  clRetainCommandBufferKHR,
} from "./command-buffer.ts";
import {
  clCommandBarrierWithWaitListKHR,
  clCommandCopyBufferKHR,
  clCommandCopyBufferRectKHR,
  clCommandCopyBufferToImageKHR,
  clCommandCopyImageKHR,
  clCommandCopyImageToBufferKHR,
  clCommandFillBufferKHR,
  clCommandFillImageKHR,
  clCommandNDRangeKernelKHR,
  clCommandSVMMemFillKHR,
  clCommandSVMMemcpyKHR,
} from "./command-buffer-commands.ts";
import {
  clEnqueueMemAdviseINTEL,
  clEnqueueMemFillINTEL,
  clEnqueueMemcpyINTEL,
  clEnqueueMemsetINTEL,
  clEnqueueMigrateMemINTEL,
} from "./enqueue-usm.ts";
import { ensure } from "./error.ts";
import { clCreateProgramWithILKHR } from "./il.ts";
import { clGetCommandBufferInfoKHR, clGetMutableCommandInfoKHR } from "./info/command-buffer-info.ts";
import { clGetMemAllocInfoINTEL } from "./info/usm-info.ts";
import { clSetKernelArgMemPointerINTEL } from "./kernel-svm.ts";
import { clUpdateMutableCommandsKHR } from "./mutable-dispatch.ts";
import { Platform } from "./platform.ts";
import { clCreateCommandQueueWithPropertiesKHR } from "./queue-properties.ts";
import { clGetKernelSuggestedLocalWorkSizeKHR } from "./suggested-size.ts";
import { TRACED_FORMS } from "./trace.ts";
import {
  clDeviceMemAllocINTEL,
  clHostMemAllocINTEL,
  clMemBlockingFreeINTEL,
  clMemFreeINTEL,
  clSharedMemAllocINTEL,
} from "./usm.ts";
import { clGetKernelWFVInfoMUXKIT, clSetKernelExecInfoMUXKIT, clSetThreadsMUXKIT } from "./vendor-functions.ts";

/** Functions of extensions, by name. @public */
export interface ExtensionFunctions {
  /** See {@link clCreateCommandQueueWithPropertiesKHR}. */
  readonly clCreateCommandQueueWithPropertiesKHR: typeof clCreateCommandQueueWithPropertiesKHR;
  /** See {@link clCreateProgramWithILKHR}. */
  readonly clCreateProgramWithILKHR: typeof clCreateProgramWithILKHR;
  /** See {@link clCreateCommandBufferKHR}. */
  readonly clCreateCommandBufferKHR: typeof clCreateCommandBufferKHR;
  /** See {@link clRetainCommandBufferKHR}. */
  readonly clRetainCommandBufferKHR: typeof clRetainCommandBufferKHR;
  /** See {@link clReleaseCommandBufferKHR}. */
  readonly clReleaseCommandBufferKHR: typeof clReleaseCommandBufferKHR;
  /** See {@link clFinalizeCommandBufferKHR}. */
  readonly clFinalizeCommandBufferKHR: typeof clFinalizeCommandBufferKHR;
  /** See {@link clEnqueueCommandBufferKHR}. */
  readonly clEnqueueCommandBufferKHR: typeof clEnqueueCommandBufferKHR;
  /** See {@link clCommandBarrierWithWaitListKHR}. */
  readonly clCommandBarrierWithWaitListKHR: typeof clCommandBarrierWithWaitListKHR;
  /** See {@link clCommandCopyBufferKHR}. */
  readonly clCommandCopyBufferKHR: typeof clCommandCopyBufferKHR;
  /** See {@link clCommandCopyBufferRectKHR}. */
  readonly clCommandCopyBufferRectKHR: typeof clCommandCopyBufferRectKHR;
  /** See {@link clCommandCopyBufferToImageKHR}. */
  readonly clCommandCopyBufferToImageKHR: typeof clCommandCopyBufferToImageKHR;
  /** See {@link clCommandCopyImageKHR}. */
  readonly clCommandCopyImageKHR: typeof clCommandCopyImageKHR;
  /** See {@link clCommandCopyImageToBufferKHR}. */
  readonly clCommandCopyImageToBufferKHR: typeof clCommandCopyImageToBufferKHR;
  /** See {@link clCommandFillBufferKHR}. */
  readonly clCommandFillBufferKHR: typeof clCommandFillBufferKHR;
  /** See {@link clCommandFillImageKHR}. */
  readonly clCommandFillImageKHR: typeof clCommandFillImageKHR;
  /** See {@link clCommandSVMMemcpyKHR}. */
  readonly clCommandSVMMemcpyKHR: typeof clCommandSVMMemcpyKHR;
  /** See {@link clCommandSVMMemFillKHR}. */
  readonly clCommandSVMMemFillKHR: typeof clCommandSVMMemFillKHR;
  /** See {@link clCommandNDRangeKernelKHR}. */
  readonly clCommandNDRangeKernelKHR: typeof clCommandNDRangeKernelKHR;
  /** See {@link clGetCommandBufferInfoKHR}. */
  readonly clGetCommandBufferInfoKHR: typeof clGetCommandBufferInfoKHR;
  /** See {@link clUpdateMutableCommandsKHR}. */
  readonly clUpdateMutableCommandsKHR: typeof clUpdateMutableCommandsKHR;
  /** See {@link clGetMutableCommandInfoKHR}. */
  readonly clGetMutableCommandInfoKHR: typeof clGetMutableCommandInfoKHR;
  /** See {@link clHostMemAllocINTEL}. */
  readonly clHostMemAllocINTEL: typeof clHostMemAllocINTEL;
  /** See {@link clDeviceMemAllocINTEL}. */
  readonly clDeviceMemAllocINTEL: typeof clDeviceMemAllocINTEL;
  /** See {@link clSharedMemAllocINTEL}. */
  readonly clSharedMemAllocINTEL: typeof clSharedMemAllocINTEL;
  /** See {@link clMemFreeINTEL}. */
  readonly clMemFreeINTEL: typeof clMemFreeINTEL;
  /** See {@link clMemBlockingFreeINTEL}. */
  readonly clMemBlockingFreeINTEL: typeof clMemBlockingFreeINTEL;
  /** See {@link clGetMemAllocInfoINTEL}. */
  readonly clGetMemAllocInfoINTEL: typeof clGetMemAllocInfoINTEL;
  /** See {@link clSetKernelArgMemPointerINTEL}. */
  readonly clSetKernelArgMemPointerINTEL: typeof clSetKernelArgMemPointerINTEL;
  /** See {@link clEnqueueMemFillINTEL}. */
  readonly clEnqueueMemFillINTEL: typeof clEnqueueMemFillINTEL;
  /** See {@link clEnqueueMemcpyINTEL}. */
  readonly clEnqueueMemcpyINTEL: typeof clEnqueueMemcpyINTEL;
  /** See {@link clEnqueueMigrateMemINTEL}. */
  readonly clEnqueueMigrateMemINTEL: typeof clEnqueueMigrateMemINTEL;
  /** See {@link clEnqueueMemAdviseINTEL}. */
  readonly clEnqueueMemAdviseINTEL: typeof clEnqueueMemAdviseINTEL;
  /** See {@link clEnqueueMemsetINTEL}. */
  readonly clEnqueueMemsetINTEL: typeof clEnqueueMemsetINTEL;
  /** See {@link clGetKernelSuggestedLocalWorkSizeKHR}. */
  readonly clGetKernelSuggestedLocalWorkSizeKHR: typeof clGetKernelSuggestedLocalWorkSizeKHR;
  /** See {@link clGetKernelWFVInfoMUXKIT}. */
  readonly clGetKernelWFVInfoMUXKIT: typeof clGetKernelWFVInfoMUXKIT;
  /** See {@link clSetKernelExecInfoMUXKIT}. */
  readonly clSetKernelExecInfoMUXKIT: typeof clSetKernelExecInfoMUXKIT;
  /** See {@link clSetThreadsMUXKIT}. */
  readonly clSetThreadsMUXKIT: typeof clSetThreadsMUXKIT;
}

const FUNCTIONS: ExtensionFunctions = {
  clCreateCommandQueueWithPropertiesKHR,
  clCreateProgramWithILKHR,
  clCreateCommandBufferKHR,
  clRetainCommandBufferKHR,
  clReleaseCommandBufferKHR,
  clFinalizeCommandBufferKHR,
  clEnqueueCommandBufferKHR,
  clCommandBarrierWithWaitListKHR,
  clCommandCopyBufferKHR,
  clCommandCopyBufferRectKHR,
  clCommandCopyBufferToImageKHR,
  clCommandCopyImageKHR,
  clCommandCopyImageToBufferKHR,
  clCommandFillBufferKHR,
  clCommandFillImageKHR,
  clCommandSVMMemcpyKHR,
  clCommandSVMMemFillKHR,
  clCommandNDRangeKernelKHR,
  clGetCommandBufferInfoKHR,
  clUpdateMutableCommandsKHR,
  clGetMutableCommandInfoKHR,
  clHostMemAllocINTEL,
  clDeviceMemAllocINTEL,
  clSharedMemAllocINTEL,
  clMemFreeINTEL,
  clMemBlockingFreeINTEL,
  clGetMemAllocInfoINTEL,
  clSetKernelArgMemPointerINTEL,
  clEnqueueMemFillINTEL,
  clEnqueueMemcpyINTEL,
  clEnqueueMigrateMemINTEL,
  clEnqueueMemAdviseINTEL,
  clEnqueueMemsetINTEL,
  clGetKernelSuggestedLocalWorkSizeKHR,
  clGetKernelWFVInfoMUXKIT,
  clSetKernelExecInfoMUXKIT,
  clSetThreadsMUXKIT,
};

/** A function of an extension by its name; null: there is none of that name. @public */
export type ExtensionFunction<Name extends string> = Name extends keyof ExtensionFunctions
  ? ExtensionFunctions[Name]
  : null;

/**
 * A function of an extension, by its name; null: the platform has none of that name. Errors: CL_INVALID_PLATFORM.
 *
 * @public
 */
export function clGetExtensionFunctionAddressForPlatform<Name extends string>(
  platform: Platform,
  name: Name,
): ExtensionFunction<Name> {
  ensure(
    platform instanceof Platform,
    "CL_INVALID_PLATFORM",
    "clGetExtensionFunctionAddressForPlatform",
    "the value is not a platform",
  );
  return clGetExtensionFunctionAddress(name);
}

/** The same without a platform, of OpenCL 1.1. @public */
export function clGetExtensionFunctionAddress<Name extends string>(name: Name): ExtensionFunction<Name> {
  const found = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name as keyof ExtensionFunctions] : null;
  return (found === null ? null : (TRACED_FORMS.get(found) ?? found)) as ExtensionFunction<Name>;
}

/**
 * Announces that no program will be built soon. The compiler keeps nothing between builds that would be worth
 * releasing, so nothing happens. Errors: CL_INVALID_PLATFORM.
 *
 * @public
 */
export function clUnloadPlatformCompiler(platform: Platform): void {
  ensure(
    platform instanceof Platform,
    "CL_INVALID_PLATFORM",
    "clUnloadPlatformCompiler",
    "the value is not a platform",
  );
}

/** The same of OpenCL 1.1, for all platforms. @public */
export function clUnloadCompiler(): void {
  // There is one platform, and its compiler keeps nothing.
}
