// SPDX-License-Identifier: Apache-2.0
/**
 * Work-item queries: hardware's registers, and what the launch says. Ids of groups are hardware's plus the first group
 * of the launch. A dimension that is known only at run time is selected among the three.
 */
import { InternalError } from "@muxkit/cargo";
import { Op } from "@muxkit/ir";
import { SIMT_LAUNCH_FIELDS, type SimtLaunchField } from "@muxkit/kernel-abi";

import type { Code } from "./code.ts";

/** Work-items of a warp, which is a sub-group. @public */
export const WARP = 32;

const AXES = ["x", "y", "z"] as const;

/** Writes queries of one kernel. `field`: reads a component of what the launch says, into a register of its width. */
export class WorkItemQueries {
  private readonly code: Code;
  private readonly launch: string;
  /** Where the launch's part begins in the parameter. */
  private readonly offset: number;

  constructor(code: Code, launch: string, offset: number) {
    this.code = code;
    this.launch = launch;
    this.offset = offset;
  }

  private field(name: SimtLaunchField, axis: number = 0): string {
    const { offset, bytes } = SIMT_LAUNCH_FIELDS[name];
    const place = `[${this.launch}+${this.offset + offset + bytes * axis}]`;
    return bytes === 8 ? this.code.into("b64", "ld.param.u64", place) : this.code.into("b32", "ld.param.u32", place);
  }

  /** The address of the area that printf writes to. */
  printfArea(): string {
    return this.field("printfArea");
  }

  /** One of the special registers, 32 bits. */
  private special(name: string): string {
    return this.code.into("b32", "mov.u32", name);
  }

  private widened(register: string): string {
    return this.code.into("b64", "cvt.u64.u32", register);
  }

  private group(axis: number): string {
    const own = this.special(`%ctaid.${AXES[axis] as string}`);
    return this.code.into("b32", "add.s32", own, this.field("firstGroup", axis));
  }

  private globalId(axis: number): string {
    const { code } = this;
    const inGroup = this.widened(this.special(`%tid.${AXES[axis] as string}`));
    const id = code.into("b64", "mad.wide.u32", this.group(axis), this.field("enqueuedLocalSize", axis), inGroup);
    return code.into("b64", "add.s64", id, this.field("globalOffset", axis));
  }

  private readonly ofAxis: ReadonlyMap<number, (axis: number) => string> = new Map<number, (axis: number) => string>([
    [Op.GLOBAL_ID, (axis) => this.globalId(axis)],
    [Op.GLOBAL_SIZE, (axis) => this.field("globalSize", axis)],
    [Op.GLOBAL_OFFSET, (axis) => this.field("globalOffset", axis)],
    [Op.LOCAL_ID, (axis) => this.widened(this.special(`%tid.${AXES[axis] as string}`))],
    [Op.LOCAL_SIZE, (axis) => this.widened(this.special(`%ntid.${AXES[axis] as string}`))],
    [Op.ENQUEUED_LOCAL_SIZE, (axis) => this.widened(this.field("enqueuedLocalSize", axis))],
    [Op.GROUP_ID, (axis) => this.widened(this.group(axis))],
    [Op.NUM_GROUPS, (axis) => this.widened(this.field("groupCount", axis))],
  ]);

  /** A query of a dimension: `known` is the number, or null where `dimension` is a register. */
  byDimension(op: number, known: number | null, dimension: string): string {
    const read = this.ofAxis.get(op);
    if (read === undefined) throw new InternalError(`${op} is no query of a dimension`);
    const beyond = BEYOND.has(op) ? "1" : "0";
    if (known !== null) return known < 3 ? read(known) : this.code.into("b64", "mov.b64", beyond);
    return [0, 1, 2].reduce((other, axis) => {
      const isAxis = this.code.into("pred", "setp.eq.u32", dimension, String(axis));
      return this.code.into("b64", "selp.b64", read(axis), other, isAxis);
    }, beyond);
  }

  /** The local linear id, 32 bits. */
  localLinearId(): string {
    const { code } = this;
    const [x, y, z] = AXES.map((axis) => this.special(`%tid.${axis}`)) as [string, string, string];
    const rows = code.into("b32", "mad.lo.u32", z, this.special("%ntid.y"), y);
    return code.into("b32", "mad.lo.u32", rows, this.special("%ntid.x"), x);
  }

  private globalLinearId(): string {
    const { code } = this;
    const [x, y, z] = AXES.map((_, axis) =>
      code.into("b64", "sub.s64", this.globalId(axis), this.field("globalOffset", axis)),
    ) as [string, string, string];
    const rows = code.into("b64", "mad.lo.u64", z, this.field("globalSize", 1), y);
    return code.into("b64", "mad.lo.u64", rows, this.field("globalSize", 0), x);
  }

  /** Work-items of a group, by a special register or a field. */
  private itemsOf(read: (axis: number) => string): string {
    return this.code.into("b32", "mul.lo.u32", this.code.into("b32", "mul.lo.u32", read(0), read(1)), read(2));
  }

  private groupItems(): string {
    return this.itemsOf((axis) => this.special(`%ntid.${AXES[axis] as string}`));
  }

  private warpsOf(items: string): string {
    const rounded = this.code.into("b32", "add.s32", items, String(WARP - 1));
    return this.code.into("b32", "shr.u32", rounded, "5");
  }

  private subGroupId(): string {
    return this.code.into("b32", "shr.u32", this.localLinearId(), "5");
  }

  private subGroupSize(): string {
    const before = this.code.into("b32", "and.b32", this.localLinearId(), String(-WARP));
    const left = this.code.into("b32", "sub.s32", this.groupItems(), before);
    return this.code.into("b32", "min.u32", left, String(WARP));
  }

  private readonly whole: ReadonlyMap<number, () => string> = new Map<number, () => string>([
    [Op.WORK_DIM, () => this.field("dimensions")],
    [Op.GLOBAL_LINEAR_ID, () => this.globalLinearId()],
    [Op.LOCAL_LINEAR_ID, () => this.widened(this.localLinearId())],
    [Op.SUB_GROUP_SIZE, () => this.subGroupSize()],
    [
      Op.MAX_SUB_GROUP_SIZE,
      () =>
        this.code.into(
          "b32",
          "min.u32",
          this.itemsOf((axis) => this.field("enqueuedLocalSize", axis)),
          String(WARP),
        ),
    ],
    [Op.NUM_SUB_GROUPS, () => this.warpsOf(this.groupItems())],
    [Op.ENQUEUED_NUM_SUB_GROUPS, () => this.warpsOf(this.itemsOf((axis) => this.field("enqueuedLocalSize", axis)))],
    [Op.SUB_GROUP_ID, () => this.subGroupId()],
    [Op.SUB_GROUP_LOCAL_ID, () => this.special("%laneid")],
  ]);

  /** A query without a dimension. */
  ofGroup(op: number): string {
    const read = this.whole.get(op);
    if (read === undefined) throw new InternalError(`${op} is no work-item query`);
    return read();
  }
}

/** Queries that are 1, not 0, for dimensions that no range has. */
const BEYOND: ReadonlySet<number> = new Set([Op.GLOBAL_SIZE, Op.LOCAL_SIZE, Op.ENQUEUED_LOCAL_SIZE, Op.NUM_GROUPS]);

/** True for queries of a dimension. */
export function isDimensionQuery(op: number): boolean {
  return op >= Op.GLOBAL_ID && op <= Op.NUM_GROUPS;
}

/** True for the other queries. */
export function isGroupQuery(op: number): boolean {
  return op === Op.WORK_DIM || (op >= Op.GLOBAL_LINEAR_ID && op <= Op.SUB_GROUP_LOCAL_ID);
}
