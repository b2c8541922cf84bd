// SPDX-License-Identifier: Apache-2.0
// A dispatch whose work-groups are counted by the device: the runtime has no such command. Three words are read back;
// then a callback on the host thread makes a command buffer of the launch, and the command is complete when that is.
// Both commands are written anew for each instance. Cost: a turn of the host thread in the middle of a command buffer.
import type { Result } from "@muxkit/cargo";
import {
  DEFAULT_ALLOCATOR,
  type MuxBuffer,
  type MuxCommandBuffer,
  type MuxError,
  type MuxSyncPoint,
  muxCommandNDRange,
  muxCommandReadBuffer,
  muxCommandUserCallback,
  muxCreateCommandBuffer,
  muxDestroyCommandBuffer,
  muxDispatch,
  muxFinalizeCommandBuffer,
} from "@muxkit/mux";

import type { Device } from "./device.ts";
import { fromMux } from "./error.ts";
import { type DispatchState, launchOptions } from "./recording.ts";

const BYTES = 12;

type Write = (commands: MuxCommandBuffer) => Result<MuxSyncPoint, MuxError>;

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
  fromMux(call, muxCommandNDRange(commands, state.pipeline.kernel, options, []));
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

/** The commands of an indirect dispatch. */
export function indirectDispatch(
  call: string,
  device: Device,
  state: DispatchState,
  buffer: MuxBuffer,
  offset: number,
): readonly Write[] {
  let words = new Uint8Array(BYTES);
  return [
    (commands) => {
      words = new Uint8Array(BYTES);
      return muxCommandReadBuffer(commands, buffer, offset, words, []);
    },
    (commands) => {
      const read = words;
      return muxCommandUserCallback(commands, () => {
        const [x = 0, y = 0, z = 0] = new Uint32Array(read.buffer);
        return x * y * z === 0 ? undefined : start(call, device, state, [x, y, z]);
      }, []);
    },
  ];
}
