// SPDX-License-Identifier: Apache-2.0
// A way through a device behind the hardware layer, by its own compiler: another data layout, other passes, the
// library's variants for it. It must leave the same bytes.
import { type Info, type ProgramInput, buildProgram, openclC } from "@muxkit/compiler";
import type { HalArgument, HalDevice } from "@muxkit/hal";
import type { MuxDeviceInfo } from "@muxkit/mux";

import type { AnyLaunch, DifferentialArgument, Outcome } from "./differential.ts";

/** Memory of one launch: arguments that share an array share it on the device too. */
class Uploads {
  private readonly addresses = new Map<Uint8Array, number>();
  private readonly device: HalDevice;
  private readonly way: string;

  constructor(device: HalDevice, way: string) {
    this.device = device;
    this.way = way;
  }

  add(contents: Uint8Array): number {
    const known = this.addresses.get(contents);
    if (known !== undefined) return known;
    const address = this.device.allocate(Math.max(1, contents.length), 128);
    if (address === null) throw new Error(`${this.way}: no ${contents.length} bytes are left`);
    this.device.write(address, contents);
    this.addresses.set(contents, address);
    return address;
  }

  free(): void {
    for (const address of this.addresses.values()) this.device.free(address);
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

/** What a way is made of. */
export interface HalWayParts {
  /** Its name, in messages. */
  readonly name: string;
  readonly compiler: Info;
  /** The device as the compiler sees it. */
  readonly info: MuxDeviceInfo;
  /** Opens it; `print` receives what kernels print. */
  readonly open: (print: (text: string) => void) => HalDevice;
}

/** A device that is open, and the compiler that makes its code. */
export class HalWay {
  private readonly parts: HalWayParts;
  private readonly device: HalDevice;
  private printed = "";

  constructor(parts: HalWayParts) {
    this.parts = parts;
    this.device = parts.open((text) => {
      this.printed += text;
    });
  }

  /** Builds a program. Throws with the log. */
  build(source: string | ProgramInput, options: string): Uint8Array {
    const { name, compiler, info } = this.parts;
    const target = compiler.createContext().createTarget(info, null);
    if (!target.ok) throw new Error(target.error.message);
    const module = target.value.createModule();
    const built = buildProgram(module, typeof source === "string" ? openclC(source) : source, options);
    if (!built.ok) throw new Error(`${name}: ${built.error.message}\n${module.log}`);
    const binary = module.createBinary();
    if (!binary.ok) throw new Error(`${name}: ${binary.error.message}`);
    return binary.value;
  }

  /** Runs a launch, and those after it; `binary` is what {@link HalWay.build} made of its source. */
  run(binary: Uint8Array, { kernel, next = [], arguments: list, global, local, offset = [] }: AnyLaunch): Outcome {
    const { device } = this;
    const { name: way } = this.parts;
    const program = device.load(binary);
    if (!program.ok) throw new Error(`${way}: ${program.error.message}`);
    const uploads = new Uploads(device, way);
    this.printed = "";
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
        if (done === undefined) throw new Error(`${way}: there is no kernel ${name}`);
        if (done instanceof Promise) throw new Error(`${way}: it runs kernels on the calling thread`);
        if (!done.ok) throw new Error(`${way}: ${done.error.message}`);
      }
      const buffers = list.flatMap((argument) => {
        if (!("contents" in argument)) return [];
        const bytes = new Uint8Array(argument.contents.length);
        device.read(uploads.add(argument.contents), bytes);
        return [bytes];
      });
      return { way, buffers, printed: Buffer.from(this.printed, "utf8").toString("latin1") };
    } finally {
      uploads.free();
      program.value.free();
    }
  }
}
