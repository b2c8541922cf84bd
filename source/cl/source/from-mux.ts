// SPDX-License-Identifier: Apache-2.0
// Results of the runtime as OpenCL's errors.
import type { Result } from "@muxkit/cargo";
import { type MuxError, MuxResult } from "@muxkit/mux";

import { type ErrorName, OpenCLError } from "./error.ts";

const NAMES: Readonly<Record<number, ErrorName>> = {
  [MuxResult.error_out_of_memory]: "CL_MEM_OBJECT_ALLOCATION_FAILURE",
  [MuxResult.error_invalid_binary]: "CL_INVALID_BINARY",
  [MuxResult.error_feature_unsupported]: "CL_INVALID_OPERATION",
  [MuxResult.error_missing_kernel]: "CL_INVALID_KERNEL_NAME",
  [MuxResult.error_invalid_value]: "CL_INVALID_VALUE",
};

/** The result of `make`; when it throws, `undo` first releases what was made for it. */
export function orElse<T>(undo: () => void, make: () => T): T {
  try {
    return make();
  } catch (error) {
    undo();
    throw error;
  }
}

/**
 * The same for calls that need memory for anything but memory objects: CL_OUT_OF_RESOURCES where that is short.
 */
export function fromMuxResources<T>(call: string, result: Result<T, MuxError>): T {
  return fromMux(
    call,
    result,
    !result.ok && result.error.code === MuxResult.error_out_of_memory ? "CL_OUT_OF_RESOURCES" : undefined,
  );
}

/**
 * The value of a runtime call, or its error thrown as OpenCL's; `name` when there is a better one than the runtime's
 * code tells.
 */
export function fromMux<T>(call: string, result: Result<T, MuxError>, name?: ErrorName): T {
  if (result.ok) return result.value;
  throw new OpenCLError(
    name ?? NAMES[result.error.code] ?? "CL_OUT_OF_RESOURCES",
    call,
    result.error.message,
    result.error,
  );
}
