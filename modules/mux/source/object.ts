// SPDX-License-Identifier: Apache-2.0
// What every object has: an id that encodes kind and device, and the front's own state of it.
import type { MuxMemory } from "./generated/structs.ts";

/** What the front remembers of an object. Targets read it, never write it. @public */
export interface ObjectState {
  /** False once the object is destroyed. */
  isAlive: boolean;
  /** Command buffers: whether commands can be added. */
  phase: "recording" | "finalized";
  /** Command buffers: how often they were reset; sync-points: the recording that they are of. */
  recording: number;
  /** Dispatches that use the object. */
  inFlight: number;
  /** Buffers and images: the memory that they are bound to. */
  memory: MuxMemory | null;
  /** Buffers and images: their first byte in that memory. */
  memoryOffset: number;
  /** Memory: true while it is mapped. */
  isMapped: boolean;
}

/**
 * Recognises objects of another copy of this package: a program may be bundled with one, and a target that it loads use
 * another. The number goes up when objects change.
 */
const BRAND = Symbol.for("@muxkit/mux objects 1");

/** The base of every object. @public */
export class MuxObject {
  /** Kind in the upper 16 bits, target (bits 0 to 7, from 1) and device (bits 8 to 15) in the lower. */
  readonly id: number;
  /** Kind as a word, for messages. */
  readonly kind: string;
  /** The front's state. */
  readonly state: ObjectState;

  /** Makes a living object. */
  constructor(kind: string, id: number) {
    this.kind = kind;
    this.id = id;
    this.state = {
      isAlive: true,
      phase: "recording",
      recording: 0,
      inFlight: 0,
      memory: null,
      memoryOffset: 0,
      isMapped: false,
    };
  }

  static {
    Object.defineProperty(this.prototype, BRAND, { value: true });
  }
}

/** True for an object, of this copy of the package or another. */
export function isMuxObject(value: unknown): value is MuxObject {
  return value instanceof MuxObject || (typeof value === "object" && value !== null && BRAND in value);
}
