// SPDX-License-Identifier: Apache-2.0
// Coalesces values that are live across barriers: a block parameter and the arguments that branches pass for it get one
// variable where their live ranges do not interfere, so that nothing is copied on the edge (as in Chaitin 1982, on the
// classes that block parameters give). On IR in SSA form with liveness at the beginnings of blocks. Critical edges on
// which a value must be stored are split. Cost: pairs of members of two classes for each parameter, a scan of a block
// for each pair.
import {
  type Block,
  type BlockMap,
  Instruction,
  type IrFunction,
  Op,
  type Parameter,
  VOID,
  type Value,
  predecessors,
} from "@muxkit/ir";

/** An argument that a branch passes for a block parameter. */
export interface EdgeArgument {
  readonly from: Block;
  readonly edge: number;
  readonly index: number;
}

/** Values that are kept in one variable. */
export interface CoalescedValues {
  readonly values: readonly Value[];
  /**
   * Parameters that are stored on the edges to their block, and not where it begins: the edges that bring a value from
   * elsewhere.
   */
  readonly entries: ReadonlyMap<Parameter, readonly EdgeArgument[]>;
}

function argumentsFor(parameter: Parameter, before: BlockMap<readonly Block[]>): EdgeArgument[] {
  const { block } = parameter;
  if (block === null) return [];
  const index = block.parameters.indexOf(parameter);
  return [...new Set(before.get(block) ?? [])].flatMap((from) =>
    from.terminator.successors.flatMap((target, edge) => (target === block ? [{ from, edge, index }] : [])),
  );
}

function argumentOf({ from, edge, index }: EdgeArgument): Value | undefined {
  return from.terminator.successorArguments[edge]?.[index];
}

class LiveRanges {
  private readonly live: ReadonlyMap<Block, ReadonlySet<Value>>;
  private readonly before: BlockMap<readonly Block[]>;

  constructor(live: ReadonlyMap<Block, ReadonlySet<Value>>, before: BlockMap<readonly Block[]>) {
    this.live = live;
    this.before = before;
  }

  /** True when `value` is still live where `made` is defined. */
  private outlives(value: Value, made: Parameter | Instruction): boolean {
    const { block } = made;
    if (block === null) return true;
    if (made.kind === "parameter") {
      if (value.kind === "parameter" && value.block === block) return true;
      if (this.live.get(block)?.has(value) === true) return true;
      const own = block.parameters.indexOf(made);
      return argumentsFor(made, this.before).some(({ from, edge }) =>
        (from.terminator.successorArguments[edge] ?? []).some((argument, i) => argument === value && i !== own),
      );
    }
    const after = block.instructions.slice(block.instructions.indexOf(made) + 1);
    return (
      block.successors.some((successor) => this.live.get(successor)?.has(value) === true) ||
      after.some(
        ({ operands, successorArguments }) =>
          operands.includes(value) || successorArguments.some((list) => list.includes(value)),
      )
    );
  }

  /** True when both are needed at one point. */
  interfere(left: Parameter | Instruction, right: Parameter | Instruction): boolean {
    return this.outlives(left, right) || this.outlives(right, left);
  }
}

/**
 * Partitions values into those that are kept together. `live`: what is live at the beginning of each block; `mayShare`:
 * whether two values are kept in the same manner. Critical edges on which values are stored are split.
 */
export function coalesce(
  fn: IrFunction,
  values: ReadonlySet<Value>,
  live: ReadonlyMap<Block, ReadonlySet<Value>>,
  mayShare: (left: Value, right: Value) => boolean,
): CoalescedValues[] {
  const before = predecessors(fn);
  const ranges = new LiveRanges(live, before);
  const classes = new Map<Value, (Parameter | Instruction)[]>();
  for (const value of values)
    if (value.kind !== "constant" && (value.kind === "parameter" || value.op !== Op.ALLOCA))
      classes.set(value, [value]);
  for (const [value] of classes) {
    if (value.kind !== "parameter") continue;
    for (const given of argumentsFor(value, before)) {
      const argument = argumentOf(given);
      const own = classes.get(value);
      const other = argument === undefined ? undefined : classes.get(argument);
      if (
        argument === undefined ||
        own === undefined ||
        other === undefined ||
        own === other ||
        argument.type !== value.type ||
        !mayShare(argument, value)
      )
        continue;
      if (own.some((left) => other.some((right) => ranges.interfere(left, right)))) continue;
      own.push(...other);
      for (const member of other) classes.set(member, own);
    }
  }
  const groups = [...new Set(classes.values())].map((members) => ({ members, entries: entriesOf(members, before) }));
  // Edges are only split when it is known what all of them bring.
  const edges = new SplitEdges();
  return groups.map(({ members, entries }) => ({
    values: members,
    entries: new Map([...entries].map(([parameter, list]) => [parameter, list.map((given) => edges.own(given))])),
  }));
}

/** Blocks on critical edges where values are stored. */
class SplitEdges {
  private readonly made = new Map<Block, Map<number, Block>>();

  /** The same argument, from a block with no other successor. */
  own({ from, edge, index }: EdgeArgument): EdgeArgument {
    const { terminator } = from;
    const of = this.made.get(from) ?? new Map<number, Block>();
    const known = of.get(edge);
    if (known !== undefined) return { from: known, edge: 0, index };
    const target = terminator.successors[edge];
    if (terminator.successors.length === 1 || target === undefined) return { from, edge, index };
    const middle = from.owner.addBlock("edge");
    const branch = new Instruction(Op.BR, VOID, [], terminator.location);
    branch.successors = [target];
    branch.successorArguments = [terminator.successorArguments[edge] ?? []];
    middle.append(branch);
    terminator.successors = terminator.successors.map((successor, i) => (i === edge ? middle : successor));
    terminator.successorArguments = terminator.successorArguments.map((list, i) => (i === edge ? [] : list));
    this.made.set(from, of.set(edge, middle));
    return { from: middle, edge: 0, index };
  }
}

/**
 * The edges on which parameters are stored: of those that get, on some other edge, what is in their variable already.
 */
function entriesOf(
  members: readonly Value[],
  before: BlockMap<readonly Block[]>,
): Map<Parameter, readonly EdgeArgument[]> {
  const found = new Map<Parameter, readonly EdgeArgument[]>();
  for (const value of members) {
    if (value.kind !== "parameter") continue;
    const list = argumentsFor(value, before);
    const others = list.filter((given) => !members.includes(argumentOf(given) ?? value));
    if (others.length < list.length) found.set(value, others);
  }
  return found;
}
