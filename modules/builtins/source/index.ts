/**
 * @muxkit/builtins.
 *
 * @packageDocumentation
 */
export {};
