/**
 * @muxkit/bake.
 *
 * @packageDocumentation
 */
export {};
