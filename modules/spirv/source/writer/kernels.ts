// SPDX-License-Identifier: Apache-2.0
// Kernels: entry points, execution modes, and what OpenCL wants to know of arguments: attributes of parameters, and
// strings `kernel_arg_type.NAME.…` and `kernel_arg_type_qual.NAME.…` as translators from LLVM write them.
import {
  type ArgumentDescription,
  type IrFunction,
  type KernelDescription,
  type Type,
  vectorType,
  intType,
} from "@muxkit/ir";

import type { EnumerantNames } from "../generated/names.ts";
import { enumerant } from "../grammar/tables.ts";
import type { ModuleWriter } from "./module-writer.ts";
import { constant32, intId, pointerTo, storageOf, valueType } from "./types.ts";
import { written } from "./written.ts";

const EXECUTION_MODE = written("OpExecutionMode");
const STRUCT = written("OpTypeStruct");
const ARRAY = written("OpTypeArray");

/** Names of types by the numbers that hints have. */
const HINTS: readonly string[] = ["uchar", "ushort", "uint", "ulong", "half", "float", "double"];
const SIGNED: Readonly<Record<string, string>> = { char: "uchar", short: "ushort", int: "uint", long: "ulong" };
const HINT = /^([a-z]+?)(2|3|4|8|16)?$/u;

/** A vector type as a number: lanes above the element. */
function hintOf(name: string): number | null {
  const [, element = "", lanes = "1"] = HINT.exec(name) ?? [];
  const number = HINTS.indexOf(SIGNED[element] ?? element);
  return number < 0 ? null : (Number(lanes) << 16) | number;
}

/** Writes the execution modes of a kernel. */
export function writeModes(w: ModuleWriter, id: number, kernel: KernelDescription): void {
  const mode = (name: EnumerantNames["ExecutionMode"], ...operands: readonly number[]): void =>
    w.emit("modes", EXECUTION_MODE, id, enumerant("ExecutionMode", name), ...operands);
  const { requiredWorkGroupSize, workGroupSizeHint, vecTypeHint, requiredSubGroupSize } = kernel;
  if (requiredWorkGroupSize !== null) mode("LocalSize", ...requiredWorkGroupSize);
  if (workGroupSizeHint !== null) mode("LocalSizeHint", ...workGroupSizeHint);
  const hint = vecTypeHint === null ? null : hintOf(vecTypeHint);
  if (hint !== null) mode("VecTypeHint", hint);
  if (requiredSubGroupSize !== null) mode("SubgroupSize", requiredSubGroupSize);
}

/** Types of memory by their alignment, for structs whose members nobody knows. */
const UNITS: Readonly<Record<number, Type>> = {
  1: intType(8),
  2: intType(16),
  4: intType(32),
  8: intType(64),
  16: vectorType(intType(32), 4),
  32: vectorType(intType(32), 8),
  64: vectorType(intType(32), 16),
  128: vectorType(intType(64), 16),
};

/** A struct that is passed by value: only its size and alignment are known. */
function valueStruct(w: ModuleWriter, { typeName, size, alignment }: ArgumentDescription): number {
  const unit = UNITS[alignment] ?? intType(8);
  const bytes = Math.min(alignment, 128);
  const array = w.declare(ARRAY, valueType(w, unit), constant32(w, Math.max(1, Math.ceil(size / bytes))));
  const id = w.declareNew(STRUCT, array);
  w.name(id, `struct.${typeName}`);
  return id;
}

/** A parameter of a kernel: its type, and what a pointer points to (0: it is none). */
export interface KernelParameter {
  readonly type: number;
  readonly target: number;
  readonly isByValue: boolean;
}

/** The type of a kernel's parameter. `opaque`: of an image, a sampler or a pipe; `targetOf`: what a named pointer points to. */
export function kernelParameter(
  w: ModuleWriter,
  fn: IrFunction,
  index: number,
  opaque: (index: number) => number,
  targetOf: (typeName: string) => number,
): KernelParameter {
  const type = fn.parameters[index]?.type;
  const described = fn.kernel?.arguments[index];
  if (type === undefined || described === undefined || type.kind === "opaque" || described.kind === "pipe")
    return { type: opaque(index), target: 0, isByValue: false };
  if (type.kind !== "pointer") return { type: valueType(w, type), target: 0, isByValue: false };
  const isByValue = described.kind === "value";
  const target = isByValue ? valueStruct(w, described) : targetOf(described.typeName);
  return { type: pointerTo(w, storageOf(type.addressSpace), target === 0 ? intId(w, 8) : target), target, isByValue };
}

const attribute = (name: EnumerantNames["FunctionParameterAttribute"]): number =>
  enumerant("FunctionParameterAttribute", name);

/** Decorates and names a parameter. */
export function decorateParameter(
  w: ModuleWriter,
  id: number,
  described: ArgumentDescription,
  { isByValue }: KernelParameter,
): void {
  w.name(id, described.name);
  if (isByValue) w.decorate(id, "FuncParamAttr", attribute("ByVal"));
  if (described.isRestrict) w.decorate(id, "FuncParamAttr", attribute("NoAlias"));
  if (described.isVolatile) w.decorate(id, "Volatile");
}

/** Qualifiers of an argument as clGetKernelArgInfo names them. */
function qualifiers({ isConst, isRestrict, isVolatile, kind }: ArgumentDescription): string {
  const words = [isConst ? "const" : "", isRestrict ? "restrict" : "", isVolatile ? "volatile" : ""];
  return [...words, kind === "pipe" ? "pipe" : ""].filter((word) => word !== "").join(" ");
}

/** Writes the strings with the types and the qualifiers of arguments. */
export function writeArgumentStrings(w: ModuleWriter, name: string, kernel: KernelDescription): void {
  const list = kernel.arguments;
  if (list.length === 0) return;
  w.text(`kernel_arg_type.${name}.${list.map(({ typeName }) => `${typeName},`).join("")}`);
  w.text(`kernel_arg_type_qual.${name}.${list.map((one) => `${qualifiers(one)},`).join("")}`);
}
