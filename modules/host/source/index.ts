/**
 * @muxkit/host.
 *
 * @packageDocumentation
 */
export {};
