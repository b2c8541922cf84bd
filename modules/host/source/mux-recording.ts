// SPDX-License-Identifier: Apache-2.0
// What entry points share: results, handles, and the recording of one mux command as one or several of the host's.
import { err, InternalError, ok, type Result } from "@muxkit/cargo";
import {
  type MuxBuffer,
  type MuxBufferRegionInfo,
  type MuxCommandBuffer,
  type MuxDevice,
  type MuxFailure,
  type MuxObject,
  MuxResult,
  type MuxSyncPoint,
} from "@muxkit/mux";

import type { HostCommandBuffer } from "./command-buffer.ts";
import type { HostError, HostErrorCode } from "./host-error.ts";
import { HostMuxBuffer, HostMuxCommandBuffer, HostMuxDevice } from "./mux-objects.ts";

/** mux's results by the host's codes. */
export const RESULTS: Readonly<Record<HostErrorCode, MuxResult>> = {
  failure: MuxResult.error_failure,
  invalid_value: MuxResult.error_invalid_value,
  out_of_memory: MuxResult.error_out_of_memory,
  invalid_binary: MuxResult.error_invalid_binary,
  feature_unsupported: MuxResult.error_feature_unsupported,
  missing_kernel: MuxResult.error_missing_kernel,
  fence_failure: MuxResult.error_fence_failure,
};

/** A failure of the target. */
export function failed(code: MuxResult, message: string): Result<never, MuxFailure> {
  return err({ code, message });
}

/** A host error as mux's failure, with the number of the command where it is known. */
export function failedWith(error: HostError, commandNumbers: readonly number[] = []): Result<never, MuxFailure> {
  const commandId = commandIdOf(error, commandNumbers);
  return err({ code: RESULTS[error.code], message: error.message, ...(commandId === undefined ? {} : { commandId }) });
}

/** The number of the mux command that a host command belongs to. */
export function commandIdOf({ command }: HostError, commandNumbers: readonly number[]): number | undefined {
  return command === undefined ? undefined : commandNumbers.findLastIndex((first) => first <= command);
}

/** Our class of a handle; another one would mean that the front mixed targets up. */
export function own<T extends MuxObject>(object: MuxObject, type: abstract new (...parts: never[]) => T): T {
  // Every entry point checks this several times, so the message is made only where it is needed.
  if (!(object instanceof type)) throw new InternalError(`a ${object.kind} of another target came to the host`);
  return object;
}

/** The host's device of a mux device. */
export function deviceOf(device: MuxDevice): HostMuxDevice {
  return own(device, HostMuxDevice);
}

/** The memory range of a mux buffer. */
export function bufferRange(buffer: MuxBuffer): HostMuxBuffer {
  return own(buffer, HostMuxBuffer);
}

/** Records one mux command: stores its number and the host command of its sync-point. */
export function recordCommand(
  commandBuffer: MuxCommandBuffer,
  waits: readonly MuxSyncPoint[],
  syncPoint: MuxSyncPoint,
  command: (host: HostCommandBuffer, waits: readonly number[] | null) => Result<number, HostError>,
): Result<void, MuxFailure> {
  const commands = own(commandBuffer, HostMuxCommandBuffer);
  const first = commands.host.length;
  const numbers = waits.map((wait) => commands.syncPoints.get(wait) ?? -1);
  const recorded = command(commands.host, numbers.length === 0 ? null : numbers);
  if (!recorded.ok) return failedWith(recorded.error);
  commands.commandNumbers.push(first);
  commands.syncPoints.set(syncPoint, recorded.value);
  return ok(undefined);
}

/** Records a command of several boxes: one after the other, so that the last one completes all. */
export function recordBoxCommands<T = MuxBufferRegionInfo>(
  regions: readonly T[],
  waits: readonly number[] | null,
  one: (region: T, waits: readonly number[] | null) => Result<number, HostError>,
): Result<number, HostError> {
  let last: Result<number, HostError> = ok(-1);
  for (const region of regions) {
    last = one(region, last.ok && last.value >= 0 ? [last.value] : waits);
    if (!last.ok) break;
  }
  return last;
}
