// SPDX-License-Identifier: Apache-2.0
// How reductions and scans of groups combine values: the ends of their instructions' names.
import type { AtomicKind } from "@muxkit/ir";

/** The operation of a group instruction, `OpGroupNonUniformIAdd` for example, by the end of its name. */
export const COMBINED: Readonly<Record<string, AtomicKind>> = {
  IAdd: "add",
  FAdd: "fadd",
  IMul: "mul",
  FMul: "fmul",
  SMin: "smin",
  UMin: "umin",
  FMin: "fmin",
  SMax: "smax",
  UMax: "umax",
  FMax: "fmax",
  BitwiseAnd: "and",
  BitwiseOr: "or",
  BitwiseXor: "xor",
  LogicalAnd: "and",
  LogicalOr: "or",
  LogicalXor: "xor",
};
