// SPDX-License-Identifier: Apache-2.0
// Parameters of blocks: taking away those that nobody needs.
import { filled } from "@muxkit/cargo";
import {
  type Block,
  type IrFunction,
  type Parameter,
  type Value,
  applyReplacements,
  replaceLater,
  resolved,
} from "@muxkit/ir";

/** Takes parameters and the arguments for them away. Blocks' marks are used. */
export function removeParameters(fn: IrFunction, isDead: (parameter: Parameter) => boolean): void {
  const touched: Block[] = [];
  for (const block of fn.blocks) {
    block.mark = block.parameters.some(isDead) ? 1 : 0;
    if (block.mark === 1) touched.push(block);
  }
  if (touched.length === 0) return;
  for (const block of fn.blocks) {
    const { successors, successorArguments } = block.terminator;
    for (let i = 0; i < successors.length; i++) {
      const { mark, parameters } = successors[i] as Block;
      if (mark === 0) continue;
      successorArguments[i] = (successorArguments[i] ?? []).filter((_, position) => {
        const parameter = parameters[position];
        return parameter === undefined || !isDead(parameter);
      });
    }
  }
  for (const block of touched) block.parameters = block.parameters.filter((parameter) => !isDead(parameter));
}

/** Lists of items by number: chains through arrays that they share, because an array for each would be mostly empty room. */
class Chains<T> {
  private readonly heads: number[];
  private readonly items: T[] = [];
  private readonly next: number[] = [];

  constructor(count: number) {
    this.heads = filled(count, -1);
  }

  add(to: number, item: T): void {
    this.next.push(this.heads[to] as number);
    this.heads[to] = this.items.length;
    this.items.push(item);
  }

  /** The first link of a chain, the last added; -1: it is empty. */
  first(of: number): number {
    return this.heads[of] as number;
  }

  /** The link behind a link; -1: there is none. */
  after(link: number): number {
    return this.next[link] as number;
  }

  item(link: number): T {
    return this.items[link] as T;
  }
}

/**
 * Drops parameters whose arguments are all the same value (or the parameter itself), until none is left; the value takes their place.
 * Replacements that were announced before count as done, and are done when any was dropped: then it gives true.
 */
export function dropTrivialParameters(fn: IrFunction, candidates: readonly Parameter[]): boolean {
  if (candidates.length === 0) return false;
  for (const { parameters } of fn.blocks)
    for (let i = 0; i < parameters.length; i++) (parameters[i] as Parameter).mark = 0;
  candidates.forEach((parameter, i) => {
    parameter.mark = i + 1;
  });
  const incoming = new Chains<Value>(candidates.length);
  /** Candidates that are handed a candidate. */
  const handedOn = new Chains<number>(candidates.length);
  for (const block of fn.blocks) {
    const { successors, successorArguments } = block.terminator;
    for (let edge = 0; edge < successors.length; edge++) {
      const { parameters } = successors[edge] as Block;
      for (let position = 0; position < parameters.length; position++) {
        const number = (parameters[position] as Parameter).mark - 1;
        const argument = successorArguments[edge]?.[position];
        if (number < 0 || argument === undefined) continue;
        const value = resolved(argument);
        incoming.add(number, value);
        if (value.kind === "parameter" && value.block !== null && value.mark > 0) handedOn.add(value.mark - 1, number);
      }
    }
  }
  let dropped = false;
  // The first blocks first: what a chain of parameters begins with is known before the rest of it is looked at.
  const work: number[] = [];
  for (let at = fn.blocks.length - 1; at >= 0; at--)
    for (const { mark } of (fn.blocks[at] as Block).parameters) if (mark > 0) work.push(mark - 1);
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const parameter = candidates[next];
    if (parameter === undefined || parameter.forward !== null) continue;
    const same = onlyValue(parameter, incoming, next);
    if (same === null) continue;
    replaceLater(parameter, same);
    dropped = true;
    // Who was handed this parameter is handed the other from now on.
    const isCandidate = same.kind === "parameter" && same.block !== null && same.mark > 0;
    for (let link = handedOn.first(next); link >= 0; link = handedOn.after(link)) {
      const asking = handedOn.item(link);
      if (candidates[asking]?.forward !== null) continue;
      work.push(asking);
      if (isCandidate) handedOn.add(same.mark - 1, asking);
    }
  }
  if (!dropped) return false;
  applyReplacements(fn);
  removeParameters(fn, (parameter) => parameter.forward !== null);
  return true;
}

/** The one value that a parameter can have; null: there are several, or none. */
function onlyValue(parameter: Parameter, incoming: Chains<Value>, number: number): Value | null {
  let same: Value | null = null;
  for (let link = incoming.first(number); link >= 0; link = incoming.after(link)) {
    const now = resolved(incoming.item(link));
    if (now === parameter || now === same) continue;
    if (same !== null) return null;
    same = now;
  }
  return same;
}
