/**
 * @muxkit/wasm.
 *
 * @packageDocumentation
 */
export {};
