// SPDX-License-Identifier: Apache-2.0
// Vectors: values of two to sixteen scalars, with components by name and operators as methods.
import { type ScalarValue, bitsOf, convertScalar, integerOf, isReal, wrap } from "./scalars.ts";
import type { Lanes, ScalarName, VectorElement } from "./translated.ts";

/** The signed integer of a scalar's width, which comparisons of vectors make. @public */
export type TruthOf<S extends ScalarName> = S extends "char" | "uchar" | "bool"
  ? "char"
  : S extends "short" | "ushort" | "half"
    ? "short"
    : S extends "long" | "ulong" | "double"
      ? "long"
      : "int";

/** The unsigned integer of a scalar's width. @public */
export type UnsignedOf<S extends ScalarName> = S extends "char" | "uchar" | "bool"
  ? "uchar"
  : S extends "short" | "ushort" | "half"
    ? "ushort"
    : S extends "long" | "ulong" | "double"
      ? "ulong"
      : "uint";

/** The integer of twice a scalar's width. @public */
export type WideOf<S extends ScalarName> = S extends "char"
  ? "short"
  : S extends "uchar"
    ? "ushort"
    : S extends "short"
      ? "int"
      : S extends "ushort"
        ? "uint"
        : S extends "int"
          ? "long"
          : "ulong";

/** Operators of vectors; the other operand is a vector of the type, or a scalar for all lanes. @public */
export interface VectorOperators<S extends ScalarName, N extends Lanes> {
  /** `+`. */
  add(other: Vector<S, N> | ScalarValue<S>): Vector<S, N>;
  /** `-`. */
  sub(other: Vector<S, N> | ScalarValue<S>): Vector<S, N>;
  /** `*`. */
  mul(other: Vector<S, N> | ScalarValue<S>): Vector<S, N>;
  /** `/`; of integers the whole quotient. */
  div(other: Vector<S, N> | ScalarValue<S>): Vector<S, N>;
  /** `%`, of integers. */
  mod(other: Vector<S, N> | ScalarValue<S>): Vector<S, N>;
  /** `&`, of integers. */
  and(other: Vector<S, N> | ScalarValue<S>): Vector<S, N>;
  /** `|`, of integers. */
  or(other: Vector<S, N> | ScalarValue<S>): Vector<S, N>;
  /** `^`, of integers. */
  xor(other: Vector<S, N> | ScalarValue<S>): Vector<S, N>;
  /** `<<`, by the bits of the count that the width has. */
  shl(other: Vector<S, N> | ScalarValue<S>): Vector<S, N>;
  /** `>>`, which keeps the sign of signed integers. */
  shr(other: Vector<S, N> | ScalarValue<S>): Vector<S, N>;
  /** `<`: -1 where it holds, else 0. */
  lt(other: Vector<S, N> | ScalarValue<S>): Vector<TruthOf<S>, N>;
  /** `<=`. */
  le(other: Vector<S, N> | ScalarValue<S>): Vector<TruthOf<S>, N>;
  /** `>`. */
  gt(other: Vector<S, N> | ScalarValue<S>): Vector<TruthOf<S>, N>;
  /** `>=`. */
  ge(other: Vector<S, N> | ScalarValue<S>): Vector<TruthOf<S>, N>;
  /** `==`. */
  eq(other: Vector<S, N> | ScalarValue<S>): Vector<TruthOf<S>, N>;
  /** `!=`. */
  ne(other: Vector<S, N> | ScalarValue<S>): Vector<TruthOf<S>, N>;
  /** `-a`. */
  neg(): Vector<S, N>;
  /** `~a`, of integers. */
  not(): Vector<S, N>;
  /** Another vector with the same components. */
  clone(): Vector<S, N>;
}

type Letter<N extends Lanes> = N extends 2 ? "x" | "y" : N extends 3 ? "x" | "y" | "z" : "x" | "y" | "z" | "w";
type Digit = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7";
type DigitOf<N extends Lanes> = N extends 2
  ? "0" | "1"
  : N extends 3
    ? "0" | "1" | "2"
    : N extends 4
      ? "0" | "1" | "2" | "3"
      : N extends 8
        ? Digit
        : Digit | "8" | "9" | "a" | "b" | "c" | "d" | "e" | "f";
type Half<N extends Lanes> = N extends 16 ? 8 : N extends 8 ? 4 : 2;
type Pairs<L extends string> = `${L}${L}`;

/** Components by number and by name; several make a vector. @public */
export type Components<S extends ScalarName, N extends Lanes> = {
  /** The component of a number. */
  [index: number]: ScalarValue<S>;
} & {
  [K in Letter<N> | `s${DigitOf<N>}`]: ScalarValue<S>;
} & { [K in Pairs<Letter<N>> | `s${Pairs<DigitOf<N>>}`]: Vector<S, 2> } & {
  [K in `${Pairs<Letter<N>>}${Letter<N>}`]: Vector<S, 3>;
} & { [K in `${Pairs<Letter<N>>}${Pairs<Letter<N>>}`]: Vector<S, 4> } & (N extends 2
    ? unknown
    : {
        [K in "lo" | "hi" | "even" | "odd"]: Vector<S, Half<N>>;
      });

/** A vector. It is a value: assignment copies where kernels are translated. @public */
export type Vector<S extends ScalarName, N extends Lanes> = VectorOperators<S, N> &
  Components<S, N> & {
    /** Its type. */
    readonly type: VectorType<S, N>;
    /** Components in order. */
    readonly lanes: ScalarValue<S>[];
  };

/** A vector of any number of lanes of a scalar, as a part of another one. @public */
export interface VectorPart<S extends ScalarName> {
  /** Its type. */
  readonly type: {
    /** Which of its kind it is. */
    readonly kind: "vector";
    /** Type of a component. */
    readonly scalar: S;
  };
}

/** A vector of so many lanes of any scalar, which can be converted. @public */
export interface VectorSource<N extends Lanes> {
  /** Its type. */
  readonly type: {
    /** Which of its kind it is. */
    readonly kind: "vector";
    /** Number of components. */
    readonly lanes: N;
  };
}

/** What names a vector type, and makes its vectors. @public */
export interface VectorType<S extends ScalarName, N extends Lanes> extends VectorElement {
  /** Type of a component. */
  readonly scalar: S;
  /** Number of components. */
  readonly lanes: N;
  /** One value for all, components and vectors that make as many as there are lanes, or a vector to convert. */
  (...parts: readonly (ScalarValue<S> | VectorPart<S> | VectorSource<N>)[]): Vector<S, N>;
}

/** A vector as this file handles it. */
interface AnyVector {
  readonly type: VectorElement;
  readonly lanes: (number | bigint)[];
}

/** True for a vector. @public */
export function isVector(value: unknown): value is Vector<ScalarName, Lanes> {
  return value instanceof VectorBase;
}

class VectorBase implements AnyVector {
  readonly type: VectorElement;
  readonly lanes: (number | bigint)[];

  constructor(type: VectorElement, lanes: (number | bigint)[]) {
    this.type = type;
    this.lanes = lanes;
  }

  /** As it is shown. */
  toString(): string {
    return `${this.type.scalar}${this.type.lanes}(${this.lanes.join(", ")})`;
  }
}

type Scalar = number | bigint;
type Operation = (name: ScalarName, a: Scalar, b: Scalar) => Scalar;

const both =
  (numbers: (a: number, b: number) => number, bigints: (a: bigint, b: bigint) => bigint): Operation =>
  (name, a, b) =>
    typeof a === "bigint" ? wrap(name, bigints(a, BigInt(b))) : wrap(name, numbers(a, Number(b)));

const comparison =
  (holds: (a: Scalar, b: Scalar) => boolean): Operation =>
  (name, a, b) =>
    holds(a, b) ? (bitsOf(name) === 64 ? -1n : -1) : bitsOf(name) === 64 ? 0n : 0;

/** Operators of scalars of one type, with the type's arithmetic. */
const OPERATIONS: Readonly<Record<string, Operation>> = {
  add: both(
    (a, b) => a + b,
    (a, b) => a + b,
  ),
  sub: both(
    (a, b) => a - b,
    (a, b) => a - b,
  ),
  mul: (name, a, b) =>
    typeof a === "bigint"
      ? wrap(name, a * BigInt(b))
      : wrap(name, isReal(name) ? a * Number(b) : Math.imul(a, Number(b))),
  div: (name, a, b) => {
    if (typeof a === "bigint") return BigInt(b) === 0n ? 0n : wrap(name, a / BigInt(b));
    return isReal(name) ? wrap(name, a / Number(b)) : wrap(name, Math.trunc(a / Number(b)));
  },
  mod: (name, a, b) =>
    typeof a === "bigint" ? (BigInt(b) === 0n ? 0n : wrap(name, a % BigInt(b))) : wrap(name, a % Number(b)),
  and: both(
    (a, b) => a & b,
    (a, b) => a & b,
  ),
  or: both(
    (a, b) => a | b,
    (a, b) => a | b,
  ),
  xor: both(
    (a, b) => a ^ b,
    (a, b) => a ^ b,
  ),
  shl: (name, a, b) => {
    const count = Number(b) & (bitsOf(name) - 1);
    return wrap(name, typeof a === "bigint" ? a << BigInt(count) : a << count);
  },
  shr: (name, a, b) => {
    const count = Number(b) & (bitsOf(name) - 1);
    return wrap(name, typeof a === "bigint" ? a >> BigInt(count) : name === "uint" ? a >>> count : a >> count);
  },
  lt: comparison((a, b) => a < b),
  le: comparison((a, b) => a <= b),
  gt: comparison((a, b) => a > b),
  ge: comparison((a, b) => a >= b),
  eq: comparison((a, b) => a === b),
  ne: comparison((a, b) => a !== b),
};

const COMPARISONS: ReadonlySet<string> = new Set(["lt", "le", "gt", "ge", "eq", "ne"]);

/** An operator of scalars, with the arithmetic of their type. @internal */
export function operate(operator: string, name: ScalarName, a: number | bigint, b: number | bigint): number | bigint {
  const operation = OPERATIONS[operator];
  if (operation === undefined) throw new RangeError(`there is no operator ${operator}`);
  return operation(name, a, b);
}

/** Lanes that a name selects; null: none. @internal */
export function lanesNamed(name: string, lanes: number): readonly number[] | null {
  const whole = lanes === 3 ? 4 : lanes;
  const all = Array.from({ length: whole }, (_, i) => i);
  if (name === "lo") return all.slice(0, whole / 2);
  if (name === "hi") return all.slice(whole / 2);
  if (name === "even") return all.filter((i) => i % 2 === 0);
  if (name === "odd") return all.filter((i) => i % 2 === 1);
  const selected = /^[sS][0-9a-fA-F]+$/u.test(name)
    ? Array.from(name.slice(1)).map((digit) => Number.parseInt(digit, 16))
    : Array.from(name).map((letter) => "xyzw".indexOf(letter));
  const isKnown = [1, 2, 3, 4, 8, 16].includes(selected.length) && selected.every((lane) => lane >= 0 && lane < lanes);
  return isKnown ? selected : null;
}

/** Makes a vector of lanes. @internal */
export function makeVector(scalar: ScalarName, lanes: (number | bigint)[]): Vector<ScalarName, Lanes> {
  const Class = classOf(scalar, lanes.length as Lanes);
  return new Class(lanes) as unknown as Vector<ScalarName, Lanes>;
}

type VectorClass = new (lanes: (number | bigint)[]) => VectorBase;
const CLASSES = new Map<string, VectorClass>();

function classOf(scalar: ScalarName, lanes: Lanes): VectorClass {
  const key = `${scalar}${lanes}`;
  let known = CLASSES.get(key);
  if (known === undefined) CLASSES.set(key, (known = makeClass({ kind: "vector", scalar, lanes })));
  return known;
}

function makeClass(type: VectorElement): VectorClass {
  const Made = class extends VectorBase {
    constructor(lanes: (number | bigint)[]) {
      super(type, lanes);
    }
  };
  const { scalar, lanes } = type;
  const operand = (value: unknown): readonly Scalar[] =>
    value instanceof VectorBase ? value.lanes : Array.from({ length: lanes }, () => wrap(scalar, value as Scalar));
  const methods: Record<string, (this: VectorBase, other: unknown) => unknown> = {
    neg() {
      return makeVector(
        scalar,
        this.lanes.map((lane) => wrap(scalar, -lane)),
      );
    },
    not() {
      return makeVector(
        scalar,
        this.lanes.map((lane) => wrap(scalar, ~lane)),
      );
    },
    clone() {
      return makeVector(scalar, [...this.lanes]);
    },
  };
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    const made = COMPARISONS.has(name) ? integerOf(bitsOf(scalar), true) : scalar;
    methods[name] = function (this: VectorBase, other: unknown) {
      const right = operand(other);
      return makeVector(
        made,
        this.lanes.map((lane, i) => operation(scalar, lane, right[i] as Scalar)),
      );
    };
  }
  for (const [name, value] of Object.entries(methods)) Object.defineProperty(Made.prototype, name, { value });
  for (let i = 0; i < lanes; i++) defineComponents(Made.prototype, scalar, String(i), [i]);
  for (const name of componentNames(lanes))
    defineComponents(Made.prototype, scalar, name, lanesNamed(name, lanes) ?? []);
  return Made;
}

function defineComponents(prototype: object, scalar: ScalarName, name: string, selected: readonly number[]): void {
  const [first = 0] = selected;
  Object.defineProperty(prototype, name, {
    get(this: VectorBase) {
      return selected.length === 1
        ? this.lanes[first]
        : makeVector(
            scalar,
            selected.map((lane) => this.lanes[lane] ?? 0),
          );
    },
    set(this: VectorBase, value: unknown) {
      const parts = value instanceof VectorBase ? [...value.lanes] : [value as Scalar];
      selected.forEach((lane, i) => (this.lanes[lane] = wrap(scalar, parts[i] ?? 0)));
    },
  });
}

/** Names of components: of up to four letters, one or two digits, and the halves. */
function componentNames(lanes: number): readonly string[] {
  const letters = Array.from("xyzw").slice(0, lanes);
  const digits = Array.from("0123456789abcdef").slice(0, lanes);
  const words = (alphabet: readonly string[], length: number): readonly string[] =>
    length === 0 ? [""] : words(alphabet, length - 1).flatMap((word) => alphabet.map((letter) => word + letter));
  return [
    ...[1, 2, 3, 4].flatMap((length) => words(letters, length)),
    ...[1, 2].flatMap((length) => words(digits, length).map((word) => `s${word}`)),
    ...(lanes === 2 ? [] : ["lo", "hi", "even", "odd"]),
  ].filter((name) => lanesNamed(name, lanes) !== null);
}

/** Makes the type of a scalar and a number of lanes. @internal */
export function vectorType<S extends ScalarName, N extends Lanes>(scalar: S, lanes: N): VectorType<S, N> {
  const make = (...parts: readonly unknown[]): unknown => {
    const [only] = parts;
    const values = parts.flatMap((part): readonly Scalar[] =>
      part instanceof VectorBase ? part.lanes : [part as Scalar],
    );
    if (parts.length === 1 && !(only instanceof VectorBase))
      return makeVector(
        scalar,
        Array.from({ length: lanes }, () => convertScalar(scalar, only as Scalar) as Scalar),
      );
    if (values.length !== lanes)
      throw new RangeError(`${scalar}${lanes} takes ${lanes} components, and these are ${values.length}`);
    return makeVector(
      scalar,
      values.map((value) => convertScalar(scalar, value) as Scalar),
    );
  };
  return Object.defineProperties(make, {
    kind: { value: "vector" },
    scalar: { value: scalar },
    lanes: { value: lanes },
  }) as unknown as VectorType<S, N>;
}
