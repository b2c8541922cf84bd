/**
 * @muxkit/compiler-base.
 *
 * @packageDocumentation
 */
export {};
