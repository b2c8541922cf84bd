// SPDX-License-Identifier: Apache-2.0
// Calls in detail: arguments, results, the kernel's memory, MXCSR, the stack, code that is given back and placed again,
// features. Argument: the folder. Prints JSON.
import { type Assembler, featureNames, formOf } from "@muxkit/x64-assembler";
import { CODE_SPACE_BYTES, KERNEL_STACK_BYTES } from "@muxkit/x64-runtime";

import { EAX, ECX, EDI, EDX, ESI, makeMemory, open, place } from "./open.ts";

const RSP = 4;
const memory = makeMemory();
const words = new Int32Array(memory);
const bridge = open(process.argv[2] ?? "", memory);

function call(write: (a: Assembler) => void, ...given: readonly number[]): number | string {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = given;
  bridge.setCode(place(bridge, write));
  return bridge.call(a, b, c, d, e, f) === 0 ? bridge.result : bridge.end;
}

const ret = (a: Assembler): void => a.emit(formOf("ret"));
const sum = call(
  (a) => {
    a.emit(formOf("mov r32, r32/m32"), EAX, EDI);
    for (const register of [ESI, EDX, ECX, 8, 9]) a.emit(formOf("add r32, r32/m32"), EAX, register);
    ret(a);
  },
  1,
  20,
  300,
  4000,
  50_000,
  600_000,
);

words[25] = 77;
const loaded = call(
  (a) => {
    a.emit(formOf("mov r32, r32/m32"), EAX, a.kernel(EDI, 20, ESI, 3));
    ret(a);
  },
  64,
  2,
);
// 2^32 - 4 + 104 wraps to 100.
const wrapped = call((a) => {
  a.emit(formOf("mov r32, r32/m32"), EAX, a.kernel(EDI, 104));
  ret(a);
}, -4);

const mxcsr = call((a) => {
  a.emit(formOf("stmxcsr m32"), a.kernel(EDI));
  a.emit(formOf("mov r32, r32/m32"), EAX, a.kernel(EDI));
  // Flush to zero, which the caller must not see.
  a.emit(formOf("mov m32, s32"), a.kernel(EDI), 0x9fc0);
  a.emit(formOf("ldmxcsr m32"), a.kernel(EDI));
  ret(a);
}, 0);
const subnormal = Number.MIN_VALUE * (process.argv.length - 2);
// The same, and rounding towards zero, in a kernel that does not return.
const endOfMxcsr = call((a) => {
  a.emit(formOf("mov m32, s32"), a.kernel(EDI), 0xffc0);
  a.emit(formOf("ldmxcsr m32"), a.kernel(EDI));
  a.emit(formOf("ud2"));
}, 0);
const one = process.argv.length - 2;
const tiny = 2 ** -53 * 1.5;
const isRestored = Number.MIN_VALUE * one > 0 && one + tiny > 1;

const alignment = call((a) => {
  a.emit(formOf("mov r64, r64/m64"), EAX, RSP);
  a.emit(formOf("and r64/m64, s8"), EAX, 63);
  ret(a);
});
const touchStack =
  (bytes: number) =>
  (a: Assembler): void => {
    a.emit(formOf("sub r64/m64, s32"), RSP, bytes);
    a.emit(formOf("mov m32, r32"), a.flat(RSP), EAX);
    a.emit(formOf("add r64/m64, s32"), RSP, bytes);
    a.emit(formOf("mov r32, i32"), EAX, 1);
    ret(a);
  };
const wholeStack = call(touchStack(KERNEL_STACK_BYTES - 8));
const tooMuchStack = call(touchStack(KERNEL_STACK_BYTES + 256));
const lostRegisters = call((a) => {
  for (const register of [1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15])
    a.emit(formOf("mov r32, i32"), register, register);
  a.emit(formOf("mov r32, i32"), EAX, 5);
  ret(a);
});

const first = place(bridge, (a) => a.emit(formOf("ud2")));
bridge.release(first, 2);
bridge.setCode(first);
const released = bridge.call(0, 0, 0, 0, 0, 0) === 0 ? "returned" : bridge.end;
const again = bridge.place(Uint8Array.of(0xb8, 9, 0, 0, 0, 0xc3), first);
bridge.setCode(again);
const placedAgain = bridge.call(0, 0, 0, 0, 0, 0) === 0 && again === first ? bridge.result : bridge.end;
// Code is not writable: what it stores to itself by an address of 64 bits is a fault.
const writesItself = call((a) => {
  const here = a.newLabel();
  a.bind(here);
  a.emit(formOf("mov m32, r32"), a.at(here), EAX);
  ret(a);
});
const tooLarge = bridge.place(new Uint8Array(CODE_SPACE_BYTES));
const stillWorks = call(ret);
let refused = "";
try {
  bridge.addressOf({} as ArrayBufferView);
} catch (error) {
  refused = error instanceof Error ? error.constructor.name : "";
}

process.stdout.write(
  `${JSON.stringify({ sum, loaded, wrapped, mxcsr, isSubnormalKept: subnormal > 0, endOfMxcsr, isRestored, alignment, wholeStack, tooMuchStack, lostRegisters, released, placedAgain, writesItself, tooLarge, stillWorks: typeof stillWorks, refused, hasHandlers: bridge.hasHandlers(), features: featureNames(bridge.features()) })}\n`,
);
