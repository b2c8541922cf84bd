// SPDX-License-Identifier: Apache-2.0
// Which of the wider jobs are set aside: half of each family, drawn at random.
import { prngWord } from "../../benchmarks/src/job.mjs";

/** The two halves of a family of jobs. */
export interface Halves {
  readonly tuned: readonly string[];
  readonly setAside: readonly string[];
}

/**
 * Draws the half of each family that is set aside: a shuffle by the words of a seed (benchmarks/README.md), families
 * and jobs by name. Of families of an odd number every other one gives the larger half, so that the halves stay equal.
 */
export function drawSetAside(
  families: Readonly<Record<string, readonly string[]>>,
  seed: number,
): Readonly<Record<string, Halves>> {
  let drawn = 0;
  let odd = 0;
  const halves: Record<string, Halves> = {};
  for (const family of Object.keys(families).toSorted()) {
    const jobs = (families[family] ?? []).toSorted();
    for (let i = jobs.length - 1; i > 0; i--) {
      const j = prngWord(seed, drawn++) % (i + 1);
      [jobs[i], jobs[j]] = [jobs[j] ?? "", jobs[i] ?? ""];
    }
    const half = jobs.length % 2 === 0 || odd++ % 2 === 1 ? Math.floor(jobs.length / 2) : Math.ceil(jobs.length / 2);
    halves[family] = { setAside: jobs.slice(0, half).toSorted(), tuned: jobs.slice(half).toSorted() };
  }
  return halves;
}
