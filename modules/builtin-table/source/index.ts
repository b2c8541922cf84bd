/**
 * @muxkit/builtin-table.
 *
 * @packageDocumentation
 */
export {};
