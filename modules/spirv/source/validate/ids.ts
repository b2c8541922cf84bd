// SPDX-License-Identifier: Apache-2.0
// The layer of ids: each is defined once, before its use where the order matters, is what its use wants, and dominates
// its uses in functions.
import { OperandCursor } from "../binary/cursor.ts";
import type { OpName } from "../generated/names.ts";
import { KIND_RESULT, KIND_SEMANTICS, KIND_TYPE } from "../grammar/kinds.ts";
import { opRow, opcodeOf } from "../grammar/tables.ts";
import type { FlowGraph } from "./flow-graph.ts";
import { isDebugInformation } from "./layout.ts";
import type { Marks, Validation } from "./validation.ts";

/**
 * What the ids of an instruction are, in order, without the result and its type; the last letter holds for the rest:
 * `v` a value, `t` a type, `f` a function, `l` a label, `s` a string, `x` an imported set, `g` a group of decorations,
 * `a` anything. Capitals may be defined later. Instructions that are not here take values.
 */
const ID_KINDS: Partial<Readonly<Record<OpName, string>>> = {
  OpName: "A",
  OpMemberName: "T",
  OpLine: "s",
  OpSource: "s",
  OpEntryPoint: "FA",
  OpExecutionMode: "F",
  OpExecutionModeId: "FA",
  OpDecorate: "A",
  OpDecorateId: "A",
  OpDecorateString: "A",
  OpMemberDecorate: "T",
  OpMemberDecorateString: "T",
  OpGroupDecorate: "gA",
  OpGroupMemberDecorate: "gA",
  OpTypeVector: "t",
  OpTypeMatrix: "t",
  OpTypeArray: "tv",
  OpTypeRuntimeArray: "t",
  OpTypeStruct: "T",
  OpTypePointer: "T",
  OpTypeForwardPointer: "T",
  OpTypeFunction: "t",
  OpTypeImage: "t",
  OpTypeSampledImage: "t",
  OpTypePipe: "t",
  OpFunction: "t",
  OpFunctionCall: "Fv",
  OpExtInst: "xv",
  OpLoad: "va",
  OpStore: "vva",
  OpCopyMemory: "vva",
  OpCopyMemorySized: "vvva",
  OpAliasDomainDeclINTEL: "a",
  OpAliasScopeDeclINTEL: "a",
  OpAliasScopeListDeclINTEL: "a",
  OpPhi: "VL",
  OpBranch: "L",
  OpBranchConditional: "vL",
  OpSwitch: "vL",
  OpSelectionMerge: "L",
  OpLoopMerge: "L",
  OpEnqueueKernel: "vvvvvvFvvvv",
  OpGetKernelNDrangeSubGroupCount: "vFvvv",
  OpGetKernelNDrangeMaxSubGroupSize: "vFvvv",
  OpGetKernelWorkGroupSize: "Fvvv",
  OpGetKernelPreferredWorkGroupSizeMultiple: "Fvvv",
  OpGetKernelLocalSizeForSubgroupCount: "vFvvv",
  OpGetKernelMaxNumSubgroups: "Fvvv",
};
const kindsOf: (string | undefined)[] = [];
for (const [name, kinds] of Object.entries(ID_KINDS)) kindsOf[opcodeOf(name as OpName)] = kinds;

const FUNCTION = opcodeOf("OpFunction");
const LABEL = opcodeOf("OpLabel");
const STRING = opcodeOf("OpString");
const EXT_INST_IMPORT = opcodeOf("OpExtInstImport");
const DECORATION_GROUP = opcodeOf("OpDecorationGroup");
const FORWARD_POINTER = opcodeOf("OpTypeForwardPointer");
const SPEC_CONSTANT_OP = opcodeOf("OpSpecConstantOp");
const PHI = opcodeOf("OpPhi");
const TYPE_STRUCT = opcodeOf("OpTypeStruct");
const TYPE_POINTER = opcodeOf("OpTypePointer");

/** Instructions whose first operand need not be an id of anything that the module means. */
const DECORATES: ReadonlySet<number> = new Set(
  (["OpDecorate", "OpDecorateId", "OpDecorateString"] as const).map((name) => opcodeOf(name)),
);

type IsKind = (validation: Validation, id: number) => boolean;
const WANTED: Readonly<Record<string, { readonly what: string; readonly is: IsKind }>> = {
  v: { what: "a value", is: (validation, id) => validation.isValue(id) && validation.op(id) !== FUNCTION },
  t: { what: "a type", is: (validation, id) => validation.isType(id) },
  f: { what: "a function", is: (validation, id) => validation.op(id) === FUNCTION },
  l: { what: "a label", is: (validation, id) => validation.op(id) === LABEL },
  s: { what: "a string", is: (validation, id) => validation.op(id) === STRING },
  x: { what: "an imported set", is: (validation, id) => validation.op(id) === EXT_INST_IMPORT },
  g: { what: "a group of decorations", is: (validation, id) => validation.op(id) === DECORATION_GROUP },
  a: { what: "anything", is: () => true },
};

/** Types of pointers that OpTypeForwardPointer has announced. */
function announced(validation: Validation): Marks {
  const ids = validation.marks();
  const { opcodes, count } = validation.module;
  for (let at = 0; at < count && opcodes[at] !== FUNCTION; at++)
    if (opcodes[at] === FORWARD_POINTER) ids.add(validation.word(at, 1));
  return ids;
}

function kindLetter(opcode: number, place: number, isDebug: boolean): string {
  if (isDebug) return place === 0 ? "x" : "A";
  const letters = kindsOf[opcode];
  if (letters === undefined) return "v";
  if (opcode === PHI) return letters[place % 2] ?? "v";
  return letters[Math.min(place, letters.length - 1)] ?? "v";
}

/** One use of an id: it is defined, before, and is what is wanted. */
function checkUse(validation: Validation, at: number, cursor: OperandCursor, letter: string, forward: Marks): void {
  const id = cursor.value;
  const word = cursor.offset - (validation.module.offsets[at] ?? 0);
  const definition = validation.definition(id);
  const isPointerAhead = forward.has(id);
  const opcode = validation.module.opcodes[at] ?? 0;
  if (definition < 0) {
    const isTarget = word === 1 && DECORATES.has(opcode);
    validation.fail(at, isTarget ? "target-defined" : "id-defined", `%${id} is not defined`, word);
    return;
  }
  const mayComeLater =
    letter !== letter.toLowerCase() && ((opcode !== TYPE_STRUCT && opcode !== TYPE_POINTER) || isPointerAhead);
  if (definition >= at && !mayComeLater) {
    // Translators write blocks before their dominators: in other blocks of a function dominance alone decides.
    const home = validation.blockOf[definition] ?? -1;
    if (home >= 0 && home !== validation.blockOf[at] && validation.functionOf[definition] === validation.functionOf[at])
      return;
    const isComputed = home < 0 && definition > at && opcode === SPEC_CONSTANT_OP && validation.isValue(id);
    validation.fail(at, isComputed ? "constant-order" : "id-order", `%${id} is used before it is defined`, word);
    return;
  }
  const wanted = WANTED[letter.toLowerCase()];
  if (wanted !== undefined && !wanted.is(validation, id))
    validation.fail(at, "id-kind", `%${id} is not ${wanted.what}`, word);
}

/** Ids of the whole module, without dominance. False: later layers would read nonsense. */
export function checkIds(validation: Validation): boolean {
  const { module } = validation;
  const { opcodes, results, count } = module;
  const forward = announced(validation);
  const cursor = new OperandCursor(module);
  for (let at = 0; at < count && !validation.isFull; at++) {
    const result = results[at] ?? 0;
    if (result !== 0 && validation.definition(result) !== at)
      validation.fail(
        at,
        "id-unique",
        `%${result} is defined twice`,
        opRow(opcodes[at] ?? 0)?.hasType === true ? 2 : 1,
      );
    const isDebug = isDebugInformation(validation, at);
    let place = 0;
    cursor.begin(at);
    while (cursor.next()) {
      if (cursor.kind > KIND_SEMANTICS || cursor.kind === KIND_RESULT) continue;
      if (cursor.kind === KIND_TYPE) checkUse(validation, at, cursor, "t", forward);
      else checkUse(validation, at, cursor, kindLetter(opcodes[at] ?? 0, place++, isDebug), forward);
    }
  }
  return validation.errors.length === 0;
}

/** Uses of values in a function: of the same function, and dominated by their definitions. */
export function checkDominance(
  validation: Validation,
  graph: FlowGraph,
  begin: number,
  end: number,
  numberOf: Int32Array,
): void {
  const { module, blockOf, functionOf } = validation;
  const cursor = new OperandCursor(module);
  const blockNumber = (instruction: number): number => {
    const label = blockOf[instruction] ?? -1;
    return label < 0 ? 0 : (numberOf[label] ?? 0);
  };
  for (let at = begin; at < end && !validation.isFull; at++) {
    if (isDebugInformation(validation, at)) continue;
    const isPhi = module.opcodes[at] === PHI;
    cursor.begin(at);
    while (cursor.next()) {
      if (cursor.kind > KIND_SEMANTICS || cursor.kind === KIND_RESULT || cursor.kind === KIND_TYPE) continue;
      const id = cursor.value;
      const definition = validation.definition(id);
      const home = functionOf[definition] ?? -1;
      if (home < 0 || !validation.isValue(id) || module.opcodes[definition] === FUNCTION) continue;
      const word = cursor.offset - (module.offsets[at] ?? 0);
      if (home !== begin) {
        validation.fail(at, "id-function", `%${id} is defined in another function`, word);
        continue;
      }
      // A value of a phi is used at the end of the block that it comes from.
      const user = isPhi ? (numberOf[validation.definition(validation.word(at, word + 1))] ?? 0) : blockNumber(at);
      const definer = blockNumber(definition);
      if (definer === user) {
        if (!isPhi && definition >= at) validation.fail(at, "id-dominance", `%${id} is defined after its use`, word);
      } else if (graph.isReachable(user) && !graph.dominates(definer, user))
        validation.fail(at, "id-dominance", `the definition of %${id} does not dominate this use`, word);
    }
  }
}
