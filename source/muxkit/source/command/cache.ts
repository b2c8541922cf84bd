// SPDX-License-Identifier: Apache-2.0
// muxkit cache: where built programs are kept, and what they take.
import { CACHE_VARIABLE, codeStore, gpuStore, programStore } from "../cache/cache-folder.ts";
import { type Entry, type StoreStatistics, type Times, entriesOf, statisticsOf } from "../cache/cache-stats.ts";
import type { DiskStore } from "../cache/disk-store.ts";
import { type Command, UsageError } from "./command.ts";

const KIB = 2 ** 10;
const MIB = 2 ** 20;

interface StoreReport {
  readonly folder: string;
  readonly files: number;
  readonly bytes: number;
}

function reportOf(store: DiskStore | null): StoreReport | null {
  if (store === null) return null;
  const files = store.files();
  return { folder: store.folder, files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) };
}

function describe(what: string, report: StoreReport | null): string {
  return report === null
    ? `${what}: off\n`
    : `${what}: ${report.files} files, ${Math.ceil(report.bytes / KIB)} KiB, in ${report.folder}\n`;
}

const describeTimes = (times: Times | null): string =>
  times === null ? "none" : `${times.median.toFixed(2)} ms in the median, ${times.most.toFixed(2)} ms at most`;

function describeStatistics({ mostBytes, whole, damaged, hit, engine }: StoreStatistics): string {
  return (
    `  ${whole} whole, ${damaged} damaged; at most ${mostBytes / MIB} MiB are cached\n  ` +
    `time to read and check a program: ${describeTimes(hit)}\n  time of the engine to ` +
    `compile its code, which is not cached: ${describeTimes(engine)}\n`
  );
}

function describeEntry({ name, bytes, used, kept }: Entry): string {
  const what =
    kept === null
      ? "damaged"
      : kept.kernels.length > 0
        ? kept.kernels.join(", ")
        : "code of one of the listed programs";
  return `  ${name} ${String(bytes).padStart(8)} ${new Date(used).toISOString()} ${what}\n`;
}

/** The command. */
export const CACHE: Command = {
  usage: "muxkit cache [--list] [--stats] [--clear] [--json]",
  summary: "shows where built programs are cached, or removes them",
  options: {
    list: { type: "boolean" },
    stats: { type: "boolean" },
    clear: { type: "boolean" },
    json: { type: "boolean" },
  },
  help: {
    list: "list the cached programs, least recently used first: name, bytes, time of last use, kernels",
    stats:
      "measure how long it takes to read and check the cached programs, and how long the " +
      "engine takes to compile their code, which is not cached",
    clear: `remove all cached programs; ${CACHE_VARIABLE}=off disables the cache, ${CACHE_VARIABLE}=FOLDER moves it`,
    json: "print a JSON object",
  },
  run: ({ values, positionals }, { out }) => {
    if (positionals.length > 0) throw new UsageError(`this command takes no file, but got "${positionals[0] ?? ""}"`);
    const [programs, gpu, code] = [programStore(process.env), gpuStore(process.env), codeStore(process.env)];
    if (values["clear"] === true) for (const store of [programs, gpu, code]) store?.clear();
    const [ofPrograms, ofGpu, ofCode] = [reportOf(programs), reportOf(gpu), reportOf(code)];
    const list = values["list"] === true && programs !== null ? entriesOf(programs) : null;
    const statistics = values["stats"] === true && programs !== null ? statisticsOf(programs) : null;
    if (values["json"] === true) {
      const entries = list?.map(({ name, bytes, used, kept }) => ({
        name,
        bytes,
        used: new Date(used).toISOString(),
        kernels: kept?.kernels ?? null,
      }));
      out(
        `${JSON.stringify({ programs: ofPrograms, gpu: ofGpu, code: ofCode, ...(entries === undefined ? {} : { entries }), ...(statistics === null ? {} : { statistics }) })}\n`,
      );
      return 0;
    }
    out(describe("built programs", ofPrograms));
    if (statistics !== null) out(describeStatistics(statistics));
    for (const entry of list ?? []) out(describeEntry(entry));
    out(describe("code of GPUs", ofGpu));
    out(describe("muxkit's own code, compiled", ofCode));
    return 0;
  },
};
