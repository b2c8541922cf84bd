// SPDX-License-Identifier: Apache-2.0
// What all ways of running a job share: the options of a run, its report, the timed runs, the outputs' files.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import type { ScalarArray } from "@muxkit/cargo";

import { fileReason } from "../command/file-reason.ts";
import { makeFolder } from "../make-folder.ts";
import { type ContentionReport, beginContention } from "./contention.ts";
import { type Job, type JobArgument, JobError } from "./job.ts";
import { type OutputReport, type TimesReport, fnv1a, reportOutput } from "./statistics.ts";

/** What a run may change of its job. */
export interface RunOptions {
  /** Folder for the outputs of the first run; null: none. */
  readonly dump: string | null;
  readonly runs: number | null;
  readonly warmup: number | null;
  /** Goes on until the timed runs took so many ms together. */
  readonly minMs: number;
  /** A part of a device's name; null: this machine's processor. */
  readonly device: string | null;
  /** Threads of the processor; null: the default. */
  readonly threads: number | null;
  /** True: the device chooses the local size. */
  readonly localAuto: boolean;
  /** File of an executable that is run instead of the job's source; null: the source is built. */
  readonly binary: string | null;
  /** Build options instead of the job's. */
  readonly options: string | null;
  /** False leaves the figures of outputs out. */
  readonly check: boolean;
  /** True adds checksums of the inputs. */
  readonly inputs: boolean;
  /** Told before each run how far it is; null: nobody wants to know. */
  readonly step: ((text: string) => void) | null;
}

/** What a run reports; times in ms. */
export interface JobReport extends TimesReport, Partial<ContentionReport> {
  readonly name: string;
  readonly platform: string;
  readonly device: string;
  readonly driver: string;
  readonly options: string;
  readonly enqueues: number;
  /** Making the inputs: no part of any other time. */
  readonly input_ms: number;
  readonly setup_ms: number;
  readonly build_ms: number;
  readonly upload_ms: number;
  readonly first_ms: number;
  readonly read_ms: number;
  readonly threads: number;
  readonly outputs?: readonly OutputReport[];
  readonly inputs?: readonly {
    readonly arg: number;
    readonly type: string;
    readonly count: number;
    readonly fnv1a: string;
  }[];
}

/** An argument that holds data, with its contents. */
export interface DataArgument {
  readonly index: number;
  readonly argument: Extract<JobArgument, { readonly kind: "buffer" | "image" }>;
  readonly input: ScalarArray;
  /** What the first run wrote; null for what the kernel only reads. */
  readonly output: ScalarArray | null;
}

/** Most timed runs. */
const MOST_RUNS = 2000;

/** The times of the timed runs, in ms. `prepare` is called before each run, outside its time. */
export function timeRuns(
  job: Job,
  run: RunOptions,
  prepare: () => void,
  once: () => void,
): { readonly times: readonly number[]; readonly contention: ContentionReport } {
  const runs = run.runs ?? job.runs;
  const timed = (): number => {
    prepare();
    const start = performance.now();
    once();
    return performance.now() - start;
  };
  const warmup = run.warmup ?? job.warmup;
  for (let i = 0; i < warmup; i++) {
    run.step?.(`${job.name}: warming up, ${i + 1} of ${warmup}`);
    timed();
  }
  const end = beginContention();
  const times: number[] = [];
  let total = 0;
  while (times.length < runs || (total < run.minMs && times.length < MOST_RUNS)) {
    run.step?.(
      times.length < runs
        ? `${job.name}: run ${times.length + 1} of ${runs}`
        : `${job.name}: run ${times.length + 1}, ${Math.round((100 * total) / run.minMs)} % of ${run.minMs} ms`,
    );
    const time = timed();
    times.push(time);
    total += time;
  }
  return { times, contention: end() };
}

/** Writes outputs to a folder, each as a file. Throws a {@link JobError}. */
export function dumpOutputs(job: Job, data: readonly DataArgument[], folder: string): void {
  try {
    makeFolder(folder);
    for (const { index, output, argument } of data)
      if (output !== null)
        writeFileSync(join(folder, `${job.name}.arg${index}.${argument.type}.bin`), new Uint8Array(output.buffer));
  } catch (cause) {
    throw new JobError(`the outputs cannot be written to the folder ${folder}: ${fileReason(cause)}`, { cause });
  }
}

/** Figures of the outputs. */
export function reportOutputs(job: Job, data: readonly DataArgument[]): readonly OutputReport[] {
  return data.flatMap(({ index, output, argument }) =>
    output === null ? [] : [reportOutput(index, argument.type, output, job.first)],
  );
}

/** Checksums of the inputs. */
export function reportInputs(data: readonly DataArgument[]): NonNullable<JobReport["inputs"]> {
  return data.map(({ index, input, argument }) => ({
    arg: index,
    type: argument.type,
    count: input.length,
    fnv1a: fnv1a(input),
  }));
}
