// SPDX-License-Identifier: Apache-2.0
/**
 * NVIDIA GPUs as a target of the runtime API, with nothing installed but the driver and koffi.
 *
 * @packageDocumentation
 */
import { type Result, err, ok } from "@muxkit/cargo";
import { halTarget } from "@muxkit/hal";
import { type MuxTarget, MuxResult } from "@muxkit/mux";

import { CudaDevice } from "./device.ts";
import { deviceInfo } from "./device-info.ts";
import type { CudaDriver } from "./driver.ts";
import { openLibCuda } from "./libcuda.ts";

export type {
  CudaDriver,
  CudaGpu,
  DriverError,
  GpuCopy,
  GpuFacts,
  GpuLaunch,
  GpuSet,
  GpuWork,
  Grid,
  Handle,
  HostBlock,
} from "./driver.ts";
export { type SerialDriver, overSerial } from "./serial-driver.ts";
export type { CodeStore } from "./code-cache.ts";
export { CudaDevice } from "./device.ts";
export { deviceInfo } from "./device-info.ts";
export { openLibCuda } from "./libcuda.ts";

/** What a user may choose. @public */
export interface CudaOptions {
  /** Receives what kernels print, once for each launch that prints. Absent: the standard output. */
  readonly print?: (text: string) => void;
}

/** A target of the GPUs that a driver finds. @public */
export function cudaTargetOf(
  driver: CudaDriver,
  { print = (text) => process.stdout.write(text) }: CudaOptions = {},
): MuxTarget {
  return halTarget({
    name: "cuda",
    devices: driver.gpus.map(deviceInfo),
    open: (index) => {
      const opened = driver.open(index);
      const device = opened.ok ? CudaDevice.open(opened.value, print) : opened;
      return device.ok
        ? device
        : err({ code: MuxResult.error_device_entry_hook_failed, message: device.error.message });
    },
  });
}

/** The target of the GPUs of this machine; the error says what is missing. @public */
export function cudaTarget(options: CudaOptions = {}): Result<MuxTarget, string> {
  const driver = openLibCuda();
  return driver.ok ? ok(cudaTargetOf(driver.value, options)) : driver;
}
