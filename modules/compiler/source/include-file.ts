// SPDX-License-Identifier: Apache-2.0
// Files of include directories: read where there is a file system, found nowhere else.

/** The text of a file, for `SourceEnvironment`; null when there is none, or no file system (a browser). @public */
export function readIncludeFile(path: string): string | null {
  const files = globalThis.process?.getBuiltinModule?.("node:fs");
  if (files === undefined) return null;
  try {
    const text = files.readFileSync(path, "utf8");
    // Some editors put a mark before the text that says nothing of it.
    return text.startsWith("\uFEFF") ? text.slice(1) : text;
  } catch {
    // That it is not there, or cannot be read, is an answer: the next folder is looked into, and the front end says
    // what it did not find.
    return null;
  }
}
