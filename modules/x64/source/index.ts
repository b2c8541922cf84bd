// SPDX-License-Identifier: Apache-2.0
/**
 * Machine functions of x86-64 and their registers.
 *
 * @packageDocumentation
 */
export { allocateRegisters } from "./allocate.ts";
export { type Allocation, STEP, type Step } from "./allocation.ts";
export {
  BANK,
  type Ending,
  type MachineAddress,
  MachineFunction,
  type MachineOperand,
  type MachineValue,
  NO_VALUE,
} from "./machine-function.ts";
export { type RegisterFile, registerFile } from "./registers.ts";
