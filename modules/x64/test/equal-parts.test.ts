// SPDX-License-Identifier: Apache-2.0
// Vectors of several registers of which all hold the same constant: the other operand's registers differ all the same.
import { describe, expect, test } from "vitest";

import { compilerOf, INPUT, moduleOf, NATIVE, OUTPUT, TIERS } from "./run.ts";

const SECOND = INPUT + 256;
const OPS = ["add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "rotl", "smin", "umax"];
const SHAPES = [8, 16, 32, 64].flatMap((bits) => [256, 512].map((all) => ({ bits, lanes: all / bits })));

/** `c` has a constant where `v` loads the same lanes. */
function functions({ bits, lanes }: (typeof SHAPES)[number]): string {
  const type = `<${lanes} x i${bits}>`;
  const text = (name: string, op: string, operands: string): string =>
    `func @${name}_${op}(%a: ptr<global>, %b: ptr<global>, %out: ptr<global>) {
^0:
  %x = load %a {align 1}: ${type}
  %y = load %b {align 1}: ${type}
  %r = ${op} ${operands}: ${type}
  store %r, %out {align 1}
  ret
}`;
  return OPS.flatMap((op) => [
    text("v", op, "%x, %y"),
    text("c", op, "splat(3), %y"),
    text("w", op, "%y, %x"),
    text("d", op, "%y, splat(3)"),
  ]).join("\n");
}

describe.skipIf(NATIVE === null).each(TIERS)("%s", (tier) => {
  const compile = compilerOf(tier);

  test.each(SHAPES)("ops on $lanes lanes of $bits bits", (shape) => {
    const { call, bytes } = compile(moduleOf(functions(shape)));
    const size = shape.bits / 8;
    for (let i = 0; i < shape.lanes * size; i++) {
      bytes[INPUT + i] = i % size === 0 ? 3 : 0;
      bytes[SECOND + i] = (i * 37 + 11) % 251;
    }
    const result = (name: string): string => {
      bytes.fill(0, OUTPUT, OUTPUT + 256);
      call(name, INPUT, SECOND, OUTPUT);
      return bytes.slice(OUTPUT, OUTPUT + shape.lanes * size).join();
    };
    for (const op of OPS) {
      expect(result(`c_${op}`), op).toBe(result(`v_${op}`));
      expect(result(`d_${op}`), op).toBe(result(`w_${op}`));
    }
  });
});
