// SPDX-License-Identifier: Apache-2.0
// Commands as data: what a command buffer records before it is finalized.
import { copyBytes } from "@muxkit/cargo";

import type { Launch } from "./launch.ts";
import type { PreparedLaunch } from "./prepared-launch.ts";

/** A box of bytes on one side of a rectangle copy. */
export interface BoxSide {
  /** First byte: an address in device memory or an index in the caller's array. */
  readonly start: number;
  readonly rowPitch: number;
  readonly slicePitch: number;
}

/** Bytes between device memory and a caller's array. */
export interface Transfer {
  readonly address: number;
  readonly array: Uint8Array;
  readonly size: number;
}

/** A box of bytes between device memory and a caller's array. */
export interface BoxTransfer {
  readonly device: BoxSide;
  readonly host: BoxSide;
  readonly array: Uint8Array;
  readonly row: number;
  readonly rows: number;
  readonly slices: number;
}

/** What a command does. Addresses are those of device memory. */
export type CommandBody =
  | { readonly kind: "ndrange"; readonly launch: Launch; readonly prepared: PreparedLaunch | null }
  | { readonly kind: "copy"; readonly source: number; readonly target: number; readonly size: number }
  | { readonly kind: "fill"; readonly target: number; readonly size: number; readonly pattern: Uint8Array }
  | {
      readonly kind: "rectangle";
      readonly source: BoxSide;
      readonly target: BoxSide;
      readonly row: number;
      readonly rows: number;
      readonly slices: number;
    }
  | ({ readonly kind: "read" } & Transfer)
  | ({ readonly kind: "write" } & Transfer)
  | ({ readonly kind: "read-box" } & BoxTransfer)
  | ({ readonly kind: "write-box" } & BoxTransfer)
  | { readonly kind: "host"; readonly run: (owner: object | null) => void }
  | {
      readonly kind: "query";
      readonly what: "begin" | "end" | "reset";
      readonly first: number;
      readonly count: number;
    };

/** A command and what it waits for. */
export interface Command {
  readonly body: CommandBody;
  /** Commands that it waits for, by index; null: all earlier ones, which is what a command without a wait list means. */
  readonly waits: readonly number[] | null;
}

/** Copies a box between the caller's array and device memory. Rows that follow each other on both sides are one. */
export function copyBox(
  from: Uint8Array,
  source: BoxSide,
  to: Uint8Array,
  target: BoxSide,
  row: number,
  rows: number,
  slices: number,
): void {
  if (rows > 1 && source.rowPitch === row && target.rowPitch === row) {
    copyBox(
      from,
      { ...source, rowPitch: source.slicePitch },
      to,
      { ...target, rowPitch: target.slicePitch },
      row * rows,
      slices,
      1,
    );
    return;
  }
  for (let z = 0; z < slices; z++) {
    for (let y = 0; y < rows; y++) {
      const start = source.start + z * source.slicePitch + y * source.rowPitch;
      copyBytes(to, target.start + z * target.slicePitch + y * target.rowPitch, from.subarray(start, start + row));
    }
  }
}
