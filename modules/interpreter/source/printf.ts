// SPDX-License-Identifier: Apache-2.0
// printf as the interpreter runs it: text at once, with the work-item that printed it.
import { InternalError } from "@muxkit/cargo";
import { CONSTANT, constantText, numberOfFloatBits } from "@muxkit/ir";
import { type PrintfValue, parsePrintfFormat, renderPrintf } from "@muxkit/printf";

import type { BuiltinCall, NativeBuiltin } from "./machine.ts";
import type { Register } from "./register.ts";

/** The output of one call. @public */
export interface PrintfOutput {
  /** The work-group. */
  readonly groupId: readonly [number, number, number];
  /** The work-item within it. */
  readonly localId: readonly [number, number, number];
  /** The text, a byte string. */
  readonly text: string;
}

const FLOAT_BITS: Readonly<Record<string, number>> = { float: 32, double: 64 };

function lane(type: string, bits: bigint): bigint | number {
  const width = FLOAT_BITS[type.replace(/\d+$/u, "")];
  return width === undefined ? bits : numberOfFloatBits(bits, width);
}

function valueOf(type: string, register: Register | undefined, text: string | null): PrintfValue {
  if (type === "string") return text ?? "";
  if (register === undefined) return 0n;
  return typeof register === "bigint" ? lane(type, register) : register.map((bits) => lane(type, bits));
}

/** The format of a call, which is a constant. */
function formatOf({ instruction }: BuiltinCall): string {
  const [value] = instruction.operands;
  const text = value === undefined ? null : constantText(value);
  if (text === null) throw new InternalError("the format of printf is not constant", ["interpreter"]);
  return text;
}

/** The string at an address in constant memory, up to its NUL. */
function textAt({ memory }: BuiltinCall, register: Register | undefined): string {
  const address = Number(register ?? 0n);
  if (address === 0) return "(null)";
  const { base, bytes } = memory.find(address, 1, CONSTANT, false);
  const start = address - base;
  const end = bytes.indexOf(0, start);
  return Array.from(bytes.subarray(start, end < 0 ? bytes.length : end), (byte) => String.fromCharCode(byte)).join("");
}

/**
 * The built-in `printf`, for a resolver: passes each text on, in the order in which work-items run.
 *
 * @public
 */
export function printfBuiltin(print: (output: PrintfOutput) => void): NativeBuiltin {
  return (operands, call) => {
    const { symbol } = call.instruction;
    const types = symbol?.kind === "builtin" ? symbol.parameters.slice(1) : [];
    const format = parsePrintfFormat(formatOf(call));
    if (!format.ok)
      throw new InternalError(`a format of printf cannot be read: ${format.error.message}`, ["interpreter"]);
    const values = types.map((type, i) =>
      valueOf(type, operands[i + 1], type === "string" ? textAt(call, operands[i + 1]) : null),
    );
    print({ groupId: call.groupId, localId: call.localId, text: renderPrintf(format.value, values) });
    return 0n;
  };
}
