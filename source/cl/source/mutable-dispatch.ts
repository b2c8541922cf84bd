// SPDX-License-Identifier: Apache-2.0
// Changes of recorded launches (cl_khr_command_buffer_mutable_dispatch).
import type { ArgumentFact } from "@muxkit/compiler";
import { type MuxDescriptorInfo, MuxDescriptorType } from "@muxkit/mux";

import { type CommandBuffer, MutableCommand, liveCommandBuffer } from "./command-buffer.ts";
import { MUTABLE_FIELDS } from "./command-buffer-commands.ts";
import { ensure } from "./error.ts";
import {
  CL_COMMAND_BUFFER_MUTABLE_KHR,
  CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR,
  CL_MUTABLE_DISPATCH_ARGUMENTS_KHR,
  CL_MUTABLE_DISPATCH_EXEC_INFO_KHR,
  CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR,
  CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR,
  CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR,
} from "./generated/constants.ts";
import { type ArgumentValue, type SetArgument, setArgument } from "./kernel.ts";
import { type KernelExecInfo, checkExecInfo, findPointer, setPointerArgument } from "./kernel-svm.ts";
import { RecordedDispatch } from "./recorded-dispatch.ts";
import { type ArgumentChanges, type RecordedCommand, Recording } from "./recording.ts";
import type { SvmPointer } from "./svm.ts";

/** A parameter of clSetKernelExecInfo, as a value. @public */
export type ExecInfoEntry = {
  readonly [Name in keyof KernelExecInfo]: { readonly name: Name; readonly value: KernelExecInfo[Name] };
}[keyof KernelExecInfo];

/** Changes of one launch; what is left out stays. @public */
export interface MutableDispatchConfig {
  /** The launch. */
  readonly command: MutableCommand;
  /** New arguments, as clSetKernelArg takes them. */
  readonly arguments?: readonly { readonly index: number; readonly value: ArgumentValue }[];
  /** New arguments that are pointers, as clSetKernelArgSVMPointer and clSetKernelArgMemPointerINTEL take them. */
  readonly pointerArguments?: readonly { readonly index: number; readonly pointer: SvmPointer }[];
  /** What else the kernel reaches. */
  readonly execInfos?: readonly ExecInfoEntry[];
  /** Dimensions, which are those of the recorded launch. */
  readonly dimensions?: number;
  /** New offset. */
  readonly globalOffset?: readonly number[];
  /** New global size. */
  readonly globalSize?: readonly number[];
  /** New local size. */
  readonly localSize?: readonly number[];
}

/** A command whose command buffer lives. */
export function liveMutableCommand(call: string, command: MutableCommand): MutableCommand {
  ensure(
    command instanceof MutableCommand && command.commandBuffer.referenceCount > 0,
    "CL_INVALID_MUTABLE_COMMAND_KHR",
    call,
    "the value is not a command of a living command buffer",
  );
  return command;
}

/** The flag that each part of a change requires to have been set when the launch was recorded. */
const FIELDS: readonly (readonly [
  part: "globalOffset" | "globalSize" | "localSize" | "arguments" | "pointerArguments" | "execInfos",
  field: number,
  name: string,
])[] = [
  ["globalOffset", CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR, "CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR"],
  ["globalSize", CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR, "CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR"],
  ["localSize", CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR, "CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR"],
  ["arguments", CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, "CL_MUTABLE_DISPATCH_ARGUMENTS_KHR"],
  ["pointerArguments", CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, "CL_MUTABLE_DISPATCH_ARGUMENTS_KHR"],
  ["execInfos", CL_MUTABLE_DISPATCH_EXEC_INFO_KHR, "CL_MUTABLE_DISPATCH_EXEC_INFO_KHR"],
];

function checkFields(call: string, config: MutableDispatchConfig, dispatch: RecordedDispatch): void {
  const fields = config.command.properties?.CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR ?? MUTABLE_FIELDS;
  for (const [part, field, name] of FIELDS) {
    if (config[part] === undefined) continue;
    ensure(
      (fields & field) !== 0,
      "CL_INVALID_OPERATION",
      call,
      `the launch was recorded without ${name}, so its ${part} cannot be changed`,
    );
    ensure(config[part].length > 0, "CL_INVALID_VALUE", call, `the list of ${part} is empty; omit it instead`);
  }
  const { dimensions } = dispatch.sizes;
  ensure(
    config.dimensions === undefined || config.dimensions === dimensions,
    "CL_INVALID_OPERATION",
    call,
    `the launch has ${dimensions} dimensions, which cannot be changed`,
  );
}

const groupsOf = ({ options: { globalSize, localSize } }: RecordedDispatch): number =>
  globalSize.reduce((product, size, axis) => product * Math.ceil(size / (localSize[axis as 0 | 1 | 2] ?? 1)), 1);
const isUniform = ({ options: { globalSize, localSize } }: RecordedDispatch): boolean =>
  globalSize.every((size, axis) => size % (localSize[axis as 0 | 1 | 2] ?? 1) === 0);

/** A launch with changes. */
function changed(
  call: string,
  commandBuffer: CommandBuffer,
  dispatch: RecordedDispatch,
  config: MutableDispatchConfig,
): RecordedDispatch {
  checkFields(call, config, dispatch);
  const state = { ...dispatch.state, arguments: [...dispatch.state.arguments] };
  for (const { index, value } of config.arguments ?? []) setArgument(call, state, index, value);
  for (const { index, pointer } of config.pointerArguments ?? [])
    setPointerArgument(call, state, index, pointer, findPointer, "clSVMAlloc or unified shared memory");
  for (const { name, value } of config.execInfos ?? []) checkExecInfo(call, state, name, value);
  const { dimensions } = dispatch.sizes;
  const keepsSizes =
    config.globalSize === undefined && config.localSize === undefined && config.globalOffset === undefined;
  const sizes = {
    dimensions,
    globalOffset: config.globalOffset ?? dispatch.sizes.globalOffset,
    globalSize: config.globalSize ?? dispatch.sizes.globalSize,
    localSize: config.localSize ?? dispatch.sizes.localSize,
  };
  const keepsCode =
    keepsSizes && state.arguments.every((argument, i) => isSameFact(argument?.fact, dispatch.state.arguments[i]?.fact));
  const made = RecordedDispatch.check(
    call,
    commandBuffer.queue.device,
    dispatch.kernel,
    state,
    sizes,
    dispatch.isMutable,
    keepsCode ? dispatch : null,
  );
  ensure(
    isUniform(made) === isUniform(dispatch),
    "CL_INVALID_OPERATION",
    call,
    "an update cannot change whether work-groups are uniform",
  );
  const asserts =
    (config.command.properties?.CL_MUTABLE_DISPATCH_ASSERTS_KHR ?? 0) |
    (commandBuffer.properties?.CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR ?? 0);
  ensure(
    asserts === 0 || groupsOf(made) <= groupsOf(dispatch),
    "CL_INVALID_VALUE",
    call,
    () =>
      `the update increases the number of work-groups from ${groupsOf(dispatch)} to ` +
      `${groupsOf(made)}, which CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR ` +
      "rules out",
  );
  return made;
}

function isSameFact(left: ArgumentFact | undefined, right: ArgumentFact | undefined): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}

const sameLocal = (before: MuxDescriptorInfo | undefined, after: MuxDescriptorInfo | undefined): boolean =>
  after?.type !== MuxDescriptorType.shared_local_buffer ||
  (before?.type === MuxDescriptorType.shared_local_buffer && before.size === after.size);

const sameRange = (before: RecordedDispatch, after: RecordedDispatch): boolean => {
  const [left, right] = [before.options, after.options];
  const lists = [
    [left.globalSize, right.globalSize],
    [left.globalOffset, right.globalOffset],
    [left.localSize, right.localSize],
  ] as const;
  return lists.every(([old, made]) => old.every((value, axis) => value === made[axis]));
};

/** The arguments that differ, where nothing else does; null: the launch has to be recorded anew. */
function argumentChanges(index: number, before: RecordedDispatch, after: RecordedDispatch): ArgumentChanges | null {
  if (!before.isMutable || before.code !== after.code || !sameRange(before, after)) return null;
  const differing = after.state.arguments.flatMap((argument, i): readonly (readonly [number, SetArgument])[] =>
    argument === null || argument === before.state.arguments[i] ? [] : [[i, argument]],
  );
  if (!differing.every(([i, { descriptor }]) => sameLocal(before.state.arguments[i]?.descriptor, descriptor)))
    return null;
  return {
    index,
    indices: differing.map(([i]) => i),
    // The options have what the arguments are on the device.
    descriptors: differing.map(([i]) => after.options.descriptors[i] as MuxDescriptorInfo),
  };
}

/**
 * Changes launches of a finalized command buffer: all of the changes, or none when there is an error. Later enqueues
 * see them; the kernels themselves stay as they are. Errors: CL_INVALID_COMMAND_BUFFER_KHR; CL_INVALID_OPERATION for a
 * command buffer that is not finalized, was made without CL_COMMAND_BUFFER_MUTABLE_KHR, or is enqueued and not complete
 * without CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, for parts that were not recorded as changeable, for other dimensions
 * and for work-groups that get uniform or lose it; CL_INVALID_VALUE for no changes, and for more work-groups against
 * CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR; CL_INVALID_MUTABLE_COMMAND_KHR; those of clSetKernelArg,
 * clSetKernelArgSVMPointer, clSetKernelExecInfo and clEnqueueNDRangeKernel.
 *
 * @public
 */
export function clUpdateMutableCommandsKHR(
  commandBuffer: CommandBuffer,
  configs: readonly MutableDispatchConfig[],
): void {
  const call = "clUpdateMutableCommandsKHR";
  liveCommandBuffer(call, commandBuffer);
  const { recording, flags } = commandBuffer;
  ensure(
    recording !== null,
    "CL_INVALID_OPERATION",
    call,
    "the command buffer is not finalized: call clFinalizeCommandBufferKHR first",
  );
  ensure(
    (flags & CL_COMMAND_BUFFER_MUTABLE_KHR) !== 0,
    "CL_INVALID_OPERATION",
    call,
    "the command buffer was created without CL_COMMAND_BUFFER_MUTABLE_KHR",
  );
  ensure(
    (flags & CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR) !== 0 || !commandBuffer.isPending(),
    "CL_INVALID_OPERATION",
    call,
    "the command buffer is enqueued and not complete",
  );
  ensure(Array.isArray(configs) && configs.length > 0, "CL_INVALID_VALUE", call, "the list of changes is empty");
  const commands: RecordedCommand[] = [...recording.commands];
  for (const config of configs) {
    const { command } = config;
    const isOwn = command instanceof MutableCommand && command.commandBuffer === commandBuffer;
    const dispatch = isOwn ? (commands[command.index]?.dispatch ?? null) : null;
    ensure(
      dispatch !== null,
      "CL_INVALID_MUTABLE_COMMAND_KHR",
      call,
      "the command is not a kernel launch of this command buffer",
    );
    commands[command.index] = {
      ...(commands[command.index] as RecordedCommand),
      dispatch: changed(call, commandBuffer, dispatch, config),
    };
  }
  const made = new Recording(recording.pool, commands);
  commandBuffer.replace(made);
  const changes = commands.flatMap(({ dispatch }, index) => {
    const before = recording.commands[index]?.dispatch ?? null;
    return dispatch === null || before === null || dispatch === before
      ? []
      : [argumentChanges(index, before, dispatch)];
  });
  const quick = changes.filter((change) => change !== null);
  if (quick.length === changes.length)
    recording.pool.update(
      recording,
      made,
      quick.filter(({ indices }) => indices.length > 0),
    );
}
