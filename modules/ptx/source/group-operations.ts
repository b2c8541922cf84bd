// SPDX-License-Identifier: Apache-2.0
/**
 * Barriers, and the group operations that hardware has: votes, ballots and shuffles of a warp, votes of a work-group.
 * The pass that lowers group operations leaves only these. An absent lane gives 0, as the IR wants it.
 */
import { InternalError, assert } from "@muxkit/cargo";
import { type Instruction, NON_UNIFORM, Op, type Type, scalarOf } from "@muxkit/ir";

import { bitsOfFloat, floatOfBits } from "./floats.ts";
import type { Code } from "./code.ts";
import { integerBits, numberOfPredicate, predicateOfNumber } from "./integers.ts";
import { WARP } from "./work-item-queries.ts";

/** All lanes: those that are not there, or have left, do not count. */
const ALL_LANES = "0xffffffff";

/** The lanes that take part. */
function members(code: Code, { flags }: Instruction): string {
  return (flags & NON_UNIFORM) === 0 ? ALL_LANES : code.into("b32", "activemask.b32");
}

/** `barrier`. */
export function writeBarrier(code: Code, instruction: Instruction): void {
  if (instruction.scope === "sub_group" || (instruction.flags & NON_UNIFORM) !== 0)
    code.emit("bar.warp.sync", members(code, instruction));
  else code.emit("barrier.sync", "0");
}

/** Words of 32 bits of a lane, and back. */
function shuffled(code: Code, type: Type, operand: string, write: (word: string) => string): string {
  const bits = integerBits(type);
  const isFloat = type.kind === "float";
  if (bits === 64) {
    const number = isFloat ? bitsOfFloat(code, 64, operand) : operand;
    const [low, high] = [code.registers.take("b32"), code.registers.take("b32")];
    code.emit("mov.b64", `{${low}, ${high}}`, number);
    const whole = code.into("b64", "mov.b64", `{${write(low)}, ${write(high)}}`);
    return isFloat ? floatOfBits(code, 64, whole) : whole;
  }
  if (isFloat && bits === 32) return floatOfBits(code, 32, write(bitsOfFloat(code, 32, operand)));
  if (isFloat) return code.into("b16", "cvt.u16.u32", write(code.into("b32", "cvt.u32.u16", operand)));
  return bits === 1 ? predicateOfNumber(code, write(numberOfPredicate(code, operand))) : write(operand);
}

function shuffle(code: Code, instruction: Instruction, lanes: readonly string[], index: string): readonly string[] {
  const member = members(code, instruction);
  const isThere = code.into("pred", "setp.lt.u32", index, String(WARP));
  return lanes.map((lane) =>
    shuffled(code, scalarOf(instruction.type), lane, (word) => {
      const taken = code.into("b32", "shfl.sync.idx.b32", word, index, "0x1f", member);
      return code.into("b32", "selp.b32", taken, "0", isThere);
    }),
  );
}

function firstLane(code: Code, instruction: Instruction): string {
  const member = members(code, instruction);
  const yes = code.into("pred", "setp.eq.u32", "0", "0");
  const ballot = code.into("b32", "vote.sync.ballot.b32", yes, member);
  return code.into("b32", "clz.b32", code.into("b32", "brev.b32", ballot));
}

function vote(code: Code, instruction: Instruction, operand: string): string {
  const name = instruction.op === Op.GROUP_ALL ? "all" : "any";
  if (instruction.scope === "sub_group")
    return code.into("pred", `vote.sync.${name}.pred`, operand, members(code, instruction));
  return code.into("pred", `barrier.red.${name === "all" ? "and" : "or"}.pred`, "0", operand);
}

/** The lanes of the result of a group operation. Throws InternalError for one that a pass must lower. */
export function writeGroupOperation(code: Code, instruction: Instruction): readonly string[] {
  const { op, operands, scope } = instruction;
  const [value, index] = operands;
  assert(value !== undefined, "a group operation has an operand");
  if (op === Op.GROUP_ALL || op === Op.GROUP_ANY) return [vote(code, instruction, code.scalar(value))];
  if (scope === "sub_group") {
    if (op === Op.GROUP_BALLOT) {
      const ballot = code.into("b32", "vote.sync.ballot.b32", code.scalar(value), members(code, instruction));
      return [ballot, "0", "0", "0"];
    }
    if (op === Op.GROUP_BROADCAST_FIRST)
      return shuffle(code, instruction, code.lanes(value), firstLane(code, instruction));
    if ((op === Op.GROUP_BROADCAST || op === Op.GROUP_SHUFFLE) && index !== undefined)
      return shuffle(code, instruction, code.lanes(value), code.scalar(index));
  }
  throw new InternalError(`group operation ${op} of scope ${scope} must be lowered`);
}
