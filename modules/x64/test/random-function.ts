// SPDX-License-Identifier: Apache-2.0
// Random machine functions: nested loops and branches, more values than registers, fixed registers, calls, constants.
import { form, MachineBuilder } from "../source/machine-builder.ts";
import { GENERAL, type MachineBlock, MachineFunction, PSEUDO, VECTOR } from "../source/machine-function.ts";
import { ALL_REGISTERS } from "../source/registers.ts";

class Random {
  private state: number;

  constructor(seed: number) {
    this.state = (seed ^ 0x5bd1_e995) >>> 0 || 1;
  }

  below(limit: number): number {
    this.state ^= this.state << 13;
    this.state ^= this.state >>> 17;
    this.state ^= this.state << 5;
    return (this.state >>> 0) % limit;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}

const GENERAL_FORMS = ["add r32, r32/m32", "imul r32, r32/m32, s8", "xor r32, r32/m32", "shrx r32, r32/m32, r32"];
const VECTOR_FORMS = [
  "vaddps y, y, y/m256",
  "vmulps y, y, y/m256",
  "vfmadd231ps y, y, y/m256",
  "vpshufd y, y/m256, i8",
];
/** On 16 bytes: their operands may be any vectors, of which they read the first half. */
const HALF_FORMS = ["vaddps x, x, x/m128", "vfmadd231ps x, x, x/m128", "vpshufd x, x/m128, i8"];

/** Values that may be read, by what they are. */
interface Known {
  readonly general: number[];
  readonly vectors: number[];
  readonly halves: number[];
}

class Maker {
  private readonly fn: MachineFunction;
  private readonly random: Random;
  private readonly builder: MachineBuilder;
  private readonly size: number;
  private general: number[] = [];
  private vectors: number[] = [];
  /** Vectors of 16 bytes. */
  private halves: number[] = [];
  private left: number;

  constructor(seed: number, size: number) {
    this.fn = new MachineFunction(`random ${seed}`);
    this.random = new Random(seed);
    this.size = size;
    this.left = size;
    this.fn.clobbers.push(ALL_REGISTERS, Uint8Array.of(0, 1, 2, 16, 17, 18, 19));
    this.builder = new MachineBuilder(this.fn, this.fn.newBlock());
  }

  run(): MachineFunction {
    const { builder } = this;
    for (let i = 0; i < 4; i++) {
      this.general.push(builder.constant(PSEUDO.constant, GENERAL, 8, i));
      this.vectors.push(builder.constant(PSEUDO.vectorConstant, VECTOR, 32, i));
      this.halves.push(builder.constant(PSEUDO.vectorConstant, VECTOR, 16, 4 + i));
    }
    this.region(0);
    const used = [...this.general.slice(-20), ...this.vectors.slice(-20), ...this.halves.slice(-20)];
    for (const value of used) builder.pseudo(-100, 0, 0, [value]);
    builder.pseudo(PSEUDO.ret, 0, 0, [this.random.pick(this.general)], [0]);
    return this.fn;
  }

  /** No branches, just so many instructions. */
  straight(): MachineFunction {
    const { builder } = this;
    for (let i = 0; i < 20; i++) {
      this.general.push(builder.constant(PSEUDO.constant, GENERAL, 8, i));
      this.vectors.push(builder.constant(PSEUDO.vectorConstant, VECTOR, 32, i));
      this.halves.push(builder.constant(PSEUDO.vectorConstant, VECTOR, 16, 20 + i));
    }
    while (this.left > 0) this.one();
    builder.pseudo(PSEUDO.ret, 0, 0, [this.random.pick(this.general)], [0]);
    return this.fn;
  }

  private value(list: readonly number[]): number {
    // Mostly recent ones, now and then any.
    return this.random.below(4) === 0
      ? this.random.pick(list)
      : (list[Math.max(0, list.length - 1 - this.random.below(24))] as number);
  }

  private one(): void {
    const { builder, random, general, vectors, halves } = this;
    this.left--;
    const g = (): number => this.value(general);
    const v = (): number => this.value(vectors);
    const x = (): number => this.value(random.below(2) === 0 ? vectors : halves);
    const which = random.below(28);
    if (which >= 24) {
      const key = random.pick(HALF_FORMS);
      halves.push(
        builder.emit(
          form(key),
          key.endsWith("i8") ? [x(), random.below(100)] : key.startsWith("vfm") ? [x(), x(), x()] : [x(), x()],
        ),
      );
    } else if (which < 8) {
      const key = random.pick(GENERAL_FORMS);
      general.push(builder.emit(form(key), key.endsWith("s8") ? [g(), random.below(100)] : [g(), g()]));
    } else if (which < 18) {
      const key = random.pick(VECTOR_FORMS);
      const given = key.endsWith("i8")
        ? [v(), random.below(100)]
        : key.startsWith("vfm")
          ? [v(), v(), v()]
          : [v(), v()];
      vectors.push(builder.emit(form(key), given));
    } else if (which < 20) general.push(builder.emit(form("shl r32/m32, cl"), [g(), g()].slice(0, 2)));
    else if (which < 21) {
      builder.emit(form("div r32/m32"), [g(), g(), g()]);
      general.push(builder.results[0] as number);
      if (random.below(2) === 0) general.push(builder.results[1] as number);
    } else if (which < 22 && random.below(4) === 0) {
      builder.pseudo(PSEUDO.call, 3, random.below(2), [g(), g(), v()], [7, 6, 16]);
      general.push(builder.addResult(GENERAL, 8, 0));
      vectors.push(builder.addResult(VECTOR, 32, 16));
    } else if (which < 23) general.push(builder.copy(g()));
    else {
      builder.pseudo(-101, random.below(50), 0, [g(), v()]);
      builder.addTemporary(GENERAL);
      builder.addTemporary(VECTOR, 32);
      general.push(builder.addTied(GENERAL, 8, 0));
    }
  }

  private region(depth: number): void {
    const { random } = this;
    for (let steps = 1 + random.below(6); steps > 0 && this.left > 0; steps--) {
      for (let i = random.below(1 + this.size / 8); i > 0; i--) this.one();
      if (depth > 3) continue;
      if (random.below(2) === 0) this.fork(depth);
      else this.loop(depth);
    }
  }

  private branch(yes: MachineBlock, no: MachineBlock, yesArgs: readonly number[], noArgs: readonly number[]): void {
    this.builder.emit(form("cmp r32, r32/m32"), [this.value(this.general), this.value(this.general)]);
    this.builder.branch(this.random.below(16), yes, no, yesArgs, noArgs);
  }

  private join(block: MachineBlock, count: number): void {
    for (let i = 0; i < count; i++) {
      for (const value of [this.fn.newValue(GENERAL), this.fn.newValue(VECTOR, 32), this.fn.newValue(VECTOR, 16)])
        block.parameters.push(value);
    }
  }

  private args(count: number): number[] {
    // What is passed as 16 bytes may have 32.
    const half = (): number => this.value(this.random.below(2) === 0 ? this.vectors : this.halves);
    return Array.from({ length: count }, () => [this.value(this.general), this.value(this.vectors), half()]).flat();
  }

  private enter(block: MachineBlock, { general, vectors, halves }: Known): void {
    this.builder.block = block;
    const own = (width: number): number[] => block.parameters.filter((value) => this.fn.width[value] === width);
    this.general = [...general, ...own(8)];
    this.vectors = [...vectors, ...own(32)];
    this.halves = [...halves, ...own(16)];
  }

  private known(): Known {
    const { general, vectors, halves } = this;
    return { general, vectors, halves };
  }

  private fork(depth: number): void {
    const { fn } = this;
    const known = this.known();
    const [yes, no, end] = [fn.newBlock(), fn.newBlock(), fn.newBlock()];
    const count = this.random.below(4);
    this.join(end, count);
    this.branch(yes, no, [], []);
    for (const block of [yes, no]) {
      this.enter(block, known);
      this.region(depth + 1);
      if (block === yes && this.random.below(3) === 0) this.branch(end, end, this.args(count), this.args(count));
      else this.builder.jump(end, this.args(count));
    }
    this.enter(end, known);
  }

  private loop(depth: number): void {
    const { fn, random } = this;
    const [header, end] = [fn.newBlock(), fn.newBlock()];
    const count = 1 + random.below(random.below(4) === 0 ? 20 : 4);
    this.join(header, count);
    this.builder.jump(header, this.args(count));
    this.enter(header, this.known());
    this.region(depth + 1);
    // A permutation of the parameters now and then: moves on the edge have cycles.
    const own =
      random.below(2) === 0 ? this.args(count) : [...header.parameters.slice(3), ...header.parameters.slice(0, 3)];
    const known = this.known();
    this.branch(header, end, own, []);
    this.enter(end, known);
  }
}

/** A function of about so many instructions; the same for the same seed. */
export function randomFunction(seed: number, size: number): MachineFunction {
  return new Maker(seed, size).run();
}

/** A function of one block. */
export function straightFunction(size: number): MachineFunction {
  return new Maker(7, size).straight();
}
