// SPDX-License-Identifier: Apache-2.0
/**
 * The runtime API: entry points with their checks, objects, the interface of targets. Made from tools/api/mux.xml.
 *
 * @packageDocumentation
 */
export { type MuxDeviceInfo, idLimit } from "./device-info.ts";
export { muxError, type MuxError, type MuxFailure } from "./error.ts";
export { MuxObject, type ObjectState } from "./object.ts";
export { muxReachesMemory, muxSharesObjects } from "./checks.ts";
export {
  DEFAULT_ALLOCATOR,
  OBJECT_BYTES,
  muxCreateDevices,
  muxGetDeviceInfos,
  muxGetSubDeviceInfo,
  registerTarget,
} from "./registry.ts";
export * from "./generated/enums.ts";
export * from "./generated/structs.ts";
export * from "./generated/entry-points.ts";
export { type MuxPrintListener, muxOfferPrinted, muxSetPrintListener } from "./print-listener.ts";
export { muxTryWaitAsync, muxWaitAllAsync } from "./waits.ts";
export type { MuxTarget } from "./generated/target.ts";
export { STUB_TARGET } from "./generated/stub-target.ts";
