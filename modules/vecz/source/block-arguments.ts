// SPDX-License-Identifier: Apache-2.0
// Edges of a linearised function: the lanes that take an edge, and the arguments that they pass to block parameters. A
// parameter is kept by lane 0 where its lanes are uniform or in steps, and as vectors elsewhere; where lanes come
// together from several edges, selects by the edges' masks are what phis were (if-conversion).
import { assert } from "@muxkit/cargo";
import { type Block, type Builder, type Instruction, Op, type Parameter, type Type, type Value } from "@muxkit/ir";

import { someOn } from "./memory.ts";
import type { Packets } from "./packets.ts";

/** A branch that lanes have come to, and part at. */
export interface Parting {
  /** The lanes that have come to it; null: all. */
  readonly arrived: Value | null;
  /** The number of its ways. */
  readonly ways: number;
}

/** A way into a block: lanes that take it (null: all), and for each parameter of the block its argument. */
export interface Edge {
  readonly mask: Value | null;
  readonly values: readonly (readonly Value[])[];
  /** The branch that it begins at; absent: several, or none. */
  readonly parting?: Parting;
}

/** Masks of edges, one for the edges that are all ways of a branch. */
function joinedMasks(edges: readonly Edge[]): readonly (Value | null)[] {
  const isWhole = (parting: Parting): boolean =>
    edges.reduce((count, edge) => count + (edge.parting === parting ? 1 : 0), 0) === parting.ways;
  const masks: (Value | null)[] = [];
  const joined = new Set<Parting>();
  for (const { mask, parting } of edges) {
    if (parting === undefined || !isWhole(parting)) masks.push(mask);
    else if (!joined.has(parting)) {
      joined.add(parting);
      masks.push(parting.arrived);
    }
  }
  return masks;
}

/** Receives an edge; true when it leads to a block that the receiver collects edges for. */
export type Sink = (from: Block, to: Block, edge: Edge) => boolean;

/** Arguments and masks of edges. */
export class BlockArguments {
  private readonly packets: Packets;
  private readonly builder: Builder;

  constructor(packets: Packets) {
    this.packets = packets;
    this.builder = packets.builder;
  }

  /** True when a parameter is kept by lane 0. */
  isFirst(parameter: Parameter): boolean {
    return this.packets.divergence.shapeOf(parameter) !== null;
  }

  typesOf(parameter: Parameter): readonly Type[] {
    return this.isFirst(parameter) ? [parameter.type] : this.packets.listTypes(parameter);
  }

  /** The argument that passes a value to a parameter. */
  pack(parameter: Parameter, value: Value): readonly Value[] {
    return this.isFirst(parameter) ? [this.packets.first(value)] : this.packets.list(value, parameter);
  }

  private bind(parameter: Parameter, list: readonly Value[]): void {
    const [only] = list;
    assert(only !== undefined, "a parameter has an argument");
    if (this.isFirst(parameter)) this.packets.setFirst(parameter, only);
    else this.packets.setList(parameter, list);
  }

  /** From here on the parameters of a block are these values. */
  bindAll(block: Block, values: readonly (readonly Value[])[]): void {
    block.parameters.forEach((parameter, i) => this.bind(parameter, values[i] ?? []));
  }

  /** Gives a new block the parameters of a source block. */
  addParameters(target: Block, source: Block): (readonly Value[])[] {
    return source.parameters.map((parameter) =>
      this.typesOf(parameter).map((type) => target.addParameter(type, parameter.name)),
    );
  }

  /** The arguments of one edge of a terminator. */
  valuesOf(terminator: Instruction, edge: number): (readonly Value[])[] {
    const target = terminator.successors[edge];
    assert(target !== undefined, "an edge leads somewhere");
    return target.parameters.map((parameter, i) => {
      const value = terminator.successorArguments[edge]?.[i];
      assert(value !== undefined, "a value for each parameter");
      return this.pack(parameter, value);
    });
  }

  /** Lanes that come by any of the edges. All ways of one branch together: the lanes that have come to it. */
  either(edges: readonly Edge[]): Value | null {
    let result: Value | null = null;
    for (const [i, mask] of joinedMasks(edges).entries()) {
      if (mask === null) return null;
      result = i === 0 || result === null ? mask : this.builder.same(Op.OR, result, mask);
    }
    return result;
  }

  /** The values of a block's parameters when lanes come by several edges: a select for each phi. */
  selectArguments(block: Block, edges: readonly Edge[]): readonly (readonly Value[])[] {
    const [first, ...rest] = edges;
    assert(first !== undefined, () => `an edge to ${block.name}`);
    return block.parameters.map((parameter, i) =>
      (first.values[i] ?? []).map((start, part) => {
        let result = start;
        for (const { mask, values } of rest) {
          const value = values[i]?.[part];
          if (value === undefined || value === result || mask === null) continue;
          result = this.select(mask, this.isFirst(parameter), value, result);
        }
        return result;
      }),
    );
  }

  /**
   * A value in the lanes of a mask, another one elsewhere; what is kept by lane 0 changes as soon as any lane is on.
   */
  select(mask: Value, isFirst: boolean, value: Value, otherwise: Value): Value {
    const { builder, packets } = this;
    const on = isFirst ? someOn(builder, mask) : packets.widenMask(mask, value.type.count / packets.width);
    return builder.select(on, value, otherwise);
  }

  and(mask: Value | null, condition: Value): Value {
    return mask === null ? condition : this.builder.same(Op.AND, mask, condition);
  }

  not(condition: Value): Value {
    return this.builder.same(Op.XOR, condition, this.packets.allOn);
  }
}
