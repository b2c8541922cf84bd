// SPDX-License-Identifier: Apache-2.0
// What names mean in scopes within scopes: one table by name, so that depth costs nothing.

/** A name's meaning in one scope. */
class Binding<T> {
  readonly name: string;
  meaning: T;
  /** The scope that it belongs to; 0 is the outermost. */
  readonly depth: number;
  /** What the name means outside of that scope. */
  outer: Binding<T> | null;

  constructor(name: string, meaning: T, depth: number, outer: Binding<T> | null) {
    this.name = name;
    this.meaning = meaning;
    this.depth = depth;
    this.outer = outer;
  }
}

/** Meanings of names in the open scopes. */
export class Scopes<T> {
  /** The innermost binding of each name; null: all its scopes have ended. */
  private readonly bindings = new Map<string, Binding<T> | null>();
  /** The bindings of the open scopes but the outermost, in the order of their declarations. */
  private readonly inner: Binding<T>[] = [];
  /** Where each open scope but the outermost begins in `inner`. */
  private readonly starts: number[] = [];

  /** What a name means here. */
  find(name: string): T | undefined {
    return this.bindings.get(name)?.meaning;
  }

  /** What a name means in the innermost scope itself. */
  own(name: string): T | undefined {
    const binding = this.bindings.get(name);
    return binding !== undefined && binding !== null && binding.depth === this.starts.length
      ? binding.meaning
      : undefined;
  }

  /** What a name means in the outermost scope. */
  outermost(name: string): T | undefined {
    let binding = this.bindings.get(name) ?? null;
    while (binding !== null && binding.depth > 0) binding = binding.outer;
    return binding?.meaning;
  }

  /** What a name means between the outermost and the innermost scope, where `holds` is true of it. */
  between(name: string, holds: (meaning: T) => boolean): T | undefined {
    for (
      let binding = this.bindings.get(name) ?? null;
      binding !== null && binding.depth > 0;
      binding = binding.outer
    ) {
      if (binding.depth < this.starts.length && holds(binding.meaning)) return binding.meaning;
    }
    return undefined;
  }

  /** Every name that means something here. */
  names(): string[] {
    return [...this.bindings].flatMap(([name, binding]) => (binding === null ? [] : [name]));
  }

  /** Declares a name in the innermost scope. */
  declare(name: string, meaning: T): void {
    const known = this.bindings.get(name) ?? null;
    const depth = this.starts.length;
    if (known !== null && known.depth === depth) {
      known.meaning = meaning;
      return;
    }
    const made = new Binding(name, meaning, depth, known);
    this.bindings.set(name, made);
    if (depth > 0) this.inner.push(made);
  }

  /** Declares a name in the outermost scope, from any scope. */
  declareOutermost(name: string, meaning: T): void {
    let last = this.bindings.get(name) ?? null;
    while (last !== null && last.depth > 0 && last.outer !== null) last = last.outer;
    const made = new Binding(name, meaning, 0, null);
    if (last === null) this.bindings.set(name, made);
    else if (last.depth === 0) last.meaning = meaning;
    else last.outer = made;
  }

  /** Opens a scope. */
  open(): void {
    this.starts.push(this.inner.length);
  }

  /** Ends the innermost scope; `visit` sees its meanings before they go. */
  close(visit: (name: string, meaning: T) => void): void {
    const start = this.starts.pop() ?? 0;
    for (let i = start; i < this.inner.length; i++) {
      const { name, meaning, outer } = this.inner[i] as Binding<T>;
      visit(name, meaning);
      this.bindings.set(name, outer);
    }
    this.inner.length = start;
  }
}
