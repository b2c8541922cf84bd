// SPDX-License-Identifier: Apache-2.0
/**
 * The verifier: whether code can do nothing but compute, and reach the kernel's memory, its own frame and its
 * constants. For code that comes from files, and in tests for all that is generated.
 *
 * Software fault isolation by one linear walk, as Native Client's validator has it (Yee and others, 2009), with
 * addresses that cannot leave the kernel's 4 GiB instead of masks. Every byte of the code belongs to one instruction,
 * and control reaches only beginnings of these. What it demands:
 *
 * - Each instruction is in the table and encoded as the assembler encodes it; so what it was decoded to is what the
 *   processor does. None is of the system, and none needs more features than the caller allows.
 * - A memory operand is `gs:` with 32-bit registers, `[rsp + d]` within the frame, or a constant by RIP, read only.
 * - A function begins with `sub rsp, frame` if it has a frame, and leaves by `add rsp, frame; ret`. No other
 *   instruction has rsp as an operand.
 * - Jumps stay in their function. Calls go to entries of functions that come before, so nothing recurs, and the stack
 *   that is needed at most is known.
 * - An indirect jump is the end of the one form of a table (`jump-table.ts`).
 * - No function runs into the next or into the constants. `int3` fills up where nothing arrives.
 *
 * Phases: walk and check each instruction, noting jumps; check where jumps arrive. Cost: linear in the bytes.
 */
import { type Result, err, ok } from "@muxkit/cargo";

import { ADDRESS, Assembler, MEMORY, NONE } from "./assembler.ts";
import { Decoder, encodeDecoded } from "./decoder.ts";
import { featureBit, featureNames } from "./feature.table.ts";
import { formAt, formOf } from "./forms.ts";
import { matchJumpTable } from "./jump-table.ts";
import type { Form } from "./row.ts";
import { printInstruction } from "./text.ts";

/** What to verify. @public */
export interface VerifyRequest {
  /** The code, and behind it the constants. */
  readonly bytes: Uint8Array;
  /** How many of the bytes are code. */
  readonly codeSize: number;
  /** Where functions begin, in ascending order; the first at 0. */
  readonly entries: readonly number[];
  /** Bits of the features that instructions may need; see {@link featureBit}. */
  readonly features: number;
  /** The most bytes of stack that a call may need. */
  readonly stackBytes: number;
}

/** What is known of code that was verified. @public */
export interface VerifiedCode {
  /** Bits of the features that it needs. */
  readonly features: number;
  /** For each function, the most bytes of stack that it and what it calls need, with return addresses. */
  readonly stackBytes: readonly number[];
}

/** Why code was refused. @public */
export interface Refusal {
  /** The offset of the instruction, or of the function where no instruction is at fault. */
  readonly offset: number;
  /** One sentence: what, where, and which rule forbids it. */
  readonly reason: string;
}

const SYSTEM = featureBit("system") ?? 0;
const RSP = 4;
const RETURN_ADDRESS_BYTES = 8;

const RET = formOf("ret");
const CALL = formOf("call rel32");
const INT3 = formOf("int3");
const UD2 = formOf("ud2");
const LEA = formOf("lea r64, m");
const JUMPS: ReadonlySet<number> = new Set(["jmp rel8", "jmp rel32"].map(formOf));
const CONDITIONAL_JUMPS: ReadonlySet<number> = new Set(["jcc rel8, cc", "jcc rel32, cc"].map(formOf));
const INDIRECT: ReadonlySet<number> = new Set(["jmp r64/m64", "call r64/m64"].map(formOf));
const TAKE_FRAME: ReadonlySet<number> = new Set(["sub r64/m64, s8", "sub r64/m64, s32"].map(formOf));
const LEAVE_FRAME: ReadonlySet<number> = new Set(["add r64/m64, s8", "add r64/m64, s32"].map(formOf));
const MOVES_STACK: ReadonlySet<number> = new Set(["push r64", "pop r64"].map(formOf));
/** They end a function's run, as what follows is not reached from above. */
const ENDS: ReadonlySet<number> = new Set([...JUMPS, RET, UD2]);

/** What a byte of the code is, for those who jump to it. */
const INSIDE = 0;
const START = 1;
/** The beginning of an instruction that only what is before it may reach. */
const CLOSED = 2;

/** Thrown within the walk and caught by `verifyCode`: the walk is deep, and a refusal ends it. */
class RefusedError extends Error {
  readonly offset: number;

  constructor(offset: number, reason: string) {
    super(reason);
    this.name = "RefusedError";
    this.offset = offset;
  }
}

/** A transfer of control that is checked when all beginnings are known. */
interface Transfer {
  readonly from: number;
  readonly target: number;
  readonly owner: number;
  readonly isCall: boolean;
}

class Walk {
  readonly request: VerifyRequest;
  readonly decoder: Decoder = new Decoder();
  readonly kinds: Uint8Array;
  readonly transfers: Transfer[] = [];
  /** The beginnings so far. */
  readonly starts: number[] = [];
  /** Of each function: bytes of its frame, and of what it calls at most. */
  readonly frames: number[] = [];
  readonly depths: number[] = [];
  features: number = 0;
  readonly #encoder: Assembler = new Assembler();

  constructor(request: VerifyRequest) {
    this.request = request;
    this.kinds = new Uint8Array(request.codeSize);
  }

  refuse(reason: string): never {
    const { decoder } = this;
    const text = decoder.form === -1 ? "" : ` (${printInstruction(decoder)})`;
    throw new RefusedError(decoder.offset, `The code at ${decoder.offset}${text} ${reason}.`);
  }

  /** Reads the next instruction; it must be whole, known and canonical. */
  read(offset: number, end: number): Form {
    const { decoder, request } = this;
    const id = decoder.decode(request.bytes, offset);
    if (id === -1) this.refuse("is no instruction that kernels may have");
    const after = offset + decoder.size;
    if (after > end) this.refuse("has an instruction that goes beyond its function");
    this.#encoder.reset();
    encodeDecoded(decoder, this.#encoder);
    const { bytes, length } = this.#encoder;
    let isSame = length === decoder.size;
    for (let n = 0; isSame && n < length; n++) isSame = bytes[n] === request.bytes[offset + n];
    if (!isSame) this.refuse("is not encoded in the canonical way");
    const form = formAt(id);
    const missing = form.needs & ~request.features;
    if ((form.needs & SYSTEM) !== 0) this.refuse("is an instruction of the system");
    if (missing !== 0) this.refuse(`needs ${featureNames(missing).join(" and ")}, which is not allowed`);
    this.features |= form.needs;
    this.starts.push(offset);
    return form;
  }
}

/** Checks the operands: memory by the rules, and rsp nowhere. */
function checkOperands(walk: Walk, form: Form, frame: number): void {
  const { decoder } = walk;
  let n = 0;
  for (const operand of form.operands) {
    if (operand.implied) continue;
    const value = decoder.operands[n++] ?? 0;
    if (operand.place === "fixed") continue;
    if (operand.memoryBits !== 0 && value === MEMORY) checkMemory(walk, operand.role, operand.memoryBits / 8, frame);
    else if (operand.register?.startsWith("g") === true && value === RSP) {
      walk.refuse("uses rsp, which only prologues and epilogues may");
    }
  }
}

function checkMemory(walk: Walk, role: string, bytes: number, frame: number): void {
  const { decoder, request } = walk;
  if (decoder.base === RSP && (decoder.addressKind === ADDRESS.kernel || role === "a")) {
    walk.refuse("makes an address of rsp");
  }
  switch (decoder.addressKind) {
    case ADDRESS.kernel:
      return;
    case ADDRESS.rip: {
      if (role === "a") walk.refuse("takes the address of code outside of the form of a jump table");
      if (role !== "r") walk.refuse("writes to constants");
      const place = decoder.offset + decoder.size + decoder.displacement;
      if (place < request.codeSize || place + bytes > request.bytes.length) {
        walk.refuse("reads by rip what is no constant");
      }
      return;
    }
    default:
      if (role === "a") return;
      if (decoder.base !== RSP || decoder.index !== NONE) walk.refuse("accesses memory that is not the kernel's");
      if (decoder.displacement < 0 || decoder.displacement + bytes > frame) walk.refuse("leaves its frame");
  }
}

/** The frame that the first instruction takes; 0 when it takes none. */
function takeFrame(walk: Walk, form: Form): number {
  const { decoder } = walk;
  if (!TAKE_FRAME.has(form.id) || decoder.operands[0] !== RSP) return 0;
  const frame = decoder.operands[1] ?? 0;
  if (frame <= 0) walk.refuse("takes a frame of no size");
  return frame;
}

/** Notes a jump or a call; whether it arrives at a beginning is known later. */
function noteTransfer(walk: Walk, owner: number, isCall: boolean): void {
  const { decoder } = walk;
  const target = decoder.offset + decoder.size + (decoder.operands[0] ?? 0);
  walk.transfers.push({ from: decoder.offset, target, owner, isCall });
}

/** `add rsp, frame` was read: `ret` follows, and nothing else reaches it. */
function leaveFrame(walk: Walk, frame: number, end: number): void {
  const { decoder } = walk;
  if (decoder.operands[1] !== frame) walk.refuse(`gives back another frame than the ${frame} bytes that were taken`);
  const next = decoder.offset + decoder.size;
  if (next >= end) walk.refuse("gives back its frame and does not return");
  if (walk.read(next, end).id !== RET) walk.refuse("does not return after the frame was given back");
  walk.kinds[next] = CLOSED;
}

/** Checks one function. */
function walkFunction(walk: Walk, owner: number, start: number, end: number): void {
  const { decoder, kinds } = walk;
  let frame = 0;
  let isReached = true;
  for (let offset = start; offset < end; offset = decoder.offset + decoder.size) {
    const form = walk.read(offset, end);
    if (!isReached && form.id === INT3) {
      kinds[offset] = CLOSED;
      continue;
    }
    if (form.id === INT3) walk.refuse("is reached, although it only fills up");
    kinds[offset] = START;
    isReached = !ENDS.has(form.id);
    if (offset === start) {
      frame = takeFrame(walk, form);
      walk.frames.push(frame);
      // Who jumped there would take a second frame.
      if (frame > 0) {
        kinds[offset] = CLOSED;
        continue;
      }
    }
    if (LEAVE_FRAME.has(form.id) && decoder.operands[0] === RSP) {
      if (frame === 0) walk.refuse("gives back a frame that was not taken");
      leaveFrame(walk, frame, end);
      isReached = false;
    } else if (form.id === RET) {
      if (frame > 0) walk.refuse("returns without giving back its frame");
    } else if (JUMPS.has(form.id) || CONDITIONAL_JUMPS.has(form.id)) noteTransfer(walk, owner, false);
    else if (form.id === CALL) noteTransfer(walk, owner, true);
    else if (INDIRECT.has(form.id)) walk.refuse("jumps to where a register says, outside of the form of a jump table");
    else if (form.id === LEA && decoder.addressKind === ADDRESS.rip) {
      walkJumpTable(walk, owner, end);
      isReached = false;
    } else if (MOVES_STACK.has(form.id)) walk.refuse("moves rsp, which only prologues and epilogues may");
    else checkOperands(walk, form, frame);
  }
  if (isReached) walk.refuse("is the last of a function, which does not end there");
}

/** Checks the form of a jump table, of which `lea` was read, and notes where it may go. */
function walkJumpTable(walk: Walk, owner: number, end: number): void {
  const { request, decoder, kinds, starts } = walk;
  const table = matchJumpTable(request.bytes, starts, end);
  if (typeof table === "string") walk.refuse(table);
  const from = decoder.offset;
  if (table.place < request.codeSize || table.place + 4 * table.count > request.bytes.length) {
    walk.refuse("has a jump table that is not among the constants");
  }
  // What is between the move of the index and the jump is reached from above only.
  for (const offset of starts.slice(-3)) kinds[offset] = CLOSED;
  for (let next = table.rest; next < table.end; next = decoder.offset + decoder.size) {
    walk.read(next, end);
    kinds[next] = CLOSED;
  }
  const view = new DataView(request.bytes.buffer, request.bytes.byteOffset, request.bytes.byteLength);
  for (let n = 0; n < table.count; n++) {
    const target = table.place + view.getInt32(table.place + 4 * n, true);
    walk.transfers.push({ from, target, owner, isCall: false });
  }
}

/** Checks where jumps and calls arrive, and adds up the stack. */
function checkTransfers(walk: Walk): void {
  const { entries, codeSize, stackBytes } = walk.request;
  const ordinal = new Map(entries.map((entry, n) => [entry, n]));
  const callees: number[][] = entries.map(() => []);
  for (const { from, target, owner, isCall } of walk.transfers) {
    const refuse = (reason: string): never => {
      throw new RefusedError(from, `The code at ${from} ${reason}.`);
    };
    if (isCall) {
      const callee = ordinal.get(target);
      if (callee === undefined) refuse(`calls ${target}, which is no function`);
      else if (callee >= owner) refuse("calls a function that does not come before it");
      else callees[owner]?.push(callee);
      continue;
    }
    const start = entries[owner] ?? 0;
    const end = entries[owner + 1] ?? codeSize;
    if (target < start || target >= end) refuse(`jumps to ${target}, out of its function`);
    const kind = walk.kinds[target] ?? INSIDE;
    if (kind === INSIDE) refuse(`jumps to ${target}, into an instruction`);
    if (kind === CLOSED) refuse(`jumps to ${target}, which only the instruction before it may reach`);
  }
  entries.forEach((entry, n) => {
    const below = (callees[n] ?? []).map((callee) => walk.depths[callee] ?? 0);
    const depth = (walk.frames[n] ?? 0) + RETURN_ADDRESS_BYTES + Math.max(0, ...below);
    if (depth > stackBytes) {
      throw new RefusedError(entry, `The function at ${entry} needs ${depth} bytes of stack; ${stackBytes} are there.`);
    }
    walk.depths.push(depth);
  });
}

function checkRequest({ bytes, codeSize, entries }: VerifyRequest): void {
  const isAscending = entries.every(
    (entry, n) => Number.isInteger(entry) && (n === 0 || entry > (entries[n - 1] ?? 0)),
  );
  if (!Number.isInteger(codeSize) || codeSize <= 0 || codeSize > bytes.length) {
    throw new RefusedError(0, `The code has ${bytes.length} bytes, of which ${codeSize} cannot be instructions.`);
  }
  if (entries[0] !== 0 || !isAscending || (entries.at(-1) ?? 0) >= codeSize) {
    throw new RefusedError(0, "The entries of functions do not begin at 0, ascend and stay in the code.");
  }
}

/** Verifies code: what is known of it, or why it is refused. Never throws on any bytes. @public */
export function verifyCode(request: VerifyRequest): Result<VerifiedCode, Refusal> {
  try {
    checkRequest(request);
    const walk = new Walk(request);
    request.entries.forEach((entry, n) => {
      walkFunction(walk, n, entry, request.entries[n + 1] ?? request.codeSize);
    });
    checkTransfers(walk);
    return ok({ features: walk.features, stackBytes: walk.depths });
  } catch (error) {
    if (error instanceof RefusedError) return err({ offset: error.offset, reason: error.message });
    throw error;
  }
}
