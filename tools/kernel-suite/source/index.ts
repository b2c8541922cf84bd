/**
 * @muxkit/kernel-suite.
 *
 * @packageDocumentation
 */
export {};
