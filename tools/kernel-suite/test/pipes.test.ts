// SPDX-License-Identifier: Apache-2.0
// Pipes in every way: packets of any type, reservations of work-items, sub-groups and work-groups.
import { build, firstDifference, runEveryWay } from "@muxkit/kernel-suite";
import { initializePipe, pipeBytes } from "@muxkit/metadata";
import { expect, test } from "vitest";

const OPTIONS = "-cl-std=CL3.0";

function emptyPipe(packetSize: number, maxPackets: number): Uint8Array {
  const bytes = new Uint8Array(pipeBytes(packetSize, maxPackets));
  initializePipe(bytes, packetSize, maxPackets);
  return bytes;
}

/** Runs a kernel in every way; returns what became of the buffers. */
function run(
  source: string,
  contents: readonly Uint8Array[],
  global: readonly number[],
  local: readonly number[],
): Uint8Array[] {
  const [first, ...others] = runEveryWay({
    source,
    kernel: "k",
    options: OPTIONS,
    global,
    local,
    arguments: contents.map((bytes) => ({ contents: bytes })),
  });
  if (first === undefined) throw new Error("nothing ran");
  for (const other of others)
    expect(
      firstDifference(
        first,
        other,
        contents.map(() => "bits"),
      ),
    ).toBeNull();
  return [...first.buffers];
}

const ints = (bytes: Uint8Array | undefined): number[] => [
  ...new Int32Array(bytes?.slice().buffer ?? new ArrayBuffer(0)),
];

/** Packets of ints that are in a pipe, oldest first, by the layout of docs/kernel-abi.md. */
function packets(pipe: Uint8Array | undefined): number[][] {
  if (pipe === undefined) return [];
  const view = new DataView(pipe.buffer, pipe.byteOffset, pipe.length);
  const [size, max, end, start] = [
    view.getUint32(0, true),
    view.getUint32(4, true),
    Number(view.getBigUint64(8, true)),
    Number(view.getBigUint64(16, true)),
  ];
  const data = Math.ceil((64 + max * 8) / 128) * 128;
  const found: number[][] = [];
  for (let position = start; position < end; position++) {
    const place = position % max;
    if (view.getUint32(64 + place * 8, true) !== Math.floor(position / max) * 2 + 1) continue;
    found.push(Array.from({ length: size / 4 }, (_, i) => view.getInt32(data + place * size + i * 4, true)));
  }
  return found;
}

const WRITE = `kernel void k(write_only pipe int out, global int* failed) {
    int i = get_global_id(0);
    if (write_pipe(out, &i) != 0) atomic_inc(failed);
  }`;
const READ = `kernel void k(read_only pipe int in, global int* got) {
    int v;
    if (read_pipe(in, &v) == 0) got[get_global_id(0)] = v + 1;
  }`;

test("packets come out in the order in which they went in; a full pipe takes no more, an empty one returns none", () => {
  const [pipe, failed] = run(WRITE, [emptyPipe(4, 10), new Uint8Array(4)], [13], [4]);
  expect(packets(pipe)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((v) => [v]));
  expect(ints(failed)).toEqual([3]);
  const [rest, got] = run(READ, [pipe ?? new Uint8Array(0), new Uint8Array(64)], [6], [4]);
  expect(ints(got).slice(0, 7)).toEqual([1, 2, 3, 4, 5, 6, 0]);
  expect(packets(rest)).toEqual([[6], [7], [8], [9]]);
  const [none, all] = run(READ, [rest ?? new Uint8Array(0), new Uint8Array(64)], [6], [2]);
  expect(ints(all).slice(0, 6)).toEqual([7, 8, 9, 10, 0, 0]);
  expect(packets(none)).toEqual([]);
});

test("iteration after iteration", () => {
  let pipe = emptyPipe(4, 7);
  const seen: number[] = [];
  for (let round = 0; round < 5; round++) {
    pipe = run(WRITE, [pipe, new Uint8Array(4)], [5], [5])[0] ?? pipe;
    const [next, got] = run(READ, [pipe, new Uint8Array(20)], [round === 0 ? 3 : 5], [1]);
    pipe = next ?? pipe;
    seen.push(...ints(got).filter((v) => v > 0));
  }
  expect(seen).toEqual([1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3]);
  expect(packets(pipe)).toEqual([[3], [4]]);
});

test("reservations: packets in any order, commits in any order, what does not fit is no reservation", () => {
  const source = `kernel void k(write_only pipe int out, global int* facts) {
    reserve_id_t late = reserve_write_pipe(out, 2);
    reserve_id_t early = reserve_write_pipe(out, 3);
    reserve_id_t none = reserve_write_pipe(out, 4);
    facts[0] = is_valid_reserve_id(late) + 2 * is_valid_reserve_id(early) + 4 * is_valid_reserve_id(none) + 8
        * is_valid_reserve_id(CLK_NULL_RESERVE_ID);
    for (int i = 2; i >= 0; --i) { int v = 10 + i; facts[1] += write_pipe(out, early, i, &v); }
    int v = 99;
    facts[2] = write_pipe(out, early, 3, &v);
    facts[3] = get_pipe_num_packets(out);
    commit_write_pipe(out, early);
    facts[4] = get_pipe_num_packets(out);
    v = 1; facts[5] = write_pipe(out, late, 1u, &v); v = 0; facts[5] += write_pipe(out, late, 0u, &v);
    commit_write_pipe(out, late);
    facts[6] = get_pipe_num_packets(out) * 100 + get_pipe_max_packets(out);
    facts[7] = is_valid_reserve_id(reserve_write_pipe(out, 0)) + is_valid_reserve_id(reserve_write_pipe(out, 9));
  }`;
  const [pipe, facts] = run(source, [emptyPipe(4, 8), new Uint8Array(32)], [1], [1]);
  expect(ints(facts)).toEqual([3, 0, -1, 0, 3, 0, 508, 0]);
  expect(packets(pipe)).toEqual([[0], [1], [10], [11], [12]]);
  const reader = `kernel void k(read_only pipe int in, global int* got) {
    reserve_id_t some = reserve_read_pipe(in, 4u);
    got[0] = is_valid_reserve_id(some);
    got[5] = is_valid_reserve_id(reserve_read_pipe(in, 2));
    got[6] = get_pipe_num_packets(in);
    for (uint i = 0; i < 4; ++i) read_pipe(in, some, 3 - i, &got[1 + i]);
    commit_read_pipe(in, some);
  }`;
  const [left, got] = run(reader, [pipe ?? new Uint8Array(0), new Uint8Array(28)], [1], [1]);
  expect(ints(got)).toEqual([1, 11, 10, 1, 0, 0, 1]);
  expect(packets(left)).toEqual([[12]]);
});

test.each(["work_group", "sub_group"] as const)("%s reservations: one for all its work-items", (scope) => {
  const source = `kernel void k(read_only pipe int in, write_only pipe int out, global int* valid) {
    uint n = ${scope === "work_group" ? "get_local_size(0)" : "get_sub_group_size()"};
    uint id = ${scope === "work_group" ? "get_local_id(0)" : "get_sub_group_local_id()"};
    reserve_id_t from = ${scope}_reserve_read_pipe(in, n);
    reserve_id_t to = ${scope}_reserve_write_pipe(out, n);
    valid[get_global_id(0)] = is_valid_reserve_id(from) + 2 * is_valid_reserve_id(to);
    int v = -1;
    if (is_valid_reserve_id(from)) read_pipe(in, from, n - 1 - id, &v);
    v *= 10;
    if (is_valid_reserve_id(to)) write_pipe(out, to, id, &v);
    ${scope}_commit_read_pipe(in, from);
    ${scope}_commit_write_pipe(out, to);
  }`;
  const [full] = run(WRITE, [emptyPipe(4, 40), new Uint8Array(4)], [34], [34]);
  const [left, made, valid] = run(
    source,
    [full ?? new Uint8Array(0), emptyPipe(4, 64), new Uint8Array(160)],
    [40],
    [12],
  );
  const size = scope === "work_group" ? [12, 12, 12, 4] : [8, 4, 8, 4, 8, 4, 4];
  const expected: number[] = [];
  const flags: number[] = [];
  let next = 0;
  for (const n of size) {
    const isThere = next + n <= 34;
    for (let id = 0; id < n; id++) {
      expected.push(isThere ? (next + n - 1 - id) * 10 : -10);
      flags.push(isThere ? 3 : 2);
    }
    if (isThere) next += n;
  }
  expect(packets(made).flat()).toEqual(expected);
  expect(ints(valid)).toEqual(flags);
  expect(packets(left).flat()).toEqual(Array.from({ length: 34 - next }, (_, i) => next + i));
});

test("packets are of any type: structs, vectors of three, chars; pipes go to functions", () => {
  const source = `typedef struct { int id; char tag; int more[2]; } item;
  int forward(read_only pipe item from, write_only pipe int3 to, local item* place) {
    if (read_pipe(from, place) != 0) return -1;
    int3 v = (int3)(place->id, place->tag, place->more[1]);
    return write_pipe(to, &v);
  }
  kernel void k(read_only pipe item in, write_only pipe int3 out, write_only pipe uchar small, global int* results) {
    local item place;
    results[0] = forward(in, out, &place);
    results[1] = forward(in, out, &place);
    results[2] = forward(in, out, &place);
    for (uchar c = 250; c != 2; ++c) write_pipe(small, &c);
    results[3] = get_pipe_num_packets(small) * 1000 + get_pipe_num_packets(in) * 100 + get_pipe_num_packets(out);
  }`;
  const fill = `typedef struct { int id; char tag; int more[2]; } item;
    kernel void k(write_only pipe item out) {
      item it = { get_global_id(0) + 5, -3, { 7, 8 } };
      it.more[1] += get_global_id(0);
      write_pipe(out, &it);
    }`;
  const [items] = run(fill, [emptyPipe(16, 4)], [2], [2]);
  const [left, vectors, small, results] = run(
    source,
    [items ?? new Uint8Array(0), emptyPipe(16, 5), emptyPipe(1, 6), new Uint8Array(16)],
    [1],
    [1],
  );
  expect(ints(results)).toEqual([0, 0, -1, 6002]);
  expect(packets(left)).toEqual([]);
  expect(packets(vectors).map((packet) => packet.slice(0, 3))).toEqual([
    [5, -3, 8],
    [6, -3, 9],
  ]);
  expect(Array.from((small ?? new Uint8Array(0)).subarray(128, 134))).toEqual([250, 251, 252, 253, 254, 255]);
});

test("a kernel's metadata for a pipe is what OpenCL requires", () => {
  const [kernel] = build(
    `typedef struct { int a; } pair;
    kernel void k(read_only pipe pair in, write_only pipe const float4 out, global int* x) {
      *x = 1;
    }`,
    { options: OPTIONS },
  ).kernels;
  expect(
    kernel?.arguments.map(({ kind, typeName, access, addressSpace, size }) => [
      kind,
      typeName,
      access,
      addressSpace,
      size,
    ]),
  ).toEqual([
    ["pipe", "pair", "read_only", "global", 4],
    ["pipe", "float4", "write_only", "global", 4],
    ["pointer", "int*", "none", "global", 4],
  ]);
});

test.each([
  [
    `kernel void k(read_only pipe int p) {
    int v = 1;
    write_pipe(p, &v);
  }`,
    "CL2082",
  ],
  [
    `kernel void k(write_only pipe int p) {
    long v;
    read_pipe(p, &v);
  }`,
    "CL2082",
  ],
  [
    `kernel void k(read_only pipe int p) {
    const int v = 1;
    read_pipe(p, &v);
  }`,
    "CL2082",
  ],
  [`kernel void k(read_only pipe int p) { read_pipe(p, 1, 0, p); }`, "CL2082"],
  [`kernel void k(global int* p) { read_pipe(p, p); }`, "CL2082"],
  [`kernel void k(read_only pipe int p) { read_pipe(p); }`, "CL2004"],
  [`kernel void k(read_only pipe int* p) {}`, "CL2081"],
  [`kernel void k(read_only pipe int p) { read_only pipe int q = p; }`, "CL2081"],
  [
    `struct s { read_only pipe int p; };
  kernel void k(global int* x) { *x = 1; }`,
    "CL2081",
  ],
  [`kernel void k(read_only pipe void p) {}`, "CL2031"],
  [`kernel void k(reserve_id_t id) {}`, "CL2023"],
  [`kernel void k(read_only pipe int p, global int* x) { *x = p + 1; }`, "CL2006"],
])("%s", (source, code) => {
  expect(() => build(source, { options: OPTIONS })).toThrow(code);
});

test("before OpenCL C 2.0 the word is a name", () => {
  expect(build(`kernel void k(global int* pipe) { *pipe = 1; }`).kernels.map(({ name }) => name)).toEqual(["k"]);
});
