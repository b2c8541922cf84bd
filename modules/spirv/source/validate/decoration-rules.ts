// SPDX-License-Identifier: Apache-2.0
// Rules of decorations that look at more than what is decorated: decorations that exclude one another, arithmetic that
// may not wrap, conversions that round, entry points and imports.
import type { EnumerantNames, OpName } from "../generated/names.ts";
import { enumerant, enumerantName, opcodeOf } from "../grammar/tables.ts";
import type { ValidationRuleName } from "./rule.table.ts";
import type { Validation } from "./validation.ts";

type Name = EnumerantNames["Decoration"];
const decoration = (name: Name): number => enumerant("Decoration", name);
const opcodes = (...names: readonly OpName[]): ReadonlySet<number> => new Set(names.map((name) => opcodeOf(name)));

const DECORATE = opcodeOf("OpDecorate");
const MEMBER_DECORATE = opcodeOf("OpMemberDecorate");
const FUNCTION = opcodeOf("OpFunction");
const ENTRY_POINT = opcodeOf("OpEntryPoint");
const VARIABLE = opcodeOf("OpVariable");
const STRUCT = opcodeOf("OpTypeStruct");
const LINKAGE = decoration("LinkageAttributes");
const IMPORT = enumerant("LinkageType", "Import");
const BUILT_IN = decoration("BuiltIn");

/** Decorations of which a thing has at most one. */
const EXCLUSIVE: readonly (readonly [Name, Name, ValidationRuleName])[] = [
  ["Block", "BufferBlock", "decoration-block-both"],
  ["Restrict", "Aliased", "decoration-alias-both"],
  ["RestrictPointer", "AliasedPointer", "decoration-pointer-both"],
  ["NoPerspective", "Flat", "decoration-interpolation-both"],
];
const others = new Map<number, { readonly other: Name; readonly rule: ValidationRuleName }>();
for (const [one, other, rule] of EXCLUSIVE) others.set(decoration(one), { other, rule });

/** Decorations of results, and the instructions whose results bear them. */
const RESULTS: readonly (readonly [Name, ReadonlySet<number>, ValidationRuleName])[] = [
  [
    "NoSignedWrap",
    opcodes("OpIAdd", "OpISub", "OpIMul", "OpShiftLeftLogical", "OpSNegate", "OpExtInst"),
    "decoration-signed-wrap",
  ],
  [
    "NoUnsignedWrap",
    opcodes("OpIAdd", "OpISub", "OpIMul", "OpShiftLeftLogical", "OpSNegate", "OpExtInst"),
    "decoration-unsigned-wrap",
  ],
  [
    "FPRoundingMode",
    opcodes(
      "OpFConvert",
      "OpConvertFToS",
      "OpConvertFToU",
      "OpConvertSToF",
      "OpConvertUToF",
      "OpSatConvertSToU",
      "OpSatConvertUToS",
      "OpSConvert",
      "OpUConvert",
      "OpFAdd",
      "OpFSub",
      "OpFMul",
      "OpFDiv",
    ),
    "decoration-rounding",
  ],
  [
    "SaturatedConversion",
    opcodes(
      "OpConvertFToS",
      "OpConvertFToU",
      "OpSConvert",
      "OpUConvert",
      "OpConvertSToF",
      "OpConvertUToF",
      "OpSatConvertSToU",
      "OpSatConvertUToS",
    ),
    "decoration-saturation",
  ],
];
const resultRules = new Map(RESULTS.map(([name, of, rule]) => [decoration(name), { of, rule }]));

/** Decorations that are never those of members. */
const WHOLE_ONLY: ReadonlySet<number> = new Set(
  (
    [
      "Block",
      "BufferBlock",
      "SpecId",
      "ArrayStride",
      "Binding",
      "DescriptorSet",
      "LinkageAttributes",
      "NoContraction",
      "GLSLShared",
      "GLSLPacked",
      "CPacked",
    ] as const
  ).map(decoration),
);
const UNIFORM: ReadonlySet<number> = new Set((["Uniform", "UniformId"] as const).map(decoration));
const MEMORY: ReadonlySet<number> = new Set(
  (["NonWritable", "NonReadable", "Restrict", "Aliased"] as const).map(decoration),
);
const MEMORY_OBJECTS = opcodes("OpVariable", "OpFunctionParameter", "OpTypeStruct");

function checkOne(v: Validation, at: number): void {
  const id = v.word(at, 1);
  // A reader may let decorations of nothing pass: they say nothing.
  if (v.definition(id) < 0) return;
  const kind = v.word(at, 2);
  const opcode = v.op(id);
  const name = enumerantName("Decoration", kind);
  const exclusive = others.get(kind);
  if (exclusive !== undefined && v.decorations.has(id, exclusive.other))
    v.fail(at, exclusive.rule, `%${id} has both ${name} and ${exclusive.other}`, 2);
  const wanted = resultRules.get(kind);
  if (wanted !== undefined && !wanted.of.has(opcode) && opcode !== GROUP)
    v.fail(at, wanted.rule, `${name} is for other instructions`, 1);
  if (UNIFORM.has(kind) && (!v.isValue(id) || v.isVoid(v.typeOf(id))))
    v.fail(at, "decoration-uniform", `${name} decorates %${id}, which is no value`, 1);
  if (MEMORY.has(kind) && !MEMORY_OBJECTS.has(opcode) && opcode !== GROUP)
    v.fail(at, "decoration-memory", `${name} decorates %${id}, which is no variable and no parameter`, 1);
  if (kind === LINKAGE && opcode === VARIABLE && v.word(at, v.size(at) - 1) === IMPORT && v.size(v.definition(id)) > 4)
    v.fail(at, "linkage-initializer", "an imported variable has an initialiser", 1);
}
const GROUP = opcodeOf("OpDecorationGroup");

/** Structures whose members are built-ins have no others. */
function checkMembers(v: Validation, struct: number, at: number): void {
  const members = v.size(v.definition(struct)) - 2;
  let builtIns = 0;
  for (let member = 0; member < members; member++) if (v.decorations.has(struct, "BuiltIn", member)) builtIns++;
  if (builtIns > 0 && builtIns !== members)
    v.fail(at, "built-in-members", "some members of the structure are built-ins, others are not", 1);
}

/** Decorations of the whole module. */
export function checkDecorationRules(v: Validation): void {
  const { opcodes: all, count } = v.module;
  const seen = v.marks();
  for (let at = 0; at < count && all[at] !== FUNCTION && !v.isFull; at++) {
    const opcode = all[at];
    if (opcode === DECORATE) checkOne(v, at);
    else if (opcode === MEMBER_DECORATE) {
      const kind = v.word(at, 3);
      if (WHOLE_ONLY.has(kind))
        v.fail(at, "decoration-member", `${enumerantName("Decoration", kind)} is not for members of structures`, 3);
      const struct = v.word(at, 1);
      if (kind === BUILT_IN && !seen.has(struct) && v.op(struct) === STRUCT) {
        seen.add(struct);
        checkMembers(v, struct, at);
      }
    } else if (opcode === ENTRY_POINT && v.decorations.has(v.word(at, 2), "LinkageAttributes"))
      v.fail(at, "linkage-entry-point", "an entry point has LinkageAttributes", 2);
  }
}
