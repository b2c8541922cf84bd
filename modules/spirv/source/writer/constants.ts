// SPDX-License-Identifier: Apache-2.0
// Constants of the IR, and initial values of variables, which the IR has as bytes.
import { type Constant, GENERIC, type Relocation, type Type, sizeOf } from "@muxkit/ir";

import { Unwritable } from "./error.ts";
import type { ModuleWriter } from "./module-writer.ts";
import { constant32, intId, memoryType, pointerTo, storageOf, structParts, valueType } from "./types.ts";
import { written } from "./written.ts";

const TRUE = written("OpConstantTrue");
const FALSE = written("OpConstantFalse");
const CONSTANT = written("OpConstant");
const COMPOSITE = written("OpConstantComposite");
const NULL = written("OpConstantNull");
const SPEC_OP = written("OpSpecConstantOp");
const BITCAST = written("OpBitcast");
const PTR_TO_U = written("OpConvertPtrToU");
const TO_GENERIC = written("OpPtrCastToGeneric");
const CHAIN = written("OpInBoundsPtrAccessChain");

function isZero({ low, high, lanes }: Constant): boolean {
  return low === 0 && high === 0 && lanes.every(isZero);
}

/** The zero of a type. */
export function nullOf(w: ModuleWriter, type: number): number {
  return w.declare(NULL, type);
}

/** The id of a constant. */
export function constantId(w: ModuleWriter, constant: Constant): number {
  const { type, low, high, lanes } = constant;
  const id = valueType(w, type);
  if (type.kind === "int" && type.bits === 1) return w.declare(low === 0 ? FALSE : TRUE, id);
  if (type.kind === "vector")
    return isZero(constant) ? nullOf(w, id) : w.declare(COMPOSITE, id, ...lanes.map((lane) => constantId(w, lane)));
  if (type.kind === "int" || type.kind === "float")
    return type.bits === 64 ? w.declare(CONSTANT, id, low, high) : w.declare(CONSTANT, id, low);
  if (!isZero(constant))
    throw new Unwritable({ where: "", place: "", message: `the only constant of ${type.text} is null` });
  return nullOf(w, id);
}

/** A number of a type of ints, or of a vector of them. */
export function numberId(w: ModuleWriter, type: Type, value: number | bigint): number {
  const { bits } = type.kind === "vector" && type.element !== null ? type.element : type;
  const whole = BigInt.asUintN(bits, BigInt(value));
  const words = [Number(whole & 0xffff_ffffn), ...(bits === 64 ? [Number(whole >> 32n)] : [])];
  if (type.kind !== "vector" || type.element === null) return w.declare(CONSTANT, valueType(w, type), ...words);
  const lane = w.declare(CONSTANT, valueType(w, type.element), ...words);
  return w.declare(COMPOSITE, valueType(w, type), ...Array.from({ length: type.count }, () => lane));
}

/** Initial bytes with the pointers among them, and how the address of a variable is found. */
export interface InitialImage {
  readonly bytes: Uint8Array;
  readonly relocations: readonly Relocation[];
  readonly addressOf: (relocation: Relocation) => { readonly id: number; readonly space: number };
}

function littleEndian(bytes: Uint8Array, at: number, size: number): bigint {
  let value = 0n;
  for (let n = size - 1; n >= 0; n--) value = (value << 8n) | BigInt(bytes[at + n] ?? 0);
  return value;
}

function isEmpty({ bytes, relocations }: InitialImage, at: number, size: number): boolean {
  for (let n = at; n < at + size; n++) if (bytes[n] !== 0) return false;
  return !relocations.some(({ offset }) => offset >= at && offset < at + size);
}

/** The address in a relocation as a value of a type: a pointer to bytes, or an int. */
function address(w: ModuleWriter, relocation: Relocation, image: InitialImage, type: Type): number {
  const { id, space } = image.addressOf(relocation);
  const bytes = pointerTo(w, storageOf(space), intId(w, 8));
  const cast = w.declare(SPEC_OP, bytes, BITCAST, id);
  const { addend } = relocation;
  const pointer = addend === 0 ? cast : w.declare(SPEC_OP, bytes, CHAIN, cast, constant32(w, addend));
  if (type.kind === "int") return w.declare(SPEC_OP, valueType(w, type), PTR_TO_U, pointer);
  if (type.addressSpace === space) return pointer;
  if (type.addressSpace === GENERIC) return w.declare(SPEC_OP, valueType(w, type), TO_GENERIC, pointer);
  throw new Unwritable({
    where: "",
    place: "",
    message: `the initial value of ${type.text} is the address of a variable in another address space`,
  });
}

/** The constant of a type in memory whose bytes lie at an offset. */
export function initialValue(w: ModuleWriter, type: Type, image: InitialImage, at: number): number {
  const { layout } = w.module;
  const id = memoryType(w, type);
  // Translators to LLVM take no OpConstantNull of numbers.
  const isNumber = type.kind === "int" || type.kind === "float";
  if (!isNumber && isEmpty(image, at, sizeOf(layout, type))) return nullOf(w, id);
  const parts = (list: readonly { readonly type: Type; readonly offset: number }[]): number =>
    w.declare(COMPOSITE, id, ...list.map((part) => initialValue(w, part.type, image, at + part.offset)));
  if (type.kind === "struct") return parts(structParts(w, type).parts);
  if ((type.kind === "array" || type.kind === "vector") && type.element !== null) {
    const { element } = type;
    const step = sizeOf(layout, element);
    return parts(Array.from({ length: type.count }, (_, n) => ({ type: element, offset: n * step })));
  }
  const relocation = image.relocations.find(({ offset }) => offset === at);
  if (relocation !== undefined) return address(w, relocation, image, type);
  if (type.kind === "pointer")
    throw new Unwritable({ where: "", place: "", message: "a pointer's initial value is a number" });
  const value = littleEndian(image.bytes, at, sizeOf(layout, type));
  const words = [Number(value & 0xffff_ffffn), ...(type.bits === 64 ? [Number(value >> 32n)] : [])];
  return w.declare(CONSTANT, id, ...words);
}
