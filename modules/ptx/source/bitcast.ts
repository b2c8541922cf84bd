// SPDX-License-Identifier: Apache-2.0
/**
 * Bit casts: the lanes of the operand as words of 32 bits, lane 0 lowest, then the lanes of the result of these words.
 * Equal widths are moves.
 */
import { type Type, laneCount, scalarOf } from "@muxkit/ir";

import type { Code } from "./code.ts";
import { bitsOfFloat, floatOfBits } from "./floats.ts";
import { integerBits, numberOfPredicate, predicateOfNumber } from "./integers.ts";
import { integerLiteral } from "./literals.ts";
import { classOf } from "./registers.ts";

/** The bits of a lane: 64 in a `.b64`, all others, extended with zeros, in a `.b32`. */
export function bitsOfLane(code: Code, type: Type, operand: string): string {
  const bits = integerBits(type);
  if (type.kind === "float") {
    const own = bitsOfFloat(code, bits, operand);
    return bits === 16 ? code.into("b32", "cvt.u32.u16", own) : own;
  }
  return bits === 1 ? numberOfPredicate(code, operand) : operand;
}

/** The inverse; bits above the lane's may be set in `number`. */
function laneOfBits(code: Code, type: Type, number: string): string {
  const bits = integerBits(type);
  if (type.kind === "float") {
    return floatOfBits(code, bits, bits === 16 ? code.into("b16", "cvt.u16.u32", number) : number);
  }
  if (bits === 1) return predicateOfNumber(code, number);
  return bits < 32 ? code.into("b32", "and.b32", number, integerLiteral(2 ** bits - 1)) : number;
}

/** Words of 32 bits with the bits of all lanes. */
function wordsOf(code: Code, type: Type, lanes: readonly string[]): readonly string[] {
  const bits = integerBits(scalarOf(type));
  const numbers = lanes.map((lane) => bitsOfLane(code, scalarOf(type), lane));
  if (bits === 64) {
    return numbers.flatMap((number) => {
      const [low, high] = [code.registers.take("b32"), code.registers.take("b32")];
      code.emit("mov.b64", `{${low}, ${high}}`, number);
      return [low, high];
    });
  }
  const perWord = 32 / bits;
  const words: string[] = [];
  numbers.forEach((number, lane) => {
    const at = lane % perWord;
    if (at === 0) words.push(number);
    else {
      const shifted = code.into("b32", "shl.b32", number, String(at * bits));
      words.push(code.into("b32", "or.b32", words.pop() as string, shifted));
    }
  });
  return words;
}

function lanesOf(code: Code, type: Type, words: readonly string[]): readonly string[] {
  const element = scalarOf(type);
  const bits = integerBits(element);
  return Array.from({ length: laneCount(type) }, (_, lane) => {
    if (bits === 64)
      return laneOfBits(
        code,
        element,
        code.into("b64", "mov.b64", `{${words[2 * lane] as string}, ${words[2 * lane + 1] as string}}`),
      );
    const first = lane * bits;
    const word = words[Math.floor(first / 32)] as string;
    const at = first % 32;
    return laneOfBits(code, element, at === 0 ? word : code.into("b32", "shr.u32", word, String(at)));
  });
}

/** The lanes of a value as those of another type with as many bits. */
export function bitcast(code: Code, from: Type, to: Type, lanes: readonly string[]): readonly string[] {
  const [source, target] = [scalarOf(from), scalarOf(to)];
  if (integerBits(source) === integerBits(target)) {
    if (classOf(source) === classOf(target)) return lanes;
    const move = `mov.b${integerBits(source)}`;
    if (integerBits(source) >= 32) return lanes.map((lane) => code.into(classOf(target), move, lane));
  }
  return lanesOf(code, to, wordsOf(code, from, lanes));
}
