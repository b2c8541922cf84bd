// SPDX-License-Identifier: Apache-2.0
// What tests take for granted.
import type { Result } from "@muxkit/cargo";

/** The value of a result; throws what it says where there is none. */
export function must<T>(result: Result<T, { readonly message: string }>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}
