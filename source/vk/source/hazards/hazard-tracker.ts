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
// Accesses are dropped when a later one stands for them: a write that covers the same bytes and is safe, or the same
// read once more. Source: Vulkan 1.3, 7.1 (execution and memory dependencies). Cost: each access is compared with
// those of the same memory.
import type { DeviceMemory } from "../memory.ts";
import type { Image } from "../image.ts";
import { usageOf } from "./usage.table.ts";

/** A box of texels: least corner and greatest corner, exclusive; layers are the last axis. */
export type TexelBox = readonly [least: readonly number[], most: readonly number[]];

/** What a command does with bytes of a block of memory. */
export interface Touch {
  readonly memory: DeviceMemory;
  /** First byte, and the byte behind the last. */
  readonly start: number;
  readonly end: number;
  /** A part of an image; two parts that do not overlap do not conflict, whatever their bytes. Null: all the bytes. */
  readonly part: { readonly image: Image; readonly box: TexelBox } | null;
  /** A number of usage.table.ts. */
  readonly usage: number;
  /** The resource, for messages: "binding 0 of set 1, a buffer of 64 bytes". */
  readonly what: string;
}

/** A command with what it touches, or a dependency. */
export type SyncStep =
  | { readonly kind: "command"; readonly label: string; readonly touches: readonly Touch[] }
  | Dependency
  | { readonly kind: "set-event"; readonly event: object; readonly isSet: boolean }
  | { readonly kind: "wait-event"; readonly event: object; readonly dependencies: readonly Dependency[] };

/** Bytes of a block of memory. */
export type ByteRange = Pick<Touch, "memory" | "start" | "end">;

/** A barrier. */
export interface Dependency {
  readonly kind: "dependency";
  readonly label: string;
  readonly firstStages: number;
  readonly firstUsages: number;
  readonly secondStages: number;
  readonly secondUsages: number;
  /** What the memory dependency is for; null: all memory. */
  readonly range: ByteRange | null;
  /** The image changes its layout, which writes it. */
  readonly transition: Touch | null;
}

/** An access that has been made. */
interface Access extends Touch {
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

/** How far each queue has come: numbers of submissions. */
export type Clock = readonly number[];

const overlaps = (a: ByteRange, b: ByteRange): boolean => a.memory === b.memory && a.start < b.end && b.start < a.end;

/** True where two accesses have bytes in common. */
function meet(a: Touch, b: Touch): boolean {
  if (!overlaps(a, b)) return false;
  if (a.part === null || b.part === null || a.part.image !== b.part.image) return true;
  const [[leastA, mostA], [leastB, mostB]] = [a.part.box, b.part.box];
  return leastA.every((low, axis) => low < (mostB[axis] ?? 0) && (leastB[axis] ?? 0) < (mostA[axis] ?? 0));
}

/** True where one access has all bytes of another. */
function covers(whole: Touch, part: Touch): boolean {
  if (whole.memory !== part.memory || whole.start > part.start || whole.end < part.end) return false;
  if (whole.part === null) return true;
  if (whole.part.image !== part.part?.image) return false;
  const [[least, most], [low, high]] = [whole.part.box, part.part.box];
  return least.every((own, axis) => own <= (low[axis] ?? 0) && (most[axis] ?? 0) >= (high[axis] ?? 0));
}

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
  /** What was before an event was set, by event. */
  #events = new Map<object, ReadonlySet<Access>>();

  /** A copy, which later steps do not reach. */
  clone(): HazardTracker {
    const clone = new HazardTracker();
    const copies = new Map<Access, Access>();
    for (const [memory, list] of this.#accesses)
      clone.#accesses.set(
        memory,
        list.map((one) => {
          const copy = { ...one, ordered: [...one.ordered], visible: [...one.visible] };
          copies.set(one, copy);
          return copy;
        }),
      );
    for (const [event, set] of this.#events)
      clone.#events.set(event, new Set([...set].flatMap((one) => copies.get(one) ?? [])));
    return clone;
  }

  /** Takes a step of a queue; the hazard that it makes, and then nothing of it was taken. */
  take(step: SyncStep, queue: number, submission: number): Hazard | null {
    if (step.kind === "command") return this.#command(step.label, step.touches, queue, submission);
    if (step.kind === "dependency") return this.#dependency(step, queue, submission, null);
    if (step.kind === "set-event") {
      if (step.isSet) this.#events.set(step.event, new Set([...this.#accesses.values()].flat()));
      else this.#events.delete(step.event);
      return null;
    }
    const before = this.#events.get(step.event) ?? new Set<Access>();
    for (const dependency of step.dependencies) {
      const hazard = this.#dependency(dependency, queue, submission, before);
      if (hazard !== null) return hazard;
    }
    return null;
  }

  /** A semaphore that a queue waits for: all submissions of the clock are before these stages. */
  await(clock: Clock, queue: number, stages: number, usages: number): void {
    for (const list of this.#accesses.values())
      for (const one of list) {
        if (one.submission > (clock[one.queue] ?? 0)) continue;
        one.isAvailable = true;
        one.ordered[queue] = (one.ordered[queue] ?? 0) | stages;
        one.visible[queue] = (one.visible[queue] ?? 0) | usages;
      }
  }

  /** The host knows that the submissions of a clock are complete. */
  retire(clock: Clock): void {
    for (const [memory, list] of this.#accesses) {
      const left = list.filter(({ queue, submission }) => submission > (clock[queue] ?? 0));
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
    for (const touch of touches) this.#add({ ...touch, label, queue, submission, ...nothing() });
    return null;
  }

  #add(access: Access): void {
    const { isWrite } = usageOf(access.usage);
    const list = this.#accesses.get(access.memory) ?? [];
    // What has just been made by the same command is no older access.
    const left = list.filter((old) => {
      const isSame = old.label === access.label && old.submission === access.submission && old.queue === access.queue;
      if (isSame && old.ordered.length === 0) return true;
      const isReplaced = isWrite || (old.usage === access.usage && old.queue === access.queue);
      return !(isReplaced && covers(access, old));
    });
    left.push(access);
    this.#accesses.set(access.memory, left);
  }

  #dependency(
    dependency: Dependency,
    queue: number,
    submission: number,
    only: ReadonlySet<Access> | null,
  ): Hazard | null {
    const { transition, label } = dependency;
    if (transition !== null)
      for (const before of this.#accesses.get(transition.memory) ?? []) {
        if (!meet(before, transition) || isBeforeTransition(before, dependency, queue, only)) continue;
        return conflict(before, transition, label, queue, "changes the layout of an image");
      }
    for (const list of this.#accesses.values())
      for (const one of list) if (only === null || only.has(one)) order(one, dependency, queue);
    if (transition !== null)
      this.#add({
        ...transition,
        label,
        queue,
        submission,
        isAvailable: true,
        ordered: at(queue, dependency.secondStages),
        visible: at(queue, dependency.secondUsages),
      });
    return null;
  }
}

const nothing = (): Pick<Access, "isAvailable" | "ordered" | "visible"> => ({
  isAvailable: false,
  ordered: [],
  visible: [],
});

function at(queue: number, value: number): number[] {
  const list: number[] = [];
  list[queue] = value;
  return list;
}

/** True where an access is in the first scope of a dependency: by its stage, or by a chain. */
function isInFirst(one: Access, { firstStages }: Dependency, queue: number): boolean {
  const own = one.queue === queue ? usageOf(one.usage).stage : 0;
  return ((own | (one.ordered[queue] ?? 0)) & firstStages) !== 0;
}

function order(one: Access, dependency: Dependency, queue: number): void {
  if (!isInFirst(one, dependency, queue)) return;
  one.ordered[queue] = (one.ordered[queue] ?? 0) | dependency.secondStages;
  const { range } = dependency;
  if (!usageOf(one.usage).isWrite || (range !== null && !overlaps(one, range))) return;
  const isInScope = one.queue === queue && (dependency.firstUsages & (1 << one.usage)) !== 0;
  if (!one.isAvailable && !isInScope) return;
  one.isAvailable = true;
  one.visible[queue] = (one.visible[queue] ?? 0) | dependency.secondUsages;
}

/** True where a change of layout comes behind an access. */
function isBeforeTransition(
  one: Access,
  dependency: Dependency,
  queue: number,
  only: ReadonlySet<Access> | null,
): boolean {
  if ((only !== null && !only.has(one)) || !isInFirst(one, dependency, queue)) return false;
  return !usageOf(one.usage).isWrite || one.isAvailable || (dependency.firstUsages & (1 << one.usage)) !== 0;
}

function conflict(before: Access, touch: Touch, label: string, queue: number, doing: string | null): Hazard {
  const [first, second] = [usageOf(before.usage), usageOf(touch.usage)];
  const isRace = before.queue !== queue && (before.ordered[queue] ?? 0) === 0;
  const [late, early] = [second.isWrite ? "WRITE" : "READ", first.isWrite ? "WRITE" : "READ"];
  const mend = isRace
    ? "let a semaphore order the two submissions"
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
