// SPDX-License-Identifier: Apache-2.0
// The scripts that the executable is made of, each with what the engine made of it in processes before: code that is
// compiled need not be read again.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";

import type { ProgramStore } from "@muxkit/loader";

import { Tiering } from "./tiering.ts";

/** What a script is: see tools/build/bundle-program.ts. */
type Body = (require: (name: string) => unknown, scriptUrl: string) => unknown;

/** Of what is kept: a checksum of the rest, and the uses that it has seen. */
const HEAD_BYTES = 8;

interface Loaded {
  readonly script: Script;
  readonly name: string;
  /** A bit for each kind of use that had its functions compiled before; 0: nothing is kept. */
  readonly uses: number;
}

/** Scripts of a folder, each loaded once. */
export class Scripts {
  readonly #folder: string;
  readonly #store: ProgramStore | null;
  readonly #results = new Map<string, unknown>();
  readonly #loaded: Loaded[] = [];
  readonly #node: NodeJS.Require;
  readonly #tiering: Tiering;

  /** `store` keeps what the engine made; null: nothing does. */
  constructor(folder: string, store: ProgramStore | null, tiering: Tiering = new Tiering()) {
    this.#tiering = tiering;
    this.#folder = folder;
    this.#store = store;
    this.#node = createRequire(join(folder, "scripts.cjs"));
  }

  /** What a script gives. Throws when there is none of that name. */
  load(name: string): unknown {
    if (!this.#results.has(name)) this.#results.set(name, this.#run(name));
    return this.#results.get(name);
  }

  #run(name: string): unknown {
    const filename = join(this.#folder, name);
    const bytes = readFileSync(filename);
    const { script, ...loaded } = this.#tiering.patiently(() => this.#compile(name, filename, bytes));
    this.#loaded.push({ script, ...loaded });
    const body = script.runInThisContext() as Body;
    return body(
      (wanted) => (wanted.startsWith("./") ? this.load(wanted.slice(2).replace(/\.js$/u, ".cjs")) : this.#node(wanted)),
      pathToFileURL(filename).href,
    );
  }

  #compile(name: string, filename: string, bytes: Buffer): Loaded {
    // Bundles are ASCII, which takes no decoding.
    const text = bytes.toString("latin1");
    if (this.#store === null) return { script: new Script(text, { filename }), name, uses: 0 };
    // The engine compares lengths, flags and its own version with what it made, not the text.
    const keptName = `${name}-${crc32(bytes).toString(16)}-${process.version}-${process.arch}`;
    const kept = this.#store.read(keptName);
    const head =
      kept === null || kept.length < HEAD_BYTES ? null : new DataView(kept.buffer, kept.byteOffset, HEAD_BYTES);
    const cachedData = kept?.subarray(HEAD_BYTES);
    if (head === null || cachedData === undefined || head.getUint32(0, true) !== crc32(cachedData))
      return { script: new Script(text, { filename }), name: keptName, uses: 0 };
    const script = new Script(text, { filename, cachedData });
    return { script, name: keptName, uses: script.cachedDataRejected === true ? 0 : head.getUint32(4, true) };
  }

  /**
   * Keeps what the engine has made by now of the scripts, where this process used them in a way that none before has:
   * it then ran functions that were not compiled yet.
   */
  keep(args: readonly string[]): void {
    if (this.#store === null) return;
    for (const { script, name, uses } of this.#loaded) {
      // Sixteen kinds for the files that commands are about, sixteen for the commands and how many scripts they needed.
      const use =
        (1 << (crc32(args.join("\n")) & 15)) | (1 << (16 + (crc32(`${args[0] ?? ""} ${this.#loaded.length}`) & 15)));
      if ((uses | use) === uses) continue;
      const data = this.#tiering.patiently(() => script.createCachedData());
      const bytes = new Uint8Array(HEAD_BYTES + data.length);
      bytes.set(data, HEAD_BYTES);
      const head = new DataView(bytes.buffer);
      head.setUint32(0, crc32(data), true);
      head.setUint32(4, uses | use, true);
      this.#store.write(name, bytes);
    }
  }
}
