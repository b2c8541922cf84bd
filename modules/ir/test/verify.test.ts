// SPDX-License-Identifier: Apache-2.0
// The verifier: one broken idea a file, and its sentences; then what no text can express.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import {
  Block,
  Builder,
  type CallingConvention,
  F32,
  I32,
  type Instruction,
  IrFunction,
  LAYOUT_32,
  Module,
  Op,
  VOID,
  WORK_ITEM_PARAMETER_NAMES,
  cloneFunction,
  constantInt,
  constantZero,
  createCloneMap,
  decodeModule,
  describeVerifierError,
  encodeModule,
  parseModule,
  printModule,
  verifyModule,
} from "@muxkit/ir";
import { expect, test } from "vitest";

const golden = join(import.meta.dirname, "golden", "verify");

for (const file of readdirSync(golden).filter((name) => name.endsWith(".ir"))) {
  test(`golden/verify/${file}`, async () => {
    const parsed = parseModule(readFileSync(join(golden, file), "utf8"));
    const text = parsed.ok
      ? verifyModule(parsed.value).map(describeVerifierError).join("\n")
      : `does not parse: ${parsed.error.message}`;
    expect(text).not.toBe("");
    await expect(`${text}\n`).toMatchFileSnapshot(join(golden, file.replace(".ir", ".diag")));
  });
}

function made(): {
  readonly module: Module;
  readonly fn: IrFunction;
  readonly builder: Builder;
  readonly sum: Instruction;
} {
  const module = new Module("m", LAYOUT_32);
  const fn = module.addFunction(new IrFunction("f", I32, [{ type: I32, name: "x" }]));
  const builder = new Builder(fn.addBlock());
  const sum = builder.same(Op.ADD, constantInt(I32, 1), constantInt(I32, 2));
  builder.return(sum);
  return { module, fn, builder, sum };
}

const problems = (module: Module): readonly string[] => verifyModule(module).map(({ message }) => message);

test("a good module has no errors", () => {
  expect(problems(made().module)).toEqual([]);
});

test("an instruction that was taken out is not there to be used", () => {
  const { module, fn, sum } = made();
  fn.entry.instructions.splice(0, 1);
  sum.block = null;
  expect(problems(module)).toEqual(["it uses an instruction that is not in the function"]);
});

test("an instruction occurs once", () => {
  const { module, fn, sum } = made();
  fn.entry.instructions.unshift(sum);
  expect(problems(module)).toEqual(["it occurs twice"]);
});

test("a block belongs to its function and branches stay in it", () => {
  const { module, fn } = made();
  const other = new IrFunction("g", VOID, []);
  const foreign = other.addBlock();
  new Builder(foreign).return();
  const last = fn.entry.instructions.pop();
  expect(last?.op).toBe(Op.RET);
  new Builder(fn.entry).branch(foreign);
  expect(problems(module)).toEqual(["it branches out of the function"]);
});

test("values of another function, and lost block parameters, are no values", () => {
  const { module, fn, sum } = made();
  const other = new IrFunction("g", VOID, [{ type: I32, name: "y" }]);
  sum.operands = [...other.parameters, ...fn.parameters];
  expect(problems(module)).toEqual(["it uses a parameter of another function or of a block that has lost it"]);
});

test("symbols are those of the module", () => {
  const { module, fn } = made();
  const last = fn.entry.instructions.pop();
  const builder = new Builder(fn.entry);
  builder.call(new IrFunction("f", VOID, []), []);
  fn.entry.instructions.push(...(last === undefined ? [] : [last]));
  expect(problems(module)).toEqual(["@f is not in the module"]);
});

test("names in the module are the functions' own", () => {
  const { module, fn } = made();
  fn.name = "renamed";
  expect(problems(module)).toEqual(["the module knows it as @f"]);
});

test("a number of no op", () => {
  const { module, sum } = made();
  sum.op = 9999;
  expect(problems(module)).toEqual(["9999 is not the number of an op"]);
});

test("only terminators go on", () => {
  const { module, fn, sum } = made();
  sum.successors = [fn.entry];
  expect(problems(module)).toEqual(["only a terminator has successors"]);
});

test("the message names function, block and instruction", () => {
  const { module, fn, sum } = made();
  const second = fn.addBlock();
  const builder = new Builder(second);
  builder.same(Op.FADD, constantInt(I32, 1), constantInt(I32, 1));
  builder.return(sum);
  const [error] = verifyModule(module);
  expect(error).toEqual({
    function: "f",
    block: 1,
    instruction: "%2 = fadd 1, 1: i32",
    message: "fadd operands and result must be one float type, are i32, i32 and i32",
  });
  expect(error === undefined ? "" : describeVerifierError(error)).toBe(
    "@f, ^1, `%2 = fadd 1, 1: i32`: fadd operands and result must be one float type, are i32, i32 and i32",
  );
});

test("unreachable blocks may use what does not dominate them", () => {
  const { module, fn, sum } = made();
  const lost = fn.addBlock();
  new Builder(lost).return(sum);
  expect(problems(module)).toEqual([]);
});

test("blocks of other functions are refused", () => {
  const { module, fn } = made();
  const other = new IrFunction("g", F32, []);
  const stray = new Block(other, "stray");
  new Builder(stray).unreachable();
  fn.blocks.push(stray);
  expect(problems(module)).toEqual(["it belongs to another function"]);
});

/** The work-item parameters, one of them of some type. */
function list(type: string): string {
  return WORK_ITEM_PARAMETER_NAMES.map((name) => `%${name}: ${name === "local.y" ? type : "i32"}`).join(", ");
}

function conventionProblems(head: string): readonly string[] {
  const result = parseModule(`module "m" pointers 4 4 4 4 4 size_t 32\nfunc @f(${head} {\n^0:\n  ret\n}\n`);
  if (!result.ok) throw new Error(result.error.message);
  return problems(result.value);
}

test("work-item parameters are those of the convention, from its first parameter on", () => {
  expect(conventionProblems(`%x: f32, ${list("i32")}) work_item(1)`)).toEqual([]);
  // A vectorised variant has a value of some of them for each lane.
  expect(conventionProblems(`%x: f32, ${list("<8 x i32>")}, %mask: <8 x i1>) work_item(1)`)).toEqual([]);
  expect(conventionProblems(`%x: f32, ${list("f32")}) work_item(1)`)).toEqual([
    "the work-item parameter local.y is no i32",
  ]);
  expect(conventionProblems(`${list("i32")}) work_item(1)`)).toEqual([
    `its convention has ${WORK_ITEM_PARAMETER_NAMES.length} work-item parameters from 1 on`,
  ]);
  expect(conventionProblems("%a: i32) kernel_entry")).toEqual(["a kernel entry takes five parameters of type i32"]);
});

test("a copy keeps the convention, and one without some of the parameters has none", () => {
  const text = `module "m" pointers 4 4 4 4 4 size_t 32
func @f(%x: f32, ${list("i32")}) work_item(1) {
^0:
  ret
}
`;
  const result = parseModule(text);
  if (!result.ok) throw new Error(result.error.message);
  const back = decodeModule(encodeModule(result.value));
  for (const module of [result.value, ...(back.ok ? [back.value] : [])])
    expect(printModule(module, { names: true })).toBe(text.replace("\nfunc", "\n\nfunc"));
  expect(back.ok).toBe(true);
  const fn = result.value.functions.get("f");
  if (fn === undefined) throw new Error("there is no @f");
  expect(cloneFunction(fn, "g").convention).toEqual({ kind: "work_item", first: 1 });
  const without = (parameter: number): CallingConvention => {
    const map = createCloneMap();
    const found = fn.parameters[parameter];
    if (found !== undefined) map.values.set(found, constantZero(found.type));
    return cloneFunction(fn, "g", map).convention;
  };
  expect(without(0)).toEqual({ kind: "work_item", first: 0 });
  expect(without(5)).toEqual({ kind: "plain" });
});
