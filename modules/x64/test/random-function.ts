// SPDX-License-Identifier: Apache-2.0
// Random machine functions: any flow graph, values used wherever their definition dominates, all kinds of constraints.
import { ADDRESS, formOf } from "@muxkit/x64-assembler";
import { BANK, type MachineAddress, MachineFunction, type MachineValue, NO_VALUE } from "@muxkit/x64";

import { Random } from "./random.ts";

/** How large, and for which registers. */
export interface Shape {
  readonly blocks: number;
  readonly instructions: number;
  readonly vectors: 16 | 32;
}

/** For each block, the blocks that dominate it, itself too; undefined for those that are not reached. */
function dominators(successors: readonly (readonly number[])[]): readonly (ReadonlySet<number> | undefined)[] {
  const dominating: (Set<number> | undefined)[] = successors.map(() => undefined);
  dominating[0] = new Set([0]);
  for (let isChanged = true; isChanged;) {
    isChanged = false;
    successors.forEach((targets, block) => {
      const own = dominating[block];
      if (own === undefined) return;
      for (const target of targets) {
        const known = dominating[target];
        const now = new Set([...own].filter((one) => known === undefined || known.has(one)));
        now.add(target);
        if (target !== 0 && (known === undefined || now.size !== known.size)) {
          dominating[target] = now;
          isChanged = true;
        }
      }
    });
  }
  return dominating;
}

/** Writes one function; the same seed gives the same one. */
class Writer {
  readonly machine: MachineFunction = new MachineFunction();
  readonly #random: Random;
  readonly #shape: Shape;
  /** For each block and bank, the values that it defines. */
  readonly #defined: MachineValue[][][] = [];
  #visible: readonly number[] = [];
  #block: number = 0;
  readonly #fresh: MachineValue[] = [];

  constructor(seed: number, shape: Shape) {
    this.#random = new Random(seed);
    this.#shape = shape;
  }

  #new(bank: number): MachineValue {
    const value = this.machine.value(bank, bank === BANK.vector ? this.#shape.vectors * 2 : 8);
    this.#fresh.push(value);
    return value;
  }

  /** What was defined may be used from now on: not by the instruction that defines it. */
  #settle(): void {
    for (const value of this.#fresh.splice(0)) {
      this.#defined[this.#block]?.[this.machine.banks[value] ?? 0]?.push(value);
    }
  }

  /** A value that may be used here; recent ones and old ones alike. */
  #any(bank: number): MachineValue {
    const visible = this.#visible.flatMap((block) => this.#defined[block]?.[bank] ?? []);
    return this.#random.of(visible);
  }

  #address(index: MachineValue = NO_VALUE): MachineAddress {
    const isIndexed = index !== NO_VALUE || this.#random.below(2) === 0;
    return {
      kind: ADDRESS.kernel,
      base: this.#any(BANK.general),
      index: index === NO_VALUE && isIndexed ? this.#any(BANK.general) : index,
      scale: this.#random.below(4),
      displacement: this.#random.below(1000),
    };
  }

  /** One instruction that the tier has. */
  #instruction(): void {
    const { machine } = this;
    const general = (): MachineValue => this.#any(BANK.general);
    const vector = (): MachineValue => this.#any(BANK.vector);
    const [g, v, k] = [BANK.general, BANK.vector, BANK.mask];
    const common: readonly (() => void)[] = [
      () => machine.add(formOf("add r32, r32/m32"), [general(), this.#new(g), general()]),
      () => machine.add(formOf("add r32, r32/m32"), [general(), this.#new(g), this.#address()]),
      () => machine.add(formOf("lea r32, m"), [this.#new(g), this.#address()]),
      () => machine.add(formOf("mov m32, r32"), [this.#address(), general()]),
      () => machine.add(formOf("imul r32, r32/m32, s8"), [this.#new(g), general(), this.#random.below(100)]),
      () => machine.add(formOf("shl r32/m32, cl"), [general(), this.#new(g), general()]),
      () => machine.add(formOf("div r32/m32"), [general(), this.#new(g), general(), this.#new(g), general()]),
      () => machine.add(formOf("mul r32/m32"), [general(), this.#new(g), this.#new(g), general()]),
      () => machine.add(formOf("mulx r32, r32, r32/m32"), [this.#new(g), this.#new(g), general(), general()]),
      () => machine.add(formOf("lock cmpxchg m32, r32"), [this.#address(), general(), general(), this.#new(g)]),
      () => machine.add(formOf("vmovd x, r32/m32"), [this.#new(v), general()]),
      () => machine.add(formOf("vmovd r32/m32, x"), [this.#new(g), vector()]),
    ];
    const short: readonly (() => void)[] = [
      () => machine.add(formOf("vaddps y, y, y/m256"), [this.#new(v), vector(), vector()]),
      () => machine.add(formOf("vaddps y, y, y/m256"), [this.#new(v), vector(), this.#address()]),
      () => machine.add(formOf("vfmadd231ps y, y, y/m256"), [vector(), this.#new(v), vector(), vector()]),
      () => machine.add(formOf("vblendvps y, y, y/m256, y"), [this.#new(v), vector(), vector(), vector()]),
      () => {
        const address = this.#address(vector());
        machine.add(formOf("vpgatherdd y, m32(y), y"), [vector(), this.#new(v), address, vector(), this.#new(v)]);
      },
    ];
    const wide: readonly (() => void)[] = [
      () => machine.add(formOf("vaddps z, z, z/m512"), [this.#new(v), vector(), vector()]),
      () => machine.add(formOf("vfmadd231ps z, z, z/m512"), [vector(), this.#new(v), vector(), vector()]),
      () => machine.add(formOf("vpcmpd k, z, z/m512, i8"), [this.#new(k), vector(), vector(), 1]),
      () => machine.add(formOf("vpaddd z, z, z/m512"), [this.#new(v), vector(), vector()], this.#any(k)),
      () => machine.add(formOf("kandw k, k, k"), [this.#new(k), this.#any(k), this.#any(k)]),
      () =>
        machine.add(formOf("vpgatherdd z, m32(z)"), [vector(), this.#new(v), this.#address(vector())], this.#any(k)),
    ];
    this.#random.of([...common, ...(this.#shape.vectors === 16 ? [...short, ...short] : [...wide, ...wide])])();
    this.#settle();
  }

  /** Instructions that need nothing, so that each bank has values. */
  #seedValues(): void {
    const { machine } = this;
    for (let n = 0; n < 3; n++) machine.add(formOf("mov r32, i32"), [this.#new(BANK.general), n]);
    this.#settle();
    const vector = this.#shape.vectors === 16 ? "vmovd x, r32/m32" : "evex vmovd x, r32/m32";
    for (let n = 0; n < 2; n++) machine.add(formOf(vector), [this.#new(BANK.vector), this.#any(BANK.general)]);
    if (this.#shape.vectors === 32)
      machine.add(formOf("kmovw k, r32"), [this.#new(BANK.mask), this.#any(BANK.general)]);
    this.#settle();
  }

  #graph(): readonly (readonly number[])[] {
    const { blocks } = this.#shape;
    const random = this.#random;
    return Array.from({ length: blocks }, (_, block) => {
      if (block === blocks - 1) return [];
      const next = block + 1;
      const kind = random.below(10);
      if (kind < 2) return [next];
      // Mostly forward, sometimes back: loops, also such that are entered in their middle.
      const other = kind < 7 ? next + random.below(blocks - next) : 1 + random.below(blocks - 1);
      return random.below(2) === 0 ? [next, other] : [other, next];
    });
  }

  write(): MachineFunction {
    const { machine } = this;
    const graph = this.#graph();
    const dominating = dominators(graph);
    const banks = this.#shape.vectors === 32 ? [BANK.general, BANK.vector, BANK.mask] : [BANK.general, BANK.vector];
    graph.forEach((_, block) => {
      this.#block = block;
      this.#defined.push([[], [], []]);
      const count = block === 0 ? 0 : this.#random.below(this.#random.below(3) === 0 ? 24 : 4);
      const parameters = Array.from({ length: count }, () => this.#new(this.#random.of(banks)));
      const first = [BANK.general, BANK.general, BANK.vector];
      machine.block(...(block === 0 ? first.map((bank) => this.#new(bank)) : parameters));
      this.#settle();
    });
    graph.forEach((targets, block) => {
      this.#block = block;
      this.#visible = [...(dominating[block] ?? [block])].filter(
        (one) => one <= block || dominating[block] !== undefined,
      );
      machine.begin(block);
      if (block === 0 || dominating[block] === undefined) this.#seedValues();
      const count = this.#random.below(this.#shape.instructions) + 1;
      for (let n = 0; n < count; n++) this.#instruction();
      machine.add(formOf("cmp r32, r32/m32"), [this.#any(BANK.general), this.#any(BANK.general)]);
      machine.end(this.#ending(targets));
    });
    // What back edges pass is known when all blocks are filled.
    graph.forEach((targets, block) => {
      this.#block = block;
      this.#visible = [...(dominating[block] ?? [block])];
      const given = targets.map((target) =>
        machine.parametersOf(target).map((parameter) => this.#any(machine.banks[parameter] ?? 0)),
      );
      const results = [this.#any(BANK.general), this.#any(BANK.vector), this.#any(BANK.general)];
      machine.redirect(block, { ...machine.endingOf(block), arguments: targets.length === 0 ? [results] : given });
    });
    return machine;
  }

  #ending(successors: readonly number[]) {
    const kind = (["return", "jump", "branch"] as const)[successors.length] ?? "return";
    return { kind, condition: 4, successors, arguments: successors.map(() => []) };
  }
}

/** A random function. */
export function randomFunction(seed: number, shape: Shape): MachineFunction {
  return new Writer(seed, shape).write();
}
