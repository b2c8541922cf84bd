// SPDX-License-Identifier: Apache-2.0
// Commands as data: what a command buffer records before it is finalized.
import type { Box, BoxSize } from "@muxkit/hal";

import type { Launch } from "./launch.ts";
import type { PreparedLaunch } from "./prepared-launch.ts";

/** Bytes between device memory and a caller's array. */
export interface Transfer {
  readonly address: number;
  readonly array: Uint8Array;
  readonly size: number;
}

/** A box of bytes between device memory and a caller's array. */
export interface BoxTransfer extends BoxSize {
  readonly device: Box;
  readonly host: Box;
  readonly array: Uint8Array;
}

/**
 * What a host command comes to: a function tells whether it is over, and is asked until that is so. It calls `wake`
 * when that may have changed while nobody waits.
 */
export type HostOutcome = void | ((wake: () => void) => boolean);

/** What a command does. Addresses are those of device memory. */
export type CommandBody =
  | { readonly kind: "ndrange"; readonly launch: Launch; readonly prepared: PreparedLaunch | null }
  /** Launches in no order among each other; one command. */
  | { readonly kind: "parallel"; readonly launches: readonly PreparedLaunch[] }
  /** Does nothing: others wait for it. */
  | { readonly kind: "barrier" }
  | { readonly kind: "copy"; readonly source: number; readonly target: number; readonly size: number }
  | { readonly kind: "fill"; readonly target: number; readonly size: number; readonly pattern: Uint8Array }
  | ({ readonly kind: "rectangle"; readonly source: Box; readonly target: Box } & BoxSize)
  | ({ readonly kind: "read" } & Transfer)
  | ({ readonly kind: "write" } & Transfer)
  | ({ readonly kind: "read-box" } & BoxTransfer)
  | ({ readonly kind: "write-box" } & BoxTransfer)
  | { readonly kind: "host"; readonly run: (owner: object | null) => HostOutcome }
  | {
      readonly kind: "query";
      readonly what: "begin" | "end" | "reset";
      readonly first: number;
      readonly count: number;
    };

/** A command and what it waits for. */
export interface Command {
  readonly body: CommandBody;
  /**
   * Commands that it waits for, by index; null: all earlier ones, which is what a command without a wait list means.
   */
  readonly waits: readonly number[] | null;
}
