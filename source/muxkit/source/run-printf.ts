// SPDX-License-Identifier: Apache-2.0
/**
 * `muxkit/run/printf`: what kernels of `muxkit/run` print. The bundlers' plugins import it where kernels print.
 *
 * @packageDocumentation
 */
export { PRINTF } from "@muxkit/host/launcher";
