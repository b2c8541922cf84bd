// SPDX-License-Identifier: Apache-2.0
// Errors of containers.

/** Kind of a container's error. @public */
export type CargoErrorCode =
  | "bad_alloc"
  | "bad_argument"
  | "out_of_bounds"
  | "overflow"
  | "unknown_error"
  | "unsupported";

/** An error of a container. @public */
export interface CargoError {
  /** Kind. */
  readonly code: CargoErrorCode;
  /** One sentence. */
  readonly message: string;
}

/** Makes an error. @public */
export function cargoError(code: CargoErrorCode, message: string): CargoError {
  return { code, message };
}
