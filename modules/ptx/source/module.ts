// SPDX-License-Identifier: Apache-2.0
/**
 * A module of the IR as one module of PTX: variables, then functions, callees first. Names are the generator's own,
 * since those of instructions are reserved in PTX; comments tell the program's.
 */
import { assert } from "@muxkit/cargo";
import { SIMT_VARIABLE_MARK } from "@muxkit/kernel-abi";
import { GLOBAL, type Global, type IrFunction, LOCAL, type Module, Op, sizeOf } from "@muxkit/ir";

import { DYNAMIC_LOCAL, FunctionWriter, type Names } from "./function.ts";

/** Which PTX is written. @public */
export interface PtxTarget {
  /** Version of the language, such as `7.8`. */
  readonly version: string;
  /** Architecture, such as `sm_90`. */
  readonly architecture: string;
}

/** The oldest target: what the generator writes needs no more. @public */
export const OLDEST_PTX: PtxTarget = { version: "7.7", architecture: "sm_75" };

/** Text of PTX, and what its kernels are called. @public */
export interface PtxCode {
  /** The module. */
  readonly text: string;
  /** Names of kernels in the module, by their own. */
  readonly entries: ReadonlyMap<string, string>;
}

/** Functions with callees before callers. Calls do not recur. */
function calleesFirst(module: Module): readonly IrFunction[] {
  const order: IrFunction[] = [];
  const seen = new Set<IrFunction>();
  const visit = (fn: IrFunction): void => {
    if (seen.has(fn) || fn.blocks.length === 0) return;
    seen.add(fn);
    for (const { instructions } of fn.blocks)
      for (const { symbol, op } of instructions) if (op === Op.CALL && symbol?.kind === "function") visit(symbol);
    order.push(fn);
  };
  for (const fn of module.kernels) visit(fn);
  return order;
}

function bytesOfGlobal({ initializer, type }: Global, module: Module): Uint8Array {
  return initializer ?? new Uint8Array(sizeOf(module.layout, type));
}

/** Initial values: bytes, or words where there are addresses among them. */
function initialValues(global: Global, module: Module, names: Names): string {
  const bytes = bytesOfGlobal(global, module);
  if (global.relocations.length === 0) return `.b8 %[${Math.max(1, bytes.length)}] = {${[...bytes].join(", ")}}`;
  assert(bytes.length % 8 === 0, "a variable with pointers has whole words");
  const words = Array.from(new BigUint64Array(bytes.slice().buffer), String);
  for (const { offset, target, addend } of global.relocations)
    words[offset / 8] = `generic(${names.globalName(target)})+${addend}`;
  return `.u64 %[${words.length}] = {${words.join(", ")}}`;
}

function declaration(global: Global, module: Module, names: Names): string {
  const name = names.globalName(global);
  const align = `.align ${Math.max(8, global.alignment)}`;
  if (global.addressSpace === LOCAL)
    return `.shared ${align} .b8 ${name}[${Math.max(1, sizeOf(module.layout, global.type))}];`;
  const mark = global.addressSpace === GLOBAL ? `${SIMT_VARIABLE_MARK}\n` : "";
  const value =
    global.initializer === null && global.relocations.length === 0
      ? `.b8 ${name}[${Math.max(1, sizeOf(module.layout, global.type))}]`
      : initialValues(global, module, names).replace("%", name);
  return `${mark}.visible .global ${align} ${value};`;
}

/** Globals with those first that others point to. */
function targetsFirst(module: Module): readonly Global[] {
  const order: Global[] = [];
  const seen = new Set<Global>();
  const visit = (global: Global): void => {
    if (seen.has(global)) return;
    seen.add(global);
    for (const { target } of global.relocations) visit(target);
    order.push(global);
  };
  for (const global of module.globals.values()) visit(global);
  return order;
}

/**
 * Generates PTX for the kernels of a lowered module with pointers of 64 bits, and for what they call. Functions that
 * ask for their work-item must have been inlined. Throws InternalError for an op that the target must lower.
 *
 * @public
 */
export function generatePtx(module: Module, { version, architecture }: PtxTarget = OLDEST_PTX): PtxCode {
  const order = calleesFirst(module);
  const entries = new Map(module.kernels.map(({ name }) => [name, `kernel_${name.replaceAll(".", "$")}`]));
  const functions = new Map(order.map((fn, i) => [fn, entries.get(fn.name) ?? `function_${i}`]));
  const globals = new Map(Array.from(module.globals.values(), (global, i) => [global, `variable_of_program_${i}`]));
  const names: Names = {
    functionName: (fn) => functions.get(fn) as string,
    globalName: (global) => globals.get(global) as string,
  };
  const parts = [
    `.version ${version}\n.target ${architecture}\n.address_size 64`,
    `.extern .shared .align 16 .b8 ${DYNAMIC_LOCAL}[];`,
    ...targetsFirst(module).map((global) => `// ${global.name}\n${declaration(global, module, names)}`),
    ...order.map((fn) => `// ${fn.name}\n${new FunctionWriter(fn, module, names).write()}`),
  ];
  return { text: `${parts.join("\n\n")}\n`, entries };
}
