// SPDX-License-Identifier: Apache-2.0
// Files of include directories: read where there is a file system, found nowhere else.

/** The text of a file, for `SourceEnvironment`; null when there is none, or no file system (a browser). @public */
export function readIncludeFile(path: string): string | null {
  const files = globalThis.process?.getBuiltinModule?.("node:fs");
  if (files === undefined) return null;
  try {
    const text = files.readFileSync(path, "utf8");
    // Some editors write a byte order mark before the text.
    return text.startsWith("\uFEFF") ? text.slice(1) : text;
  } catch {
    // A missing or unreadable file is no error: the next folder is looked into, and the front end reports
    // what it did not find.
    return null;
  }
}
