// SPDX-License-Identifier: Apache-2.0
// The layer of places: sections in order, functions of a head and blocks, blocks of a label and a terminator. It also
// notes the function and the block of each instruction for later layers.
import type { OpName } from "../generated/names.ts";
import { EXTENDED_SETS, OP_ROWS, opRow, opcodeOf } from "../grammar/tables.ts";
import type { Validation } from "./validation.ts";

/** The sections before functions, in order. */
const SECTIONS: readonly (readonly OpName[])[] = [
  ["OpCapability"],
  ["OpExtension"],
  ["OpExtInstImport"],
  ["OpMemoryModel"],
  ["OpEntryPoint"],
  ["OpExecutionMode", "OpExecutionModeId"],
  ["OpString", "OpSourceExtension", "OpSource", "OpSourceContinued"],
  ["OpName", "OpMemberName"],
  ["OpModuleProcessed"],
];
const ANNOTATIONS = 9;
const GLOBALS = 10;
const MODEL_SECTION = 3;

/** Where an instruction may stand: in which section; ANYWHERE from the globals on; NOT_GLOBAL only in functions. */
const NOT_GLOBAL = -1;
const IN_BOTH = -2;
const sectionOf: number[] = [];
for (const row of OP_ROWS.values()) {
  const listed = SECTIONS.findIndex((names) => names.includes(row.name));
  const isGlobal =
    row.class === "Type-Declaration" ||
    row.class === "Constant-Creation" ||
    row.name === "OpConstantPipeStorage" ||
    row.name.startsWith("OpType");
  sectionOf[row.opcode] =
    listed >= 0 ? listed : row.class === "Annotation" ? ANNOTATIONS : isGlobal ? GLOBALS : NOT_GLOBAL;
}
for (const name of ["OpVariable", "OpUndef", "OpLine", "OpNoLine", "OpExtInst"] as const)
  sectionOf[opcodeOf(name)] = IN_BOTH;

/** Domains and lists of aliases: what memory operands name. They may stand before decorations or after them. */
const isScopeList: boolean[] = [];
for (const name of ["OpAliasDomainDeclINTEL", "OpAliasScopeDeclINTEL", "OpAliasScopeListDeclINTEL"] as const)
  isScopeList[opcodeOf(name)] = true;

const FUNCTION = opcodeOf("OpFunction");
const PARAMETER = opcodeOf("OpFunctionParameter");
const FUNCTION_END = opcodeOf("OpFunctionEnd");
const LABEL = opcodeOf("OpLabel");
const PHI = opcodeOf("OpPhi");
const VARIABLE = opcodeOf("OpVariable");
const LINE = opcodeOf("OpLine");
const NO_LINE = opcodeOf("OpNoLine");
const NOP = opcodeOf("OpNop");
const EXT_INST = opcodeOf("OpExtInst");
const MEMORY_MODEL = opcodeOf("OpMemoryModel");
const MERGES: ReadonlySet<number> = new Set([opcodeOf("OpLoopMerge"), opcodeOf("OpSelectionMerge")]);
const BRANCHES: ReadonlySet<number> = new Set(
  (["OpBranch", "OpBranchConditional", "OpSwitch"] as const).map((name) => opcodeOf(name)),
);

/** Last instructions of blocks. */
export const TERMINATORS: ReadonlySet<number> = new Set(
  (
    [
      "OpBranch",
      "OpBranchConditional",
      "OpSwitch",
      "OpKill",
      "OpReturn",
      "OpReturnValue",
      "OpUnreachable",
      "OpTerminateInvocation",
      "OpIgnoreIntersectionKHR",
      "OpTerminateRayKHR",
      "OpEmitMeshTasksEXT",
    ] as const
  ).map((name) => opcodeOf(name)),
);

/** True for debug information: extended instructions that mean nothing to a program. */
export function isDebugInformation(validation: Validation, instruction: number): boolean {
  const { module } = validation;
  if (module.opcodes[instruction] !== EXT_INST) return false;
  const name = module.imports.get(validation.word(instruction, 3)) ?? "";
  return name.startsWith("NonSemantic.") || (name.includes("DebugInfo") && EXTENDED_SETS.has(name));
}

/** Sections of a module, before its functions. Gives the first instruction of the functions. */
function checkSections(validation: Validation): number {
  const { count, opcodes } = validation.module;
  let section = 0;
  let models = 0;
  let at = 0;
  for (; at < count; at++) {
    const opcode = opcodes[at] ?? 0;
    if (opcode === FUNCTION) break;
    let wanted = sectionOf[opcode] ?? NOT_GLOBAL;
    if (opcode === MEMORY_MODEL) models++;
    if (opcode === NOP || isScopeList[opcode] === true) continue;
    if (wanted === NOT_GLOBAL || (opcode === EXT_INST && !isDebugInformation(validation, at))) {
      validation.fail(at, "section-order", `${opRow(opcode)?.name ?? ""} stands outside of functions`);
      return at;
    }
    if (wanted === IN_BOTH) wanted = GLOBALS;
    if (wanted < section && opcode !== MEMORY_MODEL)
      validation.fail(at, "section-order", `${opRow(opcode)?.name ?? ""} comes after instructions of later sections`);
    if (section < MODEL_SECTION && wanted > MODEL_SECTION)
      validation.fail(at, "memory-model", "there is no OpMemoryModel before this instruction");
    section = Math.max(section, wanted);
  }
  if (models !== 1)
    validation.fail(Math.min(at, count - 1), "memory-model", `there are ${models} OpMemoryModel, there must be one`);
  return at;
}

/** Where a function stands while its instructions are read. */
interface State {
  place: "outside" | "head" | "block" | "between";
  first: number;
  label: number;
  blocks: number;
  hasBodies: boolean;
  /** Only phis and lines so far. */
  isTop: boolean;
  /** Only variables, phis and lines so far, in the first block. */
  allowsVariables: boolean;
}

/** Instructions of a block that end its first part. */
function checkTop(validation: Validation, state: State, at: number, opcode: number): void {
  if (opcode === LINE || opcode === NO_LINE || isDebugInformation(validation, at)) return;
  if (opcode === PHI) {
    if (!state.isTop) validation.fail(at, "phi-place", "a phi comes after other instructions of its block");
    if (state.blocks === 1) validation.fail(at, "phi-place", "the first block of a function has no phis");
    return;
  }
  state.isTop = false;
  if (opcode !== VARIABLE) state.allowsVariables = false;
  else if (!state.allowsVariables)
    validation.fail(at, "variable-place", "a variable is not among the first instructions of the first block");
}

/** Steps of a function that are no instructions of blocks. True: this was one. */
function checkFrame(validation: Validation, state: State, at: number, opcode: number): boolean {
  const { place } = state;
  if (opcode === FUNCTION) {
    if (place !== "outside") validation.fail(at, "function-layout", "a function begins inside of another one");
    state.place = "head";
    state.first = at;
    state.blocks = 0;
    validation.functions.push(at);
  } else if (opcode === PARAMETER) {
    if (place !== "head") validation.fail(at, "function-layout", "a parameter comes after the head of its function");
  } else if (opcode === FUNCTION_END) {
    if (place !== "head" && place !== "between")
      validation.fail(
        at,
        "function-layout",
        place === "block" ? "the last block has no terminator" : "no function ends here",
      );
    if (state.blocks > 0) state.hasBodies = true;
    else if (state.hasBodies)
      validation.fail(state.first, "declaration-order", "a function without blocks comes after one with blocks");
    state.place = "outside";
  } else if (opcode === LABEL) {
    if (place !== "head" && place !== "between")
      validation.fail(
        at,
        "block-layout",
        place === "block" ? "a block begins before the last one has ended" : "a block stands outside of functions",
      );
    state.place = "block";
    state.label = at;
    state.blocks++;
    state.isTop = true;
    state.allowsVariables = state.blocks === 1;
    validation.blockOf[at] = at;
  } else return false;
  return true;
}

function checkFunctions(validation: Validation, begin: number): void {
  const { count, opcodes } = validation.module;
  const state: State = {
    place: "outside",
    first: -1,
    label: -1,
    blocks: 0,
    hasBodies: false,
    isTop: false,
    allowsVariables: false,
  };
  for (let at = begin; at < count && !validation.isFull; at++) {
    const opcode = opcodes[at] ?? 0;
    if (checkFrame(validation, state, at, opcode)) {
      if (state.first >= 0) validation.functionOf[at] = state.first;
      continue;
    }
    if (opcode === LINE || opcode === NO_LINE || (state.place !== "block" && isDebugInformation(validation, at)))
      continue;
    const section = sectionOf[opcode] ?? NOT_GLOBAL;
    if (section !== NOT_GLOBAL && section !== IN_BOTH) {
      validation.fail(at, "section-order", `${opRow(opcode)?.name ?? ""} stands after the first function`);
      return;
    }
    if (state.place !== "block") {
      validation.fail(at, "block-layout", `${opRow(opcode)?.name ?? ""} stands outside of a block`);
      return;
    }
    validation.functionOf[at] = state.first;
    validation.blockOf[at] = state.label;
    checkTop(validation, state, at, opcode);
    if (MERGES.has(opcode) && !BRANCHES.has(opcodes[at + 1] ?? 0))
      validation.fail(at, "merge-place", "a merge instruction is not followed by a branch");
    if (TERMINATORS.has(opcode)) state.place = "between";
  }
  if (state.place !== "outside" && !validation.isFull)
    validation.fail(count - 1, "function-layout", "the module ends inside of a function");
}

/** Checks where instructions stand. False: later layers would read nonsense. */
export function checkLayout(validation: Validation): boolean {
  const begin = checkSections(validation);
  if (!validation.isFull && validation.errors.length === 0) checkFunctions(validation, begin);
  return validation.errors.length === 0;
}
