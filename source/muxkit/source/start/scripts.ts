// SPDX-License-Identifier: Apache-2.0
// The scripts that the executable is made of, each with what the engine made of it in processes before: code that is
// compiled need not be read again. Large ones are installed compressed; their texts are kept too.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { brotliDecompressSync, crc32 } from "node:zlib";

import type { ProgramStore } from "@muxkit/loader";

import { Tiering } from "./tiering.ts";

/** What a script is: see tools/build/bundle-program.ts. */
type Body = (require: (name: string) => unknown, scriptUrl: string) => unknown;

/** Of what is kept: a checksum of the rest, and the uses that it has seen. */
const HEAD_BYTES = 8;

/** What the name of a file ends with that is a script, compressed. */
export const COMPRESSED = ".br";

/** A script's text, and what names its version. */
interface Source {
  readonly text: string;
  readonly version: string;
}

/** Bytes with a head of their checksum. */
function sealed(rest: Uint8Array, uses: number): Uint8Array {
  const bytes = new Uint8Array(HEAD_BYTES + rest.length);
  bytes.set(rest, HEAD_BYTES);
  const head = new DataView(bytes.buffer);
  head.setUint32(0, crc32(rest), true);
  head.setUint32(4, uses, true);
  return bytes;
}

/** What {@link sealed} was given; null: it is not whole. */
function unsealed(kept: Uint8Array | null): { readonly rest: Uint8Array; readonly uses: number } | null {
  if (kept === null || kept.length < HEAD_BYTES) return null;
  const head = new DataView(kept.buffer, kept.byteOffset, HEAD_BYTES);
  const rest = kept.subarray(HEAD_BYTES);
  return head.getUint32(0, true) === crc32(rest) ? { rest, uses: head.getUint32(4, true) } : null;
}

/** Bundles are ASCII, which takes no decoding. */
function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}

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
    const source = this.#read(name, filename);
    const { script, ...loaded } = this.#tiering.patiently(() => this.#compile(name, filename, source));
    this.#loaded.push({ script, ...loaded });
    const body = script.runInThisContext() as Body;
    return body(
      (wanted) => (wanted.startsWith("./") ? this.load(wanted.slice(2).replace(/\.js$/u, ".cjs")) : this.#node(wanted)),
      pathToFileURL(filename).href,
    );
  }

  #read(name: string, filename: string): Source {
    const compressed = `${filename}${COMPRESSED}`;
    const isCompressed = existsSync(compressed);
    const bytes = readFileSync(isCompressed ? compressed : filename);
    const version = crc32(bytes).toString(16);
    if (!isCompressed) return { text: textOf(bytes), version };
    const keptName = `${name}-${version}-text`;
    const kept = unsealed(this.#store?.read(keptName) ?? null);
    if (kept !== null) return { text: textOf(kept.rest), version };
    const text = brotliDecompressSync(bytes);
    this.#store?.write(keptName, sealed(text, 0));
    return { text: textOf(text), version };
  }

  #compile(name: string, filename: string, { text, version }: Source): Loaded {
    if (this.#store === null) return { script: new Script(text, { filename }), name, uses: 0 };
    // The engine compares lengths, flags and its own version with what it made, not the text.
    const keptName = `${name}-${version}-${process.version}-${process.arch}`;
    const kept = unsealed(this.#store.read(keptName));
    if (kept === null) return { script: new Script(text, { filename }), name: keptName, uses: 0 };
    const script = new Script(text, { filename, cachedData: kept.rest });
    return { script, name: keptName, uses: script.cachedDataRejected === true ? 0 : kept.uses };
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
      this.#store.write(name, sealed(data, uses | use));
    }
  }
}
