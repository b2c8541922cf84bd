// SPDX-License-Identifier: Apache-2.0
/**
 * Fast data-parallel code in OpenCL C, with nothing to install: open a device, build a program, call a kernel like a
 * function.
 *
 * @packageDocumentation
 */
export * from "./device-api.ts";
export type { DeviceType } from "./device-choice.ts";
export { type BuildOptions, Device, type DeviceOptions, type SamplerOptions } from "./device.ts";
export { openDevice, openDeviceSync } from "./open-device.ts";
export type { KernelsOf } from "./kernel-types.ts";
export type { AddressingMode, FilterMode, ImageFormat, ImageObjectType } from "@muxkit/opencl";
