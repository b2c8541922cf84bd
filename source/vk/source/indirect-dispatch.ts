// SPDX-License-Identifier: Apache-2.0
// A dispatch whose work-groups are counted by the device: the runtime has no such command. A callback on the host
// thread reads the three words and dispatches a command buffer with the launch; the command is complete when that is.
// Cost: a turn of the host thread in the middle of a command buffer.
import type { Result } from "@muxkit/cargo";
import {
  DEFAULT_ALLOCATOR,
  type MuxCommandBuffer,
  type MuxError,
  type MuxSyncPoint,
  muxCommandNDRange,
  muxCommandUserCallback,
  muxCreateCommandBuffer,
  muxDestroyCommandBuffer,
  muxDispatch,
  muxFinalizeCommandBuffer,
} from "@muxkit/mux";

import type { Buffer } from "./buffer.ts";
import type { Device } from "./device.ts";
import { fromMux } from "./error.ts";
import { type DispatchState, kernelOf, launchOptions } from "./recording.ts";

/** Starts the launch. Returns what tells whether it is complete. */
function start(
  call: string,
  device: Device,
  state: DispatchState,
  count: readonly [number, number, number],
): (wake: () => void) => boolean {
  const { device: runtime, queue } = device.pools;
  const commands = fromMux(call, muxCreateCommandBuffer(runtime, null, DEFAULT_ALLOCATOR));
  const options = launchOptions(call, state, { base: [0, 0, 0], count });
  fromMux(call, muxCommandNDRange(commands, kernelOf(state), options, []));
  fromMux(call, muxFinalizeCommandBuffer(commands));
  let isDone = false;
  let woken: (() => void) | null = null;
  const done = (_commands: MuxCommandBuffer, error: MuxError | null): void => {
    if (error !== null) device.pools.lost ??= error.message;
    isDone = true;
    woken?.();
  };
  fromMux(call, muxDispatch(queue, commands, null, [], [], done));
  return (wake) => {
    woken = wake;
    if (isDone) void muxDestroyCommandBuffer(runtime, commands, DEFAULT_ALLOCATOR);
    return isDone;
  };
}

/** The command of an indirect dispatch. */
export function indirectDispatch(
  call: string,
  device: Device,
  state: DispatchState,
  buffer: Buffer,
  offset: number,
): (commands: MuxCommandBuffer) => Result<MuxSyncPoint, MuxError> {
  return (commands) =>
    muxCommandUserCallback(commands, () => {
      const bytes = buffer.bytes(call);
      const view = new DataView(bytes.buffer, bytes.byteOffset + offset);
      const [x, y, z] = [view.getUint32(0, true), view.getUint32(4, true), view.getUint32(8, true)];
      return x * y * z === 0 ? undefined : start(call, device, state, [x, y, z]);
    }, []);
}
