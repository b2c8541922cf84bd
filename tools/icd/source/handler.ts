// SPDX-License-Identifier: Apache-2.0
// What an operation of the library comes to.
import type { Session } from "./session.ts";
import type { WireReader } from "./wire.ts";

/** The number and flags of a call. */
export interface Request {
  /** What the reply names; 0: nobody waits. */
  readonly number: number;
  /** THREADED or 0. */
  readonly flags: number;
}

/** Executes an operation and replies to it. An exception becomes an error reply. */
export type Handler = (session: Session, reader: WireReader, request: Request) => void;
