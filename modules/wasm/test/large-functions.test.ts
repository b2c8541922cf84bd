// SPDX-License-Identifier: Apache-2.0
// Functions beyond the limits of engines are cut into functions that engines take.
import {
  Builder,
  GLOBAL,
  I32,
  IrFunction,
  LAYOUT_32,
  Module,
  Op,
  type Value,
  constantInt,
  pointerType,
} from "@muxkit/ir";
import { EngineLimitError, generateModule } from "@muxkit/wasm";
import { expect, test } from "vitest";

import { FEATURES, INPUT, compile, moduleOf } from "./run.ts";

/** Behind the private stack, which begins at 0. */
const BEHIND_STACK = 524_288;

/** A module with one function of a pointer, f. */
function moduleWith(write: (builder: Builder, pointer: Value, fn: IrFunction) => void): Module {
  const module = new Module("large", LAYOUT_32);
  const fn = module.addFunction(new IrFunction("f", I32, [{ type: pointerType(GLOBAL), name: "p" }]));
  write(new Builder(fn.addBlock()), fn.parameters[0] as Value, fn);
  return module;
}

/** Loads `count` ints, and adds them up the last one first, so that all are live at once. */
function manyLive(count: number): Module {
  return moduleWith((builder, pointer) => {
    const values = Array.from({ length: count }, (_, i) =>
      builder.load(I32, builder.address(pointer, null, 0, (i % 64) * 4), 4),
    );
    builder.return(values.reduceRight<Value>((sum, value) => builder.same(Op.ADD, sum, value), constantInt(I32, 0)));
  });
}

test("more live values than an engine has locals, where estimates take the function for a small one", () => {
  const { call, words } = compile(manyLive(51_000), FEATURES, { largestFunction: 2 ** 26 });
  for (let i = 0; i < 64; i++) words[BEHIND_STACK / 4 + i] = i * i;
  const expected = Array.from({ length: 51_000 }, (_, i) => (i % 64) ** 2).reduce((a, b) => a + b);
  expect(call("f", BEHIND_STACK)).toBe(expected | 0);
});

test("what cannot be divided is one clear error", () => {
  const module = new Module("large", LAYOUT_32);
  const parameters = Array.from({ length: 50_001 }, (_, i) => ({ type: I32, name: `p${i}` }));
  const fn = module.addFunction(new IrFunction("f", I32, parameters));
  new Builder(fn.addBlock()).return(constantInt(I32, 0));
  for (const largestFunction of [4096, 2 ** 14]) {
    const generate = (): unknown => generateModule(module, { exports: ["f"], sharedMemory: true, largestFunction });
    expect(generate).toThrow(EngineLimitError);
    expect(generate).toThrow(/^f is too large for WebAssembly: .* 5\d{4} variables .* 50000 .* several kernels/u);
  }
});

test("chains of masks of any length", () => {
  const chain = Array.from({ length: 20_000 }, (_, i) => `  %m${i + 1} = xor %m${i}, %c: <4 x i1>`);
  const module = moduleOf(`func @f(%p: ptr<global>) -> i1 {
^0:
  %v = load %p {align 16}: <4 x i32>
  %c = ne %v, splat(0): <4 x i32>: <4 x i1>
  %m0 = eq %v, splat(0): <4 x i32>: <4 x i1>
${chain.join("\n")}
  %r = all %m20000: i1
  ret %r
}`);
  const { call, words } = compile(module);
  words.fill(0, INPUT / 4, INPUT / 4 + 4);
  expect(call("f", INPUT)).toBe(1);
});

test("a switch over more numbers than a table of branches may have", () => {
  const module = moduleWith((builder, pointer, fn) => {
    const value = builder.load(I32, pointer, 4);
    const cases = Array.from({ length: 20_000 }, (_, i): readonly [number, ReturnType<typeof fn.addBlock>] => {
      const block = fn.addBlock();
      new Builder(block).return(constantInt(I32, i + 1));
      return [i * 4, block];
    });
    const otherwise = fn.addBlock();
    new Builder(otherwise).return(constantInt(I32, -1));
    builder.switch(value, otherwise, cases);
  });
  const { call, words } = compile(module);
  for (const [value, result] of [
    [0, 1],
    [4, 2],
    [79_996, 20_000],
    [79_997, -1],
    [-4, -1],
  ] as const) {
    words[INPUT / 4] = value;
    expect(call("f", INPUT)).toBe(result);
  }
});

test("what engines take is one function", () => {
  const options = { exports: ["f"], sharedMemory: true };
  const whole = generateModule(manyLive(1000), options);
  const cut = generateModule(manyLive(1000), { ...options, largestFunction: 4096 });
  expect(WebAssembly.validate(new Uint8Array(cut.bytes))).toBe(true);
  expect(cut.bytes.length).toBeGreaterThan(whole.bytes.length);
});
