// SPDX-License-Identifier: Apache-2.0
// The place in a source of an instruction, by OpLine and by DebugLine of NonSemantic.Shader.DebugInfo.100: a line holds
// for what follows it, up to the next line, a line that ends it, or the end of its block (SPIR-V 3.3.3).
import { extendedNumber, opcodeOf } from "../grammar/tables.ts";
import { type SpirvModule, stringAt } from "../binary/module.ts";

const LINE = opcodeOf("OpLine");
const NO_LINE = opcodeOf("OpNoLine");
const EXT_INST = opcodeOf("OpExtInst");
const STRING = opcodeOf("OpString");
const CONSTANT = opcodeOf("OpConstant");
/** What ends a block, and with it a line. */
const ENDS: ReadonlySet<number> = new Set(
  (["OpLabel", "OpFunction", "OpFunctionEnd", "OpBranch", "OpBranchConditional", "OpSwitch", "OpReturn"] as const).map(
    opcodeOf,
  ),
);
const SET = "NonSemantic.Shader.DebugInfo.100";
const DEBUG_SOURCE = extendedNumber(SET, "DebugSource");
const DEBUG_LINE = extendedNumber(SET, "DebugLine");
const DEBUG_NO_LINE = extendedNumber(SET, "DebugNoLine");

/** The words of the instruction that defines an id; empty: nothing does. */
function wordsOf({ words, offsets, definitions }: SpirvModule, id: number): Uint32Array {
  const at = definitions.of(id);
  return at < 0 ? new Uint32Array(0) : words.subarray(offsets[at] ?? 0, offsets[at + 1] ?? 0);
}

function textOf(module: SpirvModule, id: number): string {
  const at = module.definitions.of(id);
  if (at < 0 || module.opcodes[at] !== STRING) return "";
  return stringAt(module.words, (module.offsets[at] ?? 0) + 2, module.offsets[at + 1] ?? 0);
}

function numberOf(module: SpirvModule, id: number): number {
  const at = module.definitions.of(id);
  return at >= 0 && module.opcodes[at] === CONSTANT ? (wordsOf(module, id)[3] ?? 0) : 0;
}

/** `file:line:column`; empty where one of them is not what it should be. */
function placeText(file: string, line: number, column: number): string {
  return file === "" || line === 0 ? "" : `${file}:${line}:${Math.max(1, column)}`;
}

/** The place that an instruction says; null: it says none. Empty: what follows has none. */
function placeSaid(module: SpirvModule, index: number): string | null {
  const { words, offsets, opcodes, imports } = module;
  const opcode = opcodes[index] ?? 0;
  const own = words.subarray(offsets[index] ?? 0, offsets[index + 1] ?? 0);
  if (opcode === LINE) return placeText(textOf(module, own[1] ?? 0), own[2] ?? 0, own[3] ?? 0);
  if (opcode === NO_LINE || ENDS.has(opcode)) return "";
  if (opcode !== EXT_INST || imports.get(own[3] ?? 0) !== SET) return null;
  if (own[4] === DEBUG_NO_LINE) return "";
  if (own[4] !== DEBUG_LINE) return null;
  const source = wordsOf(module, own[5] ?? 0);
  const file = source[4] === DEBUG_SOURCE ? textOf(module, source[5] ?? 0) : "";
  return placeText(file, numberOf(module, own[6] ?? 0), numberOf(module, own[8] ?? 0));
}

/** The place of an instruction, for an error; nothing where the module has none for it. Cost: its block. */
export function placeOf(module: SpirvModule, instruction: number): { readonly place?: string } {
  for (let index = Math.min(instruction, module.count) - 1; index >= 0; index--) {
    const said = placeSaid(module, index);
    if (said !== null) return said === "" ? {} : { place: said };
  }
  return {};
}
