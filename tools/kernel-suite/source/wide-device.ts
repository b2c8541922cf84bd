// SPDX-License-Identifier: Apache-2.0
// The way through a device with 64-bit pointers: the twin of the example target, whose memory begins above 4 GiB. It is
// compiled for with another data layout than the other ways, by another target's passes, from the library's 64-bit
// variants, and must leave the same bytes.
import { type Info, type ProgramInput, buildProgram, openclC } from "@muxkit/compiler";
import type { HalArgument, HalDevice } from "@muxkit/hal";
import { MuxAddressCapabilities, type MuxDeviceInfo } from "@muxkit/mux";

import { SUITE_DEVICE } from "./build.ts";
import type { DifferentialArgument, AnyLaunch, Outcome } from "./differential.ts";
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

const twin = await loadTwin();
let printed = "";
const device = twin.open((text) => {
  printed += text;
});

/** The device as the compiler sees it: the suite's, except for its name and its pointers. */
const INFO: MuxDeviceInfo = {
  ...SUITE_DEVICE,
  deviceName: "interpreter-device-64",
  addressCapabilities: MuxAddressCapabilities.bits64,
};

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
  const target = twin.compiler.createContext().createTarget(INFO, null);
  if (!target.ok) throw new Error(target.error.message);
  const module = target.value.createModule();
  const built = buildProgram(module, typeof source === "string" ? openclC(source) : source, options);
  if (!built.ok) throw new Error(`64-bit device: ${built.error.message}\n${module.log}`);
  const binary = module.createBinary();
  if (!binary.ok) throw new Error(`64-bit device: ${binary.error.message}`);
  return binary.value;
}

/** Memory of one launch: arguments that share an array share it on the device too. */
class Uploads {
  private readonly addresses = new Map<Uint8Array, number>();

  add(contents: Uint8Array): number {
    const known = this.addresses.get(contents);
    if (known !== undefined) return known;
    const address = device.allocate(Math.max(1, contents.length), 128);
    if (address === null) throw new Error(`64-bit device: no ${contents.length} bytes are left`);
    device.write(address, contents);
    this.addresses.set(contents, address);
    return address;
  }

  free(): void {
    for (const address of this.addresses.values()) device.free(address);
  }
}

function halArgument(argument: DifferentialArgument, uploads: Uploads): HalArgument {
  if ("value" in argument) return { kind: "value", bytes: argument.value };
  if ("sampler" in argument) return { kind: "sampler", bits: argument.sampler };
  if ("local" in argument) return { kind: "local", size: argument.local };
  const address = uploads.add(argument.contents);
  return argument.image === undefined
    ? { kind: "address", address, size: argument.contents.length }
    : { kind: "image", image: argument.image, address };
}

function triple(list: readonly number[]): [number, number, number] {
  return [list[0] ?? 1, list[1] ?? 1, list[2] ?? 1];
}

/** Runs a launch, and those after it, on the twin; `binary` is what {@link buildWide} made of its source. */
export function runWide(
  binary: Uint8Array,
  { kernel, next = [], arguments: list, global, local, offset = [] }: AnyLaunch,
): Outcome {
  const program = device.load(binary);
  if (!program.ok) throw new Error(`64-bit device: ${program.error.message}`);
  const uploads = new Uploads();
  printed = "";
  try {
    const args = list.map((argument) => halArgument(argument, uploads));
    const [size, group] = [triple(global), triple(local)];
    for (const name of [kernel, ...next]) {
      const done = program.value.kernel(name)?.run(
        {
          dimensions: global.length,
          globalSize: global,
          globalOffset: global.map((_, axis) => offset[axis] ?? 0),
          localSize: group,
          firstGroup: [0, 0, 0],
          groupCount: [Math.ceil(size[0] / group[0]), Math.ceil(size[1] / group[1]), Math.ceil(size[2] / group[2])],
          countsPart: false,
        },
        args,
      );
      if (done === undefined) throw new Error(`64-bit device: there is no kernel ${name}`);
      if (done instanceof Promise) throw new Error("64-bit device: it runs kernels on the calling thread");
      if (!done.ok) throw new Error(`64-bit device: ${done.error.message}`);
    }
    const buffers = list.flatMap((argument) => {
      if (!("contents" in argument)) return [];
      const bytes = new Uint8Array(argument.contents.length);
      device.read(uploads.add(argument.contents), bytes);
      return [bytes];
    });
    return { way: "64-bit device", buffers, printed: Buffer.from(printed, "utf8").toString("latin1") };
  } finally {
    uploads.free();
    program.value.free();
  }
}
