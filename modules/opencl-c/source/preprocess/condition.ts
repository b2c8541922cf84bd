// SPDX-License-Identifier: Apache-2.0
// The arithmetic of #if (C99 6.10.1): 64-bit integers, signed unless a literal is unsigned. Precedence climbing,
// evaluated while it is parsed; operands that && , || and ?: do not evaluate may divide by zero.
import type { DiagnosticList } from "@muxkit/report";

import { report } from "../diagnostics.table.ts";
import { PRECEDENCE } from "../lex/precedence.ts";
import { characterLiteral, integerLiteral } from "../lex/literal.ts";
import { CHARACTER, IDENTIFIER, NUMBER, PUNCTUATOR, type Token } from "../lex/token.ts";

interface Operand {
  readonly value: bigint;
  readonly isUnsigned: boolean;
}

const BINARY: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  "*": (a, b) => a * b,
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "<<": (a, b) => a << (b & 63n),
  ">>": (a, b) => a >> (b & 63n),
  "&": (a, b) => a & b,
  "^": (a, b) => a ^ b,
  "|": (a, b) => a | b,
};

const COMPARE: Readonly<Record<string, (a: bigint, b: bigint) => boolean>> = {
  "<": (a, b) => a < b,
  ">": (a, b) => a > b,
  "<=": (a, b) => a <= b,
  ">=": (a, b) => a >= b,
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
};

const wrap = (value: bigint, isUnsigned: boolean): Operand => ({
  value: isUnsigned ? BigInt.asUintN(64, value) : BigInt.asIntN(64, value),
  isUnsigned,
});

class ConditionError extends Error {}

/** Levels of nesting that are read; far below what a JavaScript stack takes. */
const DEEPEST = 500;

/** Parses and evaluates at once; an error is thrown within this file only. */
class Condition {
  private at = 0;
  private depth = 0;
  private readonly tokens: readonly Token[];

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  private accept(text: string): boolean {
    const token = this.tokens[this.at];
    if (token === undefined || token.kind !== PUNCTUATOR || token.text !== text) return false;
    this.at++;
    return true;
  }

  private expect(text: string): void {
    if (!this.accept(text)) throw new ConditionError(`"${text}" is missing`);
  }

  whole(): bigint {
    const { value } = this.ternary(true);
    const rest = this.tokens[this.at];
    if (rest !== undefined) throw new ConditionError(`"${rest.text}" is one too many`);
    return value;
  }

  /** Runs `body` one level deeper; an error leaves all levels, so only what ends well goes back up. */
  private nested(body: () => Operand): Operand {
    if (this.depth >= DEEPEST) throw new ConditionError(`it is nested more than ${DEEPEST} levels deep`);
    this.depth++;
    const result = body();
    this.depth--;
    return result;
  }

  private ternary(isLive: boolean): Operand {
    return this.nested(() => this.ternaryHere(isLive));
  }

  private ternaryHere(isLive: boolean): Operand {
    const condition = this.binary(1, isLive);
    if (!this.accept("?")) return condition;
    const yes = this.ternary(isLive && condition.value !== 0n);
    this.expect(":");
    const no = this.ternary(isLive && condition.value === 0n);
    return wrap(condition.value !== 0n ? yes.value : no.value, yes.isUnsigned || no.isUnsigned);
  }

  private binary(least: number, isLive: boolean): Operand {
    let left = this.unary(isLive);
    for (;;) {
      const token = this.tokens[this.at];
      const precedence = token?.kind === PUNCTUATOR ? PRECEDENCE[token.text] : undefined;
      if (token === undefined || precedence === undefined || precedence < least) return left;
      this.at++;
      const operator = token.text;
      const needsRight =
        isLive && !(operator === "&&" && left.value === 0n) && !(operator === "||" && left.value !== 0n);
      const right = this.binary(precedence + 1, needsRight);
      left = apply(operator, left, right, needsRight);
    }
  }

  private unary(isLive: boolean): Operand {
    return this.nested(() => this.unaryHere(isLive));
  }

  private unaryHere(isLive: boolean): Operand {
    if (this.accept("!")) return wrap(this.unary(isLive).value === 0n ? 1n : 0n, false);
    if (this.accept("+")) return this.unary(isLive);
    if (this.accept("-")) {
      const { value, isUnsigned } = this.unary(isLive);
      return wrap(-value, isUnsigned);
    }
    if (this.accept("~")) {
      const { value, isUnsigned } = this.unary(isLive);
      return wrap(~value, isUnsigned);
    }
    if (this.accept("(")) {
      const inner = this.ternary(isLive);
      this.expect(")");
      return inner;
    }
    const token = this.tokens[this.at];
    this.at++;
    if (token === undefined) throw new ConditionError("it ends too early");
    if (token.kind === IDENTIFIER) return wrap(token.text === "true" ? 1n : 0n, false);
    if (token.kind === CHARACTER) {
      const { value } = characterLiteral(token.text);
      if (value === null) throw new ConditionError(`${token.text} is no character`);
      return wrap(BigInt(value), false);
    }
    if (token.kind !== NUMBER) throw new ConditionError(`"${token.text}" is no number`);
    const literal = integerLiteral(token.text);
    if (typeof literal === "string") throw new ConditionError(literal);
    return wrap(literal.value, literal.isUnsigned || literal.value > 0x7fff_ffff_ffff_ffffn);
  }
}

function apply(operator: string, left: Operand, right: Operand, isLive: boolean): Operand {
  if (operator === "&&") return wrap(left.value !== 0n && right.value !== 0n ? 1n : 0n, false);
  if (operator === "||") return wrap(left.value !== 0n || right.value !== 0n ? 1n : 0n, false);
  const isUnsigned = left.isUnsigned || right.isUnsigned;
  const a = wrap(left.value, isUnsigned).value;
  const b = wrap(right.value, isUnsigned).value;
  if (operator === "/" || operator === "%") {
    if (b === 0n) {
      if (isLive) throw new ConditionError("it divides by zero");
      return wrap(0n, isUnsigned);
    }
    return wrap(operator === "/" ? a / b : a % b, isUnsigned);
  }
  const compare = COMPARE[operator];
  if (compare !== undefined) return wrap(compare(a, b) ? 1n : 0n, false);
  return wrap(BINARY[operator]?.(a, b) ?? 0n, isUnsigned);
}

/** The truth of a condition whose macros and `defined` have been replaced. A wrong condition is an error and false. */
export function evaluateCondition(tokens: readonly Token[], directive: Token, diagnostics: DiagnosticList): boolean {
  try {
    return new Condition(tokens).whole() !== 0n;
  } catch (error) {
    if (!(error instanceof ConditionError)) throw error;
    report(diagnostics, "conditionForm", (tokens[0] ?? directive).span, [error.message]);
    return false;
  }
}
