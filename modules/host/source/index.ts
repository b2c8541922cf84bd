// SPDX-License-Identifier: Apache-2.0
/**
 * The CPU target's runtime half: memory, executables, command buffers and worker threads.
 *
 * @packageDocumentation
 */
export { HostDevice, type ArrayType, type DeviceStatistics, type WaitResult } from "./device.ts";
export type { DispatchOptions } from "./dispatch-record.ts";
export { hostDeviceInfo } from "./device-info.ts";
export type { Box, BoxSize } from "@muxkit/hal";
export { HostCommandBuffer, type WaitList } from "./command-buffer.ts";
export { completeTarget, hostTarget } from "./host-target.ts";
export { addHostParts, hostDevice, hostQueue, pageTarget } from "./mux-target.ts";
export { HostPlatform } from "./platform.ts";
export { PRINTF } from "./printf-part.ts";
export {
  HostMuxBuffer,
  HostMuxCommandBuffer,
  HostMuxDevice,
  HostMuxExecutable,
  HostMuxFence,
  HostMuxImage,
  HostMuxKernel,
  HostMuxLaunch,
  HostMuxMemory,
  HostMuxQueryPool,
  HostMuxQueue,
  HostMuxSemaphore,
} from "./mux-objects.ts";
export {
  type BufferRange,
  HostBuffer,
  HostExecutable,
  HostFence,
  HostKernel,
  HostQueryPool,
  HostSemaphore,
  type Duration,
  type ImageRange,
} from "./objects.ts";
export type { LaunchSuccessor, LaunchWatch } from "./launch.ts";
export type { HostArgument, LaunchRequest } from "./launch-request.ts";
export { optimizeCode } from "./load-executable.ts";
export type { PreparedLaunch } from "./prepared-launch.ts";
export type { HostError, HostErrorCode } from "./host-error.ts";
export type { HostOptions } from "./options.ts";
export { launcherSettings } from "./launcher-settings.ts";
export { type FlaggedFeature, FLAGGED_FEATURES, compileOptimized } from "./engine.ts";
export type { NativeMode } from "./native-part.ts";
export { type NativeVerifier, useNativeVerifier } from "./native-verifier.ts";
export { type NativeStatus, nativeStatus } from "./native-status.ts";
export { HOST_SETTING_DOCS } from "./setting-docs.table.ts";
export { HOST_SETTINGS, type HostSettings, givenHostSetting } from "./settings.table.ts";
export type { AllocationKind, HostEnvironment, WorkerHandle } from "./environment.ts";
export { NODE_ENVIRONMENT } from "./node-environment.ts";
export { WEB_ENVIRONMENT } from "./web-environment.ts";
export type { WorkerSettings } from "./worker-settings.ts";
export type { Clock, ClockEpoch } from "./clock.ts";
export type { WasmMemory, WasmModule } from "./web-assembly.ts";
