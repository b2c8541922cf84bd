// SPDX-License-Identifier: Apache-2.0
// Every atomic function of every type, order, scope and address space against its definition.
import { expect, test } from "vitest";

import { firstDifference, runEveryWay } from "@muxkit/kernel-suite";

interface Type {
  readonly name: string;
  readonly bits: number;
  readonly isSigned: boolean;
}
const TYPES: readonly Type[] = [
  { name: "int", bits: 32, isSigned: true },
  { name: "uint", bits: 32, isSigned: false },
  { name: "long", bits: 64, isSigned: true },
  { name: "ulong", bits: 64, isSigned: false },
];

/** What an operation leaves of a value and an operand. */
type Effect = (value: bigint, operand: bigint) => bigint;
const EFFECTS: Readonly<Record<string, Effect>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
  min: (a, b) => (a < b ? a : b),
  max: (a, b) => (a > b ? a : b),
  exchange: (_, b) => b,
};
const ORDERS = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"];
const SCOPES = ["work_item", "sub_group", "work_group", "device", "all_svm_devices", "all_devices"];
const SPACES: readonly (readonly [name: string, declare: (type: string) => string])[] = [
  ["global", (type) => `volatile global atomic_${type} *a = (volatile global atomic_${type} *)cell;`],
  ["local", (type) => `local atomic_${type} own; volatile local atomic_${type} *a = &own;`],
  [
    "generic",
    (type) =>
      `local atomic_${type} own;
      volatile atomic_${type} *a = get_global_id(0) == 0 ? (volatile atomic_${type} *)&own
          : (volatile atomic_${type} *)cell;`,
  ],
];
const OPERANDS = [0n, 1n, -1n, 0x5a5a_1234n, -0x7000_0001n, 0x1234_5678_9abc_def0n];

/** Runs one work-item in every way; returns what it left. */
function run(source: string, longs: number): readonly bigint[] {
  const [first, ...others] = runEveryWay({
    source,
    kernel: "k",
    options: "-cl-std=CL3.0",
    global: [1],
    local: [1],
    widths: [],
    arguments: [{ contents: new Uint8Array(longs * 8) }, { contents: new Uint8Array(8) }],
  });
  if (first === undefined) throw new Error("nothing ran");
  for (const other of others) expect(firstDifference(first, other, ["bits"])).toBeNull();
  return [...new BigInt64Array(first.buffers[0]?.slice().buffer ?? new ArrayBuffer(0))];
}

test.each(TYPES.flatMap((type) => SPACES.map(([space, declare]) => [type.name, space, type, declare] as const)))(
  "%s in %s memory: values before and after",
  (name, _, { bits, isSigned }, declare) => {
    const wrap = (value: bigint): bigint =>
      BigInt.asIntN(64, isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value));
    const unsigned = (value: bigint): bigint => (isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value));
    const lines: string[] = [];
    const expected: bigint[] = [];
    let value = unsigned(77n);
    let turn = 0;
    for (const [effect, of] of Object.entries(EFFECTS))
      for (const operand of OPERANDS)
        for (const form of ["", "_explicit"]) {
          const [order, scope] = [ORDERS[turn % ORDERS.length], SCOPES[turn % SCOPES.length]];
          turn++;
          const call = effect === "exchange" ? "atomic_exchange" : `atomic_fetch_${effect}`;
          const more = form === "" ? "" : `, memory_order_${order}${turn % 3 === 0 ? "" : `, memory_scope_${scope}`}`;
          lines.push(
            `out[n++] = ${call}${form}(a, (${name})${operand === -1n ? "-1L" : `${operand}L`}${more});
            out[n++] =
                atomic_load${form === "" ? "(a)" : "_explicit(a, memory_order_acquire, memory_scope_device)"};`,
          );
          expected.push(wrap(value));
          value = unsigned(of(value, unsigned(operand)));
          expected.push(wrap(value));
        }
    const body = `int n = 0; atomic_init(a, 77); ${lines.join("\n")}
    ${name} guess = 1; atomic_store_explicit(a, 5, memory_order_release);
    out[n++] = atomic_compare_exchange_strong(a, &guess, 9);
    out[n++] = guess;
    out[n++] = atomic_compare_exchange_strong_explicit(a, &guess, 9, memory_order_seq_cst, memory_order_relaxed,
        memory_scope_device);
    out[n++] = atomic_load(a);
    out[n++] = atomic_compare_exchange_weak(a, &guess, 4);
    out[n++] = guess;
    while (!atomic_compare_exchange_weak_explicit(a, &guess, 4, memory_order_acq_rel, memory_order_acquire));
    atomic_store(a, atomic_load(a) + 1);
    out[n++] = atomic_load(a);`;
    expected.push(0n, 5n, 1n, 9n, 0n, 9n, 5n);
    expect(
      run(
        `#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void k(global long* out, global ulong* cell) { ${declare(name)} ${body} }`,
        expected.length,
      ),
    ).toEqual(expected);
  },
);

/** The older functions, by what they do. */
const OLDER: Readonly<Record<string, Effect>> = { ...EFFECTS, xchg: (_, b) => b };

test.each(TYPES.flatMap((type) => ["global", "local"].map((space) => [type.name, space, type] as const)))(
  "atom_ and atomic_ functions of %s in %s memory",
  (name, space, { bits, isSigned }) => {
    const unsigned = (value: bigint): bigint => (isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value));
    const lines: string[] = [];
    const expected: bigint[] = [];
    let value = unsigned(-3n);
    for (const prefix of bits === 64 ? ["atom"] : ["atom", "atomic"]) {
      for (const [effect, of] of Object.entries(OLDER).filter(([key]) => key !== "exchange"))
        for (const operand of OPERANDS) {
          lines.push(`out[n++] = ${prefix}_${effect}(a, (${name})${operand}L);`);
          expected.push(BigInt.asIntN(64, value));
          value = unsigned(of(value, unsigned(operand)));
        }
      lines.push(
        `out[n++] = ${prefix}_inc(a);
        out[n++] = ${prefix}_dec(a);
        out[n++] = ${prefix}_cmpxchg(a, (${name})1, (${name})2);
        out[n++] = ${prefix}_cmpxchg(a, *a, (${name})8);
        out[n++] = *a;`,
      );
      expected.push(...[value, unsigned(value + 1n), value, value, 8n].map((each) => BigInt.asIntN(64, each)));
      value = 8n;
    }
    const declare =
      space === "global"
        ? `volatile global ${name}* a = (volatile global ${name}*)cell;`
        : `local ${name} own; volatile local ${name}* a = &own;`;
    expect(
      run(
        `#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void k(global long* out, global ulong* cell) { ${declare} int n = 0; *a = -3; ${lines.join("\n")} }`,
        expected.length,
      ),
    ).toEqual(expected);
  },
);

/** Functions on atomic types: the call around its orders, what it yields of the value 5, and the orders it takes. */
const CALLS: readonly (readonly [call: string, yields: bigint, orders: readonly string[]])[] = [
  ["atomic_load_explicit(a", 5n, ["relaxed", "acquire", "seq_cst"]],
  ["5; atomic_store_explicit(a, 9", 5n, ["relaxed", "release", "seq_cst"]],
  ["atomic_exchange_explicit(a, 9", 5n, ORDERS],
  ...Object.keys(EFFECTS)
    .filter((effect) => effect !== "exchange")
    .map((effect) => [`atomic_fetch_${effect}_explicit(a, 9`, 5n, ORDERS] as const),
  ["atomic_flag_test_and_set_explicit((volatile atomic_flag *)a", 1n, ORDERS],
  ["5; atomic_flag_clear_explicit((volatile atomic_flag *)a", 5n, ["relaxed", "release", "seq_cst"]],
];
/** Orders of a success, and those that a failure may have with it (C11 7.17.7.4). */
const PAIRS: Readonly<Record<string, readonly string[]>> = {
  relaxed: ["relaxed"],
  acquire: ["relaxed", "acquire"],
  release: ["relaxed", "acquire"],
  acq_rel: ["relaxed", "acquire"],
  seq_cst: ["relaxed", "acquire", "seq_cst"],
};

test.each(
  TYPES.flatMap(({ name }, i) =>
    SPACES.filter((_, j) => j === i % SPACES.length).map(([space, declare]) => [name, space, declare] as const),
  ),
)("%s in %s memory: every function with every order and scope that it takes", (name, _, declare) => {
  const lines: string[] = [];
  const expected: bigint[] = [];
  const add = (call: string, orders: readonly string[], value: bigint): void => {
    for (const scope of ["", ...SCOPES]) {
      const list = [
        ...orders.map((order) => `memory_order_${order}`),
        ...(scope === "" ? [] : [`memory_scope_${scope}`]),
      ];
      lines.push(`atomic_init(a, 5); guess = 5; out[n++] = ${call}, ${list.join(", ")});`);
      expected.push(value);
    }
  };
  for (const [call, value, orders] of CALLS) for (const order of orders) add(call, [order], value);
  for (const form of ["strong", "weak"])
    for (const [success, failures] of Object.entries(PAIRS))
      for (const failure of failures)
        add(`atomic_compare_exchange_${form}_explicit(a, &guess, 9`, [success, failure], 1n);
  const source = `#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void k(global long* out, global ulong* cell) {
  ${declare(name)}
  int n = 0;
  ${name} guess;
  ${lines.join("\n  ")}
}`;
  expect(run(source, expected.length)).toEqual(expected);
});

test("floats and doubles are stored, loaded, exchanged and compared by their bits; flags are set and cleared", () => {
  const source = `kernel void k(global long* out, global ulong* cell) {
    global atomic_float* f = (global atomic_float*)cell;
    float guess = 0.0f;
    atomic_init(f, 1.5f);
    out[0] = (long)(atomic_exchange(f, -2.25f) * 100);
    out[1] = (long)(atomic_load(f) * 100);
    atomic_store(f, -0.0f);
    out[2] = atomic_compare_exchange_strong(f, &guess, 3.0f);
    out[3] = as_int(guess) == (int)0x80000000;
    out[4] = atomic_compare_exchange_strong(f, &guess, 3.0f);
    out[5] = (long)atomic_load_explicit(f, memory_order_relaxed);
    volatile global float* plain = (volatile global float*)cell;
    out[6] = (long)atomic_xchg(plain, 7.5f);
    out[7] = (long)(*plain * 10);
    global atomic_double* d = (global atomic_double*)cell;
    atomic_store(d, 1e300);
    out[8] = atomic_exchange(d, 2.5) == 1e300;
    out[9] = (long)(atomic_load(d) * 10);
    global atomic_flag* flag = (global atomic_flag*)cell;
    *(global int*)cell = 0;
    out[10] = atomic_flag_test_and_set(flag);
    out[11] = atomic_flag_test_and_set_explicit(flag, memory_order_acquire, memory_scope_work_group);
    atomic_flag_clear(flag);
    out[12] = atomic_flag_test_and_set(flag);
    atomic_flag_clear_explicit(flag, memory_order_release);
    out[13] = atomic_flag_test_and_set_explicit(flag, memory_order_acq_rel);
  }`;
  expect(run(source, 14)).toEqual([150n, -225n, 0n, 1n, 1n, 3n, 3n, 75n, 1n, 25n, 0n, 1n, 0n, 0n]);
});
