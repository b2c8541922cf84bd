// SPDX-License-Identifier: Apache-2.0
// Commands as data: what a command buffer holds and a dispatch goes through.
import { InternalError, type Result, err, ok } from "@muxkit/cargo";
import {
  type Box,
  type BoxSize,
  type HalRange,
  type RecordedLaunch,
  argumentOf,
  rangeOf,
  recordedLaunch,
} from "@muxkit/hal";
import {
  type MuxCommandBuffer,
  type MuxFailure,
  type MuxKernel,
  type MuxNDRangeOptions,
  type MuxQueue,
} from "@muxkit/mux";

import type { GpuLaunch, GpuWork } from "./driver.ts";
import { CudaKernel, kernelFailure } from "./kernel.ts";
import type { QuerySlot } from "./queries.ts";

/** Launches of one kernel: a range is one or several. */
export interface LaunchCommand {
  readonly kind: "launch";
  readonly kernel: CudaKernel;
  readonly recorded: RecordedLaunch;
  readonly launches: readonly GpuLaunch[];
  /** What may end it before it is through; null: nothing does. */
  readonly limit: LaunchLimit | null;
}

/** What may end a launch before it is through. */
export interface LaunchLimit {
  /** Most ms that it runs; 0: as long as it wants. */
  readonly deadline: number;
  /** Called at each dispatch, with a function that stops it. */
  readonly watch: MuxNDRangeOptions["watch"];
}

/** Work that needs nothing of the host. */
export interface WorkCommand {
  readonly kind: "work";
  readonly work: readonly GpuWork[];
  /** The other GPU whose memory it reads, which graphs do not; absent: none. */
  readonly from?: { readonly lost: MuxFailure | null };
}

/** Bytes between the host's array and the GPU; `inArray` begins at an index, `onGpu` at an address. */
export interface TransferCommand {
  readonly kind: "read" | "write";
  readonly array: Uint8Array;
  readonly inArray: Box;
  readonly onGpu: Box;
  readonly size: BoxSize;
}

/** Several transfers that count as one command. */
export interface TransfersCommand {
  readonly kind: "transfers";
  readonly transfers: readonly TransferCommand[];
}

/** What a function of the user's returns: nothing, or a function that says when it is over. */
export type UserFunction = (queue: MuxQueue, commandBuffer: MuxCommandBuffer) => void | ((wake: () => void) => boolean);

/** A function of the user's. */
export interface CallCommand {
  readonly kind: "call";
  readonly call: UserFunction;
}

/** Marks of time. */
export interface QueryCommand {
  readonly kind: "query";
  readonly slots: readonly QuerySlot[];
  readonly mark: "start" | "end" | "reset";
}

/** Several launches that count as one command. */
export interface GroupCommand {
  readonly kind: "group";
  readonly launches: readonly LaunchCommand[];
}

/** A command. */
export type Command =
  | LaunchCommand
  | GroupCommand
  | WorkCommand
  | TransferCommand
  | TransfersCommand
  | CallCommand
  | QueryCommand;

/** The kernel of a launch as this target made it. */
function cudaKernel({ kernel: { hal } }: RecordedLaunch): CudaKernel {
  if (hal instanceof CudaKernel) return hal;
  throw new InternalError("a kernel of another target reached this one", ["cuda"]);
}

/** The launches of a recorded one; `deadline`: of what has none of its own. */
export function launchCommand(recorded: RecordedLaunch, deadline: number): Result<LaunchCommand, MuxFailure> {
  const kernel = cudaKernel(recorded);
  const range: HalRange = rangeOf(recorded.options);
  const args = recorded.descriptors.map(argumentOf);
  const { watch, deadline: own = 0 } = recorded.options;
  const limit = own === 0 && deadline === 0 && watch === undefined ? null : { deadline: own || deadline, watch };
  if (limit === null) return ok({ kind: "launch", kernel, recorded, launches: kernel.launches(range, args), limit });
  const launches = kernel.stoppableLaunches(range, args);
  if (!launches.ok) return err(kernelFailure(kernel.name, launches.error));
  return ok({ kind: "launch", kernel, recorded, launches: launches.value, limit });
}

/** A launch, checked and packed. Errors: error_invalid_value; error_failure where it cannot be made stoppable. */
export function makeLaunch(
  kernel: MuxKernel,
  options: MuxNDRangeOptions,
  deadline: number,
): Result<LaunchCommand, MuxFailure> {
  const recorded = recordedLaunch(kernel, options);
  return recorded.ok ? launchCommand(recorded.value, deadline) : recorded;
}

/** The work of a command where all of it is the GPU's; null: it is not. */
export function workOf(command: Command): readonly GpuWork[] | null {
  switch (command.kind) {
    case "launch":
      return command.kernel.printf === null && command.limit === null ? command.launches : null;
    case "work":
      return command.from === undefined ? command.work : null;
    case "group": {
      const parts = command.launches.map(workOf);
      return parts.includes(null) ? null : parts.flatMap((part) => part ?? []);
    }
    default:
      return null;
  }
}

/** The launches of a command that something may end. */
export function limitedOf(command: Command): readonly LaunchCommand[] {
  if (command.kind === "launch") return command.limit === null ? [] : [command];
  return command.kind === "group" ? command.launches.flatMap(limitedOf) : [];
}

/** True when a command reads memory of the host's, or calls its functions: what is before it must be over. */
export function needsHost(command: Command): boolean {
  if (command.kind === "transfers") return command.transfers.some(needsHost);
  return command.kind === "write" || command.kind === "call";
}
