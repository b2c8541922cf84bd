// SPDX-License-Identifier: Apache-2.0
// The loops over the work-items of a group. The innermost one, over the vector row, is strip-mined by the vector width
// (Allen & Kennedy 2001): each strip is one run of the vectorised variant, whose lanes are the strip's work-items.
//
// A row of n work-items runs ⌊n / width⌋ times the vectorised variant, then the rest one by one (a scalar epilogue).
// Before that come two refinements that the vector plan may contain. Index-set splitting: only a range of the row does
// more than the rest, for which one work-item runs. Unroll-and-jam: several rows run together, in a variant that was
// jammed along a second dimension, where a test finds that they take the same branches. Where vectors run a variant
// behind a test, one test holds for as many vectors of the row as it reaches.
//
//     before:  for outer, for row, for x in [0, n): body
//     after:   for outer, for rows (step: rows that are jammed), for x in [from, main) step width: variant
//                                                                for x in [main, end): body
//
// Where sizes are constants, loops that cannot run and tests that are known are not written.
//
// Cost: a constant number of loops. With unroll-and-jam, the loops over a row are written up to three times: for rows
// that run together, for rows that diverge, and for the rows that are left.
import { Op, type Value } from "@muxkit/ir";
import type { IndexRange } from "@muxkit/vecz";

import { type WorkItemValues, linearId } from "../work-item-values.ts";
import { countedLoop } from "./counted-loop.ts";
import { AXES, type EntryFrame, index, setLocalId } from "./entry-frame.ts";

/** What is run for the work-items of a vector row. */
export interface RowRunner {
  /** Writes the code for one work-item, whose ids are the work-item values. */
  readonly one: (values: WorkItemValues) => void;
  /** True at run time where all run one by one, vectors or not; null: never. */
  readonly oneByOne: Value | null;
  /** Writes the code for several, of which the work-item values are the first's; null: there is none. */
  readonly several: SeveralRunner | null;
  /** The range of a row that must be run; null: all of it. */
  readonly range: RangeRunner | null;
  /** Writes the code for rows that run together; null: each runs by itself. */
  readonly unrollAndJam: UnrollAndJamRunner | null;
}

/** Finds the work-items of a row that do more than the rest, and runs the rest as one. */
interface RangeRunner {
  /** Writes the range of a row of so many, of which the work-item values are the first one's. */
  readonly write: (values: WorkItemValues, length: Value) => IndexRange;
  readonly outside: (values: WorkItemValues) => void;
}

/** Runs so many work-items of a row. */
export interface SeveralRunner {
  readonly width: number;
  readonly run: (values: WorkItemValues) => void;
  /** A test that holds for several vectors of a row at once; null: each is tested, or none. */
  readonly stretch: StretchRunner | null;
}

/** Runs vectors of which several in a row pass one test: the interior of a row, or one of many rows of 1-D ids. */
export interface StretchRunner {
  /** Writes the test for a vector. */
  readonly test: (values: WorkItemValues) => Value;
  /** Writes how many work-items pass it together with the current vector, which passes it. */
  readonly reach: (values: WorkItemValues) => Value;
  /** One vector that passes it, one that does not. */
  readonly inside: (values: WorkItemValues) => void;
  readonly outside: (values: WorkItemValues) => void;
}

/** Runs so many rows. */
interface UnrollAndJamRunner {
  readonly axis: number;
  readonly rows: number;
  /** Writes the test that rows must pass, given the work-item values of the first one; null: none is needed. */
  readonly test: ((values: WorkItemValues) => Value) | null;
  /** Several work-items of each row. */
  readonly several: SeveralRunner;
}

/** Loops over the work-items of a group, the vectorised axis innermost; `length` of them in a row. */
export function eachItem(frame: EntryFrame, runner: RowRunner, length: Value = rowLength(frame)): void {
  const { builder, values, kernel } = frame;
  const others = AXES.filter((axis) => axis !== kernel.vectors.axis);
  const [first = 1, second = 2] = others;
  const [inner, outer] = runner.unrollAndJam?.axis === second ? [second, first] : [first, second];
  countedLoop(
    builder,
    index(frame, 0),
    values.get("size", outer),
    (id) => {
      values.set("local", outer, id);
      eachRow(frame, inner, length, runner);
    },
    true,
  );
}

function rowLength({ kernel, values }: EntryFrame): Value {
  return values.get("size", kernel.vectors.axis);
}

/** Loops over rows: as many at a time as run together, then the rest. */
function eachRow(frame: EntryFrame, axis: number, length: Value, runner: RowRunner): void {
  const { builder, values } = frame;
  const size = values.get("size", axis);
  const zero = index(frame, 0);
  const { unrollAndJam } = runner;
  const known = size.kind === "constant" ? size.low : null;
  const alone = (id: Value): void => {
    values.set("local", axis, id);
    row(frame, length, runner);
  };
  if (unrollAndJam === null || (known !== null && known < unrollAndJam.rows)) {
    countedLoop(builder, zero, size, alone, true);
    return;
  }
  const { rows } = unrollAndJam;
  const main = known === null ? builder.same(Op.AND, size, index(frame, -rows)) : index(frame, known - (known % rows));
  countedLoop(builder, zero, main, (id) => jammedRows(frame, id, length, runner, unrollAndJam), known !== null, rows);
  if (known === null || known % rows !== 0) countedLoop(builder, main, size, alone, known !== null);
}

/** The rows from the id `from` on, together where they pass the test, else one after the other. */
function jammedRows(
  frame: EntryFrame,
  from: Value,
  length: Value,
  runner: RowRunner,
  { axis, rows, test, several }: UnrollAndJamRunner,
): void {
  const { builder, values, fn, kernel } = frame;
  const each = (body: () => void): void => {
    countedLoop(
      builder,
      from,
      builder.same(Op.ADD, from, index(frame, rows)),
      (id) => {
        setLocalId(frame, axis, id);
        body();
      },
      true,
    );
    values.set("local", axis, from);
  };
  values.set("local", axis, from);
  // Rows of which none has begun have no id along the vectors' axis yet.
  values.set("local", kernel.vectors.axis, index(frame, 0));
  const one = (): void => each(() => runner.one(values));
  const together = (): void => row(frame, length, { one, oneByOne: runner.oneByOne, several, range: null });
  if (test === null) {
    together();
    return;
  }
  const [same, apart, out] = [fn.addBlock("rows.same"), fn.addBlock("rows.apart"), fn.addBlock("rows.end")];
  // The test takes nothing that differs within a row.
  values.set("linear", 0, linearId(builder, values));
  builder.conditionalBranch(test(values), same, apart);
  builder.block = same;
  together();
  builder.branch(out);
  builder.block = apart;
  values.set("local", kernel.vectors.axis, index(frame, 0));
  each(() => row(frame, length, runner));
  builder.branch(out);
  builder.block = out;
}

/**
 * The work-items of a row that are run one by one or by vectors: all of them, or those that do more than the rest, for
 * which one runs here.
 */
function splitRange(frame: EntryFrame, length: Value, range: RowRunner["range"]): IndexRange {
  const { builder, values, fn, kernel } = frame;
  const zero = index(frame, 0);
  if (range === null) return { from: zero, end: length };
  setLocalId(frame, kernel.vectors.axis, zero);
  const places = range.write(values, length);
  const [rest, out] = [fn.addBlock("row.rest"), fn.addBlock("row.range")];
  builder.conditionalBranch(builder.compare(Op.EQ, builder.same(Op.SUB, places.end, places.from), length), out, rest);
  builder.block = rest;
  range.outside(values);
  builder.branch(out);
  builder.block = out;
  return places;
}

/** Loops over a vector row: as many at a time as there are lanes, then the rest. */
function row(frame: EntryFrame, size: Value, { one, oneByOne, several, range }: Omit<RowRunner, "unrollAndJam">): void {
  const { builder, values, kernel } = frame;
  const known = size.kind === "constant" ? size.low : null;
  const isChosen = oneByOne !== null;
  const single = (x: Value): void => {
    setLocalId(frame, kernel.vectors.axis, x);
    one(values);
  };
  const { from, end } = splitRange(frame, size, range);
  const isWhole = range === null;
  if (several === null || (known !== null && known < several.width)) {
    countedLoop(builder, from, end, single, isWhole);
    return;
  }
  const { width } = several;
  const down = (value: Value): Value => builder.same(Op.AND, value, index(frame, -width));
  const all = known === null ? down(size) : index(frame, known - (known % width));
  // No vectors at all, or as many as fit.
  const main = isChosen ? builder.select(oneByOne, index(frame, 0), all) : all;
  // Vectors at the ends of a range may be in it in part.
  const mainEnd = isWhole
    ? main
    : builder.same(Op.UMIN, main, down(builder.same(Op.ADD, end, index(frame, width - 1))));
  const isLong = known === null || known >= width * LONG_ROW;
  if (several.stretch !== null && isLong)
    stretches(frame, isWhole ? from : down(from), mainEnd, width, several.stretch);
  else
    countedLoop(
      builder,
      isWhole ? from : down(from),
      mainEnd,
      (x) => {
        setLocalId(frame, kernel.vectors.axis, x);
        several.run(values);
      },
      isWhole && known !== null && !isChosen,
      width,
    );
  if (known === null || known % width !== 0 || isChosen)
    countedLoop(
      builder,
      isWhole ? main : builder.same(Op.UMAX, main, from),
      end,
      single,
      isWhole && known !== null && !isChosen,
    );
}

/** Vectors of a row from which on it pays to find how far a test holds. */
const LONG_ROW = 8;

/**
 * Vectors from `from` to `end`. Where one passes the test, those after it run without one for as long as it holds: the
 * row falls into its edges, one vector at a time, and the stretches between.
 *
 *     for x in from..end: if test(x): do inside(x), x += width while x < reach
 *                         else: outside(x), x += width
 */
function stretches(frame: EntryFrame, from: Value, end: Value, width: number, runner: StretchRunner): void {
  const { builder, values, fn, kernel } = frame;
  const { axis } = kernel.vectors;
  const [head, some, inner, loop, border, out] = [
    fn.addBlock("stretch"),
    fn.addBlock("stretch.test"),
    fn.addBlock("inner"),
    fn.addBlock("inner.loop"),
    fn.addBlock("border"),
    fn.addBlock("stretch.end"),
  ];
  const first = head.addParameter(from.type, "i");
  builder.branch(head, from);
  builder.block = head;
  builder.conditionalBranch(builder.compare(Op.ULT, first, end), some, out);
  builder.block = some;
  setLocalId(frame, axis, first);
  builder.conditionalBranch(runner.test(values), inner, border);
  builder.block = inner;
  const count = builder.same(Op.UMIN, runner.reach(values), builder.same(Op.SUB, end, first));
  const until = builder.same(Op.ADD, first, builder.same(Op.AND, count, index(frame, -width)));
  const x = loop.addParameter(from.type, "i");
  builder.branch(loop, first);
  builder.block = loop;
  setLocalId(frame, axis, x);
  runner.inside(values);
  const next = builder.same(Op.ADD, x, index(frame, width));
  builder.conditionalBranch(builder.compare(Op.ULT, next, until), loop, head, [next], [next]);
  builder.block = border;
  setLocalId(frame, axis, first);
  runner.outside(values);
  builder.branch(head, builder.same(Op.ADD, first, index(frame, width)));
  builder.block = out;
}
