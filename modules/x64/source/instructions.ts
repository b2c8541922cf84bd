// SPDX-License-Identifier: Apache-2.0
// Which writer an op has.
import { type Instruction, type OpRule, OPS, Op, type Value, isFloat } from "@muxkit/ir";

import { emitBitcast, emitConvert } from "./convert.ts";
import { emitScatter } from "./scatters.ts";
import { emitGather } from "./gathers.ts";
import { compareScalars, emitScalar, emitSelect } from "./scalar-ops.ts";
import { emitAtomic, emitBulk, emitLoad, emitMaskedLoad, emitMaskedStore, emitStore } from "./memory.ts";
import type { Selector } from "./selector.ts";
import { emitVector } from "./vector-ops.ts";

type Writer = (s: Selector, instruction: Instruction) => void;

function emitCompare(s: Selector, instruction: Instruction): void {
  const [a, b] = instruction.operands as [Value, Value];
  s.define(instruction, [compareScalars(s, instruction.op, a.type, s.one(a), s.one(b))]);
}

function emitAddress(s: Selector, instruction: Instruction): void {
  if (instruction.type.kind === "vector") {
    emitVector(s, instruction);
    return;
  }
  s.define(instruction, [s.addressValue(s.addressOf(instruction))]);
}

const WRITERS: Readonly<Partial<Record<OpRule, Writer>>> = {
  alloca: (s, instruction) => s.define(instruction, [s.variable(instruction)]),
  load: emitLoad,
  store: emitStore,
  address: emitAddress,
  "masked-load": emitMaskedLoad,
  "masked-store": emitMaskedStore,
  gather: emitGather,
  scatter: emitScatter,
  "memory-copy": emitBulk,
  "memory-fill": emitBulk,
  call: (s, instruction) => s.call(instruction),
  "atomic-load": emitAtomic,
  "atomic-store": emitAtomic,
  "atomic-rmw": emitAtomic,
  "atomic-compare-exchange": emitAtomic,
  fence: emitAtomic,
  convert: emitConvert,
  bitcast: emitBitcast,
};

const SCALAR_WRITERS: Readonly<Partial<Record<OpRule, Writer>>> = {
  select: emitSelect,
  "unary-int": emitScalar,
  "unary-float": emitScalar,
  "binary-int": emitScalar,
  "binary-float": emitScalar,
  "ternary-float": emitScalar,
  shift: emitScalar,
  "compare-int": emitCompare,
  "compare-float": emitCompare,
};

const FLOAT_RULES: ReadonlySet<OpRule> = new Set(["unary-float", "binary-float", "ternary-float", "compare-float"]);

/** The same tables by op. */
const OF_SCALARS: readonly (Writer | undefined)[] = OPS.map(({ rule }) => WRITERS[rule] ?? SCALAR_WRITERS[rule]);
const OF_VECTORS: readonly Writer[] = OPS.map(({ rule }) => WRITERS[rule] ?? emitVector);
const IS_FLOAT: readonly boolean[] = OPS.map(({ rule }) => FLOAT_RULES.has(rule));

/** Writes any instruction but terminators. */
export function emitInstruction(s: Selector, instruction: Instruction): void {
  const { op, type, operands } = instruction;
  if (op === Op.DEBUG_VALUE) return;
  if (IS_FLOAT[op] === true && operands.some((operand) => !isFloat(operand.type)))
    s.refuse(instruction, "it has no instruction for these types");
  const isVector = type.kind === "vector" || operands[0]?.type.kind === "vector";
  const write = (isVector ? OF_VECTORS : OF_SCALARS)[op];
  if (write === undefined) s.refuse(instruction, "an op that the target must lower reached the code generator");
  write(s, instruction);
}
