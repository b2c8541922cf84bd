// SPDX-License-Identifier: Apache-2.0
// Where a user's programs are kept, and whether they are.
import { homedir } from "node:os";
import { join } from "node:path";

import { DiskStore } from "./disk-store.ts";
import { SealedStore } from "./sealed-store.ts";

/** The variable that says where, or `off`. */
export const CACHE_VARIABLE = "MUXKIT_CACHE";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where this system keeps what can be made again. */
function systemFolder(env: Environment, platform: string): string {
  if (platform === "win32") return env["LOCALAPPDATA"] ?? join(homedir(), "AppData", "Local");
  if (platform === "darwin") return join(homedir(), "Library", "Caches");
  const { XDG_CACHE_HOME: folder = "" } = env;
  // A relative one is to be ignored, says the specification of base directories.
  return folder.startsWith("/") ? folder : join(homedir(), ".cache");
}

/** The folder for what this package keeps; null where a system has none for this user. */
export function cacheFolder(env: Environment, platform: string = process.platform): string | null {
  const { [CACHE_VARIABLE]: asked = "" } = env;
  if (asked !== "" && asked !== "off") return asked;
  try {
    return join(systemFolder(env, platform), "muxkit");
  } catch {
    // A user without a home.
    return null;
  }
}

/** The store of built programs; null where none is wanted or possible. */
export function programStore(env: Environment): SealedStore | null {
  const folder = env[CACHE_VARIABLE] === "off" ? null : cacheFolder(env);
  return folder === null ? null : new SealedStore(join(folder, "programs"), env);
}

/** The store of code that a driver compiled for a GPU; null where none is wanted or possible. */
export function gpuStore(env: Environment): DiskStore | null {
  const folder = env[CACHE_VARIABLE] === "off" ? null : cacheFolder(env);
  return folder === null ? null : new DiskStore(join(folder, "gpu"));
}

/**
 * The store of this program's own code as the engine has compiled it; null where none is wanted, which is what Node's
 * own variable for it says, or possible.
 */
export function codeStore(env: Environment): DiskStore | null {
  const folder = env["NODE_DISABLE_COMPILE_CACHE"] === "1" ? null : cacheFolder(env);
  return folder === null ? null : new DiskStore(join(folder, "code"));
}
