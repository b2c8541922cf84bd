// SPDX-License-Identifier: Apache-2.0
// What carries out the launches of a setup: a device of muxkit, or plain functions in their place.
import type { Elements } from "../model/kernel-types.ts";
import type { Passed } from "../model/setup.ts";

/** An argument as backends take it. */
export type BackendArgument<B> = B | Passed | { readonly localBytes: number };

/** One launch, arguments in the order of the kernel's parameters. */
export interface Launch<B> {
  readonly kernel: string;
  readonly range: readonly number[];
  readonly local: readonly number[] | null;
  readonly arguments: readonly { readonly name: string; readonly value: BackendArgument<B> }[];
}

/** See the file's head. */
export interface Backend<B> {
  /** A buffer that holds a copy of these elements. */
  readonly create: (elements: Elements) => B;
  /** Launches; they run in order. */
  readonly launch: (launch: Launch<B>) => void;
  /** Waits for all launches. Throws what went wrong. */
  readonly finish: () => Promise<void>;
  /** A copy of what a buffer holds. */
  readonly read: (buffer: B) => Promise<Elements>;
  readonly destroy: (buffer: B) => void;
}
