// SPDX-License-Identifier: Apache-2.0
// Structures behind pNext.
import type { VkChain } from "./generated/structures.ts";

/** The first structure of a kind in a chain; null: there is none. */
export function findInChain<T extends VkChain["sType"]>(
  first: { readonly sType?: number; readonly pNext?: unknown } | null | undefined,
  sType: T,
): Extract<VkChain, { readonly sType: T }> | null {
  for (let node = first; node !== null && node !== undefined; node = node.pNext as typeof first)
    if (node.sType === sType) return node as Extract<VkChain, { readonly sType: T }>;
  return null;
}
