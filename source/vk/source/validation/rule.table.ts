// SPDX-License-Identifier: Apache-2.0
// Rules of valid usage that look at several values, by entry point. What follows from types alone is not here
// (check-value.ts), nor what the implementation has to know anyway, which it checks without validation too.
import type { Vulkan } from "../generated/vulkan.ts";

/** A rule: its name in the specification, and what is wrong; null: nothing. */
export interface Rule<A extends readonly never[] = readonly never[]> {
  readonly id: string;
  readonly check: (...parameters: A) => string | null;
}

type RulesOf = { readonly [K in keyof Vulkan]?: readonly { readonly id: string; readonly check: (...parameters: Parameters<Vulkan[K]>) => string | null }[] };

const TABLE: RulesOf = {};

/** By entry point. */
export const RULES: Readonly<Record<string, readonly Rule[]>> = TABLE;
