// SPDX-License-Identifier: Apache-2.0
// The semantics of each rule of the op table: a table from rule to a function on machine, work-item and frame. What ops
// compute on values is `evaluate.ts` of @muxkit/ir, which folds constants too; here is what needs a machine: memory,
// control flow, queries, convergence points.
//
// The interpreter is table-driven: prepare.ts looks the function of each instruction up once and numbers its operands
// as slots of the frame, so a step at run time is one call. A register is a bigint of the lane's bits, or a list of
// them for a vector. Each memory access finds its region and is checked for bounds and address space, and for alignment
// where that is requested; what is wrong is a `Fault`.
//
// A branch is a parallel copy: all values of the edge are read before any parameter of the target is written. Barriers
// and group operations make the work-item wait at its position, and so do latches of loops in functions with
// non-uniform group operations; groups.ts finds which of the waiting ones continue and writes the results. Work-items
// run one after the other between these points, so an atomic operation is a plain load, an operation and a store.
//
// Cost: a step is linear in its lanes, with a search of the regions for each access; copies and fills are linear in
// their bytes.
import { InternalError, at } from "@muxkit/cargo";
import {
  type AtomicKind,
  type LaneOperation,
  NON_UNIFORM,
  Op,
  type OpRule,
  type Type,
  combinationOf,
  laneCount,
  laneOperation,
  permutedLane,
  recastLanes,
  reduceLanes,
  scalarOf,
} from "@muxkit/ir";

import { Fault } from "./error.ts";
import type { Machine } from "./machine.ts";
import type { Region } from "./memory.ts";
import type { Edge, Step } from "./prepare.ts";
import { answer } from "./queries.ts";
import {
  type Register,
  constantRegister,
  fromLanes,
  laneBits,
  laneBytes,
  lanes,
  readRegister,
  scalar,
  writeRegister,
} from "./register.ts";
import type { Frame, Wait, WorkItem } from "./work-item.ts";

/** Runs one instruction. */
export type Execute = (machine: Machine, item: WorkItem, frame: Frame, step: Step) => void;

/** The register of operand `i`. */
function operand({ registers }: Frame, { operands }: Step, i: number): Register {
  return at(registers, at(operands, i));
}

function typeOf({ instruction }: Step, i: number): Type {
  return at(instruction.operands, i).type;
}

const laneWise: Execute = (_machine, _item, frame, step) => {
  const { compute, operands, slot } = step;
  if (compute === null) throw new InternalError("an op without a lane operation", ["interpreter"]);
  const first = operand(frame, step, 0);
  if (typeof first === "bigint") {
    const second = operands.length > 1 ? scalar(operand(frame, step, 1)) : 0n;
    frame.registers[slot] = compute(first, second, operands.length > 2 ? scalar(operand(frame, step, 2)) : 0n);
    return;
  }
  const lists = operands.map((number) => lanes(at(frame.registers, number)));
  const [a = [], b = [], c = []] = lists;
  frame.registers[slot] = fromLanes(
    step.instruction.type,
    a.map((lane, i) => compute(lane, b[i] ?? 0n, c[i] ?? 0n)),
  );
};

const bitcast: Execute = ({ layout }, _item, frame, step) => {
  const { type } = step.instruction;
  const list = recastLanes(lanes(operand(frame, step, 0)), laneBits(layout, typeOf(step, 0)), laneBits(layout, type));
  frame.registers[step.slot] = fromLanes(type, list);
};

const select: Execute = (_machine, _item, frame, step) => {
  const condition = operand(frame, step, 0);
  const whenTrue = operand(frame, step, 1);
  const whenFalse = operand(frame, step, 2);
  if (typeof condition === "bigint") frame.registers[step.slot] = condition === 1n ? whenTrue : whenFalse;
  else frame.registers[step.slot] = condition.map((lane, i) => at(lanes(lane === 1n ? whenTrue : whenFalse), i));
};

const splat: Execute = (_machine, _item, frame, step) => {
  const lane = scalar(operand(frame, step, 0));
  frame.registers[step.slot] = Array.from({ length: step.instruction.type.count }, () => lane);
};

const build: Execute = (_machine, _item, frame, step) => {
  frame.registers[step.slot] = step.operands.map((number) => scalar(at(frame.registers, number)));
};

/** A lane index, counted modulo the lanes. */
function laneIndex(index: Register, count: number): number {
  return Number(scalar(index) % BigInt(count));
}

const extract: Execute = (_machine, _item, frame, step) => {
  const list = lanes(operand(frame, step, 0));
  frame.registers[step.slot] = at(list, laneIndex(operand(frame, step, 1), list.length));
};

const insert: Execute = (_machine, _item, frame, step) => {
  const list = lanes(operand(frame, step, 0));
  const index = laneIndex(operand(frame, step, 2), list.length);
  frame.registers[step.slot] = list.with(index, scalar(operand(frame, step, 1)));
};

const shuffle: Execute = (_machine, _item, frame, step) => {
  const both = [...lanes(operand(frame, step, 0)), ...lanes(operand(frame, step, 1))];
  frame.registers[step.slot] = step.instruction.lanes.map((lane) => (lane < 0 ? 0n : at(both, lane)));
};

const permute: Execute = (_machine, _item, frame, step) => {
  const list = lanes(operand(frame, step, 0));
  frame.registers[step.slot] = lanes(operand(frame, step, 1)).map((index, i) =>
    at(list, permutedLane(i, index, step.instruction.scale, list.length)),
  );
};

const alloca: Execute = (machine, _item, frame, step) => {
  const { instruction } = step;
  const region = machine.variable(instruction);
  frame.regions.push(region);
  frame.registers[step.slot] = BigInt(region.base);
};

/** The bytes of an access: their region, and the offset in it. */
interface Location {
  readonly region: Region;
  readonly offset: number;
}

/** The bytes that operand `pointer` points to. */
function access(
  machine: Machine,
  frame: Frame,
  step: Step,
  pointer: number,
  size: number,
  alignment: number,
  isStore: boolean,
): Location {
  return accessAt(
    machine,
    typeOf(step, pointer),
    Number(scalar(operand(frame, step, pointer))),
    size,
    alignment,
    isStore,
  );
}

/** The bytes at an address; `type` is the pointer's. */
function accessAt(
  machine: Machine,
  type: Type,
  address: number,
  size: number,
  alignment: number,
  isStore: boolean,
): Location {
  const region = machine.memory.find(address, size, type.addressSpace, isStore);
  if (machine.options.checkAlignment && address % alignment !== 0)
    throw new Fault(
      "misaligned",
      `address ${address} (byte ${address - region.base} of ${region.name}) is not aligned to ${alignment} bytes ` +
        "as promised",
    );
  return { region, offset: address - region.base };
}

/** Bytes that a load or store touches: the lanes, without the room of a fourth. */
function touched(machine: Machine, type: Type): number {
  return laneBytes(machine.layout, type) * laneCount(type);
}

const load: Execute = (machine, _item, frame, step) => {
  const { type, alignment } = step.instruction;
  const { region, offset } = access(machine, frame, step, 0, touched(machine, type), alignment, false);
  frame.registers[step.slot] = readRegister(machine.layout, type, region.view, offset);
};

const store: Execute = (machine, _item, frame, step) => {
  const type = typeOf(step, 0);
  const { region, offset } = access(machine, frame, step, 1, touched(machine, type), step.instruction.alignment, true);
  writeRegister(machine.layout, type, region.view, offset, operand(frame, step, 0));
};

const address: Execute = ({ layout }, _item, frame, step) => {
  const { type, scale, offset } = step.instruction;
  const bases = lanes(operand(frame, step, 0));
  const indices = step.operands.length > 1 ? lanes(operand(frame, step, 1)) : [0n];
  const indexBits = step.operands.length > 1 ? laneBits(layout, typeOf(step, 1)) : 64;
  // A scalar counts for every lane.
  const list = Array.from(
    { length: laneCount(type) },
    (_, i) =>
      (bases[i] ?? at(bases, 0)) +
      BigInt.asIntN(indexBits, indices[i] ?? at(indices, 0)) * BigInt(scale) +
      BigInt(offset),
  );
  frame.registers[step.slot] = fromLanes(
    type,
    list.map((bits) => BigInt.asUintN(laneBits(layout, type), bits)),
  );
};

function isOn(lane: bigint): boolean {
  return lane === 1n;
}

const vote: Execute = (_machine, _item, frame, step) => {
  const list = lanes(operand(frame, step, 0));
  frame.registers[step.slot] = (step.instruction.op === Op.ANY ? list.some(isOn) : list.every(isOn)) ? 1n : 0n;
};

const reduce: Execute = ({ layout }, _item, frame, step) => {
  const { type, atomicKind } = step.instruction;
  const bits = laneBits(layout, type);
  const compute = laneOperation(combinationOf(atomicKind, bits).op, bits, bits);
  if (compute === null) throw new InternalError(`no lanes are combined by ${atomicKind}`, ["interpreter"]);
  frame.registers[step.slot] = reduceLanes(lanes(operand(frame, step, 0)), (a, b) => compute(a, b, 0n));
};

const addressSpace: Execute = (machine, _item, frame, step) => {
  frame.registers[step.slot] = BigInt(machine.memory.spaceOf(Number(scalar(operand(frame, step, 0)))));
};

const globalAddress: Execute = (machine, item, frame, step) => {
  const { symbol } = step.instruction;
  if (symbol?.kind !== "global") throw new InternalError("global_address without a global", ["interpreter"]);
  frame.registers[step.slot] = BigInt(machine.globalRegion(symbol, item).base);
};

/**
 * The bytes of a masked access, for each lane of the mask that is set: by a vector of pointers (gather, scatter), or by
 * one pointer to consecutive lanes (masked load and store).
 */
function locationsOf(
  machine: Machine,
  frame: Frame,
  step: Step,
  moved: Type,
  pointer: number,
  isStore: boolean,
): readonly (Location | null)[] {
  const { alignment } = step.instruction;
  const type = typeOf(step, pointer);
  const bytes = laneBytes(machine.layout, moved);
  const mask = lanes(operand(frame, step, pointer + 1));
  const addresses = lanes(operand(frame, step, pointer)).map(Number);
  const [first = 0] = addresses;
  const isSpread = type.kind === "vector";
  const size = isSpread ? (laneCount(moved) / mask.length) * bytes : bytes;
  const promised = isSpread ? alignment : Math.min(alignment, bytes);
  return mask.map((lane, i) =>
    lane === 1n
      ? accessAt(machine, scalarOf(type), isSpread ? at(addresses, i) : first + i * bytes, size, promised, isStore)
      : null,
  );
}

const loadLanes: Execute = (machine, _item, frame, step) => {
  const { layout } = machine;
  const { type } = step.instruction;
  const locations = locationsOf(machine, frame, step, type, 0, false);
  const bytes = laneBytes(layout, type);
  const each = laneCount(type) / locations.length;
  const none = Array.from({ length: each }, () => 0n);
  frame.registers[step.slot] = locations.flatMap((location) =>
    location === null
      ? none
      : none.map((_, i) =>
          scalar(readRegister(layout, scalarOf(type), location.region.view, location.offset + i * bytes)),
        ),
  );
};

const storeLanes: Execute = (machine, _item, frame, step) => {
  const { layout } = machine;
  const type = typeOf(step, 0);
  const values = lanes(operand(frame, step, 0));
  const locations = locationsOf(machine, frame, step, type, 1, true);
  const bytes = laneBytes(layout, type);
  const each = values.length / locations.length;
  locations.forEach((location, lane) => {
    if (location === null) return;
    for (let i = 0; i < each; i++)
      writeRegister(
        layout,
        scalarOf(type),
        location.region.view,
        location.offset + i * bytes,
        at(values, lane * each + i),
      );
  });
};

const memoryCopy: Execute = (machine, _item, frame, step) => {
  const size = Number(scalar(operand(frame, step, 2)));
  if (size === 0) return;
  const { alignment } = step.instruction;
  const target = access(machine, frame, step, 0, size, alignment, true);
  const source = access(machine, frame, step, 1, size, alignment, false);
  const distance = Math.abs(target.offset - source.offset);
  if (target.region === source.region && distance !== 0 && distance < size)
    throw new Fault("overlap", `copies ${size} bytes within ${target.region.name} between ranges that overlap`);
  target.region.bytes.set(source.region.bytes.subarray(source.offset, source.offset + size), target.offset);
};

const memoryFill: Execute = (machine, _item, frame, step) => {
  const size = Number(scalar(operand(frame, step, 2)));
  if (size === 0) return;
  const { region, offset } = access(machine, frame, step, 0, size, step.instruction.alignment, true);
  region.bytes.fill(Number(scalar(operand(frame, step, 1))), offset, offset + size);
};

const ATOMIC_OPS: { readonly [K in Exclude<AtomicKind, "exchange">]: number } = {
  add: Op.ADD,
  sub: Op.SUB,
  and: Op.AND,
  or: Op.OR,
  xor: Op.XOR,
  smin: Op.SMIN,
  smax: Op.SMAX,
  umin: Op.UMIN,
  umax: Op.UMAX,
  fadd: Op.FADD,
  fmin: Op.FMIN,
  fmax: Op.FMAX,
  mul: Op.MUL,
  fmul: Op.FMUL,
};

/** Atomic accesses are aligned to their size. */
function atomicAccess(
  machine: Machine,
  frame: Frame,
  step: Step,
  pointer: number,
  type: Type,
  isStore: boolean,
): { readonly region: Region; readonly offset: number } {
  const size = touched(machine, type);
  return access(machine, frame, step, pointer, size, size, isStore);
}

const atomicLoad: Execute = (machine, _item, frame, step) => {
  const { type } = step.instruction;
  const { region, offset } = atomicAccess(machine, frame, step, 0, type, false);
  frame.registers[step.slot] = readRegister(machine.layout, type, region.view, offset);
};

const atomicStore: Execute = (machine, _item, frame, step) => {
  const type = typeOf(step, 0);
  const { region, offset } = atomicAccess(machine, frame, step, 1, type, true);
  writeRegister(machine.layout, type, region.view, offset, operand(frame, step, 0));
};

const atomicRmw: Execute = (machine, _item, frame, step) => {
  const { type, atomicKind } = step.instruction;
  const { region, offset } = atomicAccess(machine, frame, step, 0, type, true);
  const old = scalar(readRegister(machine.layout, type, region.view, offset));
  const given = scalar(operand(frame, step, 1));
  const bits = laneBits(machine.layout, type);
  const compute: LaneOperation | null =
    atomicKind === "exchange" ? (_old, value) => value : laneOperation(ATOMIC_OPS[atomicKind], bits, bits);
  if (compute === null) throw new InternalError(`no atomic ${atomicKind}`, ["interpreter"]);
  writeRegister(machine.layout, type, region.view, offset, compute(old, given, 0n));
  frame.registers[step.slot] = old;
};

const atomicCompareExchange: Execute = (machine, _item, frame, step) => {
  const { type } = step.instruction;
  const { region, offset } = atomicAccess(machine, frame, step, 0, type, true);
  const old = scalar(readRegister(machine.layout, type, region.view, offset));
  if (old === operand(frame, step, 1))
    writeRegister(machine.layout, type, region.view, offset, operand(frame, step, 2));
  frame.registers[step.slot] = old;
};

const query: Execute = (machine, item, frame, step) => {
  const { op, type } = step.instruction;
  const dimension = step.operands.length > 0 ? scalar(operand(frame, step, 0)) : null;
  frame.registers[step.slot] = BigInt.asUintN(laneBits(machine.layout, type), answer(op, item, dimension));
};

/** Makes a work-item wait; `position` is that of its innermost frame. */
function wait(
  item: WorkItem,
  { instruction, scope, isUniform, step }: Omit<Wait, "position">,
  position: readonly [order: number, next: number],
): void {
  item.state = "waiting";
  item.wait = {
    instruction,
    scope,
    isUniform,
    step,
    position: [...item.frames.slice(0, -1).flatMap(({ order, next }) => [order, next]), ...position],
  };
}

function takesAll({ instruction }: Step): boolean {
  return (instruction.flags & NON_UNIFORM) === 0;
}

const barrier: Execute = (_machine, item, frame, step) => {
  const { instruction } = step;
  if (instruction.scope === "work_item") return;
  wait(
    item,
    {
      instruction,
      scope: instruction.scope === "sub_group" ? "sub_group" : "work_group",
      isUniform: takesAll(step),
      step: null,
    },
    [frame.order, frame.next],
  );
};

/** The result is written when all have arrived, see groups.ts. */
const groupOperation: Execute = (_machine, item, frame, step) => {
  const { instruction } = step;
  wait(
    item,
    {
      instruction,
      scope: instruction.scope === "sub_group" ? "sub_group" : "work_group",
      isUniform: takesAll(step),
      step,
    },
    [frame.order, frame.next],
  );
};

const call: Execute = (machine, item, frame, step) => {
  const { symbol } = step.instruction;
  if (symbol?.kind !== "function") throw new InternalError("call without a function", ["interpreter"]);
  machine.call(
    item,
    symbol,
    step.operands.map((number) => at(frame.registers, number)),
    step.slot,
  );
};

const callBuiltin: Execute = (machine, item, frame, step) => {
  machine.callBuiltin(
    item,
    frame,
    step,
    step.operands.map((number) => at(frame.registers, number)),
  );
};

const specConstant: Execute = (machine, _item, frame, step) => {
  const given = machine.options.specialization.get(step.instruction.offset);
  frame.registers[step.slot] = given === undefined ? operand(frame, step, 0) : constantRegister(given);
};

/** Goes along an edge: all values are read before any parameter is written. */
function follow(item: WorkItem, frame: Frame, { instruction }: Step, { target, from, to, latch }: Edge): void {
  const values = from.map((slot) => at(frame.registers, slot));
  to.forEach((slot, i) => {
    frame.registers[slot] = at(values, i);
  });
  frame.steps = target.steps;
  frame.order = target.order;
  frame.next = 0;
  if (latch !== null) wait(item, { instruction, scope: "sub_group", isUniform: false, step: null }, [latch, 0]);
}

const branch: Execute = (_machine, item, frame, step) => {
  follow(item, frame, step, at(step.edges, 0));
};

const conditionalBranch: Execute = (_machine, item, frame, step) => {
  follow(item, frame, step, at(step.edges, operand(frame, step, 0) === 1n ? 0 : 1));
};

const switchOver: Execute = (_machine, item, frame, step) => {
  const { bits } = typeOf(step, 0);
  const value = operand(frame, step, 0);
  const found = step.instruction.lanes.findIndex((lane) => BigInt.asUintN(bits, BigInt(lane)) === value);
  follow(item, frame, step, at(step.edges, found + 1));
};

const doReturn: Execute = (machine, item, frame, step) => {
  machine.return(item, frame, step.operands.length > 0 ? operand(frame, step, 0) : null);
};

const trap: Execute = () => {
  throw new Fault("trap", "control came to where the program says that it does not");
};

const nothing: Execute = () => undefined;

/** What each rule does. */
export const RULES: { readonly [K in OpRule]: Execute } = {
  "unary-int": laneWise,
  "unary-float": laneWise,
  "binary-int": laneWise,
  "binary-float": laneWise,
  "ternary-float": laneWise,
  shift: laneWise,
  "compare-int": laneWise,
  "compare-float": laneWise,
  convert: laneWise,
  "address-space": addressSpace,
  bitcast,
  select,
  splat,
  build,
  extract,
  insert,
  shuffle,
  permute,
  "lanes-vote": vote,
  "lanes-reduce": reduce,
  alloca,
  load,
  store,
  address,
  "global-address": globalAddress,
  "memory-copy": memoryCopy,
  "memory-fill": memoryFill,
  "masked-load": loadLanes,
  "masked-store": storeLanes,
  gather: loadLanes,
  scatter: storeLanes,
  "atomic-load": atomicLoad,
  "atomic-store": atomicStore,
  "atomic-rmw": atomicRmw,
  "atomic-compare-exchange": atomicCompareExchange,
  fence: nothing,
  "work-item": query,
  "work-item-dimension": query,
  barrier,
  "group-vote": groupOperation,
  "group-pick": groupOperation,
  "group-first": groupOperation,
  "group-ballot": groupOperation,
  "group-reduce": groupOperation,
  "group-scan": groupOperation,
  call,
  "call-builtin": callBuiltin,
  "debug-value": nothing,
  "spec-constant": specConstant,
  branch,
  "conditional-branch": conditionalBranch,
  switch: switchOver,
  return: doReturn,
  unreachable: trap,
};
