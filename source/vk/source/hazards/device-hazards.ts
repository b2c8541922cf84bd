// SPDX-License-Identifier: Apache-2.0
// Hazards between submissions: the accesses of all queues of a device, and what semaphores, fences and waits of the
// host order.
//
// Each submission has a number in its queue. A clock says for each queue up to which submission something has happened:
// a semaphore has the clock of the batch that signals it, and a batch has that of its queue and of all semaphores that
// it waits for. What the host knows to be complete by a clock is forgotten. A batch whose timeline value nobody has
// submitted yet is looked at when somebody does.
import type { CommandBuffer } from "../command-buffer.ts";
import type { Fence, Semaphore } from "../synchronisation.ts";
import { type Clock, type Hazard, HazardTracker, type SyncStep } from "./hazard-tracker.ts";
import { allUsages, secondStages } from "./usage.table.ts";

/** A semaphore of a batch. */
export interface SemaphoreUse {
  readonly semaphore: Semaphore;
  /** Of timeline semaphores. */
  readonly value: bigint;
  /** Bits of VkPipelineStageFlags2: what waits. */
  readonly stages: bigint;
}

/** A batch with what is recorded in its command buffers. */
export interface HazardBatch {
  readonly waits: readonly SemaphoreUse[];
  readonly buffers: readonly { readonly commands: CommandBuffer; readonly steps: readonly SyncStep[] }[];
  readonly signals: readonly SemaphoreUse[];
  readonly fence: Fence | null;
}

/** A queue: its number, and its clock. */
interface QueueState {
  readonly index: number;
  clock: number[];
  /** Batches that wait for values that nobody has submitted, and those behind them. */
  held: HazardBatch[];
}

/** A value of a timeline semaphore, and what has happened when it has it. */
interface TimelinePoint {
  readonly value: bigint;
  readonly clock: Clock;
}

/** The greater of both, queue by queue. */
function joined(a: Clock, b: Clock): number[] {
  return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => Math.max(a[i] ?? 0, b[i] ?? 0));
}

const named = (step: SyncStep, of: string): SyncStep =>
  step.kind === "command" || step.kind === "dependency" ? { ...step, label: `${step.label}${of}` } : step;

/** See the file's head. */
export class DeviceHazards {
  #tracker = new HazardTracker();
  #queues = new Map<object, QueueState>();
  #binary = new Map<Semaphore, Clock>();
  #timeline = new Map<Semaphore, TimelinePoint[]>();
  #fences = new Map<Fence, Clock>();
  #buffers = 0;

  /** Batches that a queue is given. The first hazard is returned, and then none of them was taken. */
  submit(queue: object, batches: readonly HazardBatch[]): Hazard | null {
    const state = this.#stateOf(queue);
    const restore = this.#snapshot();
    state.held.push(...batches);
    const hazard = this.#advance();
    if (hazard !== null) restore();
    return hazard;
  }

  /** The host signals a timeline semaphore. */
  signalled(semaphore: Semaphore, value: bigint): Hazard | null {
    this.#pointsOf(semaphore).push({ value, clock: [] });
    return this.#advance();
  }

  /** The host knows that a fence is signalled. */
  fenceSeen(fence: Fence): void {
    const clock = this.#fences.get(fence);
    if (clock !== undefined) this.#tracker.retire(clock);
  }

  /** The host knows that a timeline semaphore has a value. */
  valueSeen(semaphore: Semaphore, value: bigint): void {
    for (const point of this.#pointsOf(semaphore)) if (point.value <= value) this.#tracker.retire(point.clock);
  }

  /** The host knows that a queue is idle. */
  queueSeen(queue: object): void {
    this.#tracker.retire(this.#stateOf(queue).clock);
  }

  /** The host knows that all queues are idle. */
  allSeen(): void {
    this.#tracker.retireAll();
  }

  /** The memory is gone. */
  forget(...memory: Parameters<HazardTracker["forget"]>): void {
    this.#tracker.forget(...memory);
  }

  /** Keeps everything as it is. Returns what brings it back. */
  #snapshot(): () => void {
    const tracker = this.#tracker.clone();
    const states = [...this.#queues.values()].map((state) => ({ state, clock: state.clock, held: [...state.held] }));
    const [binary, fences] = [new Map(this.#binary), new Map(this.#fences)];
    const timeline = new Map([...this.#timeline].map(([semaphore, points]) => [semaphore, [...points]]));
    return () => {
      this.#tracker = tracker;
      for (const { state, clock, held } of states) {
        state.clock = clock;
        state.held = held;
      }
      this.#binary = binary;
      this.#fences = fences;
      this.#timeline = timeline;
    };
  }

  #stateOf(queue: object): QueueState {
    let state = this.#queues.get(queue);
    if (state === undefined) {
      state = { index: this.#queues.size, clock: [], held: [] };
      this.#queues.set(queue, state);
    }
    return state;
  }

  #pointsOf(semaphore: Semaphore): TimelinePoint[] {
    let points = this.#timeline.get(semaphore);
    if (points === undefined) {
      points = [];
      this.#timeline.set(semaphore, points);
    }
    return points;
  }

  /** The clock of what a batch waits for; null: nobody has submitted the value. */
  #awaited({ semaphore, value }: SemaphoreUse): Clock | null {
    if (!semaphore.isTimeline) return this.#binary.get(semaphore) ?? [];
    let next: TimelinePoint | null = null;
    for (const point of this.#pointsOf(semaphore))
      if (point.value >= value && (next === null || point.value < next.value)) next = point;
    return next?.clock ?? (semaphore.value >= value ? [] : null);
  }

  /** Takes held batches as long as there are some whose values have been submitted. */
  #advance(): Hazard | null {
    let isMoving = true;
    while (isMoving) {
      isMoving = false;
      for (const state of this.#queues.values()) {
        const [first] = state.held;
        if (first === undefined || first.waits.some((wait) => this.#awaited(wait) === null)) continue;
        state.held.shift();
        const hazard = this.#take(state, first);
        if (hazard !== null) return hazard;
        isMoving = true;
      }
    }
    return null;
  }

  #take(state: QueueState, { waits, buffers, signals, fence }: HazardBatch): Hazard | null {
    const { index } = state;
    for (const wait of waits) {
      const clock = this.#awaited(wait) ?? [];
      const stages = secondStages(wait.stages);
      this.#tracker.await(clock, index, stages, allUsages(stages));
      if (!wait.semaphore.isTimeline) this.#binary.delete(wait.semaphore);
      state.clock = joined(state.clock, clock);
    }
    const submission = (state.clock[index] ?? 0) + 1;
    state.clock = joined(state.clock, []);
    state.clock[index] = submission;
    for (const { steps } of buffers) {
      const of = ` of command buffer ${++this.#buffers}`;
      for (const step of steps) {
        const hazard = this.#tracker.take(named(step, of), index, submission);
        if (hazard !== null) return hazard;
      }
    }
    const clock = [...state.clock];
    for (const { semaphore, value } of signals)
      if (semaphore.isTimeline) this.#pointsOf(semaphore).push({ value, clock });
      else this.#binary.set(semaphore, clock);
    if (fence !== null) this.#fences.set(fence, clock);
    return null;
  }
}
