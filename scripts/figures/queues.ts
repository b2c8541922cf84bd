// SPDX-License-Identifier: Apache-2.0
// Command queues compared with PoCL: the same steps by both, each side a process of its own, in interleaved rounds; and
// their chapter of `docs/performance.md`.
import { join } from "node:path";

import { type Row, comparedTable, figuresOf, nativeProgram, writeChapter } from "./sides.ts";

const SOURCE = join(import.meta.dirname, "queues.c");
const TITLE = "## Command queues";
const ROUNDS = 5;

const ROWS: readonly Row[] = [
  {
    name: "rate",
    text: "20,000 launches of 64 work-items in one queue and the wait for them, launches a ms",
    isMoreBetter: true,
    digits: 0,
  },
  { name: "rateOutOfOrder", text: "the same in a queue without order", isMoreBetter: true, digits: 0 },
  ...[1, 16, 256].flatMap((size) => [
    { name: `write${size}`, text: `blocking write of ${size} MiB, GB/s`, isMoreBetter: true, digits: 1 },
    { name: `read${size}`, text: `blocking read of ${size} MiB, GB/s`, isMoreBetter: true, digits: 1 },
  ]),
  { name: "map", text: "map of 16 MiB, unmap and wait, µs", isMoreBetter: false, digits: 1 },
  {
    name: "chain",
    text: "10,000 launches from queue to queue and back, each waiting for the event before it, µs a launch",
    isMoreBetter: false,
    digits: 2,
  },
  {
    name: "bothOutOfOrder",
    text: "two kernels of half the machine in one queue without order, time over that of one",
    isMoreBetter: false,
    digits: 2,
  },
  { name: "bothQueues", text: "the same in two queues", isMoreBetter: false, digits: 2 },
];

/** Measures, prints the table, and with `--write` writes it into the page. */
export function queues(writes: boolean): void {
  const native = nativeProgram(SOURCE);
  const text = comparedTable(
    ROWS,
    ROUNDS,
    "",
    (environment) =>
      figuresOf(process.execPath, [...process.execArgv, join(import.meta.dirname, "queues-run.ts")], environment),
    () => figuresOf(native, []),
  );
  if (writes)
    writeChapter(
      TITLE,
      `Written by \`npm run figures -- queues --write\`, Node ${process.version}: medians of ${ROUNDS} interleaved rounds,
each side a process of its own; "Wasm" is \`MUXKIT_NATIVE=off\`, "x64" \`on\`; "better by" is the median of the
rounds' ratios, above 1 where Muxkit is ahead.

${text}
`,
    );
}
