// SPDX-License-Identifier: Apache-2.0
// The way through a device with 64-bit pointers: the twin of the example target, whose memory begins above 4 GiB. It is
// compiled for with another data layout than the other ways, by another target's passes, from the library's 64-bit
// variants, and must leave the same bytes.
import type { Info, ProgramInput } from "@muxkit/compiler";
import type { HalDevice } from "@muxkit/hal";
import { MuxAddressCapabilities, type MuxDeviceInfo } from "@muxkit/mux";

import { SUITE_DEVICE } from "./build.ts";
import type { AnyLaunch, Outcome } from "./differential.ts";
import { HalWay } from "./hal-way.ts";
import { hashOf } from "./share.ts";

/**
 * The twin's two halves, as examples/interpreter-device exports them. Examples are no packages, so they have no types
 * here.
 */
interface Twin {
  readonly compiler: Info;
  readonly open: (print: (text: string) => void) => HalDevice;
}

async function loadTwin(): Promise<Twin> {
  const example = new URL("../../../examples/interpreter-device/", import.meta.url);
  const compiler: { readonly INTERPRETER_DEVICE_COMPILER: Info } = await import(
    new URL("compiler/source/index.ts", example).href
  );
  const runtime: {
    readonly InterpreterDevice: new (
      outputs: { readonly print: (text: string) => void; readonly onLaunch: null },
      addressBits: 64,
    ) => HalDevice;
  } = await import(new URL("runtime/source/index.ts", example).href);
  return {
    compiler: compiler.INTERPRETER_DEVICE_COMPILER,
    open: (print) => new runtime.InterpreterDevice({ print, onLaunch: null }, 64),
  };
}

/** The device as the compiler sees it: the suite's, except for its name and its pointers. */
const INFO: MuxDeviceInfo = {
  ...SUITE_DEVICE,
  deviceName: "interpreter-device-64",
  addressCapabilities: MuxAddressCapabilities.bits64,
};

const way = new HalWay({ name: "64-bit device", info: INFO, ...(await loadTwin()) });

/** `all` launches that can take this way do, or one in some; KERNEL_SUITE_WIDE decides. */
const TAKES_ALL = process.env["KERNEL_SUITE_WIDE"] === "all";
const ONE_IN = TAKES_ALL ? 1 : 8;
/** The twin has these functions itself, and computes them in its own way. */
const MACHINE_FUNCTIONS = /\bnative_(?:sin|cos|exp2|log2)\b/u;
/** Launches that are kept from the interpreter are so because they are large: only smaller ones run here. */
const MOST_ITEMS = 256;

/** True for launches that take this way: of those that can, a share that their text decides. */
export function takesWideDevice({ source, kernel, global, isInterpreted = true }: AnyLaunch): boolean {
  // Shaders have bindings of 32-bit sizes in every way, and are tried by their own tests.
  if (typeof source !== "string" || MACHINE_FUNCTIONS.test(source)) return false;
  if (!isInterpreted && !(TAKES_ALL && global.reduce((product, size) => product * size, 1) <= MOST_ITEMS)) return false;
  return hashOf(source + kernel) % ONE_IN === 0;
}

/** Builds a program for the twin. Throws with the log. */
export function buildWide(source: string | ProgramInput, options: string): Uint8Array {
  return way.build(source, options);
}

/** Runs a launch, and those after it, on the twin; `binary` is what {@link buildWide} made of its source. */
export function runWide(binary: Uint8Array, launch: AnyLaunch): Outcome {
  return way.run(binary, launch);
}
