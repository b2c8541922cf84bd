// SPDX-License-Identifier: Apache-2.0
// The arguments of a run: arrays in the device's memory, values as bytes.
import type { HostArgument, HostBuffer } from "@muxkit/host/launcher";
import { type ElementType, type KernelParameter, argumentsOf, sizeOf } from "@muxkit/kernel-library";
import { packValue } from "@muxkit/loader";

import { RunError, ensure } from "./error.ts";
import type { Shaped } from "./places.ts";

/** Names of the arrays of a scalar's elements, without `Array`. */
const ARRAYS: Readonly<Record<string, string>> = {
  char: "Int8",
  uchar: "Uint8",
  short: "Int16",
  ushort: "Uint16",
  half: "Uint16",
  int: "Int32",
  uint: "Uint32",
  long: "BigInt64",
  ulong: "BigUint64",
  float: "Float32",
  double: "Float64",
};

/** Memory for a run: that of an array of the program's, or the device's own. */
export interface Place {
  readonly buffer: HostBuffer;
  /** The program's array, which gets what the kernel has written; null: it needs no copy. */
  readonly copiesTo: Uint8Array | null;
}

/** A parameter's arguments to the kernel. `place` gives memory for an array; `info` are facts of arguments. */
export interface ArgumentSource {
  readonly name: string;
  readonly place: (array: ArrayBufferView, isWritten: boolean) => HostBuffer;
  readonly valueTypes: readonly { readonly typeName: string; readonly size: number }[];
  readonly constants: ReadonlyMap<string, number | bigint | boolean>;
}

function isShaped(value: unknown): value is Shaped {
  return typeof value === "object" && value !== null && "sizes" in value && "array" in value;
}

/** The array for memory, checked against the type of its elements. */
function arrayOf(where: string, element: ElementType, value: unknown): ArrayBufferView {
  const array = isShaped(value) ? value.array : value;
  ensure(ArrayBuffer.isView(array), () => `${where} requires an array, not a ${typeof array}`);
  const scalar = element.kind === "scalar" ? element.name : element.kind === "vector" ? element.scalar : null;
  const tag = (array as { readonly [Symbol.toStringTag]?: string })[Symbol.toStringTag] ?? "";
  const wanted = scalar === null ? null : `${ARRAYS[scalar] ?? ""}Array`;
  ensure(wanted === null || tag === wanted, () => `${where} requires a ${wanted}, not a ${tag}`);
  const bytes = sizeOf(element);
  ensure(
    array.byteLength > 0 && array.byteLength % bytes === 0,
    () => `${where} requires elements of ${bytes} bytes each, and the array has ${array.byteLength} bytes`,
  );
  return array;
}

/** The sizes of an accessor's memory in more than one dimension. */
function shapeOf(where: string, dimensions: number, value: unknown): readonly number[] {
  ensure(
    dimensions === 1 || (isShaped(value) && value.sizes.length === dimensions),
    () => `${where} has ${dimensions} dimensions; pass shaped(array, …) with as many sizes`,
  );
  return isShaped(value) ? value.sizes : [];
}

/** Arguments of a kernel. Throws a RunError for what does not fit. */
export function hostArguments(
  parameters: readonly KernelParameter[],
  values: readonly unknown[],
  constantsAreArguments: boolean,
  source: ArgumentSource,
): readonly HostArgument[] {
  const own = parameters.filter(({ kind }) => kind !== "constant");
  ensure(
    own.length === values.length,
    () =>
      `the kernel "${source.name}" takes ${own.length} arguments (${own.map(({ name }) => name).join(", ")}), and ` +
      `${values.length} were passed`,
  );
  const list: HostArgument[] = [];
  const packed = (where: string, value: unknown): void => {
    const { typeName, size } = source.valueTypes[list.length] ?? { typeName: "", size: 0 };
    const bytes = packValue(typeName, size, value);
    if (typeof bytes === "string") throw new RunError(`${where} ${bytes}`);
    list.push({ kind: "bytes", bytes });
  };
  for (const [i, parameter] of parameters.entries()) {
    const where = `the argument ${parameter.name} of the kernel "${source.name}"`;
    const value = parameter.kind === "constant" ? source.constants.get(parameter.name) : values[i];
    ensure(
      parameter.kind !== "reducer" && parameter.kind !== "image",
      () => `${where} is a${parameter.kind === "image" ? "n image" : " reducer"}; launch the kernel by muxkit/sycl`,
    );
    const shape = parameter.kind === "accessor" ? shapeOf(where, parameter.dimensions, value) : [];
    for (const argument of argumentsOf(parameter, constantsAreArguments))
      if (argument.role === "range") packed(where, shape[argument.dimension]);
      else if (argument.role === "value") packed(where, value);
      else if (argument.role === "local") {
        ensure(typeof value === "number" && value > 0, () => `${where} requires a number of elements of local memory`);
        list.push({ kind: "local", size: value * argument.elementBytes });
      } else if (parameter.kind === "accessor" || parameter.kind === "pointer")
        list.push({
          kind: "buffer",
          buffer: source.place(arrayOf(where, parameter.element, value), parameter.access !== "read"),
        });
  }
  return list;
}
