// SPDX-License-Identifier: Apache-2.0
/**
 * How a row of the instruction table is read.
 *
 * A row writes an instruction as the manuals do: its name, its encoding, its operands, the feature that it needs and
 * what it does to the flags. A row stands for several **forms**, which are what is encoded: one for each size of
 * general operands (`16/32/64`), each length of vectors (`VEX.128/256`), each value of W (`W0/W1`), and each encoding
 * after a bar.
 *
 * Encoding
 * - legacy: `[sizes] [f0] [66|f2|f3] [0f [38|3a]] opcode [byte] [+r|+cc] [/r|/0…/7] [ib|iw|id|io|cb|cd]`. Size 16 has
 *   the prefix 66, 64 has REX.W, `d64` is 64 without it.
 * - VEX and EVEX: `VEX.length.pp.map.W opcode /r`; LIG and LZ are encoded as 128, L1 as 256, WIG as 0.
 * - EVEX alone, after that: how displacements of 8 bits are scaled (`fv` full vector, which also says that one element
 *   can be broadcast, `hv` half vector, `fvm`, `hvm`, `qvm`, `ovm` whole, half, quarter and eighth of a vector, `t1s`
 *   one element by W, `t1s1` … `t1s8` one of so many bytes, `t2` 8 bytes, `t4` four elements by W, `m128`, `none`),
 *   whether a mask may merge (`k`), also zero (`kz`) or must be there (`K`), and a feature other than avx512f.
 *
 * Operands: `role:class`, in the order of the text. Roles: `r`, `w`, `rw`, and `a` for an address that is not accessed.
 * Classes: `g` a general register of the row's size, `g8` … `g64`, `v` a vector of the row's length, `h`, `q`, `e` of
 * half, a quarter and an eighth of it, but at least x, `x`, `y`, `z`, `k` a mask, `m` memory as large as the register
 * before it or as the row's size, `m8` … `m256`, `m32(v)` memory with a vector of indices, `=cl`, `=ax` … a fixed
 * register, `i8` unsigned, `s8` signed bits of an immediate, `rel8`, `rel32`. Parentheses: implied, not in the text.
 * `|` alternatives in the r/m field. With `+cc` the condition is one more operand, the last.
 *
 * Which field of the encoding has which operand follows from this: the operand that may be memory, or else the last
 * register, is in r/m; the others are in reg and vvvv, in this order, or in the reverse when r/m is the first of three
 * (stores under masks); with a digit in reg, all others are in vvvv.
 */

/** One instruction: name, encodings, operands, needed feature, flags (`r`, `w`, `rw`). @internal */
export type InstructionRow = readonly [name: string, encoding: string, operands: string, needs: string, flags?: string];

/** Where an operand is encoded. @public */
export type Place = "reg" | "rm" | "vvvv" | "is4" | "opcode" | "immediate" | "condition" | "fixed";

/** A class of registers: general ones by bits, vectors by length, masks. @public */
export type RegisterClass = "g8" | "g16" | "g32" | "g64" | "x" | "y" | "z" | "k";

/** One operand of a form. @public */
export interface Operand {
  /** Read, written, both, or an address that is not accessed. */
  readonly role: "r" | "w" | "rw" | "a";
  /** Which registers it may be; `undefined` for immediates, conditions, and memory alone. */
  readonly register: RegisterClass | undefined;
  /** Bits in memory; 0 when it cannot be memory, -1 for an address of no size. */
  readonly memoryBits: number;
  /** The class of the vector of indices of a gather or scatter. */
  readonly index: RegisterClass | undefined;
  /** `i8`, `s8` … for an immediate. */
  readonly immediate: string | undefined;
  /** The number of the only register that it can be. */
  readonly fixed: number | undefined;
  /** Whether the text leaves it out; `emit` takes no value for it. */
  readonly implied: boolean;
  /** Where it is encoded. */
  readonly place: Place;
}

/** One encoding of one instruction. @public */
export interface Form {
  /** Its place in the list of forms. */
  readonly id: number;
  /** The name in the text, without a condition. */
  readonly name: string;
  /** By which {@link formOf} finds it: name and classes, as `vaddps y, y, y/m256`. */
  readonly key: string;
  /** How it is encoded. */
  readonly kind: "legacy" | "VEX" | "EVEX";
  /** 0 none, 1 66, 2 F3, 3 F2. */
  readonly prefix: number;
  /** 0 one byte, 1 0F, 2 0F38, 3 0F3A. */
  readonly map: number;
  /** The byte after prefixes and map. */
  readonly opcode: number;
  /** A byte after the opcode; -1 for none. */
  readonly suffix: number;
  /** The bit W. */
  readonly w: number;
  /** 0 128 bits, 1 256, 2 512. */
  readonly length: number;
  /** What the reg field holds beside an operand; -1 for none. */
  readonly digit: number;
  /** Whether a ModRM byte follows the opcode. */
  readonly hasModrm: boolean;
  /** Whether it has a LOCK prefix. */
  readonly isLocked: boolean;
  /** Bits of general operands. */
  readonly size: number;
  /** In the order of the text, implied ones among them. */
  readonly operands: readonly Operand[];
  /** Binary logarithm of what a displacement of 8 bits counts. */
  readonly displacementShift: number;
  /** Bits of an element that can be broadcast from memory; 0 for none. */
  readonly broadcastBits: number;
  /** No masks, merging, also zeroing, always. */
  readonly masking: "" | "k" | "kz" | "K";
  /** Bits of the features that it needs. */
  readonly needs: number;
  /** Whether the result depends on the flags. */
  readonly readsFlags: boolean;
  /** Whether the flags are lost. */
  readonly writesFlags: boolean;
}
