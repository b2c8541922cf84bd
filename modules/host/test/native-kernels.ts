// SPDX-License-Identifier: Apache-2.0
// Kernels as machine code by hand, in a code object. A kernel has its arguments' address in edi, the dispatch's in esi,
// the worker block's in edx, and the groups to run, from ecx to r8d; it returns 0 in eax when it is done.
import { WORKER } from "@muxkit/kernel-abi";
import { Assembler, formOf, writeCodeObject } from "@muxkit/x64-assembler";
import { KERNEL_STACK_BYTES } from "@muxkit/x64-runtime";

const [EAX, ECX, EDX, RSP, EDI, END, R9, R10] = [0, 1, 2, 4, 7, 8, 9, 10];
const NOT_EQUAL = 5;
const LESS = 12;

const load = formOf("mov r32, r32/m32");
const store = formOf("mov m32, r32");

function done(a: Assembler): void {
  a.emit(formOf("xor r32, r32/m32"), EAX, EAX);
  a.emit(formOf("ret"));
}

/** Runs `body` for each group, whose number it finds in ecx. */
function forEachGroup(a: Assembler, body: () => void): void {
  const top = a.newLabel();
  a.bind(top);
  body();
  a.emit(formOf("add r32/m32, s8"), ECX, 1);
  a.emit(formOf("cmp r32, r32/m32"), ECX, END);
  a.jumpIf(LESS, top);
  done(a);
}

function forever(a: Assembler, body: () => void): void {
  const top = a.newLabel();
  a.bind(top);
  body();
  a.jump(top);
}

const WRITERS = {
  /** Writes `value + x` to `out[x]` for each group x. Arguments: out, value. */
  fill: (a: Assembler) => {
    forEachGroup(a, () => {
      a.emit(load, EAX, a.kernel(EDI));
      a.emit(load, R9, a.kernel(EDI, 4));
      a.emit(formOf("add r32, r32/m32"), R9, ECX);
      a.emit(store, a.kernel(EAX, 0, ECX, 2), R9);
    });
  },
  /** Counts `n` down in each group and then adds 1 to out[x]. Arguments: out, n. */
  slow: (a: Assembler) => {
    forEachGroup(a, () => {
      const top = a.newLabel();
      a.emit(load, R10, a.kernel(EDI, 4));
      a.bind(top);
      a.emit(formOf("sub r32/m32, s8"), R10, 1);
      a.jumpIf(NOT_EQUAL, top);
      a.emit(load, EAX, a.kernel(EDI));
      a.emit(load, R9, a.kernel(EAX, 0, ECX, 2));
      a.emit(formOf("add r32/m32, s8"), R9, 1);
      a.emit(store, a.kernel(EAX, 0, ECX, 2), R9);
    });
  },
  /** Loads what no memory of less than 2 GiB has. */
  outside: (a: Assembler) => {
    a.emit(formOf("mov r32, i32"), EAX, 0x7fff_0000);
    a.emit(load, EAX, a.kernel(EAX));
    done(a);
  },
  /** Divides by zero. */
  divide: (a: Assembler) => {
    a.emit(formOf("xor r32, r32/m32"), ECX, ECX);
    a.emit(formOf("xor r32, r32/m32"), EDX, EDX);
    a.emit(formOf("div r32/m32"), ECX);
    done(a);
  },
  unreachable: (a: Assembler) => {
    a.emit(formOf("ud2"));
  },
  /** Returns that it has left. */
  leaves: (a: Assembler) => {
    a.emit(formOf("mov r32, i32"), EAX, 1);
    a.emit(formOf("ret"));
  },
  /** Never ends, but looks at the cancel word. */
  endless: (a: Assembler) => {
    const top = a.newLabel();
    a.bind(top);
    a.emit(load, EAX, a.kernel(EDX, WORKER.cancelWord));
    a.emit(formOf("cmp r32/m32, s8"), EAX, 2);
    a.jumpIf(NOT_EQUAL, top);
    a.emit(formOf("ret"));
  },
  /** Never ends and looks at nothing. */
  stubborn: (a: Assembler) => {
    forever(a, () => {
      a.emit(formOf("add r32/m32, s8"), EAX, 1);
    });
  },
  /** Writes `value` to `out` for ever. Arguments: out, value. */
  scribbling: (a: Assembler) => {
    forever(a, () => {
      a.emit(load, EAX, a.kernel(EDI));
      a.emit(load, R9, a.kernel(EDI, 4));
      a.emit(store, a.kernel(EAX), R9);
    });
  },
} as const;

/** Names of the kernels. */
export type NativeKernel = keyof typeof WRITERS;

/** Their index in the code object. */
export const NATIVE_INDEX = Object.fromEntries(Object.keys(WRITERS).map((name, index) => [name, index])) as Readonly<
  Record<NativeKernel, number>
>;

/** A code object with functions. */
function objectOf(writers: Readonly<Record<string, (a: Assembler) => void>>, constants: number = 0): Uint8Array {
  const a = new Assembler();
  const entries = new Map<string, number>();
  for (const [name, write] of Object.entries(writers)) {
    while (a.length % 16 !== 0) a.emit(formOf("int3"));
    entries.set(name, a.length);
    write(a);
  }
  const codeBytes = a.length;
  a.writeBytes(new Uint8Array(constants));
  const functions = [...entries].map(([name, offset]) => ({ name, offset }));
  return writeCodeObject({ bytes: a.finish(), codeBytes, entries, functions });
}

/** All of them, which the verifier accepts. */
export const NATIVE_KERNELS: Uint8Array = objectOf(WRITERS);

/** The same with a MiB of constants. */
export const LARGE_OBJECT: Uint8Array = objectOf(WRITERS, 2 ** 20);

/** What the verifier refuses: a kernel that uses more stack than there is, and one that asks the system. */
export const REFUSED: Readonly<Record<"deep" | "system", Uint8Array>> = {
  deep: objectOf({
    deep: (a) => {
      a.emit(formOf("sub r64/m64, s32"), RSP, KERNEL_STACK_BYTES + 256);
      a.emit(store, a.flat(RSP), EAX);
      a.emit(formOf("add r64/m64, s32"), RSP, KERNEL_STACK_BYTES + 256);
      done(a);
    },
  }),
  system: objectOf({
    system: (a) => {
      a.emit(formOf("syscall"));
      done(a);
    },
  }),
};
