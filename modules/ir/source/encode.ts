// SPDX-License-Identifier: Apache-2.0
// Writer of the binary form: header, data layout, string table, type table, heads of globals and functions, then each
// body by itself, so that a library's reader can decode bodies one by one.
//
// A body has its constants, its locations (each after the call that it was inlined at), the heads of its blocks, and
// its instructions. An instruction is its op, a mask of the fields that follow, and operands: constants as odd numbers,
// other values as zigzag distances from the instruction. Numbers are LEB128. Equal modules assign equal bytes.
import { ARGUMENT_KINDS } from "@muxkit/kernel-abi";
import { ByteWriter, assert } from "@muxkit/cargo";

import * as Form from "./binary-format.ts";
import type { Block, Global, IrFunction, Module } from "./function.ts";
import type { Instruction } from "./instruction.ts";
import type { KernelDescription } from "./kernel.ts";
import type { Location } from "./location.ts";
import { type Type, VOID } from "./type.ts";
import { type Constant, type Value, bigintValue } from "./value.ts";

/** A table in which equal entries share a number. */
class Numbers<T> {
  private readonly numbers: Map<T, number> = new Map();

  get size(): number {
    return this.numbers.size;
  }

  keys(): Iterable<T> {
    return this.numbers.keys();
  }

  get(key: T): number | undefined {
    return this.numbers.get(key);
  }

  add(key: T): number {
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    const number = this.numbers.size;
    this.numbers.set(key, number);
    return number;
  }
}

class ModuleWriter {
  private readonly texts = new Numbers<string>();
  private readonly types = new Numbers<Type>();
  private readonly typeRecords = new ByteWriter();
  private readonly functions = new Numbers<IrFunction>();
  private readonly globals = new Numbers<Global>();
  private readonly module: Module;

  constructor(module: Module) {
    this.module = module;
    for (const fn of module.functions.values()) this.functions.add(fn);
    for (const global of module.globals.values()) this.globals.add(global);
  }

  run(): Uint8Array<ArrayBuffer> {
    const { module } = this;
    const heads = new ByteWriter();
    heads.varU32(this.texts.add(module.name));
    heads.varU32(this.globals.size);
    for (const global of module.globals.values()) this.global(heads, global);
    heads.varU32(this.functions.size);
    const bodies: Uint8Array[] = [];
    for (const fn of module.functions.values()) {
      const body = fn.blocks.length === 0 ? new Uint8Array(0) : new FunctionWriter(fn, this).run();
      this.head(heads, fn, body.length);
      bodies.push(body);
    }
    const out = new ByteWriter();
    out.u32(Form.MAGIC);
    out.varU32(Form.VERSION);
    this.layout(out);
    this.textTable(out);
    out.varU32(this.types.size);
    out.raw(this.typeRecords.finish());
    out.raw(heads.finish());
    for (const body of bodies) out.raw(body);
    return out.finish();
  }

  text(value: string): number {
    return this.texts.add(value);
  }

  functionNumber(fn: IrFunction): number {
    const number = this.functions.get(fn);
    assert(number !== undefined, () => `@${fn.name} is called and not in module ${this.module.name}`);
    return number;
  }

  globalNumber(global: Global): number {
    const number = this.globals.get(global);
    assert(number !== undefined, () => `@${global.name} is used and not in module ${this.module.name}`);
    return number;
  }

  /** Number of a type; its parts come before it. */
  type(type: Type): number {
    const known = this.types.get(type);
    if (known !== undefined) return known;
    const element = type.element === null ? 0 : this.type(type.element);
    const members = type.members.map((member) => this.type(member));
    const out = this.typeRecords;
    out.u8(Form.TYPE_KINDS.indexOf(type.kind));
    if (type.kind === "int" || type.kind === "float") out.u8(type.bits);
    else if (type.kind === "pointer") out.varU32(type.addressSpace);
    else if (type.kind === "opaque") out.varU32(this.text(type.name));
    else if (type.kind === "vector" || type.kind === "array") {
      out.varU32(element);
      out.varU32(type.count);
    } else if (type.kind === "struct") {
      out.varU32(this.text(type.name));
      out.u8(type.packed ? 1 : 0);
      out.varU32(type.minimumAlignment);
      out.varU32(members.length);
      for (const member of members) out.varU32(member);
    }
    return this.types.add(type);
  }

  private layout(out: ByteWriter): void {
    const { layout } = this.module;
    out.u8(
      (layout.littleEndian ? Form.LITTLE_ENDIAN : 0) |
        (layout.nativeF16 ? Form.NATIVE_F16 : 0) |
        (layout.nativeF64 ? Form.NATIVE_F64 : 0) |
        (layout.nativeI64 ? Form.NATIVE_I64 : 0),
    );
    out.u8(layout.sizeBits);
    out.varU32(layout.pointerBytes.length);
    for (const bytes of layout.pointerBytes) out.u8(bytes);
  }

  /** Lengths in UTF-16 units, then all texts in one, so that a reader decodes once. */
  private textTable(out: ByteWriter): void {
    const all = [...this.texts.keys()];
    out.varU32(all.length);
    for (const text of all) out.varU32(text.length);
    out.text(all.join(""));
  }

  private global(
    out: ByteWriter,
    { name, type, addressSpace, alignment, linkage, initializer, relocations }: Global,
  ): void {
    out.varU32(this.text(name));
    out.varU32(this.type(type));
    out.varU32(addressSpace);
    out.varU32(alignment);
    out.u8(Form.LINKAGES.indexOf(linkage));
    if (initializer === null) out.u8(Form.NO_BYTES);
    else if (initializer.every((byte) => byte === 0)) {
      out.u8(Form.ZERO_BYTES);
      out.varU32(initializer.length);
    } else {
      out.u8(Form.SOME_BYTES);
      out.block(initializer);
    }
    out.varU32(relocations.length);
    for (const { offset, target, addend } of relocations) {
      out.varU32(offset);
      out.varU32(this.globalNumber(target));
      out.varS64(BigInt(addend));
    }
  }

  private head(out: ByteWriter, fn: IrFunction, bodyLength: number): void {
    out.varU32(this.text(fn.name));
    out.varU32(this.type(fn.returnType));
    out.varU32(fn.parameters.length);
    for (const { type, name } of fn.parameters) {
      out.varU32(this.type(type));
      out.varU32(this.text(name));
    }
    out.u8(Form.INLINE_HINTS.indexOf(fn.inline));
    out.u8(
      (fn.kernel === null ? 0 : Form.IS_KERNEL) |
        (fn.isInternal ? Form.IS_INTERNAL : 0) |
        (fn.isOutside ? Form.IS_OUTSIDE : 0) |
        (fn.convention.kind === "work_item" ? Form.IS_WORK_ITEM : 0) |
        (fn.convention.kind === "kernel_entry" ? Form.IS_KERNEL_ENTRY : 0),
    );
    if (fn.convention.kind === "work_item") out.varU32(fn.convention.first);
    if (fn.kernel !== null) this.kernel(out, fn.kernel);
    out.varU32(bodyLength);
  }

  private kernel(out: ByteWriter, kernel: KernelDescription): void {
    out.varU32(kernel.arguments.length);
    for (const argument of kernel.arguments) {
      out.varU32(this.text(argument.name));
      out.varU32(this.text(argument.typeName));
      out.u8(ARGUMENT_KINDS.indexOf(argument.kind));
      out.u8(Form.ARGUMENT_SPACES.indexOf(argument.addressSpace));
      out.u8(Form.ACCESSES.indexOf(argument.access));
      out.u8((argument.isConst ? 1 : 0) | (argument.isRestrict ? 2 : 0) | (argument.isVolatile ? 4 : 0));
      out.varU32(argument.size);
      out.varU32(argument.alignment);
    }
    for (const sizes of [kernel.requiredWorkGroupSize, kernel.workGroupSizeHint]) {
      out.u8(sizes === null ? 0 : 1);
      for (const size of sizes ?? []) out.varU32(size);
    }
    out.u8(kernel.vecTypeHint === null ? 0 : 1);
    if (kernel.vecTypeHint !== null) out.varU32(this.text(kernel.vecTypeHint));
    out.varU32(kernel.requiredSubGroupSize ?? 0);
    out.u8(kernel.uniformWorkGroups ? 1 : 0);
    out.varU32(this.text(kernel.attributes));
  }
}

/** Writes one body: its constants and locations, its blocks' heads, its instructions. */
class FunctionWriter {
  private readonly fn: IrFunction;
  private readonly module: ModuleWriter;
  private readonly numbers: Map<Value, number> = new Map();
  private readonly blocks: Map<Block, number>;
  private readonly constants = new Numbers<Constant>();
  private readonly locations = new Numbers<string>();
  private readonly locationRecords = new ByteWriter();
  private readonly code = new ByteWriter();
  private instructionCount = 0;
  private lastLocation = 0;

  constructor(fn: IrFunction, module: ModuleWriter) {
    this.fn = fn;
    this.module = module;
    this.blocks = new Map(fn.blocks.map((block, i) => [block, i]));
    const assign = (value: Value): void => {
      this.numbers.set(value, this.numbers.size);
    };
    fn.parameters.forEach(assign);
    for (const block of fn.blocks) block.parameters.forEach(assign);
    for (const block of fn.blocks) {
      block.instructions.forEach(assign);
      this.instructionCount += block.instructions.length;
    }
  }

  run(): Uint8Array<ArrayBuffer> {
    const { fn, module } = this;
    for (const block of fn.blocks) for (const instruction of block.instructions) this.instruction(instruction);
    const out = new ByteWriter();
    out.varU32(this.constants.size);
    for (const constant of this.constants.keys()) this.constant(out, constant);
    out.varU32(this.locations.size);
    out.raw(this.locationRecords.finish());
    out.varU32(fn.blocks.length);
    for (const block of fn.blocks) {
      out.varU32(module.text(block.name));
      out.varU32(block.parameters.length);
      for (const { type, name } of block.parameters) {
        out.varU32(module.type(type));
        out.varU32(module.text(name));
      }
      // The lowest bit is set when a hint follows.
      out.varU32(block.instructions.length * 2 + (block.unroll === 0 ? 0 : 1));
      if (block.unroll !== 0) out.varU32(block.unroll);
    }
    out.varU32(this.instructionCount);
    out.raw(this.code.finish());
    return out.finish();
  }

  /** Scalars as their bits, vectors as their lanes' bits. */
  private constant(out: ByteWriter, constant: Constant): void {
    out.varU32(this.module.type(constant.type));
    for (const lane of constant.type.kind === "vector" ? constant.lanes : [constant]) out.varU64(bigintValue(lane));
  }

  /** Number of a location, from 1; the call that it was inlined at comes before it. */
  private location(location: Location): number {
    const outer = location.inlinedAt === null ? 0 : this.location(location.inlinedAt);
    const { module } = this;
    const record = [module.text(location.file), location.line, location.column, module.text(location.scope), outer];
    const known = this.locations.size;
    const number = this.locations.add(record.join(" "));
    if (number === known) for (const field of record) this.locationRecords.varU32(field);
    return number + 1;
  }

  /** Constants are odd; other values even, as the zigzag distance from the instruction that uses them. */
  private value(value: Value, user: number): void {
    if (value.kind === "constant") {
      this.code.varU32(this.constants.add(value) * 2 + 1);
      return;
    }
    const number = this.numbers.get(value);
    assert(number !== undefined, () => `@${this.fn.name} uses a value that is not in it`);
    const distance = user - number;
    this.code.varU32((distance < 0 ? -distance * 2 - 1 : distance * 2) * 2);
  }

  private instruction(instruction: Instruction): void {
    const { code, module } = this;
    const own = this.numbers.get(instruction) ?? 0;
    const location = instruction.location === null ? 0 : this.location(instruction.location);
    const mask = maskOf(instruction, location !== this.lastLocation);
    code.u8(instruction.op);
    code.varU32(mask);
    if ((mask & Form.HAS_TYPE) !== 0) code.varU32(module.type(instruction.type));
    if ((mask & Form.HAS_LOCATION) !== 0) code.varS32(location - this.lastLocation);
    if ((mask & Form.HAS_ALIGNMENT) !== 0) code.varU32(instruction.alignment);
    if ((mask & Form.HAS_OFFSET) !== 0) code.varS64(BigInt(instruction.offset));
    if ((mask & Form.HAS_SCALE) !== 0) code.varS64(BigInt(instruction.scale));
    if ((mask & Form.HAS_SYMBOL) !== 0) this.symbol(instruction);
    if ((mask & Form.HAS_NAME) !== 0) code.varU32(module.text(instruction.name));
    if ((mask & Form.HAS_FLAGS) !== 0) code.varU32(instruction.flags);
    if ((mask & Form.HAS_ELEMENT_TYPE) !== 0) code.varU32(module.type(instruction.elementType ?? VOID));
    if ((mask & Form.HAS_LANES) !== 0) {
      code.varU32(instruction.lanes.length);
      for (const lane of instruction.lanes) code.varS64(BigInt(lane));
    }
    if ((mask & Form.HAS_ORDER) !== 0) {
      code.u8(Form.ORDERS.indexOf(instruction.order));
      code.u8(Form.SCOPES.indexOf(instruction.scope));
    }
    if ((mask & Form.HAS_SEMANTICS) !== 0) code.varU32(instruction.semantics);
    if ((mask & Form.HAS_ATOMIC_KIND) !== 0) code.u8(Form.ATOMIC_KINDS.indexOf(instruction.atomicKind));
    if ((mask & Form.HAS_ALIAS_GROUP) !== 0) code.varU32(instruction.aliasGroup);
    this.lastLocation = location;
    this.values(instruction.operands, own);
    if ((mask & Form.HAS_SUCCESSORS) !== 0) {
      code.varU32(instruction.successors.length);
      instruction.successors.forEach((block, i) => {
        const number = this.blocks.get(block);
        assert(number !== undefined, () => `@${this.fn.name} branches out of itself`);
        code.varU32(number);
        this.values(instruction.successorArguments[i] ?? [], own);
      });
    }
  }

  private values(list: readonly Value[], user: number): void {
    this.code.varU32(list.length);
    for (const value of list) this.value(value, user);
  }

  private symbol({ symbol }: Instruction): void {
    const { code, module } = this;
    switch (symbol?.kind) {
      case "function":
        code.u8(Form.FUNCTION_SYMBOL);
        code.varU32(module.functionNumber(symbol));
        return;
      case "global":
        code.u8(Form.GLOBAL_SYMBOL);
        code.varU32(module.globalNumber(symbol));
        return;
      case "builtin":
        code.u8(Form.BUILTIN_SYMBOL);
        code.varU32(module.text(symbol.name));
        code.varU32(symbol.parameters.length);
        for (const parameter of symbol.parameters) code.varU32(module.text(parameter));
        return;
      case "variable":
        code.u8(Form.VARIABLE_SYMBOL);
        code.varU32(module.text(symbol.name));
        code.varU32(module.text(symbol.typeName));
        return;
      case undefined:
    }
  }
}

/** Which fields of an instruction are not at their defaults. */
function maskOf(instruction: Instruction, hasNewLocation: boolean): number {
  return (
    (instruction.type === VOID ? 0 : Form.HAS_TYPE) |
    (hasNewLocation ? Form.HAS_LOCATION : 0) |
    (instruction.alignment === 0 ? 0 : Form.HAS_ALIGNMENT) |
    (instruction.offset === 0 ? 0 : Form.HAS_OFFSET) |
    (instruction.scale === 0 ? 0 : Form.HAS_SCALE) |
    (instruction.symbol === null ? 0 : Form.HAS_SYMBOL) |
    (instruction.successors.length === 0 ? 0 : Form.HAS_SUCCESSORS) |
    (instruction.name === "" ? 0 : Form.HAS_NAME) |
    (instruction.flags === 0 ? 0 : Form.HAS_FLAGS) |
    (instruction.elementType === null ? 0 : Form.HAS_ELEMENT_TYPE) |
    (instruction.lanes.length === 0 ? 0 : Form.HAS_LANES) |
    (instruction.order === "none" && instruction.scope === "none" ? 0 : Form.HAS_ORDER) |
    (instruction.semantics === 0 ? 0 : Form.HAS_SEMANTICS) |
    (instruction.atomicKind === "exchange" ? 0 : Form.HAS_ATOMIC_KIND) |
    (instruction.aliasGroup === 0 ? 0 : Form.HAS_ALIAS_GROUP)
  );
}

/**
 * The binary form of a module. The same module gives the same bytes. Throws InternalError for a module that refers to
 * what is not in it (the verifier names it).
 *
 * @public
 */
export function encodeModule(module: Module): Uint8Array<ArrayBuffer> {
  return new ModuleWriter(module).run();
}
