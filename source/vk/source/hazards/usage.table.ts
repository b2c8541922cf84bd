// SPDX-License-Identifier: Apache-2.0
// Kinds of accesses as synchronisation sees them (Vulkan 1.3, 7.1.1 and 7.1.3): each has a stage and a bit of
// VkAccessFlags2. Sets of stages and of usages are masks of their numbers here.
import * as V from "../generated/constants.ts";

/** A kind of access. */
interface UsageRow {
  readonly stage: number;
  readonly access: bigint;
  readonly isWrite: boolean;
  /** What a command does, for messages. */
  readonly verb: "reads" | "writes";
  readonly stageName: string;
  readonly accessName: string;
}

/** Stages by number: the order of a dispatch, then what is in no order. */
const [INDIRECT, COMPUTE, COPY, CLEAR, HOST] = [1, 2, 4, 8, 16] as const;

const usage = (stage: number, access: bigint, stageName: string, accessName: string): UsageRow => {
  const isWrite = accessName.includes("WRITE");
  return {
    stage,
    access,
    isWrite,
    verb: isWrite ? "writes" : "reads",
    stageName: `VK_PIPELINE_STAGE_2_${stageName}_BIT`,
    accessName: `VK_ACCESS_2_${accessName}_BIT`,
  };
};

/** By number. */
export const USAGES: readonly UsageRow[] = [
  usage(INDIRECT, V.VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT, "DRAW_INDIRECT", "INDIRECT_COMMAND_READ"),
  usage(COMPUTE, V.VK_ACCESS_2_UNIFORM_READ_BIT, "COMPUTE_SHADER", "UNIFORM_READ"),
  usage(COMPUTE, V.VK_ACCESS_2_SHADER_SAMPLED_READ_BIT, "COMPUTE_SHADER", "SHADER_SAMPLED_READ"),
  usage(COMPUTE, V.VK_ACCESS_2_SHADER_STORAGE_READ_BIT, "COMPUTE_SHADER", "SHADER_STORAGE_READ"),
  usage(COMPUTE, V.VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT, "COMPUTE_SHADER", "SHADER_STORAGE_WRITE"),
  usage(COPY, V.VK_ACCESS_2_TRANSFER_READ_BIT, "COPY", "TRANSFER_READ"),
  usage(COPY, V.VK_ACCESS_2_TRANSFER_WRITE_BIT, "COPY", "TRANSFER_WRITE"),
  usage(CLEAR, V.VK_ACCESS_2_TRANSFER_WRITE_BIT, "CLEAR", "TRANSFER_WRITE"),
  usage(HOST, V.VK_ACCESS_2_HOST_READ_BIT, "HOST", "HOST_READ"),
  usage(HOST, V.VK_ACCESS_2_HOST_WRITE_BIT, "HOST", "HOST_WRITE"),
  // A barrier that changes the layout of an image: its scopes are the barrier's own.
  { stage: 0, access: 0n, isWrite: true, verb: "writes", stageName: "", accessName: "" },
];

/** Numbers of usages. */
export const USAGE = {
  indirectRead: 0,
  uniformRead: 1,
  sampledRead: 2,
  storageRead: 3,
  storageWrite: 4,
  copyRead: 5,
  copyWrite: 6,
  clearWrite: 7,
  transition: 10,
} as const;

/** The row of a usage. */
export function usageOf(number: number): UsageRow {
  const row = USAGES[number];
  if (row === undefined) throw new Error(`there is no usage ${number}`);
  return row;
}

/** The stages of commands: all but the host's. */
export const ALL_COMMANDS: number = INDIRECT | COMPUTE | COPY | CLEAR;

/** Stages that bits of VkPipelineStageFlags2 name; the 32-bit flags have the same bits. */
const STAGE_BITS: readonly (readonly [bit: bigint, stages: number])[] = [
  [V.VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT, INDIRECT],
  [V.VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, COMPUTE],
  [V.VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, COPY | CLEAR],
  [V.VK_PIPELINE_STAGE_2_COPY_BIT, COPY],
  [V.VK_PIPELINE_STAGE_2_CLEAR_BIT, CLEAR],
  [V.VK_PIPELINE_STAGE_2_HOST_BIT, HOST],
  [V.VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, ALL_COMMANDS],
];

function named(flags: bigint): number {
  let stages = 0;
  for (const [bit, own] of STAGE_BITS) if ((flags & bit) !== 0n) stages |= own;
  return stages;
}

/** Stages of the first scope of a dependency: those that are named, and what comes before them in a command. */
export function firstStages(flags: bigint): number {
  const stages = named(flags) | ((flags & V.VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT) === 0n ? 0 : ALL_COMMANDS);
  return stages | ((stages & COMPUTE) === 0 ? 0 : INDIRECT);
}

/** Stages of the second scope: those that are named, and what comes behind them in a command. */
export function secondStages(flags: bigint): number {
  const stages = named(flags) | ((flags & V.VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT) === 0n ? 0 : ALL_COMMANDS);
  return stages | ((stages & INDIRECT) === 0 ? 0 : COMPUTE);
}

const SHADER_READS = V.VK_ACCESS_2_SHADER_SAMPLED_READ_BIT | V.VK_ACCESS_2_SHADER_STORAGE_READ_BIT;

/** Usages of an access scope: of the stages that are named, not of those before or behind, with these accesses. */
export function usagesIn(stageFlags: bigint, access: bigint): number {
  const stages = named(stageFlags);
  const wanted =
    access |
    ((access & BigInt(V.VK_ACCESS_SHADER_READ_BIT)) === 0n ? 0n : SHADER_READS) |
    ((access & BigInt(V.VK_ACCESS_SHADER_WRITE_BIT)) === 0n ? 0n : V.VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT);
  const anyRead = (access & BigInt(V.VK_ACCESS_MEMORY_READ_BIT)) !== 0n;
  const anyWrite = (access & BigInt(V.VK_ACCESS_MEMORY_WRITE_BIT)) !== 0n;
  let usages = 0;
  for (const [number, row] of USAGES.entries())
    if ((row.stage & stages) !== 0 && ((row.access & wanted) !== 0n || (row.isWrite ? anyWrite : anyRead)))
      usages |= 1 << number;
  return usages;
}

/** All usages of stages: the access scope of semaphores. */
export function allUsages(stages: number): number {
  let usages = 0;
  for (const [number, { stage }] of USAGES.entries()) if ((stage & stages) !== 0) usages |= 1 << number;
  return usages;
}
