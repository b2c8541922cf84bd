// SPDX-License-Identifier: Apache-2.0
// What buffers hold at first. Everything is the same in each run, so that pictures can be compared.
import type { ElementType, Elements } from "./kernel-types.ts";
import { paintScene } from "./scene.ts";
import type { BufferSetup, Content } from "./setup.ts";

/** A picture: rows of RGBA bytes. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** Numbers in [0, 1) by a seed: a counter, mixed (the finaliser of MurmurHash3). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let x = state;
    x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
    return ((x ^ (x >>> 16)) >>> 0) / 2 ** 32;
  };
}

/** A picture with other sizes, cut to their shape: the nearest pixel of each. */
export function fitPixels(picture: Pixels, width: number, height: number): Uint8Array {
  const result = new Uint8Array(width * height * 4);
  const from = new Uint32Array(picture.data.buffer, picture.data.byteOffset, picture.width * picture.height);
  const to = new Uint32Array(result.buffer);
  const scale = Math.min(picture.width / width, picture.height / height);
  const left = (picture.width - width * scale) / 2;
  const top = (picture.height - height * scale) / 2;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const row = Math.floor(top + (y + 0.5) * scale);
      to[y * width + x] = from[row * picture.width + Math.floor(left + (x + 0.5) * scale)] ?? 0;
    }
  return result;
}

type Fill<K extends Content["kind"]> = (
  into: Elements,
  content: Extract<Content, { readonly kind: K }>,
  shape: readonly number[],
  own: Pixels | null,
) => void;

const FILLS: { readonly [K in Content["kind"]]: Fill<K> } = {
  zero: () => {},
  random: (into, { low, high, seed }) => {
    const next = randomNumbers(seed);
    for (let i = 0; i < into.length; i++) into[i] = low + (high - low) * next();
  },
  ramp: (into, { step }) => {
    for (let i = 0; i < into.length; i++) into[i] = i * step;
  },
  picture: (into, _content, [width = 1, height = 1], own) => {
    const pixels = own === null ? paintScene(width, height) : fitPixels(own, width, height);
    into.set(pixels.subarray(0, into.length));
  },
};

/** The elements of a buffer at the start; `own` is the reader's picture. */
export function contentOf({ shape, content }: BufferSetup, type: ElementType, own: Pixels | null): Elements {
  const into = new type.arrays(shape.reduce((product, size) => product * size, 1) * type.stride);
  const fill: (into: Elements, content: never, shape: readonly number[], own: Pixels | null) => void =
    FILLS[content.kind];
  fill(into, content as never, shape, own);
  return into;
}
