/**
 * The runtime API. So far: what a device says of itself, which compilers need.
 *
 * @packageDocumentation
 */
export type { MuxDeviceInfo } from "./device-info.ts";
