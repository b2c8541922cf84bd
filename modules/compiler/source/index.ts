/**
 * @muxkit/compiler.
 *
 * @packageDocumentation
 */
export {};
