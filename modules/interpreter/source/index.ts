/**
 * @muxkit/interpreter.
 *
 * @packageDocumentation
 */
