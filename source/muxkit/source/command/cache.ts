// muxkit cache: where built programs are kept, and what they take.
import { CACHE_VARIABLE, codeStore, programStore } from "../cache/cache-folder.ts";
import type { DiskStore } from "../cache/disk-store.ts";
import { type Command, UsageError } from "./command.ts";

const KIB = 2 ** 10;

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
  return report === null ? `${what}: off\n` : `${what}: ${report.files} files, ${Math.ceil(report.bytes / KIB)} KiB, in ${report.folder}\n`;
}

/** The command. */
export const CACHE: Command = {
  usage: "muxkit cache [--clear] [--json]",
  summary: "says where built programs are kept, or removes them",
  options: { clear: { type: "boolean" }, json: { type: "boolean" } },
  help: { clear: `remove all that is kept; ${CACHE_VARIABLE}=off keeps nothing, ${CACHE_VARIABLE}=FOLDER keeps it there`, json: "print one JSON object" },
  run: ({ values, positionals }, { out }) => {
    if (positionals.length > 0) throw new UsageError(`muxkit cache takes no file, and was given "${positionals[0] ?? ""}"`);
    const [programs, code] = [programStore(process.env), codeStore(process.env)];
    if (values["clear"] === true) for (const store of [programs, code]) store?.clear();
    const [ofPrograms, ofCode] = [reportOf(programs), reportOf(code)];
    out(values["json"] === true ? `${JSON.stringify({ programs: ofPrograms, code: ofCode })}\n` : describe("built programs", ofPrograms) + describe("muxkit's own code, compiled", ofCode));
    return 0;
  },
};
