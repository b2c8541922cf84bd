/**
 * The math library of Muxkit: what its functions are allowed to be off.
 *
 * @packageDocumentation
 */
export { MATH_FUNCTIONS, type MathFunction, type MathType } from "./limits.table.ts";
