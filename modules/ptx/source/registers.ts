// SPDX-License-Identifier: Apache-2.0
/**
 * Virtual registers of PTX. There is no allocation here: ptxas colours them. A scalar has one register, a vector one
 * for each lane. Ints of at most 32 bits are in registers of 32 bits, extended with zeros; an i1 is a predicate.
 */
import { InternalError } from "@muxkit/cargo";
import { type Type, laneCount, scalarOf } from "@muxkit/ir";

/** Classes of registers. */
export type RegisterClass = "pred" | "b16" | "b32" | "b64" | "f32" | "f64";

interface ClassRow {
  /** What names of its registers begin with, after `%`. */
  readonly prefix: string;
  /** Bits of a register. */
  readonly bits: number;
}

const CLASSES: Readonly<Record<RegisterClass, ClassRow>> = {
  pred: { prefix: "p", bits: 1 },
  b16: { prefix: "h", bits: 16 },
  b32: { prefix: "r", bits: 32 },
  b64: { prefix: "rd", bits: 64 },
  f32: { prefix: "f", bits: 32 },
  f64: { prefix: "fd", bits: 64 },
};

const CLASS_NAMES: readonly RegisterClass[] = ["pred", "b16", "b32", "b64", "f32", "f64"];

const FLOAT_CLASSES: Readonly<Record<number, RegisterClass>> = { 16: "b16", 32: "f32", 64: "f64" };

/** The class of a scalar of a type. Pointers have 64 bits. Throws InternalError for types without values. */
export function classOf(type: Type): RegisterClass {
  const { kind, bits } = type;
  if (kind === "pointer") return "b64";
  if (kind === "int") return bits === 1 ? "pred" : bits === 64 ? "b64" : "b32";
  const found = kind === "float" ? FLOAT_CLASSES[bits] : undefined;
  if (found === undefined) throw new InternalError(`no register holds ${type.text}`);
  return found;
}

/** Registers of one function. */
export class Registers {
  private readonly counts: Record<RegisterClass, number> = { pred: 0, b16: 0, b32: 0, b64: 0, f32: 0, f64: 0 };

  /** A new register. */
  take(registerClass: RegisterClass): string {
    return `%${CLASSES[registerClass].prefix}${++this.counts[registerClass]}`;
  }

  /** A new register for each lane of a type. */
  takeLanes(type: Type): readonly string[] {
    const registerClass = classOf(scalarOf(type));
    return Array.from({ length: laneCount(type) }, () => this.take(registerClass));
  }

  /** Declarations of all registers that were taken. */
  declarations(): readonly string[] {
    return CLASS_NAMES.filter((name) => this.counts[name] > 0).map(
      (name) => `.reg .${name} %${CLASSES[name].prefix}<${this.counts[name] + 1}>;`,
    );
  }
}
