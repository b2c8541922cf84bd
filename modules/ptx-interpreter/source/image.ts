// SPDX-License-Identifier: Apache-2.0
// A kernel that is ready to run: its blocks and those of the functions that it calls, and what it needs.
import { alignUp } from "@muxkit/cargo";

import type { PtxText, Variable } from "./parse.ts";
import type { Step } from "./step.ts";

/** A vote of all work-items of a group: registers of the result and of what each says. */
export interface Vote {
  readonly isAll: boolean;
  readonly target: number;
  readonly source: number;
}

/** How a block ends. */
export type Exit =
  | { readonly kind: "jump"; readonly target: number }
  | {
      readonly kind: "branch";
      readonly target: number;
      readonly next: number;
      /** The predicate's register; inverted: lanes where it is false go to the target. */
      readonly slot: number;
      readonly isInverted: boolean;
      /** Where both ways meet. */
      readonly join: number;
    }
  | { readonly kind: "return"; readonly isKernel: boolean }
  | { readonly kind: "trap" }
  | { readonly kind: "call"; readonly entry: number; readonly next: number }
  | {
      readonly kind: "barrier";
      readonly next: number;
      /** A vote of all that arrive; null: they only wait. */
      readonly vote: Vote | null;
    };

/** Instructions that are executed together. */
export interface Block {
  readonly steps: readonly Step[];
  /** Lines of the steps, and that of the exit. */
  readonly lines: readonly number[];
  readonly exit: Exit;
}

/** A register that has the same value in all lanes all the time. */
export interface ConstantSlot {
  readonly slot: number;
  readonly isWide: boolean;
  readonly low: number;
  readonly high: number;
}

/** A kernel that is ready to run. */
export interface Image {
  readonly name: string;
  readonly blocks: readonly Block[];
  readonly entry: number;
  /** Words of registers of a warp. */
  readonly words: number;
  /** Bytes of private memory of a work-item. */
  readonly localBytes: number;
  readonly constants: readonly ConstantSlot[];
  /** Registers with addresses of global variables. */
  readonly symbols: readonly { readonly slot: number; readonly name: string }[];
  /** Registers that hold special ones. */
  readonly specials: readonly { readonly slot: number; readonly name: string }[];
  /** The end of the variables in shared memory, which begin at its base. */
  readonly sharedEnd: number;
  readonly parameterBytes: number;
  readonly mostItems: readonly number[] | null;
}

/** A compiled module; what a load makes of it has its own variables. */
export interface CompiledModule {
  readonly text: PtxText;
  readonly kernels: ReadonlyMap<string, Image>;
  /** Variables in global memory. */
  readonly variables: readonly Variable[];
}

/** Where the launch's part of shared memory begins, behind the kernel's own. */
export function dynamicBegin(sharedEnd: number): number {
  return alignUp(sharedEnd, 16);
}

/** The end of shared memory in a launch. */
export function sharedLimit({ sharedEnd }: Image, dynamicBytes: number): number {
  return dynamicBytes === 0 ? sharedEnd : dynamicBegin(sharedEnd) + dynamicBytes;
}
