/**
 * @muxkit/passes.
 *
 * @packageDocumentation
 */
export {};
