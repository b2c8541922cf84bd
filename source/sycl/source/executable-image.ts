// SPDX-License-Identifier: Apache-2.0
// Executable images: of code, and of the bytes of executables.
import type { Context } from "./context.ts";
import type { Device } from "./device.ts";
import { DeviceImage, content } from "./device-image.ts";
import { type ImageCode, codeOfBinary } from "./image-code.ts";
import type { SpecValues } from "./spec-constant.ts";

/** Makes the code of an image for values of its constants. */
export type Respecialize = (call: string, values: SpecValues) => ImageCode;

/** An executable image with its code; `specialized` has the code for other values, null: there is none. */
export function executableImage(
  context: Context,
  device: Device,
  code: ImageCode,
  constantsAreArguments: boolean,
  specialized: Respecialize | null,
): DeviceImage<"executable"> {
  context.own(code);
  return new DeviceImage(
    "executable",
    device,
    content({
      format: "executable",
      bytes: () => code.binary,
      code,
      constantsAreArguments,
      canSpecialize: specialized !== null,
      specialized,
      kernelNames: code.kernels.map(({ name }) => name),
    }),
  );
}

/** Executable images of executables, for units and for what is loaded. */
export function imagesOfExecutable(
  call: string,
  context: Context,
  device: Device,
  binary: Uint8Array,
  constantsAreArguments: boolean,
): DeviceImage<"executable"> | string {
  const code = codeOfBinary(call, device, binary);
  return typeof code === "string" ? code : executableImage(context, device, code, constantsAreArguments, null);
}
