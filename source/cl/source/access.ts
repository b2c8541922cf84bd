// SPDX-License-Identifier: Apache-2.0
// Which bytes of memory objects a command uses, and how: what contexts of several memories go by.
import type { MemoryObject } from "./memory-object.ts";

/** Bytes of an object that a command uses. */
export interface Access {
  readonly object: MemoryObject;
  /** First byte in the object. */
  readonly offset: number;
  /** Number of bytes. */
  readonly size: number;
  /** False: the command overwrites every byte, whatever it was. */
  readonly reads: boolean;
  /** True: it changes bytes. */
  readonly writes: boolean;
}

/** Of commands in contexts with one memory, and of those that use none. */
export const NO_ACCESSES: readonly Access[] = [];

/** Bytes that are read. */
export function reads(object: MemoryObject, offset: number = 0, size: number = object.size): Access {
  return { object, offset, size, reads: true, writes: false };
}

/** Bytes all of which are written. */
export function overwrites(object: MemoryObject, offset: number, size: number): Access {
  return { object, offset, size, reads: false, writes: true };
}

/** Bytes some of which may be written: the others stay. */
export function changes(object: MemoryObject, offset: number = 0, size: number = object.size): Access {
  return { object, offset, size, reads: true, writes: true };
}
