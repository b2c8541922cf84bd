// SPDX-License-Identifier: Apache-2.0
// Which values that live across barriers can be kept in one place: a parameter of a block and what it is given, where their lives do not overlap, so that nothing is copied on the way.
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

/** What a branch gives a parameter of a block. */
export interface Given {
  readonly from: Block;
  readonly edge: number;
  readonly index: number;
}

/** Values that are kept in one place. */
export interface KeptTogether {
  readonly values: readonly Value[];
  /** Parameters that are written on their way in, and not where their block begins: the branches that bring a value from elsewhere. */
  readonly entries: ReadonlyMap<Parameter, readonly Given[]>;
}

function givenTo(parameter: Parameter, before: BlockMap<readonly Block[]>): Given[] {
  const { block } = parameter;
  if (block === null) return [];
  const index = block.parameters.indexOf(parameter);
  return [...new Set(before.get(block) ?? [])].flatMap((from) =>
    from.terminator.successors.flatMap((target, edge) => (target === block ? [{ from, edge, index }] : [])),
  );
}

function argumentOf({ from, edge, index }: Given): Value | undefined {
  return from.terminator.successorArguments[edge]?.[index];
}

class Lives {
  private readonly live: ReadonlyMap<Block, ReadonlySet<Value>>;
  private readonly before: BlockMap<readonly Block[]>;

  constructor(live: ReadonlyMap<Block, ReadonlySet<Value>>, before: BlockMap<readonly Block[]>) {
    this.live = live;
    this.before = before;
  }

  /** True when `value` is still needed where `made` is made. */
  private outlives(value: Value, made: Parameter | Instruction): boolean {
    const { block } = made;
    if (block === null) return true;
    if (made.kind === "parameter") {
      if (value.kind === "parameter" && value.block === block) return true;
      if (this.live.get(block)?.has(value) === true) return true;
      const own = block.parameters.indexOf(made);
      return givenTo(made, this.before).some(({ from, edge }) =>
        (from.terminator.successorArguments[edge] ?? []).some((argument, i) => argument === value && i !== own),
      );
    }
    const behind = block.instructions.slice(block.instructions.indexOf(made) + 1);
    return (
      block.successors.some((successor) => this.live.get(successor)?.has(value) === true) ||
      behind.some(
        ({ operands, successorArguments }) =>
          operands.includes(value) || successorArguments.some((list) => list.includes(value)),
      )
    );
  }

  overlap(left: Parameter | Instruction, right: Parameter | Instruction): boolean {
    return this.outlives(left, right) || this.outlives(right, left);
  }
}

/** Divides values into those that are kept together. `live`: what is needed at the beginning of each block; `mayShare`: whether two values are kept in the same manner. Edges on which values are written get blocks. */
export function coalesce(
  fn: IrFunction,
  values: ReadonlySet<Value>,
  live: ReadonlyMap<Block, ReadonlySet<Value>>,
  mayShare: (left: Value, right: Value) => boolean,
): KeptTogether[] {
  const before = predecessors(fn);
  const lives = new Lives(live, before);
  const classes = new Map<Value, (Parameter | Instruction)[]>();
  for (const value of values)
    if (value.kind !== "constant" && (value.kind === "parameter" || value.op !== Op.ALLOCA))
      classes.set(value, [value]);
  for (const [value] of classes) {
    if (value.kind !== "parameter") continue;
    for (const given of givenTo(value, before)) {
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
      if (own.some((left) => other.some((right) => lives.overlap(left, right)))) continue;
      own.push(...other);
      for (const member of other) classes.set(member, own);
    }
  }
  const groups = [...new Set(classes.values())].map((members) => ({ members, entries: entriesOf(members, before) }));
  // Edges are only split when it is known what all of them bring.
  const ways = new Ways();
  return groups.map(({ members, entries }) => ({
    values: members,
    entries: new Map([...entries].map(([parameter, list]) => [parameter, list.map((given) => ways.own(given))])),
  }));
}

/** Blocks on edges where values are written. */
class Ways {
  private readonly made = new Map<Block, Map<number, Block>>();

  /** The same way in, from a block that leads nowhere else. */
  own({ from, edge, index }: Given): Given {
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

/** The ways in on which parameters are written: of those that are given, on some other way, what lies in their place already. */
function entriesOf(members: readonly Value[], before: BlockMap<readonly Block[]>): Map<Parameter, readonly Given[]> {
  const found = new Map<Parameter, readonly Given[]>();
  for (const value of members) {
    if (value.kind !== "parameter") continue;
    const list = givenTo(value, before);
    const others = list.filter((given) => !members.includes(argumentOf(given) ?? value));
    if (others.length < list.length) found.set(value, others);
  }
  return found;
}
