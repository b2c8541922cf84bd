// SPDX-License-Identifier: Apache-2.0
/**
 * The one form of an indirect jump, by a table of distances among the constants:
 *
 *     mov    i, x              32 bits: the upper half becomes 0
 *     cmp    i, count
 *     jae    elsewhere
 *     lea    t, [rip+table]
 *     movsxd d, [t+i*4]
 *     add    d, t
 *     jmp    d
 *
 * Nothing may come between, and nothing may jump to what is after the first.
 */
import { ADDRESS, type Assembler, MEMORY } from "./assembler.ts";
import { Decoder } from "./decoder.ts";
import { formOf } from "./forms.ts";

const MOVE = formOf("mov r32, r32/m32");
const COMPARE8 = formOf("cmp r32/m32, s8");
const COMPARE32 = formOf("cmp r32/m32, s32");
const JUMP_IF8 = formOf("jcc rel8, cc");
const JUMP_IF32 = formOf("jcc rel32, cc");
const LEA = formOf("lea r64, m");
const EXTEND = formOf("movsxd r64, r32/m32");
const ADD = formOf("add r64, r64/m64");
const JUMP = formOf("jmp r64/m64");
const NOT_BELOW = 3;
const RSP = 4;

/** The registers of a jump by table. @public */
export interface JumpTableRegisters {
  /** The index, which loses its upper half. */
  readonly index: number;
  /** Two others, which are lost; `distance` may be the index. */
  readonly table: number;
  /** See `table`. */
  readonly distance: number;
}

/**
 * Writes a jump by a table.
 *
 * @param count - Entries of the table; other values of the index go to `elsewhere`.
 * @param table - The label of the table, whose entries count from its own place.
 * @public
 */
export function emitJumpTable(
  assembler: Assembler,
  registers: JumpTableRegisters,
  count: number,
  table: number,
  elsewhere: number,
): void {
  const { index, distance } = registers;
  assembler.emit(MOVE, index, index);
  assembler.emit(count < 128 ? COMPARE8 : COMPARE32, index, count);
  assembler.jumpIf(NOT_BELOW, elsewhere);
  assembler.emit(LEA, registers.table, assembler.at(table));
  assembler.emit(EXTEND, distance, assembler.flat(registers.table, 0, index, 2));
  assembler.emit(ADD, distance, registers.table);
  assembler.emit(JUMP, distance);
}

/** A jump by table that was found. */
export interface JumpTable {
  /** The offset of the table, and its entries. */
  readonly place: number;
  readonly count: number;
  /** The offset after `lea`, and the one after the jump. */
  readonly rest: number;
  readonly end: number;
}

const WRONG = "is not in the form of a jump table";

/** The index and the count of what comes before `lea`, or why it is wrong. */
function matchBounds(bytes: Uint8Array, starts: readonly number[]): { index: number; count: number } | string {
  const [move = 0, compare = 0, branch = 0, lea = 0] = starts.slice(-4);
  const decoder = new Decoder();
  const { operands } = decoder;
  if (starts.length < 4 || decoder.decode(bytes, move) !== MOVE || operands[1] === MEMORY) return WRONG;
  const index = operands[0] ?? 0;
  const compared = decoder.decode(bytes, compare);
  if ((compared !== COMPARE8 && compared !== COMPARE32) || operands[0] !== index) return WRONG;
  const count = operands[1] ?? 0;
  const branched = decoder.decode(bytes, branch);
  if ((branched !== JUMP_IF8 && branched !== JUMP_IF32) || operands[1] !== NOT_BELOW) return WRONG;
  if (branch + decoder.size !== lea) return WRONG;
  return count <= 0 ? "has a jump table without entries" : { index, count };
}

/** The form around the `lea` that is the last of `starts`, or why there is none. */
export function matchJumpTable(bytes: Uint8Array, starts: readonly number[], end: number): JumpTable | string {
  const bounds = matchBounds(bytes, starts);
  if (typeof bounds === "string") return bounds;
  const { index, count } = bounds;
  const lea = starts.at(-1) ?? 0;
  const decoder = new Decoder();
  const { operands } = decoder;
  decoder.decode(bytes, lea);
  const table = operands[0] ?? 0;
  const rest = lea + decoder.size;
  const place = rest + decoder.displacement;
  if (decoder.decode(bytes, rest) !== EXTEND || operands[1] !== MEMORY) return WRONG;
  const distance = operands[0] ?? 0;
  const isAddressed =
    decoder.addressKind === ADDRESS.flat &&
    decoder.base === table &&
    decoder.index === index &&
    decoder.scale === 2 &&
    decoder.displacement === 0;
  // `lea` must leave the index, and what is added the table; rsp is none of them.
  if (!isAddressed || table === index || table === distance || [table, distance, index].includes(RSP)) return WRONG;
  const add = rest + decoder.size;
  if (decoder.decode(bytes, add) !== ADD || operands[0] !== distance || operands[1] !== table) return WRONG;
  const jump = add + decoder.size;
  if (decoder.decode(bytes, jump) !== JUMP || operands[0] !== distance) return WRONG;
  const after = jump + decoder.size;
  return after > end ? WRONG : { place, count, rest, end: after };
}
