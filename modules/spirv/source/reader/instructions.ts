// SPDX-License-Identifier: Apache-2.0
// The table of what functions consist of: an instruction's handler by its opcode. What is not in it is refused, with
// the reason where there is one that a user can do something about.
import { Builder, IrFunction, type Location, VOID } from "@muxkit/ir";

import { opRow, opcodeOf } from "../grammar/tables.ts";
import type { OpName } from "../generated/names.ts";
import { ARITHMETIC, type Handler, type HandlerTable } from "./arithmetic.ts";
import { COMPOSITES } from "./composites.ts";
import { type SpecOperation, foldedOperand, setSpecOperation, zeroOf } from "./constants.ts";
import { CONTROL } from "./control.ts";
import { FunctionReader, graphOf } from "./function-reader.ts";
import { GROUPS } from "./groups.ts";
import { IMAGES } from "./images.ts";
import { MEMORY, constantChain } from "./memory.ts";
import type { FunctionBody, ModuleReader } from "./module-reader.ts";
import { ConstantAddress, type Operand } from "./operand.ts";
import { openclInstruction } from "./opencl-std.ts";
import { scalarizing } from "./scalarized.ts";
import { debugPrintf } from "./shader/debug-printf.ts";
import { glslInstruction } from "./shader/glsl-std.ts";
import { SHADER_INSTRUCTIONS, SHADER_REFUSALS } from "./shader/instructions.ts";
import { SYNCHRONIZATION } from "./synchronization.ts";

const DEBUG_LINE = 103;
const DEBUG_NO_LINE = 104;
/** The operand word that is the format of debug printf. */
const PRINTF_FORMAT = 2;

function extended(f: FunctionReader): Operand | undefined {
  const { i, m } = f;
  const set = m.module.imports.get(i.word(0));
  if (set === "OpenCL.std") {
    const handler = openclInstruction(i.word(1));
    return handler === undefined ? f.refuse(`OpenCL.std has no instruction ${i.word(1)}`) : handler(f);
  }
  if (set === "GLSL.std.450") {
    const handler = glslInstruction(i.word(1));
    return handler === undefined ? f.refuse(`GLSL.std.450 has no instruction ${i.word(1)}`) : handler(f);
  }
  if (set === "NonSemantic.DebugPrintf") {
    debugPrintf(f, PRINTF_FORMAT);
    return undefined;
  }
  if (set === "NonSemantic.Shader.DebugInfo.100" && i.word(1) === DEBUG_LINE && i.count > 4) {
    const line = m.constantOf(i.word(3));
    if (line?.kind === "constant")
      f.locate(locationOf(f, m.strings.get(i.word(2)) ?? m.options.name, line.low, columnOf(f)));
    return undefined;
  }
  if (set === "NonSemantic.Shader.DebugInfo.100" && i.word(1) === DEBUG_NO_LINE) f.locate(null);
  if (set?.startsWith("NonSemantic.") === true || set === "OpenCL.DebugInfo.100" || set === "SPIRV.debug")
    return undefined;
  return f.refuse(`the instructions of ${set ?? "an unknown set"} are not supported`);
}

/** The column at which the line of debug information begins. */
function columnOf({ i, m }: FunctionReader): number {
  const column = m.constantOf(i.word(5));
  return column?.kind === "constant" ? column.low : 1;
}

function locationOf(f: FunctionReader, file: string, line: number, column: number): Location {
  return { file, line: Math.max(1, line), column: Math.max(1, column), scope: f.facts.ir.name, inlinedAt: null };
}

const nothing: Handler = () => undefined;

const OTHERS: HandlerTable = {
  OpNop: nothing,
  OpFunctionParameter: nothing,
  OpUndef: (f) => zeroOf(f.m, f.type),
  OpExtInst: extended,
  OpLine: (f) => {
    f.locate(locationOf(f, f.m.strings.get(f.i.word(0)) ?? f.m.options.name, f.i.word(1), f.i.word(2)));
    return undefined;
  },
  OpNoLine: (f) => {
    f.locate(null);
    return undefined;
  },
  OpAssumeTrueKHR: nothing,
  OpExpectKHR: (f) => f.arg(0),
};

/** Why instructions are refused that kernels may have by the specification. */
const REFUSALS: Partial<Record<OpName, string>> = {
  OpEnqueueKernel: "a kernel cannot start kernels on these devices",
  OpEnqueueMarker: "a kernel cannot start kernels on these devices",
  OpGetDefaultQueue: "a kernel cannot start kernels on these devices",
  OpBuildNDRange: "a kernel cannot start kernels on these devices",
  OpCreateUserEvent: "a kernel cannot start kernels on these devices",
  OpConstantFunctionPointerINTEL:
    "functions cannot be called through pointers: WebAssembly's tables are not the program's",
  OpFunctionPointerCallINTEL: "functions cannot be called through pointers: WebAssembly's tables are not the program's",
  OpKill: "only fragment shaders end early",
  OpImageTexelPointer: "texels have no addresses here",
  OpImageSampleImplicitLod: "kernels have no derivatives; take OpImageSampleExplicitLod",
};

const ALL: HandlerTable = {
  ...OTHERS,
  ...ARITHMETIC,
  ...MEMORY,
  ...COMPOSITES,
  ...CONTROL,
  ...SYNCHRONIZATION,
  ...GROUPS,
  ...IMAGES,
};

function byOpcode(table: HandlerTable): readonly (Handler | undefined)[] {
  const list: (Handler | undefined)[] = [];
  for (const [name, handler] of Object.entries(table)) list[opcodeOf(name as OpName)] = handler;
  return list;
}

const IN_SHADERS: HandlerTable = { ...ALL, ...SHADER_INSTRUCTIONS };
const HANDLERS = byOpcode(ALL);
const SHADER_HANDLERS = byOpcode(IN_SHADERS);

/** Reads the instruction that a function reader stands at. */
export function readInstruction(f: FunctionReader): void {
  const { i } = f;
  const handler = (f.m.isShader ? SHADER_HANDLERS : HANDLERS)[i.opcode];
  if (handler === undefined) return refuseOpcode(f.m, i.opcode, f.m.at);
  if (f.b.isTerminated && i.opcode !== LABEL && !BETWEEN_BLOCKS.has(i.opcode))
    return f.refuse("an instruction follows the end of a block");
  const result = (f.m.hasOddVectors ? scalarizing(f, i.opcode, handler) : handler)(f);
  if (result !== undefined && i.result !== 0) f.define(i.result, f.type, f.result(result));
}

function refuseOpcode(m: ModuleReader, opcode: number, at: number): never {
  const name = opRow(opcode)?.name ?? "OpNop";
  const reason = (m.isShader ? SHADER_REFUSALS : REFUSALS)[name];
  return m.refuse(at, reason ?? `${name} is not supported in ${m.isShader ? "shaders" : "kernels"}`);
}

/**
 * Ends the reading at the first instruction of blocks that are reached for which there is no row, before anything is
 * made of the functions: what is refused takes no memory for the IR of what comes before it.
 */
export function requireHandlers(m: ModuleReader, all: Iterable<FunctionBody>): void {
  const { opcodes, offsets } = m.module;
  const handlers = m.isShader ? SHADER_HANDLERS : HANDLERS;
  for (const facts of all) {
    let first = facts.begin + 1;
    while (first < facts.end && handlers[opcodes[first] ?? 0] !== undefined) first++;
    if (first === facts.end) continue;
    for (const label of graphOf(m, facts).order)
      for (let index = label + 1; index < facts.end && opcodes[index] !== LABEL; index++)
        if (handlers[opcodes[index] ?? 0] === undefined) refuseOpcode(m, opcodes[index] ?? 0, offsets[index] ?? 0);
  }
}

const LABEL = opcodeOf("OpLabel");
const BETWEEN_BLOCKS = new Set((["OpLine", "OpNoLine", "OpFunctionParameter", "OpNop"] as const).map(opcodeOf));

/** Instructions of a function that are read, for the page of what is supported. @internal */
export const READ_INSTRUCTIONS: readonly OpName[] = Object.keys(IN_SHADERS) as OpName[];
/** Instructions that are refused with a reason of their own. @internal */
export const REFUSED_INSTRUCTIONS: Readonly<Partial<Record<OpName, string>>> = { ...SHADER_REFUSALS, ...REFUSALS };

/** Addresses keep what they point to under these. */
const KEEPS_ADDRESS = new Set<OpName>([
  "OpBitcast",
  "OpPtrCastToGeneric",
  "OpGenericCastToPtr",
  "OpConvertPtrToU",
  "OpCopyObject",
]);

const evaluateOperation: SpecOperation = (m, name, type, id, at, end) => {
  const handler = (m.isShader ? IN_SHADERS : ALL)[name];
  if (handler === undefined) return m.refuse(at, `${name} is no operation on constants that is supported`);
  const scratch = new IrFunction("constant", VOID, []);
  const f = new FunctionReader(m, {
    id: 0,
    begin: 0,
    end: 0,
    type,
    ir: scratch,
    hasResultAddress: false,
    builtin: null,
    hidden: [],
  });
  f.i.at = at;
  f.i.end = end;
  f.i.typeId = type.id;
  f.i.result = id;
  f.b.block = new Builder(scratch.addBlock("")).block;
  const base = f.operand(f.i.word(0));
  if (base.kind === "constant-address") {
    if (type.ir !== null && KEEPS_ADDRESS.has(name)) return new ConstantAddress(base.global, base.addend, type.ir);
    const chained = type.ir !== null && name.includes("AccessChain") ? constantChain(f, name, type.ir) : null;
    return chained ?? m.refuse(at, `${name} of an address is no constant`);
  }
  const made = (m.hasOddVectors ? scalarizing(f, opcodeOf(name), handler) : handler)(f);
  const folded = made === undefined ? null : foldedOperand(f.result(made));
  return folded ?? m.refuse(at, `${name} of these operands is no constant`);
};

setSpecOperation(evaluateOperation);
