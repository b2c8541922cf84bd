// SPDX-License-Identifier: Apache-2.0
/// <reference lib="esnext.disposable" preserve="true" />
// What all objects have: a parent, a life, and the error for using one that is gone.
import { invalid } from "./error.ts";

/** An object. Classes of the kinds are generated, and implementations extend those. @public */
export abstract class VkHandle {
  /** The kind of object, for example `VkBuffer`. */
  abstract readonly kind: string;
  /** What it was made of; null: it is an instance. */
  readonly parent: VkHandle | null;
  /** False: calls with it check nothing. @internal */
  readonly validates: boolean;
  /** Objects that were made of it and live. @internal */
  children = 0;
  /** What messages call it (vkSetDebugUtilsObjectNameEXT); empty: it has no name. @internal */
  debugName = "";
  #isAlive = true;

  /** False: nobody destroys it, it goes with its parent. */
  readonly #isCounted: boolean;

  /** Made by calls only. @internal */
  constructor(parent: VkHandle | null, validates: boolean = parent?.validates ?? true, isCounted: boolean = true) {
    this.parent = parent;
    this.validates = validates;
    this.#isCounted = isCounted;
    if (parent !== null && isCounted) parent.children++;
  }

  /** False once it is destroyed. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Destroys it, unless it is destroyed already. */
  [Symbol.dispose](): void {
    this.end();
  }

  /** Destroys it, unless it is destroyed already. @internal */
  end(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    if (this.parent !== null && this.#isCounted) this.parent.children--;
    if (!this.#isOrphan()) this.release();
  }

  /** True when its device was destroyed before it: everything went with that. */
  #isOrphan(): boolean {
    for (let above = this.parent; above !== null; above = above.parent)
      if (above.kind === "VkDevice") return !above.isAlive;
    return false;
  }

  /** Gives back what it holds. */
  protected abstract release(): void;
}

/** The implementation's class of a handle. It is checked without validation too: another object has no parts to use. */
export function own<T extends VkHandle>(
  handle: VkHandle,
  type: abstract new (...parts: never[]) => T,
  call: string,
): T {
  if (handle instanceof type) return handle;
  throw invalid(call, `expected a handle of this package that is a ${type.name}, not ${describe(handle)}`);
}

/** What a value is, in few words. */
export function describe(value: unknown): string {
  if (value instanceof VkHandle) return `a ${value.kind}${value.debugName === "" ? "" : ` "${value.debugName}"`}`;
  if (Array.isArray(value)) return "an array";
  return value === null || typeof value !== "object" ? String(value) : `an object of class ${value.constructor.name}`;
}
