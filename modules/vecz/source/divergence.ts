// SPDX-License-Identifier: Apache-2.0
// Divergence analysis: which values are uniform, in steps or varying between lanes, which branches and loops are
// divergent, and at which blocks divergent lanes join.
//
// Karrenberg and Hack, "Improving Performance of OpenCL on CPUs" (CC 2012), with joins found by label propagation as in
// Rosemann, Moll and Hack, "An Abstract Interpretation for SPMD Divergence on Reducible CFGs" (POPL 2021). Works on
// normalised, reducible SSA; values have a lattice of shapes (shape.ts): unknown > stride > varying.
//
// Optimistic data-flow iteration in reverse postorder to a fixpoint: transfer functions give shapes; a divergent branch
// marks joins (two disjoint paths meet), whose block parameters become varying; a loop that lanes leave in different
// iterations makes its live-out values varying outside (temporal divergence). Cost: each value falls at most twice,
// each branch marks once: nearly linear, label propagation quadratic in the worst case.
import { filled } from "@muxkit/cargo";
import {
  type Block,
  type BlockMap,
  type DataLayout,
  type Dominators,
  type Instruction,
  type IrFunction,
  type Loop,
  type LoopForest,
  Op,
  type Parameter,
  type Value,
  dominators,
  isPointer,
  loops,
  predecessors,
} from "@muxkit/ir";

import { Postdominators } from "./postdominators.ts";
import { type Shape, type ShapeFrame, UNIFORM, VARYING, constantZeros, lowZeros, transfer } from "./shape.ts";

/** Facts about a parameter of the function. @public */
export interface ParameterFacts {
  /** How its lanes differ. */
  readonly shape: Shape;
  /** How many low bits of lane 0 are zero. */
  readonly lowZeros: number;
}

/** Input of the analysis. @public */
export interface DivergenceRequest {
  /** Lanes. */
  readonly width: number;
  /** Sizes of types. */
  readonly layout: DataLayout;
  /** Dimension that work-item queries are vectorised in. */
  readonly axis: number;
  /** Parameters that are not uniform, or that have known zero bits. */
  readonly parameters: ReadonlyMap<Parameter, ParameterFacts>;
  /** Shapes that are assumed: of instructions under a test, and of variables that all lanes share. */
  readonly assumed: ReadonlyMap<Instruction, Shape>;
  /** Variables that are interleaved. */
  readonly interleaved: ReadonlySet<Value>;
  /** True when the lanes are a sub-group. */
  readonly isSubGroup: boolean;
  /** True: each lane has variables of its own at unknown addresses; absent: those of all lanes are adjacent. */
  readonly areVariablesApart?: boolean;
}

/** Result of the analysis of one function, which must be normalised. */
export class Divergence {
  readonly fn: IrFunction;
  readonly exit: Block;
  readonly before: BlockMap<readonly Block[]>;
  readonly dominators: Dominators;
  readonly postdominators: Postdominators;
  readonly forest: LoopForest;
  readonly layout: DataLayout;
  /** Blocks that end with a divergent branch. */
  readonly branches: Set<Block> = new Set();
  /** Divergent loops: lanes leave them in different iterations or by different exits. */
  readonly loops: Set<Loop> = new Set();
  private readonly joins = new Set<Block>();
  private readonly shapes = new Map<Value, Shape>();
  private readonly zeros = new Map<Value, number>();
  private readonly homes = new Map<Value, Block>();
  private readonly request: DivergenceRequest;
  private readonly frame: ShapeFrame;
  private current: Block;
  /** Labels of {@link Divergence.findJoins} by position. */
  private readonly labels: number[];
  private labelBase = 0;

  constructor(fn: IrFunction, exit: Block, request: DivergenceRequest) {
    this.layout = request.layout;
    this.fn = fn;
    this.exit = exit;
    this.request = request;
    this.before = predecessors(fn);
    this.dominators = dominators(fn, this.before);
    this.postdominators = new Postdominators(fn, exit, this.before);
    this.forest = loops(fn, this.dominators, this.before);
    this.current = fn.entry;
    this.labels = filled(this.dominators.order.length, 0);
    this.frame = {
      width: request.width,
      layout: request.layout,
      axis: request.axis,
      isSubGroup: request.isSubGroup,
      shapeOf: (value) => this.known(value),
      zerosOf: (value) => this.lowZeros(value),
      isInterleaved: (pointer) => this.isInterleaved(pointer),
      areVariablesApart: request.areVariablesApart === true,
    };
    for (const block of fn.blocks) {
      for (const parameter of block.parameters) this.homes.set(parameter, block);
      for (const instruction of block.instructions) this.homes.set(instruction, block);
    }
    for (const parameter of fn.parameters) {
      const facts = request.parameters.get(parameter);
      this.shapes.set(parameter, facts === undefined ? UNIFORM : facts.shape);
      this.zeros.set(parameter, facts?.lowZeros ?? 0);
    }
    if (this.isTractable) this.solve();
  }

  /** False for irreducible graphs and for those with paths that never reach the exit: they are not analysed. */
  get isTractable(): boolean {
    return this.forest.irreducible.length === 0 && this.postdominators.isComplete;
  }

  private solve(): void {
    for (let changed = true; changed;) {
      changed = false;
      for (const block of this.dominators.order) {
        this.current = block;
        if (this.meetParameters(block)) changed = true;
        for (const instruction of block.instructions) if (this.visit(instruction)) changed = true;
        const { terminator } = block;
        const [condition] = terminator.operands;
        const divides = terminator.successors.length > 1 && condition !== undefined && this.known(condition) !== 0;
        if (!divides || this.branches.has(block)) continue;
        this.branches.add(block);
        this.findJoins(terminator.successors, block);
        changed = true;
      }
      if (this.findLoops()) changed = true;
    }
  }

  private meetParameters(block: Block): boolean {
    if (block.parameters.length === 0) return false;
    const preds = this.before.get(block) ?? [];
    let changed = false;
    block.parameters.forEach((parameter, index) => {
      let shape = this.shapes.get(parameter);
      let zeros = this.zeros.get(parameter);
      let first: Value | undefined;
      let isOne = true;
      for (const pred of new Set(preds)) {
        pred.terminator.successors.forEach((target, edge) => {
          const value = target === block ? pred.terminator.successorArguments[edge]?.[index] : undefined;
          if (value === undefined) return;
          if (value !== parameter) {
            first ??= value;
            if (value !== first) isOne = false;
          }
          const given = this.shapeWhere(value, block);
          if (given === undefined) return;
          shape = shape === undefined || shape === given ? given : VARYING;
          zeros = Math.min(zeros ?? this.lowZeros(value), this.lowZeros(value));
        });
      }
      if (this.joins.has(block) && !isOne && shape !== undefined) shape = VARYING;
      if (shape === undefined) return;
      if (this.shapes.get(parameter) !== shape || this.zeros.get(parameter) !== zeros) changed = true;
      this.shapes.set(parameter, shape);
      this.zeros.set(parameter, zeros ?? 0);
    });
    return changed;
  }

  private visit(instruction: Instruction): boolean {
    if (instruction.isTerminator) return false;
    const old = this.shapes.get(instruction);
    let shape = transfer(instruction, this.frame);
    const assumed = this.request.assumed.get(instruction);
    if (assumed !== undefined) shape = assumed;
    if (old !== undefined && old !== shape) shape = VARYING;
    const zeros = lowZeros(instruction, this.frame.zerosOf);
    if (old === shape && this.zeros.get(instruction) === zeros) return false;
    this.shapes.set(instruction, shape);
    this.zeros.set(instruction, zeros);
    return true;
  }

  private known(value: Value): Shape {
    const shape = this.shapeWhere(value, this.current);
    // Not computed yet, since it comes over a back edge: the optimistic value is taken first.
    return shape === undefined ? UNIFORM : shape;
  }

  private shapeWhere(value: Value, where: Block): Shape | undefined {
    if (value.kind === "constant") return UNIFORM;
    const home = this.homes.get(value);
    if (home !== undefined && home !== where) {
      for (
        let loop = this.forest.innermost.get(home) ?? null;
        loop !== null && !loop.blocks.has(where);
        loop = loop.parent
      ) {
        // Temporal divergence: each lane has the value of the iteration in which it left.
        if (this.loops.has(loop)) return VARYING;
      }
    }
    return this.shapes.get(value);
  }

  /** The shape of a value where it is used. */
  shapeAt(value: Value, where: Block): Shape {
    const shape = this.shapeWhere(value, where);
    return shape === undefined ? UNIFORM : shape;
  }

  /** The shape of a value where it is defined. */
  shapeOf(value: Value): Shape {
    const shape = value.kind === "constant" ? UNIFORM : this.shapes.get(value);
    return shape === undefined ? UNIFORM : shape;
  }

  /** Low bits of lane 0 that are zero. */
  lowZeros(value: Value): number {
    return value.kind === "constant" ? constantZeros(value) : (this.zeros.get(value) ?? 0);
  }

  /** True for blocks where divergent lanes join. */
  isJoin(block: Block): boolean {
    return this.joins.has(block);
  }

  /** True for pointers into interleaved variables. */
  isInterleaved(pointer: Value): boolean {
    let value = pointer;
    while (value.kind === "instruction" && (value.op === Op.ADDRESS || value.op === Op.ADDRSPACECAST)) {
      const [base] = value.operands;
      if (base === undefined) return false;
      value = base;
    }
    return isPointer(value.type) && this.request.interleaved.has(value);
  }

  /**
   * Marks the joins of lanes that diverge into these blocks: two disjoint paths lead there. Labels spread forwards, and
   * end at a block that all paths have come to: from there on there is one label only.
   */
  private findJoins(targets: readonly Block[], from: Block): void {
    const { order } = this.dominators;
    const { labels } = this;
    const start = this.dominators.position(from);
    // Positions of labels are greater than this: what is less is from an earlier search.
    const base = this.labelBase;
    this.labelBase += order.length;
    /** Labelled blocks that are still to be visited. */
    let waiting = 0;
    for (const target of targets) {
      const at = this.dominators.position(target);
      // Lanes on the back edge arrive again in the next iteration.
      if (at <= start) continue;
      if ((labels[at] ?? 0) > base) this.joins.add(target);
      else waiting++;
      labels[at] = base + at;
    }
    for (let i = start + 1; i < order.length && waiting > 1; i++) {
      const label = labels[i] ?? 0;
      if (label <= base) continue;
      waiting--;
      const { successors } = order[i] as Block;
      for (let edge = 0; edge < successors.length; edge++) {
        const successor = successors[edge] as Block;
        const at = this.dominators.position(successor);
        if (at <= i) continue;
        const known = labels[at] ?? 0;
        if (known <= base) {
          labels[at] = label;
          waiting++;
        } else if (known !== label) {
          labels[at] = base + at;
          this.joins.add(successor);
        }
      }
    }
  }

  /** Blocks that only some lanes may reach when lanes diverge at the end of `from`. */
  influence(targets: readonly Block[], from: Block): Set<Block> {
    const stop = this.postdominators.immediate(from);
    const found = new Set<Block>();
    const work = targets.filter(
      (block) => block !== stop && this.dominators.position(block) > this.dominators.position(from),
    );
    for (let block = work.pop(); block !== undefined; block = work.pop()) {
      if (found.has(block)) continue;
      found.add(block);
      for (const successor of block.successors)
        if (successor !== stop && this.dominators.position(successor) > this.dominators.position(block))
          work.push(successor);
    }
    return found;
  }

  private findLoops(): boolean {
    let changed = false;
    // Inner loops first: where lanes leave them by different exits, they diverge in the loops around them.
    for (const loop of this.forest.loops.toReversed()) {
      if (this.loops.has(loop)) continue;
      const parted = new Set<Block>();
      for (const block of loop.blocks) {
        if (!this.branches.has(block)) continue;
        parted.add(block);
        for (const other of this.influence(block.successors, block)) parted.add(other);
      }
      for (const inner of this.loops) {
        if (inner === loop || !loop.blocks.has(inner.header)) continue;
        for (const [from, to] of inner.exits) {
          if (!loop.blocks.has(to)) parted.add(from);
          else if (new Set(inner.exits.map(([, target]) => target)).size > 1)
            for (const other of [to, ...this.influence([to], inner.header)]) parted.add(other);
        }
      }
      if (!loop.exits.some(([from]) => parted.has(from))) continue;
      this.loops.add(loop);
      changed = true;
      const targets = [...new Set(loop.exits.map(([, to]) => to))];
      for (const target of targets) if (loop.exits.filter(([, to]) => to === target).length > 1) this.joins.add(target);
      this.findJoins(targets, loop.header);
    }
    return changed;
  }
}
