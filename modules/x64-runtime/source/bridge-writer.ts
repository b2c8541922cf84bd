// SPDX-License-Identifier: Apache-2.0
// An assembler with the few instructions that the bridge is written in, and the data behind its code.
import { Assembler, NONE, PAGE_BYTES, type SharedObject, formOf } from "@muxkit/x64-assembler";

/** Numbers of general registers. */
export const R = {
  rax: 0,
  rcx: 1,
  rdx: 2,
  rbx: 3,
  rsp: 4,
  rbp: 5,
  rsi: 6,
  rdi: 7,
  r8: 8,
  r9: 9,
  r10: 10,
  r12: 12,
  r13: 13,
  r14: 14,
  r15: 15,
} as const;

/** Numbers of conditions. */
export const IF = { aboveOrEqual: 3, equal: 4, notEqual: 5, belowOrEqual: 6, above: 7, greater: 15 } as const;

const FORM = {
  move: formOf("mov r64, r64/m64"),
  move32: formOf("mov r32, r32/m32"),
  store: formOf("mov m64, r64"),
  store32: formOf("mov m32, r32"),
  storeConstant: formOf("mov r64/m64, s32"),
  storeConstant32: formOf("mov m32, s32"),
  set: formOf("mov r32, i32"),
  add: formOf("add r64, r64/m64"),
  sub: formOf("sub r64, r64/m64"),
  addConstant: formOf("add r64/m64, s32"),
  andConstant: formOf("and r64/m64, s32"),
  compareConstant: formOf("cmp r64/m64, s32"),
  compare32Constant: formOf("cmp r32/m32, s32"),
  compare: formOf("cmp r64, r64/m64"),
  zero: formOf("xor r32, r32/m32"),
  test: formOf("test r64/m64, r64"),
  test32: formOf("test r32/m32, r32"),
  lea: formOf("lea r64, m"),
  push: formOf("push r64"),
  pop: formOf("pop r64"),
  call: formOf("call r64/m64"),
  jump: formOf("jmp r64/m64"),
  syscall: formOf("syscall"),
} as const;

/** Writes the bridge: code first, then, from a page on, its data. */
export class BridgeWriter {
  readonly assembler: Assembler = new Assembler();
  readonly #data: { readonly label: number; readonly bytes: Uint8Array }[] = [];
  readonly #imports: { readonly name: string; readonly label: number }[] = [];

  /** A label in the code that is bound later. */
  label(): number {
    return this.assembler.newLabel();
  }

  /** Bytes of data; a multiple of 8 keeps what follows aligned. */
  data(bytes: number | Uint8Array): number {
    const label = this.label();
    this.#data.push({ label, bytes: typeof bytes === "number" ? new Uint8Array(bytes) : bytes });
    return label;
  }

  /** A name as a string of C. */
  text(text: string): number {
    const bytes = new Uint8Array(8 * Math.ceil((text.length + 1) / 8));
    bytes.set(new TextEncoder().encode(text));
    return this.data(bytes);
  }

  /** The word that gets the address of a function of Node. */
  import(name: string): number {
    const label = this.data(8);
    this.#imports.push({ name, label });
    return label;
  }

  move(to: number, from: number): void {
    this.assembler.emit(FORM.move, to, from);
  }

  load(to: number, base: number, offset: number): void {
    this.assembler.emit(FORM.move, to, this.assembler.flat(base, offset));
  }

  load32(to: number, base: number, offset: number): void {
    this.assembler.emit(FORM.move32, to, this.assembler.flat(base, offset));
  }

  loadAt(to: number, label: number): void {
    this.assembler.emit(FORM.move, to, this.assembler.at(label));
  }

  store(base: number, offset: number, from: number): void {
    this.assembler.emit(FORM.store, this.assembler.flat(base, offset), from);
  }

  store32(base: number, offset: number, from: number): void {
    this.assembler.emit(FORM.store32, this.assembler.flat(base, offset), from);
  }

  storeAt(label: number, from: number): void {
    this.assembler.emit(FORM.store, this.assembler.at(label), from);
  }

  storeConstant(base: number, offset: number, value: number): void {
    this.assembler.emit(FORM.storeConstant, this.assembler.flat(base, offset), value);
  }

  storeConstant32(base: number, offset: number, value: number): void {
    this.assembler.emit(FORM.storeConstant32, this.assembler.flat(base, offset), value);
  }

  /** Any value of 32 bits; a negative one fills the upper half too. */
  set(to: number, value: number): void {
    if (value < 0) this.assembler.emit(FORM.storeConstant, to, value);
    else if (value === 0) this.assembler.emit(FORM.zero, to, to);
    else this.assembler.emit(FORM.set, to, value);
  }

  add(to: number, from: number): void {
    this.assembler.emit(FORM.add, to, from);
  }

  addConstant(to: number, value: number): void {
    this.assembler.emit(FORM.addConstant, to, value);
  }

  andConstant(to: number, value: number): void {
    this.assembler.emit(FORM.andConstant, to, value);
  }

  /** Takes what is at a label from a register. */
  subtractAt(to: number, label: number): void {
    this.assembler.emit(FORM.sub, to, this.assembler.at(label));
  }

  compareConstant(register: number, value: number): void {
    this.assembler.emit(FORM.compareConstant, register, value);
  }

  compare32At(label: number, value: number): void {
    this.assembler.emit(FORM.compare32Constant, this.assembler.at(label), value);
  }

  compare(a: number, b: number): void {
    this.assembler.emit(FORM.compare, a, b);
  }

  test(register: number): void {
    this.assembler.emit(FORM.test, register, register);
  }

  test32(register: number): void {
    this.assembler.emit(FORM.test32, register, register);
  }

  address(to: number, base: number, offset: number): void {
    this.assembler.emit(FORM.lea, to, this.assembler.flat(base, offset));
  }

  addressAt(to: number, label: number): void {
    this.assembler.emit(FORM.lea, to, this.assembler.at(label));
  }

  push(...registers: readonly number[]): void {
    for (const register of registers) this.assembler.emit(FORM.push, register);
  }

  /** In the order of the pushes. */
  pop(...registers: readonly number[]): void {
    for (const register of registers.toReversed()) this.assembler.emit(FORM.pop, register);
  }

  /** Calls the function whose address is at a label. */
  callAt(label: number): void {
    this.assembler.emit(FORM.call, this.assembler.at(label));
  }

  callRegister(register: number): void {
    this.assembler.emit(FORM.call, register);
  }

  jumpRegister(register: number): void {
    this.assembler.emit(FORM.jump, register);
  }

  /** A system call; its arguments are in rdi, rsi, rdx, r10, r8, r9. rcx and r11 are lost. */
  system(number: number): void {
    this.set(R.rax, number);
    this.assembler.emit(FORM.syscall);
  }

  emit(key: string, ...operands: readonly [a?: number, b?: number]): void {
    this.assembler.emit(formOf(key), ...operands);
  }

  bind(label: number): void {
    this.assembler.bind(label);
  }

  jumpIf(condition: number, label: number): void {
    this.assembler.jumpIf(condition, label);
  }

  jump(label: number): void {
    this.assembler.jump(label);
  }

  /** The address of memory for an instruction of {@link BridgeWriter.emit}. */
  memory(base: number, offset: number): number {
    return this.assembler.flat(base, offset, NONE);
  }

  /** Ends the code, writes the data: all bytes, how many of them are code, and the words of imports. */
  finish(): Pick<SharedObject, "image" | "codeSize" | "imports"> {
    const { assembler } = this;
    assembler.align(PAGE_BYTES);
    const codeSize = assembler.length;
    for (const { label, bytes } of this.#data) {
      assembler.bind(label);
      assembler.writeBytes(bytes);
    }
    const imports = this.#imports.map(({ name, label }) => ({ name, offset: assembler.offsetOf(label) }));
    return { image: assembler.finish(), codeSize, imports };
  }
}
