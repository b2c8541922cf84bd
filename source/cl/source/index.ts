/**
 * @muxkit/opencl.
 *
 * @packageDocumentation
 */
export {};
