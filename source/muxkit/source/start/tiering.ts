// SPDX-License-Identifier: Apache-2.0
// How soon the engine optimises JavaScript. A build runs most functions some hundred times and ends: compiling them
// better on the other core takes longer than it saves. Only a program may say so, for flags are the process's.
//
// Its threads share the flags, so they share words that say how many of them want patience: the flags follow the first
// that begins and the last that ends. Cost: nothing but at these two.
import { cachedDataVersionTag, setFlagsFromString } from "node:v8";

/** A flag of V8: its own default, what it is while a program starts and builds, and while a server answers. */
export interface TieringFlag {
  readonly name: string;
  readonly usual: number;
  /** What other flags that are on by default make of it; absent: nothing. */
  readonly implied?: number;
  readonly patient: number;
  readonly serving: number;
}

/** What flags are while no thread wants patience. A server's are for calls of a program that wants the processors. */
export type Calm = "usual" | "serving";

/**
 * What decides when V8's optimising compilers start, by the major version that has these flags first; newest first. A
 * build of seconds still has its hottest functions compiled by the quick one of the two. Names that an engine does not
 * know do nothing.
 */
const FLAGS: readonly { readonly since: number; readonly flags: readonly TieringFlag[] }[] = [
  {
    // Calls before each of the two. TurboFan takes longer for a function than a build of seconds can win back, and
    // longer than thousands of commands can: Maglev's code of a command runs nearly as fast
    // (docs/decisions/063-frames-in-memory.md).
    since: 12,
    flags: [
      { name: "--invocation-count-for-maglev", usual: 400, patient: 8000, serving: 400 },
      { name: "--invocation-count-for-turbofan", usual: 3000, implied: 10_000, patient: 300_000, serving: 30_000 },
    ],
  },
  // Bytes of bytecode that run before the only one there is.
  { since: 11, flags: [{ name: "--interrupt-budget", usual: 67_584, patient: 675_840, serving: 67_584 }] },
];

/** The flags that a version of V8 has; none where nothing is known of it. */
export function tieringFlags(engine: string): readonly TieringFlag[] {
  const major = Number.parseInt(engine, 10);
  return FLAGS.find(({ since }) => major >= since)?.flags ?? [];
}

/** Words that threads share: whether one of them changes flags, how many want patience, and the flags at first. */
const BUSY = 0;
const PATIENT = 1;
const FIRST_TAG = 2;
const WORDS = 3;
/**
 * How long a thread waits for another one to have changed flags, in ms. One that was ended meanwhile costs no more than
 * that: the flags decide nothing but time.
 */
const LONGEST_CHANGE_MS = 20;

/** See the file's head. */
export class Tiering {
  /** What the other threads of the process get. */
  readonly shared: Int32Array;
  readonly #flags = tieringFlags(process.versions.v8);
  readonly #calm: Calm;
  #isPatient = false;

  /** `shared` is that of another thread's, with the same `calm`; null: this is the first thread. */
  constructor(shared: Int32Array | null = null, calm: Calm = "usual") {
    this.shared = shared ?? new Int32Array(new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT));
    if (shared === null) this.shared[FIRST_TAG] = cachedDataVersionTag();
    this.#calm = calm;
  }

  /** Optimises what is called again and again only. */
  patient(): void {
    this.#set(true);
  }

  /** Optimises as soon as when nobody wants patience, as far as this thread is concerned. */
  usual(): void {
    this.#set(false);
  }

  /** Runs something patiently: code that was compiled under some flags is taken under the same ones only. */
  patiently<T>(run: () => T): T {
    const was = this.#isPatient;
    this.patient();
    try {
      return run();
    } finally {
      if (!was) this.usual();
    }
  }

  #set(isPatient: boolean): void {
    if (this.#isPatient === isPatient) return;
    this.#isPatient = isPatient;
    const { shared } = this;
    while (Atomics.compareExchange(shared, BUSY, 0, 1) !== 0)
      if (Atomics.wait(shared, BUSY, 1, LONGEST_CHANGE_MS) === "timed-out") break;
    const others = Atomics.add(shared, PATIENT, isPatient ? 1 : -1) - (isPatient ? 0 : 1);
    if (others === 0) {
      for (const flag of this.#flags) setFlagsFromString(`${flag.name}=${flag[isPatient ? "patient" : this.#calm]}`);
      if (!isPatient && this.#calm === "usual") this.#restore();
    }
    Atomics.store(shared, BUSY, 0);
    Atomics.notify(shared, BUSY);
  }

  /**
   * Makes the flags what they were at first. Where they are not, the engine compiles its own scripts anew for the next
   * thread that starts, which takes longer than all else of that.
   */
  #restore(): void {
    if ((cachedDataVersionTag() | 0) === this.shared[FIRST_TAG]) return;
    for (const { name, implied } of this.#flags) if (implied !== undefined) setFlagsFromString(`${name}=${implied}`);
  }
}
