// SPDX-License-Identifier: Apache-2.0
// Hazards between submissions: the accesses of all queues of a device, and what semaphores, fences and waits of the
// host order.
//
// Each submission has a number in its queue. A clock says for each queue up to which submission everything has
// happened: a semaphore has the clock of the batch that signals it, and a batch has that of its queue and of all
// semaphores that it waits for. Where the stages of a signal leave some commands out, it has a list of the accesses
// that it comes behind instead. What the host knows to be complete is forgotten. A batch whose timeline value nobody
// has submitted yet is looked at when somebody does.
import type { CommandBuffer } from "../command-buffer.ts";
import type { Fence, Semaphore } from "../synchronisation.ts";
import { type Hazard, HazardTracker, type Progress, type SyncStep } from "./hazard-tracker.ts";
import { ALL_COMMANDS, allUsages, firstStages, secondStages } from "./usage.table.ts";

/** A semaphore of a batch. */
export interface SemaphoreUse {
  readonly semaphore: Semaphore;
  /** Of timeline semaphores. */
  readonly value: bigint;
  /** Bits of VkPipelineStageFlags2: what waits, or what a signal waits for. */
  readonly stages: bigint;
}

/** A batch with what is recorded in its command buffers. */
export interface HazardBatch {
  readonly waits: readonly SemaphoreUse[];
  readonly buffers: readonly { readonly commands: CommandBuffer; readonly steps: readonly SyncStep[] }[];
  readonly signals: readonly SemaphoreUse[];
  readonly fence: Fence | null;
}

/** A queue: its number, and what has happened behind its last batch. */
interface QueueState {
  readonly index: number;
  progress: Progress;
  /** Batches that wait for values that nobody has submitted, and those behind them. */
  held: HazardBatch[];
}

/** A value of a timeline semaphore, and what has happened when it has it. */
interface TimelinePoint {
  readonly value: bigint;
  readonly progress: Progress;
}

const NOTHING: Progress = { clock: [], accesses: new Set() };

/** What either has. */
function joined(a: Progress, b: Progress): Progress {
  const length = Math.max(a.clock.length, b.clock.length);
  return {
    clock: Array.from({ length }, (_, i) => Math.max(a.clock[i] ?? 0, b.clock[i] ?? 0)),
    accesses: a.accesses.size + b.accesses.size === 0 ? NOTHING.accesses : new Set([...a.accesses, ...b.accesses]),
  };
}

/** A step as a submission takes it. */
function submitted(step: SyncStep, of: string): SyncStep {
  if (step.kind === "set-event") return step;
  const label = `${step.label}${of}`;
  if (step.kind !== "command" || step.late === null) return { ...step, label };
  return { ...step, label, touches: [...step.touches, ...step.late()], late: null };
}

/** See the file's head. */
export class DeviceHazards {
  #tracker = new HazardTracker();
  #queues = new Map<object, QueueState>();
  #binary = new Map<Semaphore, Progress>();
  #timeline = new Map<Semaphore, TimelinePoint[]>();
  #fences = new Map<Fence, Progress>();
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
    this.#pointsOf(semaphore).push({ value, progress: NOTHING });
    return this.#advance();
  }

  /** The host knows that a fence is signalled. */
  fenceSeen(fence: Fence): void {
    const progress = this.#fences.get(fence);
    if (progress !== undefined) this.#tracker.retire(progress);
  }

  /** The host knows that a timeline semaphore has a value. */
  valueSeen(semaphore: Semaphore, value: bigint): void {
    for (const point of this.#pointsOf(semaphore)) if (point.value <= value) this.#tracker.retire(point.progress);
  }

  /** The host knows that a queue is idle. */
  queueSeen(queue: object): void {
    this.#tracker.retire(this.#stateOf(queue).progress);
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
    const states = [...this.#queues.values()].map((state) => ({
      state,
      progress: state.progress,
      held: [...state.held],
    }));
    const [binary, fences] = [new Map(this.#binary), new Map(this.#fences)];
    const timeline = new Map([...this.#timeline].map(([semaphore, points]) => [semaphore, [...points]]));
    return () => {
      this.#tracker = tracker;
      for (const { state, progress, held } of states) {
        state.progress = progress;
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
      state = { index: this.#queues.size, progress: NOTHING, held: [] };
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

  /** What has happened when a batch goes on; null: nobody has submitted the value. */
  #awaited({ semaphore, value }: SemaphoreUse): Progress | null {
    if (!semaphore.isTimeline) return this.#binary.get(semaphore) ?? NOTHING;
    let next: TimelinePoint | null = null;
    for (const point of this.#pointsOf(semaphore))
      if (point.value >= value && (next === null || point.value < next.value)) next = point;
    return next?.progress ?? (semaphore.value >= value ? NOTHING : null);
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
      const progress = this.#awaited(wait) ?? NOTHING;
      const stages = secondStages(wait.stages);
      this.#tracker.await(progress, index, stages, allUsages(stages));
      if (!wait.semaphore.isTimeline) this.#binary.delete(wait.semaphore);
      state.progress = joined(state.progress, progress);
    }
    const submission = (state.progress.clock[index] ?? 0) + 1;
    const clock = [...state.progress.clock];
    clock[index] = submission;
    state.progress = { clock, accesses: this.#tracker.alive(state.progress.accesses) };
    for (const { steps } of buffers) {
      const of = ` of command buffer ${++this.#buffers}`;
      for (const step of steps) {
        const hazard = this.#tracker.take(submitted(step, of), index, submission);
        if (hazard !== null) return hazard;
      }
    }
    for (const { semaphore, value, stages } of signals) {
      const progress = this.#behind(state, firstStages(stages));
      if (semaphore.isTimeline) this.#pointsOf(semaphore).push({ value, progress });
      else this.#binary.set(semaphore, progress);
    }
    if (fence !== null) this.#fences.set(fence, state.progress);
    return null;
  }

  /** What has happened behind these stages of a queue. */
  #behind({ index, progress }: QueueState, stages: number): Progress {
    if ((stages & ALL_COMMANDS) === ALL_COMMANDS) return progress;
    return { clock: [], accesses: this.#tracker.inScope(stages, index) };
  }
}
