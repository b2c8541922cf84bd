// SPDX-License-Identifier: Apache-2.0
// Limits of engines on a function (JavaScript API specification, "Implementation Limits"), and the error of code that
// is beyond them however small the pieces are that it is cut into.
import type { IrFunction } from "@muxkit/ir";

import type { FunctionBody } from "./code.ts";

/** Bytes of a body, and its locals, at most. */
const MOST_BYTES = 7_654_321;
const MOST_LOCALS = 50_000;

/** A function that has been written and that engines do not take. */
export interface BeyondLimits {
  readonly fn: IrFunction;
  readonly body: FunctionBody;
}

/** True for a body that engines do not take. */
export function isBeyond({ bytes, locals }: FunctionBody): boolean {
  return bytes.length > MOST_BYTES || locals > MOST_LOCALS;
}

/** Thrown for a program that is beyond the limits of engines: its message says where, and what to do. @public */
export class EngineLimitError extends Error {
  /** Its class, as errors have it. */
  override readonly name: string = "EngineLimitError";
}

/** The error of a function, or of a piece of one, that engines do not take. */
export function limitError({ fn, body: { bytes, locals } }: BeyondLimits): EngineLimitError {
  const [name = ""] = fn.name.split(".piece.");
  return new EngineLimitError(
    `${name} is too large for WebAssembly: a part of it that cannot be divided has ${locals} variables and ` +
      `${bytes.length} bytes of code, where engines take ${MOST_LOCALS} and ${MOST_BYTES}; do its work in several ` +
      "kernels, or with fewer values at a time",
  );
}
