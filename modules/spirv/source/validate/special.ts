// SPDX-License-Identifier: Apache-2.0
// Rows of instructions whose rules are about more than one operand's type: controls of loops and functions, results of
// several parts, shapes of matrices, comparisons of pointers, groups.
import type { EnumerantNames, OpName } from "../generated/names.ts";
import { enumerant, opcodeOf } from "../grammar/tables.ts";
import { partType } from "./constants.ts";
import { InstructionSet } from "./instruction-set.ts";
import type { ValidationRuleName } from "./rule.table.ts";
import type { Validation } from "./validation.ts";

type Check = (v: Validation, at: number) => void;

const STRUCT = opcodeOf("OpTypeStruct");
const ARRAY = opcodeOf("OpTypeArray");
const EVENT = opcodeOf("OpTypeEvent");
const SWITCH = opcodeOf("OpSwitch");
const BRANCH = opcodeOf("OpBranch");
const BRANCH_CONDITIONAL = opcodeOf("OpBranchConditional");
const GENERIC = enumerant("StorageClass", "Generic");
const FUNCTION_CLASS = enumerant("StorageClass", "Function");
const WORKGROUP_CLASS = enumerant("StorageClass", "Workgroup");
const CROSS_WORKGROUP = enumerant("StorageClass", "CrossWorkgroup");
const CLUSTERED = enumerant("GroupOperation", "ClusteredReduce");
const loop = (name: EnumerantNames["LoopControl"]): number => enumerant("LoopControl", name);
const CASTABLE: ReadonlySet<number> = new Set([FUNCTION_CLASS, WORKGROUP_CLASS, CROSS_WORKGROUP]);

const typeAt = (v: Validation, at: number, word: number): number => v.typeOf(v.word(at, word));

/** Bits of a mask that exclude one another. */
function checkConflicts(
  v: Validation,
  at: number,
  word: number,
  pairs: readonly (readonly [number, number])[],
  rule: ValidationRuleName,
): void {
  const mask = v.word(at, word);
  for (const [one, other] of pairs)
    if ((mask & one) !== 0 && (mask & other) !== 0) v.fail(at, rule, "two of the bits exclude one another", word);
}

const LOOP_CONFLICTS = [
  [loop("Unroll"), loop("DontUnroll")],
  [loop("DependencyInfinite"), loop("DependencyLength")],
  [loop("PeelCount"), loop("DontUnroll")],
  [loop("PartialCount"), loop("DontUnroll")],
] as const;
const LOOP_PARAMETERS = ["DependencyLength", "MinIterations", "MaxIterations", "IterationMultiple"] as const;
const SELECTION_CONFLICTS = [
  [enumerant("SelectionControl", "Flatten"), enumerant("SelectionControl", "DontFlatten")],
] as const;
const FUNCTION_CONFLICTS = [
  [enumerant("FunctionControl", "Inline"), enumerant("FunctionControl", "DontInline")],
] as const;

function checkLoopMerge(v: Validation, at: number): void {
  checkConflicts(v, at, 3, LOOP_CONFLICTS, "loop-control");
  let word = 4;
  for (const name of LOOP_PARAMETERS) {
    if ((v.word(at, 3) & loop(name)) === 0) continue;
    if (name === "IterationMultiple" && v.word(at, word) === 0)
      v.fail(at, "loop-multiple", "the number of iterations is a multiple of 0", word);
    word++;
  }
  const next = v.module.opcodes[at + 1] ?? 0;
  if (next !== BRANCH && next !== BRANCH_CONDITIONAL && v.isStructured)
    v.fail(at, "loop-merge-branch", "OpLoopMerge is not followed by OpBranch or OpBranchConditional");
}

/** Results of two parts, as of additions with carry. */
const checkPair =
  (isFloat: boolean): Check =>
  (v, at) => {
    const result = v.word(at, 1);
    const [first, second] = [partType(v, result, 0), partType(v, result, 1)];
    if (v.op(result) !== STRUCT || v.size(v.definition(result)) !== 4 || first !== second)
      v.fail(at, "result-pair", "the result is no structure of two equal members", 1);
    else if (isFloat ? !v.isFloat(v.component(first)) : !v.isInt(v.component(first)))
      v.fail(at, "result-pair", "the members of the result are no integers", 1);
    else if (typeAt(v, at, 3) !== first || typeAt(v, at, 4) !== first)
      v.fail(
        at,
        "operand-pair",
        "an operand is not of the type of the result's members",
        typeAt(v, at, 3) === first ? 4 : 3,
      );
  };

const columns = (v: Validation, type: number): number => v.word(v.definition(type), 3);
const rows = (v: Validation, type: number): number => v.components(v.word(v.definition(type), 2));

function shape(v: Validation, at: number, isRight: boolean): void {
  if (!isRight) v.fail(at, "matrix-shape", "rows and columns of the operands and the result do not fit", 1);
}

const checkPointers: Check = (v, at) => {
  const [one, other] = [typeAt(v, at, 3), typeAt(v, at, 4)];
  if (!v.isPointer(one) || one !== other)
    v.fail(at, "pointer-comparison", "the operands are not pointers of one type", 3);
  else if (v.isShader && !v.isKernel && !v.has("VariablePointersStorageBuffer") && v.storageClass(one) !== PHYSICAL)
    v.fail(at, "pointer-comparison-capability", "pointers are compared with VariablePointersStorageBuffer alone", 3);
};
const PHYSICAL = enumerant("StorageClass", "PhysicalStorageBuffer");

function checkCluster(v: Validation, at: number): void {
  const operation = v.word(at, 4);
  const id = v.word(at, 6);
  const has = v.size(at) > 6;
  if (operation === CLUSTERED && !has) v.fail(at, "group-cluster", "ClusteredReduce has no size of clusters", 4);
  else if (operation !== CLUSTERED && has)
    v.fail(at, "group-cluster", "only ClusteredReduce has a size of clusters", 6);
  else if (has) {
    const value = v.constant(id);
    if (!v.isInt(v.typeOf(id)) || !v.isUnsigned(v.typeOf(id)))
      v.fail(at, "group-cluster-size", "the size of clusters is no unsigned integer", 6);
    else if (value !== null && (value === 0 || (value & (value - 1)) !== 0))
      v.fail(at, "group-cluster-size", `the size of clusters is ${value}, no power of two`, 6);
  }
}

const checkBallot =
  (word: number): Check =>
  (v, at) => {
    const type = word === 1 ? v.word(at, 1) : typeAt(v, at, word);
    if (!v.isUnsigned(type) || v.components(type) !== 4 || v.width(type) !== 32)
      v.fail(at, "group-ballot", "a ballot is a vector of four unsigned integers of 32 bits", word);
  };

const checkLane =
  (word: number): Check =>
  (v, at) => {
    const id = v.word(at, word);
    if (!v.isUnsigned(v.typeOf(id)))
      v.fail(at, "group-lane", "the number of an invocation is an unsigned integer", word);
    else if (v.module.version < 0x10500 && v.isShader && !v.isConstant(id))
      v.fail(at, "group-broadcast", "before version 1.5 the invocation that broadcasts is a constant", word);
  };

const checkNumber =
  (word: number): Check =>
  (v, at) => {
    if (!v.isUnsigned(typeAt(v, at, word)))
      v.fail(at, "group-lane", "the number of an invocation is an unsigned integer", word);
  };

/** Integers whose dot product is taken: vectors, or words of four bytes. */
const checkDot =
  (isSaturating: boolean): Check =>
  (v, at) => {
    const [one, other] = [typeAt(v, at, 3), typeAt(v, at, 4)];
    const result = v.word(at, 1);
    if (!v.isInt(result)) v.fail(at, "dot-result", "the dot product is no integer", 1);
    else if (!v.isInt(v.component(one)) || v.components(one) !== v.components(other) || v.width(one) !== v.width(other))
      v.fail(at, "dot-operands", "the operands are not integers of one shape", 3);
    else if (!v.isVector(one) && v.width(one) !== 32) v.fail(at, "dot-operands", "a packed vector has 32 bits", 3);
    else if (v.width(result) < (v.isVector(one) ? v.width(one) : 8))
      v.fail(at, "dot-result", "the dot product has less bits than its operands", 1);
    else if (isSaturating && typeAt(v, at, 5) !== result)
      v.fail(at, "dot-accumulator", "the accumulator is not of the result's type", 5);
  };

/**
 * Structures and arrays of equal shapes, after Hopcroft and Karp's comparison of automata (1971): types that must be
 * equal are put into one class, and a pair whose classes are one already is not looked at. So there are less pairs than
 * types, however types share their parts, and classes hold for the whole module.
 */
function checkCopyLogical(v: Validation, at: number): void {
  const { logicalClasses: above } = v;
  const classOf = (definition: number): number => {
    let root = definition;
    while ((above[root] ?? 0) !== 0) root = (above[root] ?? 0) - 1;
    for (let one = definition; one !== root;) {
      const next = (above[one] ?? 0) - 1;
      above[one] = root + 1;
      one = next;
    }
    return root;
  };
  const [to, from] = [v.word(at, 1), typeAt(v, at, 3)];
  if (to === from) v.fail(at, "copy-logical", "both types are the same", 1);
  const open = [to, from];
  while (open.length > 0) {
    const [other = 0, one = 0] = [open.pop(), open.pop()];
    const [a, b] = [v.definition(one), v.definition(other)];
    const [first, second] = [classOf(a), classOf(b)];
    if (first === second) continue;
    const opcode = v.module.opcodes[a];
    const isArray = opcode === ARRAY;
    if (
      opcode !== v.module.opcodes[b] ||
      (!isArray && opcode !== STRUCT) ||
      v.size(a) !== v.size(b) ||
      (isArray && v.word(a, 3) !== v.word(b, 3))
    ) {
      v.fail(at, "copy-logical", `%${one} and %${other} have different shapes`, 1);
      // Classes that were joined on the way are not equal.
      above.fill(0);
      return;
    }
    above[first] = second + 1;
    for (let word = 2; word < (isArray ? 3 : v.size(a)); word++)
      if (v.word(a, word) !== v.word(b, word)) open.push(v.word(a, word), v.word(b, word));
  }
}

/** The rows. */
export const SPECIAL_ROWS: Partial<Record<OpName, Check>> = {
  OpLoopMerge: checkLoopMerge,
  OpSelectionMerge: (v, at) => {
    checkConflicts(v, at, 2, SELECTION_CONFLICTS, "selection-control");
    const next = v.module.opcodes[at + 1] ?? 0;
    if (next !== SWITCH && next !== BRANCH_CONDITIONAL && v.isStructured)
      v.fail(at, "selection-merge-branch", "OpSelectionMerge is not followed by OpBranchConditional or OpSwitch");
  },
  OpFunction: (v, at) => {
    checkConflicts(v, at, 3, FUNCTION_CONFLICTS, "function-control");
  },
  OpBranchConditional: (v, at) => {
    if (v.size(at) === 5) v.fail(at, "branch-weights", "a branch has two weights or none", 4);
    else if (v.size(at) > 5 && v.word(at, 4) === 0 && v.word(at, 5) === 0)
      v.fail(at, "branch-weights", "both weights of a branch are 0", 4);
  },
  OpSwitch: (v, at) => {
    const step = v.width(typeAt(v, at, 1)) > 32 ? 3 : 2;
    const high = (word: number): number => (step === 3 ? v.word(at, word + 1) : 0);
    const seen = new InstructionSet({
      hash: (word) => Math.imul(v.word(at, word), 0x01000193) ^ high(word),
      isSame: (one, other) => v.word(at, one) === v.word(at, other) && high(one) === high(other),
    });
    for (let word = 3; word + step <= v.size(at); word += step)
      if (seen.add(word) >= 0) {
        v.fail(at, "switch-literal", "two cases have the same value", word);
        return;
      }
  },
  OpIAddCarry: checkPair(false),
  OpISubBorrow: checkPair(false),
  OpUMulExtended: checkPair(false),
  OpSMulExtended: checkPair(false),
  OpDot: (v, at) => {
    if (!v.isFloat(v.word(at, 1))) v.fail(at, "dot-kind", "the product is no float", 1);
  },
  OpTranspose: (v, at) => {
    const [from, to] = [typeAt(v, at, 3), v.word(at, 1)];
    shape(v, at, rows(v, from) === columns(v, to) && columns(v, from) === rows(v, to));
  },
  OpOuterProduct: (v, at) => {
    const to = v.word(at, 1);
    shape(v, at, v.components(typeAt(v, at, 3)) === rows(v, to) && v.components(typeAt(v, at, 4)) === columns(v, to));
  },
  OpMatrixTimesVector: (v, at) => {
    const from = typeAt(v, at, 3);
    shape(v, at, columns(v, from) === v.components(typeAt(v, at, 4)) && rows(v, from) === v.components(v.word(at, 1)));
  },
  OpVectorTimesMatrix: (v, at) => {
    const from = typeAt(v, at, 4);
    shape(v, at, rows(v, from) === v.components(typeAt(v, at, 3)) && columns(v, from) === v.components(v.word(at, 1)));
  },
  OpMatrixTimesMatrix: (v, at) => {
    const [one, other, to] = [typeAt(v, at, 3), typeAt(v, at, 4), v.word(at, 1)];
    shape(
      v,
      at,
      columns(v, one) === rows(v, other) && rows(v, one) === rows(v, to) && columns(v, other) === columns(v, to),
    );
  },
  OpQuantizeToF16: (v, at) => {
    if (v.width(v.word(at, 1)) !== 32) v.fail(at, "quantize-width", "what is quantized has 32 bits", 1);
  },
  OpPtrEqual: checkPointers,
  OpPtrNotEqual: checkPointers,
  OpPtrDiff: checkPointers,
  OpPtrCastToGeneric: (v, at) => {
    if (v.storageClass(v.word(at, 1)) !== GENERIC)
      v.fail(at, "cast-generic", "the result does not point into Generic", 1);
    else if (!CASTABLE.has(v.storageClass(typeAt(v, at, 3))))
      v.fail(at, "cast-source", "only pointers into Function, Workgroup and CrossWorkgroup become generic", 3);
  },
  OpGenericCastToPtr: (v, at) => {
    if (v.storageClass(typeAt(v, at, 3)) !== GENERIC)
      v.fail(at, "cast-generic", "the operand does not point into Generic", 3);
    else if (!CASTABLE.has(v.storageClass(v.word(at, 1))))
      v.fail(
        at,
        "cast-target",
        "generic pointers become pointers into Function, Workgroup and CrossWorkgroup alone",
        1,
      );
  },
  OpGenericCastToPtrExplicit: (v, at) => {
    if (v.storageClass(typeAt(v, at, 3)) !== GENERIC)
      v.fail(at, "cast-generic", "the operand does not point into Generic", 3);
    else if (v.storageClass(v.word(at, 1)) !== v.word(at, 4))
      v.fail(at, "cast-explicit", "the result has another storage class than the instruction says", 4);
    else if (!CASTABLE.has(v.storageClass(v.word(at, 1))))
      v.fail(
        at,
        "cast-target",
        "generic pointers become pointers into Function, Workgroup and CrossWorkgroup alone",
        1,
      );
  },
  OpArrayLength: (v, at) => {
    const result = v.word(at, 1);
    if (!v.isInt(result) || v.width(result) !== 32 || !v.isUnsigned(result))
      v.fail(at, "array-length-result", "a length is an unsigned integer of 32 bits", 1);
  },
  OpGroupNonUniformBallot: checkBallot(1),
  OpGroupNonUniformInverseBallot: checkBallot(4),
  OpGroupNonUniformBallotBitExtract: checkBallot(4),
  OpGroupNonUniformBallotBitCount: checkBallot(5),
  OpGroupNonUniformBallotFindLSB: checkBallot(4),
  OpGroupNonUniformBallotFindMSB: checkBallot(4),
  OpGroupNonUniformBroadcast: checkLane(5),
  OpGroupNonUniformShuffle: checkNumber(5),
  OpGroupNonUniformShuffleXor: checkNumber(5),
  OpGroupNonUniformShuffleUp: checkNumber(5),
  OpGroupNonUniformShuffleDown: checkNumber(5),
  OpSDot: checkDot(false),
  OpUDot: checkDot(false),
  OpSUDot: checkDot(false),
  OpSDotAccSat: checkDot(true),
  OpUDotAccSat: checkDot(true),
  OpSUDotAccSat: checkDot(true),
  OpCopyLogical: checkCopyLogical,
  OpGroupAsyncCopy: (v, at) => {
    const [to, from] = [typeAt(v, at, 4), typeAt(v, at, 5)];
    const classes = new Set([v.storageClass(to), v.storageClass(from)]);
    if (v.op(v.word(at, 1)) !== EVENT) v.fail(at, "async-event", "the result is no event", 1);
    else if (!v.isPointer(to) || v.pointee(to) !== v.pointee(from))
      v.fail(at, "async-pointers", "the operands do not point to one type", 5);
    else if (!classes.has(WORKGROUP_CLASS) || !classes.has(CROSS_WORKGROUP))
      v.fail(at, "async-storage", "a copy goes between Workgroup and CrossWorkgroup", 4);
    else if (typeAt(v, at, 8) !== v.word(at, 1)) v.fail(at, "async-event", "the event before it is no event", 8);
  },
};
for (const name of [
  "IAdd",
  "FAdd",
  "IMul",
  "FMul",
  "SMin",
  "UMin",
  "FMin",
  "SMax",
  "UMax",
  "FMax",
  "BitwiseAnd",
  "BitwiseOr",
  "BitwiseXor",
  "LogicalAnd",
  "LogicalOr",
  "LogicalXor",
] as const)
  SPECIAL_ROWS[`OpGroupNonUniform${name}`] = checkCluster;
