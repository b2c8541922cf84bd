// SPDX-License-Identifier: Apache-2.0
// The machine that passes lower for: a thread of scalars.
import { LAYOUT_64, Op } from "@muxkit/ir";
import { type MachineTarget, genericMachine } from "@muxkit/machine-target";

const GENERIC: MachineTarget = genericMachine(LAYOUT_64);

/** NVIDIA's threads. @public */
export const PTX_MACHINE: MachineTarget = {
  ...GENERIC,
  name: "ptx",
  support: { [Op.FREM]: { scalar: [], vector: [], libcall: [16, 32, 64] } },
  halves: "arithmetic",
  limits: { ...GENERIC.limits, subGroupSize: 32 },
};
