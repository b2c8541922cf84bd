// SPDX-License-Identifier: Apache-2.0
// The state of a launch: its ranges, its work-groups, its work-items with their frames.
import type { Global, Instruction } from "@muxkit/ir";

import type { Region } from "./memory.ts";
import type { PreparedFunction, Step } from "./prepare.ts";
import type { Register } from "./register.ts";

/** Three numbers: x, y, z. */
export type Triple = readonly [number, number, number];

/** The state that all work-items of a launch share. */
export interface Range {
  /** 1 to 3. */
  readonly dimensions: number;
  readonly globalSize: Triple;
  readonly globalOffset: Triple;
  readonly enqueuedLocalSize: Triple;
  readonly groupCount: Triple;
  /** Work-items of a sub-group: they divide the linear local ids (docs/decisions/022-sub-groups.md). */
  readonly subGroupSize: number;
}

/** One work-group. */
export interface Group {
  readonly id: Triple;
  /** Actual size: the last groups may be smaller. */
  readonly localSize: Triple;
  /** Its local variables, allocated when they are first used. */
  readonly locals: Map<Global, Region>;
}

/** A call that is being executed. */
export interface Frame {
  readonly prepared: PreparedFunction;
  readonly registers: Register[];
  steps: readonly Step[];
  /** Number of the block, see {@link PreparedBlock.order}. */
  order: number;
  /** Position of the next step. */
  next: number;
  /** Private variables of this call. */
  readonly regions: Region[];
  /** Slot of the caller's frame that the result goes to; -1: none. */
  readonly resultSlot: number;
}

/** Where a work-item waits for others. */
export interface Wait {
  /** The barrier or group operation; the end of an iteration waits at its branch. */
  readonly instruction: Instruction;
  /** The work-items that it waits for. */
  readonly scope: "sub_group" | "work_group";
  /** True: all work-items of the scope must arrive; false: those that arrive together continue. */
  readonly isUniform: boolean;
  /** The group operation whose result is missing; null: there is none. */
  readonly step: Step | null;
  /** Position in the program, frame by frame: lower for work-items that are less far, equal for the same position. */
  readonly position: readonly number[];
}

/** One work-item: a stack of frames that runs until it waits or is done. */
export class WorkItem {
  readonly range: Range;
  readonly group: Group;
  readonly localId: Triple;
  readonly globalId: Triple;
  readonly frames: Frame[];
  /** Local id, all dimensions in one, x fastest. */
  readonly linearId: number;
  /** `running` until it waits for others or has returned. */
  state: "running" | "waiting" | "done";
  /** Where it waits; what it last waited at when it does not. */
  wait: Wait | null;
  /** The result of the outermost call. */
  result: Register | null;

  constructor(range: Range, group: Group, localId: Triple) {
    this.range = range;
    this.group = group;
    this.localId = localId;
    const at = (d: 0 | 1 | 2): number => range.globalOffset[d] + group.id[d] * range.enqueuedLocalSize[d] + localId[d];
    this.globalId = [at(0), at(1), at(2)];
    this.linearId = localId[0] + group.localSize[0] * (localId[1] + group.localSize[1] * localId[2]);
    this.frames = [];
    this.state = "running";
    this.wait = null;
    this.result = null;
  }

  /** Id of its group. */
  get groupId(): Triple {
    return this.group.id;
  }
}
