// SPDX-License-Identifier: Apache-2.0
// SPIR-V that is written while bitcode is read: words by section, ids, and types and constants that are each written
// once. Every instruction knows the bit of the record that it comes from.
import { extendedNumber, enumerant, opcodeOf } from "../grammar/tables.ts";
import type { EnumerantNames, ExtendedNames, OpName } from "../generated/names.ts";
import { SPIRV_MAGIC, bytesOfWords } from "../binary/module.ts";
import type { BitcodeModule, BitcodeType } from "./model.ts";
import { refuse } from "./bitstream.ts";

type Section = "entries" | "modes" | "strings" | "names" | "decorations" | "globals" | "functions";
const ORDER: readonly Section[] = ["entries", "modes", "strings", "names", "decorations", "globals", "functions"];
/** Types in types. */
const MOST_NESTED = 200;
const VERSION = 0x00010400;
const OPENCL = "OpenCL.std";
const CAPABILITIES: readonly EnumerantNames["Capability"][] = [
  "Addresses",
  "Linkage",
  "Kernel",
  "Vector16",
  "Int8",
  "Int16",
  "Int64",
  "Float16",
  "Float64",
  "Int64Atomics",
  "GenericPointer",
  "ImageBasic",
  "LiteralSampler",
  "Groups",
];
/** Storage classes by the numbers of address spaces. */
const SPACES = ["Function", "CrossWorkgroup", "UniformConstant", "Workgroup", "Generic"] as const;
const DIMS: Readonly<Record<string, readonly [dim: EnumerantNames["Dim"], isArray: boolean, isDepth: boolean]>> = {
  image1d: ["1D", false, false],
  image1d_array: ["1D", true, false],
  image1d_buffer: ["Buffer", false, false],
  image2d: ["2D", false, false],
  image2d_array: ["2D", true, false],
  image2d_depth: ["2D", false, true],
  image2d_array_depth: ["2D", true, true],
  image3d: ["3D", false, false],
};
const FUNCTION = enumerant("StorageClass", "Function");
const ACCESS: Readonly<Record<string, EnumerantNames["AccessQualifier"]>> = {
  ro: "ReadOnly",
  wo: "WriteOnly",
  rw: "ReadWrite",
};

/** The words of a literal string. */
export function stringWords(text: string): number[] {
  const bytes = new TextEncoder().encode(text);
  const words = Array.from({ length: (bytes.length >>> 2) + 1 }, () => 0);
  for (const [index, byte] of bytes.entries())
    words[index >>> 2] = ((words[index >>> 2] ?? 0) | (byte << ((index & 3) * 8))) >>> 0;
  return words;
}

export class Emitter {
  readonly module: BitcodeModule;
  readonly #sections = new Map<Section, number[]>(ORDER.map((name) => [name, []]));
  readonly #bits = new Map<Section, number[]>(ORDER.map((name) => [name, []]));
  readonly #once = new Map<string, number>();
  readonly #types = new Map<number, number>();
  readonly #open = new Set<number>();
  #depth = 0;
  /** Pointers that were announced, by their structures. */
  readonly #ahead = new Map<number, (readonly [id: number, storage: number])[]>();
  readonly #needed = new Set<EnumerantNames["Capability"]>();
  readonly set: number;
  #bound = 1;
  /** The bit of the record that is read. */
  bit = 0;

  constructor(module: BitcodeModule) {
    this.module = module;
    this.set = this.id();
  }

  id(): number {
    return this.#bound++;
  }

  /** Writes an instruction. */
  put(section: Section, name: OpName, ...operands: readonly number[]): void {
    const words = this.#sections.get(section) ?? [];
    if (operands.length > 0xfffe) refuse(this.bit, `${name} would have ${operands.length} operands`);
    this.#bits.get(section)?.push(words.length, this.bit);
    words.push((((operands.length + 1) << 16) | opcodeOf(name)) >>> 0);
    for (const operand of operands) words.push(operand >>> 0);
  }

  readonly #mark = { word: 0, place: 0 };

  /** Remembers this place of the functions, for {@link insertVariables}. */
  mark(): void {
    this.#mark.word = this.#sections.get("functions")?.length ?? 0;
    this.#mark.place = this.#bits.get("functions")?.length ?? 0;
  }

  /** Writes variables at the place that is marked. */
  insertVariables(variables: readonly (readonly [type: number, id: number])[]): void {
    const { word, place } = this.#mark;
    const words = this.#sections.get("functions") ?? [];
    const bits = this.#bits.get("functions") ?? [];
    const after = words.splice(word);
    const afterBits = bits.splice(place);
    for (const [type, id] of variables) this.put("functions", "OpVariable", type, id, FUNCTION);
    const moved = words.length - word;
    for (const one of after) words.push(one);
    for (const [index, one] of afterBits.entries()) bits.push(index % 2 === 0 ? one + moved : one);
  }

  /** Writes an instruction of a function with a result. */
  value(name: OpName, type: number, ...operands: readonly number[]): number {
    const id = this.id();
    this.put("functions", name, type, id, ...operands);
    return id;
  }

  /** An instruction before functions, written once for equal operands; `hasType`: its type comes before its id. */
  once(name: OpName, type: number | null, ...operands: readonly number[]): number {
    const key = `${name} ${String(type)} ${operands.join(" ")}`;
    const known = this.#once.get(key);
    if (known !== undefined) return known;
    const id = this.id();
    this.#once.set(key, id);
    if (type === null) this.put("globals", name, id, ...operands);
    else this.put("globals", name, type, id, ...operands);
    return id;
  }

  extended(name: ExtendedNames[typeof OPENCL], type: number, ...operands: readonly number[]): number {
    return this.value("OpExtInst", type, this.set, extendedNumber(OPENCL, name), ...operands);
  }

  typeAt(index: number): BitcodeType {
    return this.module.types[index] ?? refuse(this.bit, `there is no type ${index}`);
  }

  storage(space: number): number {
    const name = SPACES[space];
    return name === undefined
      ? refuse(this.bit, `there is no address space ${space}`)
      : enumerant("StorageClass", name);
  }

  int(bits: number): number {
    return this.once("OpTypeInt", null, bits, 0);
  }

  bool(): number {
    return this.once("OpTypeBool", null);
  }

  /** An integer constant of up to 64 bits. */
  integer(type: number, bits: number, value: bigint): number {
    const whole = BigInt.asUintN(bits, value);
    const low = Number(whole & 0xffffffffn);
    return bits > 32 ? this.once("OpConstant", type, low, Number(whole >> 32n)) : this.once("OpConstant", type, low);
  }

  /** True for the type of a pipe's reservations. */
  isReservation(type: BitcodeType): boolean {
    const target = type.kind === "pointer" ? this.typeAt(type.element) : type;
    return target.kind === "opaque" && target.name.startsWith("opencl.reserve_id_t");
  }

  /** The SPIR-V type of a bitcode type. */
  type(index: number): number {
    const known = this.#types.get(index);
    if (known !== undefined) return known;
    if (this.#open.has(index) || this.#depth > MOST_NESTED)
      return refuse(this.bit, `the type ${index} contains itself, or is nested too deep`);
    const type = this.typeAt(index);
    // A pointer may be met again in the structure to which it points.
    if (type.kind !== "pointer") this.#open.add(index);
    this.#depth++;
    const made = this.#make(type, index);
    this.#depth--;
    this.#open.delete(index);
    this.#types.set(index, made);
    return made;
  }

  #make(type: BitcodeType, index: number): number {
    switch (type.kind) {
      case "void":
        return this.once("OpTypeVoid", null);
      case "int":
        return type.bits === 1 ? this.bool() : this.int(type.bits);
      case "half":
      case "float":
      case "double":
        return this.once("OpTypeFloat", null, type.kind === "half" ? 16 : type.kind === "float" ? 32 : 64);
      case "vector":
        return this.once("OpTypeVector", null, this.type(type.element), type.count);
      case "array":
        return this.once(
          "OpTypeArray",
          null,
          this.type(type.element),
          this.integer(this.int(32), 32, BigInt(Math.max(type.count, 1))),
        );
      case "struct": {
        const id = this.id();
        const members = type.members.map((member) => this.type(member));
        this.put("globals", "OpTypeStruct", id, ...members);
        for (const [pointer, space] of this.#ahead.get(index) ?? [])
          this.put("globals", "OpTypePointer", pointer, space, id);
        if (type.isPacked) this.put("decorations", "OpDecorate", id, enumerant("Decoration", "CPacked"));
        return id;
      }
      case "pointer": {
        const element = this.typeAt(type.element);
        if (element.kind === "opaque") return this.#opaque(element.name);
        if (element.kind === "struct" && this.#open.has(type.element)) return this.#announced(type.element, type.space);
        const target = this.type(type.element);
        return this.#types.get(index) ?? this.once("OpTypePointer", null, this.storage(type.space), target);
      }
      case "function":
        return this.once(
          "OpTypeFunction",
          null,
          this.type(type.result),
          ...type.parameters.map((one) => this.type(one)),
        );
      default:
        return refuse(this.bit, `values of the type "${type.kind}" are not read`);
    }
  }

  /** A pointer to a structure whose members are read: it is announced, and declared after the structure. */
  #announced(struct: number, space: number): number {
    const id = this.id();
    const storage = this.storage(space);
    this.put("globals", "OpTypeForwardPointer", id, storage);
    this.#ahead.set(struct, [...(this.#ahead.get(struct) ?? []), [id, storage]]);
    return id;
  }

  /** Declares a capability beside those that every module has. */
  need(name: EnumerantNames["Capability"]): void {
    this.#needed.add(name);
  }

  /** A pointer to an opaque type of OpenCL is that type. */
  #opaque(name: string): number {
    const bare = name.replace(/^opencl\./u, "").replace(/(?:_t)?(?:\.\d+)?$/u, "");
    if (bare === "sampler") return this.once("OpTypeSampler", null);
    if (bare === "event") return this.once("OpTypeEvent", null);
    if (bare === "reserve_id") {
      this.need("Pipes");
      return this.once("OpTypeReserveId", null);
    }
    const [, pipe = ""] = /^pipe_(ro|wo)$/u.exec(bare) ?? [];
    if (pipe !== "") {
      this.need("Pipes");
      return this.once("OpTypePipe", null, enumerant("AccessQualifier", ACCESS[pipe] ?? "ReadOnly"));
    }
    const [, shape = "", access = "ro"] = /^(image\w*?)(?:_(ro|wo|rw))?$/u.exec(bare) ?? [];
    const row = DIMS[shape];
    const qualifier = ACCESS[access];
    if (row === undefined || qualifier === undefined)
      return refuse(this.bit, `there is no type "${name}" in OpenCL C for these devices`);
    const [dim, isArray, isDepth] = row;
    if (dim === "1D") this.need("Sampled1D");
    if (dim === "Buffer") this.need("SampledBuffer");
    if (qualifier === "ReadWrite") this.need("ImageReadWrite");
    return this.once(
      "OpTypeImage",
      null,
      this.once("OpTypeVoid", null),
      enumerant("Dim", dim),
      Number(isDepth),
      Number(isArray),
      0,
      0,
      0,
      enumerant("AccessQualifier", qualifier),
    );
  }

  /** The binary, and for each instruction its first word and its record's bit. */
  finish(): { readonly binary: Uint8Array; readonly places: readonly number[] } {
    const words: number[] = [SPIRV_MAGIC, VERSION, 0, this.#bound, 0];
    const places: number[] = [];
    for (const name of [...CAPABILITIES, ...this.#needed])
      words.push((2 << 16) | opcodeOf("OpCapability"), enumerant("Capability", name));
    const set = stringWords(OPENCL);
    words.push(((2 + set.length) << 16) | opcodeOf("OpExtInstImport"), this.set, ...set);
    const addressing = this.module.addressBits === 64 ? "Physical64" : "Physical32";
    words.push(
      (3 << 16) | opcodeOf("OpMemoryModel"),
      enumerant("AddressingModel", addressing),
      enumerant("MemoryModel", "OpenCL"),
    );
    for (const name of ORDER) {
      const bits = this.#bits.get(name) ?? [];
      for (let at = 0; at < bits.length; at += 2) places.push(words.length + (bits[at] ?? 0), bits[at + 1] ?? 0);
      for (const word of this.#sections.get(name) ?? []) words.push(word);
    }
    return { binary: bytesOfWords(Uint32Array.from(words)), places };
  }
}
