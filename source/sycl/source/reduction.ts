// SPDX-License-Identifier: Apache-2.0
// Reductions (`sycl::reduction`): each work-item gives values, and all of them are combined into one element.
//
// A translated kernel takes a `Reducer`, combines in its work-groups, and comes with a kernel for the rest; the order
// is that of modules/kernel-library/source/reductions.ts. Other kernels write to a pointer: a partial result of each
// work-item by its linear id, or of each work-group, which begin as the identity. These are combined in the same way by
// a kernel that is built for the type and the operator. Functions of the program's own are called by the host, in the
// order of the ids, and so are operators where the device has no compiler. The result is the same in every run.
import {
  type ElementType,
  type ReducerParameter,
  type ReductionOperator,
  type ScalarName,
  hostMemory,
  sizeOf,
} from "@muxkit/kernel-library";

import { DeviceAccessor } from "./accessor.ts";
import { SyclException, ensure } from "./exception.ts";
import { type ReducedLaunch, ReductionArgument } from "./reduction-argument.ts";
import type { RuntimeDevice, Storage } from "./runtime-device.ts";
import { type ElementOf, type TypedArray, elementsOf } from "./typed-array.ts";
import { UsmPointer, storageAt } from "./usm.ts";

/** Combines two elements; associative and commutative. @public */
export type Combiner = <N extends number | bigint>(left: N, right: N) => N;

/** `sycl::plus`. @public */
export const plus: Combiner = (left, right) => ((left as number) + (right as number)) as typeof left;
/** `sycl::multiplies`. @public */
export const multiplies: Combiner = (left, right) => ((left as number) * (right as number)) as typeof left;
/** `sycl::minimum`. @public */
export const minimum: Combiner = (left, right) => (right < left ? right : left);
/** `sycl::maximum`. @public */
export const maximum: Combiner = (left, right) => (right > left ? right : left);
/** `sycl::bit_and`. @public */
export const bitAnd: Combiner = (left, right) => ((left as number) & (right as number)) as typeof left;
/** `sycl::bit_or`. @public */
export const bitOr: Combiner = (left, right) => ((left as number) | (right as number)) as typeof left;
/** `sycl::bit_xor`. @public */
export const bitXor: Combiner = (left, right) => ((left as number) ^ (right as number)) as typeof left;

/** SYCL's names of the operators that kernels have. */
const OPERATORS: ReadonlyMap<unknown, ReductionOperator> = new Map<unknown, ReductionOperator>([
  [plus, "plus"],
  [multiplies, "multiplies"],
  [minimum, "minimum"],
  [maximum, "maximum"],
  [bitAnd, "bit_and"],
  [bitOr, "bit_or"],
  [bitXor, "bit_xor"],
]);

/** What kernels call the elements of arrays. */
const SCALARS: Readonly<Record<string, ScalarName>> = {
  Int8Array: "char",
  Uint8Array: "uchar",
  Int16Array: "short",
  Uint16Array: "ushort",
  Int32Array: "int",
  Uint32Array: "uint",
  BigInt64Array: "long",
  BigUint64Array: "ulong",
  Float32Array: "float",
  Float64Array: "double",
};

/** How many partial results there are: one for each work-item, or one for each work-group. @public */
export type ReductionScope = "items" | "groups";

/** What a reduction is told. @public */
export interface ReductionOptions {
  /** What the kernel writes; absent: one for each work-item. */
  readonly scope?: ReductionScope;
  /** Property `initialize_to_identity`: what the element was before does not count. */
  readonly initializeToIdentity?: boolean;
}

/** A function of the program's own that combines two values. @public */
export type OwnCombiner = (left: never, right: never) => unknown;

/** A reduction: an argument of a kernel. Made by {@link reduction}. @public */
export class Reduction<T extends TypedArray = TypedArray> extends ReductionArgument {
  readonly #target: DeviceAccessor<T> | UsmPointer<T>;
  readonly #identity: unknown;
  readonly #combine: Combiner | OwnCombiner;
  readonly #options: ReductionOptions;
  readonly #scalar: ElementType;
  #element: ElementType;
  #count = 0;
  #groupItems = 1;
  #storage: Storage | null = null;

  /** See {@link reduction}. @internal */
  constructor(
    target: DeviceAccessor<T> | UsmPointer<T>,
    identity: unknown,
    combine: Combiner | OwnCombiner,
    options: ReductionOptions,
  ) {
    super();
    this.#target = target;
    this.#identity = identity;
    this.#combine = combine;
    this.#options = options;
    this.#scalar = { kind: "scalar", name: SCALARS[target.type.name] ?? "int" };
    this.#element = this.#scalar;
  }

  /** The operator; null: a function of the program's own. @internal */
  override get operator(): ReductionOperator | null {
    return OPERATORS.get(this.#combine) ?? null;
  }

  /**
   * A launch begins; `parameter`: the kernel's reducer. Error: kernel_argument for another operator than that of the
   * kernel, and for a target that is too small.
   *
   * @internal
   */
  override begin(call: string, { items, groups, groupItems }: ReducedLaunch, parameter: ReducerParameter | null): void {
    this.#element = parameter?.element ?? this.#scalar;
    this.#count = parameter !== null || this.#options.scope === "groups" ? groups : items;
    this.#groupItems = groupItems;
    if (parameter === null) return;
    const { name, operator, element } = parameter;
    const own = this.operator ?? "function";
    ensure(
      own === operator,
      "kernel_argument",
      call,
      () => `the reducer ${name} combines by ${wordsFor(operator)}, and the reduction by ${wordsFor(own)}`,
    );
    const bytes = this.#target.type.BYTES_PER_ELEMENT;
    const least = sizeOf(element);
    ensure(
      this.#target instanceof UsmPointer || this.#target.size * bytes >= least,
      "kernel_argument",
      call,
      () => `the reducer ${name} needs ${least} bytes for its result`,
    );
  }

  /** Type of what is combined. @internal */
  override get element(): ElementType {
    return this.#element;
  }

  /** How many partial results there are. @internal */
  override get count(): number {
    return this.#count;
  }

  /** Items of a work-group. @internal */
  override get groupItems(): number {
    return this.#groupItems;
  }

  /** True where the element that is there counts. @internal */
  override get keeps(): boolean {
    return this.#options.initializeToIdentity !== true;
  }

  /** The partial results, for a launch. @internal */
  override partials(call: string, runtime: RuntimeDevice): Storage {
    this.#storage ??= runtime.allocate(call, Math.max(this.#count, 1) * sizeOf(this.#element));
    return this.#storage;
  }

  /** The identity as bytes. @internal */
  override get pattern(): Uint8Array {
    const bytes = new Uint8Array(sizeOf(this.#element));
    (hostMemory(this.#element, bytes) as { [index: number]: unknown })[0] = this.#identity;
    return bytes;
  }

  /** Memory of the target, which commands keep. @internal */
  override targetStorage(call: string, runtime: RuntimeDevice): { readonly storage: Storage; readonly offset: number } {
    const target = this.#target;
    return target instanceof DeviceAccessor
      ? { storage: target.part.memory.storageOn(call, runtime), offset: target.part.start }
      : storageAt(call, target, sizeOf(this.#element));
  }

  /** Gives the partial results to the commands that use them. @internal */
  override end(): void {
    this.#storage?.unuse();
    this.#storage = null;
  }

  /** Combines the partial results into the target: runs on the host when the kernel is done. @internal */
  override finisher(call: string, runtime: RuntimeDevice): () => void {
    const { type } = this.#target;
    const [partials, count] = [this.partials(call, runtime), this.#count];
    const { storage, offset } = this.targetStorage(call, runtime);
    const combine = this.#combine as (left: ElementOf<T>, right: ElementOf<T>) => ElementOf<T>;
    const identity = this.keeps ? null : (this.#identity as ElementOf<T>);
    return () => {
      const from = partials.bytes(call);
      const to = storage.bytes(call);
      const values = elementsOf(new type(from.buffer, from.byteOffset, count));
      const target = elementsOf(new type(to.buffer, to.byteOffset + offset, 1));
      // What narrow elements lose is lost at each step, as on a device.
      const step = elementsOf(new type(1));
      step[0] = identity ?? (target[0] as ElementOf<T>);
      for (let i = 0; i < count; i++) step[0] = combine(step[0], values[i] as ElementOf<T>);
      target[0] = step[0];
    };
  }
}

function wordsFor(operator: ReductionOperator | "function"): string {
  return operator === "function" ? "a function of the program" : operator;
}

/**
 * A reduction into the first element of an accessor or of a pointer's memory. A `Reducer` of a kernel may be of vectors
 * or records: the identity is one, then. Errors: accessor for an accessor that does not read and write; invalid for
 * another target, and for operators of bits with floats.
 *
 * @public
 */
export function reduction<T extends TypedArray>(
  target: DeviceAccessor<T> | UsmPointer<T>,
  identity: ElementOf<T> | object,
  combine: Combiner | OwnCombiner,
  options: ReductionOptions = {},
): Reduction<T> {
  const call = "reduction";
  if (target instanceof DeviceAccessor)
    ensure(
      target.mode === "read_write" || (target.mode === "write" && options.initializeToIdentity === true),
      "accessor",
      call,
      `the result is read and written, and the accessor is for "${target.mode}"; use read_write`,
    );
  else if (!(target instanceof UsmPointer))
    throw new SyclException(
      "invalid",
      call,
      "the target is neither an accessor nor a pointer to unified shared memory",
    );
  ensure(
    typeof combine === "function",
    "invalid",
    call,
    "the combiner is not a function; use plus, minimum and the like",
  );
  const operator = OPERATORS.get(combine) ?? "";
  ensure(
    !(operator.startsWith("bit_") && target.type.name.startsWith("Float")),
    "invalid",
    call,
    () => `${operator} combines integers, and the target has floats`,
  );
  return new Reduction(target, identity, combine, options);
}
