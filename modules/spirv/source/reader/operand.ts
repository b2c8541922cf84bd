// SPDX-License-Identifier: Apache-2.0
// What an id stands for in a function. The IR has values for scalars, vectors, pointers and handles; everything else
// that SPIR-V calls a value is held here: structs and arrays member by member, addresses of variables that are written
// when they are used, built-in variables, which are queries and no memory.
import type { Global, Type, Value } from "@muxkit/ir";

import { type SpirvType, isBufferPointer } from "./types.ts";

/** A struct, an array, a matrix, or an image with its sampler: member by member. */
export class Aggregate {
  readonly kind = "aggregate";
  private readonly list: readonly Operand[];

  constructor(parts: readonly Operand[]) {
    this.list = parts;
  }

  /** The members, in order. */
  get parts(): readonly Operand[] {
    return this.list;
  }
}

/** A struct, an array or a matrix of zeros; its members are made when they are looked at. */
export class Zeros extends Aggregate {
  private readonly make: () => readonly Operand[];
  private made: readonly Operand[] | null = null;

  constructor(make: () => readonly Operand[]) {
    super([]);
    this.make = make;
  }

  /** Zeros of the members' types. */
  override get parts(): readonly Operand[] {
    return (this.made ??= this.make());
  }
}

/** A pointer into a storage or uniform buffer of a shader: the address, the buffer's first byte, and its size. */
export class BufferPointer extends Aggregate {
  readonly address: Operand;
  readonly begin: Operand;
  readonly bytes: Operand;

  constructor(address: Operand, begin: Operand, bytes: Operand) {
    super([address, begin, bytes]);
    this.address = address;
    this.begin = begin;
    this.bytes = bytes;
  }
}

/** What a value of a type is that consists of these parts. */
export function madeOf(type: SpirvType, parts: readonly Operand[]): Operand {
  const [address, begin, bytes] = parts;
  return isBufferPointer(type) && address !== undefined && begin !== undefined && bytes !== undefined
    ? new BufferPointer(address, begin, bytes)
    : new Aggregate(parts);
}

/** An image or a sampler of an array by an index that is no constant. */
export class DescriptorChoice {
  readonly kind = "choice";
  readonly index: Value;
  readonly parts: readonly Operand[];

  constructor(index: Value, parts: readonly Operand[]) {
    this.index = index;
    this.parts = parts;
  }
}

/** A variable of a shader outside of functions; each function that uses it has it as something of its own. */
export class OuterVariable {
  readonly kind = "outer";
  readonly id: number;

  constructor(id: number) {
    this.id = id;
  }
}

/** The address of a global variable, plus bytes: a constant. */
export class ConstantAddress {
  readonly kind = "constant-address";
  readonly global: Global;
  readonly addend: number;
  /** The pointer type that it has, which may be one into another address space. */
  readonly type: Type;

  constructor(global: Global, addend: number, type: Type) {
    this.global = global;
    this.addend = addend;
    this.type = type;
  }
}

/** A pointer to a built-in variable, or to one component of it. */
export class BuiltInAddress {
  readonly kind = "built-in";
  /** The value of the decoration `BuiltIn`. */
  readonly variable: number;
  /** What is loaded through it. */
  readonly type: SpirvType;
  /** The component; null: all of it. */
  readonly component: Value | null;

  constructor(variable: number, type: SpirvType, component: Value | null) {
    this.variable = variable;
    this.type = type;
    this.component = component;
  }
}

/** A sampler that the module makes, as OpenCL's bits. */
export class LiteralSampler {
  readonly kind = "sampler";
  readonly bits: number;

  constructor(bits: number) {
    this.bits = bits;
  }
}

/** What an id stands for. */
export type Operand =
  | Value
  | Aggregate
  | ConstantAddress
  | BuiltInAddress
  | LiteralSampler
  | DescriptorChoice
  | OuterVariable;

/** True for what the IR has as one value. */
export function isValue(operand: Operand): operand is Value {
  const { kind } = operand;
  return kind === "constant" || kind === "parameter" || kind === "instruction";
}
