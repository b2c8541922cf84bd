// SPDX-License-Identifier: Apache-2.0
// From rows of the instruction table to forms; `row.ts` has the notation.
import { InternalError, at } from "@muxkit/cargo";

import { featureBit } from "./feature.table.ts";
import type { Form, InstructionRow, Operand, Place, RegisterClass } from "./row.ts";

const PREFIXES: Readonly<Record<string, number>> = { "66": 1, F3: 2, F2: 3, f3: 2, f2: 3 };
const MAPS: Readonly<Record<string, number>> = { "0F": 1, "0F38": 2, "0F3A": 3 };
const LENGTHS: Readonly<Record<string, number>> = { "128": 0, LIG: 0, LZ: 0, "256": 1, L1: 1, "512": 2 };
const VECTORS: readonly RegisterClass[] = ["x", "y", "z"];
const FIXED: Readonly<Record<string, number>> = { ax: 0, cx: 1, cl: 1, dx: 2, bx: 3, si: 6, di: 7, xmm0: 0 };

const CLASS_BITS: Readonly<Record<RegisterClass, number>> = {
  g8: 8,
  g16: 16,
  g32: 32,
  g64: 64,
  x: 128,
  y: 256,
  z: 512,
  k: 64,
};

/** What one alternative of an encoding says. */
interface Encoding {
  readonly kind: Form["kind"];
  readonly prefix: number;
  readonly map: number;
  readonly opcode: number;
  readonly suffix: number;
  readonly digit: number;
  readonly hasReg: boolean;
  readonly inOpcode: boolean;
  readonly hasCondition: boolean;
  readonly isLocked: boolean;
  readonly lengths: readonly string[];
  readonly ws: readonly number[];
  readonly sizes: readonly string[];
  readonly tuple: string;
  readonly masking: Form["masking"];
  readonly needs: string | undefined;
}

const TUPLE = /^(?:fvm?|hvm?|qvm|ovm|t1s\d?|t2|t4|m128|none)$/u;

/** A function whose results are kept: rows repeat most of what they say, and all of them are read at start. */
function remembered<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    let value = known.get(text);
    if (value === undefined) {
      value = make(text);
      known.set(text, value);
    }
    return value;
  };
}

const parseTail = remembered((text: string) => {
  const words = text.split(" ");
  const digit = words.find((word) => /^\/[0-7]$/u.test(word));
  return {
    digit: digit === undefined ? -1 : Number(digit.slice(1)),
    hasReg: words.includes("/r"),
    inOpcode: words.includes("+r"),
    hasCondition: words.includes("+cc"),
    tuple: words.find((word) => TUPLE.test(word)) ?? "",
    masking: (words.find((word) => /^(?:k|kz|K)$/u.test(word)) ?? "") as Form["masking"],
    needs: words.find((word) => word.startsWith("avx")),
  };
});

const parseHead = remembered((head: string) => {
  const [kind = "", lengths = "", ...fields] = head.split(".");
  const w = fields.find((field) => field.startsWith("W")) ?? "WIG";
  return {
    kind: kind === "VEX" ? ("VEX" as const) : ("EVEX" as const),
    prefix: fields.map((field) => PREFIXES[field] ?? 0).reduce((a, b) => a + b, 0),
    map: fields.map((field) => MAPS[field] ?? 0).reduce((a, b) => a + b, 0),
    suffix: -1,
    isLocked: false,
    lengths: lengths.split("/"),
    ws: w === "WIG" ? [0] : w.split("/").map((one) => Number(one.slice(1))),
    sizes: [],
  };
});

function parseVector(text: string): Encoding {
  const end = text.indexOf(" ");
  const opcode = Number.parseInt(text.slice(end + 1, end + 3), 16);
  return { ...parseTail(text.slice(end + 4)), ...parseHead(text.slice(0, end)), opcode };
}

function parseLegacy(text: string): Encoding {
  const words = text.split(" ");
  const sizes = at(words, 0);
  const bytes = words.slice(1).filter((word) => /^(?!c[bd]$)[\da-f]{2}$/u.test(word));
  const isLocked = bytes[0] === "f0";
  if (isLocked) bytes.shift();
  let prefix = 0;
  if (bytes.length > 1 && (bytes[0] === "f2" || bytes[0] === "f3" || bytes[0] === "66")) {
    prefix = PREFIXES[at(bytes, 0)] ?? 0;
    bytes.shift();
  }
  let map = bytes[0] === "0f" ? 1 : 0;
  if (map === 1) bytes.shift();
  if (map === 1 && bytes.length > 1 && (bytes[0] === "38" || bytes[0] === "3a")) map = bytes.shift() === "38" ? 2 : 3;
  return {
    ...parseTail(text.slice(sizes.length + 1)),
    kind: "legacy",
    prefix,
    map,
    opcode: Number.parseInt(at(bytes, 0), 16),
    suffix: bytes.length > 1 ? Number.parseInt(at(bytes, 1), 16) : -1,
    isLocked,
    lengths: ["128"],
    ws: [0],
    sizes: sizes.split("/"),
  };
}

/** The class `letter` stands for in a form of `size` bits and vectors of length `length`. */
function registerClass(letter: string, size: number, length: number): RegisterClass {
  if (letter === "g") return `g${size}` as RegisterClass;
  if (letter === "v") return at(VECTORS, length);
  const halvings = { h: 1, q: 2, e: 3 }[letter];
  if (halvings !== undefined) return at(VECTORS, Math.max(0, length - halvings));
  return letter as RegisterClass;
}

function memoryBits(letter: string, register: string | undefined, size: number, length: number): number {
  if (letter !== "m") return Number.parseInt(letter.slice(1), 10);
  const vector = 128 << length;
  const parts: Readonly<Record<string, number>> = { v: vector, h: vector / 2, q: vector / 4, e: vector / 8 };
  if (register === undefined) return size === 0 ? vector : size;
  return parts[register] ?? CLASS_BITS[registerClass(register, size, length)];
}

interface DraftOperand extends Omit<Operand, "place"> {
  place: Place | undefined;
}

function parseOperand(text: string, size: number, length: number): DraftOperand {
  const implied = text.startsWith("(");
  const [role = "", classes = ""] = (implied ? text.slice(1, -1) : text).split(":");
  const draft: DraftOperand = {
    role: role === "i" ? "r" : (role as Operand["role"]),
    register: undefined,
    memoryBits: 0,
    index: undefined,
    immediate: undefined,
    fixed: undefined,
    implied,
    place: undefined,
  };
  if (role === "i") return { ...draft, immediate: classes, place: "immediate" };
  if (classes.startsWith("=")) {
    const name = classes.slice(1);
    const general = size === 64 ? "g64" : "g32";
    const register: RegisterClass = name === "xmm0" ? "x" : name === "cl" ? "g8" : general;
    return { ...draft, register, fixed: FIXED[name], place: "fixed" };
  }
  const [first = "", second] = classes.split("|");
  const vector = /^(m\d+)\((\w)\)$/u.exec(first);
  if (vector !== null) {
    const index = registerClass(at(vector, 2), size, length);
    return { ...draft, memoryBits: memoryBits(at(vector, 1), undefined, size, length), index };
  }
  if (first.startsWith("m")) {
    return { ...draft, memoryBits: role === "a" && first === "m" ? -1 : memoryBits(first, undefined, size, length) };
  }
  const register = registerClass(first, size, length);
  return { ...draft, register, memoryBits: second === undefined ? 0 : memoryBits(second, first, size, length) };
}

/** Gives each operand that is encoded in a field its field. */
function placeOperands(drafts: readonly DraftOperand[], encoding: Encoding): readonly Operand[] {
  const fields = drafts.filter((draft) => draft.place === undefined);
  if (encoding.inOpcode) {
    for (const draft of fields) draft.place = "opcode";
  } else {
    const isFourth = fields.length === 4;
    if (isFourth) at(fields, 3).place = "is4";
    const inFields = isFourth ? fields.slice(0, 3) : fields;
    const inMemory = inFields.findIndex((draft) => draft.memoryBits !== 0);
    const rm = inMemory === -1 ? inFields.length - 1 : inMemory;
    const isStore = inFields.length === 3 && rm === 0;
    const rest: Place[] = encoding.hasReg ? (isStore ? ["vvvv", "reg"] : ["reg", "vvvv"]) : ["vvvv"];
    inFields.forEach((draft, n) => {
      draft.place = n === rm ? "rm" : rest.shift();
    });
  }
  const operands = drafts.map((draft): Operand => {
    const { place } = draft;
    if (place === undefined) throw new InternalError("an operand has no place in its encoding");
    return { ...draft, place };
  });
  if (!encoding.hasCondition) return operands;
  const condition = { role: "r", register: undefined, memoryBits: 0, index: undefined, immediate: undefined } as const;
  return [...operands, { ...condition, fixed: undefined, implied: false, place: "condition" }];
}

/** Binary logarithm of the bytes that a displacement of 8 bits counts, by tuple, length and W. */
function displacementShift(tuple: string, length: number, w: number): number {
  const vector = 4 + length;
  const shifts: Readonly<Record<string, number>> = {
    fv: vector,
    fvm: vector,
    hv: vector - 1,
    hvm: vector - 1,
    qvm: vector - 2,
    ovm: vector - 3,
    t1s: 2 + w,
    t1s1: 0,
    t1s2: 1,
    t1s4: 2,
    t1s8: 3,
    t2: 3,
    t4: 4 + w,
    m128: 4,
  };
  return shifts[tuple] ?? 0;
}

function operandKey(operand: Operand): string {
  if (operand.place === "condition") return "cc";
  if (operand.immediate !== undefined) return operand.immediate;
  const size = operand.memoryBits === -1 ? "" : String(operand.memoryBits);
  const memory = operand.index === undefined ? `m${size}` : `m${size}(${operand.index})`;
  if (operand.register === undefined) return memory;
  const general = /^g(\d+)$/u.exec(operand.register);
  const any = general === null ? operand.register : `r${at(general, 1)}`;
  const register = operand.fixed === undefined ? any : operand.register === "x" ? "xmm0" : "cl";
  return operand.memoryBits === 0 ? register : `${register}/${memory}`;
}

/** The operands of a form, and the classes of those that the text shows, as its key has them. */
interface OperandList {
  readonly operands: readonly Operand[];
  readonly key: string;
}

const OPERAND_LISTS = new Map<string, OperandList>();

/** Forms with equal operands share the list. */
function operandsOf(text: string, size: number, length: number, encoding: Encoding): OperandList {
  const { hasReg, inOpcode, hasCondition } = encoding;
  const known = `${text}|${size}|${length}|${hasReg}|${inOpcode}|${hasCondition}`;
  let list = OPERAND_LISTS.get(known);
  if (list === undefined) {
    const drafts = text === "" ? [] : text.split(" ").map((one) => parseOperand(one, size, length));
    const operands = placeOperands(drafts, encoding);
    const shown = operands.filter((operand) => !operand.implied).map(operandKey);
    list = { operands, key: shown.length === 0 ? "" : ` ${shown.join(", ")}` };
    OPERAND_LISTS.set(known, list);
  }
  return list;
}

function neededBit(name: string): number {
  const bit = featureBit(name);
  if (bit === undefined) throw new InternalError(`the instruction table names no feature "${name}"`);
  return bit;
}

/** The forms of a row; `first` is the number of the first of them. */
export function formsOfRow(row: InstructionRow, first: number): readonly Form[] {
  const [name, encodings, operandText, needs, flags = ""] = row;
  const forms: Form[] = [];
  const usesGeneral = /\bg\b|:=(?!cl)/u.test(operandText);
  encodings.split(" | ").forEach((text, alternative) => {
    const isLegacy = !text.startsWith("VEX.") && !text.startsWith("EVEX.");
    const encoding = isLegacy ? parseLegacy(text) : parseVector(text);
    const sizes = isLegacy ? encoding.sizes : [""];
    for (const lengthText of encoding.lengths) {
      for (const wGiven of encoding.ws) {
        for (const sizeText of sizes) {
          const length = LENGTHS[lengthText] ?? 0;
          const size = isLegacy ? Number(sizeText.replace("d", "")) : usesGeneral ? 32 << wGiven : 0;
          const w = isLegacy ? Number(sizeText === "64") : wGiven;
          const { operands, key } = operandsOf(operandText, size, length, encoding);
          const isEvex = encoding.kind === "EVEX";
          const own = isEvex && alternative > 0 ? (encoding.needs ?? "avx512f") : needs;
          const needsLength = isEvex && (lengthText === "128" || lengthText === "256");
          forms.push({
            id: first + forms.length,
            name,
            key: name + key,
            kind: encoding.kind,
            prefix: size === 16 ? 1 : encoding.prefix,
            map: encoding.map,
            opcode: encoding.opcode,
            suffix: encoding.suffix,
            w,
            length,
            digit: encoding.digit,
            hasModrm: encoding.hasReg || encoding.digit !== -1,
            isLocked: encoding.isLocked,
            size,
            operands,
            displacementShift: displacementShift(encoding.tuple, length, w),
            broadcastBits: encoding.tuple === "fv" || encoding.tuple === "hv" ? 32 << w : 0,
            masking: encoding.masking,
            needs: neededBit(own) | (needsLength ? neededBit("avx512vl") : 0),
            readsFlags: flags.includes("r"),
            writesFlags: flags.includes("w"),
          });
        }
      }
    }
  });
  return forms;
}
