// SPDX-License-Identifier: Apache-2.0
// Optional values, for cases where null is a value or methods read better.
import { type Result, err, ok } from "./result.ts";

/** A value or nothing. @public */
export class Optional<T> {
  private content: { readonly value: T } | null;

  private constructor(content: { readonly value: T } | null) {
    this.content = content;
  }

  /** One with a value. */
  static of<T>(value: T): Optional<T> {
    return new Optional({ value });
  }

  /** One without. */
  static none<T = never>(): Optional<T> {
    return new Optional<T>(null);
  }

  /** One with the value, or without for null and undefined. */
  static from<T>(value: T | null | undefined): Optional<T> {
    return value === null || value === undefined ? Optional.none() : Optional.of(value);
  }

  /** True when there is a value. */
  get hasValue(): boolean {
    return this.content !== null;
  }

  /** Changes the value. */
  map<U>(change: (value: T) => U): Optional<U> {
    return this.content === null ? Optional.none() : Optional.of(change(this.content.value));
  }

  /** Applies a function that may return nothing to the value. */
  andThen<U>(next: (value: T) => Optional<U>): Optional<U> {
    return this.content === null ? Optional.none() : next(this.content.value);
  }

  /** This one if it has a value, else the result of `next`. */
  orElse<U>(next: () => Optional<U>): Optional<T> | Optional<U> {
    return this.content === null ? next() : this;
  }

  /** The changed value, or `fallback`. */
  mapOr<U>(fallback: U, change: (value: T) => U): U {
    return this.content === null ? fallback : change(this.content.value);
  }

  /** The value, or `fallback`. */
  valueOr<U>(fallback: U): T | U {
    return this.content === null ? fallback : this.content.value;
  }

  /** `other` if both have values, else nothing. */
  and<U>(other: Optional<U>): Optional<U> {
    return this.content === null ? Optional.none() : other;
  }

  /** The first of the two that has a value. */
  or<U>(other: Optional<U>): Optional<T> | Optional<U> {
    return this.content === null ? other : this;
  }

  /** Moves the value out: this one is empty afterwards. */
  take(): Optional<T> {
    const taken = new Optional(this.content);
    this.content = null;
    return taken;
  }

  /** As a Result, with the error for nothing. */
  toResult<E>(error: E): Result<T, E> {
    return this.content === null ? err(error) : ok(this.content.value);
  }
}
