// SPDX-License-Identifier: Apache-2.0
// Copies that the calling thread waits for, on a stream of their own. They see what other streams have completed.
import { type Result, ok } from "@muxkit/cargo";

import type { CudaGpu, DriverError, GpuWork, Handle } from "./driver.ts";

/** Access of the host to a GPU's memory. */
export class GpuAccess {
  readonly gpu: CudaGpu;
  private readonly stream: Handle;
  private readonly event: Handle;

  private constructor(gpu: CudaGpu, stream: Handle, event: Handle) {
    this.gpu = gpu;
    this.stream = stream;
    this.event = event;
  }

  /** Makes its stream. */
  static open(gpu: CudaGpu): Result<GpuAccess, DriverError> {
    const stream = gpu.createStream();
    if (!stream.ok) return stream;
    const event = gpu.createEvent(false);
    if (event.ok) return ok(new GpuAccess(gpu, stream.value, event.value));
    gpu.destroyStream(stream.value);
    return event;
  }

  /** Copies to the host. */
  read(address: number, to: Uint8Array): Result<void, DriverError> {
    return to.length === 0 ? ok() : this.ended(this.gpu.read(this.stream, address, to));
  }

  /** Copies from the host. */
  write(address: number, from: Uint8Array): Result<void, DriverError> {
    return from.length === 0 ? ok() : this.ended(this.gpu.write(this.stream, address, from));
  }

  /** Does work, each piece after the one before. */
  run(list: readonly GpuWork[]): Result<void, DriverError> {
    for (const work of list) {
      const started = this.gpu.start(this.stream, work);
      if (!started.ok) return started;
    }
    return this.ended(ok());
  }

  private ended(started: Result<void, DriverError>): Result<void, DriverError> {
    if (!started.ok) return started;
    const recorded = this.gpu.record(this.event, this.stream);
    return recorded.ok ? this.gpu.finish(this.event) : recorded;
  }

  /** Destroys its stream. */
  close(): void {
    this.gpu.destroyEvent(this.event);
    this.gpu.destroyStream(this.stream);
  }
}
