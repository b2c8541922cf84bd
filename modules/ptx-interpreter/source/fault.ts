// SPDX-License-Identifier: Apache-2.0
// What ends a launch: an access or instruction that hardware refuses. Codes are those of CUresult.

/** Codes that a launch ends with. */
export const ILLEGAL_ADDRESS = 700;
export const LAUNCH_TIMEOUT = 702;
export const MISALIGNED_ADDRESS = 716;
export const LAUNCH_FAILED = 719;

/** Thrown by steps, caught by the launch, which adds where it was. */
export class Fault extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
