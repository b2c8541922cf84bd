// SPDX-License-Identifier: Apache-2.0
// Copies and fills of bytes: short ones of a known size access by access, the others by a loop.
import type { Code } from "./code.ts";
import type { Address } from "./memory.ts";

/** Bytes up to which no loop is written. */
const MOST_UNROLLED = 256;

/** Accesses of one register, widest first. */
const UNITS = [8, 4, 2, 1] as const;

type Unit = (typeof UNITS)[number];

function typeOf(unit: Unit): string {
  return unit < 4 ? `u${8 * unit}` : `b${8 * unit}`;
}

function place({ base, offset }: Address, more: number): string {
  return `[${base}+${offset + more}]`;
}

/** Calls `write` for each unit of a block of bytes. */
function eachUnit(bytes: number, alignment: number, write: (offset: number, unit: Unit) => void): void {
  for (let offset = 0; offset < bytes;) {
    const unit = UNITS.find((one) => one <= alignment && offset % one === 0 && offset + one <= bytes) ?? 1;
    write(offset, unit);
    offset += unit;
  }
}

function loadStore(space: string, access: "ld" | "st"): string {
  return `${access}${space}`;
}

/** A loop over the bytes of blocks: `write` gets the registers of the addresses. */
function byteLoop(
  code: Code,
  starts: readonly Address[],
  bytes: string,
  write: (places: readonly string[]) => void,
): void {
  const [again, done] = [code.newLabel("bytes"), code.newLabel("bytes_done")];
  const pointers = starts.map(({ base, offset, space }) => {
    const own = code.into("b64", "mov.b64", base);
    const start = space === ".param" ? code.into("b64", "cvta.param.u64", own) : own;
    return code.into("b64", "add.s64", start, String(offset));
  });
  const left = code.into("b64", "mov.b64", bytes);
  code.label(again);
  code.emit(`@${code.into("pred", "setp.eq.u64", left, "0")} bra`, done);
  write(pointers);
  for (const pointer of pointers) code.emit("add.s64", pointer, pointer, "1");
  code.emit("sub.s64", left, left, "1");
  code.emit("bra", again);
  code.label(done);
}

/** Copies bytes: a known number, or the number in a register of 64 bits. The ranges do not overlap, or are equal. */
export function copyBytes(code: Code, to: Address, from: Address, bytes: number | string, alignment: number): void {
  if (typeof bytes === "number" && bytes <= MOST_UNROLLED) {
    eachUnit(bytes, alignment, (offset, unit) => {
      const value = code.into(
        unit === 8 ? "b64" : "b32",
        `${loadStore(from.space, "ld")}.${typeOf(unit)}`,
        place(from, offset),
      );
      code.emit(`${loadStore(to.space, "st")}.${typeOf(unit)}`, place(to, offset), value);
    });
    return;
  }
  byteLoop(code, [to, from], String(bytes), ([target, source]) => {
    const space = from.space === ".param" ? "" : from.space;
    const byte = code.into("b32", `ld${space}.u8`, `[${source as string}]`);
    code.emit(`st${to.space}.u8`, `[${target as string}]`, byte);
  });
}

/** Fills bytes with one. */
export function fillBytes(code: Code, to: Address, byte: string, bytes: number | string): void {
  byteLoop(code, [to], String(bytes), ([target]) => {
    code.emit(`st${to.space}.u8`, `[${target as string}]`, byte);
  });
}

/** Zeros for a variable, which is aligned to 8 bytes. */
export function zeroBytes(code: Code, to: Address, bytes: number): void {
  if (bytes <= MOST_UNROLLED) {
    eachUnit(bytes, 8, (offset, unit) => {
      code.emit(`st${to.space}.${typeOf(unit)}`, place(to, offset), "0");
    });
    return;
  }
  fillBytes(code, to, "0", bytes);
}
