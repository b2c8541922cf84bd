// SPDX-License-Identifier: Apache-2.0
// Failures of the driver in the runtime's terms, and which of them lose the GPU.
import { type Result, err } from "@muxkit/cargo";
import { type MuxFailure, MuxResult } from "@muxkit/mux";

import type { DriverError } from "./driver.ts";

/**
 * `CUresult`s after which every call of the process fails: a machine check, a kernel that reached an address that is
 * not its own, ran an instruction that is none or was ended.
 */
const LOSING: ReadonlySet<number> = new Set([
  46, 214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 720, 721,
]);

/** `CUDA_ERROR_OUT_OF_MEMORY`. */
const OUT_OF_MEMORY = 2;

/** True when the GPU is of no use to this process any more. */
export function isLosing({ code }: DriverError): boolean {
  return LOSING.has(code);
}

/** A failure of `what`. */
export function failureOf(what: string, error: DriverError): MuxFailure {
  const code = error.code === OUT_OF_MEMORY ? MuxResult.error_out_of_memory : MuxResult.error_failure;
  return { code, message: `${what}: ${error.message}` };
}

/** What is said when a GPU is lost, once. */
export function lossText(device: string, kernels: string, reason: string): string {
  return (
    `${device} is lost to this process: ${kernels === "" ? "" : `${kernels}: `}${reason}. Only a new process can use ` +
    "it again"
  );
}

/** A failure as a result. */
export function failed(code: MuxResult, message: string): Result<never, MuxFailure> {
  return err({ code, message });
}

export const PREVENTED: MuxFailure = {
  code: MuxResult.error_fence_failure,
  message: "something that this work waits for has failed",
};

export const DESTROYED: MuxFailure = {
  code: MuxResult.error_failure,
  message: "the device was destroyed before the work was complete",
};

/** Work that waits for a semaphore that nothing signals. */
export const STUCK: MuxFailure = {
  code: MuxResult.error_failure,
  message: "what is waited for can never complete: it waits for a semaphore that no dispatch signals",
};

/** What is said when a GPU that was lost is used again, and of what was on its way. */
export const LOST_BEFORE = "the GPU was lost earlier, as the error then said";
export const LOST_MEANWHILE = "the GPU was lost before this work was complete";
