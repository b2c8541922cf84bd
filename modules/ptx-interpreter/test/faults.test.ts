// SPDX-License-Identifier: Apache-2.0
// What goes wrong, and how it is told: texts that are refused, launches that are, kernels that hardware would end.
import { serialPtxDriver } from "@muxkit/ptx-interpreter";
import { expect, test } from "vitest";

import { kernelOf, run } from "./rig.ts";

test.each<readonly [what: string, text: string, error: string]>([
  [
    "an unknown instruction",
    kernelOf("  frobnicate.b32 %r1, %r2;"),
    "line 17: frobnicate.b32: this instruction is not known",
  ],
  [
    "a register that is not declared",
    kernelOf("  add.s32 %r1, %r2, %x9;"),
    "line 17: the register %x9 is not declared",
  ],
  [
    "a register of another width",
    kernelOf("  add.s32 %r1, %r2, %rd1;"),
    "line 17: add.s32 takes no register like %rd1",
  ],
  ["a float where an int is read", kernelOf("  add.s32 %r1, %f2, %r1;"), "line 17: add.s32 takes no register like %f2"],
  ["too few operands", kernelOf("  add.s32 %r1, %r2;"), "line 17: add.s32: it has 3 operands, and 2 are given"],
  ["a label that is nowhere", kernelOf("  bra $away;"), "line 17: a branch leads to a label of its function"],
  ["a variable that is nowhere", kernelOf("  mov.u64 %rd1, away;"), "line 17: mov.u64: there is no variable away"],
  [
    "a modifier that is not known",
    kernelOf("  ld.global.odd.u32 %r1, [%rd1];"),
    "line 17: ld.global.odd.u32: the modifier .odd is not known",
  ],
  ["a call of nothing", kernelOf("  call away;"), "line 17: there is no function away"],
  [
    "text that ends too early",
    ".version 7.8\n.target sm_90\n.address_size 64\n.entry k() {",
    "line 4: the text ends too early",
  ],
  ["addresses of 32 bits", ".version 7.8\n.target sm_90\n.address_size 32\n", "line 3: addresses have 64 bits"],
  ["a letter of nothing", kernelOf("  add.s32 %r1, %r2, #;"), 'line 17: "#" is no part of PTX'],
])("%s is refused", (_, text, error) => {
  expect(run(text, [0n])).toBe(error);
});

test.each<readonly [what: string, body: string, error: RegExp]>([
  [
    "a wild store",
    "  mov.u64 %rd1, 0x123456789abc;\n  st.global.u32 [%rd1], 1;\n  ret;",
    /^k: illegal address: lane 0 writes 4 bytes at 0x123456789abc \(line 18 of the PTX, group 0, 0, 0\)$/u,
  ],
  [
    "a load behind the end of a buffer",
    "  ld.global.u32 %r1, [%rd31+16];\n  ret;",
    /illegal address: lane 0 reads 4 bytes/u,
  ],
  [
    "a load that begins in a buffer and ends behind it",
    "  ld.global.v2.u64 {%rd1, %rd2}, [%rd31+8];\n  ret;",
    /(?:illegal|misaligned) address/u,
  ],
  ["a misaligned load", "  ld.global.u32 %r1, [%rd31+2];\n  ret;", /misaligned address: lane 0 reads 4 bytes/u],
  [
    "a null pointer",
    "  mov.u64 %rd1, 0;\n  ld.u32 %r1, [%rd1];\n  ret;",
    /illegal address: lane 0 reads 4 bytes at 0x0/u,
  ],
  [
    "a truncated address",
    "  cvt.u32.u64 %r1, %rd31;\n  cvt.u64.u32 %rd1, %r1;\n  ld.global.u32 %r2, [%rd1];\n  ret;",
    /illegal address/u,
  ],
  [
    "a load behind shared memory",
    "  mov.u64 %rd1, shared;\n  ld.shared.u32 %r1, [%rd1+8];\n  ret;",
    /illegal address/u,
  ],
  ["a trap", "  trap;", /the kernel traps \(line 17/u],
  ["an endless loop", "$loop:\n  bra $loop;", /does not end within 1000 blocks/u],
  [
    "a vote of lanes that are elsewhere",
    "  setp.eq.u32 %p1, %r31, 0;\n  @%p1 bra $end;\n  vote.sync.all.pred %p2, %p1, 0xffffffff;\n$end:\n  ret;",
    /a vote waits for lanes that have gone another way: 0x1/u,
  ],
  [
    "a barrier that some never come to",
    "  setp.ne.u32 %p1, %r31, 0;\n$loop:\n  @%p1 bra $behind;\n  bra $loop;\n$behind:\n  barrier.sync 0;\n  ret;",
    /does not end within 1000 blocks/u,
  ],
])("%s ends the launch and loses the device", (_, body, error) => {
  const text = kernelOf(body, ".shared .align 8 .b8 shared[8];");
  expect(run(text, [0n, 0n], { items: 4, mostBlocks: 1000 })).toMatch(error);
});

test("a device that is lost stays so, and another of the same driver does not care", () => {
  const driver = serialPtxDriver({ count: 2 });
  const text = new TextEncoder().encode(kernelOf("  trap;"));
  const module = driver.load(text);
  const entry = module.ok ? driver.entry(module.value, "k") : module;
  if (!entry.ok) throw new Error(entry.error.message);
  const grid = { groups: [1, 1, 1], localSize: [1, 1, 1], dynamicLocal: 0 } as const;
  expect(driver.launch(entry.value, grid, new Uint8Array(16)).ok).toBe(true);
  for (const call of [() => driver.synchronize(), () => driver.allocate(8), () => driver.load(text)]) {
    const answer = call();
    expect(answer.ok ? null : answer.error.code).toBe(719);
  }
  expect(driver.open(1).ok).toBe(true);
  expect(driver.allocate(8).ok).toBe(true);
  expect(driver.open(2).ok).toBe(false);
});

test("memory that was given back is no memory", () => {
  const driver = serialPtxDriver();
  const [first, second] = [driver.allocate(1000), driver.allocate(10)];
  if (!first.ok || !second.ok) throw new Error("there is memory");
  driver.free(first.value);
  expect(driver.read(first.value, new Uint8Array(1)).ok).toBe(false);
  expect(driver.read(second.value, new Uint8Array(10)).ok).toBe(true);
  expect(driver.read(second.value, new Uint8Array(11)).ok).toBe(false);
  expect(driver.allocate(1000)).toEqual(first);
});

test("all memory can be taken, and taken again", () => {
  const driver = serialPtxDriver({ facts: { memory: 2 ** 20 } });
  for (let round = 0; round < 2; round++) {
    const taken: number[] = [];
    for (let one = driver.allocate(1024); one.ok; one = driver.allocate(1024)) taken.push(one.value);
    expect(taken).toHaveLength(1023);
    expect(new Set(taken).size).toBe(1023);
    for (const address of taken.toSorted((a, b) => (a % 7) - (b % 7) || a - b)) driver.free(address);
  }
  expect(driver.allocate(1023 * 1024).ok).toBe(true);
});

test.each<
  readonly [
    what: string,
    localSize: readonly [number, number, number],
    dynamicLocal: number,
    bytes: number,
    error: RegExp,
  ]
>([
  ["too many work-items", [1025, 1, 1], 0, 16, /cannot have 1025 \* 1 \* 1 work-items/u],
  ["too much shared memory", [1, 1, 1], 49_152, 16, /needs 49168 bytes of shared memory, and there are 49152/u],
  ["too few parameters", [1, 1, 1], 0, 8, /has 16 bytes of parameters, and 8 are given/u],
])("a launch with %s is refused", (_, localSize, dynamicLocal, bytes, error) => {
  const driver = serialPtxDriver();
  const text = kernelOf("  mov.u64 %rd1, shared;\n  ret;", ".shared .align 16 .b8 shared[16];");
  const module = driver.load(new TextEncoder().encode(text));
  const entry = module.ok ? driver.entry(module.value, "k") : module;
  if (!entry.ok) throw new Error(entry.error.message);
  const answer = driver.launch(entry.value, { groups: [1, 1, 1], localSize, dynamicLocal }, new Uint8Array(bytes));
  expect(answer.ok ? "" : answer.error.message).toMatch(error);
});
