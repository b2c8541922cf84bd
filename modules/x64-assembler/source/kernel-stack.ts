// SPDX-License-Identifier: Apache-2.0
// The stack of kernels, as generators, verifiers and the runtime agree on it.

/** Bytes of its stack that a kernel's code may use. What runs it has these, and some for itself. @public */
export const KERNEL_STACK_BYTES: number = 0xb_0000 - 256;
