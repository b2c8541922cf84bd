// SPDX-License-Identifier: Apache-2.0
// Vulkan's errors: one class, with the result, the call, the rule that was broken and the cause.
import type { Result } from "@muxkit/cargo";
import { type MuxError, MuxResult } from "@muxkit/mux";

import { ResultCode, type VkResult } from "./generated/results.ts";

/** What every call of this package throws when it fails: a result below zero. @public */
export class VulkanError extends Error {
  /** The number of the result. */
  readonly code: number;
  /** Its name, for example `VK_ERROR_DEVICE_LOST`. */
  override readonly name: VkResult;
  /** The call, for example `vkCreateBuffer`. */
  readonly call: string;
  /** The rule of valid usage that was broken, for example `VUID-vkMapMemory-size-00681`; empty: it is none. */
  readonly rule: string;

  /** Makes one. `message` is one sentence: what, where, what to do. */
  constructor(
    name: VkResult,
    call: string,
    message: string,
    { rule = "", cause }: { readonly rule?: string; readonly cause?: unknown } = {},
  ) {
    super(`${call}: ${message} (${rule === "" ? name : rule})`, cause === undefined ? undefined : { cause });
    this.name = name;
    this.code = ResultCode[name];
    this.call = call;
    this.rule = rule;
  }
}

/** The error for a call that is not valid. */
export function invalid(call: string, message: string, rule: string = ""): VulkanError {
  return new VulkanError("VK_ERROR_VALIDATION_FAILED_EXT", call, message, { rule });
}

const NAMES: Readonly<Record<number, VkResult>> = {
  [MuxResult.error_out_of_memory]: "VK_ERROR_OUT_OF_DEVICE_MEMORY",
  [MuxResult.error_feature_unsupported]: "VK_ERROR_FEATURE_NOT_PRESENT",
  [MuxResult.error_invalid_value]: "VK_ERROR_VALIDATION_FAILED_EXT",
  [MuxResult.error_device_entry_hook_failed]: "VK_ERROR_INITIALIZATION_FAILED",
  [MuxResult.error_fence_failure]: "VK_ERROR_DEVICE_LOST",
};

/** The value of a call of the runtime, or its error thrown as Vulkan's. */
export function fromMux<T>(call: string, result: Result<T, MuxError>): T {
  if (result.ok) return result.value;
  const { code, message } = result.error;
  throw new VulkanError(NAMES[code] ?? "VK_ERROR_UNKNOWN", call, message, { cause: result.error });
}
