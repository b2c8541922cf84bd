// SPDX-License-Identifier: Apache-2.0
// Control flow: blocks, branches, phis, calls, returns. The IR needs no structure, so merge instructions only say how
// often a loop may be unrolled. A switch on 64 bits compares the upper halves, then switches on the lower one.
import { I1, I32, I64, Op, UNROLL_FULLY, type Value, constantInt } from "@muxkit/ir";

import { enumerant } from "../grammar/tables.ts";
import type { HandlerTable } from "./arithmetic.ts";
import type { FunctionReader } from "./function-reader.ts";
import { callImported } from "./imported-builtins.ts";
import type { Operand } from "./operand.ts";
import { loadFrom, storeTo } from "./memory.ts";
import { hiddenValues } from "./shader/entry.ts";
import { layoutOf, leavesOf } from "./types.ts";

const UNROLL = enumerant("LoopControl", "Unroll");
const DONT_UNROLL = enumerant("LoopControl", "DontUnroll");
const PARTIAL_COUNT = enumerant("LoopControl", "PartialCount");
/** Bits of LoopControl before PartialCount that have a number. */
const WITH_NUMBER = [0x8, 0x10, 0x20, 0x40, 0x80];

function loopMerge(f: FunctionReader): undefined {
  const control = f.i.word(2);
  const block = f.block(f.label);
  if ((control & DONT_UNROLL) !== 0) block.unroll = 1;
  else if ((control & PARTIAL_COUNT) !== 0) {
    const before = WITH_NUMBER.filter((bit) => (control & bit) !== 0).length;
    block.unroll = Math.min(Math.max(1, f.i.word(3 + before)), UNROLL_FULLY - 1);
  } else if ((control & UNROLL) !== 0) block.unroll = UNROLL_FULLY;
}

function branchConditional(f: FunctionReader): undefined {
  const { i } = f;
  const condition = f.arg(0);
  if (condition.type !== I1) f.refuse("the condition must be one truth value");
  const [yes, no] = [i.word(1), i.word(2)];
  f.addEdges(f.b.conditionalBranch(condition, f.block(yes), f.block(no)), [yes, no]);
}

/** Cases of a switch: literals as wide as the selector, and labels. */
function casesOf(
  f: FunctionReader,
  width: number,
): { readonly high: number; readonly low: number; readonly label: number }[] {
  const cases = [];
  for (let n = 2; n < f.i.count; n += width + 1)
    cases.push({ low: f.i.word(n), high: width > 1 ? f.i.word(n + 1) : 0, label: f.i.word(n + width) });
  return cases;
}

function switchOn(f: FunctionReader): undefined {
  const { i } = f;
  const selector = f.zeroExtended(0);
  const otherwise = i.word(1);
  if (selector.type.kind !== "int") f.refuse("the selector must be an int");
  const { bits } = f.argType(0);
  if (selector.type !== I64) {
    const mask = bits === 32 ? 0xffff_ffff : 2 ** bits - 1;
    const cases = casesOf(f, 1).map(({ low, label }) => [(low & mask) >>> 0, label] as const);
    writeSwitch(f, selector, otherwise, cases);
    return;
  }
  const byHigh = new Map<number, (readonly [number, number])[]>();
  const highMask = bits === 64 ? 0xffff_ffff : 2 ** (bits - 32) - 1;
  for (const { high: word, low, label } of casesOf(f, 2)) {
    const high = (word & highMask) >>> 0;
    const own = byHigh.get(high);
    if (own === undefined) byHigh.set(high, [[low, label]]);
    else own.push([low, label]);
  }
  const upper = f.op(Op.TRUNC, I32, f.op(Op.LSHR, I64, selector, constantInt(I64, 32)));
  const lower = f.op(Op.TRUNC, I32, selector);
  for (const [high, cases] of byHigh) {
    const [inside, next] = [f.facts.ir.addBlock("switch.half"), f.facts.ir.addBlock("switch.next")];
    f.b.conditionalBranch(f.b.compare(Op.EQ, upper, constantInt(I32, high)), inside, next);
    f.startOwnBlock(inside);
    writeSwitch(f, lower, otherwise, cases);
    f.startOwnBlock(next);
  }
  f.addEdges(f.b.branch(f.block(otherwise)), [otherwise]);
}

function writeSwitch(
  f: FunctionReader,
  selector: Value,
  otherwise: number,
  cases: readonly (readonly [value: number, label: number])[],
): void {
  if (new Set(cases.map(([value]) => value)).size < cases.length) f.refuse("the switch has a case twice");
  const made = f.b.switch(
    selector,
    f.block(otherwise),
    cases.map(([value, label]) => [value, f.block(label)]),
  );
  f.addEdges(made, [otherwise, ...cases.map(([, label]) => label)]);
}

function call(f: FunctionReader): Operand | undefined {
  const { i, m, type } = f;
  const callee = m.functions.get(i.word(0)) ?? f.refuse(`%${i.word(0)} is no function`);
  const { members, element } = callee.type;
  if (i.count - 1 !== members.length || element !== type) f.refuse("the call does not match the function's type");
  const values: Value[] = [];
  members.forEach((parameter, n) => {
    const passed = f.flatten(f.operand(i.word(n + 1)));
    const leaves = leavesOf(m, parameter);
    if (passed.length !== leaves.length || passed.some((value, k) => value.type !== leaves[k]))
      f.refuse(`argument ${n} is of another type than the parameter`);
    values.push(...passed);
  });
  if (m.shader !== null) {
    if (callee.ir.kernel !== null) f.refuse("an entry point cannot be called");
    for (const variable of callee.hidden) values.push(...hiddenValues(f, variable));
  }
  if (callee.builtin !== null) return callImported(f, callee.builtin, values);
  if (!callee.hasResultAddress) {
    const made = f.b.call(callee.ir, values);
    return type.kind === "void" ? undefined : made;
  }
  const address = f.allocate(type, 0, "result");
  f.b.call(callee.ir, [address, ...values]);
  return loadFrom(f, type, address, { alignment: layoutOf(m, type).alignment, isVolatile: false });
}

function returnValue(f: FunctionReader): undefined {
  const { element: type } = f.facts.type;
  if (type === null || type.kind === "void") return f.refuse("the function returns nothing");
  const operand = f.operand(f.i.word(0));
  const [address] = f.facts.ir.parameters;
  if (f.facts.hasResultAddress && address !== undefined) {
    storeTo(f, type, operand, address, { alignment: 0, isVolatile: false });
    f.b.return();
    return undefined;
  }
  const value = f.valueOf(operand);
  if (value.type !== type.ir) f.refuse("the value is of another type than the function returns");
  f.b.return(value);
  return undefined;
}

/** Rows of control flow. */
export const CONTROL: HandlerTable = {
  OpLabel: (f) => {
    // A line is that of the instructions up to the end of the block.
    f.locate(null);
    f.startBlock(f.i.result);
    return undefined;
  },
  OpPhi: (f) => {
    f.addPhi();
    return undefined;
  },
  OpLoopMerge: loopMerge,
  OpSelectionMerge: () => undefined,
  OpBranch: (f) => {
    const label = f.i.word(0);
    f.addEdges(f.b.branch(f.block(label)), [label]);
    return undefined;
  },
  OpBranchConditional: branchConditional,
  OpSwitch: switchOn,
  OpReturn: (f) => {
    if (f.facts.type.element?.kind !== "void") f.refuse("the function returns a value");
    f.b.return();
    return undefined;
  },
  OpReturnValue: returnValue,
  OpUnreachable: (f) => {
    f.b.unreachable();
    return undefined;
  },
  OpFunctionCall: call,
};
