// SPDX-License-Identifier: Apache-2.0
// Vector loads and stores, those of halves in every rounding, and shuffles (OpenCL C 6.15.7, 6.15.13) against element
// by element references.
import { expect, test } from "vitest";

import { firstDifference, runEveryWay } from "@muxkit/kernel-suite";

import { ARRAYS, type Element, type Numbers, bytesOf } from "./column-rig.ts";
import { ENABLE_HALF, directed, rounded, sequence, valueOf } from "./half-reference.ts";

const PATIENCE = 300_000;
const ELEMENTS = Object.keys(ARRAYS) as Element[];
const LANES = [2, 3, 4, 8, 16];

/** Runs `k(…inputs, out)` in every way, which must agree; returns what is in `out`. */
function run(source: string, inputs: readonly Uint8Array[], outputBytes: number, items: number): Uint8Array {
  const [first, ...others] = runEveryWay({
    source,
    kernel: "k",
    global: [items],
    local: [1],
    arguments: [...inputs.map((contents) => ({ contents })), { contents: new Uint8Array(outputBytes) }],
  });
  if (first === undefined) throw new Error("nothing ran");
  for (const other of others)
    expect(firstDifference(first, other, [...inputs.map(() => "bits" as const), "bits"])).toBeNull();
  return first.buffers.at(-1) ?? new Uint8Array(0);
}

test.each(ELEMENTS)(
  "vloadn and vstoren of %s, aligned to elements only, three lanes tight",
  { timeout: PATIENCE },
  (type) => {
    const size = ARRAYS[type].BYTES_PER_ELEMENT;
    const random = sequence(2);
    const input = Uint8Array.from({ length: size * 200 }, () => random() & 0x3f);
    for (const lanes of LANES) {
      const source = `${ENABLE_HALF}constant ${type} table[${lanes}] = { 1 };
      kernel void k(global const ${type} *in, global ${type} *out) {
      size_t i = get_global_id(0); local ${type} own[${2 * lanes + 1}]; private ${type} mine[${lanes + 1}];
      vstore${lanes}(vload${lanes}(i, in + 1), 1, own + 1);
      vstore${lanes}(vload${lanes}(1, own + 1), 0, mine + 1);
      vstore${lanes}(vload${lanes}(0, mine + 1), i, out + 3);
      out[0] = vload${lanes}(0, table).x;
    }`;
      const items = 10;
      const got = run(source, [input], size * (items * lanes + 4), items);
      expect([...got.subarray(3 * size, (3 + items * lanes) * size)], `${lanes} lanes`).toEqual([
        ...input.subarray(size, (1 + items * lanes) * size),
      ]);
      expect(got.subarray((3 + items * lanes) * size).every((byte) => byte === 0)).toBe(true);
    }
  },
);

test("every half is loaded as the float that it is", { timeout: PATIENCE }, () => {
  const halves = Uint16Array.from({ length: 65_536 }, (_, bits) => bits);
  for (const lanes of [1, ...LANES]) {
    const name = lanes === 1 ? "" : String(lanes);
    const items = Math.floor(65_536 / lanes / (lanes === 1 ? 8 : 4));
    // vloada_half3 takes vectors of four.
    const stride = lanes === 3 ? 4 : lanes;
    const store = (what: string, at: string): string =>
      lanes === 1 ? `out[${at}] = ${what}` : `vstore${name}(${what}, ${at}, out)`;
    const source = `kernel void k(global const half *in, global float *out) {
      size_t i = get_global_id(0);
      ${store(`vload_half${name}(i, in)`, "2 * i")};
      ${store(`vloada_half${name}(i, in)`, "2 * i + 1")};
    }`;
    const got = new Float32Array(run(source, [bytesOf(halves)], items * lanes * 8, items).slice().buffer);
    const wrong = Array.from({ length: items * lanes }, (_, i) => i).filter((i) => {
      const [item, lane] = [Math.floor(i / lanes), i % lanes];
      return (
        !Object.is(got[2 * item * lanes + lane], valueOf(item * lanes + lane)) ||
        !Object.is(got[(2 * item + 1) * lanes + lane], valueOf(item * stride + lane))
      );
    });
    expect(wrong, `${lanes} lanes`).toEqual([]);
  }
});

/** Numbers at halves, between them, and beyond them. */
function numbers(type: "float" | "double"): Numbers {
  const random = sequence(9);
  const step = type === "float" ? 2 ** -23 : 2 ** -52;
  const list = [
    0,
    -0,
    Infinity,
    -Infinity,
    65_519.9,
    65_520,
    -65_520,
    65_536,
    3e38,
    2 ** -25,
    -(2 ** -25),
    2 ** -26,
    1e-45,
    0.1,
  ];
  while (list.length < 1920) {
    const value = valueOf(random() & 0x7bff);
    const above = valueOf((random() & 0x7bff) | 1);
    list.push(
      value,
      -above,
      (value + valueOf(Math.min(rounded(value) + 1, 0x7bff))) / 2,
      -value * (1 + step),
      value * (1 - step),
    );
  }
  return type === "float" ? Float32Array.from(list.slice(0, 1920)) : Float64Array.from(list.slice(0, 1920));
}

test.each(["float", "double"] as const)("%s is stored as half in every rounding", { timeout: PATIENCE }, (type) => {
  const given = numbers(type);
  for (const lanes of [1, ...LANES]) {
    const name = lanes === 1 ? "" : String(lanes);
    const modes = lanes < 4 || lanes === 8 ? ["", "_rte", "_rtz", "_rtp", "_rtn"] : ["", "_rtz"];
    const items = Math.floor(given.length / lanes / 2);
    const stride = lanes === 3 ? 4 : lanes;
    const count = items * stride;
    const calls = modes.map(
      (mode, m) =>
        `vstore_half${name}${mode}(v, i, out + ${2 * m * count});
        vstorea_half${name}${mode}(v, i, out + ${(2 * m + 1) * count});`,
    );
    const source = `kernel void k(global const ${type} *in, global half *out) {
      size_t i = get_global_id(0);
      ${type}${name} v = ${lanes === 1 ? "in[i]" : `vload${name}(i, in)`};
      ${calls.join(" ")}
    }`;
    const got = new Uint16Array(run(source, [bytesOf(given)], modes.length * 2 * count * 2, items).slice().buffer);
    const wrong = modes.flatMap((mode, m) =>
      Array.from({ length: items * lanes }, (_, i) => {
        const value = Number(given[i]);
        const wanted = mode === "" || mode === "_rte" ? rounded(value) : directed(value, mode.slice(1));
        const [tight, apart] = [
          got[2 * m * count + i],
          got[(2 * m + 1) * count + Math.floor(i / lanes) * stride + (i % lanes)],
        ];
        return tight === wanted && apart === wanted ? [] : [`${value}${mode}: ${tight}, ${apart}, not ${wanted}`];
      }).flat(),
    );
    expect(wrong, `${lanes} lanes`).toEqual([]);
  }
});

test.each(["char", "ushort", "half", "int", "float", "long", "double"] as const)(
  "shuffle and shuffle2 of %s, with constant and variable masks",
  { timeout: PATIENCE },
  (type) => {
    const size = ARRAYS[type].BYTES_PER_ELEMENT;
    const mask = `u${size === 1 ? "char" : size === 2 ? "short" : size === 4 ? "int" : "long"}` as const;
    const random = sequence(size);
    for (const [from, to] of [
      [2, 2],
      [2, 16],
      [4, 4],
      [8, 4],
      [16, 8],
      [16, 16],
    ] as const) {
      const items = 6;
      const input = Uint8Array.from({ length: size * from * items * 2 }, () => random() & 0x3f);
      const masks = Array.from({ length: to * items }, () => random() % 256);
      const known = Array.from({ length: to }, () => random() % (2 * from));
      const maskBytes = bytesOf(
        size === 8 ? BigUint64Array.from(masks.map(BigInt)) : new ARRAYS[mask as "uint"](masks),
      );
      const source = `${ENABLE_HALF}kernel void k(global const ${type}${from} *in, global const ${mask}${to} *masks, global ${type}${to} *out) {
        size_t i = get_global_id(0);
        ${type}${from} a = in[2 * i], b = in[2 * i + 1];
      out[3 * i] = shuffle(a, masks[i]);
      out[3 * i + 1] = shuffle2(a, b, masks[i]);
      out[3 * i + 2] = shuffle2(a, b, (${mask}${to})(${known.join(", ")}));
    }`;
      const got = run(source, [input, maskBytes], size * to * items * 3, items);
      const wanted = new Uint8Array(got.length);
      const put = (at: number, element: number): void =>
        wanted.set(input.subarray(element * size, (element + 1) * size), at * size);
      for (let i = 0; i < items; i++) {
        for (let lane = 0; lane < to; lane++) {
          const picked = masks[i * to + lane] ?? 0;
          put(3 * i * to + lane, 2 * i * from + (picked % from));
          put((3 * i + 1) * to + lane, 2 * i * from + (picked % (2 * from)));
          put((3 * i + 2) * to + lane, 2 * i * from + ((known[lane] ?? 0) % (2 * from)));
        }
      }
      expect([...got], `${from} to ${to}`).toEqual([...wanted]);
    }
  },
);
