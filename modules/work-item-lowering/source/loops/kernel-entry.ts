// SPDX-License-Identifier: Apache-2.0
// The entry of a kernel (docs/kernel-abi.md): the function that the runtime calls. It unpacks the arguments, reads what
// the dispatch and worker blocks say, and runs the groups of the call: flat rows through groups (flat-rows.ts), or
// group by group (group-loop.ts) the body (vector-rows.ts), the regions (region-dispatch.ts), or regions of sub-groups
// (sub-group-dispatch.ts).
import { assert } from "@muxkit/cargo";
import {
  Builder,
  CONSTANT,
  I32,
  IrFunction,
  KERNEL_ENTRY,
  LOCAL,
  type Module,
  Op,
  PRIVATE,
  type Type,
  VOID,
  type Value,
  constantInt,
  indexType,
  pointerType,
} from "@muxkit/ir";
import {
  ENTRY_PARAMETERS,
  KERNEL_DONE,
  LIVE_ITEM_MULTIPLE,
  type DispatchField,
  type WorkerField,
} from "@muxkit/kernel-abi";
import { isStructArgument } from "@muxkit/passes";

import { abiPointerBytes, readAbiField } from "../abi-fields.ts";
import { WorkItemValues, groupItems } from "../work-item-values.ts";
import { AXES, type EntryFrame, type EntryKernel } from "./entry-frame.ts";
import { eachFlatRow } from "./flat-rows.ts";
import { type GroupRange, eachGroup } from "./group-loop.ts";
import { dispatchRegions } from "./region-dispatch.ts";
import { dispatchSubGroups } from "./sub-group-dispatch.ts";
import { runSubGroupVariants, variantRunner } from "./variants.ts";
import { eachItem, type RowRunner } from "./vector-rows.ts";

/** Most alignment that a load of an argument claims. */
const MOST_ALIGNMENT = 16;

class EntryWriter {
  private readonly kernel: EntryKernel;
  private readonly module: Module;
  private readonly builder: Builder;
  private readonly fn: IrFunction;
  private readonly values: WorkItemValues;

  constructor(kernel: EntryKernel, module: Module) {
    const type = indexType(module.layout);
    this.kernel = kernel;
    this.module = module;
    this.fn = new IrFunction(
      kernel.name,
      I32,
      ENTRY_PARAMETERS.map((name) => ({ name, type })),
    );
    this.fn.convention = KERNEL_ENTRY;
    module.addFunction(this.fn);
    this.builder = new Builder(this.fn.addBlock("entry"));
    this.values = new WorkItemValues(type);
  }

  private parameter(name: (typeof ENTRY_PARAMETERS)[number]): Value {
    const value = this.fn.parameters[ENTRY_PARAMETERS.indexOf(name)];
    assert(value !== undefined, "an entry has five parameters");
    return value;
  }

  private dispatch(field: DispatchField, element: number = 0): Value {
    const { builder, module } = this;
    return readAbiField(builder, module.layout, this.parameter("dispatch"), { block: "dispatch", field }, element);
  }

  private worker(field: WorkerField, element: number = 0): Value {
    const { builder, module } = this;
    return readAbiField(builder, module.layout, this.parameter("worker"), { block: "worker", field }, element);
  }

  write(): IrFunction {
    const { builder, values, kernel, module, fn } = this;
    const { type } = values;
    values.set("dispatch", 0, this.parameter("dispatch"));
    values.set("worker", 0, this.parameter("worker"));
    const arena = this.worker("arenaBase");
    values.set("arena", 0, arena);
    values.set("data", 0, this.dispatch("programData"));
    const setStack = this.intrinsic(kernel.machine.stack.intrinsics.setStack, VOID, [type]);
    builder.call(setStack, [builder.same(Op.ADD, arena, this.dispatch("privateOffset"))]);
    this.readSizes();
    const args = this.unpack(arena);
    const counts = AXES.map((axis) => this.dispatch("rangeCount", axis));
    const bases = AXES.map((axis) => this.worker("groupBase", axis));
    const [nx, ny] = counts;
    const [bx, by, bz] = bases;
    assert(
      nx !== undefined && ny !== undefined && bx !== undefined && by !== undefined && bz !== undefined,
      "three axes",
    );
    const oneByOne =
      kernel.vectors.unsure.size === 0
        ? null
        : builder.compare(Op.NE, this.dispatch("flags"), constantInt(values.type, 0));
    const frame: EntryFrame = { kernel, module, builder, fn, values, args, frames: this.spillFrames(arena), oneByOne };
    this.run(frame, {
      first: this.parameter("first"),
      end: this.parameter("end"),
      counts: [nx, ny],
      bases: [bx, by, bz],
    });
    builder.return(constantInt(I32, KERNEL_DONE));
    return fn;
  }

  private run(frame: EntryFrame, range: GroupRange): void {
    const { plan, isFlat } = this.kernel;
    if (isFlat) eachFlatRow(frame, range, this.bodyRunner(frame));
    else
      eachGroup(frame, range, () => {
        if (plan === null) this.runBody(frame);
        else if (plan.subGroupRegions > 0) dispatchSubGroups(frame, plan);
        else dispatchRegions(frame, plan);
      });
  }

  /** Reads the sizes of the NDRange from the dispatch block. */
  private readSizes(): void {
    const { values, kernel } = this;
    const known = kernel.specialization;
    for (const axis of AXES) {
      values.set("global", axis, this.dispatch("globalSize", axis));
      values.set("groups", axis, this.dispatch("groupCount", axis));
      values.set("offset", axis, known?.zeroOffset === true ? values.constant(0) : this.dispatch("globalOffset", axis));
      values.set(
        "enqueued",
        axis,
        known === null ? this.dispatch("localSize", axis) : values.constant(known.localSize[axis]),
      );
    }
    values.set("subGroup", 0, values.constant(kernel.subGroupSize));
  }

  /** The spill frames of the group's work-items. */
  private spillFrames(arena: Value): EntryFrame["frames"] {
    const { builder, values } = this;
    const live = builder.same(Op.ADD, arena, this.dispatch("liveOffset"));
    const items = groupItems(builder, values, "enqueued");
    const room = builder.same(
      Op.AND,
      builder.same(Op.ADD, items, values.constant(LIVE_ITEM_MULTIPLE - 1)),
      values.constant(-LIVE_ITEM_MULTIPLE),
    );
    return { live: builder.convert(Op.INTTOPTR, live, pointerType(PRIVATE)), room };
  }

  private intrinsic(name: string, result: Type, parameters: readonly Type[]): IrFunction {
    return (
      this.module.functions.get(name) ??
      this.module.addFunction(
        new IrFunction(
          name,
          result,
          parameters.map((type) => ({ type, name: "" })),
        ),
      )
    );
  }

  /** The kernel's own arguments. */
  private unpack(arena: Value): Value[] {
    const { builder, kernel, module, values } = this;
    const word = abiPointerBytes(module.layout);
    const args = builder.convert(Op.INTTOPTR, this.parameter("args"), pointerType(CONSTANT));
    const addressOf = (i: number, within: number): Value => {
      const offset = (kernel.offsets[i] ?? 0) + within;
      return offset === 0 ? args : builder.address(args, null, 0, offset);
    };
    const own = kernel.description.arguments.map((argument, i) => {
      const type = kernel.parameterTypes[i];
      assert(type !== undefined, "a parameter for each argument");
      const address = addressOf(i, 0);
      if (argument.kind === "local") {
        const base = builder.convert(Op.INTTOPTR, arena, pointerType(LOCAL));
        return builder.address(base, builder.load(values.type, address, word), 1, 0);
      }
      // An image is its descriptor, which is stored among the arguments.
      if (argument.kind === "image") return address;
      // A struct by value: the kernel gets the address of the packed bytes and copies them itself.
      if (isStructArgument(argument, type)) return builder.convert(Op.ADDRSPACECAST, address, pointerType(PRIVATE));
      return builder.load(type, address, Math.min(MOST_ALIGNMENT, Math.max(1, argument.alignment)));
    });
    const members = kernel.members.map(({ argument, offset, type, alignment }) =>
      builder.load(type, addressOf(argument, offset), Math.min(MOST_ALIGNMENT, alignment)),
    );
    return [...own, ...members];
  }

  private bodyRunner(frame: EntryFrame): RowRunner {
    const { body } = this.kernel;
    assert(body !== null, "a kernel without barriers has a body");
    return variantRunner(
      frame,
      body,
      (values) => [...frame.args, ...values.list],
      () => undefined,
    );
  }

  /** The body for all work-items of a group. */
  private runBody(frame: EntryFrame): void {
    const { body, vectors } = this.kernel;
    if (vectors.subGroups === null || body === null) eachItem(frame, this.bodyRunner(frame));
    else
      runSubGroupVariants(
        frame,
        vectors.subGroups,
        body,
        () => [...frame.args, ...frame.values.list],
        () => undefined,
      );
  }
}

/** Writes the entry of a kernel and adds it to the module, under the kernel's name. */
export function writeKernelEntry(kernel: EntryKernel, module: Module): IrFunction {
  return new EntryWriter(kernel, module).write();
}
