// SPDX-License-Identifier: Apache-2.0
// What a launch needs of a reduction among its arguments. Programs without reductions have nothing of how they combine.
import type { ElementType, ReducerParameter, ReductionOperator } from "@muxkit/kernel-library";

import type { RuntimeDevice, Storage } from "./runtime-device.ts";

/** What a launch with a reduction is. @internal */
export interface ReducedLaunch {
  readonly items: number;
  readonly groups: number;
  /** Items of a work-group. */
  readonly groupItems: number;
}

/** A reduction, as launches know it. @public */
export abstract class ReductionArgument {
  /** The operator; null: a function of the program's own. @internal */
  abstract get operator(): ReductionOperator | null;
  /** Type of what is combined. @internal */
  abstract get element(): ElementType;
  /** How many partial results there are. @internal */
  abstract get count(): number;
  /** Items of a work-group. @internal */
  abstract get groupItems(): number;
  /** True where the element that is there counts. @internal */
  abstract get keeps(): boolean;
  /** The identity as bytes. @internal */
  abstract get pattern(): Uint8Array;
  /** A launch begins; `parameter`: the kernel's reducer. Error: kernel_argument. @internal */
  abstract begin(call: string, launch: ReducedLaunch, parameter: ReducerParameter | null): void;
  /** The partial results, for a launch. @internal */
  abstract partials(call: string, runtime: RuntimeDevice): Storage;
  /** Memory of the target, which commands keep. @internal */
  abstract targetStorage(call: string, runtime: RuntimeDevice): { readonly storage: Storage; readonly offset: number };
  /** Gives the partial results to the commands that use them. @internal */
  abstract end(): void;
  /** Combines the partial results into the target: runs on the host when the kernel is done. @internal */
  abstract finisher(call: string, runtime: RuntimeDevice): () => void;
}
