// SPDX-License-Identifier: Apache-2.0
// Entry points to kernels: execution modes, and a description of each argument from its type, its decorations, its name
// and, where the producer has kept them, its type and its qualifiers as the source writes them (an OpString
// `kernel_arg_type.NAME.int*,…`).
import { type ArgumentDescription, type KernelDescription, PRIVATE, alignmentOf, sizeOf } from "@muxkit/ir";

import { enumerant, enumerantName, opcodeOf } from "../grammar/tables.ts";
import type { EnumerantNames } from "../generated/names.ts";
import { numberOf } from "./constants.ts";
import type { FunctionFacts, ModuleReader } from "./module-reader.ts";
import { type SpirvType, isOddInt, layoutOf, openclTargetName } from "./types.ts";

/** An entry point of the module. */
export interface EntryPoint {
  readonly id: number;
  readonly name: string;
  readonly at: number;
}

/** An execution mode: its number, and its operands as words. */
export interface ExecutionMode {
  readonly kind: number;
  readonly operands: readonly number[];
  /** Operands are ids of constants. */
  readonly isById: boolean;
  readonly at: number;
}

const LABEL = opcodeOf("OpLabel");
const PARAMETER = opcodeOf("OpFunctionParameter");

/** Most work-items of a sub-group. */
const MOST_LANES = 128;

type ModeName = EnumerantNames["ExecutionMode"];
type Size = readonly [number, number, number];

/** Modes that change nothing here: what they ask for is what there is. */
const HARMLESS: ReadonlySet<string> = new Set<ModeName>([
  "ContractionOff",
  "DenormPreserve",
  "SignedZeroInfNanPreserve",
  "RoundingModeRTE",
  "LocalSize",
  "LocalSizeId",
  "LocalSizeHint",
  "LocalSizeHintId",
  "VecTypeHint",
  "SubgroupSize",
  "SubgroupsPerWorkgroup",
  "SubgroupsPerWorkgroupId",
]);

const ACCESS = ["read_only", "write_only", "read_write"] as const;
const SPACES = ["private", "global", "constant", "local"] as const;

/** Types of `vec_type_hint` by their number. */
const HINTS: readonly string[] = ["uchar", "ushort", "uint", "ulong", "half", "float", "double"];

/** Most stars of a type's name; a pointer type may lead to itself. */
const MOST_STARS = 8;

/** How OpenCL C would write a type. */
function typeName(m: ModuleReader, type: SpirvType, stars = 0): string {
  const { element } = type;
  if (type.kind === "pointer" && element !== null && stars < MOST_STARS) return `${typeName(m, element, stars + 1)}*`;
  if (type.kind === "struct") return (m.names.get(type.id) ?? "struct").replace(/^struct\./u, "");
  if (type.kind === "image") return `${type.ir?.name ?? "image"}_t`;
  if (type.kind === "sampler") return "sampler_t";
  return openclTargetName(type, type.isSigned);
}

type ArgumentKind = ArgumentDescription["kind"];

const HANDLE_KINDS: Partial<Record<SpirvType["kind"], ArgumentKind>> = {
  sampler: "sampler",
  image: "image",
  pipe: "pipe",
};

/** What the host passes, and the address space; a struct by value is one whose address the kernel gets. */
function kindOf(
  m: ModuleReader,
  type: SpirvType,
  isStruct: boolean,
  at: number,
): { readonly kind: ArgumentKind; readonly space: ArgumentDescription["addressSpace"] } {
  if (type.kind !== "pointer" || isStruct) {
    if (type.kind === "event" || type.kind === "reserve-id" || (type.ir === null && !isStruct))
      m.refuse(at, `a kernel cannot take a ${type.kind} as an argument`);
    const kind = HANDLE_KINDS[type.kind] ?? "value";
    return { kind, space: kind === "pipe" ? "global" : "private" };
  }
  const space = SPACES[type.ir?.addressSpace ?? PRIVATE];
  if (space === undefined || space === "private")
    return m.refuse(at, "a kernel's pointer arguments point to global, constant or local memory");
  return { kind: space === "local" ? "local" : "pointer", space };
}

/** Bytes and alignment of what the host passes. */
function sizeAndAlignment(m: ModuleReader, type: SpirvType): { readonly size: number; readonly alignment: number } {
  const { layout } = m.options;
  if (type.ir === null || isOddInt(type)) return layoutOf(m, type);
  return { size: sizeOf(layout, type.ir), alignment: alignmentOf(layout, type.ir) };
}

function describeArgument(
  m: ModuleReader,
  type: SpirvType,
  id: number,
  { name: written, qualifiers }: { readonly name: string | undefined; readonly qualifiers: string },
  at: number,
): ArgumentDescription {
  const isStruct = type.kind === "pointer" && m.hasAttribute(id, "ByVal");
  const value = isStruct && type.element !== null ? type.element : type;
  const { kind, space } = kindOf(m, type, isStruct, at);
  const { size, alignment } = sizeAndAlignment(m, value);
  return {
    name: m.names.get(id) ?? "",
    typeName: written ?? typeName(m, value),
    kind,
    addressSpace: space,
    access: kind === "image" || kind === "pipe" ? (ACCESS[type.access] ?? "read_only") : "none",
    isConst:
      space === "constant" ||
      qualifiers.includes("const") ||
      m.hasAttribute(id, "NoWrite") ||
      m.hasDecoration(id, "Constant"),
    isRestrict: qualifiers.includes("restrict") || m.hasAttribute(id, "NoAlias") || m.hasDecoration(id, "Restrict"),
    isVolatile: qualifiers.includes("volatile") || m.hasDecoration(id, "Volatile"),
    size: kind === "local" ? 0 : size,
    alignment,
  };
}

const ARGUMENT_STRING = /^kernel_arg_type(_qual)?\.([^.]*)\.(.*)$/su;

/** What the source says of each argument of a kernel: its type, and its qualifiers. */
export interface WrittenArguments {
  readonly types: readonly string[];
  readonly qualifiers: readonly string[];
}

/** What the source says of kernels' arguments, by the kernels' names, from strings of the producer. */
export function writtenArguments(strings: ReadonlyMap<number, string>): ReadonlyMap<string, WrittenArguments> {
  const found = new Map<string, WrittenArguments>();
  for (const text of strings.values()) {
    const [, qualifier, name, list] = ARGUMENT_STRING.exec(text) ?? [];
    if (name === undefined || list === undefined) continue;
    const own = found.get(name) ?? { types: [], qualifiers: [] };
    const parts = list.split(",");
    found.set(name, qualifier === undefined ? { ...own, types: parts } : { ...own, qualifiers: parts });
  }
  return found;
}

/** Describes a kernel, and refuses modes that ask for what there is not. */
export function describeKernel(
  m: ModuleReader,
  { name }: EntryPoint,
  facts: FunctionFacts,
  modes: readonly ExecutionMode[],
): KernelDescription {
  for (const { kind, at } of modes) {
    const mode = enumerantName("ExecutionMode", kind);
    if (!HARMLESS.has(mode)) m.refuse(at, `the execution mode ${mode} is not supported in kernels`);
  }
  const find = (wanted: ModeName): ExecutionMode | undefined =>
    modes.find(({ kind }) => kind === enumerant("ExecutionMode", wanted));
  const numbers = (mode: ExecutionMode | undefined): readonly number[] =>
    mode === undefined ? [] : mode.isById ? mode.operands.map((id) => numberOf(m, id, mode.at)) : mode.operands;
  const size = (mode: ExecutionMode | undefined): Size | null => {
    const [x = 0, y = 0, z = 0] = numbers(mode);
    if (mode !== undefined && (x < 1 || y < 1 || z < 1))
      m.refuse(mode.at, "a work-group has at least one work-item in each dimension");
    return mode === undefined ? null : [x, y, z];
  };
  const requiredWorkGroupSize = size(find("LocalSizeId") ?? find("LocalSize"));
  const workGroupSizeHint = size(find("LocalSizeHintId") ?? find("LocalSizeHint"));
  const [hint] = find("VecTypeHint")?.operands ?? [];
  const vecTypeHint =
    hint === undefined ? null : `${HINTS[hint & 0xffff] ?? "int"}${hint >>> 16 > 1 ? hint >>> 16 : ""}`;
  const subGroupMode = find("SubgroupSize");
  const [subGroup] = numbers(subGroupMode);
  if (subGroup !== undefined && (subGroup > MOST_LANES || !Number.isInteger(Math.log2(subGroup))))
    m.refuse(subGroupMode?.at ?? facts.begin, `SubgroupSize takes a power of two up to ${MOST_LANES}, not ${subGroup}`);
  const { types, qualifiers } = m.writtenArguments.get(name) ?? { types: [], qualifiers: [] };
  const parameters: number[] = [];
  const { opcodes } = m.module;
  for (let index = facts.begin + 1; index < facts.end && opcodes[index] !== LABEL; index++)
    if (opcodes[index] === PARAMETER) parameters.push(index);
  const list = facts.type.members.map((type, n) =>
    describeArgument(
      m,
      type,
      m.module.results[parameters[n] ?? 0] ?? 0,
      { name: types[n] === "" ? undefined : types[n], qualifiers: qualifiers[n] ?? "" },
      m.module.offsets[parameters[n] ?? facts.begin] ?? 0,
    ),
  );
  const attributes: string[] = [];
  if (requiredWorkGroupSize !== null) attributes.push(`reqd_work_group_size(${requiredWorkGroupSize.join(",")})`);
  if (workGroupSizeHint !== null) attributes.push(`work_group_size_hint(${workGroupSizeHint.join(",")})`);
  if (vecTypeHint !== null) attributes.push(`vec_type_hint(${vecTypeHint})`);
  if (subGroup !== undefined) attributes.push(`intel_reqd_sub_group_size(${subGroup})`);
  return {
    arguments: list,
    requiredWorkGroupSize,
    workGroupSizeHint,
    vecTypeHint,
    requiredSubGroupSize: subGroup ?? null,
    uniformWorkGroups: m.hasUniformGroups || m.options.uniformWorkGroups,
    attributes: attributes.join(" "),
  };
}
