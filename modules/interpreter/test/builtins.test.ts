// SPDX-License-Identifier: Apache-2.0
// Built-ins: from a library, as native code, as ops by the table, lane by lane.
import { type NativeBuiltin, type ResolveBuiltin, interpretFunction } from "@muxkit/interpreter";
import {
  type Constant,
  F32,
  decodeLibrary,
  encodeModule,
  floatBitsOfNumber,
  numberOfFloatBits,
  parseConstant,
  printConstant,
  vectorType,
} from "@muxkit/ir";
import { expect, test } from "vitest";

import { moduleOf } from "./kernels.ts";

const LIBRARY = `func @"twice(float)"(%x: f32) -> f32 {
^0:
  %r = fadd %x, %x: f32
  ret %r
}
func @"waits(float)"(%x: f32) -> f32 {
^0:
  barrier {work_group, semantics 1}
  ret %x
}
`;

const CALLER = moduleOf(`func @one(%x: f32) -> f32 {
^0:
  %r = call_builtin twice(float) %x: f32
  ret %r
}
func @four(%x: <4 x f32>) -> <4 x f32> {
^0:
  %r = call_builtin twice(float4) %x: <4 x f32>
  ret %r
}
func @absolute(%x: <2 x f32>) -> <2 x f32> {
^0:
  %r = call_builtin fabs(float2) %x: <2 x f32>
  %s = call_builtin fmax(float2, float) %r, 2.0: f32: <2 x f32>
  ret %s
}
func @waiting(%x: <2 x f32>) -> <2 x f32> {
^0:
  %r = call_builtin waits(float2) %x: <2 x f32>
  ret %r
}
func @told(%x: f32) {
^0:
  call_builtin tell(float) %x
  ret
}
`);

function constant(text: string, lanes: number): Constant {
  const result = parseConstant(text, lanes === 1 ? F32 : vectorType(F32, lanes));
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

function call(name: string, operand: Constant, resolveBuiltin?: ResolveBuiltin): string {
  const result = interpretFunction(CALLER, name, [operand], resolveBuiltin === undefined ? {} : { resolveBuiltin });
  if (!result.ok) return `${result.error.kind}: ${result.error.message}`;
  return result.value === null ? "nothing" : printConstant(result.value);
}

/** Functions of a library in binary form, each read when it is called. */
function fromLibrary(): ResolveBuiltin {
  const opened = decodeLibrary(encodeModule(moduleOf(LIBRARY)));
  if (!opened.ok) throw new Error(opened.error.message);
  return ({ name, parameters }) => {
    const found = opened.value.load(`${name}(${parameters.join(",")})`);
    return found.ok ? found.value : null;
  };
}

test("functions of a library, vectors lane by lane", () => {
  const resolve = fromLibrary();
  expect(call("one", constant("1.5", 1), resolve)).toBe("3.0");
  expect(call("four", constant("<1.0, 2.0, 3.0, 4.0>", 4), resolve)).toBe("<2.0, 4.0, 6.0, 8.0>");
});

test("native code, vectors lane by lane, and calls without a result", () => {
  const seen: number[] = [];
  const native: NativeBuiltin = ([x]) => {
    if (typeof x !== "bigint") return null;
    const number = numberOfFloatBits(x, 32);
    seen.push(number);
    return floatBitsOfNumber(number * 10, 32);
  };
  const resolve: ResolveBuiltin = ({ parameters }) => (parameters[0] === "float" ? native : null);
  expect(call("four", constant("<1.0, 2.0, 3.0, 4.0>", 4), resolve)).toBe("<10.0, 20.0, 30.0, 40.0>");
  expect(seen).toEqual([1, 2, 3, 4]);
  expect(call("told", constant("7.0", 1), () => () => null)).toBe("nothing");
});

test("built-ins that the table maps to ops need no library", () => {
  expect(call("absolute", constant("<-3.0, -1.0>", 2))).toBe("<3.0, 2.0>");
});

test("what nothing defines, and a barrier where lanes are taken one by one", () => {
  expect(call("one", constant("1.0", 1))).toBe("unresolved-builtin: nothing defines twice(float)");
  expect(call("waiting", constant("<1.0, 2.0>", 2), fromLibrary())).toBe(
    "barrier-divergence: a barrier in @waits(float), which is called lane by lane",
  );
});
