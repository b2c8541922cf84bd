// SPDX-License-Identifier: Apache-2.0
// Which object is of which class, where a target may use another copy of this package than the program that loads
// it.
import {
  MuxBuffer,
  MuxCommandBuffer,
  MuxDevice,
  MuxExecutable,
  MuxFence,
  MuxImage,
  MuxKernel,
  MuxLaunch,
  MuxMemory,
  MuxQueryPool,
  MuxQueue,
  MuxSemaphore,
  MuxSyncPoint,
} from "./generated/structs.ts";
import { type MuxObject, isMuxObject } from "./object.ts";

/** A class of objects. */
export type HandleClass<T extends MuxObject = MuxObject> = abstract new (...parts: never[]) => T;

/** What objects of a class call themselves. */
const WORDS: ReadonlyMap<HandleClass, string> = new Map<HandleClass, string>([
  [MuxDevice, "device"],
  [MuxQueue, "queue"],
  [MuxMemory, "memory"],
  [MuxBuffer, "buffer"],
  [MuxImage, "image"],
  [MuxSemaphore, "semaphore"],
  [MuxFence, "fence"],
  [MuxExecutable, "executable"],
  [MuxKernel, "kernel"],
  [MuxLaunch, "launch"],
  [MuxCommandBuffer, "command buffer"],
  [MuxSyncPoint, "sync point"],
  [MuxQueryPool, "query pool"],
]);

/** True for an object of a class. Those of other copies are tried second: most programs have none. */
export function isHandle<T extends MuxObject>(value: unknown, kind: HandleClass<T>): value is T {
  return value instanceof kind || (isMuxObject(value) && value.kind === WORDS.get(kind));
}
