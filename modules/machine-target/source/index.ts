// SPDX-License-Identifier: Apache-2.0
/**
 * What a code generator tells the passes before it about its machine: registers, costs, native operations, memory.
 *
 * @packageDocumentation
 */
export type {
  Amounts,
  CoarseningLimits,
  FunctionIntrinsics,
  HalfSupport,
  LoweringLimits,
  MachineTarget,
  OpCost,
  OpCosts,
  OpSupport,
  PrivateStack,
  RegisterFile,
  UnrollingLimits,
} from "./machine-target.ts";
export { type Operands, costOfOp, costOfResize, narrowOpCost } from "./costs.ts";
export { addressType, isNative, isLibcall, lanesPerRegister, registersOf, vectorRegistersHeld } from "./registers.ts";
export { type FrameLayout, layOutFrame, privateBytes } from "./frame-layout.ts";
export { CAUTIOUS_UNROLLING, genericMachine } from "./generic-machine.ts";
