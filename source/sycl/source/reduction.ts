// SPDX-License-Identifier: Apache-2.0
// Reductions (`sycl::reduction`): each work-item gives a value, and all of them are combined into one element.
//
// The kernel's argument is a pointer to partial results, one for each work-item by its linear id, which begin as the
// identity. When the kernel is done the host combines them in the order of the ids, so the result is the same in every
// run. A kernel that combines in its work-group (work_group_reduce_add) writes one of them for the group, and the host
// has less to do, as it looks only at those of the work-groups then: `reduction(target, identity, plus, "groups")`.
import { DeviceAccessor } from "./accessor.ts";
import { SyclException, ensure } from "./exception.ts";
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

/** How many partial results there are: one for each work-item, or one for each work-group. @public */
export type ReductionScope = "items" | "groups";

/** What a reduction is told. @public */
export interface ReductionOptions {
  /** What the kernel writes; absent: one for each work-item. */
  readonly scope?: ReductionScope;
  /** Property `initialize_to_identity`: what the element was before does not count. */
  readonly initializeToIdentity?: boolean;
}

/** A reduction: an argument of a kernel. Made by {@link reduction}. @public */
export class Reduction<T extends TypedArray = TypedArray> {
  readonly #target: DeviceAccessor<T> | UsmPointer<T>;
  readonly #identity: ElementOf<T>;
  readonly #combine: Combiner;
  readonly #options: ReductionOptions;
  #count = 0;
  #storage: Storage | null = null;

  /** See {@link reduction}. @internal */
  constructor(
    target: DeviceAccessor<T> | UsmPointer<T>,
    identity: ElementOf<T>,
    combine: Combiner,
    options: ReductionOptions,
  ) {
    this.#target = target;
    this.#identity = identity;
    this.#combine = combine;
    this.#options = options;
  }

  /** A launch of so many work-items in so many work-groups begins. @internal */
  begin(items: number, groups: number): void {
    this.#count = this.#options.scope === "groups" ? groups : items;
  }

  /** The partial results, for a launch. @internal */
  partials(call: string, runtime: RuntimeDevice): Storage {
    this.#storage ??= runtime.allocate(call, Math.max(this.#count, 1) * this.#target.type.BYTES_PER_ELEMENT);
    return this.#storage;
  }

  /** The identity as bytes. @internal */
  get pattern(): Uint8Array {
    const one = new this.#target.type(1);
    elementsOf(one)[0] = this.#identity;
    return new Uint8Array(one.buffer);
  }

  /** Memory of the target, which commands keep. @internal */
  targetStorage(call: string, runtime: RuntimeDevice): { readonly storage: Storage; readonly offset: number } {
    const target = this.#target;
    return target instanceof DeviceAccessor
      ? { storage: target.part.memory.storageOn(call, runtime), offset: target.part.start }
      : storageAt(call, target, target.type.BYTES_PER_ELEMENT);
  }

  /** Gives the partial results to the commands that use them. @internal */
  end(): void {
    this.#storage?.unuse();
    this.#storage = null;
  }

  /** Combines the partial results into the target: runs on the host when the kernel is done. @internal */
  finisher(call: string, runtime: RuntimeDevice): () => void {
    const { type } = this.#target;
    const [partials, count] = [this.partials(call, runtime), this.#count];
    const { storage, offset } = this.targetStorage(call, runtime);
    const combine = this.#combine as (left: ElementOf<T>, right: ElementOf<T>) => ElementOf<T>;
    const identity = this.#options.initializeToIdentity === true ? this.#identity : null;
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

/**
 * A reduction into the first element of an accessor or of a pointer's memory. Errors: accessor for an accessor that
 * does not read and write; invalid for another target.
 *
 * @public
 */
export function reduction<T extends TypedArray>(
  target: DeviceAccessor<T> | UsmPointer<T>,
  identity: ElementOf<T>,
  combine: Combiner,
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
  return new Reduction(target, identity, combine, options);
}
