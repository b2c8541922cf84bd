// SPDX-License-Identifier: Apache-2.0
// What consoles print of objects: one line instead of everything that they hold.

/** Node, Deno and Bun call this method for `console.log`. */
const INSPECT = Symbol.for("nodejs.util.inspect.custom");

/** An object that consoles print as one line. @public */
export abstract class Described {
  /** One line: what it is, its size, its state. */
  abstract toString(): string;

  /** The line for consoles that ask for a tag, as browsers do. */
  get [Symbol.toStringTag](): string {
    return this.toString();
  }
}
inspectAs(Described.prototype, function line() {
  return this.toString();
});

/** Makes consoles print a function, or an object whose class is not ours, as one line. */
export function describe(target: object, line: () => string): void {
  inspectAs(target, line);
  Object.defineProperty(target, "toString", { value: line });
}

/** Makes consoles print what a method returns in place of an object, or of the objects of a class by its prototype. */
export function inspectAs<T extends object>(target: T, value: (this: T) => unknown): void {
  Object.defineProperty(target, INSPECT, { value });
}
