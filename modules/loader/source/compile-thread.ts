// SPDX-License-Identifier: Apache-2.0
// Compiling on another thread: jobs, their answers, and who waits for them. Both sides use nothing but the interface of
// compilers. How a thread is started, and how messages travel, is the environment's: a `CompilePort`.
//
// Each job brings its program, as the bytes of its module or as what a stored build was made from, and a number by
// which the thread knows a program that it has made already. Answers are taken where a launch looks for its variant,
// without turns of an event loop, which a program that waits in clFinish never has.
import { type Result, err, ok } from "@muxkit/cargo";
import {
  type CompilerError,
  type LaunchFacts,
  type OptionMode,
  type PendingKernel,
  type SpecializedKernel,
  compilerError,
} from "@muxkit/compiler";
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
}

/** A thread that takes longer than this for a job, in ms, is taken to be gone. */
const MOST_MS = 120_000;

function failure(message: string): CompilerError {
  return compilerError("failure", message);
}

/** A thread that compiles, as modules use it: it is started by the first job. @internal */
export class CompileThread {
  readonly #start: () => CompilePort | null;
  /** Null: not started; undefined: it cannot be, or is gone. */
  #port: CompilePort | null | undefined = null;
  #jobs = 0;
  #programs = 0;
  /** Answers by the numbers of jobs that are still wanted; null: it is not there yet. */
  readonly #answers = new Map<number, CompileAnswer | null>();

  /** Jobs whose answers it waits for, or holds. @internal */
  get wanted(): number {
    return this.#answers.size;
  }

  /** False when there is no thread, or none any more; true before it was started. @internal */
  get isUsable(): boolean {
    return this.#port !== undefined;
  }

  /** `start` returns the way to a new thread; null: there are no threads here. @internal */
  constructor(start: () => CompilePort | null) {
    this.#start = start;
  }

  /** A number for a program. @internal */
  newProgram(): number {
    return ++this.#programs;
  }

  /** Has a kernel specialised; null: there is no thread. @internal */
  begin(job: Omit<CompileJob, "id">, now: () => number = () => performance.now()): PendingKernel | null {
    return this.#ask(job, now, (made) => ("binary" in made ? { ...made, report: null } : null));
  }

  /** Has a kernel described; null: there is no thread. @internal */
  describe(
    job: Omit<CompileJob, "id" | "facts">,
    now: () => number = () => performance.now(),
  ): Pending<KernelTraits> | null {
    return this.#ask({ ...job, facts: null }, now, (made) => ("forms" in made ? made : null));
  }

  /** Sends a job; `take` returns what its answer is to have, null: that is something else. */
  #ask<T>(
    job: Omit<CompileJob, "id">,
    now: () => number,
    take: (made: Exclude<CompileAnswer["made"], string>) => T | null,
  ): Pending<T> | null {
    if (this.#port === null) this.#port = this.#start() ?? undefined;
    const port = this.#port;
    if (port === undefined) return null;
    const id = ++this.#jobs;
    this.#answers.set(id, null);
    port.post({ ...job, id });
    const end = now() + MOST_MS;
    const look = (timeout: number): Result<T, CompilerError> | null => {
      this.#collect(port, id, timeout);
      const answer = this.#answers.get(id) ?? null;
      if (answer === null) {
        const isLost = port.isLost?.() === true;
        if (!isLost && now() < end) return null;
        this.#answers.delete(id);
        // Later jobs get no thread: what it was to compile is compiled where it is needed.
        this.#port = undefined;
        return err(
          failure(`the thread that compiles has ${isLost ? "ended" : `not answered for ${MOST_MS / 1000} s`}`),
        );
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
    };
  }

  /** Takes the answers that are there, for all that still want theirs; waits for one. */
  #collect(port: CompilePort, id: number, timeout: number): void {
    while (this.#answers.get(id) === null) {
      const answer = port.receive(timeout);
      if (answer === null) return;
      if (this.#answers.has(answer.id)) this.#answers.set(answer.id, answer);
    }
  }
}
