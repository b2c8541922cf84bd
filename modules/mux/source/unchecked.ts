// SPDX-License-Identifier: Apache-2.0
/**
 * The entry points without their checks, for APIs that pass checked values only: they are a tenth of the bytes. A
 * value that `@muxkit/mux` would refuse may do anything here. The objects are the same.
 *
 * @packageDocumentation
 */
export * from "./generated/calls.ts";
export { muxTryWaitAsync, muxWaitAllAsync } from "./calls-async.ts";
