// SPDX-License-Identifier: Apache-2.0
// Who takes what kernels of a device print. Targets print in their own way what nobody takes.
import type { MuxDevice } from "./generated/structs.ts";

/** Takes the text of a launch that has printed. False: it does not want it. @public */
export type MuxPrintListener = (text: string) => boolean;

const listeners = new WeakMap<MuxDevice, MuxPrintListener>();

/** Sets who takes what kernels of a device print; null: the target prints it. @public */
export function muxSetPrintListener(device: MuxDevice, listener: MuxPrintListener | null): void {
  if (listener === null) listeners.delete(device);
  else listeners.set(device, listener);
}

/** Offers a text that kernels of a device have printed. False: nobody has taken it. For targets. @public */
export function muxOfferPrinted(device: MuxDevice, text: string): boolean {
  return listeners.get(device)?.(text) === true;
}
