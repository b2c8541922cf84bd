// SPDX-License-Identifier: Apache-2.0
// The verifier for a whole code object.
import type { Result } from "@muxkit/cargo";

import type { CodeObject } from "./code-object.ts";
import { KERNEL_STACK_BYTES } from "./kernel-stack.ts";
import { type Refusal, type VerifiedCode, verifyCode } from "./verify.ts";

/**
 * Whether a code object may run; `features` are bits of what its instructions may need, see {@link featureBit}.
 *
 * @public
 */
export function verifyObject(
  { bytes, codeBytes, functions }: Pick<CodeObject, "bytes" | "codeBytes" | "functions">,
  features: number,
): Result<VerifiedCode, Refusal> {
  const entries = functions.map(({ offset }) => offset);
  return verifyCode({ bytes, codeSize: codeBytes, entries, features, stackBytes: KERNEL_STACK_BYTES });
}
