/**
 * @muxkit/ir.
 *
 * @packageDocumentation
 */
export {};
