// SPDX-License-Identifier: Apache-2.0
// An executable that uses every field, and a mutator that repairs the hash.
import { fnv1a64 } from "@muxkit/cargo";
import { type ExecutableImage, readElf, stripBinaryHeader } from "@muxkit/metadata";

export const SAMPLE: ExecutableImage = {
  target: "host",
  features: ["simd"],
  code: [
    {
      name: ".wasm",
      bytes: Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 3),
      features: [],
      patches: [{ name: "shared-memory", offset: 8, values: [1, 3] }],
    },
    {
      name: ".wasm.relaxed",
      bytes: Uint8Array.of(0, 97, 115, 109),
      features: ["relaxed", "fma"],
      patches: [],
    },
  ],
  kernels: [
    {
      name: "saxpy",
      packedSize: 16,
      arguments: [
        {
          name: "x",
          typeName: "float*",
          kind: "pointer",
          addressSpace: "global",
          access: "none",
          isConst: true,
          isRestrict: true,
          isVolatile: false,
          size: 4,
          alignment: 4,
          offset: 0,
        },
        {
          name: "tile",
          typeName: "float*",
          kind: "local",
          addressSpace: "local",
          access: "none",
          isConst: false,
          isRestrict: false,
          isVolatile: true,
          size: 0,
          alignment: 16,
          offset: 4,
        },
        {
          name: "a",
          typeName: "double",
          kind: "value",
          addressSpace: "private",
          access: "none",
          isConst: false,
          isRestrict: false,
          isVolatile: false,
          size: 8,
          alignment: 8,
          offset: 8,
        },
      ],
      requiredWorkGroupSize: [8, 8, 1],
      workGroupSizeHint: [16, 1, 1],
      vecTypeHint: "float4",
      requiredSubGroupSize: 8,
      uniformWorkGroups: true,
      attributes: "reqd_work_group_size(8,8,1)",
      privateMemorySize: 128,
      variants: [
        {
          functionName: "saxpy",
          section: ".wasm",
          localSize: [0, 0, 0],
          needsUniformGroups: false,
          needsZeroOffset: false,
          staticLocalBytes: 64,
          liveBytes: 8,
          privateBytes: 4096,
          vectorWidth: 1,
          vectorDimension: 0,
          subGroupSize: 1,
          engineFeatures: [],
        },
        {
          functionName: "saxpy.8x8",
          section: ".wasm.relaxed",
          localSize: [8, 8, 1],
          needsUniformGroups: true,
          needsZeroOffset: true,
          offersOneByOne: true,
          staticLocalBytes: 64,
          liveBytes: 0,
          privateBytes: 0,
          vectorWidth: 4,
          vectorDimension: 2,
          subGroupSize: 8,
          engineFeatures: ["relaxed"],
        },
      ],
    },
    {
      name: "blur",
      packedSize: 8,
      arguments: [
        {
          name: "in",
          typeName: "image2d_t",
          kind: "image",
          addressSpace: "global",
          access: "read_only",
          isConst: false,
          isRestrict: false,
          isVolatile: false,
          size: 4,
          alignment: 4,
          offset: 0,
        },
        {
          name: "s",
          typeName: "sampler_t",
          kind: "sampler",
          addressSpace: "private",
          access: "none",
          isConst: false,
          isRestrict: false,
          isVolatile: false,
          size: 4,
          alignment: 4,
          offset: 4,
        },
      ],
      requiredWorkGroupSize: null,
      workGroupSizeHint: null,
      vecTypeHint: null,
      requiredSubGroupSize: null,
      uniformWorkGroups: false,
      attributes: "",
      privateMemorySize: 0,
      variants: [],
    },
  ],
  programData: {
    size: 64,
    alignment: 16,
    bytes: Uint8Array.of(1, 2, 3, 4, 0, 0, 0, 0),
    relocations: [{ offset: 4, target: 32 }],
  },
  printfCalls: [{ format: "%d: %s\n", argumentTypes: ["i32", "str"], strings: ["ünï", ""] }],
  extraBlocks: [
    { name: ".muxkit.ir", bytes: Uint8Array.of(7, 7, 7) },
    { name: "of.another.tool", bytes: new Uint8Array(0) },
  ],
};

/**
 * Makes the hash right again after a change, as an attacker would; bytes in which the note is not to be found stay as
 * they are.
 */
export function repairHash(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  const elf = stripBinaryHeader(copy);
  if (!elf.ok) return copy;
  const file = readElf(elf.value);
  const note = file.ok ? file.value.sections.find((section) => section.name === ".note.muxkit") : undefined;
  if (note === undefined || note.bytes.length < 32) return copy;
  const at = note.offset + 24;
  const hash = fnv1a64(elf.value.subarray(at + 8), fnv1a64(elf.value.subarray(0, at)));
  new DataView(elf.value.buffer, elf.value.byteOffset).setBigUint64(at, hash, true);
  return copy;
}
