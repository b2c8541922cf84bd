// SPDX-License-Identifier: Apache-2.0
// A function of each element, or of elements of several arrays.
import { type ArrayType, DeviceArray, type TypedArray } from "muxkit";

import { checkLengths, scalarOf } from "./element.ts";
import { type Expression, functionSource } from "./expression.ts";
import { programOf } from "./programs.ts";

/** What a map writes, and what its function sees besides. @public */
export interface MapOptions<T extends TypedArray> {
  /** The class of the results' arrays. Default: the first array's. */
  readonly type?: ArrayType<T>;
  /** Where the results are put. Default: a new array of the first one's shape. */
  readonly out?: DeviceArray<T>;
  /** Numbers that the expression names: floats. */
  readonly constants?: Readonly<Record<string, number>>;
}

const NAMES = ["a", "b", "c", "d"];

/**
 * A function of each element: `map(x, (a) => a * a)`, of several arrays `map([x, y], "a + b")`. In a text the values
 * are `a` to `d`, and `i` is the index. Errors: {@link AlgorithmError} for arrays of different lengths and an
 * expression that does not compile.
 *
 * @public
 */
export function map<I extends TypedArray = TypedArray, T extends TypedArray = I>(
  input: DeviceArray<I> | readonly DeviceArray[],
  expression: Expression,
  { type, out, constants = {} }: MapOptions<T> = {},
): DeviceArray<T> {
  const operation = "map";
  const inputs = "length" in input && Array.isArray(input) ? (input as readonly DeviceArray[]) : [input as DeviceArray];
  const first = inputs[0] as DeviceArray;
  checkLengths(operation, inputs);
  const resultType = out?.type ?? type ?? (first.type as unknown as ArrayType<T>);
  const target = out ?? DeviceArray.unfilled(first.device, resultType, first.shape);
  checkLengths(operation, [first, target]);
  const types = inputs.map((array) => scalarOf(operation, array.type));
  const result = scalarOf(operation, resultType);
  const names = NAMES.slice(0, inputs.length);
  const further = Object.keys(constants);
  const { source } = functionSource(operation, "apply", expression, {
    names: [...names, "i"],
    types: [...types, "uint"],
    result,
    constants: further,
  });
  const kernel = programOf(operation, first.device, source, () => {
    const arrays = names.map((name, k) => `global const ${types[k] ?? ""}* ${name}`).join(", ");
    return `${source}kernel void map_elements(global ${result}* out, ${arrays}${further.map((name) => `, float ${name}`).join("")}) {
  uint i = get_global_id(0);
  out[i] = apply(${[...names.map((name) => `${name}[i]`), "i", ...further].join(", ")});
}`;
  })("map_elements");
  kernel(first.length, target, ...inputs, ...Object.values(constants));
  return target;
}
