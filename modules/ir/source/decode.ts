// SPDX-License-Identifier: Apache-2.0
// Reader of the binary form: whole modules, or libraries whose bodies are decoded when they are first needed. Every
// count and index is checked before it is used, so damaged bytes give an error and never an exception or a huge
// allocation.
import { ARGUMENT_KINDS } from "@muxkit/kernel-abi";
import { KERNEL_ENTRY, workItemConvention } from "./calling-convention.ts";
import { ByteReader, type Result, err, ok } from "@muxkit/cargo";

import * as Form from "./binary-format.ts";
import type { DataLayout } from "./data-layout.ts";
import { type Tables, decodeBody, safeInteger, word } from "./decode-function.ts";
import { Global, IrFunction, Module } from "./function.ts";
import type { ArgumentDescription, KernelDescription } from "./kernel.ts";
import { LAYOUT_32 } from "./data-layout.ts";
import {
  type Type,
  VOID,
  arrayType,
  floatType,
  intType,
  opaqueType,
  pointerType,
  structType,
  vectorType,
} from "./type.ts";

/** What is wrong with bytes that should be a module. @public */
export interface BinaryError {
  /** Byte offset. */
  readonly offset: number;
  /** What is wrong there. */
  readonly message: string;
}

/** A library: a module whose functions' bodies are decoded on demand. @public */
export interface Library {
  /** Holds every global and the head of every function. */
  readonly module: Module;
  /** Names of the functions that have bodies, in order. */
  readonly names: readonly string[];
  /** Decodes a function and everything that it calls. Error: an unknown name, or damaged bytes. */
  readonly load: (name: string) => Result<IrFunction, BinaryError>;
}

/**
 * Most zero bytes of all globals together: they take no space in the file, and a small file must not use all memory.
 */
const MOST_ZEROS = 1 << 28;
/** Longest text of a type: a few records could otherwise double it again and again. */
const LONGEST_TYPE = 1 << 16;
const BITS: ReadonlySet<string> = new Set(["i1", "i8", "i16", "i32", "i64", "f16", "f32", "f64"]);

class ModuleReader implements Tables {
  readonly reader: ByteReader;
  module: Module;
  private zerosLeft = MOST_ZEROS;
  private texts: readonly string[] = [];
  private readonly types: Type[] = [];
  private readonly globals: Global[] = [];
  private readonly functions: IrFunction[] = [];
  /** Length of each body, then where it begins; a body that has been read has length 0. */
  private readonly bodies: Map<IrFunction, { readonly length: number; readonly start: number }> = new Map();

  constructor(bytes: Uint8Array) {
    this.reader = new ByteReader(bytes);
    this.module = new Module("", LAYOUT_32);
  }

  text(): string {
    const text = this.texts[this.reader.varU32()];
    if (text === undefined) this.reader.fail("a text that is not in the table");
    return text ?? "";
  }

  type(): Type {
    const type = this.types[this.reader.varU32()];
    if (type === undefined) this.reader.fail("a type that is not in the table");
    return type ?? VOID;
  }

  function(): IrFunction | null {
    const fn = this.functions[this.reader.varU32()];
    if (fn === undefined) this.reader.fail("a function that is not in the module");
    return fn ?? null;
  }

  global(): Global | null {
    const global = this.globals[this.reader.varU32()];
    if (global === undefined) this.reader.fail("a global that is not in the module");
    return global ?? null;
  }

  /** Everything but the bodies. */
  heads(): void {
    const { reader } = this;
    if (reader.u32() !== Form.MAGIC) reader.fail("not a module in binary form");
    const version = reader.varU32();
    if (version !== Form.VERSION)
      reader.fail(`this is a module of version ${version}; this reader takes version ${Form.VERSION}`);
    const layout = this.layout();
    this.textTable();
    this.typeTable();
    this.module = new Module(this.text(), layout);
    this.globalTable();
    this.functionTable();
  }

  private layout(): DataLayout {
    const { reader } = this;
    const flags = reader.u8();
    const sizeBits = reader.u8();
    const count = reader.recordCount(1);
    const pointerBytes = Array.from({ length: count }, () => reader.u8());
    if ((sizeBits !== 32 && sizeBits !== 64) || count === 0 || pointerBytes.some((bytes) => bytes < 1 || bytes > 8))
      reader.fail("a data layout that no device has");
    return {
      pointerBytes,
      sizeBits,
      littleEndian: (flags & Form.LITTLE_ENDIAN) !== 0,
      nativeF16: (flags & Form.NATIVE_F16) !== 0,
      nativeF64: (flags & Form.NATIVE_F64) !== 0,
      nativeI64: (flags & Form.NATIVE_I64) !== 0,
    };
  }

  private textTable(): void {
    const { reader } = this;
    const count = reader.recordCount(1);
    const lengths = Array.from({ length: count }, () => reader.varU32());
    const all = reader.text();
    let end = 0;
    this.texts = lengths.map((length) => all.slice(end, (end += length)));
    if (end !== all.length) reader.fail("the texts differ from their lengths");
  }

  private typeTable(): void {
    const { reader } = this;
    const count = reader.recordCount(1);
    for (let i = 0; i < count && reader.error === null; i++) {
      const type = this.typeRecord();
      if (type.text.length > LONGEST_TYPE) reader.fail("a type that is too large");
      this.types.push(type);
    }
  }

  private scalar(letter: "i" | "f"): Type {
    const bits = this.reader.u8();
    if (BITS.has(`${letter}${bits}`)) return letter === "i" ? intType(bits) : floatType(bits);
    this.reader.fail(`a type ${letter}${bits}`);
    return VOID;
  }

  /** The element of a vector or array, and its count. */
  private elements(kind: "vector" | "array"): Type {
    const element = this.type();
    const count = this.reader.varU32();
    const isLane = element.kind === "int" || element.kind === "float" || element.kind === "pointer";
    if (kind === "vector" ? isLane && count >= 2 && count <= 64 : element !== VOID)
      return kind === "vector" ? vectorType(element, count) : arrayType(element, count);
    this.reader.fail(`a ${kind} of ${count} ${element.text.slice(0, 40)}`);
    return VOID;
  }

  private struct(): Type {
    const { reader } = this;
    const name = this.text();
    const packed = reader.u8() !== 0;
    const alignment = reader.varU32();
    const count = reader.recordCount(1);
    const members: Type[] = [];
    let length = 0;
    for (let i = 0; i < count && reader.error === null; i++) {
      const member = this.type();
      if (member === VOID) reader.fail("a member without a type");
      members.push(member);
      length += member.text.length;
      if (length > LONGEST_TYPE) reader.fail("a type that is too large");
    }
    return reader.error === null ? structType(name, members, packed, alignment) : VOID;
  }

  private typeRecord(): Type {
    const { reader } = this;
    const kind = word(reader, Form.TYPE_KINDS, "void");
    switch (kind) {
      case "int":
        return this.scalar("i");
      case "float":
        return this.scalar("f");
      case "pointer":
        return pointerType(reader.varU32());
      case "opaque":
        return opaqueType(this.text());
      case "struct":
        return this.struct();
      case "vector":
      case "array":
        return this.elements(kind);
      case "void":
      default:
        return VOID;
    }
  }

  private globalTable(): void {
    const { reader, module } = this;
    const count = reader.recordCount(7);
    const relocations: {
      readonly global: Global;
      readonly offset: number;
      readonly target: number;
      readonly addend: number;
    }[] = [];
    for (let i = 0; i < count && reader.error === null; i++) {
      const name = this.text();
      const type = this.type();
      const space = reader.varU32();
      const global = new Global(name, type, space, reader.varU32());
      global.linkage = word(reader, Form.LINKAGES, "external");
      global.initializer = this.initialBytes();
      const pointers = reader.recordCount(3);
      for (let j = 0; j < pointers && reader.error === null; j++)
        relocations.push({ global, offset: reader.varU32(), target: reader.varU32(), addend: safeInteger(reader) });
      this.globals.push(global);
      if (module.globals.has(name)) reader.fail(`global @${name} twice`);
      else module.addGlobal(global);
    }
    for (const { global, offset, target, addend } of relocations) {
      const found = this.globals[target];
      if (found === undefined) reader.fail(`a pointer in @${global.name} to a global that is not in the module`);
      else global.relocations.push({ offset, target: found, addend });
    }
  }

  private initialBytes(): Uint8Array | null {
    const { reader } = this;
    const form = reader.u8();
    if (form === Form.NO_BYTES) return null;
    if (form === Form.SOME_BYTES) return reader.block().slice();
    const length = reader.varU32();
    if (form === Form.ZERO_BYTES && length <= this.zerosLeft && reader.error === null) {
      this.zerosLeft -= length;
      return new Uint8Array(length);
    }
    reader.fail("initial bytes that this version does not know");
    return null;
  }

  private functionTable(): void {
    const { reader, module } = this;
    const count = reader.recordCount(6);
    const lengths: number[] = [];
    for (let i = 0; i < count && reader.error === null; i++) {
      const name = this.text();
      const returnType = this.type();
      const parameters = Array.from({ length: reader.recordCount(2) }, () => ({
        type: this.type(),
        name: this.text(),
      }));
      const fn = new IrFunction(name, returnType, parameters);
      fn.inline = word(reader, Form.INLINE_HINTS, "none");
      const flags = reader.u8();
      fn.isInternal = (flags & Form.IS_INTERNAL) !== 0;
      fn.isOutside = (flags & Form.IS_OUTSIDE) !== 0;
      if ((flags & Form.IS_WORK_ITEM) !== 0) fn.convention = workItemConvention(reader.varU32());
      else if ((flags & Form.IS_KERNEL_ENTRY) !== 0) fn.convention = KERNEL_ENTRY;
      if ((flags & Form.IS_KERNEL) !== 0) fn.kernel = this.kernel();
      lengths.push(reader.varU32());
      this.functions.push(fn);
      if (module.functions.has(name)) reader.fail(`function @${name} twice`);
      else module.addFunction(fn);
    }
    let start = reader.offset;
    this.functions.forEach((fn, i) => {
      const length = lengths[i] ?? 0;
      if (length > 0) this.bodies.set(fn, { length, start });
      start += length;
    });
    if (start !== reader.offset + reader.remaining) reader.fail("the bodies differ from their lengths");
  }

  private kernel(): KernelDescription {
    const { reader } = this;
    const list: ArgumentDescription[] = [];
    const count = reader.recordCount(8);
    for (let i = 0; i < count && reader.error === null; i++) {
      const name = this.text();
      const typeName = this.text();
      const kind = word(reader, ARGUMENT_KINDS, "value");
      const addressSpace = word(reader, Form.ARGUMENT_SPACES, "private");
      const access = word(reader, Form.ACCESSES, "none");
      const flags = reader.u8();
      const size = reader.varU32();
      list.push({
        name,
        typeName,
        kind,
        addressSpace,
        access,
        isConst: (flags & 1) !== 0,
        isRestrict: (flags & 2) !== 0,
        isVolatile: (flags & 4) !== 0,
        size,
        alignment: reader.varU32(),
      });
    }
    const sizes = (): readonly [number, number, number] | null =>
      reader.u8() === 0 ? null : [reader.varU32(), reader.varU32(), reader.varU32()];
    const requiredWorkGroupSize = sizes();
    const workGroupSizeHint = sizes();
    const vecTypeHint = reader.u8() === 0 ? null : this.text();
    const subGroup = reader.varU32();
    const uniformWorkGroups = reader.u8() !== 0;
    return {
      arguments: list,
      requiredWorkGroupSize,
      workGroupSizeHint,
      vecTypeHint,
      requiredSubGroupSize: subGroup === 0 ? null : subGroup,
      uniformWorkGroups,
      attributes: this.text(),
    };
  }

  /** Names of the functions that have bodies. */
  get names(): readonly string[] {
    return [...this.bodies.keys()].map((fn) => fn.name);
  }

  /** Reads the body of a function, if it has one that has not been read. */
  body(fn: IrFunction): void {
    const found = this.bodies.get(fn);
    if (found === undefined || fn.blocks.length > 0 || this.reader.error !== null) return;
    this.reader.seek(found.start);
    decodeBody(fn, this);
    if (this.reader.error === null && this.reader.offset !== found.start + found.length)
      this.reader.fail(`the body of @${fn.name} differs from its length`);
  }
}

/**
 * Reads a module. Damaged bytes give an error and never throw. The result is sound as a graph; run {@link verifyModule}
 * on a module from an untrusted source before you use it.
 *
 * @public
 */
export function decodeModule(bytes: Uint8Array): Result<Module, BinaryError> {
  const reader = new ModuleReader(bytes);
  reader.heads();
  for (const fn of reader.module.functions.values()) reader.body(fn);
  return reader.reader.error === null ? ok(reader.module) : err(reader.reader.error);
}

/** Opens a module as a library: heads are read now, each body on demand. @public */
export function decodeLibrary(bytes: Uint8Array): Result<Library, BinaryError> {
  const reader = new ModuleReader(bytes);
  reader.heads();
  if (reader.reader.error !== null) return err(reader.reader.error);
  const { module } = reader;
  const done = new Set<IrFunction>();
  const load = (name: string): Result<IrFunction, BinaryError> => {
    const wanted = module.functions.get(name);
    if (wanted === undefined) return err({ offset: 0, message: `the library has no function @${name}` });
    const work = done.has(wanted) ? [] : [wanted];
    done.add(wanted);
    for (let fn = work.pop(); fn !== undefined; fn = work.pop()) {
      reader.body(fn);
      if (reader.reader.error !== null) return err(reader.reader.error);
      for (const block of fn.blocks) {
        for (const { symbol } of block.instructions) {
          if (symbol?.kind !== "function" || done.has(symbol)) continue;
          done.add(symbol);
          work.push(symbol);
        }
      }
    }
    return ok(wanted);
  };
  return ok({ module, names: reader.names, load });
}
