// SPDX-License-Identifier: Apache-2.0
// The library of libcuda-stub.c, built by the C compiler of this machine.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import koffi from "koffi";

/** A driver's library that does what it is told. */
export interface Stub {
  readonly path: string;
  /** Makes calls of a function fail with a code; "": none. */
  readonly fail: (name: string, code: number) => void;
  /** Calls so far. */
  readonly called: () => number;
  /** Whose context was the thread's when a device was let into a pool, times 256, plus that device. */
  readonly admitted: () => number;
  /** The stream of the last launch. */
  readonly launchedTo: () => number;
  readonly remove: () => void;
}

/** Builds it; null: there is no C compiler here, which is said aloud. */
export function buildStub(): Stub | null {
  const folder = mkdtempSync(join(tmpdir(), "muxkit-cuda-"));
  const path = join(folder, "libcuda-stub.so");
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    execFileSync("cc", ["-shared", "-fPIC", "-o", path, join(import.meta.dirname, "libcuda-stub.c")], {
      stdio: ["ignore", "ignore", "pipe"],
    });
  } catch (error) {
    remove();
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    console.warn("there is no cc: the calls of libcuda are not tried");
    return null;
  }
  const library = koffi.load(path);
  return {
    path,
    fail: library.func("void stub_fail(const char *name, int code)") as Stub["fail"],
    called: library.func("unsigned int stub_called()") as Stub["called"],
    admitted: library.func("uint64_t stub_admitted()") as Stub["admitted"],
    launchedTo: library.func("uint64_t stub_launched_to()") as Stub["launchedTo"],
    remove,
  };
}
