// SPDX-License-Identifier: Apache-2.0
/**
 * Machine code in Node: loaded, called, its faults as values.
 *
 * @packageDocumentation
 */
export { bridgePath } from "./bridge-file.ts";
export { KERNEL_STACK_BYTES } from "@muxkit/x64-assembler/kernel-stack";
export { CODE_SPACE_BYTES } from "./bridge-layout.ts";
export { LARGE_PAGE, Bridge, loadBridge, openBridge } from "./bridge.ts";
export { CodeSpace } from "./code-space.ts";
export { REACH_BYTES, isGuarded } from "./guard.ts";
export { likelyFeatures, listedFeatures } from "./likely-features.ts";
export { maySetGsBase } from "./system.ts";
export { type CallEnd, type NativeFunction, NativeThread } from "./thread.ts";
