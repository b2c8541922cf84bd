// SPDX-License-Identifier: Apache-2.0
// Specialization constants: what names one, the values that are set, and how each form of a program takes them.
import { InternalError } from "@muxkit/cargo";
import type { ScalarName } from "@muxkit/kernel-library";
import { packValue } from "@muxkit/loader";

import { SyclException } from "./exception.ts";

/** Types of specialization constants. @public */
export type SpecConstantType = ScalarName;

/** The value of a specialization constant in TypeScript. @public */
export type SpecConstantValue = number | bigint | boolean;

/** A type: its values, and how they are written in OpenCL C. */
interface TypeRow {
  readonly bytes: number;
  /** Smallest and largest value; absent: it is a real number. */
  readonly limits?: readonly [bigint, bigint];
  readonly text: (value: SpecConstantValue) => string;
}

const integer = (bytes: number, isSigned: boolean, suffix: string): TypeRow => {
  const bits = BigInt(bytes * 8);
  return {
    bytes,
    limits: isSigned ? [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n] : [0n, (1n << bits) - 1n],
    text: (value) => `(${BigInt(value)}${suffix})`,
  };
};

function realText(value: number, suffix: string): string {
  if (Number.isNaN(value)) return "NAN";
  if (!Number.isFinite(value)) return value > 0 ? "INFINITY" : "(-INFINITY)";
  const digits = Object.is(value, -0) ? "-0" : String(value);
  return `(${/[.e]/u.test(digits) ? digits : `${digits}.0`}${suffix})`;
}

const TYPES: Readonly<Record<SpecConstantType, TypeRow>> = {
  bool: {
    bytes: 1,
    limits: [0n, 1n],
    text: (value) => (value ? "1" : "0"),
  },
  char: integer(1, true, ""),
  uchar: integer(1, false, ""),
  short: integer(2, true, ""),
  ushort: integer(2, false, ""),
  int: integer(4, true, ""),
  uint: integer(4, false, "u"),
  long: integer(8, true, "L"),
  ulong: integer(8, false, "UL"),
  half: {
    bytes: 2,
    text: (value) => `((half)${realText(Number(value), "f")})`,
  },
  float: {
    bytes: 4,
    text: (value) => realText(Math.fround(Number(value)), "f"),
  },
  double: {
    bytes: 8,
    text: (value) => realText(Number(value), ""),
  },
};

/** How else forms of a program know a constant. @public */
export interface SpecConstantForms {
  /** The macro that sets it in OpenCL C; absent: its name. */
  readonly macro?: string;
  /** Its `SpecId` in SPIR-V; absent: modules in SPIR-V do not have it. */
  readonly specId?: number;
}

/**
 * What names a specialization constant, the `ID` of SYCL: a type, and the value where none is set (0 unless another one
 * is given, as C++ initialises it).
 *
 * @public
 */
export class SpecConstantId<T extends SpecConstantValue = SpecConstantValue> {
  /** Its name; that of the argument where it becomes one. */
  readonly name: string;
  /** Its type. */
  readonly type: SpecConstantType;
  /** The value where none is set. */
  readonly defaultValue: T;
  /** The macro that sets it in OpenCL C. */
  readonly macro: string;
  /** Its `SpecId` in SPIR-V; null: it has none. */
  readonly specId: number | null;

  /** The default; in a kernel, the value that the module has. */
  get value(): T {
    return this.defaultValue;
  }

  /**
   * Makes one. Errors: invalid for a name that is no identifier, for an unknown type, and for a value outside of it.
   */
  constructor(name: string, type: SpecConstantType, defaultValue?: T, forms: SpecConstantForms = {}) {
    const call = "SpecConstantId";
    if (!/^[A-Za-z_]\w*$/u.test(name))
      throw new SyclException("invalid", call, `"${name}" is not an identifier; use letters, digits and _`);
    if (!Object.hasOwn(TYPES, type))
      throw new SyclException("invalid", call, `"${type}" is not a type; there are ${Object.keys(TYPES).join(", ")}`);
    this.name = name;
    this.type = type;
    const zero: SpecConstantValue = type === "bool" ? false : type === "long" || type === "ulong" ? 0n : 0;
    this.defaultValue = defaultValue ?? (zero as T);
    this.macro = forms.macro ?? name;
    this.specId = forms.specId ?? null;
    checkValue(call, this, this.defaultValue);
  }
}

/** Throws where a value is none of the constant's type. */
export function checkValue(call: string, { name, type }: SpecConstantId, value: unknown): void {
  const { limits } = TYPES[type];
  const wrong = (what: string): never => {
    throw new SyclException("invalid", call, `the constant ${name} is of type ${type} and cannot be ${what}`);
  };
  if (typeof value !== "number" && typeof value !== "bigint" && typeof value !== "boolean") wrong(`a ${typeof value}`);
  if (limits === undefined) return;
  if (typeof value === "number" && !Number.isInteger(value)) wrong(String(value));
  const whole = BigInt(value as SpecConstantValue);
  if (whole < limits[0] || whole > limits[1]) wrong(`${whole}: it goes from ${limits[0]} to ${limits[1]}`);
}

/** A value as the bytes of its type. */
export function constantBytes({ type }: SpecConstantId, value: SpecConstantValue): Uint8Array {
  const packed = packValue(type === "bool" ? "uchar" : type, TYPES[type].bytes, value);
  if (typeof packed === "string") throw new InternalError(`a checked value ${packed}`, ["sycl"]);
  return packed;
}

/** A value in a text of OpenCL C. */
export function constantText({ type }: SpecConstantId, value: SpecConstantValue): string {
  return TYPES[type].text(value);
}

/** Values that are set, by constant. */
export type SpecValues = ReadonlyMap<SpecConstantId, SpecConstantValue>;

/** Values as the options of a build of OpenCL C. */
export function constantOptions(values: SpecValues): string {
  return [...values].map(([constant, value]) => ` -D ${constant.macro}=${constantText(constant, value)}`).join("");
}

/** Values as SPIR-V takes them. */
export function specializationOf(values: SpecValues): ReadonlyMap<number, Uint8Array> {
  return new Map(
    [...values].flatMap(([constant, value]) =>
      constant.specId === null ? [] : [[constant.specId, constantBytes(constant, value)] as const],
    ),
  );
}

/** Values as text: the key of what is made for them. */
export function valuesKey(values: SpecValues): string {
  return [...values]
    .map(([constant, value]) => `${constant.macro}=${constantText(constant, value)}`)
    .toSorted()
    .join(" ");
}

/**
 * A specialization constant with the value that a module has for it (`sycl::experimental::spec_constant`). It is an
 * argument of kernels, where the value is that of the module which the command group uses.
 *
 * @public
 */
export class SpecConstant<T extends SpecConstantValue = SpecConstantValue> {
  /** What it is. */
  readonly id: SpecConstantId<T>;
  readonly #value: T;

  /** Made by `setSpecConstant` and `getSpecConstant`. @internal */
  constructor(constant: SpecConstantId<T>, value: T) {
    this.id = constant;
    this.#value = value;
  }

  /** The value. */
  get(): T {
    return this.#value;
  }

  /** The value, where an operator asks for it. */
  valueOf(): T {
    return this.#value;
  }
}
