/**
 * @muxkit/metadata.
 *
 * @packageDocumentation
 */
export {};
