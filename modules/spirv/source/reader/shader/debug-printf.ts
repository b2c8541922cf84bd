// SPDX-License-Identifier: Apache-2.0
// NonSemantic.DebugPrintf: the format is a string of the module. Vectors are printed as `%v4f` without the length of
// their numbers, which OpenCL's formats have (`%v4hlf`).
import { CONSTANT, Global, I8, arrayType, pointerType } from "@muxkit/ir";

import type { FunctionReader } from "../function-reader.ts";
import { ConstantAddress, type Operand } from "../operand.ts";
import { callPrintf } from "../printf.ts";

const VECTOR = /(%[-+ #0]*\d*(?:\.\d+)?v[234])(?=[diouxXfFeEgGaA])/gu;
const UNSIGNED_LONG = /%([-+ #0]*\d*)ul\b/gu;

/** The format as OpenCL C has it. */
export function openclFormat(format: string): string {
  return format.replaceAll(VECTOR, "$1hl").replaceAll(UNSIGNED_LONG, "%$1lu");
}

/** A call of printf whose format is the string of operand word `first`. */
export function debugPrintf(f: FunctionReader, first: number): Operand {
  const { m } = f;
  const id = f.i.word(first);
  const text = m.strings.get(id);
  if (text === undefined) return f.refuse("the format of printf must be a string of the module");
  let known = m.operands.get(id);
  if (known === undefined) {
    const bytes = new TextEncoder().encode(`${openclFormat(text)}\0`);
    const global = new Global(m.symbol(`format${id}`), arrayType(I8, bytes.length), CONSTANT, 1);
    global.linkage = "internal";
    global.initializer = bytes;
    m.ir.addGlobal(global);
    known = new ConstantAddress(global, 0, pointerType(CONSTANT));
    m.operands.set(id, known);
  }
  return callPrintf(f, first);
}
