// SPDX-License-Identifier: Apache-2.0
// Shared locals: whatever path control takes through loops and dispatch parts, each read gets what was last written to
// its own virtual local; and straight code needs as many locals as it has values in use at once.
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { EVENT, EVENT_BITS, type SharedLocals, shareLocals } from "../source/local-sharing.ts";

/** A program over virtual locals. */
type Step =
  | { readonly kind: "read" | "write"; readonly local: number }
  | { readonly kind: "loop"; readonly body: readonly Step[] }
  | { readonly kind: "dispatch"; readonly parts: readonly (readonly Step[])[] };

const TYPES = 2;

/** A source of numbers below a bound. */
type Below = (bound: number) => number;

/** Writes a program in which every read comes after a write on all paths, except for locals that begin with values. */
class Writer {
  readonly types: number[] = [];
  readonly preset = new Set<number>();
  private readonly below: Below;

  constructor(below: Below) {
    this.below = below;
  }

  private local(): number {
    return this.types.push(this.below(TYPES)) - 1;
  }

  /** Steps; `known`: locals that have a value. */
  steps(count: number, depth: number, known: number[]): readonly Step[] {
    return Array.from({ length: count }, (): Step => {
      const choice = this.below(10);
      if (choice === 0 && depth > 0)
        return { kind: "loop", body: this.steps(this.below(6), depth - 1, known.slice(-4)) };
      if (choice === 1) {
        // A local that begins with a value, by itself or as zero.
        const local = this.local();
        if (this.below(2) === 0) this.preset.add(local);
        return { kind: "read", local };
      }
      const old = known[this.below(known.length)];
      if (choice < 6 && old !== undefined) return { kind: this.below(4) === 0 ? "write" : "read", local: old };
      const local = this.local();
      known.push(local);
      return { kind: "write", local };
    });
  }

  /** A dispatch loop. The first part runs first, and others in any order: they know what it wrote. */
  dispatch(known: readonly number[]): Step {
    const all = known.slice(-3);
    const first = this.steps(1 + this.below(6), 0, all);
    const others = Array.from({ length: 1 + this.below(3) }, () => this.steps(this.below(8), 0, [...all]));
    return { kind: "dispatch", parts: [first, ...others] };
  }
}

function eventsOf(steps: readonly Step[], list: number[]): void {
  for (const step of steps) {
    if (step.kind === "loop") {
      list.push(EVENT.loop);
      eventsOf(step.body, list);
      list.push(EVENT.loopEnd);
    } else if (step.kind === "dispatch") {
      list.push(EVENT.loop);
      for (const part of step.parts) {
        list.push(EVENT.part);
        eventsOf(part, list);
      }
      list.push(EVENT.dispatchEnd);
      list.push(EVENT.loopEnd);
    } else list.push(EVENT[step.kind] | (step.local << EVENT_BITS));
  }
}

/** Runs a program on shared locals; the first read of a wrong value. */
function run(steps: readonly Step[], { localOf }: SharedLocals, writer: Writer, below: Below): string | null {
  let next = 1;
  const own = new Map<number, number>();
  const shared = new Map<number, number>();
  for (const local of writer.preset) {
    own.set(local, next);
    shared.set(localOf[local] ?? -1, next++);
  }
  const go = (list: readonly Step[]): string | null => {
    for (const step of list) {
      const times = step.kind === "loop" ? below(3) : step.kind === "dispatch" ? 6 : 0;
      for (let i = 0; i < times; i++) {
        const wrong = go(
          step.kind === "loop"
            ? step.body
            : step.kind === "dispatch"
              ? (step.parts[i === 0 ? 0 : below(step.parts.length)] ?? [])
              : [],
        );
        if (wrong !== null) return wrong;
      }
      if (step.kind === "write") {
        own.set(step.local, next);
        shared.set(localOf[step.local] ?? -1, next++);
      } else if (step.kind === "read" && (own.get(step.local) ?? 0) !== (shared.get(localOf[step.local] ?? -1) ?? 0))
        return `local ${step.local}`;
    }
    return null;
  };
  return go(steps);
}

/** Numbers that a seed decides (xorshift). */
function numbers(seed: number): Below {
  let state = seed | 1;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % Math.max(1, bound);
  };
}

test("every read gets its own value, on all paths", () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer(), (seed, path) => {
      const writer = new Writer(numbers(seed));
      const known: number[] = [];
      const steps = [...writer.steps(30, 3, known), ...(seed % 2 === 0 ? [writer.dispatch(known)] : [])];
      const events: number[] = [];
      eventsOf(steps, events);
      const shared = shareLocals(writer.types, events, new Set(writer.preset));
      const isOfType = (to: number, local: number): boolean => to < 0 || shared.types[to] === writer.types[local];
      expect(shared.localOf.every(isOfType)).toBe(true);
      for (let i = 0; i < 8; i++) expect(run(steps, shared, writer, numbers(path + i))).toBeNull();
    }),
    { numRuns: 2000 },
  );
});

test("straight code takes as many locals as values are in use at once", () => {
  const events: number[] = [];
  const [count, window] = [20_000, 7];
  for (let i = 0; i < count; i++) {
    if (i >= window) events.push(EVENT.read | ((i - window) << EVENT_BITS));
    events.push(EVENT.write | (i << EVENT_BITS));
  }
  expect(
    shareLocals(
      Array.from({ length: count }, () => 0),
      events,
      new Set(),
    ).types,
  ).toHaveLength(window);
});

test("what is written before a loop and read in it keeps its local until the loop ends", () => {
  const events: number[] = [];
  const [before, within, after] = [0, 1, 2];
  events.push(EVENT.write | (before << EVENT_BITS));
  events.push(EVENT.loop);
  events.push(EVENT.read | (before << EVENT_BITS));
  events.push(EVENT.write | (within << EVENT_BITS));
  events.push(EVENT.read | (within << EVENT_BITS));
  events.push(EVENT.loopEnd);
  events.push(EVENT.write | (after << EVENT_BITS));
  const { localOf } = shareLocals([0, 0, 0], events, new Set());
  expect(localOf[within]).not.toBe(localOf[before]);
  expect([localOf[before], localOf[within]]).toContain(localOf[after]);
});
