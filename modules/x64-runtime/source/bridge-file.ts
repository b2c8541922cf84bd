// SPDX-License-Identifier: Apache-2.0
// The bridge as a file: written when it is first needed, checked before each time that it is loaded.
import { type Result, err, ok } from "@muxkit/cargo";

import { BRIDGE_BYTES, BRIDGE_HASH, BRIDGE_IMAGE } from "./bridge-image.ts";

/** The folder and the file are the user's alone. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const OTHERS_WRITE = 0o022;

const fs = (): typeof import("node:fs") => process.getBuiltinModule("node:fs");

/** The bytes of the bridge, as `bridge-code.ts` wrote them when this package was made. @internal */
export function bridgeBytes(): Uint8Array {
  const bytes = new Uint8Array(BRIDGE_BYTES);
  for (const [offset, text] of BRIDGE_IMAGE) bytes.set(Buffer.from(text, "base64"), offset);
  return bytes;
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Why a folder is no place for code; `undefined` when it is one. */
function folderProblem(folder: string): string | undefined {
  const { mkdirSync, statSync } = fs();
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  const { uid, mode } = statSync(folder);
  if (uid !== process.getuid?.())
    return `The folder ${folder} belongs to another user, so that no native code is kept there.`;
  if ((mode & OTHERS_WRITE) !== 0) {
    return `Others may write to the folder ${folder}, so that no native code is kept there; take their right away.`;
  }
  return undefined;
}

/** Whether a file is the bridge: a plain file of this user, with these bytes, that others cannot write. */
function isBridge(path: string, bytes: Uint8Array): boolean {
  const { closeSync, constants, fstatSync, openSync, readFileSync } = fs();
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch {
    // It is not there, or it is a link: it is written anew.
    return false;
  }
  try {
    const { uid, mode, size } = fstatSync(descriptor);
    if (uid !== process.getuid?.() || (mode & OTHERS_WRITE) !== 0 || size !== bytes.length) return false;
    return Buffer.compare(readFileSync(descriptor), bytes) === 0;
  } finally {
    closeSync(descriptor);
  }
}

/** A descriptor of the bridge's file; -1: it cannot be opened any more, or there are too many open files. */
export function openBridgeFile(path: string): number {
  try {
    return fs().openSync(path, "r");
  } catch {
    return -1;
  }
}

/** The path that the bridge has in a folder. @public */
export function bridgePath(folder: string): string {
  return process.getBuiltinModule("node:path").resolve(folder, `bridge-${BRIDGE_HASH}.node`);
}

/**
 * The path of the bridge in a folder, which is made when it is not there. The name carries a hash of the bytes, so that
 * versions live side by side; a file that is not what this version would write is replaced.
 */
export function writeBridgeFile(folder: string): Result<string, string> {
  const { renameSync, writeFileSync } = fs();
  const path = bridgePath(folder);
  const bytes = bridgeBytes();
  try {
    const problem = folderProblem(folder);
    if (problem !== undefined) return err(problem);
    if (isBridge(path, bytes)) return ok(path);
    // Threads of one process may do the same at once.
    const temporary = `${path}.${process.pid}.${process.hrtime.bigint()}`;
    writeFileSync(temporary, bytes, { mode: FILE_MODE, flag: "wx" });
    renameSync(temporary, path);
    if (isBridge(path, bytes)) return ok(path);
    return err(`The file ${path} is not what was written there, so that native code is not used.`);
  } catch (error) {
    return err(`The bridge to native code cannot be written to ${folder}: ${message(error)}.`);
  }
}
