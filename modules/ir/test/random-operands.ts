// SPDX-License-Identifier: Apache-2.0
// Every op on every type that it takes, on random and special operands: code computes what the IR's semantics define.
// For the tests of each code generator.
import { InternalError } from "@muxkit/cargo";
import {
  type AtomicKind,
  type Constant,
  F16,
  F32,
  F64,
  I1,
  I16,
  I32,
  I64,
  I8,
  OPS,
  type OpRule,
  type Type,
  constantInt,
  evaluate,
  laneCount,
  printConstant,
  scalarOf,
  vectorType,
} from "@muxkit/ir";
import { expect, test } from "vitest";

import { Random, randomConstant } from "./random-module.ts";

const RUNS = Number(process.env["MUXKIT_FUZZ_RUNS"] ?? "8");
const SEED = Number(process.env["MUXKIT_SEED"] ?? String(RUNS > 8 ? Date.now() % 1e6 : 1));

const INTS = [I1, I8, I16, I32, I64];
const FLOATS = [F32, F64];
const LANES = [1, 2, 3, 4, 8, 16];

function withLanes(scalar: Type, count: number): Type {
  return count === 1 ? scalar : vectorType(scalar, count);
}

/** The operands for a test of an op. */
interface Shape {
  readonly operands: readonly Type[];
  readonly result: Type;
  /** After the operands: `{[…]}` of a shuffle. */
  readonly lanes: readonly number[];
  /** What a reduction combines by. */
  readonly kind?: AtomicKind;
  /** Lanes per block of a permutation. */
  readonly scale?: number;
}

function shape(result: Type, ...operands: readonly Type[]): Shape {
  return { operands, result, lanes: [] };
}

function forAll(scalars: readonly Type[], make: (type: Type, count: number) => readonly Shape[]): readonly Shape[] {
  return scalars.flatMap((scalar) => LANES.flatMap((count) => make(withLanes(scalar, count), count)));
}

const MOVED = [...INTS, F16, ...FLOATS];

function conversions(name: string, count: number): readonly Shape[] {
  const signed: Readonly<Record<string, readonly [from: readonly Type[], to: readonly Type[], grows: number]>> = {
    trunc: [INTS, INTS, -1],
    zext: [INTS, INTS, 1],
    sext: [INTS, INTS, 1],
    fptrunc: [FLOATS, FLOATS, -1],
    fpext: [FLOATS, FLOATS, 1],
    fptosi: [FLOATS, INTS.slice(1), 0],
    fptoui: [FLOATS, INTS.slice(1), 0],
    sitofp: [INTS, FLOATS, 0],
    uitofp: [INTS, FLOATS, 0],
  };
  const [from, to, grows] = signed[name] ?? [[], [], 0];
  return from.flatMap((a) =>
    to
      .filter((b) => grows === 0 || Math.sign(b.bits - a.bits) === grows)
      .map((b) => shape(withLanes(b, count), withLanes(a, count))),
  );
}

function size(type: Type): number {
  return scalarOf(type).bits * laneCount(type);
}

function bitcasts(): readonly Shape[] {
  const types = [
    ...MOVED.slice(1),
    ...[2, 4, 8, 16].flatMap((count) => MOVED.slice(1).map((scalar) => vectorType(scalar, count))),
  ];
  return types.flatMap((from) =>
    types.filter((to) => to !== from && size(to) === size(from)).map((to) => shape(to, from)),
  );
}

const INT_KINDS = ["add", "mul", "and", "or", "xor", "smin", "smax", "umin", "umax"] as const;
const FLOAT_KINDS = ["fadd", "fmul", "fmin", "fmax"] as const;

const SHAPES: Readonly<Partial<Record<OpRule, (name: string, random: Random) => readonly Shape[]>>> = {
  "unary-int": () => forAll(INTS, (type) => [shape(type, type)]),
  "binary-int": () => forAll(INTS, (type) => [shape(type, type, type)]),
  shift: () => forAll(INTS, (type) => [shape(type, type, type)]),
  "unary-float": () => forAll(FLOATS, (type) => [shape(type, type)]),
  "binary-float": () => forAll(FLOATS, (type) => [shape(type, type, type)]),
  "ternary-float": () => forAll(FLOATS, (type) => [shape(type, type, type, type)]),
  "compare-int": () => forAll(INTS, (type, count) => [shape(withLanes(I1, count), type, type)]),
  "compare-float": () => forAll(FLOATS, (type, count) => [shape(withLanes(I1, count), type, type)]),
  convert: (name) => LANES.flatMap((count) => conversions(name, count)),
  bitcast: bitcasts,
  select: () =>
    forAll(MOVED, (type, count) => [shape(type, I1, type, type), shape(type, withLanes(I1, count), type, type)]),
  splat: () => forAll(MOVED, (type, count) => (count === 1 ? [] : [shape(type, scalarOf(type))])),
  build: () =>
    forAll(MOVED, (type, count) =>
      count === 1 ? [] : [shape(type, ...Array.from({ length: count }, () => scalarOf(type)))],
    ),
  extract: () => forAll(MOVED, (type, count) => (count === 1 ? [] : [shape(scalarOf(type), type, I32)])),
  insert: () => forAll(MOVED, (type, count) => (count === 1 ? [] : [shape(type, type, scalarOf(type), I32)])),
  "lanes-vote": () => [2, 3, 4, 8, 16, 32, 64].map((count) => shape(I1, vectorType(I1, count))),
  "lanes-reduce": () =>
    [...INTS, ...FLOATS].flatMap((scalar) =>
      [2, 3, 4, 8, 16, 32].flatMap((count) =>
        (scalar.kind === "float" ? FLOAT_KINDS : INT_KINDS).map((kind) => ({
          ...shape(scalar, vectorType(scalar, count)),
          kind,
        })),
      ),
    ),
  permute: permutations,
  shuffle: (_name, random) =>
    forAll(MOVED, (type, count) =>
      count === 1
        ? []
        : [2, 3, 4, 8, 16].map((wanted) => {
            const holes = random.chance(50) ? 1 : 0;
            const lanes = Array.from({ length: wanted }, () => random.below(2 * count + holes) - holes);
            return { operands: [type, type], result: vectorType(scalarOf(type), wanted), lanes };
          }),
    ),
};

/** Permutations: blocks that fill the vector, that are smaller, and results with fewer or more lanes than it has. */
function permutations(): readonly Shape[] {
  return INTS.slice(1).flatMap((scalar) =>
    LANES.slice(1).flatMap((count) =>
      [2, 4, 8, 16].flatMap((wanted) =>
        [2, 4, 8, 16]
          .filter((scale) => count % scale === 0)
          .map((scale) => ({
            ...shape(vectorType(scalar, wanted), vectorType(scalar, count), vectorType(scalar, wanted)),
            scale,
          })),
      ),
    ),
  );
}

/** What compiles and runs functions, and what it does not take. */
export interface CodeRunner {
  readonly compile: (text: string) => {
    readonly call: (name: string, ...args: readonly number[]) => unknown;
    readonly bytes: Uint8Array;
  };
  /** Where a function writes its result. */
  readonly output: number;
  /** Names of ops that are lowered before the code generator sees them. */
  readonly loweredBefore: RegExp;
  /** False: nothing runs code here, and the tests are skipped. */
  readonly runs: boolean;
}

/** Addresses of the operands, each in a range of its own. */
const INPUT = 4096;
const SLOT = 256;
/** Offset of a mask's selection after the result. */
const MASK = 128;

/** Function `i` reads its operands from memory; `ci` has some of them as constants. */
function functionText(
  name: string,
  op: string,
  { operands, result, lanes, kind, scale }: Shape,
  constants: readonly (Constant | null)[],
): string {
  const loads = operands
    .map(
      (type, i) =>
        `  %p${i} = address %in {offset ${i * SLOT}}: ptr<global>\n  %v${i} = load %p${i} {align 1}: ${type.text}\n`,
    )
    .join("");
  const list = operands
    .map((type, i) => (constants[i] ? `${printConstant(constants[i])}: ${type.text}` : `%v${i}`))
    .join(", ");
  const written = lanes.length > 0 ? `[${lanes.join(", ")}]` : scale === undefined ? kind : `scale ${scale}`;
  const attributes = written === undefined ? "" : ` {${written}}`;
  // A mask must also be valid as the condition of a select.
  const count = laneCount(result);
  const mask =
    result.kind === "vector" && scalarOf(result) === I1
      ? `  %s = select %r, splat(255): <${count} x i8>, splat(0): <${count} x i8>: <${count} x i8>
  %q = address %out {offset ${MASK}}: ptr<global>
  store %s, %q {align 1}
`
      : "";
  return `func @${name}(%in: ptr<global>, %out: ptr<global>) {
^0:
${loads}  %r = ${op} ${list}${attributes}: ${result.text}
  store %r, %out {align 1}
${mask}  ret
}
`;
}

function writeConstant(bytes: Uint8Array, at: number, constant: Constant): void {
  const bytesOfLane = Math.max(1, scalarOf(constant.type).bits / 8);
  const list = constant.type.kind === "vector" ? constant.lanes : [constant];
  list.forEach(({ low, high }, i) => {
    for (let k = 0; k < bytesOfLane; k++)
      bytes[at + i * bytesOfLane + k] = (k < 4 ? low >>> (8 * k) : high >>> (8 * (k - 4))) & 255;
  });
}

/** Lanes in hexadecimal, one word for every NaN that arithmetic made. */
function shown(bytes: Uint8Array, at: number, type: Type, isArithmetic: boolean): string {
  const { kind, bits } = scalarOf(type);
  const bytesOfLane = Math.max(1, bits / 8);
  const view = new DataView(bytes.buffer);
  return Array.from({ length: laneCount(type) }, (_, i) => {
    const place = at + i * bytesOfLane;
    if (
      kind === "float" &&
      isArithmetic &&
      Number.isNaN(bits === 32 ? view.getFloat32(place, true) : view.getFloat64(place, true))
    )
      return "NaN";
    return Array.from({ length: bytesOfLane }, (_ignored, k) =>
      (bytes[place + bytesOfLane - 1 - k] ?? 0).toString(16).padStart(2, "0"),
    ).join("");
  }).join(" ");
}

const ARITHMETIC: ReadonlySet<OpRule> = new Set([
  "unary-float",
  "binary-float",
  "ternary-float",
  "convert",
  "lanes-reduce",
]);

/** Operands for one shape of an op, and functions that compute with them: all from memory, and some as constants. */
function textWithOperands(
  name: string,
  op: number,
  random: Random,
  of: Shape,
): {
  readonly text: string;
  readonly sets: readonly (readonly Constant[])[];
  readonly constants: readonly (readonly (Constant | null)[])[];
} {
  const rule = OPS[op]?.rule ?? "unreachable";
  const sets = Array.from({ length: RUNS }, () =>
    of.operands.map((type, i) =>
      rule === "shift" && i === 1 && random.chance(50)
        ? constantInt(type, random.below(70))
        : randomConstant(random, type),
    ),
  );
  const constants = sets.map((set) => set.map((value) => (random.chance(50) ? value : null)));
  const text =
    functionText("f", name, of, []) + constants.map((list, i) => functionText(`c${i}`, name, of, list)).join("");
  return { text, sets, constants };
}

/** What differs, for one shape of an op. */
function differences(runner: CodeRunner, name: string, op: number, random: Random, of: Shape): readonly string[] {
  const { output } = runner;
  const rule = OPS[op]?.rule ?? "unreachable";
  const { text, sets, constants } = textWithOperands(name, op, random, of);
  let compiled: ReturnType<CodeRunner["compile"]>;
  try {
    compiled = runner.compile(text);
  } catch (error) {
    throw new Error(
      `${name} (${of.operands.map((type) => type.text).join(", ")}) -> ${of.result.text}: ${String(error)}` +
        (error instanceof InternalError ? "" : `\n${text}`),
      { cause: error },
    );
  }
  const { call, bytes } = compiled;
  return sets.flatMap((set, i) => {
    const wanted = evaluate(op, of.result, set, {
      lanes: of.lanes,
      ...(of.kind === undefined ? {} : { kind: of.kind }),
      ...(of.scale === undefined ? {} : { scale: of.scale }),
    });
    if (wanted === null) throw new Error(`${name} cannot be evaluated`);
    const isArithmetic = ARITHMETIC.has(rule) && !/^f(?:neg|abs|copysign)$/u.test(name);
    writeConstant(bytes, output, wanted);
    const expected = shown(bytes, output, of.result, isArithmetic);
    set.forEach((value, k) => {
      writeConstant(bytes, INPUT + k * SLOT, value);
    });
    return ["f", `c${i}`].flatMap((fn) => {
      bytes.fill(0, output, output + SLOT);
      call(fn, INPUT, output);
      const got = shown(bytes, output, of.result, isArithmetic);
      const isSound =
        of.result.kind !== "vector" ||
        scalarOf(of.result) !== I1 ||
        got.split(" ").every((lane, k) => bytes[output + MASK + k] === (lane === "01" ? 255 : 0));
      const operands = set
        .map((value, k) => (fn !== "f" && constants[i]?.[k] ? "constant " : "") + printConstant(value))
        .join(", ");
      return got === expected && isSound
        ? []
        : [
            `${name} (${of.operands.map((type) => type.text).join(", ")}) -> ${of.result.text} ` +
              `${of.kind ?? of.lanes.join(",")} of ${operands}: ` +
              `${got}${isSound ? "" : ", which is no mask"}, not ${expected}`,
          ];
    });
  });
}

/** The ops that are tried, and their rules. */
function triedOps(loweredBefore: RegExp): readonly (readonly [name: string, op: number, rule: OpRule])[] {
  return OPS.flatMap(({ name, rule }, op) =>
    SHAPES[rule] !== undefined && !loweredBefore.test(name) ? [[name, op, rule] as const] : [],
  );
}

/** The shapes of an op that code is made of. */
function shapesOf(name: string, rule: OpRule, random: Random): readonly Shape[] {
  return (SHAPES[rule]?.(name, random) ?? []).filter(
    ({ operands: [first] }) => !(/^[su]mulh$/u.test(name) && first !== undefined && scalarOf(first).bits === 64),
  );
}

/** The functions that the tests compile, for who wants to see what code they reach. */
export function operandTexts(loweredBefore: RegExp): readonly string[] {
  return triedOps(loweredBefore).flatMap(([name, op, rule]) => {
    const random = new Random(SEED + op);
    return shapesOf(name, rule, random).map((of) => textWithOperands(name, op, random, of).text);
  });
}

/** Adds a test for each op. */
export function testRandomOperands(runner: CodeRunner): void {
  const tried = triedOps(runner.loweredBefore);

  test.skipIf(!runner.runs).each(tried)("random operands of %s", (name, op, rule) => {
    const random = new Random(SEED + op);
    const failures = shapesOf(name, rule, random).flatMap((of) => differences(runner, name, op, random, of));
    expect(failures.slice(0, 8), `seed ${SEED}`).toEqual([]);
  });
}
