// SPDX-License-Identifier: Apache-2.0
// What a module of compute shaders wants from outside, as data: entry points with their bindings, push constants and
// the size of their work-groups, and the specialization constants. An API on top lays out descriptors by it, and passes
// the arguments of the kernels that readSpirv makes in the order that `arguments` has.
import { LAYOUT_32, type DataLayout } from "@muxkit/ir";
import type { Result } from "@muxkit/cargo";
import type { BindingReflection, DescriptorKind, ShaderReflection, SpecializationReflection } from "@muxkit/kernel-abi";

import { parseModule } from "../../binary/module.ts";
import type { SpirvError } from "../../binary/error.ts";
import { type Reading, readModuleDeclarations, withReadErrors } from "../index.ts";
import { ModuleReader } from "../module-reader.ts";
import { type SpirvType, layoutOf } from "../types.ts";
import { localSizeOf } from "./entry.ts";
import { type UsedBinding, bindingsOf, interfaceOf, pushConstantsOf } from "./interface.ts";

/** Values that change the interface: sizes of arrays and of work-groups may follow from them. @public */
export interface ReflectOptions {
  /** Values by `SpecId`, little-endian; others keep their defaults. */
  readonly specialization?: ReadonlyMap<number, Uint8Array>;
  /** Descriptors of an array without a length, by `set,binding`. */
  readonly descriptorCounts?: ReadonlyMap<string, number>;
  /** Sizes of addresses; 32 bits when absent. */
  readonly layout?: DataLayout;
}

/** Bytes to the end of what a type has, without padding; an array without a length has none. */
function extentOf(m: ModuleReader, type: SpirvType): number {
  const { element, ir } = type;
  if (type.kind === "struct") {
    const { offsets } = layoutOf(m, type);
    return type.members.reduce((end, member, n) => Math.max(end, (offsets[n] ?? 0) + extentOf(m, member)), 0);
  }
  if (type.kind === "runtime-array" || element === null)
    return type.kind === "runtime-array" ? 0 : layoutOf(m, type).size;
  if (type.kind === "pointer") return layoutOf(m, type).size;
  const { stride } = layoutOf(m, type);
  const count = ir?.kind === "vector" ? ir.count : type.count;
  if (type.kind === "matrix" && type.isRowMajor) return type.stride * (element.count - 1) + stride * type.count;
  return stride * (count - 1) + extentOf(m, element);
}

function elementBytesOf(m: ModuleReader, type: SpirvType): number {
  const last = type.kind === "struct" ? type.members.at(-1) : undefined;
  return last?.kind === "runtime-array" ? layoutOf(m, last).stride : 0;
}

function sampledTypeOf({ element }: SpirvType): BindingReflection["sampledType"] {
  if (element === null) return "";
  return element.kind === "float" ? "float" : element.isSigned ? "int" : "uint";
}

function bindingReflection(m: ModuleReader, used: UsedBinding): BindingReflection {
  const { set, binding, kind, count, name, element, isRead, isWritten } = used;
  const image = element.kind === "sampled-image" ? element.element : element.kind === "image" ? element : null;
  return {
    set,
    binding,
    kind,
    count,
    name,
    isRead,
    isWritten,
    blockBytes: element.kind === "struct" ? extentOf(m, element) : 0,
    elementBytes: elementBytesOf(m, element),
    image: image === null ? "" : `${image.ir?.name ?? "image"}_t`,
    sampledType: image === null ? "" : sampledTypeOf(image),
  };
}

const ARGUMENTS: Readonly<Record<DescriptorKind, readonly ("buffer" | "buffer-bytes" | "image" | "sampler")[]>> = {
  "storage-buffer": ["buffer", "buffer-bytes"],
  "uniform-buffer": ["buffer", "buffer-bytes"],
  "sampled-image": ["image"],
  "storage-image": ["image"],
  "uniform-texel-buffer": ["image"],
  "storage-texel-buffer": ["image"],
  sampler: ["sampler"],
  "combined-image-sampler": ["image", "sampler"],
};

function specializationOf(m: ModuleReader): SpecializationReflection[] {
  const found: SpecializationReflection[] = [];
  for (const id of m.decorations.decorated("SpecId")) {
    const number = m.decoration(id, "SpecId")?.[0];
    const [operand, type] = [m.constantOf(id), m.operandType(id)];
    if (number === undefined || type === undefined || operand?.kind !== "constant") continue;
    const bits = type.kind === "bool" ? 32 : type.bits;
    const words = new Uint8Array(Uint32Array.of(operand.low, operand.high).buffer);
    const kind = type.kind === "bool" || type.kind === "float" ? type.kind : type.isSigned ? "int" : "uint";
    const value = words.slice(0, bits / 8);
    found.push({ id: number, name: m.names.get(id) ?? "", type: kind, bits, value });
  }
  return found.toSorted((a, b) => a.id - b.id);
}

function reflectionOf(m: ModuleReader, { entryPoints, modes }: Reading, first: number): ShaderReflection {
  if (!m.isShader) return m.refuse(m.at, "the module has kernels and no shaders");
  const shader = interfaceOf(m, first);
  return {
    specialization: specializationOf(m),
    entryPoints: entryPoints.map(({ id, name, at }) => {
      const bindings = bindingsOf(m, shader, id);
      const push = pushConstantsOf(m, shader, id);
      const list = bindings.flatMap(({ set, binding, kind, count }) =>
        Array.from({ length: count }, (_, element) =>
          ARGUMENTS[kind].map((own) => ({ kind: own, set, binding, element })),
        ).flat(),
      );
      const bytes = push === null ? 0 : layoutOf(m, push.target).size;
      const offsets = push === null ? [] : layoutOf(m, push.target).offsets;
      return {
        name,
        localSize: localSizeOf(m, modes.get(id) ?? [], at),
        bindings: bindings.map((used) => bindingReflection(m, used)),
        pushConstants:
          push === null
            ? null
            : {
                name: m.names.get(push.id) ?? "",
                offset: Math.min(...offsets, extentOf(m, push.target)),
                bytes: extentOf(m, push.target) - Math.min(...offsets, extentOf(m, push.target)),
              },
        arguments: push === null ? list : [...list, { kind: "push-constants" as const, bytes }],
      };
    }),
  };
}

/**
 * What a module of compute shaders wants from outside. A module of kernels is an error.
 *
 * @public
 */
export function reflectShader(binary: Uint8Array, options: ReflectOptions = {}): Result<ShaderReflection, SpirvError> {
  const parsed = parseModule(binary);
  if (!parsed.ok) return parsed;
  const m = new ModuleReader(parsed.value, {
    name: "shader",
    layout: options.layout ?? LAYOUT_32,
    specialization: options.specialization ?? new Map(),
    floatFlags: 0,
    uniformWorkGroups: true,
    ...(options.descriptorCounts === undefined ? {} : { descriptorCounts: options.descriptorCounts }),
  });
  return withReadErrors(parsed.value, () => {
    const { reading, first } = readModuleDeclarations(m, false);
    return reflectionOf(m, reading, first);
  });
}
