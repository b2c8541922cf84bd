// SPDX-License-Identifier: Apache-2.0
// Rows of the table of built-in functions.

/**
 * How a built-in's result depends on the work-item.
 * `like-inputs`: varies when an argument does. `varying`: differs between work-items. `uniform`: the same for all
 * work-items of a group.
 *
 * @public
 */
export type Uniformity = "like-inputs" | "varying" | "uniform";

/** One built-in: a name (or a family of names) with the patterns of its overloads. @public */
export interface BuiltinRow {
  /** Name in OpenCL C. */
  readonly name: string;
  /**
   * Patterns `result(parameters)`. In them T is the generic type, S its scalar; U and I its unsigned and signed twin; N
   * an int with T's lanes; C the result type of a comparison of T; D the int type of T's width and lanes, W the type of
   * twice T's width; S2, U4 and their like lanes of their own; `s:X`, `f:X`, `w:X`, `q:X` the image type X in an access
   * that sampling, reading without a sampler, writing or asking allows; `*X` a pointer to X in any address space, `^X`
   * a pointer to const X; `@X` one into global memory; other words are OpenCL C types.
   */
  readonly patterns: readonly string[];
  /**
   * Classes that T ranges over: f float and double with their vectors, g float only, h half, i every int type, s and u
   * the signed and unsigned ones, w int and uint, n 8 to 32 bits, v vectors only, c scalars only, x three or four
   * components, y at most four, z not three. Empty: no T.
   */
  readonly classes: string;
  /**
   * Key of the lowering; `library`: a function of the built-in library, applied lane by lane to vectors;
   * `library-whole`: one that takes vectors as they are. Where T is half the library computes in float; `library-own`:
   * it has a function for halves.
   */
  readonly lowering: string;
  /** Convergent: all work-items of the group must execute it together. */
  readonly isConvergent: boolean;
  /** No effect but its result. */
  readonly isPure: boolean;
  /** How the result varies. */
  readonly uniformity: Uniformity;
  /** First version of OpenCL C that has it, for example 120. */
  readonly since: number;
  /** Required macros of features (`__opencl_c_pipes`) and extensions (`cl_khr_fp16`). */
  readonly needs: readonly string[];
}

/**
 * A row as it is written: names separated by blanks, patterns by semicolons; absent properties have their defaults.
 *
 * @public
 */
export type ShortRow = readonly [
  names: string,
  patterns: string,
  classes: string,
  lowering: string,
  properties?: Partial<BuiltinRow>,
];
