// SPDX-License-Identifier: Apache-2.0
// What a module is compiled from: the name of a front end, a source in its representation, and what the front end may
// see of the world.

/** A header for `#include`, by its name. @public */
export interface Header {
  /** Name as `#include` writes it. */
  readonly name: string;
  /** Its text. */
  readonly source: string;
}

/** The headers and files that an API layer makes accessible to a front end. @public */
export interface SourceEnvironment {
  /** Headers by name; they come before the include directories. */
  readonly headers: readonly Header[];
  /** Reads a file of an include directory; null when there is none. Absent: no files. */
  readonly readFile?: (path: string) => string | null;
}

/** Without headers and files. @public */
export const NO_ENVIRONMENT: SourceEnvironment = { headers: [] };

/**
 * The source of a program. `kind` names the front end: `opencl-c` (text), `ir` (the kit's IR as text or in its binary
 * form), or one that is registered with `registerFrontEnd` of `@muxkit/compiler-base`.
 *
 * @public
 */
export interface ProgramInput {
  /** Name of the front end. */
  readonly kind: string;
  /** The source, in the representation that the front end reads. */
  readonly source: string | Uint8Array;
  /** Headers and files; absent: {@link NO_ENVIRONMENT}. */
  readonly environment?: SourceEnvironment;
  /**
   * Values of specialization constants by their ids, little-endian, where the front end's language has them; absent,
   * and for others: their defaults.
   */
  readonly specialization?: ReadonlyMap<number, Uint8Array>;
  /**
   * How many descriptors there are in arrays of shaders that do not say it, by `set,binding`; absent: none is known.
   */
  readonly descriptorCounts?: ReadonlyMap<string, number>;
  /**
   * Work-items that each sub-group of the program's shaders must have; absent: as many as their modules say, or any.
   */
  readonly requiredSubGroupSize?: number;
}

/** An input of OpenCL C. @public */
export function openclC(source: string, environment: SourceEnvironment = NO_ENVIRONMENT): ProgramInput {
  return { kind: "opencl-c", source, environment };
}
