/**
 * @muxkit/opencl-c.
 *
 * @packageDocumentation
 */
export {};
