// SPDX-License-Identifier: Apache-2.0
// What a register allocator has to know of a form, from its row: which registers each operand may be, which are fixed,
// which are one register, and what is lost.
import { formAt } from "./forms.ts";
import type { Form } from "./row.ts";

/** What one operand in a register asks for. @public */
export interface OperandConstraint {
  /** Its place among the operands that `emit` takes; -1 for an implied one. */
  readonly operand: number;
  /** Whether its value is used. */
  readonly isRead: boolean;
  /** Whether it has another value afterwards. */
  readonly isWritten: boolean;
  /** Which register file it is in. */
  readonly bank: "general" | "vector" | "mask";
  /** The only register that it may be; -1 for any. */
  readonly fixed: number;
  /** How many registers of the bank the encoding reaches. */
  readonly registers: number;
  /** Whether it may be in memory instead. */
  readonly mayBeMemory: boolean;
  /** Whether it must not share a register with any other operand, although it is written. */
  readonly isDistinct: boolean;
}

/** What a form asks of an allocator. @public */
export interface FormConstraints {
  /** Operands in registers, implied ones too; addresses and immediates are not among them. */
  readonly operands: readonly OperandConstraint[];
  /** Whether the result depends on the flags. */
  readonly readsFlags: boolean;
  /** Whether the flags are lost. */
  readonly writesFlags: boolean;
  /** Bits of the features that it needs. */
  readonly needs: number;
}

function constraints(form: Form): FormConstraints {
  const shown = form.operands.filter((operand) => !operand.implied);
  // Vectors of a gather must be three different ones: it stops anywhere and goes on.
  const isGather = form.operands.some((operand) => operand.index !== undefined && operand.role === "r");
  const operands = form.operands.flatMap((operand): OperandConstraint[] => {
    const { register } = operand;
    if (register === undefined) return [];
    const bank = register === "k" ? "mask" : register.startsWith("g") ? "general" : "vector";
    return [
      {
        operand: operand.implied || operand.place === "fixed" ? -1 : shown.indexOf(operand),
        isRead: operand.role.includes("r"),
        isWritten: operand.role.includes("w"),
        bank,
        fixed: operand.fixed ?? -1,
        registers: bank === "mask" ? 8 : bank === "vector" && form.kind === "EVEX" ? 32 : 16,
        mayBeMemory: operand.memoryBits > 0,
        isDistinct: isGather,
      },
    ];
  });
  return { operands, readsFlags: form.readsFlags, writesFlags: form.writesFlags, needs: form.needs };
}

const ALL: (FormConstraints | undefined)[] = [];

/** The constraints of a form, made when first asked for. @public */
export function constraintsOf(id: number): FormConstraints {
  return (ALL[id] ??= constraints(formAt(id)));
}
