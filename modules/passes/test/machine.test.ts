// SPDX-License-Identifier: Apache-2.0
// Passes that choose by the machine: how many loads licm keeps, whether contract fuses, what lower-half writes, which
// loops go by several iterations.
import { checkRunLines } from "@muxkit/interpreter";
import {
  type IrFunction,
  LAYOUT_32,
  type Module,
  Op,
  describeVerifierError,
  parseModule,
  verifyModule,
} from "@muxkit/ir";
import { type MachineTarget, genericMachine } from "@muxkit/machine-target";
import { EMPTY_CONTEXT, runPasses } from "@muxkit/passes";
import { expect, test } from "vitest";

const HEAD = 'module "m" pointers 4 4 4 4 4 size_t 32\n';
const PLAIN = genericMachine(LAYOUT_32);
const LOADS = 30;

function run(text: string, pass: string, machine: MachineTarget): IrFunction {
  const parsed = parseModule(`${HEAD}${text}`);
  if (!parsed.ok) throw new Error(`${parsed.error.line}: ${parsed.error.message}`);
  const module: Module = parsed.value;
  runPasses(module, [pass], { ...EMPTY_CONTEXT, machine }, { verifyEach: true });
  expect(verifyModule(module).map(describeVerifierError)).toEqual([]);
  const fn = module.functions.get("f");
  if (fn === undefined) throw new Error("the module has a function @f");
  return fn;
}

function opsOf(fn: IrFunction): readonly number[] {
  return fn.blocks.flatMap(({ instructions }) => instructions.map(({ op }) => op));
}

/** A loop that adds so many loaded floats, which nothing in it overwrites. */
function loop(): string {
  const loads = Array.from(
    { length: LOADS },
    (_, i) => `  %a${i} = address %p {offset ${4 * i}}: ptr<constant>\n  %v${i} = load %a${i} {align 4}: f32`,
  );
  const sums = Array.from({ length: LOADS }, (_, i) => `  %s${i} = fadd ${i === 0 ? "%s" : `%s${i - 1}`}, %v${i}: f32`);
  return `func @f(%p: ptr<constant>, %n: i32) -> f32 {
^entry:
  br ^loop(0: i32, 0: f32)
^loop(%k: i32, %s: f32):
${loads.join("\n")}
${sums.join("\n")}
  %k1 = add %k, 1: i32
  %more = ult %k1, %n: i1
  cond_br %more, ^loop(%k1: i32, %s${LOADS - 1}: f32), ^end
^end:
  ret %s${LOADS - 1}
}
`;
}

/** Loads that licm leaves in the loop of a machine with a number of vector registers. */
function loadsAfterLicm(vectors: number): number {
  const fn = run(loop(), "licm", { ...PLAIN, registers: { ...PLAIN.registers, vectors } });
  return fn.blocks.find(({ name }) => name === "loop")?.instructions.filter(({ op }) => op === Op.LOAD).length ?? -1;
}

test("licm moves as many loads out of a loop as the machine has registers for", () => {
  expect(loadsAfterLicm(16)).toBe(LOADS);
  expect(loadsAfterLicm(64)).toBe(0);
});

test("contract fuses where the machine's multiply-add is no library call", () => {
  const text = `func @f(%x: f32, %y: f32) -> f32 {
^entry:
  %p = fmul %x, %y {contract}: f32
  %s = fadd %p, %x {contract}: f32
  ret %s
}
`;
  expect(opsOf(run(text, "contract", PLAIN))).toContain(Op.FMA);
  const soft = { ...PLAIN, support: { [Op.FMA]: { scalar: [], vector: [], libcall: [32, 64] } } };
  expect(opsOf(run(text, "contract", soft))).not.toContain(Op.FMA);
});

test("lower-half writes integers, conversions or nothing, by what the machine has", () => {
  const text = `func @f(%x: f16, %y: f16) -> f16 {
^entry:
  %s = fadd %x, %y: f16
  ret %s
}
`;
  const ops = (halves: MachineTarget["halves"]): readonly number[] =>
    opsOf(run(text, "lower-half", { ...PLAIN, halves }));
  expect(ops("none")).toContain(Op.LSHR);
  expect(ops("none")).not.toContain(Op.FPTRUNC);
  expect(ops("conversion")).toEqual([Op.FPEXT, Op.FPEXT, Op.FADD, Op.FPTRUNC, Op.RET]);
  expect(ops("arithmetic")).toEqual([Op.FADD, Op.RET]);
});

/** A loop over k that sums what it loads; `address` makes the address %p of an element. */
function sumOver(address: string, first = "0", bound = "%n"): string {
  return `func @f(%x: ptr<global>, %n: i32) -> i32 {
^entry:
  %id = global_id 0: i32
  %row = global_id 1: i32
  %begin = mul %id, %n: i32
  %mine = address %x, %begin {scale 4}: ptr<global>
  %other = mul %row, %n: i32
  br ^loop(${first}: i32, 0: i32)
^loop(%k: i32, %s: i32):
${address}
  %v = load %p {align 4}: i32
  %t = add %s, %v: i32
  %k1 = add %k, 1: i32
  %more = slt %k1, ${bound}: i1
  cond_br %more, ^loop(%k1: i32, %t: i32), ^end
^end:
  ret %t
}
`;
}

const BY_INDEX = "  %i = add %begin, %k: i32\n  %p = address %x, %i {scale 4}: ptr<global>";

test.each([
  ["in a row of its own, by the index", sumOver(BY_INDEX), 5],
  ["in a row of its own, by the pointer", sumOver("  %p = address %mine, %k {scale 4}: ptr<global>"), 5],
  [
    "in a column of its own",
    sumOver("  %c = mul %k, %n: i32\n  %i = add %c, %id: i32\n  %p = address %x, %i {scale 4}: ptr<global>"),
    1,
  ],
  [
    "where its neighbour reads the element before",
    sumOver("  %i = add %id, %k: i32\n  %p = address %x, %i {scale 4}: ptr<global>"),
    1,
  ],
  [
    "in a row that its neighbours read too",
    sumOver("  %i = add %other, %k: i32\n  %p = address %x, %i {scale 4}: ptr<global>"),
    1,
  ],
  ["every second element of a row", sumOver("  %p = address %mine, %k {scale 8}: ptr<global>"), 1],
  ["from an element on that depends on the work-item", sumOver(BY_INDEX, "%id"), 1],
  ["up to an element that depends on the work-item", sumOver(BY_INDEX, "0", "%id"), 1],
])("loops go by four elements where a work-item reads %s", (_where, text, loads) => {
  const machine = { ...PLAIN, unrolling: { ...PLAIN.unrolling, rowCopies: 4, copiedInstructions: 100 } };
  expect(opsOf(run(text, "run-time-unroll", machine)).filter((op) => op === Op.LOAD).length).toBe(loads);
  expect(opsOf(run(text, "run-time-unroll", PLAIN)).filter((op) => op === Op.LOAD).length).toBe(1);
});

test("the rounds of a small loop are unrolled again where the machine says so, and count as before", () => {
  const text = `func @f(%n: i32) -> i32 {
^entry:
  %some = slt 0: i32, %n: i1
  cond_br %some, ^before, ^end(0: i32)
^before:
  br ^loop(0: i32, 0: i32)
^loop(%i: i32, %s: i32):
  %t = add %s, %i: i32
  %i1 = add %i, 1: i32
  %more = slt %i1, %n: i1
  cond_br %more, ^loop(%i1: i32, %t: i32), ^end(%t: i32)
^end(%r: i32):
  ret %r
}
`;
  const loopsWith = (roundInstructions: number): number => {
    const unrolling = { ...PLAIN.unrolling, copies: 4, rowCopies: 4, copiedInstructions: 256, roundInstructions };
    const parsed = parseModule(`${HEAD}${text}`);
    if (!parsed.ok) throw new Error(parsed.error.message);
    const passes = ["run-time-unroll", "simplify-cfg", "simplify", "gvn", "loop-rotate", "run-time-unroll"];
    runPasses(parsed.value, passes, { ...EMPTY_CONTEXT, machine: { ...PLAIN, unrolling } }, { verifyEach: true });
    const sums = Array.from({ length: 70 }, (_, n) => `; run: %f(${n}) == ${(n * (n - 1)) / 2}`).join("\n");
    expect(checkRunLines(parsed.value, sums)).toEqual({ ok: true, value: [] });
    const fn = parsed.value.functions.get("f");
    return fn?.blocks.filter(({ successors }, i) => successors.some((one) => fn.blocks.indexOf(one) <= i)).length ?? 0;
  };
  expect(loopsWith(0)).toBe(2);
  expect(loopsWith(128)).toBe(3);
});
