// SPDX-License-Identifier: Apache-2.0
// Reductions: values of all work-items are combined into one, on the device.
//
// A work-item combines its values in a variable that begins as the identity. When the kernel ends, the work-group
// combines these by halves in local memory: of n values, the ones from the middle on (rounded up) are combined into the
// ones before, until there is one, which is the group's partial result. One more work-group combines the partial
// results: work-item i those of the groups i, i + g, i + 2 g … (g work-items), and then by halves as above; the element
// that was there before comes first where it counts. So the order of a sum follows from the sizes of the launch alone.
import { type ElementType, type ScalarName, sizeOf } from "./translated.ts";

/** Operators of reductions, by SYCL's names. @public */
export type ReductionOperator = "plus" | "multiplies" | "minimum" | "maximum" | "bit_and" | "bit_or" | "bit_xor";

declare const operation: unique symbol;

/**
 * A parameter of a kernel that combines a value of each work-item: `sum.combine(x)`. The operator is a name, or the
 * type of a function of the module that combines two values: `typeof longest`.
 *
 * @public
 */
export interface Reducer<T, O extends ReductionOperator | ((left: never, right: never) => unknown)> {
  /** Combines a value with those before. */
  combine(value: T): void;
  /** The operator, for the checker alone. */
  readonly [operation]?: O;
}

/** A reducer that runs on the host, with what it has combined. @public */
export interface HostReducer<T> {
  /** What was combined so far. */
  readonly value: T;
  /** Combines a value: by the arithmetic of its type where a translator says it, else by the reducer's own function. */
  combine(value: T, typed?: (left: T, right: T) => T): void;
}

/** A reducer for `runOnHost`. @public */
export function hostReducer<T>(identity: T, combine: (left: T, right: T) => T): HostReducer<T> {
  let value = identity;
  return {
    get value() {
      return value;
    },
    combine: (other, typed = combine) => {
      value = typed(value, other);
    },
  };
}

/** Work-items that combine the partial results of a launch. @public */
export const FINISHING_ITEMS = 64;

/** Text that combines two expressions of OpenCL C. @public */
export type CombinationText = (left: string, right: string) => string;

/** Combination of two scalars by an operator, in OpenCL C. @public */
export function combinationText(operator: ReductionOperator, type: ScalarName): CombinationText {
  const infix: Readonly<Partial<Record<ReductionOperator, string>>> = {
    plus: "+",
    multiplies: "*",
    bit_and: "&",
    bit_or: "|",
    bit_xor: "^",
  };
  const sign = infix[operator];
  if (sign !== undefined) return (left, right) => `(${type})(${left} ${sign} ${right})`;
  return (left, right) => `${operator === "minimum" ? "min" : "max"}(${left}, ${right})`;
}

/** Lines of OpenCL C: a work-group of `size` combines the values of its items `id` in local memory, in which it ends. @public */
export function halvingLines(scratch: string, value: string, combine: CombinationText): readonly string[] {
  return [
    `${scratch}[reduction_id] = ${value};`,
    "barrier(CLK_LOCAL_MEM_FENCE);",
    "for (uint count = reduction_size; count > 1;) {",
    "  const uint middle = (count + 1) / 2;",
    "  if (reduction_id < count - middle) {",
    `    ${scratch}[reduction_id] = ${combine(`${scratch}[reduction_id]`, `${scratch}[reduction_id + middle]`)};`,
    "  }",
    "  barrier(CLK_LOCAL_MEM_FENCE);",
    "  count = middle;",
    "}",
  ];
}

/** The kernel that combines partial results. @public */
export function finishingText(entry: string, type: string, combine: CombinationText): readonly string[] {
  return [
    `kernel void ${entry}(global const ${type}* partials, uint count, global ${type}* target, uint keeps, ` +
      `local ${type}* scratch, ${type} identity) {`,
    "  const uint reduction_id = (uint)get_local_id(0);",
    "  const uint reduction_size = (uint)get_local_size(0);",
    `  ${type} value = identity;`,
    "  for (uint i = reduction_id; i < count; i += reduction_size) {",
    `    value = ${combine("value", "partials[i]")};`,
    "  }",
    ...halvingLines("scratch", "value", combine).map((line) => `  ${line}`),
    "  if (reduction_id == 0) {",
    `    const ${type} all = scratch[0];`,
    "    if (keeps != 0) {",
    `      target[0] = ${combine("target[0]", "all")};`,
    "    } else {",
    "      target[0] = all;",
    "    }",
    "  }",
    "}",
  ];
}

/** Bytes of local memory that so many work-items combine in. @public */
export function scratchBytes(type: ElementType, items: number): number {
  return sizeOf(type) * items;
}
