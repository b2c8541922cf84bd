// SPDX-License-Identifier: Apache-2.0
// Names with versions, as queries of languages, extensions and features give them.

/** A name with its version, packed: ten bits major, ten minor, twelve patch (cl_name_version). @public */
export interface NameVersion {
  /** Name of a language, extension or feature. */
  readonly name: string;
  /** Its version. */
  readonly version: number;
}
