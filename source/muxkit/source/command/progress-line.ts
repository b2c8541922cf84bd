// SPDX-License-Identifier: Apache-2.0
// How far long work is: one line of a terminal, which is written over and gone in the end. Elsewhere there is nothing.
import type { Streams } from "./command.ts";

/** The line. */
export interface ProgressLine {
  /** Puts another text in place of the last one, at most a few times a second unless `now`. */
  readonly show: (text: string, now?: boolean) => void;
  /** Takes it away, before something else is written or at the end. */
  readonly clear: () => void;
}

/** A line that no eye can follow is not written. */
const LEAST_MS = 100;
const ERASE = "\r\u001B[K";

/** A progress line; null: the error stream is no terminal. */
export function progressLine({ error, isTerminal }: Streams): ProgressLine | null {
  if (isTerminal !== true) return null;
  let shown = "";
  let last = -Infinity;
  return {
    show: (text, now = false) => {
      const time = performance.now();
      if (text === shown || (!now && time - last < LEAST_MS)) return;
      error(`${ERASE}${text}`);
      shown = text;
      last = time;
    },
    clear: () => {
      if (shown !== "") error(ERASE);
      shown = "";
    },
  };
}
