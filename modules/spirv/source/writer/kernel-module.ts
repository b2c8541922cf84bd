// SPDX-License-Identifier: Apache-2.0
// A program of kernels: variables, functions, entry points.
//
// An entry point cannot be called. A kernel that other functions call is written as a function, and its entry point
// calls that.
import {
  CONTRACT,
  type Global,
  I8,
  type IrFunction,
  type Module,
  Op,
  type Value,
  alignmentOf,
  scalarOf,
  LOCAL,
} from "@muxkit/ir";

import type { EnumerantNames } from "../generated/names.ts";
import { enumerant } from "../grammar/tables.ts";
import { ARITHMETIC_ROWS } from "./arithmetic-rows.ts";
import { BUILTIN_ROWS, targetOfName } from "./builtin-rows.ts";
import { initialValue } from "./constants.ts";
import { COMMON_ROWS, CONTROL_ROWS } from "./control-rows.ts";
import { Unwritable } from "./error.ts";
import { FunctionWriter, type ModuleParts, type RowTable } from "./function-writer.ts";
import { type Handles, handlesOf } from "./handles.ts";
import { imageAccesses } from "./image-access.ts";
import {
  type KernelParameter,
  decorateParameter,
  kernelParameter,
  writeArgumentStrings,
  writeModes,
} from "./kernels.ts";
import { MEMORY_ROWS } from "./memory-rows.ts";
import { ModuleWriter, append } from "./module-writer.ts";
import { kernelAtomicPointer, synchronizationRows } from "./synchronization-rows.ts";
import { functionType, handleType, imageType, intId, memoryType, pointerTo, storageOf, valueType } from "./types.ts";
import { VECTOR_ROWS } from "./vector-rows.ts";
import { GROUP_ROWS, WORK_ITEM_ROWS } from "./work-item-rows.ts";
import { written } from "./written.ts";

const FUNCTION = written("OpFunction");
const PARAMETER = written("OpFunctionParameter");
const FUNCTION_END = written("OpFunctionEnd");
const FUNCTION_CALL = written("OpFunctionCall");
const LABEL = written("OpLabel");
const BITCAST = written("OpBitcast");
const RETURN = written("OpReturn");
const VARIABLE = written("OpVariable");
const EXECUTION_MODE = written("OpExecutionMode");
const SOURCE = written("OpSource");
const VOID_TYPE = written("OpTypeVoid");

const ROWS: RowTable = {
  ...COMMON_ROWS,
  ...ARITHMETIC_ROWS,
  ...MEMORY_ROWS,
  ...VECTOR_ROWS,
  ...synchronizationRows(kernelAtomicPointer),
  ...WORK_ITEM_ROWS,
  ...GROUP_ROWS,
  ...CONTROL_ROWS,
  ...BUILTIN_ROWS,
};

/** How kernels are written. */
export interface KernelModuleOptions {
  /** True: places of the source are written as OpLine. */
  readonly hasLines: boolean;
}

/** Entry points, which the header's part of the module needs. */
export interface KernelModule {
  readonly w: ModuleWriter;
  readonly entryPoints: readonly (readonly [id: number, name: string])[];
  /** Variables that an interface names. */
  readonly inputs: readonly number[];
  /** Other variables outside of functions. */
  readonly variables: readonly number[];
}

/** Products and sums, which may be fused. */
const FUSED: ReadonlySet<number> = new Set([Op.FADD, Op.FSUB, Op.FMUL, Op.REDUCE]);

function contractsAll(module: Module): boolean {
  for (const fn of module.functions.values())
    for (const block of fn.blocks)
      for (const { op, flags, type } of block.instructions)
        if (FUSED.has(op) && scalarOf(type).kind === "float" && (flags & CONTRACT) === 0) return false;
  return true;
}

/** See the file's head. */
class KernelModuleWriter implements ModuleParts {
  readonly w: ModuleWriter;
  readonly hasLines: boolean;
  readonly contracts: boolean;
  readonly entryPoints: (readonly [id: number, name: string])[] = [];
  readonly inputs: number[] = [];
  readonly variables: number[] = [];
  private readonly module: Module;
  private readonly functionIds = new Map<IrFunction, number>();
  private readonly globals = new Map<Global, { readonly id: number; readonly target: number }>();
  /** Globals whose initial values are written. */
  private readonly open = new Set<Global>();
  private readonly builtIns = new Map<string, number>();
  private readonly imported = new Map<string, number>();
  private readonly specializations = new Map<number, number>();
  readonly handles: Handles;
  private readonly accesses: ReadonlyMap<Value, number>;
  private readonly called = new Set<IrFunction>();

  constructor(module: Module, options: KernelModuleOptions) {
    this.w = new ModuleWriter(module, "kernel");
    this.module = module;
    this.hasLines = options.hasLines;
    this.contracts = contractsAll(module);
    this.accesses = imageAccesses(module);
    this.handles = handlesOf(module);
    for (const fn of module.functions.values())
      for (const block of fn.blocks)
        for (const { op, symbol } of block.instructions) if (op === Op.CALL) this.called.add(symbol as IrFunction);
  }

  run(): void {
    const { w, module } = this;
    // Programs whose groups are of equal size are those of versions before 2.0.
    const isUniform = module.kernels.length > 0 && module.kernels.every(({ kernel }) => kernel?.uniformWorkGroups);
    w.emit("strings", SOURCE, enumerant("SourceLanguage", "OpenCL_C"), isUniform ? 102_000 : 300_000);
    w.require("Addresses");
    for (const global of module.globals.values()) this.globalOf(global);
    for (const fn of module.functions.values()) if (fn.blocks.length > 0) this.function(fn);
  }

  functionId = (fn: IrFunction): number => {
    let id = this.functionIds.get(fn);
    if (id === undefined) {
      this.functionIds.set(fn, (id = this.w.id()));
      if (fn.blocks.length === 0) this.prototype(fn, id);
    }
    return id;
  };

  opaqueType = (value: Value): number => {
    if (!value.type.name.startsWith("image")) return valueType(this.w, value.type);
    const access = this.accesses.get(value) ?? 0;
    return imageType(this.w, value.type, access);
  };

  specialization = (number: number, make: () => number): number => {
    let id = this.specializations.get(number);
    if (id === undefined) {
      this.specializations.set(number, (id = make()));
      this.w.decorate(id, "SpecId", number);
    }
    return id;
  };

  builtInVariable = (name: string, type: number): number => {
    let id = this.builtIns.get(name);
    if (id === undefined) {
      const storage = enumerant("StorageClass", "Input");
      id = this.w.declareNew(VARIABLE, pointerTo(this.w, storage, type), storage);
      this.builtIns.set(name, id);
      this.w.name(id, `__spirv_BuiltIn${name}`);
      this.w.decorate(id, "BuiltIn", enumerant("BuiltIn", name as EnumerantNames["BuiltIn"]));
      this.w.decorate(id, "Constant");
      this.inputs.push(id);
    }
    return id;
  };

  constantVariable = (type: number, initial: number): number => {
    const id = this.w.declare(VARIABLE, type, enumerant("StorageClass", "UniformConstant"), initial);
    if (!this.variables.includes(id)) this.variables.push(id);
    return id;
  };

  importedFunction = (symbol: string, result: number, parameters: readonly number[]): number => {
    let id = this.imported.get(symbol);
    if (id === undefined) {
      this.imported.set(symbol, (id = this.w.id()));
      this.declareFunction("prototypes", id, symbol, result, parameters);
      this.w.emit("prototypes", FUNCTION_END);
      this.w.decorate(id, "LinkageAttributes", symbol, enumerant("LinkageType", "Import"));
    }
    return id;
  };

  globalOf = (global: Global): { readonly id: number; readonly target: number } => {
    const known = this.globals.get(global);
    if (known !== undefined) return known;
    const { w } = this;
    const { type, addressSpace, linkage, initializer, relocations, name, alignment } = global;
    if (this.open.has(global))
      throw new Unwritable({
        where: name,
        place: "",
        message:
          "the initial values of variables point to one another in a circle, and SPIR-V declares each before its use",
      });
    this.open.add(global);
    try {
      const target = memoryType(w, type);
      const storage = storageOf(addressSpace);
      const initial =
        addressSpace === LOCAL || linkage === "declaration"
          ? []
          : [
              initialValue(
                w,
                type,
                {
                  bytes: initializer ?? new Uint8Array(0),
                  relocations,
                  addressOf: (relocation) => ({
                    id: this.globalOf(relocation.target).id,
                    space: relocation.target.addressSpace,
                  }),
                },
                0,
              ),
            ];
      const made = { id: w.declareNew(VARIABLE, pointerTo(w, storage, target), storage, ...initial), target };
      this.globals.set(global, made);
      this.variables.push(made.id);
      w.name(made.id, name);
      if (alignment > alignmentOf(w.module.layout, type)) w.decorate(made.id, "Alignment", alignment);
      if (addressSpace !== LOCAL && linkage !== "internal")
        w.decorate(
          made.id,
          "LinkageAttributes",
          name,
          enumerant("LinkageType", linkage === "declaration" ? "Import" : "Export"),
        );
      return made;
    } catch (error) {
      if (error instanceof Unwritable && error.error.where === "")
        throw new Unwritable({ ...error.error, where: name });
      throw error;
    }
  };

  private declareFunction(
    section: "functions" | "prototypes",
    id: number,
    name: string,
    result: number,
    parameters: readonly number[],
    control: number = 0,
  ): number[] {
    const { w } = this;
    const type = functionType(w, result, parameters);
    append(w.sections[section], FUNCTION, [result, id, control, type]);
    w.name(id, name);
    return parameters.map((parameter) => {
      const own = w.id();
      append(w.sections[section], PARAMETER, [parameter, own]);
      return own;
    });
  }

  private prototype(fn: IrFunction, id: number): void {
    const { w } = this;
    const types = fn.parameters.map((parameter) => this.operandType(parameter));
    this.declareFunction("prototypes", id, fn.name, this.resultType(fn), types);
    w.emit("prototypes", FUNCTION_END);
    w.decorate(id, "LinkageAttributes", fn.name, enumerant("LinkageType", "Import"));
  }

  private operandType(value: Value): number {
    const handle = this.handles.ofValue(value);
    if (handle !== null) return handleType(this.w, handle);
    return value.type.kind === "opaque" ? this.opaqueType(value) : valueType(this.w, value.type);
  }

  private resultType(fn: IrFunction): number {
    const handle = this.handles.ofResult(fn);
    return handle === null ? valueType(this.w, fn.returnType) : handleType(this.w, handle);
  }

  private function(fn: IrFunction): void {
    if (fn.convention.kind !== "plain")
      throw new Unwritable({
        where: fn.name,
        place: "",
        message: "the program is lowered for a processor already; write it before that",
      });
    if (fn.kernel === null || this.called.has(fn)) this.plainFunction(fn);
    if (fn.kernel !== null) this.entryPoint(fn);
  }

  private plainFunction(fn: IrFunction): void {
    const { w } = this;
    const id = this.functionId(fn);
    const types = fn.parameters.map((parameter) => this.operandType(parameter));
    const control = { none: 0, always: 1, never: 2 }[fn.inline];
    const ids = this.declareFunction("functions", id, fn.name, this.resultType(fn), types, control);
    if (!fn.isInternal && fn.kernel === null)
      w.decorate(id, "LinkageAttributes", fn.name, enumerant("LinkageType", "Export"));
    const f = new FunctionWriter(this, fn);
    fn.parameters.forEach((parameter, n) => {
      w.name(ids[n] ?? 0, parameter.name);
      f.define(parameter, ids[n] ?? 0);
    });
    this.body(f);
  }

  private body(f: FunctionWriter): void {
    const { functions } = this.w.sections;
    for (const word of f.write(ROWS)) functions.push(word);
    append(functions, FUNCTION_END, []);
  }

  private entryPoint(fn: IrFunction): void {
    const { w } = this;
    const { kernel } = fn;
    if (kernel === null) return;
    const id = this.called.has(fn) ? w.id() : this.functionId(fn);
    const parameters = fn.parameters.map((parameter, n) =>
      kernelParameter(
        w,
        fn,
        n,
        () => this.operandType(parameter),
        (name) => targetOfName(w, name),
      ),
    );
    this.entryPoints.push([id, fn.name]);
    writeModes(w, id, kernel);
    if (!this.contracts) w.emit("modes", EXECUTION_MODE, id, enumerant("ExecutionMode", "ContractionOff"));
    writeArgumentStrings(w, fn.name, kernel);
    const types = parameters.map(({ type }) => type);
    const ids = this.declareFunction("functions", id, fn.name, w.declare(VOID_TYPE), types);
    kernel.arguments.forEach((described, n) =>
      decorateParameter(w, ids[n] ?? 0, described, parameters[n] as KernelParameter),
    );
    if (this.called.has(fn)) {
      this.forward(fn, parameters, ids);
      return;
    }
    const f = new FunctionWriter(this, fn);
    fn.parameters.forEach((parameter, n) => f.define(parameter, ids[n] ?? 0, parameters[n]?.target ?? 0));
    this.body(f);
  }

  /** The entry point of a kernel that is called: it calls the kernel's function. */
  private forward(fn: IrFunction, parameters: readonly KernelParameter[], ids: readonly number[]): void {
    const { w } = this;
    const { functions } = w.sections;
    append(functions, LABEL, [w.id()]);
    const operands = parameters.map(({ target }, n) => {
      const own = ids[n] ?? 0;
      if (target === 0 || target === intId(w, 8)) return own;
      const cast = w.id();
      append(functions, BITCAST, [valueType(w, fn.parameters[n]?.type ?? I8), cast, own]);
      return cast;
    });
    append(functions, FUNCTION_CALL, [w.declare(VOID_TYPE), w.id(), this.functionId(fn), ...operands]);
    append(functions, RETURN, []);
    append(functions, FUNCTION_END, []);
  }
}

/** Writes the kernels of a module. Throws Unwritable. */
export function writeKernelModule(module: Module, options: KernelModuleOptions): KernelModule {
  const writer = new KernelModuleWriter(module, options);
  writer.run();
  const { w, entryPoints, inputs, variables } = writer;
  return { w, entryPoints, inputs, variables };
}
