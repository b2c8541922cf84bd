// SPDX-License-Identifier: Apache-2.0
// A bitcode module as tables: types, globals, functions, attributes, and metadata of kernels. Constants and bodies stay
// records; functions.ts reads them when it writes what they mean.
import { type BitcodeBlock, type BitcodeRecord, isBlock, refuse } from "./bitstream.ts";

/** A type. */
export type BitcodeType =
  | { readonly kind: "void" | "half" | "float" | "double" | "label" | "metadata" | "other" }
  | { readonly kind: "int"; readonly bits: number }
  | { readonly kind: "pointer"; readonly element: number; readonly space: number }
  | { readonly kind: "array" | "vector"; readonly element: number; readonly count: number }
  | { readonly kind: "struct"; readonly members: readonly number[]; readonly isPacked: boolean; readonly name: string }
  | { readonly kind: "opaque"; readonly name: string }
  | { readonly kind: "function"; readonly result: number; readonly parameters: readonly number[] };

/** A global variable. */
export interface BitcodeVariable {
  readonly name: string;
  readonly type: number;
  readonly space: number;
  readonly isConstant: boolean;
  /** The value of its initialiser and 1; 0: there is none. */
  readonly initializer: number;
  readonly linkage: number;
  readonly bit: number;
}

/** A function. */
export interface BitcodeFunction {
  readonly name: string;
  readonly type: number;
  readonly isKernel: boolean;
  readonly isDeclared: boolean;
  readonly linkage: number;
  /** Parameters that are passed by value, from 0. */
  readonly byValue: ReadonlySet<number>;
  readonly bit: number;
}

/** A node of metadata: a string, the value of a constant, or other nodes by their numbers and 1. */
export type Metadata =
  | { readonly kind: "string"; readonly text: string }
  | { readonly kind: "value"; readonly type: number; readonly value: number }
  | { readonly kind: "node"; readonly nodes: readonly number[] }
  | { readonly kind: "none" };

/** A module. */
export interface BitcodeModule {
  readonly types: readonly BitcodeType[];
  /** Types of the pointers to globals, by space and element. */
  readonly pointerTo: (element: number, space: number, bit: number) => number;
  readonly variables: readonly BitcodeVariable[];
  readonly functions: readonly BitcodeFunction[];
  /** Variables and functions by their values. */
  readonly globals: readonly ({ readonly variable: number } | { readonly function: number })[];
  readonly constants: readonly BitcodeBlock[];
  readonly bodies: readonly BitcodeBlock[];
  readonly metadata: readonly Metadata[];
  readonly named: ReadonlyMap<string, readonly number[]>;
  readonly kinds: ReadonlyMap<number, string>;
  readonly addressBits: 32 | 64;
}

const BLOCK = {
  module: 8,
  attributes: 9,
  groups: 10,
  constants: 11,
  function: 12,
  metadata: 15,
  types: 17,
  kinds: 22,
  strings: 23,
};
const KERNEL_CONVENTION = 76;
const BY_VALUE = 3;
const DECODER = new TextDecoder();

const textOf = (codes: readonly number[]): string =>
  String.fromCharCode(...codes.slice(0, 10_000).map((code) => code & 0xff));
const blocksOf = (block: BitcodeBlock, id: number): BitcodeBlock[] =>
  block.items.filter((item): item is BitcodeBlock => isBlock(item) && item.id === id);
/** The records of a block. */
export const recordsOf = (block: BitcodeBlock): BitcodeRecord[] =>
  block.items.filter((item): item is BitcodeRecord => !isBlock(item));
const at = (record: BitcodeRecord, index: number): number => record.operands[index] ?? 0;

const SIMPLE: Readonly<Record<number, "void" | "half" | "float" | "double" | "label" | "metadata">> = {
  2: "void",
  3: "float",
  4: "double",
  5: "label",
  10: "half",
  16: "metadata",
};

function readTypes(block: BitcodeBlock | undefined): BitcodeType[] {
  const types: BitcodeType[] = [];
  let name = "";
  for (const record of block === undefined ? [] : recordsOf(block)) {
    const { code, operands, bit } = record;
    const simple = SIMPLE[code];
    if (code === 1) continue;
    if (code === 19) {
      name = textOf(operands);
      continue;
    }
    if (code === 25) refuse(bit, "pointers without types are not read: LLVM 14 or older writes them with their types");
    if (simple !== undefined) types.push({ kind: simple });
    else if (code === 7) types.push({ kind: "int", bits: at(record, 0) });
    else if (code === 8) types.push({ kind: "pointer", element: at(record, 0), space: at(record, 1) });
    else if (code === 11 || code === 12)
      types.push({ kind: code === 11 ? "array" : "vector", count: at(record, 0), element: at(record, 1) });
    else if (code === 18 || code === 20) {
      types.push({
        kind: "struct",
        isPacked: at(record, 0) !== 0,
        members: operands.slice(1),
        name: code === 20 ? name : "",
      });
      name = "";
    } else if (code === 6) {
      types.push({ kind: "opaque", name });
      name = "";
    } else if (code === 21) types.push({ kind: "function", result: at(record, 1), parameters: operands.slice(2) });
    else types.push({ kind: "other" });
  }
  return types;
}

/** Parameters by value, for each list of attributes. */
function readAttributes(module: BitcodeBlock): ReadonlySet<number>[] {
  const groups = new Map<number, { readonly index: number; readonly isByValue: boolean }>();
  for (const block of blocksOf(module, BLOCK.groups))
    for (const { code, operands } of recordsOf(block)) {
      if (code !== 3) continue;
      const [group = 0, index = 0] = operands;
      let isByValue = false;
      for (let word = 2; word < operands.length;) {
        const kind = operands[word];
        if (kind === 0 || kind === 1 || kind === 5 || kind === 6) {
          if (operands[word + 1] === BY_VALUE) isByValue = true;
          word += kind === 0 || kind === 5 ? 2 : 3;
          continue;
        }
        // Texts end with 0: a name, and for the kind 4 a value.
        for (let texts = kind === 4 ? 2 : 1; texts > 0; texts--) {
          word++;
          while (word < operands.length && operands[word] !== 0) word++;
        }
        word++;
      }
      groups.set(group, { index, isByValue });
    }
  const lists: ReadonlySet<number>[] = [];
  for (const block of blocksOf(module, BLOCK.attributes))
    for (const { code, operands } of recordsOf(block)) {
      if (code !== 2) continue;
      const found = operands.map((group) => groups.get(group)).filter((group) => group?.isByValue === true);
      lists.push(new Set(found.map((group) => (group?.index ?? 1) - 1)));
    }
  return lists;
}

/** Metadata of a block, after that of those before it. */
export function readMetadata(block: BitcodeBlock, metadata: Metadata[], named: Map<string, readonly number[]>): void {
  let name = "";
  for (const record of recordsOf(block)) {
    const { code, operands, blob } = record;
    if (code === 35 && blob !== null) {
      let bit = 0;
      let text = at(record, 1);
      const bits = (width: number): number => {
        let value = 0;
        for (let one = 0; one < width; one++, bit++) value |= (((blob[bit >>> 3] ?? 0) >>> (bit & 7)) & 1) << one;
        return value;
      };
      for (let count = Math.min(at(record, 0), blob.length * 8); count > 0; count--) {
        let length = 0;
        for (let shift = 0; shift < 30; shift += 5) {
          const group = bits(6);
          length |= (group & 31) << shift;
          if (group < 32) break;
        }
        metadata.push({ kind: "string", text: DECODER.decode(blob.subarray(text, text + length)) });
        text += length;
      }
    } else if (code === 4) name = textOf(operands);
    else if (code === 10) named.set(name, operands);
    else if (code === 2) metadata.push({ kind: "value", type: at(record, 0), value: at(record, 1) });
    else if (code === 3 || code === 5) metadata.push({ kind: "node", nodes: operands });
    else if (code !== 36 && code !== 38 && code !== 39 && code !== 6) metadata.push({ kind: "none" });
  }
}

/** The module of a file's blocks. */
export function readModule(blocks: readonly BitcodeBlock[]): BitcodeModule {
  const module = blocks.find(({ id }) => id === BLOCK.module);
  if (module === undefined) return refuse(0, "there is no module in this bitcode");
  const table = blocks.find(({ id }) => id === BLOCK.strings);
  const names =
    (table === undefined ? [] : recordsOf(table)).find(({ blob }) => blob !== null)?.blob ?? new Uint8Array();
  const types = readTypes(blocksOf(module, BLOCK.types)[0]);
  const attributes = readAttributes(module);
  const pointers = new Map<string, number>();
  for (const [index, type] of types.entries())
    if (type.kind === "pointer") pointers.set(`${type.element} ${type.space}`, index);
  const variables: BitcodeVariable[] = [];
  const functions: BitcodeFunction[] = [];
  const globals: BitcodeModule["globals"][number][] = [];
  let version = 0;
  let addressBits: 32 | 64 = 32;
  for (const record of recordsOf(module)) {
    const { code, operands, bit } = record;
    if (code === 1) version = at(record, 0);
    else if (code === 2) addressBits = textOf(operands).startsWith("spir64") ? 64 : 32;
    else if (code === 7 || code === 8) {
      if (version < 2) refuse(bit, "this bitcode is older than LLVM 5, whose names stand elsewhere");
      const name = DECODER.decode(names.subarray(at(record, 0), at(record, 0) + at(record, 1)));
      const flags = at(record, 3);
      if (code === 7) {
        globals.push({ variable: variables.length });
        variables.push({
          name,
          type: at(record, 2),
          space: flags >> 2,
          isConstant: (flags & 1) !== 0,
          initializer: at(record, 4),
          linkage: at(record, 5),
          bit,
        });
      } else {
        globals.push({ function: functions.length });
        functions.push({
          name,
          type: at(record, 2),
          isKernel: at(record, 3) === KERNEL_CONVENTION,
          isDeclared: at(record, 4) !== 0,
          linkage: at(record, 5),
          byValue: attributes[at(record, 6) - 1] ?? new Set(),
          bit,
        });
      }
    } else if (code === 14 || code === 9) refuse(bit, "aliases of globals are not read");
  }
  const metadata: Metadata[] = [];
  const named = new Map<string, readonly number[]>();
  for (const block of blocksOf(module, BLOCK.metadata)) readMetadata(block, metadata, named);
  const kinds = new Map<number, string>();
  for (const block of blocksOf(module, BLOCK.kinds))
    for (const { code, operands } of recordsOf(block))
      if (code === 6) kinds.set(operands[0] ?? 0, textOf(operands.slice(1)));
  return {
    types,
    pointerTo: (element, space, bit) => {
      const key = `${element} ${space}`;
      const known = pointers.get(key);
      if (known !== undefined) return known;
      if (types[element] === undefined) return refuse(bit, `there is no type ${element}`);
      pointers.set(key, types.length);
      types.push({ kind: "pointer", element, space });
      return types.length - 1;
    },
    variables,
    functions,
    globals,
    constants: blocksOf(module, BLOCK.constants),
    bodies: blocksOf(module, BLOCK.function),
    metadata,
    named,
    kinds,
    addressBits,
  };
}
