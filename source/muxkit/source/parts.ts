// SPDX-License-Identifier: Apache-2.0
/**
 * `muxkit/parts`: the host's device without its compiler, and how that is loaded when it is needed. For packages
 * next to this one.
 *
 * @packageDocumentation
 */
export { type HostEnvironment, NODE_ENVIRONMENT, type NativeVerifier, useNativeVerifier } from "@muxkit/host";
export { programStore } from "./cache/cache-folder.ts";
export { runCompileThread } from "./edge/compile-jobs.ts";
export { type CompileThreadData, startCompileThread, mostCompileThreads } from "./edge/compile-port.ts";
export { devicesFor } from "./device-choice.ts";
export { hostDeviceFor } from "./host-platform.ts";
export { useNodeCompiler } from "./node-compiler.ts";
