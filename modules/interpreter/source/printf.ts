// SPDX-License-Identifier: Apache-2.0
// printf as the interpreter runs it: text at once, with the work-item that printed it.
import { InternalError } from "@muxkit/cargo";
import { constantText, numberOfFloatBits } from "@muxkit/ir";
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

function textOf({ instruction }: BuiltinCall, operand: number): string {
  const value = instruction.operands[operand];
  const text = value === undefined ? null : constantText(value);
  if (text === null) throw new InternalError("a string of printf is not constant", ["interpreter"]);
  return text;
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
    const format = parsePrintfFormat(textOf(call, 0));
    if (!format.ok)
      throw new InternalError(`a format of printf cannot be read: ${format.error.message}`, ["interpreter"]);
    const values = types.map((type, i) =>
      valueOf(type, operands[i + 1], type === "string" ? textOf(call, i + 1) : null),
    );
    print({ groupId: call.groupId, localId: call.localId, text: renderPrintf(format.value, values) });
    return 0n;
  };
}
