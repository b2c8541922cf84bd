// SPDX-License-Identifier: Apache-2.0
// A tiny assembler for test kernels: WebAssembly modules with the imports of docs/kernel-abi.md.
import { CANCEL_COUNTDOWN, CANCEL_LEAVE, KERNEL_LEFT, WORKER } from "@muxkit/kernel-abi";

type Code = readonly (number | readonly number[])[];

/** Unsigned LEB128. */
export function leb(value: number): number[] {
  const bytes: number[] = [];
  let rest = value >>> 0;
  do {
    const low = rest & 127;
    rest >>>= 7;
    bytes.push(rest === 0 ? low : low | 128);
  } while (rest !== 0);
  return bytes;
}

/** Signed LEB128. */
export function sleb(value: number): number[] {
  const bytes: number[] = [];
  let rest = value | 0;
  for (;;) {
    const low = rest & 127;
    rest >>= 7;
    if ((rest === 0 && (low & 64) === 0) || (rest === -1 && (low & 64) !== 0)) {
      bytes.push(low);
      return bytes;
    }
    bytes.push(low | 128);
  }
}

const text = (name: string): number[] => [...leb(name.length), ...new TextEncoder().encode(name)];
const section = (id: number, body: readonly number[]): number[] => [id, ...leb(body.length), ...body];
const list = (items: readonly (readonly number[])[]): number[] => [...leb(items.length), ...items.flat()];

export const I32 = 0x7f;
export const get = (local: number): number[] => [0x20, ...leb(local)];
export const set = (local: number): number[] => [0x21, ...leb(local)];
export const constant = (value: number): number[] => [0x41, ...sleb(value)];
export const load = (offset: number): number[] => [0x28, 2, ...leb(offset)];
export const store = (offset: number): number[] => [0x36, 2, ...leb(offset)];
export const loadFloat = (offset: number): number[] => [0x2a, 2, ...leb(offset)];
export const storeFloat = (offset: number): number[] => [0x38, 2, ...leb(offset)];
export const ADD = 0x6a;
export const SUB = 0x6b;
export const MUL = 0x6c;
export const DIV_S = 0x6d;
export const EQ = 0x46;
export const NE = 0x47;
export const GE_U = 0x4f;
export const EQZ = 0x45;
export const FLOAT_ADD = 0x92;
export const FLOAT_MUL = 0x94;
export const RETURN = 0x0f;
export const block = (body: Code): number[] => [0x02, 0x40, ...body.flat(), 0x0b];
export const loop = (body: Code): number[] => [0x03, 0x40, ...body.flat(), 0x0b];
export const when = (body: Code): number[] => [0x04, 0x40, ...body.flat(), 0x0b];
export const branch = (depth: number): number[] => [0x0c, ...leb(depth)];
export const branchIf = (depth: number): number[] => [0x0d, ...leb(depth)];
export const callClock: readonly number[] = [0x10, 0];
export const UNREACHABLE = 0x00;

/** Parameters of a kernel function. */
export const ARGS = 0;
export const DISPATCH_BLOCK = 1;
export const WORKER_BLOCK = 2;
export const FIRST = 3;
export const END = 4;
/** First of four i32 locals. */
export const LOCAL = 5;

/** The cancel check of the ABI: returns 1 from the function when it has to. */
export const CANCEL_CHECK: readonly number[] = [
  ...get(WORKER_BLOCK),
  ...load(WORKER.cancelWord),
  ...when([
    get(WORKER_BLOCK),
    load(WORKER.cancelWord),
    constant(CANCEL_LEAVE),
    EQ,
    when([constant(KERNEL_LEFT), RETURN]),
    get(WORKER_BLOCK),
    get(WORKER_BLOCK),
    load(WORKER.countdown),
    constant(1),
    SUB,
    store(WORKER.countdown),
    get(WORKER_BLOCK),
    load(WORKER.countdown),
    EQZ,
    when([
      get(WORKER_BLOCK),
      constant(CANCEL_COUNTDOWN),
      store(WORKER.countdown),
      get(WORKER_BLOCK),
      load(WORKER.thread),
      callClock,
      when([constant(KERNEL_LEFT), RETURN]),
    ]),
  ]),
];

/** Runs `body` for each group of the call; the group's x, base included, is local {@link LOCAL} + 1. */
export function forEachGroup(body: Code): number[] {
  return [
    ...get(FIRST),
    ...set(LOCAL),
    ...block([
      loop([
        get(LOCAL),
        get(END),
        GE_U,
        branchIf(1),
        CANCEL_CHECK,
        get(LOCAL),
        get(WORKER_BLOCK),
        load(WORKER.groupBase),
        ADD,
        set(LOCAL + 1),
        ...body,
        get(LOCAL),
        constant(1),
        ADD,
        set(LOCAL),
        branch(0),
      ]),
    ]),
    ...constant(0),
  ];
}

/** A module that exports the functions by name, and the offset of the memory import's flag byte. */
export function assemble(functions: Readonly<Record<string, readonly number[]>>): {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly memoryFlagOffset: number;
} {
  const names = Object.keys(functions);
  const head = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
  const types = section(
    1,
    list([
      [0x60, 1, I32, 1, I32],
      [0x60, 5, I32, I32, I32, I32, I32, 1, I32],
    ]),
  );
  const memoryImport = [...text("env"), ...text("memory"), 0x02, 0x03, ...leb(1), ...leb(65536)];
  const flag = memoryImport.length - leb(1).length - leb(65536).length - 1;
  const clockImport = [...text("env"), ...text("clock"), 0x00, 0];
  const imports = section(2, list([memoryImport, clockImport]));
  const importsStart = head.length + types.length + (imports.length - list([memoryImport, clockImport]).length) + 1;
  const kinds = section(3, list(names.map(() => [1])));
  const exported = section(7, list(names.map((name, i) => [...text(name), 0x00, ...leb(i + 1)])));
  const bodies = section(
    10,
    list(
      names.map((name) => {
        const body = [1, 4, I32, functions[name] ?? [], 0x0b].flat();
        return leb(body.length).concat(body);
      }),
    ),
  );
  const bytes = new Uint8Array([...head, ...types, ...imports, ...kinds, ...exported, ...bodies]);
  return { bytes, memoryFlagOffset: importsStart + flag };
}
