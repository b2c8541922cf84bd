/**
 * @muxkit/host-compiler.
 *
 * @packageDocumentation
 */
export {};
