// SPDX-License-Identifier: Apache-2.0
// Removes block parameters: dead ones, and trivial ones, whose arguments are all the same value (the phi x = phi(x,
// y)).
//
// Trivial parameters are found with a worklist. Each candidate has the list of its incoming values and of the
// candidates that receive it as an argument. When a parameter turns out trivial, its value takes its place, and the
// candidates that received it are visited again, since they may have become trivial by that. Compare Cranelift's
// remove_constant_phis.rs, which solves the same problem as a data-flow fixpoint, and section 3 of Braun et al. 2013.
// Mutually redundant parameters (strongly connected components without a single outer value) stay.
//
// Cost: linear in arguments, plus one visit per incoming value of a parameter that is visited again.
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

/** Removes dead parameters and their arguments. Uses the blocks' marks. */
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

/** Lists of items by number: linked lists in shared arrays, because an array for each would be mostly empty. */
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

  /** The first link of a list, which was added last; -1: the list is empty. */
  first(of: number): number {
    return this.heads[of] as number;
  }

  /** The link after a link; -1: there is none. */
  after(link: number): number {
    return this.next[link] as number;
  }

  item(link: number): T {
    return this.items[link] as T;
  }
}

/**
 * Drops the trivial parameters among the candidates, until none is left: the only value takes their place. Replacements
 * that are pending (`replaceLater`) are taken into account, and applied when a parameter was dropped. True then.
 */
export function dropTrivialParameters(fn: IrFunction, candidates: readonly Parameter[]): boolean {
  if (candidates.length === 0) return false;
  for (const { parameters } of fn.blocks)
    for (let i = 0; i < parameters.length; i++) (parameters[i] as Parameter).mark = 0;
  candidates.forEach((parameter, i) => {
    parameter.mark = i + 1;
  });
  const incoming = new Chains<Value>(candidates.length);
  /** Candidates that receive a candidate as an argument. */
  const receivers = new Chains<number>(candidates.length);
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
        if (value.kind === "parameter" && value.block !== null && value.mark > 0) receivers.add(value.mark - 1, number);
      }
    }
  }
  let dropped = false;
  // First blocks first: the start of a chain of parameters is resolved before the rest of it is visited.
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
    // The receivers of this parameter receive its value from now on.
    const isCandidate = same.kind === "parameter" && same.block !== null && same.mark > 0;
    for (let link = receivers.first(next); link >= 0; link = receivers.after(link)) {
      const receiver = receivers.item(link);
      if (candidates[receiver]?.forward !== null) continue;
      work.push(receiver);
      if (isCandidate) receivers.add(same.mark - 1, receiver);
    }
  }
  if (!dropped) return false;
  applyReplacements(fn);
  removeParameters(fn, (parameter) => parameter.forward !== null);
  return true;
}

/** The only value among a parameter's arguments, itself excluded; null: there are several, or none. */
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
