// SPDX-License-Identifier: Apache-2.0
// Kernels and shared virtual memory (OpenCL 3.0, 5.9.2).
import { MuxDescriptorType } from "@muxkit/mux";

import type { MemoryRange } from "./allocation-list.ts";
import { OpenCLError, ensure } from "./error.ts";
import { Kernel, type KernelState, NULL_ARGUMENT, argumentInfo } from "./kernel.ts";
import { live } from "./object.ts";
import type { Context } from "./platform.ts";
import { type SvmPointer, findSvm, ensureSvm } from "./svm.ts";
import { type UsmPointer, findUsm } from "./usm.ts";

function svmKernel(call: string, kernel: Kernel): Kernel {
  live(kernel, Kernel, "CL_INVALID_KERNEL", call);
  ensureSvm(call, kernel.program.context);
  return kernel;
}

/**
 * Sets an argument that points to global or constant memory to a range in shared virtual memory; 0 is null.
 * Errors: CL_INVALID_KERNEL, CL_INVALID_OPERATION without shared virtual memory, CL_INVALID_ARG_INDEX,
 * CL_INVALID_ARG_VALUE for an argument of another kind and for a pointer into no allocation.
 *
 * @public
 */
export function clSetKernelArgSVMPointer(kernel: Kernel, index: number, pointer: SvmPointer): void {
  const call = "clSetKernelArgSVMPointer";
  setPointerArgument(call, svmKernel(call, kernel), index, pointer, findSvm, "clSVMAlloc");
}

/**
 * Sets an argument that points to global or constant memory to a range in unified shared memory; 0 is null.
 * Errors: CL_INVALID_KERNEL, CL_INVALID_ARG_INDEX, CL_INVALID_ARG_VALUE for an argument of another kind and for a
 * pointer into no allocation.
 *
 * @public
 */
export function clSetKernelArgMemPointerINTEL(kernel: Kernel, index: number, pointer: UsmPointer): void {
  const call = "clSetKernelArgMemPointerINTEL";
  setPointerArgument(
    call,
    live(kernel, Kernel, "CL_INVALID_KERNEL", call),
    index,
    pointer,
    findUsm,
    "unified shared memory",
  );
}

/** The allocation and offset of a pointer; null: in none. */
type FindRange = (context: Context, pointer: number) => MemoryRange | null;

/** Finds pointers of either kind. */
export const findPointer: FindRange = (context, pointer) => findSvm(context, pointer) ?? findUsm(context, pointer);

/** Sets an argument to a pointer. Errors: those of {@link clSetKernelArgSVMPointer} except for the kernel. */
export function setPointerArgument(
  call: string,
  kernel: KernelState,
  index: number,
  pointer: number,
  find: FindRange,
  memory: string,
): void {
  const argument = argumentInfo(call, kernel, index);
  ensure(
    argument.kind === "pointer",
    "CL_INVALID_ARG_VALUE",
    call,
    `argument ${index} (${argument.typeName} ${argument.name}) is not a pointer to global or constant memory`,
  );
  if (pointer === 0) {
    kernel.arguments[index] = NULL_ARGUMENT;
    return;
  }
  const range = Number.isSafeInteger(pointer) ? find(kernel.program.context, pointer) : null;
  if (range === null)
    throw new OpenCLError("CL_INVALID_ARG_VALUE", call, `${pointer} is not within an allocation of ${memory}`);
  const { buffer, offset } = range;
  const before = kernel.arguments[index];
  // The same pointer again is the same argument, so that its launches are recognised.
  const isSame =
    before?.buffer === buffer &&
    before.descriptor.type === MuxDescriptorType.buffer &&
    before.descriptor.offset === offset;
  if (!isSame)
    kernel.arguments[index] = { descriptor: { type: MuxDescriptorType.buffer, buffer: buffer.buffer, offset }, buffer };
}

/** Parameters of clSetKernelExecInfo, by name. @public */
export interface KernelExecInfo {
  /** Allocations that the kernel reaches through pointers in memory. */
  readonly CL_KERNEL_EXEC_INFO_SVM_PTRS: readonly SvmPointer[];
  /** Whether it reaches the host's own memory. */
  readonly CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM: boolean;
  /** Allocations of unified shared memory that it reaches through pointers in memory. */
  readonly CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL: readonly UsmPointer[];
  /** Whether it reaches any allocation of the host's so. */
  readonly CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL: boolean;
  /** Whether it reaches any allocation of a device's so. */
  readonly CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL: boolean;
  /** Whether it reaches any shared allocation so. */
  readonly CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL: boolean;
}

function checkPointers(
  call: string,
  { program }: KernelState,
  pointers: readonly number[],
  find: FindRange,
  memory: string,
): void {
  ensure(
    Array.isArray(pointers) && pointers.length > 0,
    "CL_INVALID_VALUE",
    call,
    "the pointers are not a non-empty list",
  );
  for (const pointer of pointers)
    ensure(
      find(program.context, pointer) !== null,
      "CL_INVALID_VALUE",
      call,
      `${pointer} is not within an allocation of ${memory}`,
    );
}

function checkBoolean(call: string, _kernel: KernelState, value: boolean): void {
  ensure(typeof value === "boolean", "CL_INVALID_VALUE", call, "the value is neither true nor false");
}

const EXEC_INFO: {
  readonly [Name in keyof KernelExecInfo]: (call: string, kernel: KernelState, value: KernelExecInfo[Name]) => void;
} = {
  // Kernels reach every allocation of their device, named or not: there is nothing to keep.
  CL_KERNEL_EXEC_INFO_SVM_PTRS: (call, kernel, pointers) => {
    ensureSvm(call, kernel.program.context);
    checkPointers(call, kernel, pointers, findSvm, "clSVMAlloc");
  },
  CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM: (call, kernel, value) => {
    ensureSvm(call, kernel.program.context);
    checkBoolean(call, kernel, value);
    ensure(
      !value,
      "CL_INVALID_OPERATION",
      call,
      "kernels cannot access memory of the host: the device lacks CL_DEVICE_SVM_FINE_GRAIN_SYSTEM",
    );
  },
  CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL: (call, kernel, pointers) => {
    checkPointers(call, kernel, pointers, findUsm, "unified shared memory");
  },
  CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL: checkBoolean,
  CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL: checkBoolean,
  CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL: checkBoolean,
};

/**
 * Announces what else a kernel will reach. Errors: CL_INVALID_KERNEL, CL_INVALID_VALUE for a name that there is not,
 * pointers into no allocation and values of another type, CL_INVALID_OPERATION without shared virtual memory and for
 * the host's own memory.
 *
 * @public
 */
export function clSetKernelExecInfo<Name extends keyof KernelExecInfo>(
  kernel: Kernel,
  name: Name,
  value: KernelExecInfo[Name],
): void {
  const call = "clSetKernelExecInfo";
  checkExecInfo(call, live(kernel, Kernel, "CL_INVALID_KERNEL", call), name, value);
}

/** Checks such a parameter of a kernel. Errors: those of {@link clSetKernelExecInfo} except for the kernel. */
export function checkExecInfo<Name extends keyof KernelExecInfo>(
  call: string,
  kernel: KernelState,
  name: Name,
  value: KernelExecInfo[Name],
): void {
  ensure(
    Object.hasOwn(EXEC_INFO, name),
    "CL_INVALID_VALUE",
    call,
    `${name} is not known; the known ones are ${Object.keys(EXEC_INFO).join(", ")}`,
  );
  EXEC_INFO[name](call, kernel, value);
}
