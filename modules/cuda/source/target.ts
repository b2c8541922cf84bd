// SPDX-License-Identifier: Apache-2.0
// GPUs as a target: executables and images as the hardware layer has them, memory, commands and waits of its own.
import { type Result, err, ok } from "@muxkit/cargo";
import { halTarget, own } from "@muxkit/hal";
import { type MuxDeviceInfo, type MuxFailure, MuxResult, type MuxTarget } from "@muxkit/mux";

import type { CodeStore } from "./code-cache.ts";
import { CudaDevice } from "./device.ts";
import { deviceInfo } from "./device-info.ts";
import type { CudaDriver, DriverError } from "./driver.ts";
import { LOST_BEFORE, failed } from "./failure.ts";
import { MEMORY } from "./memory.ts";
import { CudaMuxDevice, CudaMuxQueue } from "./objects.ts";
import { GpuClock } from "./queries.ts";
import { RECORDING } from "./recording.ts";
import { Scheduler } from "./scheduler.ts";
import { SYNCHRONISATION } from "./synchronisation.ts";
import { EventLoop } from "./waits.ts";

/** What a user may choose. @public */
export interface CudaOptions {
  /** Receives what kernels print, once for each launch that prints. Absent: the standard output. */
  readonly print?: (text: string) => void;
  /** Where compiled code is kept for later processes; absent: the driver keeps what it does. */
  readonly store?: CodeStore;
  /**
   * Most ms that a launch runs which has no deadline of its own; what runs longer is stopped and fails. Kernels are
   * then compiled so that their loops can be stopped. 0 or absent: as long as they want.
   */
  readonly deadline?: number;
}

/** Bits of a device's id below its number among those of the target. */
const NUMBER_BITS = 8;

function refused({ message }: DriverError): Result<never, MuxFailure> {
  return err({ code: MuxResult.error_device_entry_hook_failed, message });
}

/** Number of a device among those of its driver. */
function numberOf({ id }: MuxDeviceInfo): number {
  return id >>> NUMBER_BITS;
}

/** True when copies of one GPU read the memory of another one. What the driver refuses goes by the host. */
function reaches(device: CudaMuxDevice, other: CudaMuxDevice): boolean {
  const peer = numberOf(other.info);
  const known = device.reached.get(peer);
  if (known !== undefined) return known;
  if (device.scheduler.lost !== null || other.scheduler.lost !== null) return false;
  const reached = device.scheduler.gpu.reachPeer(peer);
  if (!reached.ok) device.scheduler.noteFailure(`access to ${other.info.deviceName}`, reached.error);
  const answer = reached.ok && reached.value;
  device.reached.set(peer, answer);
  return answer;
}

/** A target of the GPUs that a driver finds. @public */
export function cudaTargetOf(
  driver: CudaDriver,
  { print = (text) => process.stdout.write(text), store, deadline = 0 }: CudaOptions = {},
): MuxTarget {
  const open = (index: number): Result<CudaDevice, MuxFailure> => {
    const gpu = driver.open(index);
    if (!gpu.ok) return refused(gpu.error);
    const machine = `${driver.version} ${driver.gpus[index]?.capability.join(".") ?? ""}`;
    const device = CudaDevice.open(gpu.value, print, {
      cache: store === undefined ? null : { store, machine },
      mayStop: driver.stopsKernels,
    });
    return device.ok ? device : refused(device.error);
  };
  const hal = {
    name: "cuda",
    devices: driver.gpus.map((gpu) => deviceInfo(gpu, driver.reachesHost, driver.stopsKernels)),
    open,
  };
  const loader = halTarget(hal);
  const target: MuxTarget = halTarget(hal, {
    ...MEMORY,
    ...RECORDING,
    ...SYNCHRONISATION,
    createExecutable: (device, binary) => {
      const { lost } = own(device, CudaMuxDevice).scheduler;
      return lost === null ? loader.createExecutable(device, binary) : failed(lost.code, LOST_BEFORE);
    },
    createDevice: (info) => {
      const cuda = open(numberOf(info));
      if (!cuda.ok) return cuda;
      const { access } = cuda.value;
      const clock = GpuClock.open(access.gpu);
      if (!clock.ok) return refused(clock.error);
      const scheduler = new Scheduler({ name: info.deviceName, access, deadline });
      const device = new CudaMuxDevice(info, target, cuda.value, scheduler, clock.value, new EventLoop(scheduler));
      scheduler.bind(own(device.queue, CudaMuxQueue));
      return ok(device);
    },
    reachesMemory: (device, other) => reaches(own(device, CudaMuxDevice), own(other, CudaMuxDevice)),
    destroyDevice: (given) => {
      const { scheduler, loop, clock, cuda } = own(given, CudaMuxDevice);
      scheduler.close();
      loop.close();
      if (scheduler.lost !== null) return;
      clock.close();
      cuda.close();
    },
  });
  return target;
}
