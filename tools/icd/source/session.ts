// SPDX-License-Identifier: Apache-2.0
// The server's state for one library: the objects by the library's numbers, and how to reply.
import {
  type Context,
  Event,
  type MemoryObject,
  OpenCLError,
  clCreateUserEvent,
  clSetUserEventStatus,
} from "@muxkit/opencl";

import { Completions } from "./completions.ts";
import type { SharedMemory } from "./device-memory.ts";
import type { Link } from "./transport.ts";
import { FrameKind, ProtocolError, WireWriter } from "./wire.ts";

/** Bytes of a transfer that travel in the frame itself. */
export const INLINE_BYTES: number = 64 * 1024;

/** The OpenCL error code of an exception; all other exceptions are internal errors. */
export function errorOf(thrown: unknown): { readonly code: number; readonly message: string } {
  if (thrown instanceof OpenCLError) return { code: thrown.code, message: thrown.message };
  if (thrown instanceof ProtocolError) throw thrown;
  return { code: -6, message: thrown instanceof Error ? thrown.message : String(thrown) };
}

/** Placeholder for an object whose asynchronous creation failed: each use of it reports the error. */
class Missing {
  readonly error: OpenCLError;

  constructor(error: OpenCLError) {
    this.error = error;
  }
}

type Constructor<Kind> = abstract new (...list: never[]) => Kind;

/** A library's session. @internal */
export class Session {
  readonly #objects: (object | undefined)[] = [];
  readonly #numbers = new Map<object, number>();
  readonly #link: Link;
  /** Device memory, which the library may map. */
  readonly memory: SharedMemory;
  /** The commands of its queues. */
  readonly completions: Completions = new Completions();
  /** User events that are not set yet: while there are any, no wait may block the message loop. */
  openUserEvents = 0;

  /** Answers by a link. */
  constructor(link: Link, memory: SharedMemory) {
    this.#link = link;
    this.memory = memory;
  }

  /** Assigns a number to an object. */
  put(number: number, object: object): void {
    if (number <= 0 || number >= 2 ** 24 || this.#objects[number] !== undefined)
      throw new ProtocolError(`${number} is no number for a new object`);
    this.#objects[number] = object;
    this.#numbers.set(object, number);
  }

  /** Assigns a number to a placeholder: the object could not be created. */
  putMissing(number: number, error: unknown): void {
    if (error instanceof OpenCLError) this.put(number, new Missing(error));
  }

  /** The object with a number, of the kind that the operation takes. */
  get<Kind>(number: number, kind: Constructor<Kind>): Kind {
    const object = this.#objects[number];
    if (object instanceof Missing) throw object.error;
    if (!(object instanceof kind)) throw new ProtocolError(`object ${number} is no ${kind.name}`);
    return object;
  }

  /** The object with a number, 0 for none. */
  find<Kind>(number: number, kind: Constructor<Kind>): Kind | null {
    return number === 0 ? null : this.get(number, kind);
  }

  /** The number of an object; 0: the library has none for it. */
  numberOf(object: object | null): number {
    return object === null ? 0 : (this.#numbers.get(object) ?? 0);
  }

  /** Takes a number back; the object that had it. */
  take(number: number): object {
    const object = this.#objects[number];
    if (object === undefined) throw new ProtocolError(`there is no object ${number}`);
    this.#objects[number] = undefined;
    this.#numbers.delete(object);
    return object;
  }

  /** Every object that has a number. */
  objects(): readonly object[] {
    return [...this.#numbers.keys()];
  }

  /** Replies to a request that a thread waits for. */
  reply(request: number, body: WireWriter | null = null): void {
    if (request !== 0) this.#link.send(FrameKind.reply, request, 0, body?.body);
  }

  /** Replies with an error and its message, which is logged when no thread waits. */
  fail(request: number, thrown: unknown): void {
    const { code, message } = errorOf(thrown);
    if (request === 0) this.log(message);
    else this.#link.send(FrameKind.reply, request, code, new WireWriter().text(message).body);
  }

  /** Calls a function of the application. */
  callBack(callback: number, error: number, text: string | null = null): void {
    if (callback !== 0)
      this.#link.send(
        FrameKind.callback,
        callback,
        error,
        text === null ? undefined : new WireWriter().text(text).body,
      );
  }

  /** A line for MUXKIT_ICD_LOG. */
  log(message: string): void {
    this.#link.send(FrameKind.log, 0, 0, new TextEncoder().encode(message));
  }

  /** The printf output of a kernel. */
  print(text: string): void {
    this.#link.send(FrameKind.print, 0, 0, new TextEncoder().encode(text));
  }

  /** Fills bytes from a transfer of the application. */
  receive(transfer: number, target: Uint8Array): void {
    this.#link.send(FrameKind.transfer, transfer, 0);
    this.#link.receive(target);
  }

  /** Sends bytes to a transfer of the application. */
  give(transfer: number, source: Uint8Array): void {
    if (source.length <= INLINE_BYTES) {
      // The library reads them together with the completion of the command: one message, which wakes it once.
      this.#link.sendWithNext(FrameKind.transfer, transfer, 0, source);
      return;
    }
    this.#link.send(FrameKind.transfer, transfer, 0);
    this.#link.give(source);
  }

  /** Lets the library move the bytes of a transfer in device memory, which it maps; returns what tells of its end. */
  letMove(transfer: number): (wake: () => void) => boolean {
    this.#link.send(FrameKind.move, transfer, 0);
    return this.#link.beginMove();
  }

  /** Takes the bytes of a transfer from the stage; the library hears of that with the next frame. */
  takeFromStage(transfer: number, place: number, target: Uint8Array): void {
    this.#link.readStage(place, target);
    this.#link.sendWithNext(FrameKind.transfer, transfer, 0);
  }

  /** Puts the bytes of a transfer on the stage: the library copies them on before it hears of the command's end. */
  putOnStage(transfer: number, place: number, source: Uint8Array): void {
    this.#link.writeStage(place, source);
    this.#link.sendWithNext(FrameKind.transfer, transfer, 0);
  }

  /**
   * Tells where the bytes of a new object are, where the library can map them, with the number that it gave: it reads
   * that together with the next frame.
   */
  tellPlace(number: number, stamp: number, object: MemoryObject): void {
    // Where an object has copies in several memories, commands know which one is the newest.
    const place = object.copies === null ? this.memory.placeOf(object) : null;
    if (place === null) return;
    const { address, offset, most } = place;
    const { body } = new WireWriter().u32(stamp).u64(address).u64(offset).u64(most);
    this.#link.sendWithNext(FrameKind.place, number, 0, body);
  }

  /** A transfer that will never be. */
  cancelTransfer(transfer: number, code: number): void {
    if (transfer !== 0) this.#link.send(FrameKind.transfer, transfer, code);
  }

  /** The failed event of a command that could not be enqueued. */
  failedEvent(context: Context, code: number): Event {
    const event = clCreateUserEvent(context);
    clSetUserEventStatus(event, code);
    return event;
  }
}
