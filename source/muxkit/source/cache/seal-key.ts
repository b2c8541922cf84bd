// SPDX-License-Identifier: Apache-2.0
// The key by which this user's processes know what they have kept. It does not lie where that lies: a folder of a cache
// is what people copy, restore and share, and what came with it from elsewhere has no seal of this key.
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { makeFolder } from "../make-folder.ts";

/** Bytes of the key. */
const KEY_BYTES = 32;
/** Rights of others to write, or to do anything. */
const OTHERS_WRITE = 0o022;
const OTHERS = 0o077;

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder of the key; null: this system has none, or says nothing of who owns files. */
function keyFolder(env: Environment): string | null {
  if (process.getuid === undefined) return null;
  const { XDG_STATE_HOME: state = "" } = env;
  try {
    return join(state.startsWith("/") ? state : join(homedir(), ".local", "state"), "muxkit");
  } catch {
    // A user without a home.
    return null;
  }
}

/** Throws the system's error where there is no file; null: it is not one that only this user can have written. */
function readKey(path: string): Uint8Array | null {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { uid, mode, size } = fstatSync(descriptor);
    const isOurs = uid === process.getuid?.() && (mode & OTHERS) === 0 && size === KEY_BYTES;
    return isOurs ? new Uint8Array(readFileSync(descriptor)) : null;
  } finally {
    closeSync(descriptor);
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/** Makes the key, unless another process was quicker. */
function makeKey(path: string): void {
  const { randomBytes } = process.getBuiltinModule("node:crypto");
  const whole = `${path}.${process.pid}.${process.hrtime.bigint()}`;
  writeFileSync(whole, randomBytes(KEY_BYTES), { mode: 0o600, flag: "wx" });
  try {
    linkSync(whole, path);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  } finally {
    rmSync(whole, { force: true });
  }
}

/**
 * The key of this user, which is made when it is not there and `mayMake`; null: there is none, and nothing of what is
 * kept is known to be this user's.
 */
export function sealKey(env: Environment, mayMake: boolean): Uint8Array | null {
  const folder = keyFolder(env);
  if (folder === null) return null;
  const path = join(folder, "cache-key");
  try {
    if (mayMake) makeFolder(folder, 0o700);
    const { uid, mode } = statSync(folder);
    if (uid !== process.getuid?.() || (mode & OTHERS_WRITE) !== 0) return null;
    try {
      return readKey(path);
    } catch (error) {
      if (!mayMake || !hasCode(error, "ENOENT")) return null;
    }
    makeKey(path);
    return readKey(path);
  } catch {
    // A folder that is not there or that cannot be written: what is kept is verified again instead.
    return null;
  }
}
