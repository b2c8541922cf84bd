// SPDX-License-Identifier: Apache-2.0
// The errors of entry points.
import { type Result, err } from "@muxkit/cargo";

import { MuxResult } from "./generated/enums.ts";

/** A failed entry point. @public */
export interface MuxError {
  /** Number of the result. */
  readonly code: MuxResult;
  /** Name of the result, for example `error_invalid_value`. */
  readonly name: string;
  /** Entry point that was called. */
  readonly entryPoint: string;
  /** Argument that is wrong; empty when it is none. */
  readonly argument: string;
  /** One sentence: what, where, what to do. */
  readonly message: string;
  /** Where a dispatch failed at one command: its number in the command buffer, as muxUpdateDescriptors counts them. */
  readonly commandId?: number;
}

/** What a target returns for a failure; the front adds the entry point. @public */
export interface MuxFailure {
  /** Number of the result. */
  readonly code: MuxResult;
  /** One sentence. */
  readonly message: string;
  /** Where a dispatch failed at one command: its number in the command buffer. */
  readonly commandId?: number;
}

const NAMES = new Map<number, string>(Object.entries(MuxResult).map(([name, code]) => [code, name]));

/** Makes a {@link MuxError}. @public */
export function muxError(
  code: MuxResult,
  entryPoint: string,
  argument: string,
  message: string,
  commandId?: number,
): MuxError {
  const error = { code, name: NAMES.get(code) ?? String(code), entryPoint, argument, message };
  return commandId === undefined ? error : { ...error, commandId };
}

/** What an entry point answers where its target has failed. */
export function failed(entry: string, { code, message, commandId }: MuxFailure): Result<never, MuxError> {
  return err(muxError(code, entry, "", `${entry}: ${message}`, commandId));
}
