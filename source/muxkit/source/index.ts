/**
 * muxkit.
 *
 * @packageDocumentation
 */
export {};
