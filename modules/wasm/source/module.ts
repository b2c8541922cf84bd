// SPDX-License-Identifier: Apache-2.0
// Writes a module of the IR as a WebAssembly module: types, imports, functions, the stack pointer's global, exports,
// names (core specification 2.0, chapter 5).
import { ByteWriter, assert } from "@muxkit/cargo";
import { type IrFunction, type Module, VOID } from "@muxkit/ir";

import { cutFunction } from "./cut-function.ts";
import type { CodePlace } from "./code.ts";
import { type BeyondLimits, isBeyond, limitError } from "./engine-limits.ts";
import { FunctionEmitter } from "./function-emitter.ts";
import { GET_STACK, SET_STACK } from "./intrinsics.ts";
import * as Wasm from "./opcodes.ts";
import { functionBytes } from "./pieces.ts";
import { partTypes } from "./representation.ts";

/** How to generate a module. @public */
export interface GenerateOptions {
  /** Names of the functions to export. */
  readonly exports: readonly string[];
  /** True: the memory is shared between threads. */
  readonly sharedMemory: boolean;
  /**
   * Features of the engine that may be used: `relaxed-simd`, `fused-madd` (its relaxed multiply-add rounds once),
   * `fp16` (conversions of halves); absent: none beyond SIMD128 and threads.
   */
  readonly features?: readonly string[];
  /** Bytes of code, about, above which a function is cut into several; absent: what engines take. */
  readonly largestFunction?: number;
  /** True: with a name section, for debuggers and profilers. */
  readonly names?: boolean;
  /** True: with `places`. */
  readonly places?: boolean;
}

/** A generated module. @public */
export interface GeneratedModule {
  /** The bytes. */
  readonly bytes: Uint8Array;
  /** Offset in `bytes` of the flags of the memory's limits: 0x03 shared, 0x01 not. */
  readonly memoryFlagOffset: number;
  /** Engine features that it needs beyond WebAssembly 1.0: `simd`, `threads`, and those of the options that it uses. */
  readonly features: readonly string[];
  /** Which places of the source the code comes from, by function in the order of the code section; absent: not asked. */
  readonly places?: readonly (readonly CodePlace[])[];
}

/** Intrinsics that are no calls. */
const INTRINSICS: ReadonlySet<string> = new Set([GET_STACK, SET_STACK]);

/**
 * Bytes of a function's code, by estimate, above which it is cut: V8's optimising compiler takes some 1.5 s and 100 MB
 * for a megabyte.
 */
const LARGEST_FUNCTION = 2 ** 20;
/** How much smaller pieces are that are cut because an engine would not take what was written, and the smallest. */
const FINER = 4;
const LEAST_LIMIT = 4096;

/** Most pages of a memory: 4 GiB. */
const MOST_PAGES = 65_536;

class Types {
  private readonly keys = new Map<string, number>();
  readonly list: { readonly parameters: readonly number[]; readonly results: readonly number[] }[] = [];

  index(fn: IrFunction): number {
    const parameters = fn.parameters.flatMap((parameter) => partTypes(parameter.type));
    const results = fn.returnType === VOID ? [] : partTypes(fn.returnType);
    const key = `${parameters.join()}>${results.join()}`;
    let index = this.keys.get(key);
    if (index === undefined) {
      index = this.list.push({ parameters, results }) - 1;
      this.keys.set(key, index);
    }
    return index;
  }
}

function section(module: ByteWriter, id: number, write: (writer: ByteWriter) => void): number {
  const writer = new ByteWriter();
  write(writer);
  module.u8(id);
  module.varU32(writer.length);
  const start = module.length;
  module.raw(writer.finish());
  return start;
}

/**
 * Generates WebAssembly (SIMD128, bulk memory; threads for atomics) for every function of a lowered module.
 * Declarations with a dotted name are imports (`env.clock`), `wasm.get_stack` and `wasm.set_stack` read and write the
 * private stack's pointer. Throws InternalError for an op that the target must lower, and EngineLimitError for a
 * function that engines do not take even in pieces.
 *
 * @public
 */
export function generateModule(module: Module, options: GenerateOptions): GeneratedModule {
  cutLargeFunctions(module, options.largestFunction ?? LARGEST_FUNCTION);
  for (let limit = options.largestFunction ?? LARGEST_FUNCTION; ; limit /= FINER) {
    const { generated, beyond } = writeModule(module, options);
    const [first] = beyond;
    if (first === undefined) return generated;
    if (limit / FINER < LEAST_LIMIT) throw limitError(first);
    // What estimates take for one piece is cut by a smaller limit.
    for (const { fn } of beyond) cutFunction(fn, module, limit / FINER);
  }
}

/** Cuts what is too large by estimate. Functions of pieces come after the others. */
function cutLargeFunctions(module: Module, limit: number): void {
  const large = [...module.functions.values()].filter((fn) => fn.blocks.length > 0 && functionBytes(fn) > limit);
  for (const fn of large) cutFunction(fn, module, limit);
}

function writeModule(
  module: Module,
  options: GenerateOptions,
): { readonly generated: GeneratedModule; readonly beyond: readonly BeyondLimits[] } {
  const functions = [...module.functions.values()];
  const imports = functions.filter((fn) => fn.blocks.length === 0 && !INTRINSICS.has(fn.name));
  const defined = functions.filter((fn) => fn.blocks.length > 0);
  const indices = new Map<IrFunction, number>([...imports, ...defined].map((fn, i) => [fn, i]));
  const types = new Types();
  const typeIndices = new Map<IrFunction, number>([...imports, ...defined].map((fn) => [fn, types.index(fn)]));
  const frame = {
    functionIndex: (fn: IrFunction): number => {
      const index = indices.get(fn);
      assert(index !== undefined, () => `@${fn.name} is called but is not in the module`);
      return index;
    },
    stackGlobal: 0,
    features: new Set(options.features ?? []),
    used: new Set<string>(["simd", ...(options.sharedMemory ? ["threads"] : [])]),
    isTraced: options.places === true,
  };
  const written = defined.map((fn) => ({ fn, body: new FunctionEmitter(fn, frame).emit() }));
  const beyond = written.filter(({ body }) => isBeyond(body));
  const writer = new ByteWriter(4096);
  writer.raw(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
  section(writer, 1, (w) => {
    w.varU32(types.list.length);
    for (const { parameters, results } of types.list) {
      w.u8(0x60);
      for (const list of [parameters, results]) {
        w.varU32(list.length);
        for (const type of list) w.u8(type);
      }
    }
  });
  let flagWithin = 0;
  const importStart = section(writer, 2, (w) => {
    w.varU32(imports.length + 1);
    w.text("env");
    w.text("memory");
    w.u8(2);
    flagWithin = w.length;
    w.u8(options.sharedMemory ? 3 : 1);
    w.varU32(1);
    w.varU32(MOST_PAGES);
    for (const fn of imports) {
      const [from = "env", name = fn.name] = fn.name.split(".");
      w.text(from);
      w.text(name);
      w.u8(0);
      w.varU32(typeIndices.get(fn) ?? 0);
    }
  });
  section(writer, 3, (w) => {
    w.varU32(defined.length);
    for (const fn of defined) w.varU32(typeIndices.get(fn) ?? 0);
  });
  section(writer, 6, (w) => {
    w.varU32(1);
    w.u8(Wasm.TYPE_I32);
    w.u8(1);
    w.u8(Wasm.I32_CONST);
    w.varS32(0);
    w.u8(Wasm.END);
  });
  section(writer, 7, (w) => {
    w.varU32(options.exports.length);
    for (const name of options.exports) {
      const fn = module.functions.get(name);
      assert(fn !== undefined, () => `@${name} is to be exported but is not in the module`);
      w.text(name);
      w.u8(0);
      w.varU32(frame.functionIndex(fn));
    }
  });
  section(writer, 10, (w) => {
    w.varU32(written.length);
    for (const { body } of written) w.block(body.bytes);
  });
  if (options.names === true) section(writer, 0, (w) => nameSection(w, [...imports, ...defined]));
  const generated = {
    bytes: writer.finish(),
    memoryFlagOffset: importStart + flagWithin,
    features: [...frame.used],
    ...(frame.isTraced ? { places: written.map(({ body }) => body.places ?? []) } : {}),
  };
  return { generated, beyond };
}

function nameSection(writer: ByteWriter, functions: readonly IrFunction[]): void {
  writer.text("name");
  const names = new ByteWriter();
  names.varU32(functions.length);
  functions.forEach((fn, i) => {
    names.varU32(i);
    names.text(fn.name);
  });
  writer.u8(1);
  writer.block(names.finish());
}
