// SPDX-License-Identifier: Apache-2.0
// A kernel as a compute shader of Vulkan.
//
// Pointers to global and constant memory are storage buffers in set 0, one binding for each argument in their order;
// numbers and structs are push constants, words of one block; local memory is a variable of the work-group, whose
// length is a specialization constant where it is an argument. The size of work-groups is what the kernel requires, or
// the specialization constants 0 to 2. A buffer that is accessed as several kinds of numbers has a variable for each,
// with the same binding.
import {
  CONSTANT,
  GLOBAL,
  Global,
  type IrFunction,
  LOCAL,
  type Module,
  Parameter,
  type Type,
  type Value,
  intType,
  sizeOf,
} from "@muxkit/ir";

import type { EnumerantNames } from "../../generated/names.ts";
import { enumerant } from "../../grammar/tables.ts";
import { nullOf } from "../constants.ts";
import { Unwritable } from "../error.ts";
import type { ModuleParts } from "../function-writer.ts";
import { type Handles, NO_HANDLES } from "../handles.ts";
import { ModuleWriter, append } from "../module-writer.ts";
import { constant32, functionType, intId, pointerTo, valueType } from "../types.ts";
import { written } from "../written.ts";
import type { ShaderArgument, ShaderBindings } from "./bindings.ts";
import { type Root, Roots, type Unit, bytesOf, unitsOf } from "./roots.ts";
import { ShaderFunction, type View } from "./shader-function.ts";
import { SHADER_ROWS } from "./shader-rows.ts";
import { structureOf } from "./structure.ts";

const FUNCTION = written("OpFunction");
const PARAMETER = written("OpFunctionParameter");
const FUNCTION_END = written("OpFunctionEnd");
const VARIABLE = written("OpVariable");
const EXECUTION_MODE = written("OpExecutionMode");
const STRUCT = written("OpTypeStruct");
const ARRAY = written("OpTypeArray");
const RUNTIME_ARRAY = written("OpTypeRuntimeArray");
const SPEC_CONSTANT = written("OpSpecConstant");
const SPEC_COMPOSITE = written("OpSpecConstantComposite");
const COMPOSITE = written("OpConstantComposite");
const VECTOR = written("OpTypeVector");
const CONSTANT_OP = written("OpConstant");

const storage = (name: EnumerantNames["StorageClass"]): number => enumerant("StorageClass", name);
const STORAGE_BUFFER = storage("StorageBuffer");
const PUSH_CONSTANT = storage("PushConstant");
const WORKGROUP = storage("Workgroup");
const PRIVATE_STORAGE = storage("Private");
const FUNCTION_STORAGE = storage("Function");

/** Every implementation of Vulkan takes so many bytes. */
const MOST_PUSHED = 128;
/** Specialization constants 0 to 2 are the size of a work-group. */
const FIRST_LENGTH = 3;

const refuse = (where: string, message: string): never => {
  throw new Unwritable({ where, place: "", message });
};

/** Where an argument lies among the push constants. */
interface Pushed {
  readonly offset: number;
  readonly type: Type | null;
}

/** See the file's head. */
class ShaderModuleWriter implements ModuleParts {
  readonly w: ModuleWriter;
  readonly hasLines: boolean;
  readonly contracts: boolean = true;
  readonly handles: Handles = NO_HANDLES;
  readonly inputs: number[] = [];
  readonly variables: number[] = [];
  readonly entry: number;
  private readonly kernel: IrFunction;
  private readonly arguments: ShaderArgument[] = [];
  private readonly pushed = new Map<Parameter, Pushed>();
  private readonly lengths = new Map<Parameter, number>();
  private readonly numbers = new Map<Parameter, number>();
  private readonly views = new Map<string, View>();
  private readonly buffers = new Map<Parameter, number[]>();
  private readonly builtIns = new Map<string, number>();
  private readonly functionIds = new Map<IrFunction, number>();
  private readonly open: IrFunction[] = [];
  private readonly specializations = new Map<number, number>();
  private units: ReadonlyMap<Root, Unit> = new Map();
  private pushBlock = 0;
  private pushedBytes = 0;
  private groupSize = 0;

  constructor(module: Module, kernel: IrFunction, hasLines: boolean) {
    this.w = new ModuleWriter(module, "shader");
    this.kernel = kernel;
    this.hasLines = hasLines;
    this.entry = this.w.id();
  }

  run(): ShaderBindings {
    const { w, kernel } = this;
    const required = kernel.kernel?.requiredWorkGroupSize ?? null;
    if (required !== null)
      w.emit("modes", EXECUTION_MODE, this.entry, enumerant("ExecutionMode", "LocalSize"), ...required);
    this.describe();
    this.size(required);
    this.function(kernel, this.entry);
    for (let fn = this.open.pop(); fn !== undefined; fn = this.open.pop()) this.function(fn, this.functionId(fn));
    for (const variables of this.buffers.values())
      if (variables.length > 1) for (const variable of variables) w.decorate(variable, "Aliased");
    return {
      kernel: kernel.name,
      workGroupSize: required === null ? { specialization: [0, 1, 2] } : { fixed: required },
      pushConstantBytes: this.pushedBytes,
      arguments: this.arguments,
    };
  }

  /** Gives each argument its place. */
  private describe(): void {
    const { kernel, w } = this;
    let binding = 0;
    let length = FIRST_LENGTH;
    kernel.kernel?.arguments.forEach((described, n) => {
      const parameter = kernel.parameters[n];
      const { name, typeName, kind, size, alignment } = described;
      if (parameter === undefined) return;
      const common = { name, type: typeName };
      if (kind === "pointer") {
        this.numbers.set(parameter, binding);
        const isRead = described.isConst || parameter.type.addressSpace === CONSTANT;
        this.arguments.push({ ...common, kind: "storageBuffer", set: 0, binding, isReadOnly: isRead });
        binding++;
      } else if (kind === "local") {
        this.lengths.set(parameter, length);
        this.arguments.push({ ...common, kind: "workgroupMemory", specialization: length, elementBytes: 0 });
        length++;
      } else if (kind === "value") {
        const own = Math.max(4, Math.min(16, alignment));
        const offset = Math.ceil(this.pushedBytes / own) * own;
        this.pushedBytes = offset + Math.ceil(size / 4) * 4;
        this.pushed.set(parameter, { offset, type: parameter.type.kind === "pointer" ? null : parameter.type });
        this.arguments.push({ ...common, kind: "pushConstant", offset, size });
      } else
        refuse(
          kernel.name,
          `the argument ${name} is a${kind === "image" ? "n" : ""} ${kind}, which shaders written here do not have`,
        );
    });
    if (this.pushedBytes > MOST_PUSHED)
      refuse(
        kernel.name,
        `its numbers and structs take ${this.pushedBytes} bytes, and push constants have ${MOST_PUSHED}`,
      );
    if (this.pushedBytes === 0) return;
    const words = w.declareNew(ARRAY, intId(w, 32), constant32(w, this.pushedBytes / 4));
    w.decorate(words, "ArrayStride", 4);
    const block = w.declareNew(STRUCT, words);
    w.decorate(block, "Block");
    w.decorateMember(block, 0, "Offset", 0);
    this.pushBlock = w.declareNew(VARIABLE, pointerTo(w, PUSH_CONSTANT, block), PUSH_CONSTANT);
    w.name(this.pushBlock, "arguments");
    this.variables.push(this.pushBlock);
  }

  /** The size of a work-group, which is a constant. */
  private size(required: readonly [number, number, number] | null): void {
    const { w } = this;
    const int = intId(w, 32);
    const vector = w.declare(VECTOR, int, 3);
    if (required !== null) {
      this.groupSize = w.declare(COMPOSITE, vector, ...required.map((size) => w.declare(CONSTANT_OP, int, size)));
      return;
    }
    const parts = [64, 1, 1].map((size, axis) => {
      const part = w.declareNew(SPEC_CONSTANT, int, size);
      w.decorate(part, "SpecId", axis);
      return part;
    });
    this.groupSize = w.declareNew(SPEC_COMPOSITE, vector, ...parts);
    w.decorate(this.groupSize, "BuiltIn", enumerant("BuiltIn", "WorkgroupSize"));
  }

  builtInVariable = (name: string, type: number): number => {
    if (name === "WorkgroupSize") return this.groupSize;
    let id = this.builtIns.get(name);
    if (id === undefined) {
      const input = storage("Input");
      id = this.w.declareNew(VARIABLE, pointerTo(this.w, input, type), input);
      this.builtIns.set(name, id);
      this.w.name(id, `gl_${name}`);
      this.w.decorate(id, "BuiltIn", enumerant("BuiltIn", name as EnumerantNames["BuiltIn"]));
      if (name.startsWith("Subgroup") || name === "NumSubgroups") this.w.require("GroupNonUniform");
      this.inputs.push(id);
    }
    return id;
  };

  functionId = (fn: IrFunction): number => {
    let id = this.functionIds.get(fn);
    if (id === undefined) {
      if (fn.blocks.length === 0) refuse(fn.name, "the function is not defined in the program");
      this.functionIds.set(fn, (id = this.w.id()));
      this.open.push(fn);
    }
    return id;
  };

  opaqueType = (value: Value): number => refuse(this.kernel.name, `shaders written here have no ${value.type.name}`);

  specialization = (number: number, make: () => number): number => {
    const own = number + FIRST_LENGTH + this.lengths.size;
    let id = this.specializations.get(own);
    if (id === undefined) {
      this.specializations.set(own, (id = make()));
      this.w.decorate(id, "SpecId", own);
    }
    return id;
  };

  constantVariable = (): number => refuse(this.kernel.name, "shaders have no constants in memory");

  importedFunction = (symbol: string): number => refuse(this.kernel.name, `shaders import no functions, as ${symbol}`);

  globalOf = (global: Global): never => refuse(global.name, "a shader's pointers are no values");

  private function(fn: IrFunction, id: number): void {
    const { w } = this;
    const structure = structureOf(fn);
    if (structure === null) return refuse(fn.name, "its control flow is irreducible");
    const roots = new Roots(fn);
    this.units = new Map([...this.units, ...unitsOf(fn, roots)]);
    const isKernel = fn === this.kernel;
    const parameters = isKernel ? [] : fn.parameters;
    const pointer = parameters.find(({ type }) => type.kind === "pointer" || type.kind === "opaque");
    if (pointer !== undefined) return refuse(fn.name, "functions that take pointers must be inlined in shaders");
    const types = parameters.map(({ type }) => valueType(w, type));
    const result = valueType(w, fn.returnType);
    const { functions } = w.sections;
    append(functions, FUNCTION, [result, id, 0, functionType(w, result, types)]);
    w.name(id, fn.name);
    const f = new ShaderFunction(this, fn, { structure, roots, viewOf: this.viewOf, rows: SHADER_ROWS });
    parameters.forEach((parameter, n) => {
      const own = w.id();
      append(functions, PARAMETER, [types[n] ?? 0, own]);
      w.name(own, parameter.name);
      f.define(parameter, own);
    });
    if (isKernel)
      for (const [parameter, { type }] of this.pushed)
        if (type !== null) f.defineLater(parameter, () => this.argument(f, parameter, type));
    for (const word of f.body()) functions.push(word);
    append(functions, FUNCTION_END, []);
    return undefined;
  }

  /** A number among the push constants. */
  private argument(f: ShaderFunction, parameter: Parameter, type: Type): number {
    return f.load(type, parameter, 4);
  }

  /** An object as an array. */
  viewOf = (f: ShaderFunction, root: Root, scalar: Type, bytes: number): View => {
    if (root instanceof Parameter) return this.argumentView(f, root, scalar, bytes);
    return root instanceof Global ? this.globalView(root) : this.variableView(f, root);
  };

  private argumentView(f: ShaderFunction, root: Parameter, scalar: Type, bytes: number): View {
    const pushed = this.pushed.get(root);
    if (pushed !== undefined)
      return {
        variable: this.pushBlock,
        storage: PUSH_CONSTANT,
        path: [f.number(0)],
        element: intId(this.w, 32),
        unit: { bytes: 4, scalar: null },
        base: pushed.offset,
      };
    const binding = this.numbers.get(root);
    return binding === undefined ? this.localView(root) : this.bufferView(f, root, binding, scalar, bytes);
  }

  /** A view of a buffer as numbers of one kind, or as ints where it is not aligned for them. */
  private bufferView(f: ShaderFunction, root: Parameter, binding: number, scalar: Type, bytes: number): View {
    const { w } = this;
    const isWhole = bytes === bytesOf(scalar) && scalar.bits > 1;
    const type = isWhole ? scalar : intType(bytes * 8);
    const key = `${binding} ${type.text}`;
    let view = this.views.get(key);
    if (view === undefined) {
      const element = valueType(w, type);
      if (bytes === 1) w.require("StorageBuffer8BitAccess");
      if (bytes === 2) w.require("StorageBuffer16BitAccess");
      const array = w.declareNew(RUNTIME_ARRAY, element);
      w.decorate(array, "ArrayStride", bytes);
      const block = w.declareNew(STRUCT, array);
      w.decorate(block, "Block");
      w.decorateMember(block, 0, "Offset", 0);
      const variable = w.declareNew(VARIABLE, pointerTo(w, STORAGE_BUFFER, block), STORAGE_BUFFER);
      w.name(variable, root.name === "" ? `argument${binding}` : root.name);
      w.decorate(variable, "DescriptorSet", 0);
      w.decorate(variable, "Binding", binding);
      this.variables.push(variable);
      this.buffers.set(root, [...(this.buffers.get(root) ?? []), variable]);
      view = {
        variable,
        storage: STORAGE_BUFFER,
        path: [f.number(0)],
        element,
        unit: { bytes, scalar: type },
        base: 0,
      };
      this.views.set(key, view);
    }
    return view;
  }

  private unitOf(root: Root): { readonly unit: Unit; readonly element: number } {
    const unit = this.units.get(root) ?? { bytes: 4, scalar: null };
    return { unit, element: valueType(this.w, unit.scalar ?? intType(unit.bytes * 8)) };
  }

  /** Local memory that is an argument: its length is said when a pipeline is made. */
  private localView(root: Parameter): View {
    const { w } = this;
    const number = this.lengths.get(root);
    if (number === undefined) return refuse(this.kernel.name, "a pointer does not lead to an argument");
    const key = `local ${number}`;
    const known = this.views.get(key);
    if (known !== undefined) return known;
    const { unit, element } = this.unitOf(root);
    const length = w.declareNew(SPEC_CONSTANT, intId(w, 32), 1);
    w.decorate(length, "SpecId", number);
    const array = w.declareNew(ARRAY, element, length);
    const variable = w.declareNew(VARIABLE, pointerTo(w, WORKGROUP, array), WORKGROUP);
    w.name(variable, root.name);
    this.variables.push(variable);
    const at = this.arguments.findIndex((one) => one.kind === "workgroupMemory" && one.specialization === number);
    const described = this.arguments[at];
    if (described?.kind === "workgroupMemory") this.arguments[at] = { ...described, elementBytes: unit.bytes };
    const view = { variable, storage: WORKGROUP, path: [], element, unit, base: 0 };
    this.views.set(key, view);
    return view;
  }

  private globalView(root: Global): View {
    const { w } = this;
    const key = `global ${root.name}`;
    const known = this.views.get(key);
    if (known !== undefined) return known;
    const { addressSpace, name } = root;
    if (addressSpace === GLOBAL)
      return refuse(name, "variables of the program need memory that outlives a launch, which shaders do not have");
    const { unit, element } = this.unitOf(root);
    const count = Math.max(1, Math.ceil(sizeOf(w.module.layout, root.type) / unit.bytes));
    const array = w.declare(ARRAY, element, constant32(w, count));
    const own = addressSpace === LOCAL ? WORKGROUP : PRIVATE_STORAGE;
    const initial = addressSpace === LOCAL ? [] : [this.initial(root, unit, array, element, count)];
    const variable = w.declareNew(VARIABLE, pointerTo(w, own, array), own, ...initial);
    w.name(variable, name);
    this.variables.push(variable);
    const view = { variable, storage: own, path: [], element, unit, base: 0 };
    this.views.set(key, view);
    return view;
  }

  /** The bytes of constant memory as units. */
  private initial(root: Global, unit: Unit, array: number, element: number, count: number): number {
    const { w } = this;
    const { initializer, relocations, name } = root;
    if (relocations.length > 0) refuse(name, "constants that hold addresses cannot be in a shader");
    if (initializer === null) return nullOf(w, array);
    const at = (byte: number): number => initializer[byte] ?? 0;
    const word = (byte: number, size: number): number => {
      let value = 0;
      for (let n = 0; n < size; n++) value |= at(byte + n) << (8 * n);
      return value >>> 0;
    };
    const units = Array.from({ length: count }, (_, n) => {
      const first = n * unit.bytes;
      const words = unit.bytes === 8 ? [word(first, 4), word(first + 4, 4)] : [word(first, unit.bytes)];
      return w.declare(CONSTANT_OP, element, ...words);
    });
    return w.declare(COMPOSITE, array, ...units);
  }

  /** A variable of the function. */
  private variableView(f: ShaderFunction, root: Exclude<Root, Parameter | Global>): View {
    const { w } = this;
    return f.privateView(root, () => {
      const { unit, element } = this.unitOf(root);
      const bytes = root.elementType === null ? 1 : sizeOf(w.module.layout, root.elementType);
      const array = w.declare(ARRAY, element, constant32(w, Math.max(1, Math.ceil(bytes / unit.bytes))));
      const variable = f.variable(array, nullOf(w, array));
      w.name(variable, root.name);
      return { variable, storage: FUNCTION_STORAGE, path: [], element, unit, base: 0 };
    });
  }
}

/** A kernel as a shader, before it is put together. */
export interface ShaderModule {
  readonly w: ModuleWriter;
  readonly entry: number;
  readonly inputs: readonly number[];
  readonly variables: readonly number[];
  readonly bindings: ShaderBindings;
}

/** Writes a kernel. Throws Unwritable. */
export function writeShaderModule(module: Module, kernel: IrFunction, hasLines: boolean): ShaderModule {
  const writer = new ShaderModuleWriter(module, kernel, hasLines);
  const bindings = writer.run();
  const { w, entry, inputs, variables } = writer;
  return { w, entry, inputs, variables, bindings };
}
