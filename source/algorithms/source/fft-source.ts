// SPDX-License-Identifier: Apache-2.0
// Stages of Fourier transforms in OpenCL C.
//
// Stockham's algorithm (Cochran and others, "What is the fast Fourier transform?", 1967): a stage of radix R, after
// stages whose product is `before`, takes the n / R butterflies j = b · before + k. Butterfly j reads the elements
// j + r · n / R, turns them by the twiddle factors of k, and writes b · before · R + k + r · before. Results come in
// order, so nothing is permuted by bits.
//
// Between stages the real parts of a row lie before its imaginary parts, so that vectors hold either; the first stage
// takes complex numbers apart, the last one puts them together. A vector holds butterflies next to each other, whose
// reads are contiguous; so are their writes where `before` is a multiple of the width. The writes of the first stage
// are the transpose of a small matrix. The inverse transform is the forward one with both parts exchanged.

/** Real or imaginary parts that a vector holds, for each scalar. */
const WIDTHS: Readonly<Record<string, number>> = { float: 4, double: 2 };

/** A stage of a transform. */
export interface Stage {
  /** Elements of a butterfly. */
  readonly radix: number;
  /** Product of the radices before. */
  readonly before: number;
  /** Where its twiddle factors begin: reals first, then imaginaries, `before` of each for r = 1 to R - 1. */
  readonly table: number;
  /** Butterflies that a vector holds; 1: scalars. */
  readonly width: number;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** What transforms have in common. */
export interface Transform {
  readonly scalar: "float" | "double";
  /** Complex numbers of a row. */
  readonly length: number;
  readonly isInverse: boolean;
}

function times(count: number, radix: number): readonly number[] {
  return Array.from({ length: count }, () => radix);
}

/** The radices of a length, in their order; null: it has another prime factor than 2, 3 and 5. */
export function radicesOf(length: number): readonly number[] | null {
  if (!Number.isInteger(length) || length < 1) return null;
  let rest = length;
  const factors = (radix: number): number => {
    let count = 0;
    for (; rest % radix === 0; rest /= radix) count++;
    return count;
  };
  const [twos, threes, fives] = [factors(2), factors(3), factors(5)];
  if (rest !== 1) return null;
  // An odd power of two has one stage of radix 8 in place of one of radix 2.
  const odd = twos % 2 === 1 ? (twos === 1 ? [2] : [8]) : [];
  const fours = (twos - (odd[0] === 8 ? 3 : odd.length)) / 2;
  return [...times(fours, 4), ...odd, ...times(threes, 3), ...times(fives, 5)];
}

/** The stages of a transform of radices, with vectors or without. */
export function stagesOf(
  { scalar, length }: Transform,
  radices: readonly number[],
  isVector: boolean,
): readonly Stage[] {
  const widest = isVector ? (WIDTHS[scalar] as number) : 1;
  const stages: Stage[] = [];
  let [before, table] = [1, 0];
  for (const [i, radix] of radices.entries()) {
    const fits = (length / radix) % widest === 0 && (before === 1 || before % widest === 0);
    const isLast = i === radices.length - 1;
    stages.push({ radix, before, table, width: fits ? widest : 1, isFirst: i === 0, isLast });
    table += 2 * (radix - 1) * before;
    before *= radix;
  }
  return stages;
}

/** The twiddle factors of all stages, as {@link Stage} places them. */
export function twiddles(stages: readonly Stage[]): Float64Array {
  const size = stages.reduce((sum, { radix, before }) => sum + 2 * (radix - 1) * before, 0);
  const values = new Float64Array(size);
  for (const { radix, before, table } of stages)
    for (let r = 1; r < radix; r++)
      for (let k = 0; k < before; k++) {
        const angle = (2 * Math.PI * k * r) / (before * radix);
        const at = table + (r - 1) * before + k;
        values[at] = Math.cos(angle);
        values[at + (radix - 1) * before] = -Math.sin(angle);
      }
  return values;
}

function real(value: number, scalar: string): string {
  return scalar === "double" ? `${value}` : `${Math.fround(value)}f`;
}

/** Butterflies in place of the variables re0, im0 … */
const BUTTERFLIES: Readonly<Record<number, (V: string, scalar: string) => string>> = {
  2: (V) => `${V} a = re0 - re1, b = im0 - im1; re0 += re1; im0 += im1; re1 = a; im1 = b;`,
  3: (V, scalar) => `${V} s = re1 + re2, t = im1 + im2;
    ${V} d = (re1 - re2) * ${real(Math.sqrt(3) / 2, scalar)}, e = (im1 - im2) * ${real(Math.sqrt(3) / 2, scalar)};
    ${V} m = re0 - s * ${real(0.5, scalar)}, n = im0 - t * ${real(0.5, scalar)};
    re0 += s; im0 += t; re1 = m + e; im1 = n - d; re2 = m - e; im2 = n + d;`,
  4: (V) => four(V, [0, 1, 2, 3]),
  5: (V, scalar) => {
    const [c1, c2] = [1, 2].map((k) => real(Math.cos((2 * Math.PI * k) / 5), scalar)) as [string, string];
    const [s1, s2] = [1, 2].map((k) => real(Math.sin((2 * Math.PI * k) / 5), scalar)) as [string, string];
    return `${V} a = re1 + re4, b = re1 - re4, c = re2 + re3, d = re2 - re3;
    ${V} e = im1 + im4, f = im1 - im4, g = im2 + im3, h = im2 - im3;
    ${V} m = re0 + a * ${c1} + c * ${c2}, p = re0 + a * ${c2} + c * ${c1};
    ${V} n = im0 + e * ${c1} + g * ${c2}, q = im0 + e * ${c2} + g * ${c1};
    ${V} u = f * ${s1} + h * ${s2}, v = f * ${s2} - h * ${s1}, w = b * ${s1} + d * ${s2}, z = b * ${s2} - d * ${s1};
    re0 += a + c; im0 += e + g;
    re1 = m + u; im1 = n - w; re4 = m - u; im4 = n + w; re2 = p + v; im2 = q - z; re3 = p - v; im3 = q + z;`;
  },
  // Two of radix 4, whose results are turned by eighths.
  8: (V, scalar) => `{ ${four(V, [0, 2, 4, 6])} }
    { ${four(V, [1, 3, 5, 7])} }
    ${V} x = (re3 + im3) * ${real(Math.SQRT1_2, scalar)}, y = (im3 - re3) * ${real(Math.SQRT1_2, scalar)};
    ${V} z = (im7 - re7) * ${real(Math.SQRT1_2, scalar)}, w = -(re7 + im7) * ${real(Math.SQRT1_2, scalar)};
    ${V} p0 = re1, q0 = im1, p2 = im5, q2 = -re5;
    ${V} a0 = re0, b0 = im0, a1 = re2, b1 = im2, a2 = re4, b2 = im4, a3 = re6, b3 = im6;
    re0 = a0 + p0; im0 = b0 + q0; re4 = a0 - p0; im4 = b0 - q0;
    re1 = a1 + x; im1 = b1 + y; re5 = a1 - x; im5 = b1 - y;
    re2 = a2 + p2; im2 = b2 + q2; re6 = a2 - p2; im6 = b2 - q2;
    re3 = a3 + z; im3 = b3 + w; re7 = a3 - z; im7 = b3 - w;`,
};

/** A butterfly of radix 4 in place of some variables, whose results are in their order. */
function four(V: string, [p, q, r, s]: readonly [number, number, number, number]): string {
  return `${V} sa = re${p} + re${r}, sb = im${p} + im${r}, da = re${p} - re${r}, db = im${p} - im${r};
    ${V} ta = re${q} + re${s}, tb = im${q} + im${s}, ea = re${q} - re${s}, eb = im${q} - im${s};
    re${p} = sa + ta; im${p} = sb + tb; re${q} = da + eb; im${q} = db - ea;
    re${r} = sa - ta; im${r} = sb - tb; re${s} = da - eb; im${s} = db + ea;`;
}

/**
 * Stores the R parts of the butterflies of a vector next to each other: the transpose of R rows and `width` columns, at
 * most four rows at a time, so that one permutation of a wide vector does it.
 */
function storeTransposed(part: "re" | "im", radix: number, { scalar }: Transform, width: number, base: string): string {
  const rows = radix === 8 ? 4 : radix;
  if (radix % 2 === 1)
    return Array.from({ length: width * radix }, (_, i) => {
      const [lane, r] = [Math.floor(i / radix), i % radix];
      return `${base}[${i}] = ${part}${r}.s${lane};`;
    }).join(" ");
  return Array.from({ length: radix / rows }, (_, block) => {
    const name = `${part}Block${block}`;
    const values = Array.from({ length: rows }, (__, r) => `${part}${block * rows + r}`);
    const joined = `${scalar}${rows * width} ${name} = (${scalar}${rows * width})(${values.join(", ")});`;
    const stores = Array.from({ length: width }, (__, lane) => {
      const picked = values.map((___, r) => (r * width + lane).toString(16)).join("");
      return `vstore${rows}(${name}.s${picked}, 0, ${base} + ${lane * radix + block * rows});`;
    });
    return `${joined} ${stores.join(" ")}`;
  }).join("\n    ");
}

/**
 * The body for the butterflies from `j` on, `k` of which is j modulo `before`: it sees `x` and `out`, which are the
 * row's elements, and `table`.
 */
function butterflyBody(transform: Transform, stage: Stage): string {
  const { scalar, length, isInverse } = transform;
  const { radix, before, table, width, isFirst, isLast } = stage;
  const V = width === 1 ? scalar : `${scalar}${width}`;
  const rows = Array.from({ length: radix }, (_, r) => r);
  const step = length / radix;
  const load = (base: string): string => (width === 1 ? `${base}[0]` : `vload${width}(0, ${base})`);
  const store = (value: string, base: string): string =>
    width === 1 ? `${base}[0] = ${value};` : `vstore${width}(${value}, 0, ${base});`;
  const [first, second] = isInverse ? ["im", "re"] : ["re", "im"];
  const read = (r: number): string => {
    const at = `j + ${r * step}`;
    if (!isFirst) return `${V} re${r} = ${load(`(x + ${at})`)}, im${r} = ${load(`(x + ${length} + ${at})`)};`;
    if (width === 1) return `${V} ${first}${r} = x[2 * (${at})], ${second}${r} = x[2 * (${at}) + 1];`;
    return `${scalar}${2 * width} t${r} = vload${2 * width}(0, x + 2 * (${at})); ${V} ${first}${r} = t${r}.even, ${second}${r} = t${r}.odd;`;
  };
  const turn = (r: number): string =>
    before === 1 || r === 0
      ? ""
      : `{ ${V} c = ${load(`(table + ${table + (r - 1) * before} + k)`)}, s = ${load(`(table + ${table + (radix - 1 + r - 1) * before} + k)`)};
      ${V} t = mad(-im${r}, s, re${r} * c); im${r} = mad(im${r}, c, re${r} * s); re${r} = t; }`;
  const scale = isLast && isInverse ? rows.map((r) => `re${r} *= scale; im${r} *= scale;`).join(" ") : "";
  const write = (r: number): string => {
    const at = `place + ${r * before}`;
    if (!isLast) return `${store(`re${r}`, `(out + ${at})`)} ${store(`im${r}`, `(out + ${length} + ${at})`)}`;
    if (width === 1) return `out[2 * (${at})] = ${first}${r}; out[2 * (${at}) + 1] = ${second}${r};`;
    const lanes = Array.from({ length: width }, (_, i) => `${first}${r}.s${i}, ${second}${r}.s${i}`).join(", ");
    return `vstore${2 * width}((${scalar}${2 * width})(${lanes}), 0, out + 2 * (${at}));`;
  };
  // A butterfly of the first stage has its results next to each other.
  const isTransposed = before === 1 && width > 1 && !isLast;
  const pairs = (lane: number): string =>
    rows
      .map(
        (r) =>
          `out[2 * (place + ${lane * radix + r})] = ${first}${r}.s${lane}; out[2 * (place + ${lane * radix + r}) + 1] = ${second}${r}.s${lane};`,
      )
      .join(" ");
  const writes = isTransposed
    ? `${storeTransposed("re", radix, transform, width, "(out + place)")}
    ${storeTransposed("im", radix, transform, width, `(out + ${length} + place)`)}`
    : before === 1 && width > 1
      ? Array.from({ length: width }, (_, lane) => pairs(lane)).join("\n    ")
      : rows.map(write).join("\n    ");
  return `${rows.map(read).join("\n    ")}
    ${rows.map(turn).join("\n    ")}
    { ${(BUTTERFLIES[radix] as (V: string, scalar: string) => string)(V, scalar)} }
    ${scale}
    uint place = (j - k) * ${radix} + k;
    ${writes}`;
}

/** A function that takes the butterflies `begin` to before `end` of a row; both are multiples of the stage's width. */
export function stageFunction(transform: Transform, stage: Stage, name: string): string {
  const { scalar } = transform;
  const { before, width } = stage;
  const body = butterflyBody(transform, stage);
  const loop = `for (uint j = begin; j < end; j += ${width}) {
    const uint k = ${before === width && before > 1 ? "0" : `j % ${before}`};
    ${body}
  }`;
  return `inline void ${name}(global ${scalar}* restrict out, global const ${scalar}* restrict x,
    global const ${scalar}* restrict table, uint begin, uint end, ${scalar} scale) {
  ${loop}
}`;
}
