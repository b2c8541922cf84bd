// SPDX-License-Identifier: Apache-2.0
// How soon the engine optimises JavaScript. A build runs most functions some hundred times and ends: compiling them
// better on the other core takes longer than it saves. Only a program may say so, for flags are the process's.
import { setFlagsFromString } from "node:v8";

/** A flag of V8: its own default, and what it is while a program starts and builds. */
export interface TieringFlag {
  readonly name: string;
  readonly usual: number;
  readonly patient: number;
}

/**
 * What decides when V8's optimising compilers start, by the major version that has these flags first; newest first. A
 * build of seconds still has its hottest functions compiled by the quick one of the two. Names that an engine does not
 * know do nothing.
 */
const FLAGS: readonly { readonly since: number; readonly flags: readonly TieringFlag[] }[] = [
  {
    // Calls before each of the two. TurboFan takes longer for a function than a build of seconds can win back.
    since: 12,
    flags: [
      { name: "--invocation-count-for-maglev", usual: 400, patient: 8000 },
      { name: "--invocation-count-for-turbofan", usual: 3000, patient: 300_000 },
    ],
  },
  // Bytes of bytecode that run before the only one there is.
  { since: 11, flags: [{ name: "--interrupt-budget", usual: 67_584, patient: 675_840 }] },
];

/** The flags that a version of V8 has; none where nothing is known of it. */
export function tieringFlags(engine: string): readonly TieringFlag[] {
  const major = Number.parseInt(engine, 10);
  return FLAGS.find(({ since }) => major >= since)?.flags ?? [];
}

/** See the file's head. */
export class Tiering {
  readonly #flags = tieringFlags(process.versions.v8);
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
    for (const flag of this.#flags) setFlagsFromString(`${flag.name}=${flag[how]}`);
  }
}
