// SPDX-License-Identifier: Apache-2.0
// The universal limits (section 2.17 of the specification): what every client takes, and none needs to exceed.
import { opRow, opcodeOf } from "../grammar/tables.ts";
import type { Validation } from "./validation.ts";

const STRUCT = opcodeOf("OpTypeStruct");
const ARRAY = opcodeOf("OpTypeArray");
const RUNTIME_ARRAY = opcodeOf("OpTypeRuntimeArray");
const TYPE_FUNCTION = opcodeOf("OpTypeFunction");
const SWITCH = opcodeOf("OpSwitch");
const VARIABLE = opcodeOf("OpVariable");
const FUNCTION = opcodeOf("OpFunction");

/** The limits. @public */
export const UNIVERSAL_LIMITS = {
  structMembers: 16_383,
  structNesting: 255,
  switchCases: 16_383,
  parameters: 255,
  globals: 65_535,
  locals: 524_287,
  indices: 255,
} as const;

const indexed: boolean[] = [];
for (const name of [
  "OpAccessChain",
  "OpInBoundsAccessChain",
  "OpPtrAccessChain",
  "OpInBoundsPtrAccessChain",
  "OpCompositeExtract",
  "OpCompositeInsert",
] as const)
  indexed[opcodeOf(name)] = true;

/** Deeper ones are as deep as this. */
const MOST_DEPTH = 0xffff;

/** Every limit, in one walk. */
export function checkLimits(v: Validation): void {
  const { opcodes, count } = v.module;
  // How deep structures are nested in each type, by its instruction; made where there is a structure.
  let depths = new Uint16Array(0);
  const depthOf = (type: number): number => depths[v.definition(type)] ?? 0;
  let [globals, locals] = [0, 0];
  let isGlobal = true;
  for (let at = 0; at < count && !v.isFull; at++) {
    const opcode = opcodes[at] ?? 0;
    if (opcode === FUNCTION) {
      isGlobal = false;
      locals = 0;
    } else if (opcode === STRUCT) {
      const members = v.size(at) - 2;
      if (members > UNIVERSAL_LIMITS.structMembers) v.fail(at, "limit-members", `a structure has ${members} members`);
      if (depths.length === 0) depths = new Uint16Array(count);
      let depth = 0;
      for (let word = 2; word < v.size(at); word++) depth = Math.max(depth, depthOf(v.word(at, word)));
      depths[at] = Math.min(depth + 1, MOST_DEPTH);
      if (depth + 1 > UNIVERSAL_LIMITS.structNesting)
        v.fail(at, "limit-nesting", `structures are nested ${depth + 1} deep`);
    } else if (opcode === ARRAY || opcode === RUNTIME_ARRAY) depths[at] = depthOf(v.word(at, 2));
    else if (opcode === TYPE_FUNCTION) {
      const parameters = v.size(at) - 3;
      if (parameters > UNIVERSAL_LIMITS.parameters)
        v.fail(at, "limit-parameters", `a function has ${parameters} parameters`);
    } else if (opcode === SWITCH) {
      const step = v.width(v.typeOf(v.word(at, 1))) > 32 ? 3 : 2;
      const cases = (v.size(at) - 3) / step;
      if (cases > UNIVERSAL_LIMITS.switchCases) v.fail(at, "limit-switch", `a switch has ${cases} cases`);
    } else if (opcode === VARIABLE) {
      if (isGlobal ? ++globals > UNIVERSAL_LIMITS.globals : ++locals > UNIVERSAL_LIMITS.locals)
        v.fail(
          at,
          isGlobal ? "limit-globals" : "limit-locals",
          `there are more than ${isGlobal ? UNIVERSAL_LIMITS.globals : UNIVERSAL_LIMITS.locals} variables`,
        );
    } else if (indexed[opcode] === true) {
      const indices = v.size(at) - (opRow(opcode)?.operands.length ?? 4);
      if (indices > UNIVERSAL_LIMITS.indices) v.fail(at, "limit-indices", `there are ${indices} indices`);
    }
  }
}
