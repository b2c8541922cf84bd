// SPDX-License-Identifier: Apache-2.0
// The checks of single parameters. Each returns the error, or null when there is none.
//
// The schema names the checks of each parameter, and the generated entry points chain them by `??`: the first error is
// the answer. A check may therefore rely on those before it (`sameDevice` on `handle`), and what it is given first may
// be of any type: callers are not all type-checked. Checks have no effect and do not throw.
//
// Cost: constant, except for lists, which are linear. They are on the path of every command, so `semaphores` makes a
// set only of two or more, and `launches` does not check the same launch twice in succession.
import { isCount, isPowerOfTwo } from "@muxkit/cargo";

import { type MuxError, muxError } from "./error.ts";
import { MuxQueueType, MuxResult } from "./generated/enums.ts";
import {
  type MuxAllocatorInfo,
  type MuxCallbackInfo,
  type MuxCommandBuffer,
  type MuxDevice,
  type MuxExtent3d,
  type MuxFence,
  MuxLaunch,
  type MuxOffset3d,
  type MuxSemaphore,
  type MuxSyncPoint,
} from "./generated/structs.ts";
import { type HandleClass, isHandle } from "./handles.ts";
import { type MuxObject, isMuxObject } from "./object.ts";

/** The answer of a check. */
export type Checked = MuxError | null;

/** An invalid value, with a sentence. */
export function invalid(entry: string, argument: string, message: string): MuxError {
  return muxError(MuxResult.error_invalid_value, entry, argument, `${entry}: ${argument} ${message}`);
}

/** A living object of a class. */
export function handle(entry: string, argument: string, value: unknown, kind: HandleClass): Checked {
  if (!isHandle(value, kind))
    return invalid(
      entry,
      argument,
      `must be a ${kind.name}, not ${isMuxObject(value) ? `a ${value.kind}` : String(value)}`,
    );
  if (!value.state.isAlive)
    return invalid(entry, argument, `is a ${value.kind} that has been destroyed; make a new one`);
  // Objects are not notified one by one that their device is destroyed.
  const { device } = value as { readonly device?: MuxDevice };
  return device === undefined || device.state.isAlive
    ? null
    : invalid(entry, argument, `is a ${value.kind} of a device that has been destroyed; open the device again`);
}

/**
 * True when objects of one device can be used with the other: they are the same, or the target declares them parts
 * of one.
 *
 * @public
 */
export function muxSharesObjects(left: MuxDevice, right: MuxDevice): boolean {
  return left === right || (left.target === right.target && left.target.sharesObjects?.(left, right) === true);
}

/** An object of the same device, or of one that shares its objects with it. */
export function sameDevice(
  entry: string,
  argument: string,
  value: { readonly device: MuxDevice },
  device: MuxDevice,
): Checked {
  return muxSharesObjects(value.device, device)
    ? null
    : invalid(entry, argument, `belongs to device ${value.device.info.deviceName}, not to the one that is used here`);
}

/**
 * True when commands of one device may copy from buffers of the other: both are of one target, which says so.
 *
 * @public
 */
export function muxReachesMemory(device: MuxDevice, other: MuxDevice): boolean {
  return device.target === other.target && device.target.reachesMemory?.(device, other) === true;
}

/** An object of the same device, or of one whose memory that reaches. */
export function reachable(
  entry: string,
  argument: string,
  value: { readonly device: MuxDevice },
  device: MuxDevice,
): Checked {
  const wrong = sameDevice(entry, argument, value, device);
  return wrong !== null && muxReachesMemory(device, value.device) ? null : wrong;
}

export function positive(entry: string, argument: string, value: number): Checked {
  return isCount(value) && value > 0 ? null : invalid(entry, argument, `must be a positive whole number, is ${value}`);
}

export function count(entry: string, argument: string, value: number): Checked {
  return isCount(value) ? null : invalid(entry, argument, `must be a whole number from 0, is ${value}`);
}

export function alignment(entry: string, argument: string, value: number): Checked {
  return value === 0 || isPowerOfTwo(value)
    ? null
    : invalid(entry, argument, `must be 0 or a power of two, is ${value}`);
}

export function flags(entry: string, argument: string, value: number, known: number): Checked {
  if (!Number.isInteger(value) || value === 0) return invalid(entry, argument, "must have at least one bit set");
  if (value >>> 0 !== value && (value | 0) !== value)
    return invalid(entry, argument, `has more than 32 bits: ${value}`);
  return (value & ~known) >>> 0 === 0
    ? null
    : invalid(entry, argument, `has bits that mean nothing: 0x${(value & ~known).toString(16)}`);
}

export function member(
  entry: string,
  argument: string,
  value: number,
  table: Readonly<Record<string, number>>,
): Checked {
  return Object.values(table).includes(value)
    ? null
    : invalid(entry, argument, `is ${value}, which is none of ${Object.keys(table).slice(0, 8).join(", ")}`);
}

export function queueType(entry: string, argument: string, value: number): Checked {
  return value === MuxQueueType.compute
    ? null
    : invalid(entry, argument, `is ${value}; the only kind of queue is compute`);
}

export function allocator(entry: string, argument: string, value: MuxAllocatorInfo): Checked {
  const isWhole =
    typeof value === "object" &&
    value !== null &&
    typeof value.allocate === "function" &&
    typeof value.free === "function";
  return isWhole
    ? null
    : muxError(
        MuxResult.error_null_allocator_callback,
        entry,
        argument,
        `${entry}: ${argument} needs both callbacks, allocate and free`,
      );
}

export function bytes(entry: string, argument: string, value: Uint8Array): Checked {
  return value instanceof Uint8Array && value.length > 0
    ? null
    : invalid(entry, argument, "must be a Uint8Array with at least one byte");
}

export function name(entry: string, argument: string, value: string): Checked {
  return typeof value === "string" && value !== ""
    ? null
    : invalid(entry, argument, "must be a text that is not empty");
}

export function list(entry: string, argument: string, value: readonly unknown[]): Checked {
  return Array.isArray(value) ? null : invalid(entry, argument, `must be an array, not ${String(value)}`);
}

export function nonempty(entry: string, argument: string, value: readonly unknown[]): Checked {
  return list(entry, argument, value) ?? (value.length > 0 ? null : invalid(entry, argument, "must not be empty"));
}

export function callback(entry: string, argument: string, value: unknown): Checked {
  return typeof value === "function" ? null : invalid(entry, argument, `must be a function, not ${String(value)}`);
}

export function optionalCallback(entry: string, argument: string, value: unknown): Checked {
  return value === null ? null : callback(entry, argument, value);
}

export function report(entry: string, argument: string, value: MuxCallbackInfo | null): Checked {
  return value === null || (typeof value === "object" && typeof value.callback === "function")
    ? null
    : invalid(entry, argument, "must have a callback; null reports nowhere");
}

export function recording(entry: string, argument: string, value: MuxCommandBuffer): Checked {
  return value.state.phase === "recording"
    ? null
    : invalid(entry, argument, "is finalized; reset it before adding commands");
}

export function finalized(entry: string, argument: string, value: MuxCommandBuffer): Checked {
  return value.state.phase === "finalized" ? null : invalid(entry, argument, "is still recording; finalize it first");
}

export function idle(entry: string, argument: string, value: MuxObject): Checked {
  return value.state.inFlight === 0 ? null : invalid(entry, argument, "is in flight; wait until it is complete");
}

export function bound(entry: string, argument: string, value: MuxObject): Checked {
  const { memory } = value.state;
  if (memory === null) return invalid(entry, argument, "is not bound to memory; bind it first");
  return memory.state.isAlive ? null : invalid(entry, argument, "is bound to memory that has been freed");
}

export function syncs(
  entry: string,
  argument: string,
  value: readonly MuxSyncPoint[],
  commandBuffer: MuxCommandBuffer,
): Checked {
  const noList = list(entry, argument, value);
  if (noList !== null || value.length === 0) return noList;
  const wrong = value.findIndex(
    (sync) =>
      !isMuxObject(sync) ||
      sync.commandBuffer !== commandBuffer ||
      sync.state.recording !== commandBuffer.state.recording,
  );
  return wrong < 0 ? null : invalid(entry, argument, `holds at ${wrong} no sync-point of this recording`);
}

export function semaphores(
  entry: string,
  argument: string,
  value: readonly MuxSemaphore[],
  device: MuxDevice,
): Checked {
  const noList = list(entry, argument, value);
  if (noList !== null || value.length === 0) return noList;
  for (let i = 0; i < value.length; i++) {
    const semaphore = value[i];
    if (!isMuxObject(semaphore) || !semaphore.state.isAlive || !muxSharesObjects(semaphore.device, device))
      return invalid(entry, argument, `holds at ${i} no living semaphore of this device`);
  }
  return value.length === 1 || new Set(value).size === value.length
    ? null
    : invalid(entry, argument, "holds a semaphore twice");
}

export function launches(entry: string, argument: string, value: readonly MuxLaunch[], device: MuxDevice): Checked {
  for (let i = 0; i < value.length; i++) {
    const launch = value[i];
    // Mostly the same launch again and again: what was right just before is right now.
    if (i > 0 && launch === value[i - 1]) continue;
    if (!isHandle(launch, MuxLaunch) || !launch.state.isAlive || !muxSharesObjects(launch.device, device))
      return invalid(entry, argument, `holds at ${i} no living launch of this device`);
  }
  return null;
}

export function fence(
  entry: string,
  argument: string,
  value: MuxFence | null,
  device: MuxDevice,
  kind: HandleClass,
): Checked {
  if (value === null) return null;
  return (
    handle(entry, argument, value, kind) ?? sameDevice(entry, argument, value, device) ?? idle(entry, argument, value)
  );
}

/** The value of missing coordinates: they are refused like any wrong number. */
const NO_NUMBERS = { x: Number.NaN, y: Number.NaN, z: Number.NaN };

export function offset3(entry: string, argument: string, value: MuxOffset3d): Checked {
  const { x, y, z } = value ?? NO_NUMBERS;
  return [x, y, z].every(isCount)
    ? null
    : invalid(entry, argument, `must be whole numbers from 0, are ${x}, ${y}, ${z}`);
}

export function extent3(entry: string, argument: string, value: MuxExtent3d): Checked {
  const { x, y, z } = value ?? NO_NUMBERS;
  return [x, y, z].every((side) => isCount(side) && side > 0)
    ? null
    : invalid(entry, argument, `must be positive whole numbers, are ${x}, ${y}, ${z}`);
}

export function timeout(entry: string, argument: string, value: number): Checked {
  return typeof value === "number" && value >= 0
    ? null
    : invalid(entry, argument, `must be nanoseconds from 0 to Infinity, is ${value}`);
}
