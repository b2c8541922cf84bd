// Queues that have to dispatch commands again and cannot, before other queues have.

/** A queue that waits for others. */
export interface HeldUp {
  /** True when it need not wait any more. */
  readonly canResume: boolean;
  /** Goes on. */
  resume(): void;
}

/** Those that wait, of all devices. */
export const HELD_UP: Set<HeldUp> = new Set();

let isResuming = false;

/** Something was dispatched or settled: queues that waited for that go on. */
export function resumeHeldUp(): void {
  if (isResuming || HELD_UP.size === 0) return;
  isResuming = true;
  try {
    for (let queue = resumable(); queue !== undefined; queue = resumable()) {
      HELD_UP.delete(queue);
      queue.resume();
    }
  } finally {
    isResuming = false;
  }
}

function resumable(): HeldUp | undefined {
  for (const queue of HELD_UP) if (queue.canResume) return queue;
  return undefined;
}
