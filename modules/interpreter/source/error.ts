// SPDX-License-Identifier: Apache-2.0
// Errors of a run, as data; and the exception that carries one from an instruction to the entry point of the package.
import { type Instruction, type Location, printInstruction } from "@muxkit/ir";

/**
 * The kind of error.
 * `arguments`: the launch does not fit the kernel. `out-of-bounds`, `misaligned`, `read-only`, `wrong-space`,
 * `overlap`, `memory`: an access to memory. `barrier-divergence`: some work-items wait at a barrier that others do not
 * reach. `trap`: control reached code that the program declares unreachable. `undefined-function`,
 * `unresolved-builtin`: a call of what has no body. `step-limit`, `call-depth`: more work than allowed.
 *
 * @public
 */
export type InterpreterErrorKind =
  | "arguments"
  | "out-of-bounds"
  | "misaligned"
  | "read-only"
  | "wrong-space"
  | "overlap"
  | "memory"
  | "barrier-divergence"
  | "trap"
  | "undefined-function"
  | "unresolved-builtin"
  | "step-limit"
  | "call-depth";

/** Why a run ended early. @public */
export interface InterpreterError {
  /** The kind of error. */
  readonly kind: InterpreterErrorKind;
  /** One sentence. */
  readonly message: string;
  /** Function in which it happened; empty: before the run. */
  readonly function: string;
  /** The instruction as text; empty: none. */
  readonly instruction: string;
  /** Its source location. */
  readonly location: Location | null;
  /** Global id of the work-item; null: before the run. */
  readonly globalId: readonly [number, number, number] | null;
}

/** An {@link InterpreterError} as one line. @public */
export function describeInterpreterError(error: InterpreterError): string {
  const { location, globalId } = error;
  const parts = [
    ...(location === null ? [] : [`${location.file}:${location.line}:${location.column}`]),
    ...(error.function === "" ? [] : [`@${error.function}`]),
    ...(error.instruction === "" ? [] : [`\`${error.instruction}\``]),
    ...(globalId === null ? [] : [`work-item (${globalId.join(", ")})`]),
  ];
  return parts.length === 0 ? error.message : `${parts.join(", ")}: ${error.message}`;
}

/** Thrown by whatever an instruction does wrong, caught where the run began; never leaves the package. */
export class Fault extends Error {
  readonly kind: InterpreterErrorKind;
  /** The instruction, when it is not the one that the work-item executes. */
  readonly instruction: Instruction | null;

  constructor(kind: InterpreterErrorKind, message: string, instruction: Instruction | null = null) {
    super(message);
    this.kind = kind;
    this.instruction = instruction;
  }
}

/** A fault with where it happened. */
export function locate(
  fault: Fault,
  executing: Instruction | null,
  globalId: readonly [number, number, number] | null,
): InterpreterError {
  const instruction = fault.instruction ?? executing;
  return {
    kind: fault.kind,
    message: fault.message,
    function: instruction?.block?.owner.name ?? "",
    instruction: instruction === null ? "" : printInstruction(instruction),
    location: instruction?.location ?? null,
    globalId,
  };
}
