// SPDX-License-Identifier: Apache-2.0
// Explicit layout (section 2.16.2 of the specification, and the Vulkan specification's "Offset and Stride Assignment"):
// structures of buffers say where their members are, and members neither overlap nor straddle.
//
//   1. sizes and alignments of all types in the order of their declarations, so that none is walked twice: the scalar
//      alignment, the base alignment, and the extended one of uniform blocks, whose arrays and structures are aligned
//      to 16 bytes;
//   2. the structures that variables of buffers reach, each once for either kind of block;
//   3. per structure its members in the order of their offsets.
//
// Linear but for the sorting of members.
import type { Decorations } from "../binary/decorations.ts";
import { enumerant, opcodeOf } from "../grammar/tables.ts";
import { partCount } from "./constants.ts";
import type { Validation } from "./validation.ts";

const FUNCTION = opcodeOf("OpFunction");
const VARIABLE = opcodeOf("OpVariable");
const INT = opcodeOf("OpTypeInt");
const FLOAT = opcodeOf("OpTypeFloat");
const VECTOR = opcodeOf("OpTypeVector");
const MATRIX = opcodeOf("OpTypeMatrix");
const ARRAY = opcodeOf("OpTypeArray");
const RUNTIME_ARRAY = opcodeOf("OpTypeRuntimeArray");
const STRUCT = opcodeOf("OpTypeStruct");
const POINTER = opcodeOf("OpTypePointer");
const UNIFORM = enumerant("StorageClass", "Uniform");
const BUFFERS: ReadonlySet<number> = new Set(
  (["Uniform", "PushConstant", "StorageBuffer", "PhysicalStorageBuffer"] as const).map((name) =>
    enumerant("StorageClass", name),
  ),
);
const ADDRESS_BYTES = 8;
const LARGE = 16;

/** What a type needs in memory. */
interface Needs {
  readonly size: number;
  readonly scalar: number;
  readonly base: number;
  readonly extended: number;
}
const NOTHING: Needs = { size: 0, scalar: 1, base: 1, extended: 1 };
const roundUp = (value: number, to: number): number => Math.ceil(value / to) * to;

/**
 * How blocks are laid out: standard ones, relaxed ones (vectors at their scalars' alignment), or by scalars.
 *
 * @public
 */
export type BlockLayout = "standard" | "relaxed" | "scalar";

class Layout {
  readonly #validation: Validation;
  readonly #decorations: Decorations;
  /** The place of each type in the columns that follow, by its instruction; 0: it is no type of values. */
  readonly #places: Uint32Array;
  readonly #sizes: Float64Array;
  readonly #scalars: Float32Array;
  readonly #bases: Float32Array;
  readonly #extended: Float32Array;
  /** Bits of the kinds of blocks as a part of which a type was checked. */
  readonly #done: Uint8Array;

  constructor(validation: Validation, decorations: Decorations) {
    this.#validation = validation;
    this.#decorations = decorations;
    const { opcodes, results, count } = validation.module;
    let end = 0;
    while (end < count && opcodes[end] !== FUNCTION) end++;
    this.#places = new Uint32Array(end);
    let types = 1;
    for (let at = 0; at < end; at++) if (validation.isType(results[at] ?? 0)) this.#places[at] = types++;
    this.#sizes = new Float64Array(types);
    this.#scalars = new Float32Array(types);
    this.#bases = new Float32Array(types);
    this.#extended = new Float32Array(types);
    this.#done = new Uint8Array(types);
    for (let at = 0; at < end; at++) if (this.#places[at] !== 0) this.#add(at);
  }

  of(type: number): Needs {
    const place = this.#places[this.#validation.definition(type)] ?? 0;
    const scalar = this.#scalars[place] ?? 0;
    if (scalar === 0) return NOTHING;
    return {
      size: this.#sizes[place] ?? 0,
      scalar,
      base: this.#bases[place] ?? 0,
      extended: this.#extended[place] ?? 0,
    };
  }

  /** A matrix takes the vectors and the stride that its member says. */
  #member(struct: number, member: number, type: number): Needs {
    const v = this.#validation;
    if (!v.isMatrix(type)) return this.of(type);
    const isRow = this.#decorations.has(struct, "RowMajor", member);
    const columns = v.word(v.definition(type), 3);
    const vector = v.word(v.definition(type), 2);
    const rows = v.components(vector);
    const stride = this.#decorations.value(struct, "MatrixStride", member) ?? 0;
    const lengths = isRow ? rows : columns;
    const { scalar } = this.of(v.component(vector));
    const base = scalar * (isRow ? (columns === 2 ? 2 : 4) : rows === 2 ? 2 : 4);
    return {
      size: stride === 0 ? 0 : stride * (lengths - 1) + (isRow ? columns : rows) * scalar,
      scalar,
      base,
      extended: roundUp(base, LARGE),
    };
  }

  #add(at: number): void {
    const v = this.#validation;
    const id = v.module.results[at] ?? 0;
    const opcode = v.module.opcodes[at];
    let needs = NOTHING;
    if (opcode === INT || opcode === FLOAT) {
      const bytes = v.word(at, 2) / 8;
      needs = { size: bytes, scalar: bytes, base: bytes, extended: bytes };
    } else if (opcode === POINTER)
      needs = { size: ADDRESS_BYTES, scalar: ADDRESS_BYTES, base: ADDRESS_BYTES, extended: ADDRESS_BYTES };
    else if (opcode === VECTOR) {
      const { size, scalar } = this.of(v.word(at, 2));
      const count = v.word(at, 3);
      const base = scalar * (count === 3 ? 4 : count);
      needs = { size: size * count, scalar, base, extended: base };
    } else if (opcode === MATRIX) {
      const column = this.of(v.word(at, 2));
      needs = { ...column, size: column.size * v.word(at, 3), extended: roundUp(column.base, LARGE) };
    } else if (opcode === ARRAY || opcode === RUNTIME_ARRAY) {
      const element = this.of(v.word(at, 2));
      const stride = this.#decorations.value(id, "ArrayStride") ?? element.size;
      const count = opcode === ARRAY ? (partCount(v, id) ?? 1) : 0;
      needs = {
        ...element,
        size: count === 0 ? 0 : (count - 1) * stride + element.size,
        extended: roundUp(element.base, LARGE),
      };
    } else if (opcode === STRUCT) needs = this.#struct(at, id);
    if (needs === NOTHING) return;
    const place = this.#places[at] ?? 0;
    this.#sizes[place] = needs.size;
    this.#scalars[place] = needs.scalar;
    this.#bases[place] = needs.base;
    this.#extended[place] = needs.extended;
  }

  #struct(at: number, id: number): Needs {
    const v = this.#validation;
    let [size, scalar, base] = [0, 1, 1];
    for (let word = 2; word < v.size(at); word++) {
      const needs = this.#member(id, word - 2, v.word(at, word));
      size = Math.max(size, (this.#decorations.value(id, "Offset", word - 2) ?? 0) + needs.size);
      scalar = Math.max(scalar, needs.scalar);
      base = Math.max(base, needs.base);
    }
    return { size, scalar, base, extended: roundUp(base, LARGE) };
  }

  /** Structures and arrays from a type down, each once. */
  check(first: number, isUniformBlock: boolean): void {
    const v = this.#validation;
    const bit = isUniformBlock ? 1 : 2;
    const open: number[] = [];
    const note = (type: number): void => {
      const place = this.#places[v.definition(type)] ?? 0;
      if (((this.#done[place] ?? 0) & bit) !== 0) return;
      this.#done[place] = (this.#done[place] ?? 0) | bit;
      open.push(type);
    };
    note(first);
    for (let type = open.pop(); type !== undefined && !v.isFull; type = open.pop()) {
      const at = v.definition(type);
      const opcode = v.module.opcodes[at];
      if (opcode === STRUCT) {
        this.#checkStruct(at, type, isUniformBlock);
        for (let word = 2; word < v.size(at); word++) note(v.word(at, word));
      } else if (opcode === ARRAY || opcode === RUNTIME_ARRAY) {
        this.#checkArray(at, type, isUniformBlock);
        note(v.word(at, 2));
      }
    }
  }

  #alignment(needs: Needs, isUniformBlock: boolean): number {
    if (this.#validation.blockLayout === "scalar") return needs.scalar;
    return isUniformBlock ? needs.extended : needs.base;
  }

  #checkArray(at: number, id: number, isUniformBlock: boolean): void {
    const v = this.#validation;
    const stride = this.#decorations.value(id, "ArrayStride");
    const element = this.of(v.word(at, 2));
    // Nothing is known of what is opaque.
    if (element === NOTHING) return;
    if (stride === null) v.fail(at, "layout-array-stride", "an array in a block has no ArrayStride", 1);
    else if (stride === 0) v.fail(at, "layout-stride-zero", "an array in a block has the ArrayStride 0", 1);
    else {
      const alignment = this.#alignment(this.of(id), isUniformBlock);
      if (stride % alignment !== 0)
        v.fail(at, "layout-stride-alignment", `the ArrayStride ${stride} is no multiple of ${alignment}`, 1);
      else if (stride < element.size)
        v.fail(
          at,
          "layout-stride-size",
          `the ArrayStride ${stride} is less than an element, which has ${element.size} bytes`,
          1,
        );
    }
  }

  #checkStruct(at: number, id: number, isUniformBlock: boolean): void {
    const v = this.#validation;
    const offsets = new Uint32Array(v.size(at) - 2);
    for (let word = 2; word < v.size(at) && !v.isFull; word++) {
      const member = word - 2;
      const type = v.word(at, word);
      const offset = this.#decorations.value(id, "Offset", member);
      if (offset === null) {
        v.fail(at, "layout-offset", `the member ${member} of a structure in a block has no Offset`, word);
        return;
      }
      const needs = this.#member(id, member, type);
      this.#checkMatrix(at, id, member, isUniformBlock);
      this.#checkOffset(at, word, offset, type, needs, isUniformBlock);
      offsets[member] = offset;
    }
    this.#checkOverlaps(at, id, offsets, isUniformBlock);
  }

  /** Members in the order of their offsets: each ends before the next one. */
  #checkOverlaps(at: number, id: number, offsets: Uint32Array, isUniformBlock: boolean): void {
    const v = this.#validation;
    const order = offsets.map((_, member) => member);
    order.sort((a, b) => (offsets[a] ?? 0) - (offsets[b] ?? 0) || a - b);
    for (let index = 1; index < order.length && !v.isFull; index++) {
      const [before = 0, here = 0] = [order[index - 1], order[index]];
      const [begin = 0, offset = 0] = [offsets[before], offsets[here]];
      const type = v.word(at, 2 + before);
      const needs = this.#member(id, before, type);
      let end = begin + needs.size;
      const isPadded = v.blockLayout !== "scalar" && (v.op(type) === STRUCT || v.op(type) === ARRAY);
      if (offset < end)
        v.fail(at, "layout-overlap", `the member ${here} at ${offset} overlaps the member ${before}`, 2 + here);
      if (isPadded) end = begin + roundUp(needs.size, this.#alignment(needs, isUniformBlock));
      if (offset < end)
        v.fail(
          at,
          "layout-padding",
          `the member ${here} at ${offset} is in the padding of the member ${before}`,
          2 + here,
        );
    }
  }

  #checkOffset(at: number, word: number, offset: number, type: number, needs: Needs, isUniformBlock: boolean): void {
    const v = this.#validation;
    const isVector = v.isVector(type);
    const isRelaxed = v.blockLayout === "relaxed" && isVector;
    const alignment = isRelaxed ? needs.scalar : this.#alignment(needs, isUniformBlock);
    if (offset % alignment !== 0)
      v.fail(
        at,
        "layout-offset-alignment",
        `the member ${word - 2} is at ${offset}, which is no multiple of ${alignment}`,
        word,
      );
    const isLarge = needs.size > LARGE;
    const straddles = isLarge
      ? offset % LARGE !== 0
      : Math.floor(offset / LARGE) !== Math.floor((offset + needs.size - 1) / LARGE);
    if (isRelaxed && straddles)
      v.fail(at, "layout-straddle", `the vector of the member ${word - 2} crosses a border of 16 bytes`, word);
  }

  #checkMatrix(at: number, id: number, member: number, isUniformBlock: boolean): void {
    const v = this.#validation;
    let type = v.word(at, 2 + member);
    // Types are declared before their use, so this walk ends.
    for (let one = v.op(type); one === ARRAY || one === RUNTIME_ARRAY; one = v.op(type))
      type = v.word(v.definition(type), 2);
    if (!v.isMatrix(type)) return;
    const stride = this.#decorations.value(id, "MatrixStride", member);
    const isRow = this.#decorations.has(id, "RowMajor", member);
    const isColumn = this.#decorations.has(id, "ColMajor", member);
    const column = this.of(v.word(v.definition(type), 2));
    if (isRow && isColumn)
      v.fail(at, "layout-matrix-both", `the matrix of the member ${member} has both RowMajor and ColMajor`, 2 + member);
    else if (!isRow && !isColumn)
      v.fail(
        at,
        "layout-matrix-order",
        `the matrix of the member ${member} has neither RowMajor nor ColMajor`,
        2 + member,
      );
    else if (stride === null)
      v.fail(at, "layout-matrix-stride", `the matrix of the member ${member} has no MatrixStride`, 2 + member);
    else {
      const width =
        v.blockLayout === "scalar"
          ? column.scalar
          : this.#member(id, member, type)[isUniformBlock ? "extended" : "base"];
      if (stride === 0 || stride % width !== 0)
        v.fail(at, "layout-matrix-alignment", `the MatrixStride ${stride} is no multiple of ${width}`, 2 + member);
    }
  }
}

/** Blocks of buffers and push constants. */
export function checkExplicitLayout(validation: Validation): void {
  if (!validation.isShader) return;
  const { opcodes, results, count } = validation.module;
  const { decorations } = validation;
  const layout = new Layout(validation, decorations);
  for (let at = 0; at < count && opcodes[at] !== FUNCTION && !validation.isFull; at++) {
    const isPointer = opcodes[at] === POINTER;
    if (opcodes[at] !== VARIABLE && !isPointer) continue;
    const pointer = isPointer ? (results[at] ?? 0) : validation.word(at, 1);
    const storage = validation.storageClass(pointer);
    if (!BUFFERS.has(storage) || (isPointer && storage !== PHYSICAL)) continue;
    let type = validation.pointee(pointer);
    // An array of blocks is one descriptor for each element.
    if (validation.op(type) === ARRAY || validation.op(type) === RUNTIME_ARRAY)
      type = validation.word(validation.definition(type), 2);
    if (validation.op(type) !== STRUCT) continue;
    const isBlock = decorations.has(type, "Block");
    if (isBlock || decorations.has(type, "BufferBlock")) layout.check(type, storage === UNIFORM && isBlock);
  }
}
const PHYSICAL = enumerant("StorageClass", "PhysicalStorageBuffer");
