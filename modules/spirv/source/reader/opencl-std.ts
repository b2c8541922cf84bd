// SPDX-License-Identifier: Apache-2.0
// Extended instructions of OpenCL.std: each is a row of the table of built-ins under a name that follows from its own
// by rules, with exceptions in tables. A prefix `s_` or `u_` says how ints are named.
import { CONTRACT, VOID, type Value, isFloat } from "@muxkit/ir";

import { EXTENDED_SETS } from "../grammar/tables.ts";
import { type Handler, floatFlagsOf } from "./arithmetic.ts";
import { callBuiltin, pointerName, sizeOperand } from "./calls.ts";
import type { FunctionReader } from "./function-reader.ts";
import { callPrintf } from "./printf.ts";
import { type SpirvType, openclName } from "./types.ts";

/** An extended instruction: its operands begin at operand word 2. */
const FIRST = 2;

/** Names that differ by more than a prefix. */
const NAMES: Readonly<Record<string, string>> = {
  fclamp: "clamp",
  fmax_common: "max",
  fmin_common: "min",
};

/** Ints whose names differ from operand to operand: true is signed. */
const SIGNS: Readonly<Record<string, readonly boolean[]>> = {
  ldexp: [true],
  pown: [true],
  rootn: [true],
  nan: [false],
  s_upsample: [true, false],
  u_upsample: [false, false],
  shuffle: [false, false],
  shuffle2: [false, false, false],
  select: [false, false, true],
};

/** Functions that write a second result through a pointer to an int. */
const WRITES_INT: ReadonlySet<string> = new Set(["frexp", "lgamma_r", "remquo"]);

function operandAt(f: FunctionReader, index: number): { readonly value: Value; readonly type: SpirvType } {
  return { value: f.arg(FIRST + index), type: f.argType(FIRST + index) };
}

/** A call with the operands as they are. */
function plain(name: string): Handler {
  const isSigned = name.startsWith("s_");
  const hasSign = isSigned || name.startsWith("u_");
  const own = NAMES[name] ?? (hasSign ? name.slice(2) : name);
  const signs = SIGNS[name];
  return (f) => {
    const parameters: string[] = [];
    const values: Value[] = [];
    for (let n = 0; n < f.i.count - FIRST; n++) {
      const { value, type } = operandAt(f, n);
      const signed = signs?.[Math.min(n, signs.length - 1)] ?? isSigned;
      const parameter =
        value.type.kind === "pointer" ? pointerName(f, type, WRITES_INT.has(own)) : openclName(value.type, signed);
      if (parameter === "") return f.refuse(`${name} does not take ${value.type.text}`);
      parameters.push(parameter);
      values.push(value);
    }
    const made = withFlags(f, () => callBuiltin(f, own, parameters, f.ir, values));
    if (own === "mad" && made.kind === "instruction") made.flags |= CONTRACT;
    return made;
  };
}

/** Writes with the flags of the result's decorations. */
function withFlags(f: FunctionReader, write: () => Value): Value {
  const { floatFlags } = f.b;
  if (isFloat(f.ir)) f.b.floatFlags = floatFlagsOf(f);
  const made = write();
  f.b.floatFlags = floatFlags;
  return made;
}

const MODES: readonly string[] = ["_rte", "_rtz", "_rtp", "_rtn"];

/** Offset, pointer, number of lanes. `half`: the pointer is to halves that are read as floats. */
const vectorLoad =
  (stem: string, hasLanes: boolean): Handler =>
  (f) => {
    const [offset, pointer] = [sizeOperand(f, operandAt(f, 0).value), operandAt(f, 1)];
    const lanes = hasLanes ? f.i.word(FIRST + 2) : 1;
    const name = `${stem}${lanes === 1 ? "" : lanes}`;
    return callBuiltin(f, name, [offset.name, pointerName(f, pointer.type, true)], f.ir, [offset.value, pointer.value]);
  };

/** Data, offset, pointer, and where the name says it a rounding mode. */
const vectorStore =
  (stem: string, hasMode: boolean): Handler =>
  (f) => {
    const [data, offset, pointer] = [operandAt(f, 0), sizeOperand(f, operandAt(f, 1).value), operandAt(f, 2)];
    const { type } = data.value;
    const mode = hasMode ? (MODES[f.i.word(FIRST + 3)] ?? "") : "";
    callBuiltin(
      f,
      `${stem}${type.kind === "vector" ? type.count : ""}${mode}`,
      [openclName(type, true), offset.name, pointerName(f, pointer.type, true)],
      VOID,
      [data.value, offset.value, pointer.value],
    );
    return undefined;
  };

const prefetch: Handler = () => undefined;

const HANDLERS: Readonly<Record<string, Handler>> = {
  vloadn: vectorLoad("vload", true),
  vload_half: vectorLoad("vload_half", false),
  vload_halfn: vectorLoad("vload_half", true),
  vloada_halfn: vectorLoad("vloada_half", true),
  vstoren: vectorStore("vstore", false),
  vstore_half: vectorStore("vstore_half", false),
  vstore_half_r: vectorStore("vstore_half", true),
  vstore_halfn: vectorStore("vstore_half", false),
  vstore_halfn_r: vectorStore("vstore_half", true),
  vstorea_halfn: vectorStore("vstorea_half", false),
  vstorea_halfn_r: vectorStore("vstorea_half", true),
  prefetch,
  printf: (f) => callPrintf(f, FIRST),
};

const BY_NUMBER = new Map<number, Handler>(
  [...(EXTENDED_SETS.get("OpenCL.std")?.rows ?? [])].map(([number, { name }]) => [
    number,
    HANDLERS[name] ?? plain(name),
  ]),
);

/** The handler of an instruction of OpenCL.std; undefined: there is none. */
export function openclInstruction(number: number): Handler | undefined {
  return BY_NUMBER.get(number);
}
