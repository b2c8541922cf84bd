// SPDX-License-Identifier: Apache-2.0
/**
 * Runs PTX without a GPU: a driver in memory behind the interface of `@muxkit/cuda`.
 *
 * @packageDocumentation
 */
export { type PtxDriverOptions, ptxDriver, serialPtxDriver } from "./driver.ts";
