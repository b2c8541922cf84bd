// SPDX-License-Identifier: Apache-2.0
// How soon the engine optimises JavaScript. A build runs most functions some hundred times and ends: compiling them
// better on the other core takes longer than it saves. Only a program may say so, for flags are the process's.
import { setFlagsFromString } from "node:v8";

/**
 * Calls before each of V8's optimising compilers: its own defaults, and those while a program starts and builds. Names
 * that an engine does not know do nothing.
 */
const FLAGS = [
  { name: "--invocation-count-for-maglev", usual: 400, patient: 8000 },
  { name: "--invocation-count-for-turbofan", usual: 3000, patient: 30_000 },
] as const;

/** V8 has these flags from this major version on. */
const FIRST_V8 = 13;

/** See the file's head. */
export class Tiering {
  readonly #applies: boolean = Number(process.versions.v8.split(".", 1)[0]) >= FIRST_V8;
  #isPatient = false;

  /** Optimises what is called again and again only. */
  patient(): void {
    this.#set("patient");
  }

  /** Optimises as the engine does by itself. */
  usual(): void {
    this.#set("usual");
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

  #set(how: "usual" | "patient"): void {
    this.#isPatient = how === "patient";
    if (this.#applies) for (const flag of FLAGS) setFlagsFromString(`${flag.name}=${flag[how]}`);
  }
}
