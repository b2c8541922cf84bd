// SPDX-License-Identifier: Apache-2.0
// The rules of a valid module: name, the specification's section (of SPIR-V, else of the environment), what it demands.

/** A rule of a valid module. @public */
export interface ValidationRule {
  /** The section of the SPIR-V specification, or the environment whose rule it is. */
  readonly section: string;
  /** What it demands. */
  readonly what: string;
}

/** The name of a rule. @public */
export type ValidationRuleName =
  | "module-size"
  | "header"
  | "magic-number"
  | "version"
  | "schema"
  | "word-count"
  | "opcode"
  | "enumerant"
  | "string"
  | "number-type"
  | "number-bits"
  | "extended-set"
  | "section-order"
  | "memory-model"
  | "function-layout"
  | "declaration-order"
  | "block-layout"
  | "phi-place"
  | "variable-place"
  | "merge-place"
  | "id-zero"
  | "id-bound"
  | "id-unique"
  | "id-defined"
  | "id-order"
  | "id-dominance"
  | "id-function"
  | "id-kind"
  | "type-unique"
  | "type-int"
  | "type-float"
  | "type-vector"
  | "type-matrix"
  | "type-array"
  | "type-struct"
  | "type-pointer"
  | "type-function"
  | "type-image"
  | "constant-type"
  | "constant-composite"
  | "constant-operation"
  | "decoration-target"
  | "decoration-group"
  | "member-index"
  | "decoration-value"
  | "linkage"
  | "capability"
  | "capability-exclusive"
  | "extension"
  | "version-needed"
  | "entry-point"
  | "entry-point-unique"
  | "entry-point-needed"
  | "entry-point-interface"
  | "execution-mode"
  | "branch-target"
  | "phi-parents"
  | "phi-type"
  | "merge-unique"
  | "merge-dominance"
  | "loop-header"
  | "selection-merge"
  | "result-type"
  | "operand-type"
  | "operand-count"
  | "index"
  | "storage-class"
  | "alignment"
  | "call"
  | "return"
  | "scope"
  | "semantics"
  | "recursion"
  | "logical-pointer"
  | "environment";

const ROWS: Readonly<Record<ValidationRuleName, readonly [string, string]>> = {
  // Binary form
  "module-size": ["2.3", "a module is whole words"],
  header: ["2.3", "a module has a header of five words"],
  "magic-number": ["2.3", "a module begins with the magic number"],
  version: ["2.3", "the version is known"],
  schema: ["2.3", "the schema is 0"],
  "word-count": ["2.3", "an instruction has the words that its operands need"],
  opcode: ["3.49", "an opcode is known, and may stand where it stands"],
  enumerant: ["3", "a value is one of its enumeration"],
  string: ["2.2.1", "a string ends inside of its instruction"],
  "number-type": ["2.2.1", "the type of a literal number is an integer or a float"],
  "number-bits": ["2.2.1", "a number of less than a word fills it with zeros or its sign"],
  "extended-set": ["3.49.3", "an extended instruction is one of an imported set"],
  // Layout
  "section-order": ["2.4", "instructions stand in their sections, and sections in order"],
  "memory-model": ["2.4", "there is one OpMemoryModel"],
  "function-layout": ["2.4", "a function is a head, parameters and blocks, or has no blocks if it is imported"],
  "declaration-order": ["2.4", "functions without blocks come before those with blocks"],
  "block-layout": ["2.4", "a block begins with a label and ends with a terminator"],
  "phi-place": ["3.49.17", "phis are the first instructions of a block"],
  "variable-place": ["2.4", "variables are the first instructions of a function's first block"],
  "merge-place": ["3.49.17", "a merge instruction stands before the last instruction of its block"],
  // Ids
  "id-zero": ["2.3", "no id is 0"],
  "id-bound": ["2.3", "ids are below the bound"],
  "id-unique": ["2.16.1", "an id is defined once"],
  "id-defined": ["2.16.1", "an id that is used is defined"],
  "id-order": ["2.16.1", "an id is defined before it is used, where it must not be a forward reference"],
  "id-dominance": ["2.16.1", "the definition of a value dominates its uses"],
  "id-function": ["2.16.1", "a value is used only in its function"],
  "id-kind": ["2.16.1", "an id is a type, a value, a label or another thing, as its use wants"],
  // Types and constants
  "type-unique": ["2.8", "types that are no aggregates or pointers are declared once"],
  "type-int": ["3.49.6", "integers have widths that the capabilities allow, and a signedness of 0 or 1"],
  "type-float": ["3.49.6", "floats have widths that the capabilities allow"],
  "type-vector": ["3.49.6", "vectors have scalar components, as many as the capabilities allow"],
  "type-matrix": ["3.49.6", "matrices have 2 to 4 columns, which are vectors of floats"],
  "type-array": ["3.49.6", "arrays have elements of a type with values, and a positive constant length"],
  "type-struct": ["3.49.6", "members of structures have types with values"],
  "type-pointer": ["3.49.6", "pointers point to types, in the storage class that was announced"],
  "type-function": ["3.49.6", "parameters of functions have types with values"],
  "type-image": ["3.49.6", "the operands of image types are in their ranges"],
  "constant-type": ["3.49.7", "the type of a constant is what the instruction makes"],
  "constant-composite": ["3.49.7", "a constant composite has a constant for each part, of its type"],
  "constant-operation": ["3.49.7", "OpSpecConstantOp has an operation that the capabilities allow"],
  // Decorations
  "decoration-target": ["3.20", "a decoration decorates what it is for"],
  "decoration-group": ["3.49.5", "what OpGroupDecorate applies is a group"],
  "member-index": ["3.49.5", "a member's number is below the number of members"],
  "decoration-value": ["3.20", "the operands of a decoration are in their ranges"],
  linkage: ["2.16.1", "functions without blocks, and they alone, are imported"],
  // What is declared
  capability: ["3.31", "what is used has a capability that the module declares"],
  "capability-exclusive": ["3.31", "capabilities and the memory model agree"],
  extension: ["3.31", "what an extension brings is used with its declaration"],
  "version-needed": ["3", "what a later version brings is not used before it"],
  // Entry points
  "entry-point": ["2.16.1", "an entry point is a function that returns nothing and is not called"],
  "entry-point-unique": ["2.16.1", "entry points of one model differ in their names"],
  "entry-point-needed": ["2.16.1", "a module without Linkage has an entry point"],
  "entry-point-interface": ["3.49.4", "the interface of an entry point is global variables, each once"],
  "execution-mode": ["3.49.4", "execution modes belong to an entry point of a model that they are for"],
  // Flow
  "branch-target": ["2.16.1", "branches go to labels of their function, never to its first block"],
  "phi-parents": ["3.49.17", "a phi has one value for each block that comes before, and none for others"],
  "phi-type": ["3.49.17", "the values of a phi have its type"],
  "merge-unique": ["2.11.2", "a block is the merge block of one construct"],
  "merge-dominance": ["2.11.2", "a header dominates its merge block and its continue target"],
  "loop-header": ["2.11.2", "an edge back goes to a block with OpLoopMerge, from inside of its continue construct"],
  "selection-merge": ["2.11.2", "a selection of a shader has OpSelectionMerge"],
  // Instructions
  "result-type": ["3.49", "the type of the result is what the instruction makes"],
  "operand-type": ["3.49", "operands have the types that the instruction wants"],
  "operand-count": ["3.49", "there are as many operands as types say"],
  index: ["3.49", "constant indices are in their ranges"],
  "storage-class": ["3.49.8", "variables have the storage class of their type, in a place that allows it"],
  alignment: ["3.28", "an alignment is a power of two"],
  call: ["3.49.9", "a call has the arguments that the function's type wants"],
  return: ["3.49.17", "a function returns a value of its type"],
  scope: ["3.29", "a scope is an integer of 32 bits, a constant in shaders, with a value that is known"],
  semantics: ["3.27", "memory semantics have at most one order, which the instruction allows"],
  recursion: ["2.16.1", "shaders do not call functions recursively"],
  "logical-pointer": ["2.16.2", "logical pointers come from variables, parameters, calls and chains alone"],
  environment: ["environment", "the client's environment allows it"],
};

/** Every rule by its name. @public */
export const VALIDATION_RULES: Readonly<Record<string, ValidationRule>> = Object.fromEntries(
  Object.entries(ROWS).map(([name, [section, what]]) => [name, { section, what }]),
);
