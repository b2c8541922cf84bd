// SPDX-License-Identifier: Apache-2.0
// The thread that runs kernels: a device, a program, its setup.
import { type Device, type DeviceArray, type DeviceProgram, openDevice } from "muxkit";

import { median } from "../../../scripts/median.ts";
import { TWINS } from "../gallery/twins.ts";
import { completeSetup, setupFor } from "../model/complete-setup.ts";
import type { KernelShape } from "../model/kernel-types.ts";
import type { Setup } from "../model/setup.ts";
import { deviceBackend, shapesOf } from "./device-backend.ts";
import type { ReadBuffer, Requests } from "./protocol.ts";
import { Session } from "./session.ts";
import { twinBackend } from "./twin-backend.ts";

/** Longest time in ms that frames of plain functions are measured. */
const PLAIN_TIME = 900;
const MOST_FRAMES = 7;

function isAmong(name: string, kernels: readonly KernelShape[]): boolean {
  return kernels.some((kernel) => kernel.name === name);
}

interface Loaded {
  readonly program: DeviceProgram;
  readonly kernels: readonly KernelShape[];
  readonly setup: Setup;
  readonly session: Session<DeviceArray>;
}

/** See the file's head. */
export class Runner {
  #device: Device | null = null;
  #loaded: Loaded | null = null;
  #printed = "";

  async open({ deadline, threads }: Requests["open"]["ask"]): Promise<Requests["open"]["answer"]> {
    this.#device = await openDevice({
      deadline,
      ...(threads ? {} : { threads: 1 }),
      print: (text) => {
        this.#printed += text;
      },
    });
    return { threads: this.#device.threads };
  }

  load({ source, setup: asked, own }: Requests["load"]["ask"]): Requests["load"]["answer"] {
    const device = this.#open();
    const begin = performance.now();
    const program = device.program(source, asked?.options === undefined ? {} : { options: asked.options });
    const kernels = shapesOf(program);
    const build = performance.now() - begin;
    if (kernels.length === 0) {
      program.destroy();
      throw new Error("the program has no kernel: begin a function with kernel void");
    }
    this.#unload();
    // A text that was put in place of another has other kernels: then the setup follows from them.
    const fits = asked !== null && [...asked.start, ...asked.frame].every((step) => isAmong(step.kernel, kernels));
    const setup = completeSetup(fits ? asked : setupFor(source, kernels), kernels);
    const session = new Session(deviceBackend(device, program), setup, kernels, own);
    this.#loaded = { program, kernels, setup, session };
    return { kernels, setup, build };
  }

  async frame({ values, restart, count, buffers }: Requests["frame"]["ask"]): Promise<Requests["frame"]["answer"]> {
    const { session } = this.#program();
    this.#printed = "";
    try {
      if (restart) session.start(values);
      await session.finish();
      const begin = performance.now();
      for (let i = 0; i < count; i++) session.frame({ ...values, frame: values.frame + i });
      await session.finish();
      const time = (performance.now() - begin) / count;
      const read = await Promise.all(
        buffers.map(async (name): Promise<readonly ReadBuffer[]> => {
          const found = await session.read(name);
          if (found === null) return [];
          const { elements, type } = found;
          return [{ name, elements, lanes: type.lanes, stride: type.stride }];
        }),
      );
      return { buffers: read.flat(), time, printed: this.#printed };
    } catch (error) {
      // The next wait reports a failed launch again, unless the failure was handled before.
      await this.#open()
        .finish()
        .catch(() => {});
      throw error;
    }
  }

  async compare({ entry, values, own }: Requests["compare"]["ask"]): Promise<Requests["compare"]["answer"]> {
    const twin = await TWINS[entry]?.();
    if (twin === undefined) return null;
    const { kernels, setup, session } = this.#program();
    const plain = new Session(twinBackend(twin), setup, kernels, own);
    plain.start(values);
    const begin = performance.now();
    const times: { kernel: number; plain: number }[] = [];
    // Interleaved, so that what else the machine does strikes both. The first pair is not counted if there are more.
    for (let i = 0; i <= MOST_FRAMES && (i < 1 || performance.now() - begin < PLAIN_TIME); i++) {
      const now = { ...values, frame: values.frame + i };
      const first = performance.now();
      plain.frame(now);
      const second = performance.now();
      session.frame(now);
      // One after the other is what is measured.
      // oxlint-disable-next-line no-await-in-loop
      await session.finish();
      times.push({ plain: second - first, kernel: performance.now() - second });
    }
    const counted = times.length > 1 ? times.slice(1) : times;
    return { kernel: median(counted.map((t) => t.kernel)), plain: median(counted.map((t) => t.plain)) };
  }

  #open(): Device {
    if (this.#device === null) throw new Error("there is no device yet");
    return this.#device;
  }

  #program(): Loaded {
    if (this.#loaded === null) throw new Error("there is no program yet");
    return this.#loaded;
  }

  #unload(): void {
    this.#loaded?.session.destroy();
    this.#loaded?.program.destroy();
    this.#loaded = null;
  }
}
