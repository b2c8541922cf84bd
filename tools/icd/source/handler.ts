// SPDX-License-Identifier: Apache-2.0
// The handler of an operation of the library.
import type { Session } from "./session.ts";
import type { WireReader } from "./wire.ts";

/** The number and flags of a call. */
export interface Request {
  /** The number of the reply; 0: no thread waits. */
  readonly number: number;
  /** THREADED or 0. */
  readonly flags: number;
}

/** Executes an operation and replies to it. An exception becomes an error reply. */
export type Handler = (session: Session, reader: WireReader, request: Request) => void;
