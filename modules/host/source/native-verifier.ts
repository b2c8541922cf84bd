// SPDX-License-Identifier: Apache-2.0
// Where the verifier of native code is.

/** What verifies native code: `verifyObject` of `@muxkit/x64-assembler`. @public */
export type NativeVerifier = Pick<typeof import("@muxkit/x64-assembler"), "verifyObject">;

/** Why code of others cannot run where there is no verifier. */
export const NO_VERIFIER = "it has to be verified, and this program, which was bundled, has no @muxkit/x64-assembler";

let load: (() => NativeVerifier) | null = null;

/**
 * Says where the verifier is, which is loaded for the first code that others made: programs that were bundled do not
 * find the package.
 *
 * @public
 */
export function useNativeVerifier(from: () => NativeVerifier): void {
  load = from;
}

/** What {@link useNativeVerifier} was given; null: nothing. */
export function givenVerifier(): NativeVerifier | null {
  return load?.() ?? null;
}
