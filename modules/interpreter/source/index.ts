/**
 * @muxkit/interpreter.
 *
 * @packageDocumentation
 */
export {};
