// SPDX-License-Identifier: Apache-2.0
// Calls of built-ins in JavaScript: scalars, vectors lane by lane, and what takes vectors as wholes.
import { SCALAR_FUNCTIONS, bitsToInteger, integerToBits } from "./scalar-functions.ts";
import { bitsOf, convertScalar, integerOf, wrap } from "./scalars.ts";
import { OWN_FUNCTIONS, isGroupFunction } from "./sub-groups.ts";
import type { Lanes, ScalarName } from "./translated.ts";
import { type Vector, isVector, makeVector } from "./vector.ts";
import { HOW_TO_TRANSLATE } from "./work-items.ts";

type Scalar = number | bigint;
type Value = Scalar | boolean | Vector<ScalarName, Lanes>;

/** Scalars of results that are not those of the arguments. */
const RESULTS: Readonly<Record<string, (name: ScalarName) => ScalarName>> = {
  ilogb: () => "int",
  abs: (name) => integerOf(bitsOf(name), false),
  abs_diff: (name) => integerOf(bitsOf(name), false),
  upsample: (name) => integerOf(bitsOf(name) * 2, !name.startsWith("u")),
  nan: (name) => (name === "ulong" ? "double" : name === "ushort" ? "half" : "float"),
};

const lanesOf = (value: Value): readonly Scalar[] =>
  isVector(value) ? (value.lanes as readonly Scalar[]) : [value as Scalar];
const scalarOf = (value: Value | undefined, name: ScalarName): ScalarName =>
  isVector(value) ? value.type.scalar : name;

/** The sum of products, each step rounded to the type. */
function dot(name: ScalarName, a: readonly Scalar[], b: readonly Scalar[]): number {
  return a.reduce<number>(
    (sum, lane, i) => Number(wrap(name, sum + Number(wrap(name, Number(lane) * Number(b[i]))))),
    0,
  );
}

function length(name: ScalarName, a: readonly Scalar[]): number {
  return Number(wrap(name, Math.hypot(...a.map(Number))));
}

const difference = (name: ScalarName, a: readonly Scalar[], b: readonly Scalar[]): readonly number[] =>
  a.map((lane, i) => Number(wrap(name, Number(lane) - Number(b[i]))));

/** Functions of whole vectors: the scalar type, and the lanes of each argument. */
const WHOLE: Readonly<
  Record<string, (name: ScalarName, ...values: (readonly Scalar[])[]) => Scalar | boolean | readonly Scalar[]>
> = {
  dot: (name, a = [], b = []) => dot(name, a, b),
  length: (name, a = []) => length(name, a),
  fast_length: (name, a = []) => length(name, a),
  distance: (name, a = [], b = []) => length(name, difference(name, a, b)),
  fast_distance: (name, a = [], b = []) => length(name, difference(name, a, b)),
  normalize: (name, a = []) => normalize(name, a),
  fast_normalize: (name, a = []) => normalize(name, a),
  cross: (name, a = [], b = []) => {
    const [x, y, z] = a.map(Number) as [number, number, number];
    const [u, v, w] = b.map(Number) as [number, number, number];
    const minus = (p: number, q: number, r: number, s: number): Scalar =>
      wrap(name, Number(wrap(name, p * q)) - Number(wrap(name, r * s)));
    return [minus(y, w, z, v), minus(z, u, x, w), minus(x, v, y, u), ...(a.length === 4 ? [0] : [])];
  },
  any: (_name, a = []) => a.some((lane) => lane < 0),
  all: (_name, a = []) => a.every((lane) => lane < 0),
  shuffle: (_name, a = [], mask = []) => mask.map((lane) => a[Number(lane) & (a.length - 1)] ?? 0),
  shuffle2: (_name, a = [], b = [], mask = []) =>
    mask.map((lane) => [...a, ...b][Number(lane) & (2 * a.length - 1)] ?? 0),
};

function normalize(name: ScalarName, a: readonly Scalar[]): readonly Scalar[] {
  const size = Math.hypot(...a.map(Number));
  return a.map((lane) => (size === 0 ? lane : wrap(name, Number(lane) / size)));
}

/**
 * A built-in by its name in OpenCL C.
 *
 * @param scalar - the type of the first argument's scalars, where it is no vector
 * @internal
 */
export function callBuiltin(name: string, scalar: ScalarName, values: readonly Value[]): Value {
  const [first] = values;
  const type = scalarOf(first, scalar);
  const whole = Object.hasOwn(WHOLE, name) ? WHOLE[name] : undefined;
  if (whole !== undefined) {
    const made = whole(type, ...values.map(lanesOf));
    if (!Array.isArray(made)) return made as Value;
    return isVector(first) ? makeVector(type, made as Scalar[]) : (made[0] as Scalar);
  }
  if (name.startsWith("as_")) return reinterpret(name.slice(3), type, first as Value);
  const ofItem = Object.hasOwn(OWN_FUNCTIONS, name) ? OWN_FUNCTIONS[name] : undefined;
  if (ofItem !== undefined) return ofItem(...values) as Value;
  const fn = Object.hasOwn(SCALAR_FUNCTIONS, name) ? SCALAR_FUNCTIONS[name] : undefined;
  if (fn === undefined)
    throw new Error(
      isGroupFunction(name) ? `${name} ${HOW_TO_TRANSLATE}` : `the built-in ${name} exists on devices only`,
    );
  const widest = values.find(isVector);
  if (widest === undefined) return fn(type, ...(values as readonly Scalar[]));
  const made = widest.lanes.map((_, i) => {
    const lanes = values.map((value) => (isVector(value) ? (value.lanes[i] as Scalar) : (value as Scalar)));
    // The condition of a selection of vectors is a lane's highest bit.
    if (name === "select") return (lanes[2] ?? 0) < 0 ? (lanes[1] ?? 0) : (lanes[0] ?? 0);
    return fn(type, ...lanes);
  });
  return vectorOf(name, widest.type.scalar, made);
}

/** The lanes of a result as a vector; truth is -1. */
function vectorOf(name: string, type: ScalarName, lanes: readonly (Scalar | boolean)[]): Value {
  if (typeof lanes[0] === "boolean") {
    const truth = integerOf(bitsOf(type), true);
    return makeVector(
      truth,
      lanes.map((lane) => convertScalar(truth, lane === true ? -1 : 0) as Scalar),
    );
  }
  return makeVector(RESULTS[name]?.(type) ?? type, lanes as Scalar[]);
}

function reinterpret(target: string, from: ScalarName, value: Value): Value {
  const [, to = "int", count = "1"] = /^([a-z]+?)(\d*)$/u.exec(target) ?? [];
  const name = to as ScalarName;
  const bits = lanesOf(value).reduce<bigint>(
    (sum, lane, i) => sum | (bitsToInteger(from, lane) << BigInt(i * bitsOf(from))),
    0n,
  );
  const lanes = Array.from({ length: Number(count) || 1 }, (_, i) =>
    integerToBits(name, BigInt.asUintN(bitsOf(name), bits >> BigInt(i * bitsOf(name)))),
  );
  return lanes.length === 1 ? (lanes[0] as Scalar) : makeVector(name, lanes);
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

/** A built-in as a function: numbers are floats where they are reals of the name's kind, else ints; bigints are longs. @internal */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the declaration says which overloads it has
export function builtin<F>(name: string, isOfIntegers: boolean): F {
  const fn = Object.hasOwn(SCALAR_FUNCTIONS, name) ? SCALAR_FUNCTIONS[name] : undefined;
  const plain: ScalarName = isOfIntegers ? "int" : "double";
  const call = (...values: readonly unknown[]): unknown => {
    // What loops call: scalars, without a look at lanes.
    if (fn !== undefined && values.every(isNumber)) return fn(plain, ...values);
    const [first] = values as readonly Value[];
    const scalar: ScalarName = typeof first === "bigint" ? "long" : isOfIntegers ? "int" : "double";
    return callBuiltin(name, scalar, values as readonly Value[]);
  };
  return call as F;
}
