// SPDX-License-Identifier: Apache-2.0
// Reads fields of the kernel ABI's blocks in generated code (docs/kernel-abi.md), for any width of pointers.
import {
  type Builder,
  CONSTANT,
  type DataLayout,
  GLOBAL,
  I32,
  Op,
  type Type,
  type Value,
  indexType,
  pointerBytes,
  pointerType,
} from "@muxkit/ir";
import {
  DISPATCH_STRUCT,
  type DispatchField,
  type PointerBytes,
  type StructLayout,
  WORKER_STRUCT,
  type WorkerField,
  layoutStruct,
} from "@muxkit/kernel-abi";

/** Offsets of the two blocks, by the width of pointers. */
interface AbiLayouts {
  readonly dispatch: StructLayout<DispatchField>;
  readonly worker: StructLayout<WorkerField>;
}

function layoutsOf(pointers: PointerBytes): AbiLayouts {
  return { dispatch: layoutStruct(DISPATCH_STRUCT, pointers), worker: layoutStruct(WORKER_STRUCT, pointers) };
}

const LAYOUTS = { 4: layoutsOf(4), 8: layoutsOf(8) };

/** Bytes of a pointer in the ABI's blocks and among packed arguments. */
export function abiPointerBytes(layout: DataLayout): PointerBytes {
  return pointerBytes(layout, GLOBAL) === 8 ? 8 : 4;
}

/** A field of one of the blocks. */
export type AbiFieldName =
  | { readonly block: "dispatch"; readonly field: DispatchField }
  | { readonly block: "worker"; readonly field: WorkerField };

/** Byte offset of a field. */
export function abiOffset(layout: DataLayout, name: AbiFieldName): number {
  const layouts = LAYOUTS[abiPointerBytes(layout)];
  return name.block === "dispatch" ? layouts.dispatch.offsets[name.field] : layouts.worker.offsets[name.field];
}

const ADDRESSES: ReadonlySet<string> = new Set(
  [...DISPATCH_STRUCT.fields, ...WORKER_STRUCT.fields].flatMap(({ name, type }) => (type === "address" ? [name] : [])),
);

/**
 * Reads a field, or an element of one that has three; `base` is the block's address. The value is of the index type,
 * whatever the field's width.
 */
export function readAbiField(
  builder: Builder,
  layout: DataLayout,
  base: Value,
  name: AbiFieldName,
  element: number = 0,
): Value {
  const index = indexType(layout);
  const stored = ADDRESSES.has(name.field) ? index : I32;
  const offset = abiOffset(layout, name) + 4 * element;
  const block = builder.convert(Op.INTTOPTR, base, pointerType(CONSTANT));
  const value = builder.load(stored, builder.address(block, null, 0, offset), stored.bits / 8);
  return toWidth(builder, value, index);
}

/** An unsigned integer in another width. */
export function toWidth(builder: Builder, value: Value, type: Type): Value {
  if (value.type === type) return value;
  return builder.convert(value.type.bits < type.bits ? Op.ZEXT : Op.TRUNC, value, type);
}
