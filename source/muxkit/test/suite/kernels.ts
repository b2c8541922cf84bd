// SPDX-License-Identifier: Apache-2.0
// Kernels of benchmarks/suite as TypeScript, with the parameters of their OpenCL C versions.
// oxlint-disable typescript/no-non-null-assertion -- elements are there, and this project checks indices
// oxlint-disable typescript/no-unnecessary-type-arguments, typescript/no-unsafe-unary-minus -- as users write it
import {
  type Accessor,
  type Item,
  type LocalArray,
  type NdItem,
  type PrivateArray,
  atomicRef,
  bitselect,
  clamp,
  exp,
  fabs,
  type float,
  float as toFloat,
  float4,
  type int,
  kernel,
  localArray,
  log,
  privateArray,
  rotate,
  rsqrt,
  sqrt,
  uint as toUint,
  type uint,
} from "muxkit/sycl";

export const saxpy = kernel((item: Item<1>, n: uint, a: float, x: Accessor<float, "read">, y: Accessor<float>) => {
  const i = item.getId(0);
  if (toUint(i) < n) y[i] = a * x[i]! + y[i]!;
});

const TILE = 16;

export const sgemm_tiled = kernel(
  (
    item: NdItem<2>,
    _m: uint,
    n: uint,
    k: uint,
    a: Accessor<float, "read">,
    b: Accessor<float, "read">,
    c: Accessor<float, "write">,
  ) => {
    const ta = localArray(toFloat, TILE, TILE);
    const tb = localArray(toFloat, TILE, TILE);
    const lx = toUint(item.getLocalId(1));
    const ly = toUint(item.getLocalId(0));
    const column = toUint(item.getGroup(1)) * TILE + lx;
    const row = toUint(item.getGroup(0)) * TILE + ly;
    let sum = 0.0;
    for (let p0: uint = 0; p0 < k; p0 += TILE) {
      ta[ly]![lx] = a[row * k + p0 + lx]!;
      tb[ly]![lx] = b[(p0 + ly) * n + column]!;
      item.barrier("local");
      for (let p = 0; p < TILE; p++) sum += ta[ly]![p]! * tb[p]![lx]!;
      item.barrier("local");
    }
    c[row * n + column] = sum;
  },
  { groupSize: [TILE, TILE] },
);

export const nbody = kernel(
  (item: Item<1>, n: uint, eps2: float, body: Accessor<float4, "read">, accel: Accessor<float4>) => {
    const i = item.getId(0);
    const me = body[i]!;
    let ax = 0.0;
    let ay = 0.0;
    let az = 0.0;
    for (let j: uint = 0; j < n; j++) {
      const b = body[j]!;
      const dx: float = b.x - me.x;
      const dy: float = b.y - me.y;
      const dz: float = b.z - me.z;
      const r: float = rsqrt(dx * dx + dy * dy + dz * dz + eps2);
      const s: float = b.w * r * r * r;
      ax += dx * s;
      ay += dy * s;
      az += dz * s;
    }
    accel[i] = float4(ax, ay, az, 0);
  },
);

export const mandelbrot = kernel(
  (item: Item<2>, w: uint, h: uint, x0: float, y0: float, step: float, limit: uint, out: Accessor<uint>) => {
    const px = toUint(item.getId(1));
    const py = toUint(item.getId(0));
    if (px >= w || py >= h) return;
    const cx: float = x0 + step * toFloat(px);
    const cy: float = y0 + step * toFloat(py);
    let x = 0.0;
    let y = 0.0;
    let n: uint = 0;
    while (n < limit) {
      const xx: float = x * x;
      const yy: float = y * y;
      if (xx + yy > 4) break;
      y = 2 * x * y + cy;
      x = xx - yy + cx;
      n++;
    }
    out[py * w + px] = n;
  },
);

/** The normal distribution by a polynomial of five terms. */
function cnd(x: float): float {
  const t: float = 1 / (1 + 0.2316419 * fabs(x));
  const poly: float = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail: float = 0.39894228 * exp(-0.5 * (x * x)) * poly;
  return x > 0 ? 1 - tail : tail;
}

export const blackscholes = kernel(
  (
    item: Item<1>,
    rate: float,
    vol: float,
    price: Accessor<float, "read">,
    strike: Accessor<float, "read">,
    years: Accessor<float, "read">,
    call: Accessor<float>,
    put: Accessor<float>,
  ) => {
    const i = item.getId(0);
    const s = price[i]!;
    const x = strike[i]!;
    const t = years[i]!;
    const sq: float = vol * sqrt(t);
    const d1: float = (log(s / x) + (rate + 0.5 * vol * vol) * t) / sq;
    const d2: float = d1 - sq;
    const n1 = cnd(d1);
    const n2 = cnd(d2);
    const disc: float = x * exp(-rate * t);
    call[i] = s * n1 - disc * n2;
    put[i] = disc * (1 - n2) - s * (1 - n1);
  },
);

export const conv5x5 = kernel(
  (
    item: Item<2>,
    w: int,
    h: int,
    src: Accessor<float, "read">,
    coef: Accessor<float, "read">,
    dst: Accessor<float>,
  ) => {
    const x = item.getId(1);
    const y = item.getId(0);
    let sum = 0.0;
    for (let dy = -2; dy <= 2; dy++)
      for (let dx = -2; dx <= 2; dx++) {
        const sx: int = clamp(x + dx, 0, w - 1);
        const sy: int = clamp(y + dy, 0, h - 1);
        sum += src[sy * w + sx]! * coef[(dy + 2) * 5 + dx + 2]!;
      }
    dst[y * w + x] = sum;
  },
);

export const hist_local = kernel(
  (item: NdItem<1>, words: uint, x: Accessor<uint, "read">, bins: Accessor<uint>, h: LocalArray<uint>) => {
    const lid = toUint(item.getLocalId());
    const ls = toUint(item.getLocalRange());
    for (let b = lid; b < 256; b += ls) h[b] = 0;
    item.barrier("local");
    for (let i = toUint(item.getGlobalId()); i < words; i += toUint(item.getGlobalRange())) {
      const v = x[i]!;
      atomicRef(h, v & 255).fetchAdd(1);
      atomicRef(h, (v >>> 8) & 255).fetchAdd(1);
      atomicRef(h, (v >>> 16) & 255).fetchAdd(1);
      atomicRef(h, v >>> 24).fetchAdd(1);
    }
    item.barrier("local");
    for (let b = lid; b < 256; b += ls) if (h[b]! !== 0) atomicRef(bins, b).fetchAdd(h[b]!);
  },
);

const PER = 16;

export const reduce_sum = kernel(
  (item: NdItem<1>, n: uint, x: Accessor<float, "read">, partial: Accessor<float>, s: LocalArray<float>) => {
    const lid = toUint(item.getLocalId());
    const ls = toUint(item.getLocalRange());
    const base = toUint(item.getGroup()) * ls * PER + lid;
    let sum = 0.0;
    for (let k: uint = 0; k < PER; k++) {
      const i: uint = base + k * ls;
      if (i < n) sum += x[i]!;
    }
    s[lid] = sum;
    item.barrier("local");
    for (let h: uint = ls >>> 1; h > 0; h >>>= 1) {
      if (lid < h) s[lid] = s[lid] + s[lid + h]!;
      item.barrier("local");
    }
    if (lid === 0) partial[item.getGroup()] = s[0]!;
  },
);

export const transpose = kernel(
  (item: NdItem<2>, w: uint, h: uint, src: Accessor<float, "read">, dst: Accessor<float>) => {
    const t = localArray(toFloat, TILE, TILE + 1);
    const lx = toUint(item.getLocalId(1));
    const ly = toUint(item.getLocalId(0));
    const bx: uint = toUint(item.getGroup(1)) * 16;
    const by: uint = toUint(item.getGroup(0)) * 16;
    t[ly]![lx] = src[(by + ly) * w + bx + lx]!;
    item.barrier("local");
    dst[(bx + ly) * h + by + lx] = t[lx]![ly]!;
  },
  { groupSize: [TILE, TILE] },
);

export const spmv_csr = kernel(
  (
    item: Item<1>,
    rows: uint,
    ptr: Accessor<uint, "read">,
    col: Accessor<uint, "read">,
    val: Accessor<float, "read">,
    x: Accessor<float, "read">,
    y: Accessor<float>,
  ) => {
    const r = toUint(item.getId(0));
    if (r >= rows) return;
    let sum = 0.0;
    for (let k = ptr[r]!; k < ptr[r + 1]!; k++) sum += val[k]! * x[col[k]!]!;
    y[r] = sum;
  },
);

export const stencil7 = kernel(
  (
    item: Item<3>,
    nx: uint,
    ny: uint,
    nz: uint,
    c0: float,
    c1: float,
    a: Accessor<float, "read">,
    b: Accessor<float>,
  ) => {
    const x = toUint(item.getId(2));
    const y = toUint(item.getId(1));
    const z = toUint(item.getId(0));
    const i: uint = (z * ny + y) * nx + x;
    if (x === 0 || y === 0 || z === 0 || x === nx - 1 || y === ny - 1 || z === nz - 1) {
      b[i] = a[i]!;
      return;
    }
    b[i] = c0 * a[i]! + c1 * (a[i - 1]! + a[i + 1]! + a[i - nx]! + a[i + nx]! + a[i - nx * ny]! + a[i + nx * ny]!);
  },
);

// oxfmt-ignore
const K: readonly uint[] = [
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];
const S0 = (x: uint): uint => rotate(x, 30) ^ rotate(x, 19) ^ rotate(x, 10);
const S1 = (x: uint): uint => rotate(x, 26) ^ rotate(x, 21) ^ rotate(x, 7);
const G0 = (x: uint): uint => rotate(x, 25) ^ rotate(x, 14) ^ (x >>> 3);
const G1 = (x: uint): uint => rotate(x, 15) ^ rotate(x, 13) ^ (x >>> 10);

/** A block of a message into the state. */
function compress(st: PrivateArray<uint, 8>, w: PrivateArray<uint, 16>): void {
  let [a, b, c, d] = [st[0]!, st[1]!, st[2]!, st[3]!];
  let [e, f, g, h] = [st[4]!, st[5]!, st[6]!, st[7]!];
  for (let t = 0; t < 64; t++) {
    let wt: uint;
    if (t < 16) wt = w[t]!;
    else {
      wt = G1(w[(t + 14) & 15]!) + w[(t + 9) & 15]! + G0(w[(t + 1) & 15]!) + w[t & 15]!;
      w[t & 15] = wt;
    }
    const t1: uint = h + S1(e) + bitselect(g, f, e) + K[t]! + wt;
    const t2: uint = S0(a) + ((a & b) | (c & (a | b)));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  st[0] = st[0]! + a;
  st[1] = st[1]! + b;
  st[2] = st[2]! + c;
  st[3] = st[3]! + d;
  st[4] = st[4]! + e;
  st[5] = st[5]! + f;
  st[6] = st[6]! + g;
  st[7] = st[7]! + h;
}

export const sha256 = kernel((item: Item<1>, msg: Accessor<uint, "read">, digest: Accessor<uint>) => {
  const i = item.getId(0);
  const w = privateArray(toUint, 16);
  const st = privateArray(
    toUint,
    [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19],
  );
  for (let t = 0; t < 16; t++) w[t] = msg[i * 16 + t]!;
  compress(st, w);
  w[0] = 0x80000000;
  for (let t = 1; t < 15; t++) w[t] = 0;
  w[15] = 512;
  compress(st, w);
  for (let t = 0; t < 8; t++) digest[i * 8 + t] = st[t]!;
});
