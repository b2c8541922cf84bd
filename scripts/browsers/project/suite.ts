// SPDX-License-Identifier: Apache-2.0
// The kernel suite on one device, in a page or in a worker of it.
import { openDevice } from "muxkit";

import type { RecordedCase } from "./case.ts";
import { type SuiteDevice, runCase } from "./run-case.ts";

/** What became of the cases. */
export interface SuiteResult {
  readonly right: number;
  /** Why cases were not run, with how many. */
  readonly skipped: Readonly<Record<string, number>>;
  /** One sentence each. */
  readonly wrong: readonly string[];
  readonly threads: number;
  readonly seconds: number;
}

/** Opens a device and runs cases on it; `progress` is called for each. */
export async function runSuite(
  cases: readonly RecordedCase[],
  blocks: boolean,
  progress: (done: number) => void,
): Promise<SuiteResult> {
  let printed = "";
  const device = await openDevice({
    print: (text) => {
      printed += text;
    },
  });
  const on: SuiteDevice = {
    device,
    blocks,
    takePrinted: () => {
      const text = printed;
      printed = "";
      return text;
    },
  };
  const begin = performance.now();
  const skipped: Record<string, number> = {};
  const wrong: string[] = [];
  let right = 0;
  for (const [i, recorded] of cases.entries()) {
    // One at a time, so that what is printed is one case's.
    // oxlint-disable-next-line no-await-in-loop
    const outcome = await runCase(on, recorded);
    if (outcome.kind === "right") right++;
    else if (outcome.kind === "skipped") skipped[outcome.why] = (skipped[outcome.why] ?? 0) + 1;
    else wrong.push(`${recorded.test} (${recorded.kernels.join(", ")}): ${outcome.why}`);
    progress(i + 1);
  }
  const { threads } = device;
  device.close();
  return { right, skipped, wrong, threads, seconds: (performance.now() - begin) / 1000 };
}
