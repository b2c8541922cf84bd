// SPDX-License-Identifier: Apache-2.0
// What a rule of valid usage is.
import type { VkBuffer } from "../generated/handles.ts";
import type { Vulkan } from "../generated/vulkan.ts";
import { Buffer } from "../buffer.ts";

/** A rule: its name in the specification, and what is wrong with a call; null: nothing. */
export interface Rule<A extends readonly unknown[] = readonly never[]> {
  readonly id: string;
  readonly check: (...parameters: A) => string | null;
}

/** Rules by entry point. */
export type RuleTable = { readonly [K in keyof Vulkan]?: readonly Rule<Parameters<Vulkan[K]>>[] };

/** A sentence where something is wrong. */
export const when = (isWrong: boolean, message: string): string | null => (isWrong ? message : null);

/** True for multiples. */
export const isAligned = (value: number, to: number): boolean => value % to === 0;

/** A sentence where a buffer was made without a usage. */
export function lacksUsage(buffer: VkBuffer, bit: number, name: string): string | null {
  return when(buffer instanceof Buffer && (buffer.usage & bit) === 0, `the buffer was made without ${name}`);
}
