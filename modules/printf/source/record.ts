// SPDX-License-Identifier: Apache-2.0
// Printf records: a header and the values of one call, as generated code writes them and runtimes read them.
import { PRINTF_HEADER_BYTES } from "@muxkit/kernel-abi";

import { type PrintfPiece, parsePrintfFormat } from "./format.ts";
import { type PrintfValue, renderPrintf } from "./render.ts";

/** Description of a call of printf for the runtime. @public */
export interface PrintfDescription {
  /** Format, a byte string. */
  readonly format: string;
  /**
   * Types of the values: OpenCL names (`int`, `float4`), `string` for an index into the strings, `pointer` for an
   * address of 64 bits.
   */
  readonly types: readonly string[];
  /** String literals, which values refer to by index. */
  readonly strings: readonly string[];
}

const ELEMENT_BYTES: Readonly<Record<string, number>> = {
  char: 1,
  uchar: 1,
  short: 2,
  ushort: 2,
  int: 4,
  uint: 4,
  long: 8,
  ulong: 8,
  float: 4,
  double: 8,
  string: 4,
  pointer: 8,
};

/** Element type and lanes of a type's name; an unknown name has no element type. */
function split(type: string): { readonly element: string; readonly lanes: number; readonly bytes: number } {
  const [, element = "", lanes = ""] = /^([a-z]+)(\d*)$/u.exec(type) ?? [];
  return { element, lanes: lanes === "" ? 1 : Number(lanes), bytes: ELEMENT_BYTES[element] ?? 0 };
}

/**
 * Where values lie behind the header, in bytes, and the size of the whole record: each at a multiple of 4, of 8 where
 * elements have 8 bytes; the record at a multiple of 8.
 *
 * @public
 */
export interface PrintfLayout {
  /** Offset of each value from the record's start. */
  readonly offsets: readonly number[];
  /** Bytes of the record. */
  readonly size: number;
}

/** The layout of a record with values of these types. @public */
export function printfLayout(types: readonly string[]): PrintfLayout {
  const offsets: number[] = [];
  let end = PRINTF_HEADER_BYTES;
  for (const type of types) {
    const { bytes, lanes } = split(type);
    const alignment = bytes === 8 ? 8 : 4;
    end = Math.ceil(end / alignment) * alignment;
    offsets.push(end);
    end += bytes * lanes;
  }
  return { offsets, size: Math.ceil(end / 8) * 8 };
}

function readElement(
  view: DataView,
  element: string,
  offset: number,
  strings: readonly string[],
): bigint | number | string {
  switch (element) {
    case "char":
    case "uchar":
      return BigInt(view.getUint8(offset));
    case "short":
    case "ushort":
      return BigInt(view.getUint16(offset, true));
    case "int":
    case "uint":
      return BigInt(view.getInt32(offset, true));
    case "float":
      return view.getFloat32(offset, true);
    case "double":
      return view.getFloat64(offset, true);
    case "string":
      return stringAt(strings, view.getUint32(offset, true));
    default:
      return view.getBigInt64(offset, true);
  }
}

/** Bits of a string's number in a record; the others are an offset in the string. @public */
export const STRING_NUMBER_BITS = 12;

/** A string of a record, from the offset to its NUL or its end. */
function stringAt(strings: readonly string[], word: number): string {
  const text = strings[word & ((1 << STRING_NUMBER_BITS) - 1)];
  if (text === undefined) return "(null)";
  const offset = word >>> STRING_NUMBER_BITS;
  const end = text.indexOf("\0", offset);
  return text.slice(offset, end < 0 ? text.length : end);
}

/** A call of printf as an executable describes it. @public */
export interface PrintfCallDescription {
  /** Format string. */
  readonly format: string;
  /** Type of each value in a printf record. */
  readonly argumentTypes: readonly string[];
  /** Constant strings that `%s` arguments index. */
  readonly strings: readonly string[];
}

/** Readers of the calls of an executable, by number. @public */
export function printfReaders(calls: readonly PrintfCallDescription[]): readonly PrintfReader[] {
  return calls.map(({ format, argumentTypes, strings }) => new PrintfReader({ format, types: argumentTypes, strings }));
}

/** A reader of the records of one call. The format is read once. @public */
export class PrintfReader {
  private readonly pieces: readonly PrintfPiece[];
  private readonly description: PrintfDescription;
  private readonly layout: PrintfLayout;

  /** For a description whose format was checked at compile time; a format that cannot be parsed is printed as it is. */
  constructor(description: PrintfDescription) {
    this.description = description;
    this.layout = printfLayout(description.types);
    const parsed = parsePrintfFormat(description.format);
    this.pieces = parsed.ok ? parsed.value : [{ kind: "text", text: description.format }];
  }

  /** Bytes of a record. */
  get size(): number {
    return this.layout.size;
  }

  /** The output of the record at a byte offset, a byte string. The view must contain all of it. */
  read(view: DataView, start: number): string {
    const { types, strings } = this.description;
    const values = types.map((type, i): PrintfValue => {
      const { element, lanes, bytes } = split(type);
      const offset = start + (this.layout.offsets[i] ?? 0);
      if (lanes === 1) return readElement(view, element, offset, strings);
      return Array.from({ length: lanes }, (_, lane) => {
        const value = readElement(view, element, offset + lane * bytes, strings);
        return typeof value === "string" ? 0 : value;
      });
    });
    return renderPrintf(this.pieces, values);
  }
}
