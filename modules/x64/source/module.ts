// SPDX-License-Identifier: Apache-2.0
/**
 * A module of the IR as machine code: each function is selected, given registers and encoded, callees first, so that
 * callers know which registers a callee writes. Constants follow the code.
 */
import { assert } from "@muxkit/cargo";
import { type IrFunction, type Location, type Module } from "@muxkit/ir";
import { Assembler, type CodeObject, ConstantPool, type FrameStep, type ObjectSymbol } from "@muxkit/x64-assembler";

import { allocateRegisters, writtenRegisters } from "./allocate.ts";
import { writeCEntry } from "./c-entry.ts";
import { ConstantTable } from "./constant-table.ts";
import { encodeFunction, layoutOrder } from "./encode.ts";
import { printBlock } from "./print.ts";
import { type X64Observer, countBlock, countInstructions } from "./observer.ts";
import { Selector } from "./selector.ts";
import { type X64TierName, x64Tier } from "./tier.ts";

/** How to generate a module. @public */
export interface X64Options {
  /** Names of the functions to export. */
  readonly exports: readonly string[];
  /**
   * Functions of the runtime that always return the same, with that result: `env.clock` with 0 where threads are
   * stopped from outside. Absent: none; a call of a function of the runtime is an error.
   */
  readonly results?: ReadonlyMap<string, number>;
  /** Whether {@link X64Code.lines} are wanted; absent: no. */
  readonly lines?: boolean;
  /** Who wants to know what happens. @internal */
  readonly observer?: X64Observer;
  /**
   * `c`: exported functions are called by programs in C (`c-entry.ts`). Absent: by the runtime, as the README says.
   */
  readonly callers?: "c";
  /** What the code may use; absent: `x64.3`. */
  readonly tier?: X64TierName;
}

/** A function in generated code. @public */
export interface X64Function extends ObjectSymbol {
  /** Bytes of its frame below the return address, from its first instruction to its last. */
  readonly frameBytes: number;
  /** How to walk the stack out of an entry for C; absent: by `frameBytes`. */
  readonly steps?: readonly FrameStep[];
}

/** A distance to a constant in code, for whoever moves the constants. @public */
export interface X64Distance {
  /** Where its 32 bits are. */
  readonly offset: number;
  /** Where the instruction ends, from which it counts. */
  readonly end: number;
  /** Offset of the constant. */
  readonly target: number;
}

/** Where code of another place in the source begins. @public */
export interface X64Line {
  /** Offset of the code. */
  readonly offset: number;
  /** The place. */
  readonly location: Location;
}

/** Generated machine code, which may be put anywhere. @public */
export interface X64Code extends CodeObject {
  /** All functions in ascending order, the entries among them; the first is at 0. */
  readonly functions: readonly X64Function[];
  /** Places in the source in ascending order of offsets; empty unless they are asked for. */
  readonly lines: readonly X64Line[];
  /** All distances to constants. */
  readonly distances: readonly X64Distance[];
}

/** Functions with callees before callers. Calls do not recur. */
function calleesFirst(module: Module): readonly IrFunction[] {
  const order: IrFunction[] = [];
  const seen = new Set<IrFunction>();
  const visit = (fn: IrFunction): void => {
    if (seen.has(fn)) return;
    seen.add(fn);
    for (const { instructions } of fn.blocks)
      for (const { symbol } of instructions) if (symbol?.kind === "function" && symbol.blocks.length > 0) visit(symbol);
    order.push(fn);
  };
  for (const fn of module.functions.values()) if (fn.blocks.length > 0) visit(fn);
  return order;
}

/**
 * Generates code for a tier of x86-64 for every function of a lowered module. Memory is at GS, with addresses of 32
 * bits. Throws InternalError for an op that the target must lower.
 *
 * @public
 */
export function generateX64(
  module: Module,
  { exports, results, lines: wantsLines = false, observer, callers, tier: tierName = "x64.3" }: X64Options,
): X64Code {
  const tier = x64Tier(tierName);
  const order = calleesFirst(module);
  const numbers = new Map(order.map((fn, number) => [fn, number]));
  const assembler = new Assembler();
  const pool = new ConstantPool(assembler);
  const constants = new ConstantTable();
  const constantLabels: (number | undefined)[] = [];
  const clobbers = new Map<IrFunction, Uint8Array>();
  const functions: X64Function[] = [];
  const lines: X64Line[] = [];
  let start = 0;
  // The first place of a function is that of its prologue too.
  const noteLine = (offset: number, location: Location): void => {
    const last = lines.at(-1);
    if (last === undefined || last.offset < start) lines.push({ offset: start, location });
    else if (last.location !== location) lines.push({ offset, location });
  };
  const labels = order.map(() => assembler.newLabel());
  let counted = 0;
  const context = {
    numberOf: (fn: IrFunction): number => numbers.get(fn) as number,
    clobbersOf: (fn: IrFunction): Uint8Array => clobbers.get(fn) as Uint8Array,
    resultOf: (fn: IrFunction): number | undefined => results?.get(fn.name),
    constant: (bytes: Uint8Array): number => constants.numberOf(bytes),
  };
  order.forEach((ir, number) => {
    observer?.phase(null);
    const fn = new Selector(ir, context, tier).run();
    observer?.phase("selection");
    allocateRegisters(fn, tier.registers, observer);
    clobbers.set(ir, writtenRegisters(fn));
    observer?.listed?.({ name: ir.name, blocks: fn.blocks.map((block) => printBlock(fn, block)) });
    if (observer?.counters !== undefined) {
      for (const block of fn.blocks) countBlock(fn, block, observer.counters + 8 * counted++);
    }
    assembler.align(16);
    assembler.bind(labels[number] as number);
    start = assembler.length;
    const code = {
      assembler,
      pool,
      constants: constants.list,
      constantLabels,
      functions: labels,
      stackAlignment: tier.partBytes,
      lines: wantsLines ? noteLine : null,
    };
    const isCalledByC = callers === "c" && exports.includes(ir.name);
    const name = isCalledByC ? `${ir.name}.groups` : ir.name;
    functions.push({ name, offset: start, frameBytes: encodeFunction(fn, layoutOrder(fn), code) });
    observer?.phase("encode");
    observer?.written(ir.name, countInstructions(fn));
  });
  const entries = new Map(
    exports.map((name) => {
      const fn = module.functions.get(name);
      assert(fn !== undefined && numbers.has(fn), () => `@${name} is to be exported but is not in the module`);
      const label = labels[numbers.get(fn) as number] as number;
      if (callers === undefined) return [name, assembler.offsetOf(label)];
      assembler.align(16);
      const offset = assembler.length;
      const own = assembler.offsetOf(label);
      const first = lines.find((line) => line.offset >= own);
      // Debuggers stop at the kernel's first line in front of it.
      if (first?.offset === own) lines.push({ offset, location: first.location });
      functions.push({ name, offset, frameBytes: 0, steps: writeCEntry(assembler, label) });
      return [name, offset];
    }),
  );
  const codeBytes = pool.write();
  const bytes = assembler.finish();
  return { bytes, codeBytes, entries, functions, lines, distances: assembler.distances(codeBytes) };
}
