// SPDX-License-Identifier: Apache-2.0
// Runs a setup on a backend, frame by frame.
import { type Pixels, contentOf } from "../model/contents.ts";
import { type ElementType, type Elements, type KernelShape, elementType } from "../model/kernel-types.ts";
import type { BufferSetup, Driver, Passed, Setup, Step } from "../model/setup.ts";
import type { Backend, BackendArgument } from "./backend.ts";

/** Values of the drivers that do not follow from the launch, and of parameters that a hand has set. */
export interface FrameValues {
  readonly frame: number;
  readonly pointer: readonly number[];
  readonly centre: readonly number[];
  readonly scale: number;
  readonly orbit: readonly number[];
  readonly parameters: Readonly<Record<string, Passed>>;
}

function placeAt(t: number): readonly [number, number] {
  return [0.5 + 0.3 * Math.cos(t * 0.043), 0.5 + 0.28 * Math.sin(t * 0.031 + 1)];
}

/** The path that the pointer takes while nobody moves it: what is stirred goes on. x, y, dx, dy. */
export function idlePointer(frame: number): readonly number[] {
  const [x, y] = placeAt(frame);
  const [x0, y0] = placeAt(frame - 1);
  return [x, y, x - x0, y - y0];
}

const DRIVEN: Readonly<Record<Driver, (values: FrameValues, range: readonly number[]) => Passed>> = {
  frame: ({ frame }) => frame,
  seconds: ({ frame }) => frame / 60,
  pointer: ({ pointer, frame }) => (pointer.length === 0 ? idlePointer(frame) : pointer),
  width: (_values, [width = 1]) => width,
  height: (_values, [, height = 1]) => height,
  centre: ({ centre }) => centre,
  scale: ({ scale }) => scale,
  orbit: ({ orbit }) => orbit,
};

/** The values at the start of a setup. */
export function firstValues({ view, orbit }: Setup): FrameValues {
  return {
    frame: 0,
    pointer: [],
    centre: [view?.x ?? 0, view?.y ?? 0],
    scale: view?.scale ?? 1,
    orbit: orbit ?? [0, 0],
    parameters: {},
  };
}

interface Held<B> {
  readonly buffer: B;
  readonly type: ElementType;
}

/** See the file's head. */
export class Session<B> {
  readonly #backend: Backend<B>;
  readonly #setup: Setup;
  readonly #kernels: readonly KernelShape[];
  readonly #own: Pixels | null;
  readonly #buffers = new Map<string, Held<B>>();

  /** A setup that is complete. `own` is the reader's picture. */
  constructor(backend: Backend<B>, setup: Setup, kernels: readonly KernelShape[], own: Pixels | null) {
    this.#backend = backend;
    this.#setup = setup;
    this.#kernels = kernels;
    this.#own = own;
  }

  /** Fills the buffers and runs the launches of the start. Throws what a kernel refuses. */
  start(values: FrameValues): void {
    this.destroy();
    for (const [name, buffer] of Object.entries(this.#setup.buffers)) this.#create(name, buffer);
    for (const step of this.#setup.start) this.#run(step, values);
  }

  /** The launches of a frame. */
  frame(values: FrameValues): void {
    for (const step of this.#setup.frame) this.#run(step, values);
  }

  /** Waits for what was launched. Throws what went wrong. */
  finish(): Promise<void> {
    return this.#backend.finish();
  }

  /** What a buffer holds, with its type; null: there is no such buffer. */
  async read(name: string): Promise<{ readonly elements: Elements; readonly type: ElementType } | null> {
    const held = this.#buffers.get(name);
    return held === undefined ? null : { elements: await this.#backend.read(held.buffer), type: held.type };
  }

  /** Frees the buffers. */
  destroy(): void {
    for (const { buffer } of this.#buffers.values()) this.#backend.destroy(buffer);
    this.#buffers.clear();
  }

  #create(name: string, buffer: BufferSetup): void {
    const type = this.#typeOf(name);
    if (type === null) return;
    this.#buffers.set(name, { buffer: this.#backend.create(contentOf(buffer, type, this.#own)), type });
  }

  /** What kernels take a buffer as. */
  #typeOf(buffer: string): ElementType | null {
    for (const { kernel: name, arguments: given = {} } of [...this.#setup.start, ...this.#setup.frame])
      for (const parameter of this.#kernels.find((kernel) => kernel.name === name)?.parameters ?? [])
        if (parameter.kind === "pointer" && (given[parameter.name] ?? parameter.name) === buffer)
          return elementType(parameter.typeName);
    return null;
  }

  #value(name: string, values: FrameValues, range: readonly number[]): Passed | null {
    const parameter = this.#setup.parameters[name];
    if (parameter === undefined) return null;
    if (parameter.kind === "driven") return DRIVEN[parameter.by](values, range);
    return values.parameters[name] ?? parameter.value;
  }

  #run({ kernel: name, range, local, arguments: given = {}, swap }: Step, values: FrameValues): void {
    const kernel = this.#kernels.find((known) => known.name === name);
    if (kernel === undefined)
      throw new Error(
        `there is no kernel ${name}, which a frame launches; there are ${this.#kernels.map((k) => k.name).join(", ")}`,
      );
    const list = kernel.parameters.map(({ name: parameter, typeName, kind }) => {
      const said = given[parameter];
      const value: BackendArgument<B> | null | undefined =
        kind === "pointer"
          ? this.#buffers.get(typeof said === "string" ? said : parameter)?.buffer
          : kind === "local"
            ? ((said as { readonly localBytes: number } | undefined) ?? { localBytes: 4096 })
            : ((said as Passed | undefined) ?? this.#value(parameter, values, range));
      if (value === undefined || value === null)
        throw new Error(`the page has no control for argument "${parameter}" of ${name}, a ${typeName}`);
      return { name: parameter, value };
    });
    this.#backend.launch({ kernel: name, range, local: local ?? null, arguments: list });
    if (swap !== undefined) this.#swap(swap);
  }

  #swap([a, b]: readonly [string, string]): void {
    const [first, second] = [this.#buffers.get(a), this.#buffers.get(b)];
    if (first === undefined || second === undefined) throw new Error(`${a} and ${b} cannot change places`);
    this.#buffers.set(a, second).set(b, first);
  }
}
