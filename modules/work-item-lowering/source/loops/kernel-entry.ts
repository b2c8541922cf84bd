// SPDX-License-Identifier: Apache-2.0
// The kernel wrapper (docs/kernel-abi.md): unpacks arguments, walks the work-groups of a call and the work-items of a group.
import { assert } from "@muxkit/cargo";
import {
  type Block,
  Builder,
  CONSTANT,
  I32,
  IrFunction,
  type KernelDescription,
  LOCAL,
  type Module,
  Op,
  I8,
  PRIVATE,
  type Type,
  VOID,
  type Value,
  arrayType,
  constantInt,
  constantSplat,
  constantZero,
  isPointer,
  pointerType,
  vectorType,
} from "@muxkit/ir";

import type { IndexRange, IndexSetSplit, VectorVariants, Vectorized } from "@muxkit/vecz";

import { DISPATCH, WORKER } from "@muxkit/kernel-abi";
import { writePoll } from "../cancellation-checks.ts";
import { HiddenValues } from "../work-item-parameters.ts";
import { countedLoop } from "./counted-loop.ts";
import { type Members, entryVariable, writeGroupOperation } from "../barriers/group-collectives.ts";
import { groupItems, linearId, subGroupCount } from "../lower-work-item-queries.ts";
import { type Records, STATE_PLACE, placeInRecord } from "../barriers/spill-frame.ts";
import { type RegionPlan, regionOperands } from "../barriers/regions.ts";
import type { Specialization } from "../specialization.ts";
import { eachSubGroup } from "../vector/sub-groups.ts";
import type { JamPlan, SubGroupPlan } from "../vector/vector-plan.ts";

/** The kernel that a wrapper is written for. */
export interface WrappedKernel {
  readonly name: string;
  readonly description: KernelDescription;
  /** Types of the kernel's own parameters. */
  readonly parameterTypes: readonly Type[];
  /** Packed offset of each argument. */
  readonly offsets: readonly number[];
  /** Without barriers: the body to run for each work-item. */
  readonly body: IrFunction | null;
  /** With barriers: its regions. */
  readonly plan: RegionPlan | null;
  readonly specialization: Specialization | null;
  /** Work-items of a sub-group. */
  readonly subGroupSize: number;
  /** Vector forms of the body or of regions; those without one run work-item by work-item. */
  readonly forms: ReadonlyMap<IrFunction, VectorVariants>;
  /** Where work-items may wait at different barriers: vector forms of regions for those that have come to them. */
  readonly masked: ReadonlyMap<IrFunction, Vectorized>;
  /** Rows of them that run together. */
  readonly jams: ReadonlyMap<IrFunction, JamPlan>;
  /** Ranges of each row outside of which all work-items do the same. */
  readonly ranges: ReadonlyMap<IrFunction, IndexSetSplit>;
  /** Dimension along which they run: the innermost loop over work-items. */
  readonly axis: number;
  /** Vector forms whose lanes are sub-groups, of the body or of all regions; null: there are none. */
  readonly vectorGroups: SubGroupPlan | null;
  /** True when the body knows its place in the NDRange only: then lanes may span work-groups (decision 25). */
  readonly isFlat: boolean;
}

/** What is run for the work-items of a row. */
interface RowRunner {
  /** Writes the code for one work-item, whose ids are the hidden values. */
  readonly one: (hidden: HiddenValues) => void;
  /** Writes the code for several, of which the hidden values are the first's; null: there is none. */
  readonly several: SeveralRunner | null;
  /** The range of a row that must be run; null: all of it. */
  readonly range: RangeRunner | null;
  /** Writes the code for rows that run together; null: each runs by itself. */
  readonly jam: JamRunner | null;
}

/** Finds the work-items of a row that do more than the rest, and runs the rest as one. */
interface RangeRunner {
  /** Writes the range of a row of so many, of which the hidden values are the first one's. */
  readonly write: (hidden: HiddenValues, length: Value) => IndexRange;
  readonly outside: (hidden: HiddenValues) => void;
}

/** Runs so many work-items of a row. */
interface SeveralRunner {
  readonly width: number;
  readonly run: (hidden: HiddenValues) => void;
}

/** Runs so many rows. */
interface JamRunner {
  readonly axis: number;
  readonly rows: number;
  /** Writes the test that rows must pass, given the hidden values of the first one; null: none is needed. */
  readonly test: ((hidden: HiddenValues) => Value) | null;
  /** Several work-items of each row. */
  readonly several: SeveralRunner;
}

/** A region's forms; `members` are the lanes that are work-items of the group (null: all). */
interface RegionForms {
  readonly index: number;
  readonly whole: Vectorized;
  readonly masked: Vectorized;
  readonly members: Value | null;
}

/** Most work-items of a row between two looks at the cancel word. */
const ROW_CHUNK = 65_536;

const AXES = [0, 1, 2] as const;

/** Where shared values lie before a region is run and behind it. */
interface SharedValues {
  readonly given: Value;
  readonly left: Value;
}

/** What one work-item's call needs beside the hidden values. */
interface ItemFrame {
  readonly values: readonly Value[];
  readonly records: Records;
}

function within(builder: Builder, base: Value, offset: number): Value {
  return offset === 0 ? base : builder.address(base, null, 0, offset);
}

class WrapperWriter {
  private readonly kernel: WrappedKernel;
  private readonly module: Module;
  private readonly builder: Builder;
  private readonly fn: IrFunction;
  private readonly hidden = new HiddenValues();

  constructor(kernel: WrappedKernel, module: Module) {
    this.kernel = kernel;
    this.module = module;
    this.fn = new IrFunction(
      kernel.name,
      I32,
      ["args", "dispatch", "worker", "first", "end"].map((name) => ({ name, type: I32 })),
    );
    module.addFunction(this.fn);
    this.builder = new Builder(this.fn.addBlock("entry"));
  }

  private parameter(index: number): Value {
    const value = this.fn.parameters[index];
    assert(value !== undefined, "the wrapper has five parameters");
    return value;
  }

  private field(base: Value, offset: number, type: Type = I32): Value {
    return this.builder.load(
      type,
      this.builder.address(this.builder.convert(Op.INTTOPTR, base, pointerType(CONSTANT)), null, 0, offset),
      4,
    );
  }

  write(): IrFunction {
    const { builder, hidden } = this;
    const dispatch = this.parameter(1);
    const worker = this.parameter(2);
    hidden.set("dispatch", 0, dispatch);
    hidden.set("worker", 0, worker);
    const arena = this.field(worker, WORKER.arenaBase);
    hidden.set("arena", 0, arena);
    hidden.set("data", 0, this.field(dispatch, DISPATCH.programData));
    const setStack = this.intrinsic("wasm.set_stack", VOID, [I32]);
    builder.call(setStack, [builder.same(Op.ADD, arena, this.field(dispatch, DISPATCH.privateOffset))]);
    const known = this.kernel.specialization;
    for (const axis of AXES) {
      hidden.set("global", axis, this.field(dispatch, DISPATCH.globalSize + axis * 4));
      hidden.set("groups", axis, this.field(dispatch, DISPATCH.groupCount + axis * 4));
      hidden.set(
        "offset",
        axis,
        known?.zeroOffset === true ? constantInt(I32, 0) : this.field(dispatch, DISPATCH.globalOffset + axis * 4),
      );
      hidden.set(
        "enqueued",
        axis,
        known === null ? this.field(dispatch, DISPATCH.localSize + axis * 4) : constantInt(I32, known.localSize[axis]),
      );
    }
    hidden.set("subGroup", 0, constantInt(I32, this.kernel.subGroupSize));
    const values = this.unpack(arena);
    const counts = AXES.map((axis) => this.field(dispatch, DISPATCH.rangeCount + axis * 4));
    const bases = AXES.map((axis) => this.field(worker, WORKER.groupBase + axis * 4));
    const records = this.findRecords(arena);
    const [nx, ny] = counts;
    const [bx, by, bz] = bases;
    assert(
      nx !== undefined && ny !== undefined && bx !== undefined && by !== undefined && bz !== undefined,
      "three axes",
    );
    if (this.kernel.isFlat) {
      this.flatRows(values, [nx, ny], [bx, by, bz]);
      builder.return(constantInt(I32, 0));
      return this.fn;
    }
    countedLoop(builder, this.parameter(3), this.parameter(4), (index) => {
      writePoll(builder, worker, this.module);
      const row = builder.same(Op.UDIV, index, nx);
      this.group(0, builder.same(Op.ADD, bx, builder.same(Op.UREM, index, nx)));
      this.group(1, builder.same(Op.ADD, by, builder.same(Op.UREM, row, ny)));
      this.group(2, builder.same(Op.ADD, bz, builder.same(Op.UDIV, row, ny)));
      if (this.kernel.plan === null) this.runBody(values);
      else if (this.kernel.plan.subGroupRegions > 0) this.subGroups(this.kernel.plan, values, records);
      else this.regions(this.kernel.plan, values, records);
    });
    builder.return(constantInt(I32, 0));
    return this.fn;
  }

  /** The records of the group's work-items. */
  private findRecords(arena: Value): Records {
    const { builder, hidden } = this;
    const live = builder.same(Op.ADD, arena, this.field(this.parameter(1), DISPATCH.liveOffset));
    const items = groupItems(builder, hidden, "enqueued");
    const room = builder.same(Op.AND, builder.same(Op.ADD, items, constantInt(I32, 15)), constantInt(I32, -16));
    return { live: builder.convert(Op.INTTOPTR, live, pointerType(PRIVATE)), room };
  }

  private intrinsic(name: string, result: Type, parameters: readonly Type[]): IrFunction {
    return (
      this.module.functions.get(name) ??
      this.module.addFunction(
        new IrFunction(
          name,
          result,
          parameters.map((type) => ({ type, name: "" })),
        ),
      )
    );
  }

  /** The kernel's own arguments. */
  private unpack(arena: Value): Value[] {
    const { builder, kernel } = this;
    const args = builder.convert(Op.INTTOPTR, this.parameter(0), pointerType(CONSTANT));
    return kernel.parameterTypes.map((type, i) => {
      const offset = kernel.offsets[i] ?? 0;
      const place = offset === 0 ? args : builder.address(args, null, 0, offset);
      const argument = kernel.description.arguments[i];
      assert(argument !== undefined, "a description of each parameter");
      if (argument.kind === "local") {
        const base = builder.convert(Op.INTTOPTR, arena, pointerType(LOCAL));
        return builder.address(base, builder.load(I32, place, 4), 1, 0);
      }
      // An image is its descriptor, which lies among the arguments.
      if (argument.kind === "image") return place;
      // A struct by value: the kernel gets the address of the packed bytes and copies them itself.
      if (argument.kind === "value" && isPointer(type))
        return builder.convert(Op.ADDRSPACECAST, place, pointerType(PRIVATE));
      return builder.load(type, place, Math.min(16, Math.max(1, argument.alignment)));
    });
  }

  /** Group id, first global id and actual size of one axis. */
  private group(axis: number, id: Value): void {
    const { builder, hidden } = this;
    const known = this.kernel.specialization;
    const enqueued = hidden.get("enqueued", axis);
    const start = builder.same(Op.MUL, id, enqueued);
    hidden.set("group", axis, id);
    hidden.set("base", axis, builder.same(Op.ADD, start, hidden.get("offset", axis)));
    hidden.set(
      "size",
      axis,
      known?.uniformGroups === true
        ? enqueued
        : builder.same(Op.UMIN, enqueued, builder.same(Op.SUB, hidden.get("global", axis), start)),
    );
  }

  /** Loops over the work-items of a group, the vectorised axis innermost; `length` of them in a row. */
  private items(runner: RowRunner, length: Value = this.hidden.get("size", this.kernel.axis)): void {
    const { builder, hidden, kernel } = this;
    const others = AXES.filter((axis) => axis !== kernel.axis);
    const [first = 1, second = 2] = others;
    const [inner, outer] = runner.jam?.axis === second ? [second, first] : [first, second];
    countedLoop(
      builder,
      constantInt(I32, 0),
      hidden.get("size", outer),
      (o) => {
        hidden.set("local", outer, o);
        this.rows(inner, length, runner);
      },
      true,
    );
  }

  /** Loops over rows: as many at a time as run together, then the rest. */
  private rows(axis: number, length: Value, runner: RowRunner): void {
    const { builder, hidden } = this;
    const size = hidden.get("size", axis);
    const zero = constantInt(I32, 0);
    const { jam } = runner;
    const known = size.kind === "constant" ? size.low : null;
    const alone = (i: Value): void => {
      hidden.set("local", axis, i);
      this.row(length, runner);
    };
    if (jam === null || (known !== null && known < jam.rows)) {
      countedLoop(builder, zero, size, alone, true);
      return;
    }
    const { rows } = jam;
    const main =
      known === null ? builder.same(Op.AND, size, constantInt(I32, -rows)) : constantInt(I32, known - (known % rows));
    countedLoop(builder, zero, main, (i) => this.jammedRows(i, length, runner, jam), known !== null, rows);
    if (known === null || known % rows !== 0) countedLoop(builder, main, size, alone, known !== null);
  }

  /** The rows from the id `from` on, together where they pass the test, else one after the other. */
  private jammedRows(from: Value, length: Value, runner: RowRunner, { axis, rows, test, several }: JamRunner): void {
    const { builder, hidden, fn, kernel } = this;
    const each = (body: () => void): void => {
      countedLoop(
        builder,
        from,
        builder.same(Op.ADD, from, constantInt(I32, rows)),
        (i) => {
          this.setPlace(axis, i);
          body();
        },
        true,
      );
      hidden.set("local", axis, from);
    };
    hidden.set("local", axis, from);
    // Rows of which none has begun have no place along the vectors' axis yet.
    hidden.set("local", kernel.axis, constantInt(I32, 0));
    const together = (): void => this.row(length, { one: () => each(() => runner.one(hidden)), several, range: null });
    if (test === null) {
      together();
      return;
    }
    const [same, apart, out] = [fn.addBlock("rows.same"), fn.addBlock("rows.apart"), fn.addBlock("rows.end")];
    // The test takes nothing that differs within a row.
    hidden.set("linear", 0, linearId(builder, hidden));
    builder.conditionalBranch(test(hidden), same, apart);
    builder.block = same;
    together();
    builder.branch(out);
    builder.block = apart;
    hidden.set("local", kernel.axis, constantInt(I32, 0));
    each(() => this.row(length, runner));
    builder.branch(out);
    builder.block = out;
  }

  /** Sets an id in the group, and the linear one that follows. */
  private setPlace(axis: number, id: Value): void {
    const { builder, hidden } = this;
    hidden.set("local", axis, id);
    hidden.set("linear", 0, linearId(builder, hidden));
  }

  /** The work-items of a row that are run one by one or by vectors: all of them, or those that do more than the rest, for which one stands then. */
  private rowPlaces(length: Value, range: RangeRunner | null): IndexRange {
    const { builder, hidden, fn, kernel } = this;
    const zero = constantInt(I32, 0);
    if (range === null) return { from: zero, end: length };
    this.setPlace(kernel.axis, zero);
    const places = range.write(hidden, length);
    const [rest, out] = [fn.addBlock("row.rest"), fn.addBlock("row.range")];
    builder.conditionalBranch(builder.compare(Op.EQ, builder.same(Op.SUB, places.end, places.from), length), out, rest);
    builder.block = rest;
    range.outside(hidden);
    builder.branch(out);
    builder.block = out;
    return places;
  }

  /** Loops over a row of work-items: as many at a time as there are lanes, then the rest. */
  private row(size: Value, { one, several, range }: Omit<RowRunner, "jam">): void {
    const { builder, hidden, kernel } = this;
    const known = size.kind === "constant" ? size.low : null;
    const setPlace = (x: Value): void => this.setPlace(kernel.axis, x);
    const single = (x: Value): void => {
      setPlace(x);
      one(hidden);
    };
    const { from, end } = this.rowPlaces(size, range);
    const isWhole = range === null;
    if (several === null || (known !== null && known < several.width)) {
      countedLoop(builder, from, end, single, isWhole);
      return;
    }
    const { width, run } = several;
    const down = (value: Value): Value => builder.same(Op.AND, value, constantInt(I32, -width));
    const main = known === null ? down(size) : constantInt(I32, known - (known % width));
    // Vectors at the ends of a range may be in it in part.
    const mainEnd = isWhole
      ? main
      : builder.same(Op.UMIN, main, down(builder.same(Op.ADD, end, constantInt(I32, width - 1))));
    countedLoop(
      builder,
      isWhole ? from : down(from),
      mainEnd,
      (x) => {
        setPlace(x);
        run(hidden);
      },
      isWhole && known !== null,
      width,
    );
    if (known === null || known % width !== 0)
      countedLoop(builder, isWhole ? main : builder.same(Op.UMAX, main, from), end, single, isWhole && known !== null);
  }

  /** Rows of work-items through as many work-groups as follow one another. */
  private flatRows(
    values: readonly Value[],
    [nx, ny]: readonly [Value, Value],
    [bx, by, bz]: readonly [Value, Value, Value],
  ): void {
    const { builder, hidden, fn } = this;
    const runner = this.bodyRunner(values);
    const [head, inside, out] = [fn.addBlock("rows"), fn.addBlock("row"), fn.addBlock("rows.end")];
    const index = head.addParameter(I32, "index");
    const end = this.parameter(4);
    builder.branch(head, this.parameter(3));
    builder.block = head;
    builder.conditionalBranch(builder.compare(Op.ULT, index, end), inside, out);
    builder.block = inside;
    writePoll(builder, this.parameter(2), this.module);
    const row = builder.same(Op.UDIV, index, nx);
    const column = builder.same(Op.UREM, index, nx);
    const local = hidden.get("enqueued", 0);
    const chunk = builder.same(Op.UMAX, constantInt(I32, 1), builder.same(Op.UDIV, constantInt(I32, ROW_CHUNK), local));
    const groups = builder.same(
      Op.UMIN,
      builder.same(Op.UMIN, builder.same(Op.SUB, nx, column), builder.same(Op.SUB, end, index)),
      chunk,
    );
    this.group(0, builder.same(Op.ADD, bx, column));
    this.group(1, builder.same(Op.ADD, by, builder.same(Op.UREM, row, ny)));
    this.group(2, builder.same(Op.ADD, bz, builder.same(Op.UDIV, row, ny)));
    const start = builder.same(Op.MUL, hidden.get("group", 0), local);
    const items = builder.same(Op.MUL, groups, local);
    const isWhole = this.kernel.specialization?.uniformGroups === true;
    this.items(
      runner,
      isWhole ? items : builder.same(Op.UMIN, items, builder.same(Op.SUB, hidden.get("global", 0), start)),
    );
    builder.branch(head, builder.same(Op.ADD, index, groups));
    builder.block = out;
  }

  /** The body for all work-items of a group. */
  private runBody(values: readonly Value[]): void {
    const { body, vectorGroups } = this.kernel;
    if (vectorGroups === null || body === null) this.items(this.bodyRunner(values));
    else
      this.runSubGroups(
        vectorGroups,
        body,
        () => [...values, ...this.hidden.list],
        () => undefined,
      );
  }

  /** A function for all work-items of a group, a sub-group at a time; `after` gets the result of each. */
  private runSubGroups(
    plan: SubGroupPlan,
    source: IrFunction,
    given: () => Value[],
    after: (result: Value) => void,
  ): void {
    const { builder, hidden } = this;
    const forms = plan.forms.get(source);
    assert(forms !== undefined, "a form of each function");
    const { whole, masked } = forms;
    eachSubGroup({ builder, hidden, plan, specialization: this.kernel.specialization }, (members) => {
      if (members === null) {
        after(builder.call(whole.fn, given()));
        return;
      }
      assert(masked !== null, "a form for sub-groups that are not whole");
      after(builder.call(masked.fn, [...given(), members]));
    });
  }

  private bodyRunner(values: readonly Value[]): RowRunner {
    const { body } = this.kernel;
    assert(body !== null, "a kernel without barriers has a body");
    return this.runner(
      body,
      (hidden) => [...values, ...hidden.list],
      () => undefined,
    );
  }

  /** Runs a function for one work-item, and its vector form for several. `after` gets the result, which is a vector when work-items differ. */
  private runner(fn: IrFunction, given: (hidden: HiddenValues) => Value[], after: (result: Value) => void): RowRunner {
    const { builder, kernel } = this;
    const several = (forms: VectorVariants): SeveralRunner => ({
      width: forms.general.width,
      run: (hidden) => this.callForms(forms, given(hidden), after),
    });
    const [forms, jam, range] = [kernel.forms.get(fn), kernel.jams.get(fn), kernel.ranges.get(fn)];
    const test = jam?.writeTest ?? null;
    return {
      one: (hidden) => after(builder.call(fn, given(hidden))),
      several: forms === undefined ? null : several(forms),
      range:
        range === undefined
          ? null
          : {
              write: (hidden, length) => range.write(builder, given(hidden), length),
              outside: (hidden) => after(builder.call(range.outside, given(hidden))),
            },
      jam:
        jam === undefined
          ? null
          : {
              axis: jam.axis,
              rows: jam.rows,
              test: test === null ? null : (hidden) => test(builder, given(hidden)),
              several: several(jam.forms),
            },
    };
  }

  /** The form without masks where the vector passes its test, else the general one. */
  private callForms(
    { general, tested }: VectorVariants,
    given: readonly Value[],
    after: (result: Value) => void,
  ): void {
    const { builder, fn } = this;
    if (tested === null) {
      after(builder.call(general.fn, given));
      return;
    }
    const [inner, border, out] = [fn.addBlock("inner"), fn.addBlock("border"), fn.addBlock("vector.end")];
    builder.conditionalBranch(tested.writeTest(builder, given), inner, border);
    builder.block = inner;
    after(builder.call(tested.fn, given));
    builder.branch(out);
    builder.block = border;
    after(builder.call(general.fn, given));
    builder.branch(out);
    builder.block = out;
  }

  /** Runs region after region until all work-items are done. */
  private regions(plan: RegionPlan, values: readonly Value[], records: Records): void {
    const { builder } = this;
    const out = this.fn.addBlock("group.end");
    const starts = plan.regions.map((_, i) => this.fn.addBlock(`region.${i}`));
    const [first] = starts;
    assert(first !== undefined, "a kernel has a first region");
    const shared = plan.hasState ? null : this.sharedValues(plan);
    builder.branch(first);
    const startOf = (next: number): Block => (next === 0 ? out : (starts[next] ?? out));
    plan.regions.forEach((region, index) => {
      const start = starts[index];
      assert(start !== undefined, "a block for each region");
      builder.block = start;
      const next =
        shared === null
          ? this.statefulItems(plan, index, values, records)
          : this.agreedItems(plan, index, values, records, shared);
      // Where work-items wait at different places, any region may be the next to be run.
      const exits = shared === null ? starts.map((_, i) => i) : [...region.exits];
      const [only = 0, ...others] = exits.toSorted((a, b) => a - b);
      if (others.length === 0) builder.branch(startOf(only));
      else
        builder.switch(
          next,
          startOf(only),
          others.map((exit) => [exit, startOf(exit)]),
        );
    });
    builder.block = out;
  }

  /** Room for what the work-items of a group share. */
  private sharedValues({ sharedBytes }: RegionPlan): SharedValues {
    const make = (name: string): Value => entryVariable(this.fn, arrayType(I8, Math.max(sharedBytes, 1)), 16, name);
    return { given: make("given"), left: make("left") };
  }

  /** Where a record says which region comes next. */
  private state(records: Records, linear: Value): Value {
    return placeInRecord(this.builder, records, linear, STATE_PLACE);
  }

  /** Does a region's group operation for `count` work-items from the linear id `first` on; `limit` of them at the most (0: any number). */
  private operate(
    plan: RegionPlan,
    index: number,
    records: Records,
    first: Value,
    count: Value,
    limit: number,
    given: Value | null = null,
  ): void {
    const { builder, module } = this;
    const operation = plan.regions[index]?.operation;
    if (operation === null || operation === undefined) return;
    const members: Members = {
      builder,
      module,
      count,
      limit,
      record: (id) => builder.same(Op.ADD, first, id),
      address: (record, place) => placeInRecord(builder, records, record, place),
      shared: ({ offset }) => {
        assert(given !== null, "a place for shared values");
        return within(builder, given, offset);
      },
      takesPart: plan.hasState
        ? (record) => builder.compare(Op.EQ, builder.load(I32, this.state(records, record), 4), constantInt(I32, index))
        : null,
    };
    writeGroupOperation(members, operation);
  }

  /** One region for all work-items of a group that have agreed to come to it; gives the region that comes next. */
  private agreedItems(
    plan: RegionPlan,
    index: number,
    values: readonly Value[],
    records: Records,
    { given, left }: SharedValues,
  ): Value {
    const { builder, hidden } = this;
    this.operate(plan, index, records, constantInt(I32, 0), groupItems(builder, hidden, "size"), 0, given);
    const region = plan.regions[index];
    assert(region !== undefined, "a region");
    const next = this.variable("next");
    const taken = region.takes.map(({ type, alignment, offset }) =>
      builder.load(type, within(builder, given, offset), alignment),
    );
    const operands = (current: HiddenValues): Value[] => [
      ...values,
      ...current.list,
      ...regionOperands({ ...records, left, given: taken }),
    ];
    const after = (result: Value): Value =>
      builder.store(result.type.kind === "vector" ? builder.extract(result, 0) : result, next, 4);
    const { vectorGroups } = this.kernel;
    if (vectorGroups === null) this.items(this.runner(region.fn, operands, after));
    else this.runSubGroups(vectorGroups, region.fn, () => operands(hidden), after);
    // Every work-item has read what was given by now.
    for (const { type, alignment, offset } of region.leaves)
      builder.store(
        builder.load(type, within(builder, left, offset), alignment),
        within(builder, given, offset),
        alignment,
      );
    return builder.load(I32, next, 4);
  }

  /** One region for all work-items of a group that have come to it; gives the region that comes next. */
  private statefulItems(plan: RegionPlan, index: number, values: readonly Value[], records: Records): Value {
    const { builder, hidden } = this;
    this.operate(plan, index, records, constantInt(I32, 0), groupItems(builder, hidden, "size"), 0);
    const variable = this.variable("next");
    builder.store(constantInt(I32, 0), variable, 4);
    const region = plan.regions[index];
    assert(region !== undefined, "a region");
    const frame = { values, records };
    const { vectorGroups } = this.kernel;
    const own = vectorGroups?.forms.get(region.fn);
    if (vectorGroups !== null && own?.masked != null) {
      const { whole, masked } = own;
      eachSubGroup({ builder, hidden, plan: vectorGroups, specialization: this.kernel.specialization }, (members) =>
        this.regionVector({ index, whole, masked, members }, hidden, frame, variable),
      );
      return builder.load(I32, variable, 4);
    }
    const [forms, masked] = [this.kernel.forms.get(region.fn), this.kernel.masked.get(region.fn)];
    this.items({
      jam: null,
      range: null,
      one: (current) => this.regionItem(plan, index, current, frame, variable),
      several:
        forms === undefined || masked === undefined
          ? null
          : {
              width: masked.width,
              run: (current) =>
                this.regionVector({ index, whole: forms.general, masked, members: null }, current, frame, variable),
            },
    });
    return builder.load(I32, variable, 4);
  }

  /** One region for one work-item, if it has come to it; the region that comes next goes to its record and to `variable`. */
  private regionItem(
    plan: RegionPlan,
    index: number,
    current: HiddenValues,
    { values, records }: ItemFrame,
    variable: Value | null,
  ): void {
    const { builder } = this;
    const linear = current.get("linear");
    const region = plan.regions[index];
    assert(region !== undefined, "a region");
    const state = this.state(records, linear);
    const skip = this.fn.addBlock("item.end");
    if (index > 0) {
      const run = this.fn.addBlock("item.run");
      builder.conditionalBranch(
        builder.compare(Op.EQ, builder.load(I32, state, 4), constantInt(I32, index)),
        run,
        skip,
      );
      builder.block = run;
    }
    const result = builder.call(region.fn, [
      ...values,
      ...current.list,
      ...regionOperands({ ...records, left: records.live, given: [] }),
    ]);
    builder.store(result, state, 4);
    if (variable !== null) {
      const isDone = builder.compare(Op.EQ, result, constantInt(I32, 0));
      builder.store(builder.select(isDone, builder.load(I32, variable, 4), result), variable, 4);
    }
    builder.branch(skip);
    builder.block = skip;
  }

  /** One region for those work-items of a vector that have come to it; the regions that come next go to their records and to `variable`. */
  private regionVector(
    { index, whole, masked, members }: RegionForms,
    current: HiddenValues,
    { values, records }: ItemFrame,
    variable: Value,
  ): void {
    const { builder, fn } = this;
    const linear = current.get("linear");
    const { width } = masked;
    const type = vectorType(I32, width);
    const operands = [...values, ...current.list, ...regionOperands({ ...records, left: records.live, given: [] })];
    const state = this.state(records, linear);
    if (index === 0) {
      const first =
        members === null
          ? builder.call(whole.fn, operands)
          : builder.select(members, builder.call(masked.fn, [...operands, members]), constantZero(type));
      this.keepState(first, state, members);
      this.noteNext(first, variable, width);
      return;
    }
    const before = builder.load(type, state, 4);
    const waiting = builder.compare(Op.EQ, before, constantSplat(type, constantInt(I32, index)));
    const on = members === null ? waiting : builder.same(Op.AND, waiting, members);
    const [some, all, part, done, end] = ["some", "all", "part", "done", "vector.end"].map((name) => fn.addBlock(name));
    assert(
      some !== undefined && all !== undefined && part !== undefined && done !== undefined && end !== undefined,
      "five blocks",
    );
    const result = done.addParameter(type, "next");
    builder.conditionalBranch(builder.any(on), some, end);
    builder.block = some;
    builder.conditionalBranch(builder.all(on), all, part);
    builder.block = all;
    builder.branch(done, builder.call(whole.fn, operands));
    builder.block = part;
    builder.branch(done, builder.select(on, builder.call(masked.fn, [...operands, on]), before));
    builder.block = done;
    this.keepState(result, state, members);
    this.noteNext(builder.select(on, result, constantZero(type)), variable, width);
    builder.branch(end);
    builder.block = end;
  }

  /** Behind the work-items of the group there need not be room. */
  private keepState(result: Value, state: Value, members: Value | null): void {
    if (members === null) this.builder.store(result, state, 4);
    else this.builder.maskedStore(result, state, members, 4);
  }

  /** The last work-item that goes on decides which region is the next to be run. */
  private noteNext(results: Value, variable: Value, width: number): void {
    const { builder } = this;
    let next: Value = builder.load(I32, variable, 4);
    for (let lane = 0; lane < width; lane++) {
      const own = builder.extract(results, lane);
      next = builder.select(builder.compare(Op.EQ, own, constantInt(I32, 0)), next, own);
    }
    builder.store(next, variable, 4);
  }

  /** Sub-group after sub-group until all its work-items wait for the work-group or are done; then what the work-group waits for; and so on. */
  private subGroups(plan: RegionPlan, values: readonly Value[], records: Records): void {
    const { builder, hidden, fn } = this;
    const zero = constantInt(I32, 0);
    const [phase, out] = [fn.addBlock("phase"), fn.addBlock("group.end")];
    const entry = phase.addParameter(I32, "region");
    const next = this.variable("group.next");
    builder.branch(phase, zero);
    builder.block = phase;
    const items = groupItems(builder, hidden, "size");
    builder.store(zero, next, 4);
    countedLoop(
      builder,
      zero,
      subGroupCount(builder, hidden, items),
      (number) => {
        const first = builder.same(Op.MUL, number, hidden.get("subGroup"));
        const count = builder.same(Op.UMIN, hidden.get("subGroup"), builder.same(Op.SUB, items, first));
        const waitsFor = this.subGroup(plan, values, records, { entry, first, count });
        builder.store(
          builder.select(builder.compare(Op.EQ, waitsFor, zero), builder.load(I32, next, 4), waitsFor),
          next,
          4,
        );
      },
      true,
    );
    const released = builder.load(I32, next, 4);
    const operations = plan.regions.flatMap(({ operation }, i): [number, Block][] =>
      operation === null || i <= plan.subGroupRegions ? [] : [[i, fn.addBlock("group.operation")]],
    );
    const on = fn.addBlock("phase.next");
    builder.switch(released, on, [[0, out], ...operations]);
    for (const [index, block] of operations) {
      builder.block = block;
      this.operate(plan, index, records, zero, items, 0);
      builder.branch(phase, released);
    }
    builder.block = on;
    builder.branch(phase, released);
    builder.block = out;
  }

  /** Runs the work-items of a sub-group that wait at the region `entry`, and on; gives the region that they wait for as part of the work-group, 0 when all are done. */
  private subGroup(
    plan: RegionPlan,
    values: readonly Value[],
    records: Records,
    { entry, first, count }: { readonly entry: Value; readonly first: Value; readonly count: Value },
  ): Value {
    const { builder, fn } = this;
    const one = constantInt(I32, 1);
    const [run, choose, end] = [fn.addBlock("sub.run"), fn.addBlock("sub.choose"), fn.addBlock("sub.end")];
    const region = run.addParameter(I32, "region");
    const result = end.addParameter(I32, "waits.for");
    const starts = plan.regions.map((_, i) => fn.addBlock(`region.${i}`));
    builder.branch(run, entry);
    builder.block = run;
    const [start] = starts;
    assert(start !== undefined, "a kernel has a first region");
    builder.switch(
      region,
      start,
      starts.slice(1).map((block, i) => [i + 1, block]),
    );
    starts.forEach((block, index) => {
      builder.block = block;
      if (index <= plan.subGroupRegions) this.operate(plan, index, records, first, count, this.kernel.subGroupSize);
      countedLoop(
        builder,
        constantInt(I32, 0),
        count,
        (id) => {
          const linear = builder.same(Op.ADD, first, id);
          this.regionItem(plan, index, this.itemOf(linear), { values, records }, null);
        },
        true,
      );
      builder.branch(choose);
    });
    // The lowest region that any waits for is next: numbers are given so that those behind catch up first.
    builder.block = choose;
    const least = this.variable("least");
    builder.store(constantInt(I32, -1), least, 4);
    countedLoop(
      builder,
      constantInt(I32, 0),
      count,
      (id) => {
        const state = builder.load(I32, this.state(records, builder.same(Op.ADD, first, id)), 4);
        builder.store(builder.same(Op.UMIN, builder.load(I32, least, 4), builder.same(Op.SUB, state, one)), least, 4);
      },
      true,
    );
    const lowest = builder.load(I32, least, 4);
    const chosen = builder.same(Op.ADD, lowest, one);
    builder.conditionalBranch(
      builder.compare(Op.ULT, lowest, constantInt(I32, plan.subGroupRegions)),
      run,
      end,
      [chosen],
      [chosen],
    );
    builder.block = end;
    return result;
  }

  /** The hidden values of the work-item with a linear id. */
  private itemOf(linear: Value): HiddenValues {
    const { builder, hidden } = this;
    const [x, y] = [hidden.get("size", 0), hidden.get("size", 1)];
    const row = builder.same(Op.UDIV, linear, x);
    hidden.set("local", 0, builder.same(Op.UREM, linear, x));
    hidden.set("local", 1, builder.same(Op.UREM, row, y));
    hidden.set("local", 2, builder.same(Op.UDIV, row, y));
    hidden.set("linear", 0, linear);
    return hidden;
  }

  /** A variable of the wrapper; it becomes a value later. */
  private variable(name: string): Value {
    return entryVariable(this.fn, I32, 4, name);
  }
}

/** Writes the function that the runtime calls for a kernel. */
export function writeWrapper(kernel: WrappedKernel, module: Module): IrFunction {
  return new WrapperWriter(kernel, module).write();
}
