// SPDX-License-Identifier: Apache-2.0
// SYCL's exceptions: one class with a code, and a class for each error that modules have by name.
import type { Result } from "@muxkit/cargo";
import type { CompilerError } from "@muxkit/compiler";
import { type MuxError, MuxResult } from "@muxkit/mux";

/** What went wrong, as SYCL's `errc` calls it. @public */
export type ErrorCode =
  | "runtime"
  | "kernel"
  | "accessor"
  | "nd_range"
  | "event"
  | "kernel_argument"
  | "build"
  | "invalid"
  | "memory_allocation"
  | "platform"
  | "profiling"
  | "feature_not_supported"
  | "kernel_not_supported"
  | "backend_mismatch";

/** What calls of this package throw. @public */
export class SyclException extends Error {
  /** `exception`, or the name of the class in SYCL, for example `compile_program_error`. */
  override readonly name: string = "exception";
  /** What went wrong. */
  readonly code: ErrorCode;
  /** The call that failed. */
  readonly call: string;

  /** Makes one. `message` is one sentence: what, where, what to do. */
  constructor(code: ErrorCode, call: string, message: string, cause?: unknown) {
    super(`${call}: ${message}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.call = call;
  }
}

/** `sycl::compile_program_error`: the source of a module does not compile. @public */
export class CompileProgramError extends SyclException {
  /** The name in SYCL. */
  override readonly name: string = "compile_program_error";

  /** Made by `compile` and `build`. */
  constructor(call: string, message: string, cause?: unknown) {
    super("build", call, message, cause);
  }
}

/** `sycl::link_program_error`: the modules cannot be linked. @public */
export class LinkProgramError extends SyclException {
  /** The name in SYCL. */
  override readonly name: string = "link_program_error";

  /** Made by `link` and `build`. */
  constructor(call: string, message: string, cause?: unknown) {
    super("build", call, message, cause);
  }
}

/** `sycl::invalid_object`: there are no modules, or they do not go together. @public */
export class InvalidObject extends SyclException {
  /** The name in SYCL. */
  override readonly name: string = "invalid_object";

  /** Made by calls that take modules. */
  constructor(call: string, message: string, cause?: unknown) {
    super("invalid", call, message, cause);
  }
}

/** `sycl::kernel_not_found`: no module that is searched has the kernel. @public */
export class KernelNotFound extends SyclException {
  /** The name in SYCL. */
  override readonly name: string = "kernel_not_found";

  /** Made by calls that look a kernel up. */
  constructor(call: string, message: string, cause?: unknown) {
    super("kernel", call, message, cause);
  }
}

/** `sycl::invalid_kernel`: the kernel is not of the module that the command group uses. @public */
export class InvalidKernel extends SyclException {
  /** The name in SYCL. */
  override readonly name: string = "invalid_kernel";

  /** Made by command groups. */
  constructor(call: string, message: string, cause?: unknown) {
    super("kernel", call, message, cause);
  }
}

/** Throws unless something holds. */
export function ensure(
  condition: boolean,
  code: ErrorCode,
  call: string,
  message: string | (() => string),
): asserts condition {
  if (!condition) throw new SyclException(code, call, typeof message === "string" ? message : message());
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  [MuxResult.error_out_of_memory]: "memory_allocation",
  [MuxResult.error_feature_unsupported]: "feature_not_supported",
  [MuxResult.error_invalid_value]: "invalid",
  [MuxResult.error_device_entry_hook_failed]: "platform",
};

/** An error of the runtime as SYCL's. */
export function fromMuxError(call: string, error: MuxError): SyclException {
  return new SyclException(CODES[error.code] ?? "runtime", call, error.message, error);
}

/** The value of a call of the runtime, or its error thrown as SYCL's. */
export function fromMux<T>(call: string, result: Result<T, MuxError>): T {
  if (result.ok) return result.value;
  throw fromMuxError(call, result.error);
}

/** What a compiler made, or its error thrown, with its log. */
export function fromCompiler<T>(
  call: string,
  result: Result<T, CompilerError>,
  Kind: new (call: string, message: string, cause?: unknown) => SyclException,
  log: string = "",
): T {
  if (result.ok) return result.value;
  const { message } = result.error;
  throw new Kind(call, log === "" ? message : `${message}\n${log.trimEnd()}`, result.error);
}
