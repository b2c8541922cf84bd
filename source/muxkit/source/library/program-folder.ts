// SPDX-License-Identifier: Apache-2.0
// A program library in a folder (cl_altera_compiler_mode): ROOT/DEVICE/HASH holds `kernels.cl`, `build.cmd` that
// compiles it, and once that was run `kernels.bin`.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { type Result, err, ok } from "@muxkit/cargo";
import { splitOptionString } from "@muxkit/compiler";
import type { LibraryEntry, ProgramLibrary } from "@muxkit/opencl";

import { makeFolder } from "../make-folder.ts";
import { buildScript } from "./build-script.ts";

/** The source. */
const SOURCE = "kernels.cl";
/** The instructions. */
const SCRIPT = "build.cmd";
/** What they make. */
const BINARY = "kernels.bin";
/** Digits of a folder's name. */
const HASH_DIGITS = 32;

/** The name of an entry's folder: the first digits of the SHA-256 of `[device, options, source]` as JSON. */
export function entryHash({ device, options, source }: LibraryEntry): string {
  return createHash("sha256")
    .update(JSON.stringify([device, options, source]))
    .digest("hex")
    .slice(0, HASH_DIGITS);
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Writes a file whole or not at all. */
function writeWhole(path: string, text: string, mode: number): void {
  const partial = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}.part`;
  writeFileSync(partial, text, { mode, flag: "wx" });
  renameSync(partial, path);
}

/** See the file's head. */
export class ProgramFolder implements ProgramLibrary {
  readonly root: string;

  /** `root` is an absolute path; the folder is made when the first entry is. */
  constructor(root: string) {
    this.root = root;
  }

  /** See the interface. */
  add(entry: LibraryEntry): Result<string, string> {
    const folder = this.#folderOf(entry);
    const words = splitOptionString(entry.options);
    if (!words.ok) return words;
    try {
      makeFolder(folder);
      if (!existsSync(join(folder, SOURCE))) writeWhole(join(folder, SOURCE), entry.source, 0o644);
      // Written each time: where the program runs may be another place now.
      writeWhole(
        join(folder, SCRIPT),
        buildScript({
          device: entry.device,
          options: words.value,
          source: SOURCE,
          binary: BINARY,
          workingFolder: process.cwd(),
          platform: process.platform,
        }),
        0o755,
      );
    } catch (error) {
      return err(`the program library at ${this.root} cannot be written: ${reason(error)}`);
    }
    return ok(folder);
  }

  /** See the interface. */
  find(entry: LibraryEntry): Result<Uint8Array, string> {
    const folder = this.#folderOf(entry);
    const source = join(folder, SOURCE);
    if (!existsSync(source))
      return err(
        `the program library at ${this.root} has no entry for this source, the device ` +
          `${entry.device} and the options "${entry.options}" (${folder}); run the program ` +
          "once with CL_CONTEXT_COMPILER_MODE_ALTERA 1",
      );
    if (!existsSync(join(folder, BINARY)))
      return err(`the program in ${folder} is not compiled; run ${join(folder, SCRIPT)}`);
    try {
      if (readFileSync(source, "utf8") !== entry.source)
        return err(
          `${source} is no longer the source of this program; remove the folder and run the ` +
            "program once with CL_CONTEXT_COMPILER_MODE_ALTERA 1",
        );
      return ok(new Uint8Array(readFileSync(join(folder, BINARY))));
    } catch (error) {
      return err(`the program in ${folder} cannot be read: ${reason(error)}`);
    }
  }

  #folderOf(entry: LibraryEntry): string {
    return join(this.root, entry.device, entryHash(entry));
  }
}
