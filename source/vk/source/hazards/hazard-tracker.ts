// SPDX-License-Identifier: Apache-2.0
// Memory hazards: accesses of commands to the same bytes, at least one of which writes, that nothing orders.
//
// The tracker keeps the accesses that a later one may conflict with. Each has, for every queue,
//
//   ordered   the stages of commands of that queue that begin when it has ended: an execution dependency
//   visible   for a write, the usages of that queue that see what it wrote: a memory dependency
//
// A barrier takes the accesses in its first scope: those of its source stages, and those that an earlier dependency
// ordered before its source stages (a chain). It orders them before its destination stages; a write that is in the
// source access scope, or was made available before, becomes visible to the destination access scope. Then
//
//   read after write    safe where the read's usage is in visible
//   write after write   safe where the write's usage is in visible
//   write after read    safe where the write's stage is in ordered
//
// The dependencies of one command see what was before it, so they make no chain with each other. A memory dependency
// for a part of what a write has written cuts the write in two (regions.ts): what it is for, and the rest.
//
// Accesses are dropped when a later one stands for them: a write that covers the same bytes and is safe, or the same
// read once more. Source: Vulkan 1.3, 7.1 (execution and memory dependencies). Cost: each access is compared with
// those of the same memory.
import type { DeviceMemory } from "../memory.ts";
import { type Region, carve, covers, meet } from "./regions.ts";
import { usageOf } from "./usage.table.ts";

/** What a command does with bytes of a block of memory. */
export interface Touch extends Region {
  /** A number of usage.table.ts. */
  readonly usage: number;
  /** The resource, for messages: "binding 0 of set 1, a buffer of 64 bytes". */
  readonly what: string;
}

/** A command with what it touches, dependencies, or what is done with an event. */
export type SyncStep =
  | {
      readonly kind: "command";
      readonly label: string;
      readonly touches: readonly Touch[];
      /** What it touches besides, as descriptors say when it is submitted; null: nothing. */
      readonly late: (() => readonly Touch[]) | null;
    }
  | { readonly kind: "barrier"; readonly label: string; readonly dependencies: readonly Dependency[] }
  | {
      readonly kind: "set-event";
      readonly event: object;
      /** Stages of the commands before it that it waits for; null: it is reset. */
      readonly stages: number | null;
    }
  | {
      readonly kind: "wait-event";
      readonly label: string;
      readonly waits: readonly { readonly event: object; readonly dependencies: readonly Dependency[] }[];
    };

/** A dependency of a barrier or of a wait for an event. */
export interface Dependency {
  readonly firstStages: number;
  readonly firstUsages: number;
  readonly secondStages: number;
  readonly secondUsages: number;
  /** What the memory dependency is for; null: all memory. */
  readonly range: Region | null;
  /** The image changes its layout, which writes it. */
  readonly transition: Touch | null;
}

/** An access that has been made. */
interface Access extends Touch {
  /** Its number; pieces of one access have the same. */
  readonly id: number;
  readonly label: string;
  readonly queue: number;
  /** The number of its submission in its queue. */
  readonly submission: number;
  isAvailable: boolean;
  /** By queue. */
  readonly ordered: number[];
  readonly visible: number[];
}

/** A conflict of two commands. */
export interface Hazard {
  /** `READ-AFTER-WRITE` and so on, as Khronos' layer names them. */
  readonly name: string;
  readonly message: string;
}

/** How far each queue has come. */
export interface Progress {
  /** By queue, the number of the last submission of which everything has happened. */
  readonly clock: readonly number[];
  /** Accesses of later submissions that have been made. */
  readonly accesses: ReadonlySet<number>;
}

/** A dependency with the accesses that it can be for; null: all that were before. */
interface Scoped extends Dependency {
  readonly only: ReadonlySet<number> | null;
}

const NO_ACCESSES: ReadonlySet<number> = new Set();

let lastAccess = 0;

const describe = (label: string, { usage, what }: Touch): string => `${label} ${usageOf(usage).verb} ${what}`;

/** What would mend a hazard on one queue. */
function advice(before: Access, after: Touch): string {
  const [first, second] = [usageOf(before.usage), usageOf(after.usage)];
  if (!first.isWrite) return `an execution dependency from ${first.stageName} to ${second.stageName}`;
  const from = first.stageName === "" ? "" : ` from ${first.accessName} in ${first.stageName}`;
  return `a memory barrier${from} to ${second.accessName} in ${second.stageName}`;
}

/** See the file's head. */
export class HazardTracker {
  #accesses = new Map<DeviceMemory, Access[]>();
  /** What was before an event was set, and is in the scope of that, by event. */
  #events = new Map<object, ReadonlySet<number>>();

  /** A copy, which later steps do not reach. */
  clone(): HazardTracker {
    const clone = new HazardTracker();
    for (const [memory, list] of this.#accesses) clone.#accesses.set(memory, list.map(copyOf));
    clone.#events = new Map(this.#events);
    return clone;
  }

  /** Takes a step of a queue; the hazard that it makes, and then nothing of it was taken. */
  take(step: SyncStep, queue: number, submission: number): Hazard | null {
    switch (step.kind) {
      case "command":
        return this.#command(step.label, step.touches, queue, submission);
      case "barrier":
        return this.#depend(
          step.label,
          step.dependencies.map((one) => ({ ...one, only: null })),
          queue,
          submission,
        );
      case "set-event":
        if (step.stages === null) this.#events.delete(step.event);
        else this.#events.set(step.event, this.inScope(step.stages, queue));
        return null;
      default:
        return this.#depend(
          step.label,
          step.waits.flatMap(({ event, dependencies }) => {
            const only = this.#events.get(event) ?? NO_ACCESSES;
            return dependencies.map((one) => ({ ...one, only }));
          }),
          queue,
          submission,
        );
    }
  }

  /** Accesses so far that are before what a queue does behind these stages: a first scope. */
  inScope(stages: number, queue: number): ReadonlySet<number> {
    const found = new Set<number>();
    for (const list of this.#accesses.values())
      for (const one of list) if (isInFirst(one, stages, queue)) found.add(one.id);
    return found;
  }

  /** Those of these accesses that a later one may still conflict with. */
  alive(accesses: ReadonlySet<number>): ReadonlySet<number> {
    if (accesses.size === 0) return accesses;
    const found = new Set<number>();
    for (const list of this.#accesses.values()) for (const { id } of list) if (accesses.has(id)) found.add(id);
    return found;
  }

  /** A semaphore that a queue waits for: what has happened is before these stages. */
  await(progress: Progress, queue: number, stages: number, usages: number): void {
    for (const list of this.#accesses.values())
      for (const one of list) {
        if (!hasHappened(one, progress)) continue;
        one.isAvailable = true;
        one.ordered[queue] = (one.ordered[queue] ?? 0) | stages;
        one.visible[queue] = (one.visible[queue] ?? 0) | usages;
      }
  }

  /** The host knows what has happened. */
  retire(progress: Progress): void {
    for (const [memory, list] of this.#accesses) {
      const left = list.filter((one) => !hasHappened(one, progress));
      if (left.length === 0) this.#accesses.delete(memory);
      else this.#accesses.set(memory, left);
    }
  }

  /** Everything is complete. */
  retireAll(): void {
    this.#accesses.clear();
    this.#events.clear();
  }

  /** The memory is gone. */
  forget(memory: DeviceMemory): void {
    this.#accesses.delete(memory);
  }

  #command(label: string, touches: readonly Touch[], queue: number, submission: number): Hazard | null {
    for (const touch of touches)
      for (const before of this.#accesses.get(touch.memory) ?? []) {
        const hazard = meet(before, touch) ? hazardOf(before, touch, label, queue) : null;
        if (hazard !== null) return hazard;
      }
    const id = ++lastAccess;
    for (const touch of touches)
      this.#add({ ...touch, id, label, queue, submission, isAvailable: false, ordered: [], visible: [] });
    return null;
  }

  #add(access: Access): void {
    const { isWrite } = usageOf(access.usage);
    const list = this.#accesses.get(access.memory) ?? [];
    // What has just been made by the same command is no older access.
    const left = list.filter((old) => {
      if (old.id === access.id) return true;
      const isReplaced = isWrite || (old.usage === access.usage && old.queue === access.queue);
      return !(isReplaced && covers(access, old));
    });
    left.push(access);
    this.#accesses.set(access.memory, left);
  }

  /** All dependencies of a command at once. */
  #depend(label: string, dependencies: readonly Scoped[], queue: number, submission: number): Hazard | null {
    const transitions = dependencies.flatMap((own) => (own.transition === null ? [] : [{ own, to: own.transition }]));
    for (const [i, { own, to }] of transitions.entries()) {
      for (const before of this.#accesses.get(to.memory) ?? [])
        if (meet(before, to) && !isBeforeTransition(before, own, queue))
          return conflict(before, to, label, queue, "changes the layout of an image");
      if (transitions.slice(0, i).some((other) => meet(other.to, to)))
        return { name: "WRITE-AFTER-WRITE", message: `${label} changes the layout of ${to.what} twice; do it once` };
    }
    for (const [memory, list] of this.#accesses)
      this.#accesses.set(
        memory,
        list.flatMap((one) => order(one, dependencies, queue)),
      );
    for (const { own, to } of transitions)
      this.#add({
        ...to,
        id: ++lastAccess,
        label,
        queue,
        submission,
        isAvailable: true,
        ordered: at(queue, own.secondStages),
        visible: at(queue, own.secondUsages),
      });
    return null;
  }
}

const copyOf = (one: Access): Access => ({ ...one, ordered: [...one.ordered], visible: [...one.visible] });

const hasHappened = ({ id, queue, submission }: Access, { clock, accesses }: Progress): boolean =>
  submission <= (clock[queue] ?? 0) || accesses.has(id);

function at(queue: number, value: number): number[] {
  const list: number[] = [];
  list[queue] = value;
  return list;
}

/** True where an access is before what a queue does behind these stages: by its stage, or by a chain. */
function isInFirst(one: Access, stages: number, queue: number): boolean {
  const own = one.queue === queue ? usageOf(one.usage).stage : 0;
  return ((own | (one.ordered[queue] ?? 0)) & stages) !== 0;
}

/** True where a dependency makes what an access has written visible to somebody, if its bytes are those that it is for. */
const isMadeVisible = (one: Access, { firstUsages }: Dependency, queue: number): boolean =>
  one.isAvailable || (one.queue === queue && (firstUsages & (1 << one.usage)) !== 0);

/** An access behind the dependencies of one command: as it is, or in pieces where a part of it is visible now. */
function order(one: Access, dependencies: readonly Scoped[], queue: number): readonly Access[] {
  const mine = dependencies.filter(
    ({ only, firstStages }) => (only === null || only.has(one.id)) && isInFirst(one, firstStages, queue),
  );
  if (mine.length === 0) return [one];
  const { isWrite } = usageOf(one.usage);
  const visible = isWrite ? mine.filter((own) => isMadeVisible(one, own, queue)) : [];
  one.ordered[queue] = mine.reduce((stages, { secondStages }) => stages | secondStages, one.ordered[queue] ?? 0);
  let pieces: readonly Access[] = [one];
  for (const { range, secondUsages } of visible)
    pieces = pieces.flatMap((piece) => {
      const { inside, outside } = range === null ? { inside: piece, outside: [] } : carve(piece, range);
      const rest = outside.map((left) => (left === piece ? left : copyOf(left)));
      if (inside === null) return rest;
      const own = inside === piece ? piece : copyOf(inside);
      own.isAvailable = true;
      own.visible[queue] = (own.visible[queue] ?? 0) | secondUsages;
      return [own, ...rest];
    });
  return pieces;
}

/** True where a change of layout comes behind an access. */
function isBeforeTransition(one: Access, own: Scoped, queue: number): boolean {
  if ((own.only !== null && !own.only.has(one.id)) || !isInFirst(one, own.firstStages, queue)) return false;
  return !usageOf(one.usage).isWrite || isMadeVisible(one, own, queue);
}

function conflict(before: Access, touch: Touch, label: string, queue: number, doing: string | null): Hazard {
  const [first, second] = [usageOf(before.usage), usageOf(touch.usage)];
  const isRace = before.queue !== queue && (before.ordered[queue] ?? 0) === 0;
  const [late, early] = [second.isWrite ? "WRITE" : "READ", first.isWrite ? "WRITE" : "READ"];
  const mend = isRace
    ? "let a semaphore order the two submissions, with the stages of both commands where it is signalled and waited for"
    : doing === null
      ? `put ${advice(before, touch)} between them`
      : `put ${first.accessName} in ${first.stageName} into the barrier's first scope`;
  return {
    name: `${late}-${isRace ? "RACING" : "AFTER"}-${early}`,
    message:
      `${doing === null ? describe(label, touch) : `${label} ${doing}, ${touch.what}`}, ` +
      `and ${describe(before.label, before)} before it, with nothing that orders the two; ${mend}`,
  };
}

function hazardOf(before: Access, touch: Touch, label: string, queue: number): Hazard | null {
  const [first, second] = [usageOf(before.usage), usageOf(touch.usage)];
  if (!first.isWrite && !second.isWrite) return null;
  const isSafe = first.isWrite
    ? ((before.visible[queue] ?? 0) & (1 << touch.usage)) !== 0
    : ((before.ordered[queue] ?? 0) & second.stage) !== 0;
  return isSafe ? null : conflict(before, touch, label, queue, null);
}
