/**
 * @muxkit/report.
 *
 * @packageDocumentation
 */
export {};
