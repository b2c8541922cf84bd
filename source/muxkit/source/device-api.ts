// SPDX-License-Identifier: Apache-2.0
// What both entry points have, with a compiler and without: arrays, images, structs, commands, profiles.
export {
  type ArrayType,
  DeviceArray,
  type ElementOf,
  type HostArray,
  type Shape,
  type TypedArray,
} from "./device-array.ts";
export { type CanvasLike, DeviceImage, type ImageOptions } from "./device-image.ts";
export type { ImagePixels } from "./image-data.ts";
export { DeadlineError, type StopSignal } from "./launch-limit.ts";
export { Command, type CommandReport } from "./command.ts";
export type { Described } from "./described.ts";
export { Profile, type ProfileRow } from "./profile.ts";
export {
  type StructArray,
  type StructMember,
  type StructMemberValue,
  type StructMemberView,
  type StructMembers,
  type StructType,
  type StructValue,
  type StructView,
  struct,
} from "./struct.ts";
export type { StructPlain, StructScalar } from "./struct-layout.ts";
export { DeviceProgram } from "./device-program.ts";
export { type CompiledKernel, CompiledProgram } from "./compiled-program.ts";
export type { KernelArgument, KernelFunction, Range } from "./kernel-function.ts";
export type { Value } from "@muxkit/loader";
export { type ArgumentValue, type Event, type LocalMemory, OpenCLError, Sampler } from "@muxkit/opencl";
export type { HostOptions } from "@muxkit/host";
