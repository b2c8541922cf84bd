// SPDX-License-Identifier: Apache-2.0
// A process for the tests of services: it answers, never ends, fails, or takes all memory, as it is asked.
import { serve } from "@muxkit/corpus";

const [word = ""] = process.argv.slice(2);

/** What it does instead of an answer, by name. */
const TROUBLES: Readonly<Record<string, () => void>> = {
  throw: () => {
    throw new Error("no reply");
  },
  loop: () => {
    for (;;);
  },
  exhaust: () => {
    const kept: number[][] = [];
    for (;;) kept.push(Array.from({ length: 100_000 }, (_, i) => i + kept.length));
  },
};

serve((request): string => {
  TROUBLES[(request as { readonly does: string }).does]?.();
  return word;
});
