// SPDX-License-Identifier: Apache-2.0
// Machine code where it can be made, WebAssembly where it cannot: a defect of the one generator costs speed, not the
// program. Whoever asks for the report of a kernel is told. Code is verified where it is made, mostly by a thread that
// nobody waits for; so whoever loads it need not, and a wrong address of the generator's is no way out of the sandbox.
// The generator brings its verifier along, so that compilers without it, as those of browsers, do not carry one.
import { InternalError } from "@muxkit/cargo";
import type { KernelReport } from "@muxkit/compiler";
import type { CpuBackend } from "@muxkit/compiler-base";
import { type ExecutableImage, markVerifiedCode, writeExecutable } from "@muxkit/metadata";

import { type BuildRequest, buildImage } from "./pipeline.ts";

/** A generator of machine code, with what verifies it. @public */
export interface NativeBackend extends CpuBackend {
  /** Throws an InternalError for machine code that could do more than compute and reach the kernel's memory. */
  readonly verify: (image: ExecutableImage) => void;
}

/** What was built. */
export interface BuiltCode {
  readonly built: ExecutableImage;
  readonly isNative: boolean;
}

/** The executable as bytes, which are marked where they hold machine code that was verified. */
export function writeVerified(image: ExecutableImage, isNative: boolean): Uint8Array {
  const bytes = writeExecutable(image);
  if (isNative) markVerifiedCode(bytes);
  return bytes;
}

/**
 * Builds machine code, or WebAssembly where the generator refuses the program. Throws what the build of WebAssembly
 * does. Reports are of what is returned.
 */
export function orElseWebAssembly(request: BuildRequest, native: NativeBackend): BuiltCode {
  const { report, ...quiet } = request;
  const reports: KernelReport[] = [];
  const noting: BuildRequest = report === undefined ? quiet : { ...quiet, report: (one) => reports.push(one) };
  const tell = (reason: string | null): void => {
    for (const one of reports) report?.(reason === null ? one : { ...one, nativeRefusal: reason });
  };
  try {
    const built = buildImage({ ...noting, native });
    native.verify(built);
    tell(null);
    return { built, isNative: true };
  } catch (error) {
    if (!(error instanceof InternalError)) throw error;
    reports.length = 0;
    const built = buildImage({ ...noting, native: null });
    tell(error.message);
    return { built, isNative: false };
  }
}
