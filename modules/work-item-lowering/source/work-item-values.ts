// SPDX-License-Identifier: Apache-2.0
// Values for the work-item parameters (ir/source/calling-convention.ts), and arithmetic on them that several passes
// write.
import { assert } from "@muxkit/cargo";
import {
  type Builder,
  type Constant,
  type IrFunction,
  Op,
  type Type,
  type Value,
  WORK_ITEM_PARAMETERS,
  WORK_ITEM_PARAMETER_COUNT,
  type WorkItemParameterName,
  constantInt,
  workItemParameter,
  workItemPosition,
} from "@muxkit/ir";

/** A value for each of the work-item parameters. */
export class WorkItemValues {
  /** Their type: the index type of the data layout. */
  readonly type: Type;
  private readonly values: (Value | null)[] = Array.from({ length: WORK_ITEM_PARAMETER_COUNT }, () => null);

  constructor(type: Type) {
    this.type = type;
  }

  set(name: WorkItemParameterName, axis: number, value: Value): void {
    this.values[workItemPosition(name, axis)] = value;
  }

  get(name: WorkItemParameterName, axis: number = 0): Value {
    const value = this.values[workItemPosition(name, axis)];
    assert(value !== null && value !== undefined, () => `the work-item value ${name} ${axis} is not set`);
    return value;
  }

  /** All of them in their order, as a call passes them. */
  get list(): readonly Value[] {
    return WORK_ITEM_PARAMETERS.flatMap(([name, components]) =>
      Array.from({ length: components }, (_, axis) => this.get(name, axis)),
    );
  }

  /** A number of the index type. */
  constant(value: number): Constant {
    return constantInt(this.type, value);
  }
}

/** The work-item parameters of a function as values. Throws InternalError for a function of another convention. */
export function workItemValues(fn: IrFunction): WorkItemValues {
  const values = new WorkItemValues(workItemParameter(fn, "linear").type);
  for (const [name, components] of WORK_ITEM_PARAMETERS)
    for (let axis = 0; axis < components; axis++) values.set(name, axis, workItemParameter(fn, name, axis));
  return values;
}

/** Local id, all dimensions in one, x fastest. */
export function linearId(builder: Builder, values: WorkItemValues): Value {
  const add = (a: Value, b: Value): Value => builder.same(Op.ADD, a, b);
  const multiply = (a: Value, b: Value): Value => builder.same(Op.MUL, a, b);
  return add(
    multiply(
      add(multiply(values.get("local", 2), values.get("size", 1)), values.get("local", 1)),
      values.get("size", 0),
    ),
    values.get("local", 0),
  );
}

/** Work-items of a group: `size` for this one, `enqueued` for a whole one. */
export function groupItems(builder: Builder, values: WorkItemValues, name: "size" | "enqueued"): Value {
  return builder.same(Op.MUL, builder.same(Op.MUL, values.get(name, 0), values.get(name, 1)), values.get(name, 2));
}

/** Sub-groups that so many work-items make. */
export function subGroupCount(builder: Builder, values: WorkItemValues, items: Value): Value {
  const size = values.get("subGroup");
  return builder.same(Op.UDIV, builder.same(Op.ADD, items, builder.same(Op.SUB, size, values.constant(1))), size);
}
