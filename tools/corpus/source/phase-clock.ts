// SPDX-License-Identifier: Apache-2.0
// Processor time of the parts of a compile. The compiler reports its parts to the tracer of the process; this is a
// tracer whose clock is the processor time of the thread, and which keeps sums only. Passes that run within others
// count for the outer one.

/** The parts that compile time is told for. */
export const PHASES = ["frontEnd", "passes", "vectoriser", "codeGenerator", "rest"] as const;

/** One of {@link PHASES}. */
export type Phase = (typeof PHASES)[number];

/** Processor time by part, in ms. */
export type PhaseTimes = Readonly<Record<Phase, number>>;

/** What the compiler calls of a tracer. */
interface CompilerTracer {
  now(): number;
  span(category: string, name: string, begin: number): void;
}

/** Passes that make vectors. */
const VECTORISER: ReadonlySet<string> = new Set(["vectorize", "vectorize-sub-groups"]);

/** The key by which copies of the compiler find the tracer of their process. */
const TRACER_KEY = Symbol.for("muxkit.tracer");

/** Processor time of this thread, in µs. */
export function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

/** A span that no other span encloses yet. */
interface Part {
  readonly phase: Phase;
  readonly begin: number;
  readonly duration: number;
}

/** Sums up what the compiler reports; it must be made before the compiler is loaded. */
export class PhaseClock implements CompilerTracer {
  #parts: Part[] = [];
  #begin = 0;

  /** Becomes the tracer of the process. */
  constructor() {
    (globalThis as { [TRACER_KEY]?: CompilerTracer })[TRACER_KEY] = this;
  }

  /** See `Tracer`. */
  now(): number {
    return threadTime();
  }

  /** See `Tracer`. */
  span(category: string, name: string, begin: number): void {
    if (category === "pass") this.#add(VECTORISER.has(name) ? "vectoriser" : "passes", begin);
    else if (name === "front end") this.#add("frontEnd", begin);
  }

  #add(phase: Phase, begin: number): void {
    while ((this.#parts.at(-1)?.begin ?? -1) >= begin) this.#parts.pop();
    this.#parts.push({ phase, begin, duration: threadTime() - begin });
  }

  /** Starts a compile. */
  start(): void {
    this.#parts = [];
    this.#begin = threadTime();
  }

  /** The parts since the start; the code generator ran since `generated` (a time of this clock). */
  stop(generated: number | null): PhaseTimes {
    const end = threadTime();
    const times: Record<Phase, number> = { frontEnd: 0, passes: 0, vectoriser: 0, codeGenerator: 0, rest: 0 };
    for (const { phase, duration } of this.#parts) times[phase] += duration / 1000;
    times.codeGenerator = generated === null ? 0 : (end - generated) / 1000;
    times.rest = (end - this.#begin) / 1000 - times.frontEnd - times.passes - times.vectoriser - times.codeGenerator;
    return times;
  }
}
