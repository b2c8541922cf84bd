// SPDX-License-Identifier: Apache-2.0
/**
 * NVIDIA GPUs as a target of the runtime API, with nothing installed but the driver and koffi.
 *
 * @packageDocumentation
 */
import { type Result, ok } from "@muxkit/cargo";
import type { MuxTarget } from "@muxkit/mux";

import { openLibCuda } from "./libcuda.ts";
import { type CudaOptions, cudaTargetOf } from "./target.ts";

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
  Parameter,
} from "./driver.ts";
export { type SerialDriver, overSerial } from "./serial-driver.ts";
export type { CoarseLaunches } from "./regrouped.ts";
export type { CodeStore } from "./code-cache.ts";
export { CudaDevice } from "./device.ts";
export { deviceInfo } from "./device-info.ts";
export { openLibCuda } from "./libcuda.ts";
export { type CudaOptions, cudaTargetOf } from "./target.ts";

/** The target of the GPUs of this machine; the error says what is missing. @public */
export function cudaTarget(options: CudaOptions = {}): Result<MuxTarget, string> {
  const driver = openLibCuda();
  return driver.ok ? ok(cudaTargetOf(driver.value, options)) : driver;
}
