// SPDX-License-Identifier: Apache-2.0
// Where outputs go: what `-o` says, or beside the input, or what is text and what comes from standard input to standard
// output.
import { existsSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

import { InputError, type Streams, UsageError } from "../command/command.ts";
import { fileReason } from "../command/file-reason.ts";
import { makeFolder } from "../make-folder.ts";
import type { CompilerRequest } from "./options.table.ts";
import type { Output } from "./outputs.ts";
import { STANDARD, UNNAMED, isFolder } from "./places.ts";
import type { Plan } from "./plan.ts";

/** See the file's head. */
export class OutputWriter {
  private readonly request: CompilerRequest;
  private readonly plan: Plan;
  private readonly streams: Streams;

  /** For one call. */
  constructor(request: CompilerRequest, plan: Plan, streams: Streams) {
    this.request = request;
    this.plan = plan;
    this.streams = streams;
    const { output } = request;
    if (output === "") throw new UsageError("-o requires the name of a file");
  }

  /** Writes what became of an input, or of all of them. */
  write(file: string, outputs: readonly Output[]): void {
    for (const { suffix, content } of outputs) this.put(this.placeOf(file, suffix, outputs.length), content);
  }

  /** Writes what there was to say of all inputs. */
  log(text: string): void {
    const { output } = this.request;
    const isOnly = this.plan.kinds.length === 1;
    if (output === null || output === STANDARD) this.put(STANDARD, text);
    else if (isOnly && !isFolder(output)) this.put(output, text);
    else this.put(join(this.folder(output), "clc.sarif"), text);
  }

  private put(place: string, content: string | Uint8Array): void {
    try {
      if (place === STANDARD) this.print(content);
      else if (this.request.inputs.some((file) => resolve(file) === resolve(place)))
        throw new UsageError(`${place} is an input and would be overwritten; choose another output`);
      else writeFileSync(place, content);
    } catch (cause) {
      if (cause instanceof UsageError) throw cause;
      const folder = dirname(place);
      throw new InputError(
        `${place} cannot be written: ` +
          (existsSync(folder) ? fileReason(cause) : `the folder ${folder} does not exist; create it first`),
        { cause },
      );
    }
  }

  private print(content: string | Uint8Array): void {
    const { out, bytes } = this.streams;
    if (typeof content === "string") out(content);
    else if (bytes === undefined) throw new InputError("bytes cannot be written to standard output here; use -o");
    else bytes(content);
  }

  /** A folder, which is made. */
  private folder(path: string): string {
    if (!isFolder(path))
      throw new UsageError(`-o ${path} is not a folder, but there are several outputs; use ${join(path, "/")}`);
    try {
      makeFolder(path);
    } catch (cause) {
      throw new InputError(`the folder ${path} cannot be created: ${fileReason(cause)}`, { cause });
    }
    return path;
  }

  private placeOf(file: string, suffix: string | null, count: number): string {
    const {
      request: { output, inputs },
      plan: { kinds, links },
    } = this;
    if (output === STANDARD) return STANDARD;
    if (output !== null && !isFolder(output) && kinds.length === 1 && count === 1 && (links || inputs.length === 1))
      return output;
    if (output === null) return suffix === null || (file === STANDARD && !links) ? STANDARD : `${file}${suffix}`;
    return join(this.folder(output), `${file === STANDARD ? UNNAMED : basename(file)}${suffix ?? ".ir"}`);
  }
}
