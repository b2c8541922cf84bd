// SPDX-License-Identifier: Apache-2.0
// Folders that programs make for themselves.
import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder and its missing parents; returns the outermost that it made, undefined where it existed.
 * Throws the system's error when it cannot be made.
 *
 * Node's own `recursive` goes up for each ENOENT and down again: forever where the system reports ENOENT although the
 * folder above is there, as Linux does below /proc. Here each folder is tried twice at most. Other processes may make
 * the same folders at the same time.
 */
export function makeFolder(folder: string, mode: number = 0o777): string | undefined {
  try {
    return makeOne(folder, mode) ? folder : undefined;
  } catch (error) {
    const above = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || above === folder) throw error;
    const outermost = makeFolder(above, mode);
    return makeOne(folder, mode) ? (outermost ?? folder) : outermost;
  }
}

/** Makes a folder; false: it was there, or another process was quicker. */
function makeOne(folder: string, mode: number): boolean {
  try {
    mkdirSync(folder, { mode });
    return true;
  } catch (error) {
    if (isFolder(folder)) return false;
    throw error;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
