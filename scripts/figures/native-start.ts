// SPDX-License-Identifier: Apache-2.0
// What starts cost with machine code: processes from their start to a kernel's first result, with nothing kept and with
// all of it, by the settings of MUXKIT_NATIVE in turns; and in a warm process the way from source, or from the cache,
// to the first result.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { table } from "../bench/table.ts";
import { median } from "../median.ts";
import { writeChapter } from "./sides.ts";

const root = resolve(import.meta.dirname, "../..");
const MODES = ["off", "auto", "on"] as const;

/** A setting of MUXKIT_NATIVE. */
type StartMode = (typeof MODES)[number];

/** Medians in ms. */
interface StartTimes {
  readonly mode: StartMode;
  /** From the start of a process to the first result, with an empty cache, and with a full one. */
  readonly empty: number;
  readonly full: number;
  /** In a warm process: from a source that is new, and from one that is kept. */
  readonly fresh: number;
  readonly kept: number;
}

interface Run {
  readonly first: number;
  readonly fresh: readonly number[];
  readonly kept: readonly number[];
  readonly result: string;
}

function run(mode: StartMode, folder: string, rounds: number): Run {
  // What is installed is measured, not the sources.
  const { NODE_OPTIONS: _, ...env } = process.env;
  const text = execFileSync(process.execPath, [join(import.meta.dirname, "native-start-run.ts"), String(rounds)], {
    cwd: root,
    encoding: "utf8",
    env: { ...env, MUXKIT_NATIVE: mode, MUXKIT_CACHE: folder },
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(text) as Run;
}

/** Measures what is bundled. */
function nativeStarts(rounds: number): readonly StartTimes[] {
  const times = new Map(MODES.map((mode) => [mode, { empty: [] as number[], full: [] as number[] }]));
  const results = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    for (const [mode, { empty, full }] of times) {
      const folder = mkdtempSync(join(tmpdir(), "muxkit-starts-"));
      try {
        for (const list of [empty, full]) {
          const { first, result } = run(mode, folder, 0);
          list.push(first);
          results.add(result);
        }
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }
  }
  if (results.size !== 1) throw new Error("the results differ");
  return MODES.map((mode) => {
    const folder = mkdtempSync(join(tmpdir(), "muxkit-starts-"));
    try {
      const { fresh, kept } = run(mode, folder, 60);
      const { empty = [], full = [] } = times.get(mode) ?? {};
      return { mode, empty: median(empty), full: median(full), fresh: median(fresh), kept: median(kept) };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

/** Measures, prints the table, and with `--write` writes it into the page. */
export function starts(writes: boolean, rounds: number): void {
  const times = nativeStarts(rounds);
  const text = table(
    ["ms", ...times.map(({ mode }) => mode)],
    [
      ["process to the first result, empty cache", ...times.map(({ empty }) => empty.toFixed(0))],
      ["process to the first result, full cache", ...times.map(({ full }) => full.toFixed(0))],
      ["warm process, from a new source to the result", ...times.map(({ fresh }) => fresh.toFixed(1))],
      ["warm process, from the cache to the result", ...times.map(({ kept }) => kept.toFixed(1))],
    ],
    [0],
  );
  console.log(text);
  if (writes)
    writeChapter(
      "## Starts by setting",
      `Written by \`npm run figures -- starts --write\`, Node ${process.version}: a kernel of 50 lines by the settings of
\`MUXKIT_NATIVE\`. Processes as medians of ${rounds} interleaved rounds; in a warm process medians of 30 builds after 30.

${text}`,
    );
}
