// SPDX-License-Identifier: Apache-2.0
// Compiling on another thread: jobs, their answers, and who waits for them. Both sides use nothing but the interface of
// compilers. How a thread is started, and how messages travel, is the environment's: a `CompilePort`.
//
// Each job brings its program, as the bytes of its module or as what a stored build was made from, and a number by
// which the thread knows a program that it has made already. Answers are taken where a launch looks for its variant,
// without turns of an event loop, which a program that waits in clFinish never has.
//
// There may be several such threads. A job goes to the one that owes the fewest answers; another thread is started when
// each has jobs waiting. When a thread is gone, no more are started, and the calling thread makes what that one owes;
// the others go on.
import { type Result, err, ok } from "@muxkit/cargo";
import {
  type CompilerError,
  type LaunchFacts,
  type OptionMode,
  type PendingKernel,
  type SpecializedKernel,
  compilerError,
} from "@muxkit/compiler";
import { markVerifiedCode } from "@muxkit/metadata";
import type { MuxDeviceInfo } from "@muxkit/mux";

import type { KernelTraits } from "./kernel-traits.ts";
import type { FileRead } from "./program-store.ts";

/** A program as another thread can have it. @public */
export type ProgramRecipe =
  | {
      /** A module of the compiler, by `Module.serialize`. */
      readonly kind: "module";
      readonly bytes: Uint8Array;
    }
  | {
      /** What a stored build was made from: option texts, a source with its headers, and the files that it has read. */
      readonly kind: "source";
      readonly texts: readonly { readonly text: string; readonly mode: OptionMode }[];
      readonly frontEnd: string;
      readonly source: string;
      readonly headers: readonly { readonly name: string; readonly source: string }[];
      readonly files: readonly FileRead[];
    };

/** A kernel to be specialised, or described, by another thread. @public */
export interface CompileJob {
  /** Number of the job. */
  readonly id: number;
  /** Which compiler of the library. */
  readonly compiler: number;
  /** The device. */
  readonly device: MuxDeviceInfo;
  /** Number of the program. */
  readonly program: number;
  /** What it is made from. */
  readonly recipe: ProgramRecipe;
  /** Name of the kernel. */
  readonly kernel: string;
  /** The launches that it is for; null: it is only described. */
  readonly facts: LaunchFacts | null;
}

/** What became of a job. @public */
export interface CompileAnswer {
  /** Number of the job. */
  readonly id: number;
  /** Code and its key, or the description; a sentence: why there is none. */
  readonly made: Pick<SpecializedKernel, "binary" | "key"> | KernelTraits | string;
}

/** The way to a thread that compiles, and back. @public */
export interface CompilePort {
  /** Sends a job. */
  readonly post: (job: CompileJob) => void;
  /** The next answer, for which it waits so many ms at most; null: there is none. */
  readonly receive: (timeout: number) => CompileAnswer | null;
  /** True when the thread is known to have ended: no more answers come. Absent: that is not known. */
  readonly isLost?: () => boolean;
}

/** An answer that another thread owes: as `PendingKernel` has it. @internal */
export interface Pending<T> {
  /** The answer; null: it is not there yet. @internal */
  readonly poll: () => Result<T, CompilerError> | null;
  /** Waits for it. @internal */
  readonly wait: () => Result<T, CompilerError>;
  /** Nobody wants it any more. @internal */
  readonly drop: () => void;
  /** True when the thread was gone before it answered, which says nothing of the job. @internal */
  readonly isLost: () => boolean;
}

/** A kernel that another thread makes; the calling one does by `make` where that thread is gone. @internal */
export function madeSomewhere(
  pending: Pending<SpecializedKernel> | null,
  make: () => Result<SpecializedKernel, CompilerError>,
): PendingKernel | null {
  if (pending === null) return null;
  let own: Result<SpecializedKernel, CompilerError> | null = null;
  return {
    poll: () => {
      const made = pending.poll();
      return made !== null && pending.isLost() ? (own ??= make()) : made;
    },
    wait: () => {
      const made = pending.wait();
      return pending.isLost() ? (own ??= make()) : made;
    },
    drop: () => {
      pending.drop();
    },
  };
}

/** A thread that takes longer than this for a job, in ms, is taken to be gone. */
const MOST_MS = 120_000;

function failure(message: string): CompilerError {
  return compilerError("failure", message);
}

/** Jobs that each thread may owe before another is started: starting costs as much as a job. */
const FULL = 2;

/** One of the threads. */
interface Helper {
  readonly port: CompilePort;
  /** Answers that it owes. */
  owed: number;
}

/** What an answer is to have; null: it is something else. */
type Take<T> = (made: Exclude<CompileAnswer["made"], string>) => T | null;
const monotonic = (): number => performance.now();

/** The threads that compile, as modules use them: they are started by the jobs that need them. @internal */
export class CompileThread {
  readonly #start: () => CompilePort | null;
  /** Most threads. */
  readonly #most: number;
  readonly #helpers: Helper[] = [];
  /** False: no more threads can be started. */
  #mayStart = true;
  #jobs = 0;
  #programs = 0;
  /** Answers by the numbers of jobs that are still wanted; null: it is not there yet. */
  readonly #answers = new Map<number, CompileAnswer | null>();

  /** Jobs whose answers it waits for, or holds. @internal */
  get wanted(): number {
    return this.#answers.size;
  }

  /** False when there is no thread, or none any more; true before the first was started. @internal */
  get isUsable(): boolean {
    this.#loseEnded();
    return this.#mayStart || this.running > 0;
  }

  /** Threads that run. @internal */
  get running(): number {
    return this.#helpers.length;
  }

  /**
   * `start` returns the way to a new thread, of which there are `most` at most; null: there are no threads here.
   * @internal
   */
  constructor(start: () => CompilePort | null, most: number = 1) {
    this.#start = start;
    this.#most = most;
  }

  /** A number for a program. @internal */
  newProgram(): number {
    return ++this.#programs;
  }

  /** Has a kernel specialised; null: there is no thread. @internal */
  begin(job: Omit<CompileJob, "id">, now: () => number = monotonic): Pending<SpecializedKernel> | null {
    return this.#ask(job, now, (made) => {
      if (!("binary" in made)) return null;
      // Messages come from a thread of this process alone, whose compiler has verified it.
      markVerifiedCode(made.binary);
      return { ...made, report: null };
    });
  }

  /** Has a kernel described; null: there is no thread. @internal */
  describe(job: Omit<CompileJob, "id" | "facts">, now: () => number = monotonic): Pending<KernelTraits> | null {
    return this.#ask({ ...job, facts: null }, now, (made) => ("forms" in made ? made : null));
  }

  /** Starts a thread; null: there can be no more. */
  #startOne(): Helper | null {
    if (!this.#mayStart || this.running >= this.#most) return null;
    const port = this.#start();
    if (port === null) {
      this.#mayStart = false;
      return null;
    }
    const helper: Helper = { port, owed: 0 };
    this.#helpers.push(helper);
    return helper;
  }

  /** The thread for the next job; null: there is none. */
  #helper(): Helper | null {
    this.#loseEnded();
    let least: Helper | null = null;
    for (const helper of this.#helpers) {
      while (this.#collect(helper, 0));
      if (least === null || helper.owed < least.owed) least = helper;
    }
    return least === null || least.owed >= FULL ? (this.#startOne() ?? least) : least;
  }

  /** Gives threads up that are known to have ended. */
  #loseEnded(): void {
    const ended = this.#helpers.filter(({ port }) => port.isLost?.() === true);
    for (const helper of ended) this.#lose(helper);
  }

  /** Gives a thread up: it gets no more jobs, and no other one is started in its place. */
  #lose(helper: Helper): void {
    const place = this.#helpers.indexOf(helper);
    if (place >= 0) this.#helpers.splice(place, 1);
    this.#mayStart = false;
  }

  /** Sends a job; `take` returns what its answer is to have, null: that is something else. */
  #ask<T>(job: Omit<CompileJob, "id">, now: () => number, take: Take<T>): Pending<T> | null {
    const helper = this.#helper();
    if (helper === null) return null;
    const { port } = helper;
    const id = ++this.#jobs;
    this.#answers.set(id, null);
    port.post({ ...job, id });
    helper.owed++;
    const end = now() + MOST_MS;
    let isGone = false;
    const look = (timeout: number): Result<T, CompilerError> | null => {
      this.#collectUntil(helper, id, timeout);
      let answer = this.#answers.get(id) ?? null;
      if (answer === null) {
        const hasEnded = port.isLost?.() === true;
        if (!hasEnded && now() < end) return null;
        // What it sent before it ended.
        this.#collectUntil(helper, id, 0);
        answer = this.#answers.get(id) ?? null;
        if (answer === null) {
          this.#answers.delete(id);
          this.#lose(helper);
          isGone = true;
          return err(
            failure(`the thread that compiles has ${hasEnded ? "ended" : `not answered for ${MOST_MS / 1000} s`}`),
          );
        }
      }
      this.#answers.delete(id);
      const { made } = answer;
      if (typeof made === "string") return err(failure(made));
      const taken = take(made);
      return taken === null ? err(failure("the thread that compiles has answered something else")) : ok(taken);
    };
    let made: Result<T, CompilerError> | null = null;
    return {
      poll: () => (made ??= look(0)),
      wait: () => {
        while (made === null) made = look(Math.max(0, end - now()));
        return made;
      },
      drop: () => {
        this.#answers.delete(id);
        made ??= err(failure("the job was given up"));
      },
      isLost: () => isGone,
    };
  }

  /** Takes the answers of a thread until the one to a job is there; waits for one. */
  #collectUntil(helper: Helper, id: number, timeout: number): void {
    while (this.#answers.get(id) === null) if (!this.#collect(helper, timeout)) return;
  }

  /** Takes an answer of a thread, for whoever still wants it; false: there was none. */
  #collect(helper: Helper, timeout: number): boolean {
    const answer = helper.port.receive(timeout);
    if (answer === null) return false;
    helper.owed--;
    if (this.#answers.has(answer.id)) this.#answers.set(answer.id, answer);
    return true;
  }
}
