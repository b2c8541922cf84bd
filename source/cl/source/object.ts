// SPDX-License-Identifier: Apache-2.0
// What all objects have: a reference count, and the error for using one that is gone.
import { type ErrorName, OpenCLError } from "./error.ts";

/**
 * What every handle carries: it cannot be cloned, and the error explains why (in few words, since engines shorten it).
 * Copies of handles in other threads would be empty shells.
 */
export const HOME_THREAD: symbol = Symbol(
  "an OpenCL object cannot leave its thread: create a context in the other thread; it",
);

/** A reference-counted object (OpenCL 3.0, 2.1). @public */
export abstract class ClObject {
  /** Keeps it in its thread: posting it to another one is an error with an explanation. */
  readonly homeThread: symbol = HOME_THREAD;
  #references = 1;
  /** What the library itself still needs it for: commands that are not complete, objects made of it. */
  #uses = 0;
  /** The error for the use of a released object of this kind. */
  protected abstract readonly invalid: ErrorName;
  /** Kind, for messages. */
  protected abstract readonly kind: string;

  /** What traces call it. @internal */
  get label(): string {
    return this.kind;
  }

  /** How often the library itself needs it. @internal */
  protected get uses(): number {
    return this.#uses;
  }

  /** References that the user holds. */
  get referenceCount(): number {
    return this.#references;
  }

  /** Throws unless the user holds a reference. @internal */
  check(call: string): void {
    if (this.#references <= 0)
      throw new OpenCLError(this.invalid, call, `this ${this.kind} has been released; create a new one`);
  }

  /** One reference of the user more. @internal */
  retain(call: string): void {
    this.check(call);
    this.#references++;
  }

  /** One reference of the user less; without any, and without uses, the object is freed. @internal */
  release(call: string): void {
    this.check(call);
    this.#references--;
    if (this.#references === 0 && this.#uses === 0) this.free();
  }

  /** The library needs the object until {@link ClObject.unuse}. @internal */
  use(): void {
    this.#uses++;
  }

  /** The end of a {@link ClObject.use}. @internal */
  unuse(): void {
    this.#uses--;
    if (this.#references === 0 && this.#uses === 0) this.free();
  }

  /** Releases what the object holds. */
  protected abstract free(): void;

  /** One line: what it is. */
  toString(): string {
    return `OpenCL ${this.label}${this.#references > 0 ? "" : ", released"}`;
  }
}

/** Makes consoles print handles as one line, not all that they hold: Node, Deno and Bun call this method. */
export function inspectAsLine(prototype: { readonly toString: () => string }): void {
  Object.defineProperty(prototype, Symbol.for("nodejs.util.inspect.custom"), {
    value(this: { readonly toString: () => string }) {
      return this.toString();
    },
  });
}
inspectAsLine(ClObject.prototype);

/** Callbacks for an object's end. */
const LISTENERS = new WeakMap<ClObject, (() => void)[]>();

/** Calls back before an object releases what it holds. */
export function onDestroy(object: ClObject, callback: () => void): void {
  const list = LISTENERS.get(object);
  if (list === undefined) LISTENERS.set(object, [callback]);
  else list.push(callback);
}

/**
 * Calls the registered callbacks, the last one first. What they throw belongs to no call, so it goes to the event
 * loop.
 */
export function callDestroyed(object: ClObject): void {
  for (const callback of LISTENERS.get(object)?.toReversed() ?? []) {
    try {
      callback();
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}

/** A live object of a class; anything else is the call's error. */
export function live<T extends ClObject>(
  value: T,
  kind: abstract new (...parts: never[]) => T,
  name: ErrorName,
  call: string,
): T {
  // Every call comes by here, most of them more than once, so there is no closure for the message.
  if (!(value instanceof kind))
    throw new OpenCLError(name, call, `expected an object of type ${kind.name}, not ${typeof value}`);
  value.check(call);
  return value;
}
