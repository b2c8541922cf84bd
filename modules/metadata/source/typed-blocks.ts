// SPDX-License-Identifier: Apache-2.0
// Named blocks of typed values, for metadata of targets and tools: data in MessagePack (https://msgpack.org), checked
// while it is read. Writer and reader are recursive over values, to a fixed depth; integers take the shortest encoding,
// so equal values have equal bytes.
import { type Result, ByteReader, ByteWriter, assert, err, ok } from "@muxkit/cargo";

import { type MetadataError, metadataError } from "./error.ts";

/** Key of a table. @public */
export type TypedKey = string | bigint;

/**
 * A value with its type. `uint` is 0 … 2^64 - 1, `sint` is -2^63 … 2^63 - 1, `real` a binary64.
 *
 * @public
 */
export type TypedValue =
  | { readonly type: "uint" | "sint"; readonly value: bigint }
  | { readonly type: "real"; readonly value: number }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "bytes"; readonly value: Uint8Array }
  | { readonly type: "array"; readonly value: readonly TypedValue[] }
  | { readonly type: "table"; readonly value: ReadonlyMap<TypedKey, TypedValue> };

/** A named block: a list of values, or bytes in a format of its own. @public */
export type MetadataBlock =
  | { readonly name: string; readonly format: "values"; readonly values: readonly TypedValue[] }
  | { readonly name: string; readonly format: "raw"; readonly bytes: Uint8Array };

const MAGIC = 0x424d_584d;
const VERSION = 1;
const FORMATS: readonly MetadataBlock["format"][] = ["raw", "values"];
/** Writer and reader refuse deeper values, so that no stack overflows. */
const MOST_DEPTH = 64;

/** The bytes of blocks. Names are unique. @public */
export function writeBlocks(blocks: readonly MetadataBlock[]): Uint8Array<ArrayBuffer> {
  assert(new Set(blocks.map((b) => b.name)).size === blocks.length, "two blocks have one name");
  const writer = new ByteWriter();
  writer.u32(MAGIC);
  writer.u8(VERSION);
  writer.varU32(blocks.length);
  for (const block of blocks) {
    writer.text(block.name);
    writer.u8(FORMATS.indexOf(block.format));
    if (block.format === "raw") {
      writer.block(block.bytes);
      continue;
    }
    const values = new ByteWriter();
    for (const value of block.values) putValue(values, value, 0);
    writer.block(values.finish());
  }
  return writer.finish();
}

/** Reads blocks. Errors: `foreign`, `wrong_version`, `damaged`. @public */
export function readBlocks(bytes: Uint8Array): Result<readonly MetadataBlock[], MetadataError> {
  const reader = new ByteReader(bytes);
  if (reader.u32() !== MAGIC) return err(metadataError("foreign", 0, "these are no metadata blocks"));
  const version = reader.u8();
  if (reader.error === null && version !== VERSION)
    return err(metadataError("wrong_version", 4, `the blocks have version ${version}, ${VERSION} is known`));
  const count = reader.recordCount(3);
  const blocks: MetadataBlock[] = [];
  const names = new Set<string>();
  for (let i = 0; i < count && reader.error === null; i++) {
    const name = reader.text();
    const format = FORMATS[reader.u8()];
    const content = reader.block();
    if (names.has(name)) reader.fail(`two blocks have the name ${name}`);
    names.add(name);
    if (format === undefined) reader.fail(`block ${name} has an unknown format`);
    else if (format === "raw") blocks.push({ name, format, bytes: content });
    else {
      const start = reader.offset - content.length;
      const inner = new ByteReader(content);
      const values: TypedValue[] = [];
      while (inner.remaining > 0 && inner.error === null) values.push(takeValue(inner, 0));
      if (inner.error !== null)
        return err(metadataError("damaged", start + inner.error.offset, `block ${name}: ${inner.error.message}`));
      blocks.push({ name, format, values });
    }
  }
  if (reader.error === null && reader.remaining > 0) reader.fail(`${reader.remaining} bytes are left over`);
  return reader.error === null ? ok(blocks) : err(metadataError("damaged", reader.error.offset, reader.error.message));
}

/** MessagePack is big-endian. */
function putBig(writer: ByteWriter, code: number, value: bigint, bytes: number): void {
  writer.u8(code);
  for (let i = bytes - 1; i >= 0; i--) writer.u8(Number(BigInt.asUintN(8, value >> BigInt(8 * i))));
}

function takeBig(reader: ByteReader, bytes: number): bigint {
  let value = 0n;
  for (const byte of reader.raw(bytes)) value = (value << 8n) | BigInt(byte);
  return value;
}

/** The smallest of 1, 2, 4, 8 bytes, as its exponent of two. */
function widthOf(value: bigint, fits: (bits: number, value: bigint) => boolean): number {
  const exponent = [8, 16, 32, 64].findIndex((bits) => fits(bits, value));
  assert(exponent >= 0, () => `${value} does not fit into 64 bits`);
  return exponent;
}

const fitsUnsigned = (bits: number, value: bigint): boolean => BigInt.asUintN(bits, value) === value;
const fitsSigned = (bits: number, value: bigint): boolean => BigInt.asIntN(bits, value) === value;

function putUint(writer: ByteWriter, value: bigint): void {
  if (value >= 0n && value < 128n) return writer.u8(Number(value));
  const exponent = widthOf(value, fitsUnsigned);
  return putBig(writer, 0xcc + exponent, value, 1 << exponent);
}

function putSint(writer: ByteWriter, value: bigint): void {
  if (value < 0n && value >= -32n) return writer.u8(Number(value) & 0xff);
  const exponent = widthOf(value, fitsSigned);
  return putBig(writer, 0xd0 + exponent, value, 1 << exponent);
}

/** Lengths: up to `short` in the code itself, else 8 bits (where `first` has them), 16, 32. */
function putLength(writer: ByteWriter, length: number, fix: number, short: number, first: number, has8: boolean): void {
  assert(length < 2 ** 32, () => `a length of ${length}`);
  if (length <= short) return writer.u8(fix | length);
  const exponent = Math.max(widthOf(BigInt(length), fitsUnsigned), has8 ? 0 : 1);
  return putBig(writer, first + exponent - (has8 ? 0 : 1), BigInt(length), 1 << exponent);
}

function putString(writer: ByteWriter, value: string): void {
  const bytes = new TextEncoder().encode(value);
  putLength(writer, bytes.length, 0xa0, 31, 0xd9, true);
  writer.raw(bytes);
}

function putKey(writer: ByteWriter, key: TypedKey): void {
  if (typeof key === "string") putString(writer, key);
  else if (key < 0n) putSint(writer, key);
  else putUint(writer, key);
}

function putReal(writer: ByteWriter, value: number): void {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  putBig(writer, 0xcb, view.getBigUint64(0), 8);
}

function putValue(writer: ByteWriter, item: TypedValue, depth: number): void {
  assert(depth < MOST_DEPTH, () => `values are nested ${depth} deep`);
  switch (item.type) {
    case "uint":
      return putUint(writer, item.value);
    case "sint":
      return putSint(writer, item.value);
    case "real":
      return putReal(writer, item.value);
    case "string":
      return putString(writer, item.value);
    case "bytes":
      putLength(writer, item.value.length, 0, -1, 0xc4, true);
      return writer.raw(item.value);
    case "array":
      putLength(writer, item.value.length, 0x90, 15, 0xdc, false);
      for (const inner of item.value) putValue(writer, inner, depth + 1);
      return undefined;
    case "table":
      putLength(writer, item.value.size, 0x80, 15, 0xde, false);
      for (const [key, inner] of item.value) {
        putKey(writer, key);
        putValue(writer, inner, depth + 1);
      }
      return undefined;
  }
}

function takeString(reader: ByteReader, length: number): string {
  // A copy: text decoders refuse views of shared memory.
  const bytes = reader.raw(length).slice();
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    reader.fail("a string is no UTF-8");
    return "";
  }
}

function takeArray(reader: ByteReader, count: number, depth: number): TypedValue {
  const value: TypedValue[] = [];
  if (count > reader.remaining) reader.fail(`${count} values do not fit into ${reader.remaining} bytes`);
  for (let i = 0; i < count && reader.error === null; i++) value.push(takeValue(reader, depth + 1));
  return { type: "array", value };
}

function takeTable(reader: ByteReader, count: number, depth: number): TypedValue {
  const value = new Map<TypedKey, TypedValue>();
  if (count * 2 > reader.remaining) reader.fail(`${count} entries do not fit into ${reader.remaining} bytes`);
  for (let i = 0; i < count && reader.error === null; i++) {
    const key = takeValue(reader, depth + 1);
    if (key.type !== "string" && key.type !== "uint" && key.type !== "sint") {
      reader.fail(`a key of type ${key.type}`);
      break;
    }
    if (value.has(key.value)) reader.fail(`two entries have the key ${key.value}`);
    value.set(key.value, takeValue(reader, depth + 1));
  }
  return { type: "table", value };
}

function takeReal(reader: ByteReader, bytes: 4 | 8): TypedValue {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, takeBig(reader, bytes) << BigInt(64 - 8 * bytes));
  return { type: "real", value: bytes === 4 ? view.getFloat32(0) : view.getFloat64(0) };
}

function takeValue(reader: ByteReader, depth: number): TypedValue {
  if (depth >= MOST_DEPTH) reader.fail(`values are nested ${depth} deep`);
  const at = reader.offset;
  const code = reader.u8();
  if (reader.error !== null) return { type: "uint", value: 0n };
  if (code < 0x80) return { type: "uint", value: BigInt(code) };
  if (code >= 0xe0) return { type: "sint", value: BigInt(code - 256) };
  if (code < 0x90) return takeTable(reader, code & 15, depth);
  if (code < 0xa0) return takeArray(reader, code & 15, depth);
  if (code < 0xc0) return { type: "string", value: takeString(reader, code & 31) };
  const length = (first: number): number => Number(takeBig(reader, 1 << (code - first)));
  if (code >= 0xc4 && code <= 0xc6) return { type: "bytes", value: reader.raw(length(0xc4)) };
  if (code === 0xca) return takeReal(reader, 4);
  if (code === 0xcb) return takeReal(reader, 8);
  if (code >= 0xcc && code <= 0xcf) return { type: "uint", value: takeBig(reader, 1 << (code - 0xcc)) };
  if (code >= 0xd0 && code <= 0xd3) {
    const bytes = 1 << (code - 0xd0);
    return { type: "sint", value: BigInt.asIntN(8 * bytes, takeBig(reader, bytes)) };
  }
  if (code >= 0xd9 && code <= 0xdb) return { type: "string", value: takeString(reader, length(0xd9)) };
  if (code === 0xdc || code === 0xdd) return takeArray(reader, length(0xdb), depth);
  if (code === 0xde || code === 0xdf) return takeTable(reader, length(0xdd), depth);
  reader.fail(`0x${code.toString(16)} at ${at} begins no value of a known type`);
  return { type: "uint", value: 0n };
}
