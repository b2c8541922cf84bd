// SPDX-License-Identifier: Apache-2.0
// Writes executables that hold the test kernels.
import { sharedMemoryPatch } from "@muxkit/kernel-abi";
import {
  type ArgumentMetadata,
  type ExecutableImage,
  type KernelMetadata,
  type VariantMetadata,
  writeExecutable,
} from "@muxkit/metadata";

import { KERNELS } from "./kernels.ts";

/** A generic scalar variant of a kernel. */
export function variant(functionName: string, extra: Partial<VariantMetadata> = {}): VariantMetadata {
  return {
    functionName,
    section: ".wasm",
    localSize: [0, 0, 0],
    needsUniformGroups: false,
    needsZeroOffset: false,
    staticLocalBytes: 0,
    liveBytes: 0,
    privateBytes: 0,
    vectorWidth: 1,
    vectorDimension: 0,
    subGroupSize: 1,
    engineFeatures: [],
    ...extra,
  };
}

/** An argument at an offset. */
export function argument(
  name: string,
  kind: ArgumentMetadata["kind"],
  offset: number,
  size: number = 4,
): ArgumentMetadata {
  const addressSpace = kind === "pointer" ? "global" : kind === "local" ? "local" : "private";
  return {
    name,
    typeName: kind === "pointer" ? "int*" : "int",
    kind,
    addressSpace,
    access: "none",
    isConst: false,
    isRestrict: false,
    isVolatile: false,
    size: kind === "local" ? 0 : size,
    alignment: 4,
    offset,
  };
}

/** A kernel. */
export function kernel(
  name: string,
  args: readonly ArgumentMetadata[],
  extra: Partial<KernelMetadata> = {},
): KernelMetadata {
  return {
    name,
    arguments: args,
    packedSize: args.length * 4,
    requiredWorkGroupSize: null,
    workGroupSizeHint: null,
    vecTypeHint: null,
    requiredSubGroupSize: null,
    uniformWorkGroups: false,
    attributes: "",
    privateMemorySize: 0,
    variants: [variant(name)],
    ...extra,
  };
}

/** All test kernels. */
export const TEST_KERNELS: readonly KernelMetadata[] = [
  kernel("fill", [argument("out", "pointer", 0), argument("value", "value", 4)]),
  kernel("saxpy", [argument("x", "pointer", 0), argument("y", "pointer", 4), argument("a", "value", 8)]),
  kernel("trap", []),
  kernel("endless", []),
  kernel("slow", [argument("out", "pointer", 0), argument("n", "value", 4)]),
  kernel("empty", []),
  kernel("stray", [argument("where", "value", 0)]),
];

/** An image with the test kernels. */
export function testImage(extra: Partial<ExecutableImage> = {}): ExecutableImage {
  return {
    target: "host",
    features: [],
    code: [
      { name: ".wasm", bytes: KERNELS.bytes, features: [], patches: [sharedMemoryPatch(KERNELS.memoryFlagOffset)] },
    ],
    kernels: TEST_KERNELS,
    programData: null,
    printfCalls: [],
    extraBlocks: [],
    ...extra,
  };
}

/** Its bytes. */
export function testExecutable(extra: Partial<ExecutableImage> = {}): Uint8Array {
  return writeExecutable(testImage(extra));
}
