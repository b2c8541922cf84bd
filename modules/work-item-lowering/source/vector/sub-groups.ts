// SPDX-License-Identifier: Apache-2.0
// Sub-groups as vectors: forms of a kernel's functions with a lane for each work-item of a sub-group, along the linear local id, and the loops that run them.
import {
  type Builder,
  I32,
  type IrFunction,
  type Module,
  Op,
  type Value,
  constantInt,
  constantVector,
  vectorType,
} from "@muxkit/ir";
import type { MachineTarget } from "@muxkit/machine-target";
import { type ParameterFacts, VARYING, type VectorizeResult, costOf, vectorize } from "@muxkit/vecz";

import { type FormListener, calledForms } from "./called-variants.ts";
import { type HiddenValues, hiddenPosition } from "../work-item-parameters.ts";
import { countedLoop } from "../loops/counted-loop.ts";
import { groupItems, linearId } from "../lower-work-item-queries.ts";
import type { Specialization } from "../specialization.ts";
import {
  type Lie,
  type SubGroupForms,
  type SubGroupPlan,
  type VectorRemark,
  type VectorSource,
  trailingZeros,
} from "./vector-plan.ts";

/** Most lanes of a vector. */
const MOST_LANES = 64;

/** True for sizes of sub-groups that one vector can have. */
export function fitsVector(size: number): boolean {
  return size >= 2 && size <= MOST_LANES;
}

function lieOf(specialization: Specialization | null, width: number, hasState: boolean): Lie {
  if (specialization !== null) {
    const [x, y, z] = specialization.localSize;
    if (y * z === 1) return "rows";
    if (specialization.uniformGroups) return x % width === 0 ? "rows" : "across";
  }
  return hasState ? "across" : "either";
}

/** What is known of the parameters of a body or region whose lanes are a sub-group. */
function factsOf(
  { hiddenAt }: VectorSource,
  width: number,
  isAcross: boolean,
  specialization: Specialization | null,
): ReadonlyMap<number, ParameterFacts> {
  const zeros = Math.log2(width);
  const facts = new Map<number, ParameterFacts>([[hiddenAt + hiddenPosition("linear"), { shape: 1, lowZeros: zeros }]]);
  const { localSize } = specialization ?? { localSize: [0, 0, 0] };
  for (const axis of [0, 1, 2] as const) {
    if (isAcross && localSize[axis] !== 1)
      facts.set(hiddenAt + hiddenPosition("local", axis), { shape: VARYING, lowZeros: 0 });
    if (specialization?.zeroOffset === true)
      facts.set(hiddenAt + hiddenPosition("base", axis), { shape: 0, lowZeros: trailingZeros(localSize[axis]) });
  }
  if (!isAcross) facts.set(hiddenAt + hiddenPosition("local", 0), { shape: 1, lowZeros: zeros });
  return facts;
}

/** True where sub-groups may be smaller than the others of their group. */
function hasRest(specialization: Specialization | null, width: number): boolean {
  return (
    specialization === null ||
    !specialization.uniformGroups ||
    specialization.localSize.reduce((a, b) => a * b, 1) % width !== 0
  );
}

/** What decides about forms. */
export interface SubGroupLaunch {
  readonly specialization: Specialization | null;
  /** True when work-items may wait at different barriers of the work-group. */
  readonly hasState: boolean;
  /** Work-items of a sub-group. */
  readonly width: number;
  readonly machine: MachineTarget;
}

/** Makes the vector forms of a kernel's functions and adds them to the module; or says why one has none. */
export function planSubGroups(
  module: Module,
  sources: readonly VectorSource[],
  { specialization, hasState, width, machine }: SubGroupLaunch,
  onMade: FormListener,
): SubGroupPlan | Extract<VectorizeResult, { readonly ok: false }> {
  const lie = lieOf(specialization, width, hasState);
  const calls = calledForms(module, machine, width, onMade);
  const forms = new Map<IrFunction, SubGroupForms>();
  const remarks: VectorRemark[] = [];
  for (const source of sources) {
    const { fn } = source;
    const make = (isMasked: boolean): VectorizeResult =>
      vectorize(fn, {
        width,
        machine,
        axis: 0,
        parameters: factsOf(source, width, lie === "across" || (lie === "either" && isMasked), specialization),
        isMasked,
        returnsVector: hasState,
        isSubGroup: true,
        isTested: false,
        name: `${fn.name}.s${width}${isMasked ? ".masked" : ""}`,
        vectorCall: (callee, vectors, masked) => calls.find(callee, vectors, masked),
      });
    const whole = make(false);
    const masked = !hasRest(specialization, width) && !hasState ? null : make(true);
    if (!whole.ok) return whole;
    if (masked?.ok === false) return masked;
    const made = { whole: whole.variants.general, masked: masked === null ? null : masked.variants.general };
    forms.set(fn, made);
    remarks.push({
      fn,
      result: whole,
      masked: made.masked,
      isTaken: true,
      reason: "sub-groups",
      scalarCost: costOf(fn, machine),
      vectorCost: made.whole.cost / width,
      jam: null,
    });
  }
  for (const [source, { whole, masked }] of forms) {
    for (const form of masked === null ? [whole] : [whole, masked]) {
      module.addFunction(form.fn);
      onMade(form.fn, source);
    }
  }
  return { width, lie, forms, remarks };
}

/** Where loops over sub-groups are written. */
export interface SubGroupLoops {
  readonly builder: Builder;
  readonly hidden: HiddenValues;
  readonly plan: SubGroupPlan;
  readonly specialization: Specialization | null;
}

/** Lanes of a sub-group that are work-items of the group. */
export function membersFrom(builder: Builder, first: Value, items: Value, width: number): Value {
  const type = vectorType(I32, width);
  const lanes = constantVector(
    type,
    Array.from({ length: width }, (_, lane) => constantInt(I32, lane)),
  );
  return builder.compare(Op.ULT, lanes, builder.splat(builder.same(Op.SUB, items, first), width));
}

/** Runs code for each sub-group of a work-group, with the hidden values of its work-items. `run` gets the mask of those that there are; null: all. */
export function eachSubGroup(loops: SubGroupLoops, run: (members: Value | null) => void): void {
  const {
    builder,
    hidden,
    specialization,
    plan: { lie, width },
  } = loops;
  const { owner } = builder.block;
  const isRagged = hasRest(specialization, width);
  const zero = constantInt(I32, 0);
  const items = groupItems(builder, hidden, "size");
  const main = builder.same(Op.AND, items, constantInt(I32, -width));
  if (lie === "across") {
    countedLoop(
      builder,
      zero,
      isRagged ? main : items,
      (first) => {
        setAcross(loops, first);
        run(null);
      },
      false,
      width,
    );
    if (isRagged)
      part(builder, main, items, () => {
        setAcross(loops, main);
        run(membersFrom(builder, main, items, width));
      });
    return;
  }
  if (lie === "rows") {
    rows(loops, run);
    if (isRagged)
      part(builder, main, items, () => {
        setPlace(hidden, [main, zero, zero], main);
        run(membersFrom(builder, main, items, width));
      });
    return;
  }
  const isOneRow = builder.compare(
    Op.EQ,
    builder.same(Op.MUL, hidden.get("size", 1), hidden.get("size", 2)),
    constantInt(I32, 1),
  );
  const isWhole = builder.compare(
    Op.EQ,
    builder.same(Op.AND, hidden.get("size", 0), constantInt(I32, width - 1)),
    zero,
  );
  const inRows = builder.same(Op.OR, isOneRow, isWhole);
  const [along, rest] = [owner.addBlock("rows"), owner.addBlock("rest")];
  builder.conditionalBranch(inRows, along, rest);
  builder.block = along;
  rows(loops, run);
  builder.branch(rest);
  builder.block = rest;
  countedLoop(
    builder,
    builder.select(inRows, main, zero),
    items,
    (first) => {
      setAcross(loops, first);
      run(membersFrom(builder, first, items, width));
    },
    false,
    width,
  );
}

/** Code that is run where `from` is below `end`. */
function part(builder: Builder, from: Value, end: Value, write: () => void): void {
  const { owner } = builder.block;
  const [some, out] = [owner.addBlock("rest"), owner.addBlock("rest.end")];
  builder.conditionalBranch(builder.compare(Op.ULT, from, end), some, out);
  builder.block = some;
  write();
  builder.branch(out);
  builder.block = out;
}

function setPlace(hidden: HiddenValues, local: readonly Value[], linear: Value): void {
  local.forEach((id, axis) => hidden.set("local", axis, id));
  hidden.set("linear", 0, linear);
}

/** Whole sub-groups that lie in rows. */
function rows({ builder, hidden, plan: { width } }: SubGroupLoops, run: (members: null) => void): void {
  const zero = constantInt(I32, 0);
  const end = builder.same(Op.AND, hidden.get("size", 0), constantInt(I32, -width));
  countedLoop(builder, zero, hidden.get("size", 2), (z) => {
    countedLoop(builder, zero, hidden.get("size", 1), (y) => {
      countedLoop(
        builder,
        zero,
        end,
        (x) => {
          setPlace(hidden, [x, y, z], zero);
          hidden.set("linear", 0, linearId(builder, hidden));
          run(null);
        },
        false,
        width,
      );
    });
  });
}

/** The hidden values of a sub-group that may go over the ends of rows: ids are vectors where work-items differ. */
function setAcross({ builder, hidden, plan: { width }, specialization }: SubGroupLoops, first: Value): void {
  const zero = constantInt(I32, 0);
  const one = constantInt(I32, 1);
  const sizes = [hidden.get("size", 0), hidden.get("size", 1)] as const;
  const row = builder.same(Op.UDIV, first, sizes[0]);
  let [x, y, z]: [Value, Value, Value] = [
    builder.same(Op.UREM, first, sizes[0]),
    builder.same(Op.UREM, row, sizes[1]),
    builder.same(Op.UDIV, row, sizes[1]),
  ];
  const lanes: [Value[], Value[], Value[]] = [[x], [y], [z]];
  /** The next id of an axis, and whether it begins anew. */
  const next = (id: Value, isStep: Value | null, size: Value): readonly [id: Value, isNew: Value] => {
    const after = builder.same(Op.ADD, id, isStep === null ? one : builder.convert(Op.ZEXT, isStep, I32));
    const isNew = builder.compare(Op.EQ, after, size);
    return [builder.select(isNew, zero, after), isNew];
  };
  for (let lane = 1; lane < width; lane++) {
    const [nextX, isNewRow] = next(x, null, sizes[0]);
    const [nextY, isNewPlane] = next(y, isNewRow, sizes[1]);
    [x, y, z] = [nextX, nextY, builder.same(Op.ADD, z, builder.convert(Op.ZEXT, isNewPlane, I32))];
    [x, y, z].forEach((id, axis) => lanes[axis]?.push(id));
  }
  setPlace(
    hidden,
    lanes.map((list, axis) => (specialization?.localSize[axis] === 1 ? zero : builder.build(list))),
    first,
  );
}
