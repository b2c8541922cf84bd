/**
 * @muxkit/mux.
 *
 * @packageDocumentation
 */
export {};
