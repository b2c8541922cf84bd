// SPDX-License-Identifier: Apache-2.0
// WebAssembly as text: the function bodies of a module, one instruction a line, indented by blocks. Reads the sections
// for types, imports, names and code (core specification 2.0, chapter 5).
import type { TraceLine } from "../engine/protocol.ts";
import { INSTRUCTIONS } from "./instructions.table.ts";

const VALUE_TYPES: Readonly<Record<number, string>> = {
  0x7f: "i32",
  0x7e: "i64",
  0x7d: "f32",
  0x7c: "f64",
  0x7b: "v128",
  0x70: "funcref",
  0x6f: "externref",
};

/** Reads bytes in order. */
class Reader {
  at: number;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array, at: number = 0) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
  }

  get isDone(): boolean {
    return this.at >= this.#bytes.length;
  }

  u8(): number {
    return this.#bytes[this.at++] ?? 0;
  }

  u32(): number {
    return Number(this.#leb() & 0xffffffffn);
  }

  signed(bits: number): bigint {
    return BigInt.asIntN(bits, this.#leb(true));
  }

  f32(): number {
    this.at += 4;
    return this.#view.getFloat32(this.at - 4, true);
  }

  f64(): number {
    this.at += 8;
    return this.#view.getFloat64(this.at - 8, true);
  }

  take(count: number): Uint8Array {
    this.at += count;
    return this.#bytes.subarray(this.at - count, this.at);
  }

  name(): string {
    return new TextDecoder().decode(this.take(this.u32()).slice());
  }

  #leb(isSigned: boolean = false): bigint {
    let value = 0n;
    let shift = 0n;
    for (;;) {
      const byte = this.u8();
      value |= BigInt(byte & 0x7f) << shift;
      shift += 7n;
      if (byte < 0x80) return isSigned && (byte & 0x40) !== 0 ? value - (1n << shift) : value;
    }
  }
}

interface Sections {
  readonly types: readonly string[];
  /** Types of functions, imported ones first. */
  readonly functions: number[];
  readonly names: Map<number, string>;
  readonly bodies: { readonly from: number; readonly to: number }[];
  imported: number;
}

function readTypes(reader: Reader): readonly string[] {
  return Array.from({ length: reader.u32() }, () => {
    reader.u8();
    const list = (): string => Array.from({ length: reader.u32() }, () => VALUE_TYPES[reader.u8()] ?? "?").join(" ");
    const parameters = list();
    const results = list();
    return `${parameters === "" ? "" : ` (param ${parameters})`}${results === "" ? "" : ` (result ${results})`}`;
  });
}

function skipLimits(reader: Reader): void {
  const flags = reader.u8();
  reader.u32();
  if ((flags & 1) !== 0) reader.u32();
}

function readImports(reader: Reader, into: Sections): void {
  for (let count = reader.u32(); count > 0; count--) {
    reader.name();
    const name = reader.name();
    const kind = reader.u8();
    if (kind === 0) {
      into.names.set(into.functions.length, name);
      into.functions.push(reader.u32());
      into.imported++;
    } else if (kind === 1) {
      reader.u8();
      skipLimits(reader);
    } else if (kind === 2) skipLimits(reader);
    else reader.take(2);
  }
}

function readNames(reader: Reader, end: number, names: Map<number, string>): void {
  if (reader.name() !== "name") return;
  while (reader.at < end) {
    const kind = reader.u8();
    const size = reader.u32();
    const next = reader.at + size;
    if (kind === 1)
      for (let count = reader.u32(); count > 0; count--) {
        const index = reader.u32();
        names.set(index, reader.name());
      }
    reader.at = next;
  }
}

function readSections(bytes: Uint8Array): Sections {
  const reader = new Reader(bytes, 8);
  let types: readonly string[] = [];
  const rest: Omit<Sections, "types"> = { functions: [], names: new Map(), bodies: [], imported: 0 };
  while (!reader.isDone) {
    const id = reader.u8();
    const size = reader.u32();
    const end = reader.at + size;
    if (id === 0) readNames(reader, end, rest.names);
    else if (id === 1) types = readTypes(reader);
    else if (id === 2) {
      const into = { types, ...rest };
      readImports(reader, into);
      rest.imported = into.imported;
    } else if (id === 3) for (let n = reader.u32(); n > 0; n--) rest.functions.push(reader.u32());
    else if (id === 10)
      for (let n = reader.u32(); n > 0; n--) {
        const length = reader.u32();
        rest.bodies.push({ from: reader.at, to: reader.at + length });
        reader.at += length;
      }
    reader.at = end;
  }
  return { types, ...rest };
}

/** An instruction's number and name. */
function readOpcode(reader: Reader): string {
  const first = reader.u8();
  const prefixed = first >= 0xfc ? INSTRUCTIONS[first] : undefined;
  if (prefixed === undefined) return INSTRUCTIONS[0]?.get(first) ?? `0x${first.toString(16)}`;
  const number = reader.u32();
  return prefixed.get(number) ?? `0x${first.toString(16)} 0x${number.toString(16)}`;
}

function memory(reader: Reader): string {
  reader.u32();
  const offset = reader.u32();
  return offset === 0 ? "" : ` offset=${offset}`;
}

function vectorConstant(reader: Reader): string {
  const bytes = reader.take(16);
  const view = new DataView(bytes.buffer, bytes.byteOffset, 16);
  return ` i32x4 ${[0, 4, 8, 12].map((at) => `0x${view.getUint32(at, true).toString(16).padStart(8, "0")}`).join(" ")}`;
}

/** How the rest of some instructions is read, by the name's pattern; the first that fits. */
const IMMEDIATES: readonly (readonly [RegExp, (reader: Reader, sections: Sections) => string])[] = [
  [
    /^(block|loop|if)$/,
    (reader) => {
      const type = reader.u8();
      return type === 0x40 ? "" : ` (result ${VALUE_TYPES[type] ?? type})`;
    },
  ],
  [/^br_table$/, (reader) => ` ${Array.from({ length: reader.u32() + 1 }, () => reader.u32()).join(" ")}`],
  [
    /^call$/,
    (reader, { names }) => {
      const index = reader.u32();
      return ` $${names.get(index) ?? index}`;
    },
  ],
  [/^call_indirect$/, (reader) => ` (type ${reader.u32()}) ${reader.u32()}`],
  [/^(br|br_if|local\.\w+|global\.\w+|table\.\w+)$/, (reader) => ` ${reader.u32()}`],
  [/^i32\.const$/, (reader) => ` ${reader.signed(32)}`],
  [/^i64\.const$/, (reader) => ` ${reader.signed(64)}`],
  [/^f32\.const$/, (reader) => ` ${reader.f32()}`],
  [/^f64\.const$/, (reader) => ` ${reader.f64()}`],
  [/^v128\.const$/, vectorConstant],
  [/^i8x16\.shuffle$/, (reader) => ` ${[...reader.take(16)].join(" ")}`],
  [/^v128\.(load|store)\d+_lane$/, (reader) => `${memory(reader)} ${reader.u8()}`],
  [/(extract|replace)_lane/, (reader) => ` ${reader.u8()}`],
  [/^atomic\.fence$|^memory\.(size|grow|fill)$/, (reader) => (reader.u8() === 0 ? "" : " ?")],
  [/^memory\.copy$/, (reader) => (reader.take(2).length === 2 ? "" : " ?")],
  [/\.atomic\.|\.load|\.store/, memory],
];

/** Code from an offset in a function's body on, up to the next, comes from a line of the source; 0: from none. */
export interface CodeLine {
  readonly offset: number;
  readonly line: number;
}

function bodyLines(
  bytes: Uint8Array,
  index: number,
  sections: Sections,
  lines: readonly CodeLine[],
  into: TraceLine[],
): void {
  const body = sections.bodies[index];
  if (body === undefined) return;
  const number = sections.imported + index;
  const name = sections.names.get(number) ?? String(number);
  const push = (text: string, line: number = 0): number => into.push({ text, line });
  push(`(func $${name}${sections.types[sections.functions[number] ?? 0] ?? ""}`);
  const reader = new Reader(bytes, body.from);
  for (let groups = reader.u32(); groups > 0; groups--) {
    const count = reader.u32();
    const type = VALUE_TYPES[reader.u8()] ?? "?";
    push(`  (local ${count === 1 ? type : `${type} × ${count}`})`);
  }
  let depth = 1;
  let known = 0;
  while (reader.at < body.to) {
    const offset = reader.at - body.from;
    while ((lines[known]?.offset ?? Infinity) <= offset) known++;
    const opcode = readOpcode(reader);
    if (opcode === "end" || opcode === "else") depth--;
    if (depth === 0) break;
    const rest = IMMEDIATES.find(([pattern]) => pattern.test(opcode))?.[1](reader, sections) ?? "";
    push(`${"  ".repeat(depth)}${opcode}${rest}`, lines[known - 1]?.line);
    if (/^(block|loop|if|else)$/.test(opcode)) depth++;
  }
  push(")");
}

/** The functions of a module as lines; `lines` has the lines of the source, by function. */
export function wasmText(bytes: Uint8Array, lines: readonly (readonly CodeLine[])[]): readonly TraceLine[] {
  const sections = readSections(bytes);
  const text: TraceLine[] = [];
  for (const index of sections.bodies.keys()) bodyLines(bytes, index, sections, lines[index] ?? [], text);
  return text;
}
