// SPDX-License-Identifier: Apache-2.0
// Decoded instructions as text in Intel's syntax, as `objdump -M intel` prints it: lower case, hexadecimal numbers. It
// always says how many lanes get a broadcast, which objdump does where the registers leave it open.
import { at } from "@muxkit/cargo";

import { ADDRESS, MEMORY, NONE } from "./assembler.ts";
import type { Decoder } from "./decoder.ts";
import { TWIN_DISTANCE, formAt } from "./forms.ts";
import type { Form, Operand, RegisterClass } from "./row.ts";

const GENERAL = ["ax", "cx", "dx", "bx", "sp", "bp", "si", "di"];
const SIZES: Readonly<Record<number, string>> = {
  8: "BYTE PTR ",
  16: "WORD PTR ",
  32: "DWORD PTR ",
  64: "QWORD PTR ",
  128: "XMMWORD PTR ",
  256: "YMMWORD PTR ",
  512: "ZMMWORD PTR ",
};

/** Conditions by the number in opcodes. @public */
export const CONDITIONS: readonly string[] = "o no b ae e ne be a s ns p np l ge le g".split(" ");

/** Names of comparisons of floats, by the immediate. */
const FLOAT_COMPARES = (
  "eq lt le unord neq nlt nle ord eq_uq nge ngt false neq_oq ge gt true " +
  "eq_os lt_oq le_oq unord_s neq_us nlt_uq nle_uq ord_s eq_us nge_uq ngt_uq false_os neq_os ge_oq gt_oq true_us"
).split(" ");
/** Names of comparisons of integers, by the immediate; 3 and 7 have none. */
const INTEGER_COMPARES = ["eq", "lt", "le", "", "neq", "nlt", "nle", ""];

/** The name of a register. @public */
export function registerName(register: RegisterClass, number: number): string {
  const low = GENERAL[number];
  switch (register) {
    case "g8":
      return low === undefined ? `r${number}b` : number < 4 ? `${low[0]}l` : `${low}l`;
    case "g16":
      return low ?? `r${number}w`;
    case "g32":
      return low === undefined ? `r${number}d` : `e${low}`;
    case "g64":
      return low === undefined ? `r${number}` : `r${low}`;
    case "k":
      return `k${number}`;
    default:
      return `${register}mm${number}`;
  }
}

function hex(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}

function signedHex(value: number): string {
  return value < 0 ? `-${hex(-value)}` : `+${hex(value)}`;
}

function addressText(decoder: Decoder, index: RegisterClass | undefined): string {
  const register = decoder.addressKind === ADDRESS.kernel ? "g32" : "g64";
  const { displacement } = decoder;
  if (decoder.addressKind === ADDRESS.rip) return `[rip${signedHex(displacement)}]`;
  const parts: string[] = [];
  if (decoder.base !== NONE) parts.push(registerName(register, decoder.base));
  if (decoder.index !== NONE) {
    parts.push(`${registerName(index ?? register, decoder.index)}*${1 << decoder.scale}`);
  }
  const segment = decoder.addressKind === ADDRESS.kernel ? "gs:" : "";
  if (parts.length === 0) return `${segment === "" ? "ds:" : segment}${hex(displacement >>> 0)}`;
  return `${segment}[${parts.join("+")}${displacement === 0 ? "" : signedHex(displacement)}]`;
}

function memoryText(decoder: Decoder, form: Form, operand: Operand): string {
  const address = addressText(decoder, operand.index);
  if (!decoder.isBroadcast) return `${SIZES[operand.memoryBits] ?? ""}${address}`;
  const lanes = operand.memoryBits / form.broadcastBits;
  return `${form.broadcastBits === 32 ? "DWORD" : "QWORD"} BCST ${address}{1to${lanes}}`;
}

/** An immediate as wide as the operation. */
function immediateText(
  decoder: Decoder,
  form: Form,
  operand: Operand,
  value: number,
  high: number,
  place: number,
): string {
  switch (operand.immediate) {
    case "rel8":
    case "rel32":
      return hex(place + decoder.size + value);
    case "i64":
      return hex((BigInt(high >>> 0) << 32n) | BigInt(value >>> 0));
    case "i8":
      return hex(value);
    default:
      return value >= 0
        ? hex(value)
        : form.size === 64
          ? `0x${BigInt.asUintN(64, BigInt(value)).toString(16)}`
          : hex(form.size === 32 ? value >>> 0 : value & ((1 << form.size) - 1));
  }
}

/** The name, with what the condition or the kind of comparison says in it; the second value drops the immediate. */
function nameText(decoder: Decoder, form: Form): readonly [name: string, dropsImmediate: boolean] {
  const { name } = form;
  const last = form.operands.filter((operand) => !operand.implied).length - 1;
  const value = decoder.operands[last] ?? 0;
  if (form.operands.at(-1)?.place === "condition") return [name.replace("cc", at(CONDITIONS, value)), true];
  const compare = /^(v?cmp)(p[sd]|s[sd])$/u.exec(name);
  if (compare !== null && value < (form.kind === "legacy" ? 8 : 32)) {
    return [`${at(compare, 1)}${at(FLOAT_COMPARES, value)}${at(compare, 2)}`, true];
  }
  const integers = /^vpcmp(u?[bwdq])$/u.exec(name);
  const word = INTEGER_COMPARES[value];
  if (integers !== null && word !== undefined && word !== "") return [`vpcmp${word}${at(integers, 1)}`, true];
  return [name, false];
}

/** Where the mask is written: after the first operand. */
function maskText(decoder: Decoder): string {
  if (decoder.mask === 0) return "";
  return `{k${decoder.mask}}${decoder.isZeroing ? "{z}" : ""}`;
}

let shorter: ReadonlySet<number> | null = null;

/** Whether EVEX encodes what VEX could; the text says so. */
function isWidened(decoder: Decoder, form: Form): boolean {
  shorter ??= new Set(TWIN_DISTANCE.map((distance, id) => (distance === 0 ? -1 : id + distance)));
  if (form.kind !== "EVEX" || !shorter.has(form.id) || decoder.mask !== 0 || decoder.isBroadcast) return false;
  if (decoder.addressKind !== ADDRESS.none && decoder.index > 15) return false;
  return form.operands.every((operand, n) => operand.register === undefined || (decoder.operands[n] ?? 0) < 16);
}

/**
 * The text of the instruction that was decoded last.
 *
 * @param place - The address of its first byte, from which jumps count; its offset when left out.
 * @public
 */
export function printInstruction(decoder: Decoder, place: number = decoder.offset): string {
  const form = formAt(decoder.form);
  const [name, dropsLast] = nameText(decoder, form);
  const shown = form.operands.filter((operand) => !operand.implied);
  const texts = shown.map((operand, n) => {
    const value = decoder.operands[n] ?? 0;
    if (operand.place === "fixed") return registerName(operand.register ?? "g64", operand.fixed ?? 0);
    if (value === MEMORY && operand.memoryBits !== 0) return memoryText(decoder, form, operand);
    if (operand.register !== undefined) return registerName(operand.register, value);
    return immediateText(decoder, form, operand, value, decoder.operands[n + 1] ?? 0, place);
  });
  if (dropsLast) texts.pop();
  if (texts.length > 0) texts[0] += maskText(decoder);
  if (isWidened(decoder, form)) return `{evex} ${name} ${texts.join(",")}`;
  return texts.length === 0 ? name : `${name} ${texts.join(",")}`;
}
