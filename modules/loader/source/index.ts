/**
 * @muxkit/loader.
 *
 * @packageDocumentation
 */
export {};
