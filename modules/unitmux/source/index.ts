/**
 * @muxkit/unitmux.
 *
 * @packageDocumentation
 */
export {};
