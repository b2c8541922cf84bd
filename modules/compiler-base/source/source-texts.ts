// SPDX-License-Identifier: Apache-2.0
// Texts that a program was compiled from, and messages at locations in them.
import type { KernelRemark, SourceLocation } from "@muxkit/compiler";
import { type Diagnostic, type SourceFile, type Span, createSourceFile, note } from "@muxkit/report";

/** Texts by the names of their files. */
export class SourceTexts {
  private readonly texts = new Map<string, string>();
  private readonly files = new Map<string, SourceFile>();

  /** Adds a text. */
  add(name: string, text: string): void {
    this.texts.set(name, text);
  }

  /** Adds those of an object; of two of one name it is unknown which one a location means. */
  addAll({ texts }: SourceTexts): void {
    for (const [name, text] of texts) {
      if (this.texts.has(name) && this.texts.get(name) !== text) this.texts.set(name, "");
      else this.texts.set(name, text);
    }
  }

  /** A location as a span of its text; null: the text is not known, or does not have it. */
  spanOf(location: SourceLocation | null): Span | null {
    if (location === null) return null;
    const file = this.fileOf(location.file);
    const line = file?.lineStarts[location.line - 1];
    if (file === null || line === undefined) return null;
    const start = line + location.column - 1;
    return start < file.text.length ? { file, start, end: start + 1 } : null;
  }

  private fileOf(name: string): SourceFile | null {
    const text = this.texts.get(name);
    if (text === undefined) return null;
    let file = this.files.get(name);
    if (file?.text !== text) {
      file = createSourceFile(name, text);
      this.files.set(name, file);
    }
    return file;
  }
}

/** A remark as a message: at its location where that is in a source, else with the location in its words. */
export function noteOf({ text, place }: KernelRemark, sources: SourceTexts): Diagnostic {
  const span = sources.spanOf(place);
  return note(place === null || span !== null ? text : `${text} (${place.file}:${place.line}:${place.column})`, span);
}
