// SPDX-License-Identifier: Apache-2.0
// A whole program and its launch, from a seed.
import { type Block, type Statement, block, statement } from "../tree.ts";
import { declare, declareArray } from "./assignments.ts";
import { washingFunction } from "./convert.ts";
import { declareEnumeration, declareTable, declareType, defineMacro, sizeOfExpression } from "./declarations.ts";
import { dumpArray, dumpVariable } from "./dump.ts";
import { someType } from "./expressions.ts";
import { exchangeFunction } from "./group-statements.ts";
import { defineHelper } from "./helpers.ts";
import { type Input, bufferContents, someShape, valueBytes } from "./launch.ts";
import { type Random, randomFrom } from "./random.ts";
import { COUNTERS, type State, fresh } from "./state.ts";
import { statements } from "./statements.ts";
import { UINT, isFloat, sizeOf, typeOf } from "./types.ts";

/** The arguments and sizes of a launch. */
export interface Launch {
  readonly global: readonly number[];
  readonly local: readonly number[];
  readonly offset: readonly number[];
  /** Work-items at once that specialised and generic code are forced to; 1: one by one. */
  readonly widths: readonly number[];
  readonly arguments: readonly Input[];
}

/** A generated program. */
export interface GeneratedProgram {
  readonly seed: number;
  /** True: every OpenCL implementation must produce the same bytes. */
  readonly portable: boolean;
  readonly tree: Block;
  readonly launch: Launch;
}

/** The name of the kernel of each program. */
export const KERNEL = "k";

/** Options that each program is built with. */
export const OPTIONS = "-cl-std=CL1.2";

function start(random: Random, portable: boolean, groupItems: number, items: number): State {
  return {
    random,
    portable,
    groupItems,
    scope: { lvalues: [], arrays: [], aggregates: [] },
    aggregates: [],
    helpers: [],
    macros: [],
    washed: new Set(),
    exchanged: new Set(),
    uniforms: ["1u"],
    localDeclarations: [],
    counters: 0,
    written: 0,
    items,
    lined: 0,
    inKernel: true,
    next: 0,
    returns: !portable && random.chance(35),
  };
}

/**
 * Memory that only this item touches, among the results. It is compared bit by bit, so it holds no floats and no
 * vectors of three lanes: nothing decides the bits of a NaN, nor those of the lane that is not there.
 */
function own(g: State): Statement {
  const some = someType(g);
  const type = typeOf(isFloat(some) ? "int" : some.scalar.name, some.lanes === 3 ? 2 : some.lanes);
  const count = g.random.pick([2, 4, 8]);
  const name = fresh(g, "o");
  const made = statement`global ${type.name}* ${name} = (global ${type.name}*)(mine + ${g.written.toString()});`;
  g.written += Math.ceil((sizeOf(type) * count) / 128) * 128;
  g.scope.arrays.push({ text: name, type, count, assignable: true, space: "global" });
  return made;
}

const PLACES = `uint lid = (uint)(get_local_id(0) +
    get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2)));
  uint lsize = (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
  uint lin = (uint)((get_global_id(0) - get_global_offset(0)) +
    get_global_size(0) * ((get_global_id(1) - get_global_offset(1)) +
    get_global_size(1) * (get_global_id(2) - get_global_offset(2))));`;

/** Memory that only this item touches, in a row with that of its neighbours. */
function ownInRow(g: State): Statement {
  const some = someType(g);
  const type = typeOf(isFloat(some) ? "uint" : some.scalar.name, some.lanes === 3 ? 4 : some.lanes);
  const count = g.random.pick([1, 1, 2, 4]);
  const name = fresh(g, "r");
  const made = statement`global ${type.name}* ${name} = (global ${type.name}*)(out + ROWS + ${g.lined.toString()}) + lin * ${count.toString()};`;
  g.lined += Math.ceil((sizeOf(type) * count * g.items) / 128) * 128;
  g.scope.arrays.push({ text: name, type, count, assignable: true, space: "global" });
  return made;
}

/** The kernel's body, in the order in which names come into scope. */
function body(g: State): Statement[] {
  const { random } = g;
  g.scope.lvalues.push(
    { text: "lid", type: UINT, assignable: false },
    { text: "lsize", type: UINT, assignable: false },
    { text: "lin", type: UINT, assignable: false },
    { text: "h", type: UINT, assignable: true },
  );
  const owned = [
    ...Array.from({ length: random.below(3) }, () => own(g)),
    ...Array.from({ length: random.below(3) }, () => ownInRow(g)),
  ];
  const started = Array.from({ length: 1 + random.below(4) }, () => declare(g));
  const more = random.chance(30) ? [declareArray(g)] : [];
  const around = { depth: 3, leaves: [], trips: 1 } as const;
  const shared = statements(g, { ...around, uniform: true, result: g.returns ? "nothing" : null }, 3 + random.below(8));
  // After the last barrier items may return and go their own ways.
  const alone = statements(
    g,
    { ...around, uniform: false, result: random.chance(25) ? "nothing" : null },
    1 + random.below(6),
  );
  const measured = random.chance(15) ? [sizeOfExpression(g, fresh(g, "v"))] : [];
  const dumps = [
    ...g.scope.lvalues.flatMap((lvalue) => dumpVariable(g, lvalue)),
    ...g.scope.arrays.flatMap((array) => dumpArray(g, array)),
  ];
  return [
    statement`${PLACES}`,
    statement`uint h = lin;`,
    statement`global uchar* mine = out + lin * STRIDE;`,
    ...g.localDeclarations,
    ...owned,
    ...started,
    ...more,
    ...shared,
    ...alone,
    ...measured,
    ...dumps,
  ];
}

const SPECIALISED_WIDTHS = [2, 4, 8, 16] as const;
const GENERIC_WIDTHS = [1, 4, 16, 8, 2] as const;

/** Generates the program of a seed. Even seeds yield portable programs. */
export function generate(seed: number): GeneratedProgram {
  const random = randomFrom(seed);
  const portable = seed % 2 === 0;
  const { global, local, offset } = someShape(random, portable);
  const g = start(
    random,
    portable,
    local.reduce((product, size) => product * size, 1),
    global.reduce((product, size) => product * size, 1),
  );
  const types = Array.from({ length: random.below(3) }, () => declareType(g));
  const macros = Array.from({ length: random.below(2) }, () => defineMacro(g));
  const enumerations = random.chance(20) ? [declareEnumeration(g)] : [];
  const tables = Array.from({ length: random.below(2) }, () => declareTable(g));
  const buffers = Array.from({ length: 1 + random.below(3) }, () => {
    const type = someType(g);
    const plain = type.lanes === 3 ? typeOf(type.scalar.name, 4) : type;
    const name = fresh(g, "in");
    const count = random.pick([4, 8, 16, 32]);
    g.scope.arrays.push({ text: name, type: plain, count, assignable: false, space: "global" });
    return {
      text: `global const ${plain.name}* ${name}`,
      input: { contents: bufferContents(random, plain, count, portable), written: false },
    };
  });
  const helpers = Array.from({ length: random.below(4) }, () => defineHelper(g, statements));
  const values = Array.from({ length: 1 + random.below(3) }, (_, i) => {
    const type = i === 0 ? UINT : someType(g);
    const plain = type.lanes === 3 ? typeOf(type.scalar.name, 4) : type;
    const name = fresh(g, "n");
    g.scope.lvalues.push({ text: name, type: plain, assignable: random.chance(50) && i > 0 });
    if (plain === UINT && i === 0) g.uniforms.push(name);
    return { text: `${plain.name} ${name}`, input: { value: valueBytes(random, plain, portable) } };
  });
  g.uniforms.push("(uint)get_group_id(0)", "(uint)get_num_groups(0)");
  const inside = block(body(g));
  const stride = Math.max(128, Math.ceil(g.written / 128) * 128);
  const parameters = [...buffers, ...values].map(({ text }) => text);
  const tree = block([
    statement`#pragma OPENCL EXTENSION cl_khr_fp64 : enable`,
    statement`#pragma OPENCL FP_CONTRACT OFF`,
    statement`#define STRIDE ${stride.toString()}u`,
    statement`#define ROWS ${(g.items * stride).toString()}u`,
    ...[...g.washed].map((type) => statement`${washingFunction(type, portable)}`),
    ...[...g.exchanged].map((type) => statement`${exchangeFunction(type)}`),
    ...types,
    ...macros,
    ...enumerations,
    ...tables,
    ...helpers,
    statement`kernel void ${KERNEL}(${parameters.join(", ")}, volatile global int* counters, global uchar* out) {${inside}}`,
  ]);
  const inputs: readonly Input[] = [...buffers, ...values].map(({ input }) => input);
  return {
    seed,
    portable,
    tree,
    launch: {
      global,
      local,
      offset,
      widths: [SPECIALISED_WIDTHS[seed % 4] ?? 4, GENERIC_WIDTHS[seed % 5] ?? 4],
      arguments: [
        ...inputs,
        { contents: new Uint8Array(COUNTERS * 4), written: true },
        { contents: new Uint8Array(g.items * stride + g.lined), written: true },
      ],
    },
  };
}
