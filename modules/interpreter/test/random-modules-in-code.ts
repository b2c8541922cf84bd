// SPDX-License-Identifier: Apache-2.0
// Random functions, whole: code computes what the interpreter computes, also after the function's blocks are
// shuffled out of order.
import { describeInterpreterError, interpretFunction } from "@muxkit/interpreter";
import {
  Builder,
  type Constant,
  GLOBAL,
  IrFunction,
  LAYOUT_32,
  type Module,
  VOID,
  alignmentOf,
  constantLane,
  isFloat,
  laneCount,
  numberOfFloatBits,
  pointerType,
  printConstant,
  printModule,
  scalarOf,
  sizeOf,
  verifyModule,
} from "@muxkit/ir";
import { expect } from "vitest";

import { Random, randomConstant, randomMachineModule } from "../../ir/test/random-module.ts";

/** Adds a function that calls `fn` with constants and writes its result to memory. */
function addCaller(module: Module, fn: IrFunction, name: string, operands: readonly Constant[]): void {
  const caller = module.addFunction(new IrFunction(name, VOID, [{ type: pointerType(GLOBAL), name: "out" }]));
  const builder = new Builder(caller.addBlock());
  const result = builder.call(fn, operands);
  const [out] = caller.parameters;
  const alignment = alignmentOf(LAYOUT_32, fn.returnType);
  // Of vectors of three lanes it is no power of two.
  if (fn.returnType !== VOID && out !== undefined) builder.store(result, out, Math.min(16, alignment & -alignment));
  builder.return();
}

/** The lanes in memory, one word for every NaN. */
function lanesAt(bytes: Uint8Array, output: number, type: Constant["type"]): readonly string[] {
  const scalar = scalarOf(type);
  const size = Math.max(1, scalar.bits / 8);
  return Array.from({ length: laneCount(type) }, (_, i) => {
    let bits = 0n;
    for (let k = size - 1; k >= 0; k--) bits = (bits << 8n) | BigInt(bytes[output + i * size + k] ?? 0);
    return wordOf(bits, type);
  });
}

function wordOf(bits: bigint, type: Constant["type"]): string {
  const scalar = scalarOf(type);
  return isFloat(scalar) && Number.isNaN(numberOfFloatBits(bits, scalar.bits)) ? "NaN" : bits.toString(16);
}

/** What compiles and runs modules. */
export interface ModuleRunner {
  /** All functions are exported. */
  readonly compile: (module: Module) => {
    readonly call: (name: string, ...args: readonly number[]) => unknown;
    readonly bytes: Uint8Array;
  };
  /** Where a function may write its result. */
  readonly output: number;
}

/** Where the results of the module of a seed differ; empty: nowhere. */
export function difference(runner: ModuleRunner, seed: number, shuffles: boolean): string {
  const module = randomMachineModule(seed);
  const random = new Random(seed ^ 0x5555);
  if (shuffles)
    for (const fn of module.functions.values())
      fn.blocks = [
        fn.entry,
        ...fn.blocks
          .slice(1)
          .map((block) => ({ block, key: random.bits() }))
          .toSorted((a, b) => a.key - b.key)
          .map(({ block }) => block),
      ];
  return differenceOf(runner, module, random, 2);
}

/** Where the results of a module's functions differ, each called `calls` times with random operands; empty: nowhere. */
export function differenceOf({ compile, output }: ModuleRunner, module: Module, random: Random, calls: number): string {
  const functions = [...module.functions.values()].filter(({ blocks }) => blocks.length > 0);
  const wanted = functions.flatMap((fn, i) =>
    Array.from({ length: calls }, (_, k) => {
      const operands = fn.parameters.map(({ type }) => randomConstant(random, type));
      const result = interpretFunction(module, fn.name, operands);
      if (!result.ok) throw new Error(describeInterpreterError(result.error));
      return { fn, name: `call.${i}.${k}`, operands, value: result.value };
    }),
  );
  for (const { fn, name, operands } of wanted) addCaller(module, fn, name, operands);
  expect(verifyModule(module)).toEqual([]);
  const text = printModule(module);
  const { call, bytes } = compile(module);
  expect(verifyModule(module)).toEqual([]);
  for (const { fn, name, operands, value } of wanted) {
    bytes.fill(0, output, output + sizeOf(LAYOUT_32, fn.returnType));
    call(name, output);
    if (value === null) continue;
    const lanes = Array.from({ length: laneCount(value.type) }, (_, i) => constantLane(value, i)).map(({ low, high }) =>
      wordOf((BigInt(high) << 32n) | BigInt(low), value.type),
    );
    const got = lanesAt(bytes, output, value.type);
    if (got.join(" ") !== lanes.join(" "))
      return (
        `@${fn.name}(${operands.map((operand) => printConstant(operand)).join(", ")}) is ${lanes.join(" ")}, ` +
        `the code computes ${got.join(" ")}\n${text}`
      );
  }
  return "";
}
