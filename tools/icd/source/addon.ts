// SPDX-License-Identifier: Apache-2.0
// What Node has no call for, in C (native/addon), compiled with the driver. The server works without it, slower.
import { constants } from "node:os";

/** Functions of the addon. @public */
export interface Addon {
  /**
   * Replaces the pages of a memory that nobody has used, and which may grow to `most` bytes, by those of a file: the
   * place in the file of the memory's first byte. Throws where the system refuses; the memory cannot be used then.
   */
  readonly shareMemory: (bytes: Uint8Array, most: number, file: number) => number;
  /**
   * Maps the stage and the streams of frames, which are at a place of a file; the socket only wakes the other side
   * then. 0: the file may shrink, or is too small. A process has one channel.
   */
  readonly openChannel: (file: number, place: number, socket: number) => number;
  /**
   * Takes bytes out of the channel: how many; 0 for none. With 1 it waits a moment for them, as long as the event loop
   * has nothing to do, and the socket tells of bytes that come after that. Throws where the library breaks the rules.
   */
  readonly readChannel: (bytes: Uint8Array, waits: number) => number;
  /** Puts bytes into the channel, and waits for room; 0: the library is gone. Throws where it breaks the rules. */
  readonly writeChannel: (bytes: Uint8Array) => number;
  /** Waits until the counter at this place of the channel's file is above a number, at most for so many ms. */
  readonly awaitCounter: (place: number, than: number, limit: number) => number;
  /** How many transfers the library has moved itself; a change of that ends a wait of `readChannel` too. */
  readonly countMoves: () => number;
  /** Copies all of the bytes to a place of the stage when `isToStage` is 1, and from there when it is 0. */
  readonly copyStage: (bytes: Uint8Array, place: number, isToStage: number) => number;
  /** Takes signals off the socket without waiting: the length of them; -1: the library is gone. */
  readonly readSignals: (bytes: Uint8Array) => number;
  /**
   * The library has waited for a second, and tells what it has put in and what it waits for. All frames have been read;
   * `hasRest` is 1 where a part of one is left. Tells the library when `isPending` is 0: then the request has been
   * answered. Throws where somebody has written over the channel.
   */
  readonly answerSignal: (
    kind: number,
    produced: number,
    request: number,
    isPending: number,
    hasRest: number,
  ) => number;
  /** Whether the library, which has read so many bytes, has read all of the channel. */
  readonly hasReadAll: (consumed: number) => number;
  /** The address of bytes in the shared memory; -1 for bytes elsewhere. */
  readonly placeOf: (bytes: Uint8Array) => number;
  /** Ends this process when the other end of a file is closed, whatever it is doing; 0: there is no thread for that. */
  readonly endWith: (file: number) => number;
}

/**
 * Loads the addon that MUXKIT_ICD_ADDON names, which the library sets; null: there is none, or it is `off`. One that
 * cannot be loaded is told to `warn`.
 *
 * @public
 */
export function loadAddon(
  environment: Readonly<Record<string, string | undefined>>,
  warn: (text: string) => void,
): Addon | null {
  const path = environment["MUXKIT_ICD_ADDON"] ?? "off";
  if (path === "off" || path === "") return null;
  const module = { exports: {} };
  try {
    process.dlopen(module, path, constants.dlopen.RTLD_NOW);
  } catch (error) {
    warn(`${path} cannot be loaded, so data is copied once more: ${(error as Error).message}`);
    return null;
  }
  return module.exports as Addon;
}
