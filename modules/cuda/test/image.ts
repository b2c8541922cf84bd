// SPDX-License-Identifier: Apache-2.0
// Executables for a driver that does not read their text.
import type { ExecutableImage, KernelMetadata, PrintfCall } from "@muxkit/metadata";

/** Arguments of a kernel, in their order. */
export type Arguments = KernelMetadata["arguments"];

const ARGUMENT = {
  typeName: "int*",
  addressSpace: "global",
  access: "none",
  isConst: false,
  isRestrict: false,
  isVolatile: false,
} as const;

/** A pointer, a number, or local memory. */
export function argument(name: string, kind: "pointer" | "value" | "local", offset: number): Arguments[number] {
  const one = { ...ARGUMENT, name, offset };
  if (kind === "pointer") return { ...one, kind, size: 8, alignment: 8 };
  if (kind === "value") return { ...one, kind, typeName: "int", size: 4, alignment: 4 };
  return { ...one, kind, addressSpace: "local", size: 0, alignment: 128 };
}

/** An executable with one kernel. */
export function executable(
  name: string,
  args: Arguments,
  packedSize: number,
  printfCalls: readonly PrintfCall[] = [],
): ExecutableImage {
  return {
    target: "cuda",
    features: [],
    code: [{ name: ".ptx", bytes: new TextEncoder().encode("text"), features: [], patches: [] }],
    kernels: [
      {
        name,
        arguments: args,
        packedSize,
        requiredWorkGroupSize: null,
        workGroupSizeHint: null,
        vecTypeHint: null,
        requiredSubGroupSize: null,
        uniformWorkGroups: false,
        attributes: "",
        privateMemorySize: 0,
        variants: [
          {
            functionName: `kernel_${name}`,
            section: ".ptx",
            localSize: [0, 0, 0],
            needsUniformGroups: false,
            needsZeroOffset: false,
            staticLocalBytes: 64,
            liveBytes: 0,
            privateBytes: 0,
            vectorWidth: 1,
            vectorDimension: 0,
            subGroupSize: 32,
            engineFeatures: [],
          },
        ],
      },
    ],
    programData: null,
    printfCalls,
    extraBlocks: [],
  };
}

/** `fill(global int* out, int value)`: each work-item writes the value plus its id. */
export function fillExecutable(): ExecutableImage {
  return executable("fill", [argument("out", "pointer", 0), argument("value", "value", 8)], 16);
}
