// SPDX-License-Identifier: Apache-2.0
// What an operation of the library comes to.
import type { Session } from "./session.ts";
import type { WireReader } from "./wire.ts";

/** Who asked. */
export interface Request {
  /** What the reply names; 0: nobody waits. */
  readonly number: number;
  /** THREADED or 0. */
  readonly flags: number;
}

/** Does what an operation asks for and answers it. What it throws becomes the answer. */
export type Handler = (session: Session, reader: WireReader, request: Request) => void;
