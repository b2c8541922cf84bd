// SPDX-License-Identifier: Apache-2.0
// SSA construction in a finished control-flow graph. Block parameters play the role of phis.
//
// A client writes the value of each variable at the end of the blocks that define it, then requests values at the
// starts of blocks. A variable is first looked at when one of its values is requested: the iterated dominance frontier
// of the blocks that write it has the joins that may need a parameter (R. Cytron et al., "Efficiently Computing Static
// Single Assignment Form and the Control Dependence Graph", TOPLAS 1991). Writes and these joins are its sites. They
// form a tree by dominance, in the order of a preorder walk over the dominator tree; the value at a point is that of
// the nearest site that dominates it, which a binary search finds. Parameters are made on demand only, as M. Braun et
// al. do ("Simple and Efficient Construction of Static Single Assignment Form", CC 2013): joins where a variable is
// dead get none. `fillParameters` is the worklist that adds the arguments: a lookup may make more parameters. Those
// whose arguments are all one value (trivial phis) are dropped at the end (block-parameters.ts). A variable without a
// value on a path is zero.
//
// `repairUses` restores SSA form after blocks were duplicated: a value with several definitions is a variable, each
// definition a write, and each use outside of the original's home a lookup.
//
// Cost: dominance frontiers of the blocks that write variables, once, and a binary search over a variable's sites for
// each lookup; nothing is kept for blocks that a variable only passes through.
import { assert, filled } from "@muxkit/cargo";
import {
  type Block,
  type BlockMap,
  type Dominators,
  type Instruction,
  type IrFunction,
  NO_OPERANDS,
  Op,
  type Parameter,
  type Type,
  type Value,
  clearMarks,
  constantZero,
  dominators,
  listOf,
  predecessors,
} from "@muxkit/ir";

import { dropTrivialParameters } from "./block-parameters.ts";

/** A variable with several definitions. */
export interface ConstructedVariable {
  readonly type: Type;
  /** Name of the block parameters that are made for it. */
  readonly name: string;
}

/** A block at which a variable gets a value. */
interface Site {
  readonly block: Block;
  /**
   * The blocks that it dominates: numbers in preorder of the dominator tree, from its own up to, not including, `end`.
   */
  readonly first: number;
  readonly end: number;
  /** What is written at its end; null: nothing. */
  written: Value | null;
  /** True for a join that several values may reach. */
  isJoin: boolean;
  /** The parameter for them, once it has been asked for. */
  parameter: Parameter | null;
  /** The position of the nearest site that dominates this one; -1: there is none. */
  above: number;
}

/** Places the sites of one variable in a tree by dominance. */
function linkSites(sites: Site[]): void {
  if (sites.length > 1) sites.sort((a, b) => a.first - b.first);
  let open = -1;
  for (let i = 0; i < sites.length; i++) {
    const site = sites[i] as Site;
    while (open >= 0 && (sites[open] as Site).end <= site.first) open = (sites[open] as Site).above;
    site.above = open;
    open = i;
  }
}

const NO_BLOCKS: readonly Block[] = [];

/** Computes reaching definitions and makes parameters on demand. */
export class Construction {
  /** Parameters that were made, with their variables' numbers. */
  readonly made: Parameter[] = [];
  private readonly variableOf: number[] = [];
  /** Their positions in their blocks: a block may get one for each variable. */
  private readonly positionOf: number[] = [];
  private readonly before: BlockMap<readonly Block[]>;
  private readonly tree: Dominators;
  private readonly variables: readonly ConstructedVariable[];
  /** The sites of each variable. */
  private readonly sites: (Site[] | undefined)[];
  /** Variables whose joins are known. */
  private readonly isPrepared: boolean[];

  /** `before` are the predecessors of the function's blocks, `tree` its dominators. */
  constructor(before: BlockMap<readonly Block[]>, tree: Dominators, variables: readonly ConstructedVariable[]) {
    this.before = before;
    this.tree = tree;
    this.variables = variables;
    this.sites = filled<Site[] | undefined>(variables.length, undefined);
    this.isPrepared = filled(variables.length, false);
  }

  private site(block: Block): Site {
    const { tree } = this;
    const first = tree.preorder(block);
    const end = tree.subtreeEnd(block);
    return { block, first, end, written: null, isJoin: false, parameter: null, above: -1 };
  }

  /** Defines the value of a variable at the end of a block, before any value of it is requested. */
  write(block: Block, variable: number, value: Value): void {
    assert(this.isPrepared[variable] === false, "values are written before they are requested");
    // No path comes to unreachable blocks.
    if (this.tree.position(block) < 0) return;
    let list = this.sites[variable];
    if (list === undefined) this.sites[variable] = list = [];
    const last = list.at(-1);
    const site = last?.block === block ? last : this.site(block);
    if (site !== last) list.push(site);
    site.written = value;
  }

  /** The sites of a variable, its joins included. */
  private sitesOf(variable: number): readonly Site[] {
    let sites = this.sites[variable];
    if (sites === undefined) this.sites[variable] = sites = [];
    if (this.isPrepared[variable] === true) return sites;
    this.isPrepared[variable] = true;
    const { tree } = this;
    const entry = tree.order[0];
    const byBlock = sites.length > 8 ? new Map(sites.map((site) => [site.block, site])) : null;
    // Sites are appended while the list is walked: frontiers are iterated.
    for (let i = 0; i < sites.length; i++) {
      const { block } = sites[i] as Site;
      // Nothing comes back to the entry, which has most of the writes.
      const frontier = block === entry ? NO_BLOCKS : tree.frontier(block);
      for (let j = 0; j < frontier.length; j++) {
        const join = frontier[j] as Block;
        let site = byBlock === null ? sites.find((other) => other.block === join) : byBlock.get(join);
        if (site === undefined) {
          site = this.site(join);
          sites.push(site);
          byBlock?.set(join, site);
        }
        site.isJoin = true;
      }
    }
    linkSites(sites);
    return sites;
  }

  /** The value at the end of a site's block. */
  private atEnd(site: Site, variable: number): Value {
    return site.written ?? this.parameterOf(site, variable);
  }

  private parameterOf(site: Site, variable: number): Parameter {
    if (site.parameter !== null) return site.parameter;
    const row = this.variables[variable];
    assert(row !== undefined && site.isJoin, "a variable of this number that has values to join");
    this.positionOf.push(site.block.parameters.length);
    const parameter = site.block.addParameter(row.type, row.name);
    this.made.push(parameter);
    this.variableOf.push(variable);
    site.parameter = parameter;
    return parameter;
  }

  /** The value at a block's start or end. */
  private find(block: Block, variable: number, isStart: boolean): Value {
    const sites = this.sitesOf(variable);
    const at = this.tree.preorder(block);
    // The last site whose number is not greater.
    let low = 0;
    let high = sites.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sites[middle] as Site).first > at) high = middle;
      else low = middle + 1;
    }
    let position = low - 1;
    while (position >= 0 && (sites[position] as Site).end <= at) position = (sites[position] as Site).above;
    let site = sites[position];
    if (isStart && site?.block === block) {
      if (site.isJoin) return this.parameterOf(site, variable);
      site = sites[site.above];
    }
    return site === undefined || at < 0
      ? constantZero((this.variables[variable] as ConstructedVariable).type)
      : this.atEnd(site, variable);
  }

  /** The value of a variable at the start of a block. */
  start(block: Block, variable: number): Value {
    return this.find(block, variable, true);
  }

  /** Adds the arguments of every new parameter; looking them up may make more parameters. */
  fillParameters(): void {
    for (let i = 0; i < this.made.length; i++) {
      const parameter = this.made[i];
      const variable = this.variableOf[i];
      const position = this.positionOf[i];
      const block = parameter?.block;
      assert(
        variable !== undefined && position !== undefined && block !== undefined && block !== null,
        "a parameter that was made for a variable",
      );
      const preds = this.before.get(block) ?? NO_BLOCKS;
      for (let at = 0; at < preds.length; at++) {
        const pred = preds[at] as Block;
        const value = this.find(pred, variable, false);
        const { successors, successorArguments } = pred.terminator;
        for (let edge = 0; edge < successors.length; edge++) {
          if (successors[edge] !== block) continue;
          const list = successorArguments[edge] ?? NO_OPERANDS;
          if (list.length === 0) successorArguments[edge] = listOf(value);
          else list[position] = value;
        }
      }
    }
  }
}

/** Sets the marks of blocks to their positions. */
function numberBlocks({ blocks }: IrFunction): void {
  for (let i = 0; i < blocks.length; i++) (blocks[i] as Block).mark = i;
}

/** A value that has copies in other blocks: a use needs the definition that reaches it. @public */
export interface CopiedValue {
  /** The value. */
  readonly original: Instruction | Parameter;
  /** Its copies. */
  readonly copies: readonly (Instruction | Parameter)[];
  /** Blocks in which the original still reaches its uses. */
  readonly home: ReadonlySet<Block>;
}

/**
 * Restores SSA form after blocks were copied: a use outside of a value's home takes the reaching definition, through
 * new block parameters where several reach it. Debug values of such values are dropped there, and definitions in blocks
 * that left the function are ignored. Trivial parameters are removed, among the new ones and `candidates`.
 *
 * @public
 */
export function repairUses(
  fn: IrFunction,
  values: readonly CopiedValue[],
  candidates: readonly Parameter[] = [],
): void {
  if (values.length === 0) {
    dropTrivialParameters(fn, candidates);
    return;
  }
  const before = predecessors(fn);
  const construction = new Construction(
    before,
    dominators(fn, before),
    values.map(({ original }) => ({ type: original.type, name: original.name })),
  );
  clearMarks(fn);
  numberBlocks(fn);
  values.forEach(({ original, copies }, i) => {
    for (const value of [original, ...copies]) {
      const { block } = value;
      if (block !== null && fn.blocks[block.mark] === block) construction.write(block, i, value);
    }
    original.mark = i + 1;
  });
  const isForeign = (value: Value, block: Block): value is Instruction | Parameter =>
    value.kind !== "constant" &&
    value.mark !== 0 &&
    value.block !== null &&
    values[value.mark - 1]?.home.has(block) === false;
  const replace = (list: Value[], block: Block): void => {
    for (let i = 0; i < list.length; i++) {
      const value = list[i] as Value;
      if (isForeign(value, block)) list[i] = construction.start(block, value.mark - 1);
    }
  };
  for (const block of fn.blocks) {
    const { instructions } = block;
    let kept = 0;
    for (let i = 0; i < instructions.length; i++) {
      const instruction = instructions[i] as Instruction;
      const { op, operands, successorArguments } = instruction;
      if (op === Op.DEBUG_VALUE && operands[0] !== undefined && isForeign(operands[0], block)) continue;
      instructions[kept++] = instruction;
      replace(operands, block);
      for (let edge = 0; edge < successorArguments.length; edge++) replace(successorArguments[edge] as Value[], block);
    }
    instructions.length = kept;
  }
  construction.fillParameters();
  dropTrivialParameters(fn, [...construction.made, ...candidates]);
}
