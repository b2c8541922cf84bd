// SPDX-License-Identifier: Apache-2.0
/**
 * Statements as steps. Most are rows of the table of arithmetic; moves of addresses and halves of registers, accesses,
 * atomic operations and operations of warps have their own readers, by the first word of the opcode.
 */
import { type Access, type SpaceName, accessStep } from "./accesses.ts";
import { rowOf } from "./arithmetic.table.ts";
import { type AtomicAccess, atomicStep } from "./atomics.ts";
import { LOCAL_WINDOW, PARAMETER_WINDOW, SHARED_WINDOW } from "./memory.ts";
import type { Operand, Statement } from "./parse.ts";
import { CompileFailure, type Registers, type Slots } from "./registers.ts";
import { type Letter, type Row, type Step, makerOf, makerOfRow } from "./step.ts";
import {
  type ShuffleKind,
  type VoteKind,
  activeMaskStep,
  shuffleStep,
  voteStep,
  warpBarrier,
} from "./warp-operations.ts";

/** Where a variable is: its memory, and its address there. */
export interface Place {
  readonly space: "global" | "shared" | "local" | "param";
  readonly address: number;
}

/** What names mean. */
export interface Scope {
  readonly registers: Registers;
  readonly slots: Slots;
  readonly places: ReadonlyMap<string, Place>;
}

type Decode = (statement: Statement, scope: Scope) => Step;

function refuse({ line, opcode }: Statement, why: string): never {
  throw new CompileFailure(line, `${opcode}: ${why}`);
}

/** The types at the end of an opcode, first the result's. */
function typesOf(opcode: string): readonly string[] {
  return opcode.split(".").filter((part) => /^(?:[busf]\d+|pred)$/u.test(part));
}

/** A register with the address of a variable, which lies `offset` bytes behind. */
function symbolSlot(
  name: string,
  statement: Statement,
  { slots, places }: Scope,
): readonly [slot: number, place: Place] {
  const place = places.get(name);
  if (place === undefined) return refuse(statement, `there is no variable ${name}`);
  return [place.space === "global" ? slots.symbol(name) : slots.constant(BigInt(place.address), true), place];
}

const NOTHING: Step = () => undefined;

function byRow(row: Row, statement: Statement, { registers }: Scope): Step {
  const { opcode, operands } = statement;
  const letters = row.letters.split("") as readonly Letter[];
  const types = typesOf(opcode);
  const isConversion = opcode.startsWith("cvt");
  if (operands.length !== letters.length)
    refuse(statement, `it has ${letters.length} operands, and ${operands.length} are given`);
  const slots = letters.map((letter, i) => {
    const type = isConversion && i > 0 ? types[1] : types[0];
    return registers.place(operands[i], letter, letter === "p" ? "pred" : (type ?? ""), statement);
  });
  return makerOfRow(row)(...slots);
}

function arithmetic(statement: Statement, scope: Scope): Step {
  const row = rowOf(statement.opcode);
  return row === null ? refuse(statement, "this instruction is not known") : byRow(row, statement, scope);
}

const PACK = makerOf("", "const x=r[a+i],y=r[b+i];r[d+2*i]=x;r[d+2*i+1]=y");
const UNPACK = makerOf("", "const x=r[b+2*i],y=r[b+2*i+1];r[d+i]=x;r[a+i]=y");
const PACK_HALVES = makerOf("", "r[d+i]=r[a+i]&65535|r[b+i]<<16");
const UNPACK_HALVES = makerOf("", "const x=r[b+i];r[d+i]=x&65535;r[a+i]=x>>>16");

/** `mov` of parts of a register, of an address, or of a register. */
function move(statement: Statement, scope: Scope): Step {
  const { opcode, operands } = statement;
  const [target, source] = operands;
  const { registers } = scope;
  const isWide = opcode.endsWith("64");
  const [whole, part]: readonly [Letter, Letter] = isWide ? ["l", "s"] : ["s", "w"];
  const parts = target?.kind === "vector" ? target.items : source?.kind === "vector" ? source.items : null;
  if (parts !== null) {
    if (!/^mov\.b(?:32|64)$/u.test(opcode) || parts.length !== 2) refuse(statement, "only two halves can be moved");
    const [low, high] = parts.map((one) => registers.place(one, part, "", statement)) as [number, number];
    if (target?.kind === "vector")
      return (isWide ? UNPACK : UNPACK_HALVES)(low, high, registers.place(source, whole, "", statement));
    return (isWide ? PACK : PACK_HALVES)(registers.place(target, whole, "", statement), low, high);
  }
  if (source?.kind === "symbol") {
    if (!isWide) refuse(statement, "an address has 64 bits");
    const [slot] = symbolSlot(source.name, statement, scope);
    return makerOfRow({ letters: "ll", value: "Dl=Al;Dh=Ah" })(registers.place(target, "l", "", statement), slot);
  }
  return arithmetic(statement, scope);
}

const WINDOWS: Readonly<Record<string, number>> = {
  shared: SHARED_WINDOW,
  local: LOCAL_WINDOW,
  param: PARAMETER_WINDOW,
};

/** Addresses of a space as generic ones, and back. */
function convertAddress(statement: Statement, scope: Scope): Step {
  const parts = statement.opcode.split(".");
  const isBack = parts[1] === "to";
  const space = parts[isBack ? 2 : 1] ?? "";
  const window = space === "global" ? 0 : WINDOWS[space];
  if (window === undefined || parts.at(-1) !== "u64") refuse(statement, "this instruction is not known");
  return byRow({ letters: "ll", value: `Dl=Al;Dh=Ah${isBack ? "-" : "+"}${window}` }, statement, scope);
}

function isInSpace(statement: Statement, scope: Scope): Step {
  const [, space = ""] = statement.opcode.split(".");
  const { registers } = scope;
  const [target, source] = [
    registers.place(statement.operands[0], "p", "pred", statement),
    registers.place(statement.operands[1], "l", "u64", statement),
  ];
  if (space === "global")
    return makerOf("const h=warp.memories.global.window", "r[d+i]=r[a+2*i+1]===h?1:0")(target, source);
  const window = WINDOWS[space];
  if (window === undefined) refuse(statement, "this instruction is not known");
  return byRow({ letters: "pl", value: `Ah===${window}` }, statement, scope);
}

const SPACE_NAMES: ReadonlySet<string> = new Set(["global", "shared", "local", "param", "const"]);
const SCOPES: ReadonlySet<string> = new Set(["cta", "cluster", "gpu", "sys"]);
/** What does not change what an access does when lanes execute it in order. */
const ACCESS_MODIFIERS: ReadonlySet<string> = new Set([
  ...SCOPES,
  "weak",
  "volatile",
  "relaxed",
  "acquire",
  "release",
  "nc",
  "ca",
  "cg",
  "cs",
  "lu",
  "cv",
  "wb",
  "wt",
]);

/** The modifiers of an access. */
interface AccessName {
  readonly space: SpaceName;
  readonly count: number;
  readonly type: string;
}

function accessName(statement: Statement): AccessName {
  let space: SpaceName = "generic";
  let count = 1;
  let type = "";
  const rest = statement.opcode.replaceAll(/\.(?:L[12]|level)::\w+(?:::\w+)?/gu, "");
  for (const part of rest.split(".").slice(1)) {
    if (type !== "") refuse(statement, "nothing follows the type");
    if (SPACE_NAMES.has(part)) space = part === "const" ? "global" : (part as SpaceName);
    else if (part === "v2" || part === "v4") count = Number(part.slice(1));
    else if (/^[busf](?:8|16|32|64)$/u.test(part)) type = part;
    else if (!ACCESS_MODIFIERS.has(part)) refuse(statement, `the modifier .${part} is not known`);
  }
  if (type === "") refuse(statement, "a type is missing");
  return { space, count, type };
}

/** Where an address begins, and its memory where a variable says it. */
function addressOf(
  operand: Operand | undefined,
  statement: Statement,
  scope: Scope,
): { readonly address: number; readonly offset: number; readonly place: Place | null } {
  if (operand?.kind !== "address" || operand.base === null) return refuse(statement, "an address is missing");
  const { base, offset } = operand;
  if (base.kind === "symbol") {
    const [address, place] = symbolSlot(base.name, statement, scope);
    return { address, offset, place };
  }
  return { address: scope.registers.place(base, "l", "b64", statement), offset, place: null };
}

/** The letter by which an element's register is found, and whether it is a wide one. */
function elementPlace(
  operand: Operand | undefined,
  type: string,
  statement: Statement,
  scope: Scope,
): readonly [slot: number, isWide: boolean] {
  const bits = Number(type.slice(1));
  const { registers } = scope;
  if (bits === 64) return [registers.place(operand, "l", type, statement), true];
  if (operand?.kind === "register") {
    const register = registers.find(operand.name, statement.line);
    // Ints may be in wider registers than their type.
    if (register.bits < bits || (register.bits > bits && type.startsWith("f")) || register.bits === 1)
      refuse(statement, `${operand.name} does not hold the type`);
    return [register.slot, register.bits === 64];
  }
  return [registers.place(operand, bits === 32 ? "s" : bits === 16 ? "w" : "y", type, statement), false];
}

function access(statement: Statement, scope: Scope): Step {
  const isStore = statement.opcode.startsWith("st");
  const { space, count, type } = accessName(statement);
  const [first, second] = statement.operands;
  const { address, offset, place } = addressOf(isStore ? first : second, statement, scope);
  const own = isStore ? second : first;
  const items = count === 1 ? [own] : own?.kind === "vector" ? own.items : [];
  if (items.length !== count) refuse(statement, `it moves ${count} elements`);
  const elements = items.map((item) => elementPlace(item, type, statement, scope));
  const [isWide] = elements.map(([, wide]) => wide);
  if (elements.some(([, wide]) => wide !== isWide)) refuse(statement, "registers of one access have one width");
  // A parameter of a function, or of a call, is private memory.
  const named = space === "param" && place?.space === "local" ? "local" : space;
  if (named === "param" && isStore) refuse(statement, "parameters of kernels are not written");
  if (place !== null && named !== "generic" && place.space !== named)
    refuse(statement, `the variable is in ${place.space} memory`);
  if (place !== null && named === "generic" && place.space !== "global")
    refuse(statement, "the address is not a generic one");
  return accessStep({
    isStore,
    space: named,
    bytes: (Number(type.slice(1)) / 8) as Access["bytes"],
    isSigned: type.startsWith("s"),
    isWide: isWide === true,
    values: elements.map(([slot]) => slot),
    address,
    offset,
  });
}

const ORDERS: ReadonlySet<string> = new Set(["relaxed", "acquire", "release", "acq_rel"]);

/** `atom` and `red`. */
function atomic(statement: Statement, scope: Scope): Step {
  const { opcode, operands } = statement;
  const [name, ...parts] = opcode.split(".");
  let space: AtomicAccess["space"] = "generic";
  let operation = "";
  let type = "";
  for (const part of parts) {
    if (part === "global" || part === "shared") space = part;
    else if (/^[busf](?:32|64)$/u.test(part)) type = part;
    else if (ORDERS.has(part) || SCOPES.has(part)) continue;
    else if (operation === "") operation = part;
    else refuse(statement, `the modifier .${part} is not known`);
  }
  const bits = type.endsWith("64") ? 64 : 32;
  const letter: Letter = bits === 64 ? "l" : "s";
  const { registers } = scope;
  const isReduction = name === "red";
  const [target, place, operand, swapped] = isReduction ? [undefined, ...operands] : operands;
  const isSwap = operation === "cas" && !isReduction;
  if ((swapped !== undefined) !== isSwap) refuse(statement, "it has a wrong number of operands");
  const { address, offset } = addressOf(place, statement, scope);
  const step = atomicStep({
    operation,
    letter: type.slice(0, 1),
    bits,
    space,
    target: isReduction ? null : registers.place(target, letter, type, statement),
    address,
    offset,
    operand: registers.place(operand, letter, type, statement),
    swapped: isSwap ? registers.place(swapped, letter, type, statement) : null,
  });
  return step ?? refuse(statement, "this instruction is not known");
}

function vote(statement: Statement, { registers }: Scope): Step {
  const found = /^vote\.sync\.(?<kind>all|any|uni|ballot)\.(?:pred|b32)$/u.exec(statement.opcode)?.groups?.["kind"];
  if (found === undefined) refuse(statement, "this instruction is not known");
  const [target, source, members] = statement.operands;
  const kind = found as VoteKind;
  return voteStep(
    kind,
    registers.place(target, kind === "ballot" ? "s" : "p", "", statement),
    registers.place(source, "p", "pred", statement),
    false,
    registers.place(members, "s", "b32", statement),
  );
}

function shuffle(statement: Statement, { registers }: Scope): Step {
  const found = /^shfl\.sync\.(?<kind>idx|up|down|bfly)\.b32$/u.exec(statement.opcode)?.groups?.["kind"];
  if (found === undefined) refuse(statement, "this instruction is not known");
  const { operands } = statement;
  const hasPredicate = operands.length === 6;
  const [source, index, bounds, members] = operands.slice(hasPredicate ? 2 : 1);
  const word = (operand: Operand | undefined): number => registers.place(operand, "s", "b32", statement);
  return shuffleStep(found as ShuffleKind, {
    target: word(operands[0]),
    isWithin: hasPredicate ? registers.place(operands[1], "p", "pred", statement) : null,
    source: word(source),
    index: word(index),
    bounds: word(bounds),
    members: word(members),
  });
}

const READERS: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ["mov", move],
  ["cvta", convertAddress],
  ["isspacep", isInSpace],
  ["ld", access],
  ["st", access],
  ["ldu", access],
  ["atom", atomic],
  ["red", atomic],
  ["vote", vote],
  ["shfl", shuffle],
  // Lanes execute memory operations in order, so there is nothing that a fence would order.
  ["fence", () => NOTHING],
  ["membar", () => NOTHING],
  ["prefetch", () => NOTHING],
  [
    "activemask",
    (statement, { registers }) => activeMaskStep(registers.place(statement.operands[0], "s", "b32", statement)),
  ],
]);

/** What a statement does that transfers no control. Throws CompileFailure. */
export function stepOf(statement: Statement, scope: Scope): Step {
  const { opcode, operands } = statement;
  if (opcode === "bar.warp.sync") return warpBarrier(scope.registers.place(operands[0], "s", "b32", statement));
  return (READERS.get(opcode.split(".", 1)[0] ?? "") ?? arithmetic)(statement, scope);
}
