// SPDX-License-Identifier: Apache-2.0
// The runtime half: a target to register. It knows nothing of compilers.
import { ok } from "@muxkit/cargo";
import { halTarget } from "@muxkit/hal";
import type { MuxTarget } from "@muxkit/mux";

import { type AddressBits, DEFAULT_ADDRESS_BITS, deviceInfo, deviceName } from "./device-info.ts";
import type { LaunchCycles } from "./cycles.ts";
import { InterpreterDevice } from "./device.ts";

export type { LaunchCycles } from "./cycles.ts";
export { InterpreterDevice } from "./device.ts";

/** What a user may choose. */
export interface InterpreterDeviceOptions {
  /** Receives what kernels print, once for each launch that prints. Default: the standard output. */
  readonly print?: (text: string) => void;
  /** Receives the cycles of each launch. Default: nothing is counted. */
  readonly onLaunch?: (cycles: LaunchCycles) => void;
  /** Bits of an address. Default: {@link DEFAULT_ADDRESS_BITS}. */
  readonly addressBits?: AddressBits;
}

/** Makes the target; each has a device of its own. */
export function interpreterDeviceTarget({
  print = (text) => process.stdout.write(text),
  onLaunch,
  addressBits = DEFAULT_ADDRESS_BITS,
}: InterpreterDeviceOptions = {}): MuxTarget {
  return halTarget({
    name: deviceName(addressBits),
    devices: [deviceInfo(addressBits)],
    open: () => ok(new InterpreterDevice({ print, onLaunch: onLaunch ?? null }, addressBits)),
  });
}

/** The target, for programs that need no options. */
export const INTERPRETER_DEVICE_TARGET: MuxTarget = interpreterDeviceTarget();
