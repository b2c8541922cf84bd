// SPDX-License-Identifier: Apache-2.0
// Errors of readers of our formats.

/**
 * Why bytes were refused. `foreign`: not a file of this kind at all. `wrong_version`: of this kind, but in another
 * format version. `damaged`: of this kind and version, but truncated, changed or inconsistent.
 *
 * @public
 */
export type MetadataErrorCode = "foreign" | "wrong_version" | "damaged";

/** Why bytes were refused, and where. @public */
export interface MetadataError {
  /** Kind of the error. */
  readonly code: MetadataErrorCode;
  /** Byte offset in the input. */
  readonly offset: number;
  /** One sentence; it names the offset. */
  readonly message: string;
}

/** Makes an error; the offset is put in front of the sentence. @public */
export function metadataError(code: MetadataErrorCode, offset: number, message: string): MetadataError {
  return { code, offset, message: `at byte ${offset}: ${message}` };
}
