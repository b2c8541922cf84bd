// SPDX-License-Identifier: Apache-2.0
// Ints of widths that SPIR-V has not, as i3 and i33 in LLVM's text: each becomes the next wider one, whose upper bits
// are zero. LLVM's optimiser makes them of switches and of sums over loops.
//
// It is the promotion of ints that code generators do (LLVM's type legalisation): what may set upper bits is masked,
// and signed comparisons first move the sign up. An instruction that no row is for leaves the function as it is.
//
// Cost: linear in the instructions.

const NAME = String.raw`%(?:"[^"]+"|[-\w$.]+)`;
const VALUE = String.raw`(?:${NAME}|-?\d+|undef|poison)`;
/** A type, and no part of a name. */
const TYPE = /(?<![-%\w.$])i(\d+)\b(?![-\w.$])/gu;
const WIDTHS: readonly number[] = [1, 8, 16, 32, 64];

const isOdd = (bits: number): boolean => !WIDTHS.includes(bits);
/** The width that an int is held in; 0: there is none. */
const widthOf = (bits: number): number => WIDTHS.find((width) => width >= bits) ?? 0;
const held = (value: string, bits: number): string =>
  /^-?\d/u.test(value) ? `${BigInt.asUintN(bits, BigInt(value))}` : value;
const maskOf = (bits: number): string => `${2n ** BigInt(bits) - 1n}`;

type Rewrite = (parts: readonly string[], number: () => string) => string[];

/** A value of one width as one of another. */
function resized(name: string, value: string, from: number, to: number): string {
  if (from === to) return `${name} = or i${to} ${value}, 0`;
  return `${name} = ${from > to ? "trunc" : "zext"} i${from} ${value} to i${to}`;
}

const truncation: Rewrite = ([name = "", from = "", value = "", to = ""], number) => {
  const [bits, width] = [Number(to), widthOf(Number(to))];
  const wide = number();
  const cut = resized(wide, held(value, Number(from)), widthOf(Number(from)), width);
  return isOdd(bits)
    ? [cut, `${name} = and i${width} ${wide}, ${maskOf(bits)}`]
    : [resized(name, value, widthOf(Number(from)), width)];
};

const zeroExtension: Rewrite = ([name = "", from = "", value = "", to = ""]) => [
  resized(name, held(value, Number(from)), widthOf(Number(from)), widthOf(Number(to))),
];

const signExtension: Rewrite = ([name = "", from = "", value = "", to = ""], number) => {
  const [bits, width, wanted] = [Number(from), widthOf(Number(from)), widthOf(Number(to))];
  if (isOdd(Number(to)) || wanted < width) return [];
  const [up, down] = [number(), number()];
  return [
    `${up} = shl i${width} ${held(value, bits)}, ${width - bits}`,
    `${wanted === width ? name : down} = ashr i${width} ${up}, ${width - bits}`,
    ...(wanted === width ? [] : [`${name} = sext i${width} ${down} to i${wanted}`]),
  ];
};

const arithmetic: Rewrite = ([name = "", operation = "", from = "", left = "", right = ""], number) => {
  const [bits, wide] = [Number(from), number()];
  const width = widthOf(bits);
  return [
    `${wide} = ${operation} i${width} ${held(left, bits)}, ${held(right, bits)}`,
    `${name} = and i${width} ${wide}, ${maskOf(bits)}`,
  ];
};

const comparison: Rewrite = ([name = "", predicate = "", from = "", left = "", right = ""], number) => {
  const bits = Number(from);
  const width = widthOf(bits);
  const [a, b] = [held(left, bits), held(right, bits)];
  if (!predicate.startsWith("s")) return [`${name} = icmp ${predicate} i${width} ${a}, ${b}`];
  const [first, second] = [number(), number()];
  return [
    `${first} = shl i${width} ${a}, ${width - bits}`,
    `${second} = shl i${width} ${b}, ${width - bits}`,
    `${name} = icmp ${predicate} i${width} ${first}, ${second}`,
  ];
};

const choice: Rewrite = ([name = "", condition = "", from = "", left = "", right = "", rest = ""]) => {
  const bits = Number(from);
  const width = widthOf(bits);
  return [`${name} = select ${condition}, i${width} ${held(left, bits)}, i${width} ${held(right, bits)}${rest}`];
};

const phi: Rewrite = ([name = "", from = "", pairs = ""]) => {
  const bits = Number(from);
  const values = new RegExp(String.raw`\[ (${VALUE}), `, "gu");
  return [
    `${name} = phi i${widthOf(bits)} ${pairs.replaceAll(values, (_, value: string) => `[ ${held(value, bits)}, `)}`,
  ];
};

const branch: Rewrite = ([from = "", value = "", rest = ""]) => {
  const bits = Number(from);
  const width = widthOf(bits);
  const cases = rest.replaceAll(
    new RegExp(String.raw`i${bits} (-?\d+), label`, "gu"),
    (_, one: string) => `i${width} ${held(one, bits)}, label`,
  );
  return [`switch i${width} ${value}${cases}`];
};

/** Truth values as the bits of an int, one after another. */
const bitsOfTruth: Rewrite = ([name = "", lanes = "", value = ""], number) => {
  const count = Number(lanes);
  const width = widthOf(count);
  const made: string[] = [];
  let sum = "0";
  for (let lane = 0; lane < count; lane++) {
    const [one, bit, place] = [number(), number(), number()];
    const next = lane === count - 1 ? name : number();
    made.push(
      `${one} = extractelement <${count} x i1> ${value}, i32 ${lane}`,
      `${bit} = zext i1 ${one} to i${width}`,
      `${place} = shl i${width} ${bit}, ${lane}`,
      `${next} = or i${width} ${sum}, ${place}`,
    );
    sum = next;
  }
  return made;
};

const row = (pattern: string, rewrite: Rewrite): readonly [RegExp, Rewrite] => [
  new RegExp(`^${pattern}`.replaceAll("NAME", `(${NAME})`).replaceAll("VALUE", `(${VALUE})`), "su"),
  rewrite,
];

/** Flags on sums are left out: they are about another width. */
const FLAGS = "(?: nuw| nsw| exact)*";
const ROWS: readonly (readonly [RegExp, Rewrite])[] = [
  row(String.raw`NAME = trunc i(\d+) VALUE to i(\d+)$`, truncation),
  row(String.raw`NAME = zext i(\d+) VALUE to i(\d+)$`, zeroExtension),
  row(String.raw`NAME = sext i(\d+) VALUE to i(\d+)$`, signExtension),
  row(String.raw`NAME = (add|sub|mul|and|or|xor|shl|lshr|udiv|urem)${FLAGS} i(\d+) VALUE, VALUE$`, arithmetic),
  row(String.raw`NAME = icmp (\w+) i(\d+) VALUE, VALUE$`, comparison),
  row(String.raw`NAME = bitcast <(\d+) x i1> VALUE to i\d+$`, bitsOfTruth),
  row(String.raw`NAME = select (i1 ${VALUE}), i(\d+) VALUE, i\d+ VALUE(.*)$`, choice),
  row(String.raw`NAME = phi i(\d+) (.*)$`, phi),
  row(String.raw`switch i(\d+) VALUE(.*)$`, branch),
];

/** The instructions instead of one; null: it cannot be rewritten. */
function promoted(instruction: string, number: () => string): string[] | null {
  const widths = [...instruction.matchAll(TYPE)].map(([, bits]) => Number(bits));
  if (!widths.some(isOdd)) return [instruction];
  if (widths.some((bits) => widthOf(bits) === 0)) return null;
  for (const [pattern, rewrite] of ROWS) {
    const match = pattern.exec(instruction);
    if (match === null) continue;
    const made = rewrite(match.slice(1), number);
    return made.length === 0 ? null : made;
  }
  return null;
}

/** The instructions of each block without ints of widths that SPIR-V has not; null: some of them must stay. */
export function promoteInts(blocks: readonly (readonly string[])[], number: () => string): string[][] | null {
  const made: string[][] = [];
  for (const instructions of blocks) {
    const list = instructions.map((one) => promoted(one, number));
    if (list.some((one) => one === null)) return null;
    made.push(list.flatMap((one) => one ?? []));
  }
  return made;
}
