// SPDX-License-Identifier: Apache-2.0
/**
 * The bridge's machine code: a Node-API addon without a C library. Functions of Node come by the dynamic linker,
 * everything else by system calls, so that it is one file for all Linux systems.
 *
 * Its functions take no values: arguments and results are words of a block that each thread has
 * (`bridge-layout.ts`), whose address Node keeps as the data of each function. That saves the conversions.
 *
 * A call saves what a C function must keep, MXCSR and its stack pointer in the block, sets GS to the kernel's memory
 * and goes to the kernel on the block's own stack. Leaving restores all of it from the block. So a fault can leave from
 * any instruction: its handler writes down what happened, and lets the thread go on at `leave`.
 *
 * The handler knows a kernel's fault by its place, in the one range of code, and the block by the stack pointer, which
 * is in the block. All other faults go on to the handler that was there before: V8's, which turns faults of
 * WebAssembly into traps. A kick is the same by another signal, if the thread still runs the call that was meant.
 */
import { writeSharedObject } from "@muxkit/x64-assembler";

import {
  BLOCK_BYTES,
  CODE_SPACE_BYTES,
  FAULT_SIGNALS,
  HEADER,
  KICK_SIGNAL,
  SIGNAL_STACK_AT,
  SIGNAL_STACK_BYTES,
  STACK_AT,
  STACK_END,
  WORD,
  WORDS_BYTES,
} from "./bridge-layout.ts";
import { BridgeWriter, IF, R } from "./bridge-writer.ts";

const SYSTEM = {
  mmap: 9,
  mprotect: 10,
  munmap: 11,
  sigaction: 13,
  sigreturn: 15,
  madvise: 28,
  getpid: 39,
  sigaltstack: 131,
  gettid: 186,
  tgkill: 234,
  queueSignal: 297,
} as const;

const PROTECT = { none: 0, write: 3, execute: 5 } as const;
/** Private, anonymous, no memory set aside. */
const MAP_FLAGS = 0x4022;
const DO_NOT_NEED = 4;
const LARGE_PAGES = 14;
const OUT_OF_MEMORY = -12;
/** Results of system calls from here on are errors. */
const LEAST_ERROR = -4096;
/** Handlers get three arguments, run on the signal stack and bring their own way back. */
const ACTION_FLAGS = 0x4 | 0x800_0000 | 0x400_0000;
const RESTART = 0x1000_0000;
/** What kernels compute with: round to nearest, no exceptions, subnormal numbers kept. */
const KERNEL_MXCSR = 0x1f80;
const PAGE = 4096;

/** Offsets in the context that a handler gets. */
const CONTEXT = { rbx: 128, rsp: 160, rip: 168 } as const;
/** Offsets in what a handler gets of the signal. */
const SIGNAL = { code: 8, address: 16, value: 24 } as const;

const wordAt = (word: number): number => HEADER.words + 8 * word;

/** Everything that the parts of the code refer to. */
function makeLabels(writer: BridgeWriter) {
  return {
    getArguments: writer.import("napi_get_cb_info"),
    getTypedArray: writer.import("napi_get_typedarray_info"),
    createFunction: writer.import("napi_create_function"),
    setProperty: writer.import("napi_set_named_property"),
    createBuffer: writer.import("napi_create_external_arraybuffer"),
    addCleanup: writer.import("napi_add_env_cleanup_hook"),
    /** 0 nobody began, 1 somebody does, 2 ready, 3 failed. */
    state: writer.data(8),
    codeSpace: writer.data(8),
    codeNext: writer.data(8),
    /** The actions of before, 32 bytes each, by signal. */
    oldActions: writer.data(32 * 16),
    faultAction: writer.data(32),
    kickAction: writer.data(32),
    defaultAction: writer.data(32),
    onFault: writer.label(),
    onKick: writer.label(),
    restorer: writer.label(),
    leave: writer.label(),
    cleanup: writer.label(),
  };
}

type Labels = ReturnType<typeof makeLabels>;

/** The addresses of handlers into an action. */
function fillAction(writer: BridgeWriter, action: number, handler: number, restorer: number, flags: number): void {
  writer.addressAt(R.rsi, action);
  writer.addressAt(R.rax, handler);
  writer.store(R.rsi, 0, R.rax);
  writer.storeConstant(R.rsi, 8, flags);
  writer.addressAt(R.rax, restorer);
  writer.store(R.rsi, 16, R.rax);
}

/** Reserves the code space and installs the handlers, once a process. */
function writeInitialize(writer: BridgeWriter, labels: Labels, failed: number): void {
  writer.set(R.rdi, 0);
  writer.set(R.rsi, CODE_SPACE_BYTES);
  writer.set(R.rdx, PROTECT.none);
  writer.set(R.r10, MAP_FLAGS);
  writer.set(R.r8, -1);
  writer.set(R.r9, 0);
  writer.system(SYSTEM.mmap);
  writer.compareConstant(R.rax, LEAST_ERROR);
  writer.jumpIf(IF.above, failed);
  writer.storeAt(labels.codeSpace, R.rax);
  writer.storeAt(labels.codeNext, R.rax);
  fillAction(writer, labels.faultAction, labels.onFault, labels.restorer, ACTION_FLAGS);
  for (const signal of FAULT_SIGNALS) {
    writer.set(R.rdi, signal);
    writer.addressAt(R.rsi, labels.faultAction);
    writer.addressAt(R.rdx, labels.oldActions);
    writer.addConstant(R.rdx, 32 * signal);
    writer.set(R.r10, 8);
    writer.system(SYSTEM.sigaction);
  }
  fillAction(writer, labels.kickAction, labels.onKick, labels.restorer, ACTION_FLAGS | RESTART);
  writer.set(R.rdi, KICK_SIGNAL);
  writer.set(R.rdx, 0);
  writer.set(R.r10, 8);
  writer.system(SYSTEM.sigaction);
}

/** Makes the block of the thread, in r12; r13 is its mapping, which is twice as large for the sake of alignment. */
function writeMakeBlock(writer: BridgeWriter, labels: Labels, failed: number): void {
  writer.set(R.rdi, 0);
  writer.set(R.rsi, 2 * BLOCK_BYTES);
  writer.set(R.rdx, PROTECT.none);
  writer.set(R.r10, MAP_FLAGS);
  writer.set(R.r8, -1);
  writer.set(R.r9, 0);
  writer.system(SYSTEM.mmap);
  writer.compareConstant(R.rax, LEAST_ERROR);
  writer.jumpIf(IF.above, failed);
  writer.move(R.r13, R.rax);
  writer.address(R.r12, R.rax, BLOCK_BYTES - 1);
  writer.andConstant(R.r12, -BLOCK_BYTES);
  for (const [from, bytes] of [
    [0, PAGE],
    [STACK_AT, STACK_END - STACK_AT],
    [SIGNAL_STACK_AT, SIGNAL_STACK_BYTES],
  ] as const) {
    writer.address(R.rdi, R.r12, from);
    writer.set(R.rsi, bytes);
    writer.set(R.rdx, PROTECT.write);
    writer.system(SYSTEM.mprotect);
    writer.test(R.rax);
    writer.jumpIf(IF.notEqual, failed);
  }
  writer.store(R.r12, HEADER.mapping, R.r13);
  writer.storeConstant32(R.r12, HEADER.kernelMxcsr, KERNEL_MXCSR);
  writer.system(SYSTEM.gettid);
  writer.store(R.r12, wordAt(WORD.thread), R.rax);
  writer.loadAt(R.rax, labels.codeSpace);
  writer.store(R.r12, wordAt(WORD.codeSpace), R.rax);
  writer.store(R.r12, wordAt(WORD.block), R.r12);
  writer.address(R.rax, R.r12, SIGNAL_STACK_AT);
  writer.store(R.rsp, 0, R.rax);
  writer.storeConstant(R.rsp, 8, 0);
  writer.storeConstant(R.rsp, 16, SIGNAL_STACK_BYTES);
  writer.move(R.rdi, R.rsp);
  writer.address(R.rsi, R.r12, HEADER.oldSignalStack);
  writer.system(SYSTEM.sigaltstack);
}

/** `napi_register_module_v1(env, exports)`. An object without properties says that it failed. */
function writeRegister(writer: BridgeWriter, labels: Labels, functions: readonly (readonly [string, number])[]): void {
  const [wait, ready, failed, done] = [writer.label(), writer.label(), writer.label(), writer.label()];
  const saved = [R.rbx, R.rbp, R.r12, R.r13];
  writer.push(...saved);
  writer.addConstant(R.rsp, -40);
  writer.move(R.rbx, R.rdi);
  writer.move(R.rbp, R.rsi);
  writer.set(R.rax, 0);
  writer.set(R.rcx, 1);
  writer.emit("lock cmpxchg m32, r32", writer.assembler.at(labels.state), R.rcx);
  writer.jumpIf(IF.notEqual, wait);
  writeInitialize(writer, labels, failed);
  writer.set(R.rax, 2);
  writer.storeAt(labels.state, R.rax);
  writer.jump(ready);
  writer.bind(failed);
  writer.set(R.rax, 3);
  writer.storeAt(labels.state, R.rax);
  writer.jump(done);
  writer.bind(wait);
  writer.emit("pause");
  writer.compare32At(labels.state, 1);
  writer.jumpIf(IF.equal, wait);
  writer.bind(ready);
  writer.compare32At(labels.state, 2);
  writer.jumpIf(IF.notEqual, done);
  writeMakeBlock(writer, labels, done);

  const property = (name: number): void => {
    writer.test32(R.rax);
    writer.jumpIf(IF.notEqual, done);
    writer.move(R.rdi, R.rbx);
    writer.move(R.rsi, R.rbp);
    writer.addressAt(R.rdx, name);
    writer.load(R.rcx, R.rsp, 24);
    writer.callAt(labels.setProperty);
  };
  for (const [text, callback] of functions) {
    const name = writer.text(text);
    writer.move(R.rdi, R.rbx);
    writer.addressAt(R.rsi, name);
    writer.set(R.rdx, -1);
    writer.addressAt(R.rcx, callback);
    writer.move(R.r8, R.r12);
    writer.address(R.r9, R.rsp, 24);
    writer.callAt(labels.createFunction);
    property(name);
  }
  writer.move(R.rdi, R.rbx);
  writer.address(R.rsi, R.r12, HEADER.words);
  writer.set(R.rdx, WORDS_BYTES);
  writer.set(R.rcx, 0);
  writer.set(R.r8, 0);
  writer.address(R.r9, R.rsp, 24);
  writer.callAt(labels.createBuffer);
  property(writer.text("words"));
  writer.move(R.rdi, R.rbx);
  writer.addressAt(R.rsi, labels.cleanup);
  writer.move(R.rdx, R.r12);
  writer.callAt(labels.addCleanup);
  writer.bind(done);
  writer.move(R.rax, R.rbp);
  writer.addConstant(R.rsp, 40);
  writer.pop(...saved);
  writer.emit("ret");
}

/** What runs when the thread's Node ends: the block is given back. */
function writeCleanup(writer: BridgeWriter, labels: Labels): void {
  writer.bind(labels.cleanup);
  writer.push(R.rbx);
  writer.move(R.rbx, R.rdi);
  writer.address(R.rdi, R.rbx, HEADER.oldSignalStack);
  writer.set(R.rsi, 0);
  writer.system(SYSTEM.sigaltstack);
  writer.load(R.rdi, R.rbx, HEADER.mapping);
  writer.set(R.rsi, 2 * BLOCK_BYTES);
  writer.system(SYSTEM.munmap);
  writer.pop(R.rbx);
  writer.emit("ret");
}

/** A function of the bridge: `body` finds the block in rbx; `locals` bytes are free from rsp + 16 on. */
function writeFunction(writer: BridgeWriter, labels: Labels, locals: number, body: () => void): number {
  const entry = writer.label();
  const saved = [R.rbx, R.r12, R.r13];
  const frame = 16 + 16 * Math.ceil(locals / 16);
  writer.bind(entry);
  writer.push(...saved);
  writer.addConstant(R.rsp, -frame);
  for (const register of [R.rdx, R.rcx, R.r8]) writer.set(register, 0);
  writer.address(R.r9, R.rsp, 8);
  writer.callAt(labels.getArguments);
  writer.load(R.rbx, R.rsp, 8);
  body();
  writer.set(R.rax, 0);
  writer.addConstant(R.rsp, frame);
  writer.pop(...saved);
  writer.emit("ret");
  return entry;
}

/** Calls the kernel that the words name. */
function writeCall(writer: BridgeWriter, labels: Labels): number {
  const entry = writer.label();
  const saved = [R.rbx, R.rbp, R.r12, R.r13, R.r14, R.r15];
  writer.bind(entry);
  writer.push(...saved);
  writer.addConstant(R.rsp, -24);
  for (const register of [R.rdx, R.rcx, R.r8]) writer.set(register, 0);
  writer.address(R.r9, R.rsp, 8);
  writer.callAt(labels.getArguments);
  writer.load(R.rbx, R.rsp, 8);
  writer.store(R.rbx, HEADER.stackPointer, R.rsp);
  writer.emit("stmxcsr m32", writer.memory(R.rbx, HEADER.mxcsr));
  writer.emit("ldmxcsr m32", writer.memory(R.rbx, HEADER.kernelMxcsr));
  writer.load(R.rax, R.rbx, wordAt(WORD.memory));
  writer.emit("wrgsbase r64", R.rax);
  [R.rdi, R.rsi, R.rdx, R.rcx, R.r8, R.r9].forEach((register, n) => {
    writer.load(register, R.rbx, wordAt(WORD.arguments + n));
  });
  writer.load(R.rax, R.rbx, wordAt(WORD.code));
  writer.storeConstant(R.rbx, wordAt(WORD.fault), 0);
  writer.address(R.rsp, R.rbx, STACK_END - 64);
  writer.store(R.rsp, 0, R.rbx);
  writer.callRegister(R.rax);
  writer.load(R.rbx, R.rsp, 0);
  writer.store(R.rbx, wordAt(WORD.result), R.rax);
  // Kernels lose all registers; a fault arrives here with the block in rbx.
  writer.bind(labels.leave);
  writer.load(R.rsp, R.rbx, HEADER.stackPointer);
  writer.emit("ldmxcsr m32", writer.memory(R.rbx, HEADER.mxcsr));
  writer.emit("vzeroupper");
  writer.set(R.rax, 0);
  writer.addConstant(R.rsp, 24);
  writer.pop(...saved);
  writer.emit("ret");
  return entry;
}

/** Copies code into the code space and makes it executable: from, bytes, and where to, or 0 for a new place. */
function writePlace(writer: BridgeWriter, labels: Labels): number {
  return writeFunction(writer, labels, 0, () => {
    const [again, chosen, full, done] = [writer.label(), writer.label(), writer.label(), writer.label()];
    const check = (): void => {
      writer.move(R.rcx, R.r12);
      writer.subtractAt(R.rcx, labels.codeSpace);
      writer.add(R.rcx, R.r13);
      writer.compareConstant(R.rcx, CODE_SPACE_BYTES);
      writer.jumpIf(IF.above, full);
    };
    writer.load(R.r13, R.rbx, wordAt(WORD.arguments + 1));
    writer.addConstant(R.r13, PAGE - 1);
    writer.andConstant(R.r13, -PAGE);
    writer.load(R.r12, R.rbx, wordAt(WORD.arguments + 2));
    writer.test(R.r12);
    writer.jumpIf(IF.notEqual, chosen);
    // Takes the next pages, unless another thread was faster.
    writer.bind(again);
    writer.loadAt(R.r12, labels.codeNext);
    check();
    writer.move(R.rax, R.r12);
    writer.move(R.rcx, R.r12);
    writer.add(R.rcx, R.r13);
    writer.emit("lock cmpxchg m64, r64", writer.assembler.at(labels.codeNext), R.rcx);
    writer.jumpIf(IF.notEqual, again);
    writer.bind(chosen);
    check();
    const protect = (rights: number): void => {
      writer.move(R.rdi, R.r12);
      writer.move(R.rsi, R.r13);
      writer.set(R.rdx, rights);
      writer.system(SYSTEM.mprotect);
      writer.test(R.rax);
      writer.jumpIf(IF.notEqual, done);
    };
    protect(PROTECT.write);
    writer.move(R.rdi, R.r12);
    writer.load(R.rsi, R.rbx, wordAt(WORD.arguments));
    writer.load(R.rcx, R.rbx, wordAt(WORD.arguments + 1));
    writer.emit("rep movs BYTE PTR es:[rdi],BYTE PTR ds:[rsi]");
    protect(PROTECT.execute);
    writer.move(R.rax, R.r12);
    writer.jump(done);
    writer.bind(full);
    writer.set(R.rax, OUT_OF_MEMORY);
    writer.bind(done);
    writer.store(R.rbx, wordAt(WORD.result), R.rax);
  });
}

/** Gives pages of code back: from, bytes. */
function writeRelease(writer: BridgeWriter, labels: Labels): number {
  return writeFunction(writer, labels, 0, () => {
    for (const [call, third] of [
      [SYSTEM.mprotect, PROTECT.none],
      [SYSTEM.madvise, DO_NOT_NEED],
    ] as const) {
      writer.load(R.rdi, R.rbx, wordAt(WORD.arguments));
      writer.load(R.rsi, R.rbx, wordAt(WORD.arguments + 1));
      writer.set(R.rdx, third);
      writer.system(call);
    }
    writer.store(R.rbx, wordAt(WORD.result), R.rax);
  });
}

/** Says that memory is better in large pages: its address and its bytes. */
function writeLargePages(writer: BridgeWriter, labels: Labels): number {
  return writeFunction(writer, labels, 0, () => {
    writer.load(R.rdi, R.rbx, wordAt(WORD.arguments));
    writer.load(R.rsi, R.rbx, wordAt(WORD.arguments + 1));
    writer.set(R.rdx, LARGE_PAGES);
    writer.system(SYSTEM.madvise);
    writer.store(R.rbx, wordAt(WORD.result), R.rax);
  });
}

/** The address of the bytes of a typed array, its only argument; 0 when it is none. */
function writeAddressOf(writer: BridgeWriter, labels: Labels): number {
  const entry = writer.label();
  const [isNone, done] = [writer.label(), writer.label()];
  writer.bind(entry);
  writer.push(R.rbx);
  writer.addConstant(R.rsp, -64);
  writer.store(R.rsp, 48, R.rdi);
  writer.storeConstant(R.rsp, 16, 1);
  writer.address(R.rdx, R.rsp, 16);
  writer.address(R.rcx, R.rsp, 24);
  writer.set(R.r8, 0);
  writer.address(R.r9, R.rsp, 8);
  writer.callAt(labels.getArguments);
  writer.load(R.rbx, R.rsp, 8);
  writer.load(R.rdi, R.rsp, 48);
  writer.load(R.rsi, R.rsp, 24);
  writer.set(R.rdx, 0);
  writer.set(R.rcx, 0);
  writer.address(R.r8, R.rsp, 40);
  writer.set(R.r9, 0);
  writer.storeConstant(R.rsp, 0, 0);
  writer.callAt(labels.getTypedArray);
  writer.test32(R.rax);
  writer.jumpIf(IF.notEqual, isNone);
  writer.load(R.rax, R.rsp, 40);
  writer.jump(done);
  writer.bind(isNone);
  writer.set(R.rax, 0);
  writer.bind(done);
  writer.store(R.rbx, wordAt(WORD.result), R.rax);
  writer.set(R.rax, 0);
  writer.addConstant(R.rsp, 64);
  writer.pop(R.rbx);
  writer.emit("ret");
  return entry;
}

/** CPUID by leaf and subleaf; eax to edx take the places of the arguments. */
function writeCpuid(writer: BridgeWriter, labels: Labels): number {
  return writeFunction(writer, labels, 0, () => {
    writer.move(R.r8, R.rbx);
    writer.load(R.rax, R.r8, wordAt(WORD.arguments));
    writer.load(R.rcx, R.r8, wordAt(WORD.arguments + 1));
    writer.emit("cpuid");
    [R.rax, R.rbx, R.rcx, R.rdx].forEach((register, n) => {
      writer.store(R.r8, wordAt(WORD.arguments + n), register);
    });
  });
}

/** XGETBV: which registers the system saves. */
function writeXgetbv(writer: BridgeWriter, labels: Labels): number {
  return writeFunction(writer, labels, 0, () => {
    writer.set(R.rcx, 0);
    writer.emit("xgetbv");
    writer.store(R.rbx, wordAt(WORD.result), R.rax);
  });
}

/** How many signals have our handlers. */
function writeHandlers(writer: BridgeWriter, labels: Labels): number {
  return writeFunction(writer, labels, 32, () => {
    writer.set(R.r12, 0);
    for (const signal of [...FAULT_SIGNALS, KICK_SIGNAL]) {
      const other = writer.label();
      writer.set(R.rdi, signal);
      writer.set(R.rsi, 0);
      writer.address(R.rdx, R.rsp, 16);
      writer.set(R.r10, 8);
      writer.system(SYSTEM.sigaction);
      writer.load(R.rax, R.rsp, 16);
      writer.addressAt(R.rcx, signal === KICK_SIGNAL ? labels.onKick : labels.onFault);
      writer.compare(R.rax, R.rcx);
      writer.jumpIf(IF.notEqual, other);
      writer.addConstant(R.r12, 1);
      writer.bind(other);
    }
    writer.store(R.rbx, wordAt(WORD.result), R.r12);
  });
}

/** Makes a thread leave its kernel: its number, and the serial number of the call that is meant. */
function writeKick(writer: BridgeWriter, labels: Labels): number {
  return writeFunction(writer, labels, 128, () => {
    for (let offset = 16; offset < 16 + 128; offset += 8) writer.storeConstant(R.rsp, offset, 0);
    writer.storeConstant32(R.rsp, 16, KICK_SIGNAL);
    writer.storeConstant32(R.rsp, 16 + SIGNAL.code, -1);
    writer.load(R.rax, R.rbx, wordAt(WORD.arguments + 1));
    writer.store(R.rsp, 16 + SIGNAL.value, R.rax);
    writer.system(SYSTEM.getpid);
    writer.move(R.rdi, R.rax);
    writer.load(R.rsi, R.rbx, wordAt(WORD.arguments));
    writer.set(R.rdx, KICK_SIGNAL);
    writer.address(R.r10, R.rsp, 16);
    writer.system(SYSTEM.queueSignal);
    writer.store(R.rbx, wordAt(WORD.result), R.rax);
  });
}

/** Puts the distance of the place of a signal from the code space into rax, and goes elsewhere when it is not there. */
function writeIsKernel(writer: BridgeWriter, labels: Labels, elsewhere: number): void {
  writer.load(R.rax, R.rdx, CONTEXT.rip);
  writer.subtractAt(R.rax, labels.codeSpace);
  writer.compareConstant(R.rax, CODE_SPACE_BYTES);
  writer.jumpIf(IF.aboveOrEqual, elsewhere);
  writer.load(R.rcx, R.rdx, CONTEXT.rsp);
  writer.andConstant(R.rcx, -BLOCK_BYTES);
}

/** Notes the signal in the block, and lets the thread go on at `leave`. */
function writeLeave(writer: BridgeWriter, labels: Labels): void {
  writer.store(R.rcx, wordAt(WORD.faultPlace), R.rax);
  writer.load(R.rax, R.rsi, SIGNAL.address);
  writer.store(R.rcx, wordAt(WORD.faultAddress), R.rax);
  writer.store32(R.rcx, wordAt(WORD.fault), R.rdi);
  writer.store(R.rdx, CONTEXT.rbx, R.rcx);
  writer.load(R.rax, R.rcx, HEADER.stackPointer);
  writer.store(R.rdx, CONTEXT.rsp, R.rax);
  writer.addressAt(R.rax, labels.leave);
  writer.store(R.rdx, CONTEXT.rip, R.rax);
  writer.emit("ret");
}

/** The handlers: (signal, information, context). */
function writeHandlerCode(writer: BridgeWriter, labels: Labels): void {
  const [chain, toDefault, done, other] = [writer.label(), writer.label(), writer.label(), writer.label()];
  writer.bind(labels.restorer);
  writer.system(SYSTEM.sigreturn);

  writer.bind(labels.onFault);
  writeIsKernel(writer, labels, chain);
  writeLeave(writer, labels);
  writer.bind(chain);
  writer.addressAt(R.rax, labels.oldActions);
  writer.move(R.rcx, R.rdi);
  writer.emit("shl r64/m64, i8", R.rcx, 5);
  writer.add(R.rax, R.rcx);
  writer.load(R.rax, R.rax, 0);
  writer.compareConstant(R.rax, 1);
  writer.jumpIf(IF.belowOrEqual, toDefault);
  writer.jumpRegister(R.rax);

  // Nobody was there: the default again, which a fault meets when it repeats; what was sent is sent again.
  writer.bind(toDefault);
  writer.push(R.rbx, R.r12);
  writer.move(R.rbx, R.rdi);
  writer.load32(R.r12, R.rsi, SIGNAL.code);
  writer.addressAt(R.rsi, labels.defaultAction);
  writer.set(R.rdx, 0);
  writer.set(R.r10, 8);
  writer.system(SYSTEM.sigaction);
  writer.test32(R.r12);
  writer.jumpIf(IF.greater, done);
  writer.system(SYSTEM.getpid);
  writer.move(R.r12, R.rax);
  writer.system(SYSTEM.gettid);
  writer.move(R.rdi, R.r12);
  writer.move(R.rsi, R.rax);
  writer.move(R.rdx, R.rbx);
  writer.system(SYSTEM.tgkill);
  writer.bind(done);
  writer.pop(R.rbx, R.r12);
  writer.emit("ret");

  writer.bind(labels.onKick);
  writeIsKernel(writer, labels, other);
  writer.load32(R.r8, R.rsi, SIGNAL.value);
  writer.emit("cmp r32, r32/m32", R.r8, writer.memory(R.rcx, wordAt(WORD.serial)));
  writer.jumpIf(IF.notEqual, other);
  writeLeave(writer, labels);
  writer.bind(other);
  writer.emit("ret");
}

/** The bytes of the bridge: the same in each process of one version. */
export function bridgeFile(): Uint8Array {
  const writer = new BridgeWriter();
  const labels = makeLabels(writer);
  const functions = [
    ["call", writeCall(writer, labels)],
    ["place", writePlace(writer, labels)],
    ["release", writeRelease(writer, labels)],
    ["largePages", writeLargePages(writer, labels)],
    ["addressOf", writeAddressOf(writer, labels)],
    ["cpuid", writeCpuid(writer, labels)],
    ["xgetbv", writeXgetbv(writer, labels)],
    ["handlers", writeHandlers(writer, labels)],
    ["kick", writeKick(writer, labels)],
  ] as const;
  writeHandlerCode(writer, labels);
  writeCleanup(writer, labels);
  const register = writer.assembler.length;
  writeRegister(writer, labels, functions);
  const { image, codeSize, imports } = writer.finish();
  const exports = [{ name: "napi_register_module_v1", offset: register }];
  return writeSharedObject({ image, codeSize, exports, imports, isPinned: true });
}
