// SPDX-License-Identifier: Apache-2.0
// Assumptions about masks, divisors, shifts and selections: wherever their test passes, the variant behind it gives
// what single work-items give. Every op, with operands around what the test asks for, at the ends of the number range
// too.
import { describeInterpreterError, interpretFunction } from "@muxkit/interpreter";
import {
  Builder,
  type Constant,
  I1,
  I32,
  IrFunction,
  type Module,
  type Parameter,
  constantInt,
  constantLane,
  describeVerifierError,
  parseModule,
  verifyModule,
} from "@muxkit/ir";
import { type TestedVariant, vectorize } from "@muxkit/vecz";
import { expect, test } from "vitest";

import { requestOf } from "./lanes.ts";

const HEAD = `module "m" pointers 4 4 4 4 4 size_t 32\n`;

/** `body` computes %r from %x, which is in steps, and %m, which is uniform; the result becomes an address. */
function moduleOf(body: string): Module {
  const parsed = parseModule(`${HEAD}func @f(%x: i32, %m: i32) -> i32 {
^e:
  %o = and %m, 0: i32
  %p = inttoptr %o: ptr<global>
${body}
  %a = address %p, %r {scale 1}: ptr<global>
  %b = ptrtoint %a: i32
  ret %b
}`);
  if (!parsed.ok) throw new Error(`${parsed.error.line}: ${parsed.error.message}\n${body}`);
  return parsed.value;
}

const BODIES: Readonly<Record<string, string>> = {
  and: "  %r = and %x, %m: i32",
  "and not": "  %n = xor %m, -1: i32\n  %r = and %x, %n: i32",
  "and less one": "  %n = add %m, -1: i32\n  %r = and %x, %n: i32",
  or: "  %r = or %x, %m: i32",
  xor: "  %r = xor %x, %m: i32",
  lshr: "  %r = lshr %x, %m: i32",
  ashr: "  %r = ashr %x, %m: i32",
  udiv: "  %r = udiv %x, %m: i32",
  urem: "  %r = urem %x, %m: i32",
  sdiv: "  %r = sdiv %x, %m: i32",
  srem: "  %r = srem %x, %m: i32",
  "udiv and urem": "  %q = udiv %x, %m: i32\n  %s = urem %x, %m: i32\n  %t = mul %q, 100: i32\n  %r = add %t, %s: i32",
  "by a constant": "  %q = udiv %x, 100: i32\n  %s = srem %x, 100: i32\n  %t = mul %q, %m: i32\n  %r = add %t, %s: i32",
  partner: "  %y = xor %x, %m: i32\n  %c = ugt %y, %x: i1\n  %r = select %c, %y, %x: i32",
  "signed partner": "  %y = xor %x, %m: i32\n  %c = sgt %y, %x: i1\n  %r = select %c, %y, %x: i32",
  widened: "  %w = zext %x: i64\n  %y = add %w, 3: i64\n  %h = lshr %y, 1: i64\n  %r = trunc %y: i32",
  "next, around": "  %y = add %x, 1: i32\n  %c = ult %y, %m: i1\n  %r = select %c, %y, 0: i32",
  "one before, around":
    "  %c = eq %x, 0: i32: i1\n  %l = sub %m, 1: i32\n  %y = sub %x, 1: i32\n  %r = select %c, %l, %y: i32",
  "radius before": "  %c = sge %x, %m: i1\n  %y = sub %x, %m: i32\n  %r = select %c, %y, 0: i32",
  mirrored: "  %c = slt %x, %m: i1\n  %y = sub %x, %m: i32\n  %z = sub %m, %x: i32\n  %r = select %c, %z, %y: i32",
  "column of a row": "  %c = urem %x, %m: i32\n  %d = add %c, 1: i32\n  %e = umin %d, 99: i32\n  %r = add %e, %x: i32",
};

const STEPS = [1, 2, 3, -1] as const;
const WIDTHS = [4, 8] as const;
const FIRSTS = [0, 1, 5, 24, 32, 96, 100, 0x7fff_fff0, 0x7fff_fffe, -16, -8, -1];
const OTHERS = [0, 1, 3, 7, 8, 15, 16, 24, 32, 63, 99, 256, -1, -8, -32, -100, -0x8000_0000, 0x7fff_ffff];

/** Adds a function for the reach of a test; false: there is none. */
function addReach(module: Module, { writeReach }: TestedVariant, parameters: readonly Parameter[]): boolean {
  if (writeReach === null) return false;
  const fn = new IrFunction(
    "reach",
    I32,
    parameters.map(({ type, name }) => ({ type, name })),
  );
  const builder = new Builder(fn.addBlock("entry"));
  const reach = writeReach(builder, fn.parameters);
  if (reach === null) return false;
  builder.return(reach);
  module.addFunction(fn);
  return true;
}

function valueOf(module: Module, name: string, operands: readonly Constant[]): Constant {
  const result = interpretFunction(module, name, operands);
  if (!result.ok) throw new Error(describeInterpreterError(result.error));
  if (result.value === null) throw new Error(`@${name} has a result`);
  return result.value;
}

test.each(Object.entries(BODIES))("%s", (_, body) => {
  let passed = 0;
  let far = 0;
  const alone = moduleOf(body);
  const known = new Map<string, number>();
  const wantedOf = (x: number, other: number): number => {
    const key = `${x} ${other}`;
    const value = known.get(key) ?? valueOf(alone, "f", [constantInt(I32, x), constantInt(I32, other)]).low;
    known.set(key, value);
    return value;
  };
  for (const width of WIDTHS) {
    for (const stride of STEPS) {
      for (const lowZeros of [0, 5]) {
        const module = moduleOf(body);
        const fn = module.functions.get("f");
        if (fn === undefined) throw new Error("there is a function");
        const made = vectorize(fn, requestOf(module, width, new Map([[0, { shape: stride, lowZeros }]])));
        expect(made.ok).toBe(true);
        const tested = made.ok ? made.variants.tested : null;
        if (tested === null) continue;
        module.addFunction(tested.fn);
        const check = module.addFunction(
          new IrFunction(
            "test",
            I1,
            fn.parameters.map(({ type, name }) => ({ type, name })),
          ),
        );
        const builder = new Builder(check.addBlock("entry"));
        builder.return(tested.writeTest(builder, check.parameters));
        const isFar = stride === 1 && addReach(module, tested, check.parameters);
        expect(verifyModule(module).map(describeVerifierError)).toEqual([]);
        for (const from of FIRSTS) {
          const first = lowZeros === 0 ? from : from & -32;
          for (const other of OTHERS) {
            const operands = (x: number): Constant[] => [constantInt(I32, x), constantInt(I32, other)];
            if (valueOf(module, "test", operands(first)).low === 0) continue;
            passed++;
            const all = valueOf(module, tested.fn.name, operands(first));
            const lanes = [...Array(width).keys()];
            expect({ first, other, width, stride, lanes: lanes.map((lane) => constantLane(all, lane).low) }).toEqual({
              first,
              other,
              width,
              stride,
              lanes: lanes.map((lane) => wantedOf((first + lane * stride) | 0, other)),
            });
            if (!isFar) continue;
            const reach = valueOf(module, "reach", operands(first)).low >>> 0;
            const vectors = Math.floor(reach / width);
            // The vectors near the first one, and those near the last one within reach.
            const at = [0, 1, 2, 3, vectors - 2, vectors - 1].filter((i) => i >= 0 && i < vectors);
            far += at.length;
            const failing = at.filter((i) => valueOf(module, "test", operands((first + i * width) | 0)).low === 0);
            expect({ first, other, width, reach, failing }).toEqual({ first, other, width, reach, failing: [] });
          }
        }
      }
    }
  }
  expect(passed).toBeGreaterThan(30);
  expect(far).toBeGreaterThan(10);
});
