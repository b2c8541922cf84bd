// SPDX-License-Identifier: Apache-2.0
// Random programs on halfs: values computed, moved, selected, carried around loops and through calls are the same bits
// every way.
import { expect, test } from "vitest";

import { IS_SLICE, firstDifference, runEveryWay } from "@muxkit/kernel-suite";

import { ENABLE_HALF, sequence } from "./half-reference.ts";

/** Writes a program from pseudo-random numbers: variables of half and of half4, statements that mix them. */
class Writer {
  private readonly random: () => number;
  private depth = 0;

  constructor(seed: number) {
    this.random = sequence(seed);
    for (let i = 0; i < 8; i++) this.random();
  }

  private pick<T>(list: readonly T[]): T {
    return list[this.random() % list.length] as T;
  }

  private scalar(): string {
    if (++this.depth > 5) {
      this.depth--;
      return this.pick(["a", "b", "c", "1.5h", "0x1p-20h", "60000.0h", "-0.0h"]);
    }
    const made = this.pick([
      () => `(${this.scalar()} ${this.pick(["+", "-", "*", "/"])} ${this.scalar()})`,
      () => `(${this.scalar()} ${this.pick(["+", "*"])} ${this.scalar()})`,
      () => `${this.pick(["fabs", "sqrt", "floor", "rint", "-", "trunc"])}(${this.scalar()})`,
      () => `${this.pick(["fmin", "fmax", "copysign", "twice"])}(${this.scalar()}, ${this.scalar()})`,
      () => `fma(${this.scalar()}, ${this.scalar()}, ${this.scalar()})`,
      () =>
        `(${this.scalar()} ${this.pick(["<", "<=", "==", "!="])} ${this.scalar()} ? ` +
        `${this.scalar()} : ${this.scalar()})`,
      () => `(half)(${this.pick(["int", "short", "uchar"])})${this.scalar()}`,
      () => `(half)((float)${this.scalar()} * ${this.pick(["1.25f", "3e4f", "1e-5f"])})`,
      () => `as_half((ushort)(as_ushort(${this.scalar()}) ^ ${this.pick(["1", "0x8000", "0x100"])}))`,
      () => `(${this.vector()}).${this.pick(["x", "y", "s2", "w"])}`,
      () => this.pick(["a", "b", "c"]),
    ])();
    this.depth--;
    return made;
  }

  private vector(): string {
    if (++this.depth > 5) {
      this.depth--;
      return this.pick(["u", "v"]);
    }
    const made = this.pick([
      () => `(${this.vector()} ${this.pick(["+", "-", "*", "/"])} ${this.vector()})`,
      () => `(${this.vector()} * ${this.scalar()})`,
      () => `(half4)(${this.scalar()}, ${this.vector()}.${this.pick(["xy", "zw", "odd"])}, ${this.scalar()})`,
      () => `(${this.vector()}).${this.pick(["wzyx", "xxyy", "yzwx"])}`,
      () => `(${this.vector()} ${this.pick(["<", ">=", "=="])} ${this.vector()} ? ${this.vector()} : ${this.vector()})`,
      () => `fma(${this.vector()}, ${this.vector()}, ${this.vector()})`,
      () => `${this.pick(["fabs", "sqrt", "ceil", "-"])}(${this.vector()})`,
      () =>
        `convert_half4_${this.pick(["rte", "rtz", "rtp", "rtn"])}(convert_` +
        `${this.pick(["float4", "double4", "int4"])}(${this.vector()}))`,
      () => this.pick(["u", "v"]),
    ])();
    this.depth--;
    return made;
  }

  private statement(level: number): string {
    return this.pick([
      () => `${this.pick(["a", "b", "c"])} = ${this.scalar()};`,
      () => `${this.pick(["u", "v"])} = ${this.vector()};`,
      () => `${this.pick(["u", "v"])}.${this.pick(["x", "z", "s3"])} += ${this.scalar()};`,
      () => `${this.pick(["a", "b"])} ${this.pick(["+=", "*=", "-="])} ${this.scalar()};`,
      () =>
        level > 1
          ? "a += b;"
          : `if (${this.scalar()} > ${this.scalar()}) { ${this.statements(level + 1)} } else { ` +
            `${this.statements(level + 1)} }`,
      () =>
        level > 1
          ? "v *= u;"
          : `for (int i${level} = 0; i${level} < ${this.pick(["2", "3", "n"])}; i${level}++) { ` +
            `${this.statements(level + 1)} }`,
      () => "m[n & 3] = a; c = m[(n + 1) & 3];",
    ])();
  }

  private statements(level: number): string {
    return Array.from({ length: 2 + (this.random() % 2) }, () => this.statement(level)).join(" ");
  }

  program(): string {
    return `${ENABLE_HALF}__attribute__((noinline)) half twice(half x, half y) { return x * 2.0h - y; }
kernel void k(global const half *in, global half *out) {
  size_t g = get_global_id(0);
  int n = (int)(g % 5);
  half a = in[g], b = in[g + 32], c = in[g + 64], m[4] = { 0, 1, 2, 3 };
  half4 u = vload4(g, in), v = vload4(g + 32, in);
  ${Array.from({ length: 5 }, () => this.statement(0)).join("\n  ")}
  out[g] = a; out[g + 32] = b; out[g + 64] = c;
  vstore4(u, g + 32, out); vstore4(v, g + 64, out);
}`;
  }
}

const PROGRAMS = Number(process.env["MUXKIT_FUZZ_RUNS"] ?? (IS_SLICE ? "10" : "24"));

test("random programs agree", { timeout: 300_000 }, () => {
  for (let seed = 1; seed <= PROGRAMS; seed++) {
    const source = new Writer(seed * 7919).program();
    const random = sequence(seed);
    const input = Uint16Array.from({ length: 512 }, (_, i) =>
      i % 3 === 0 ? 0x3000 + (random() & 0x1fff) : random() & 0xffff,
    );
    const [first, ...others] = runEveryWay({
      source,
      kernel: "k",
      global: [32],
      local: [8],
      arguments: [{ contents: new Uint8Array(input.buffer) }, { contents: new Uint8Array(1024) }],
    });
    if (first === undefined) throw new Error("nothing ran");
    for (const other of others) expect(firstDifference(first, other, ["bits", "bits"]), source).toBeNull();
  }
});
