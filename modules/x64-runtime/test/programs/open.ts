// SPDX-License-Identifier: Apache-2.0
// What the programs of the tests share: a memory, an open bridge, and code by hand.
import { Assembler, formOf } from "@muxkit/x64-assembler";
import { type Bridge, loadBridge, openBridge } from "@muxkit/x64-runtime";

/** The parts of WebAssembly that the programs use; Node's types have none. */
interface Engine {
  readonly Memory: new (limits: { initial: number; maximum: number; shared: boolean }) => {
    readonly buffer: SharedArrayBuffer;
  };
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Readonly<Record<string, () => number>> };
  readonly RuntimeError: new () => Error;
}

/** The engine's WebAssembly. */
export const engine: Engine = (globalThis as unknown as { WebAssembly: Engine }).WebAssembly;

/** A shared memory of 1 MiB that may grow to 4 GiB. */
export function makeMemory(): SharedArrayBuffer {
  return new engine.Memory({ initial: 16, maximum: 65_536, shared: true }).buffer;
}

/** The bridge in a folder, or of a file of it; ends the process with one line when there is none. */
export function open(where: string, memory: SharedArrayBuffer): Bridge {
  const bytes = new Uint8Array(memory);
  const opened = where.endsWith(".node") ? loadBridge(where) : openBridge(where);
  const base = opened.ok ? opened.value.memoryOf(bytes) : opened;
  if (!opened.ok || !base.ok) {
    process.stdout.write(`${opened.ok ? !base.ok && base.error : opened.error}\n`);
    process.exit(3);
  }
  opened.value.setMemory(base.value);
  return opened.value;
}

/** Places code that `write` writes. */
export function place(bridge: Bridge, write: (assembler: Assembler) => void): number {
  const assembler = new Assembler();
  write(assembler);
  return bridge.place(assembler.finish());
}

/** A module whose function loads from the end of a memory of one page: a trap. */
// prettier-ignore
export const TRAPPING: Uint8Array<ArrayBuffer> = Uint8Array.of(
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 5, 1, 0x60, 0, 1, 0x7f, 3, 2, 1, 0, 5, 3, 1, 0, 1, 7, 5, 1, 1, 0x66, 0, 0,
  10, 12, 1, 10, 0, 0x41, 0x80, 0x80, 0x80, 0x08, 0x28, 2, 0, 0x0b
);

/** The name of the error that an action throws; "nothing" where it throws none. */
export function nameOf(action: () => unknown): string {
  try {
    action();
    return "nothing";
  } catch (error) {
    return error instanceof Error ? error.constructor.name : "something";
  }
}

/** Registers of the first arguments. */
export const EAX = 0;
export const ECX = 1;
export const EDX = 2;
export const ESI = 6;
export const EDI = 7;

/** Code for each kind of fault, and how a call of it ends. */
export const FAULTS: readonly (readonly [end: string, write: (assembler: Assembler) => void])[] = [
  [
    "memory",
    (a) => {
      a.emit(formOf("mov r32, i32"), EAX, -16);
      a.emit(formOf("mov r32, r32/m32"), EAX, a.kernel(EAX));
      a.emit(formOf("ret"));
    },
  ],
  [
    "memory",
    (a) => {
      a.emit(formOf("mov r32, i32"), EAX, 0x7000_0000);
      a.emit(formOf("mov m32, r32"), a.kernel(EAX, 64, EAX, 0), EDI);
      a.emit(formOf("ret"));
    },
  ],
  [
    "memory",
    (a) => {
      a.emit(formOf("mov r32, i32"), EAX, 0x6000_0000);
      a.emit(formOf("vmovd x, r32/m32"), 2, EAX);
      a.emit(formOf("vpbroadcastd y, x/m32"), 2, 2);
      a.emit(formOf("vpcmpeqd y, y, y/m256"), 3, 3, 3);
      a.emit(formOf("vpgatherdd y, m32(y), y"), 1, a.kernel(-1, 0, 2, 0), 3);
      a.emit(formOf("ret"));
    },
  ],
  [
    "arithmetic",
    (a) => {
      a.emit(formOf("xor r32, r32/m32"), ECX, ECX);
      a.emit(formOf("xor r32, r32/m32"), EDX, EDX);
      a.emit(formOf("div r32/m32"), ECX);
      a.emit(formOf("ret"));
    },
  ],
  ["instruction", (a) => a.emit(formOf("ud2"))],
  [
    "stack",
    (a) => {
      const top = a.newLabel();
      a.bind(top);
      a.call(top);
    },
  ],
];
