// SPDX-License-Identifier: Apache-2.0
// The verifier: each rule with code that it accepts and code that it refuses, and code whose bytes were changed at
// random, which another disassembler must find harmless where the verifier accepts it.
import { describe, expect, test } from "vitest";

import { Assembler, ConstantPool, Decoder, FEATURES, emitJumpTable, formOf, verifyCode } from "@muxkit/x64-assembler";

import { isInstalled, objdump } from "./tools.ts";

const RSP = 4;
const ALL = FEATURES.map((_, bit) => 1 << bit).reduce((bits, bit) => bits | bit, 0) & ~1;

interface Written {
  readonly bytes: Uint8Array;
  readonly codeSize: number;
  readonly entries: readonly number[];
}

type Write = (a: Assembler, pool: ConstantPool, entry: () => void) => void;

function build(write: Write): Written {
  const assembler = new Assembler();
  const pool = new ConstantPool(assembler);
  const entries = [0];
  write(assembler, pool, () => entries.push(assembler.length));
  const codeSize = pool.write();
  return { bytes: assembler.finish(), codeSize, entries };
}

/** `ok`, or why the code is refused. */
function verdict(written: Written, features: number = ALL, stackBytes: number = 4096): string {
  const result = verifyCode({ ...written, features, stackBytes });
  return result.ok ? "ok" : result.error.reason;
}

const ret = (a: Assembler): void => a.emit(formOf("ret"));
const take = (a: Assembler, bytes: number): void => a.emit(formOf("sub r64/m64, s32"), RSP, bytes);
const give = (a: Assembler, bytes: number): void => a.emit(formOf("add r64/m64, s32"), RSP, bytes);
const load = formOf("mov r32, r32/m32");
const store = formOf("mov m32, r32");

/** What a rule accepts or refuses; `ok` or a part of the reason. */
type Case = readonly [name: string, expected: string, write: Write];

/** A function with a frame of 64 bytes around what a case writes. */
function framed(write: Write): Write {
  return (a, pool, entry) => {
    take(a, 64);
    write(a, pool, entry);
    give(a, 64);
    ret(a);
  };
}

/** A function without a frame around what a case writes. */
function plain(write: Write): Write {
  return (a, pool, entry) => {
    write(a, pool, entry);
    ret(a);
  };
}

function check(cases: readonly Case[]): void {
  test.each(cases)("%s: %s", (_, expected, write) => {
    const found = verdict(build(write));
    expect(expected === "ok" ? found === "ok" : found.includes(expected), found).toBe(true);
  });
}

describe("memory", () => {
  check([
    ["the kernel's", "ok", plain((a) => a.emit(load, 0, a.kernel(1, -8, 2, 3)))],
    [
      "the kernel's, gathered",
      "ok",
      plain((a) => a.emit(formOf("vpgatherdd y, m32(y), y"), 1, a.kernel(0, 0, 2, 2), 3)),
    ],
    [
      "the kernel's, scattered",
      "ok",
      plain((a) => a.masked(1).emit(formOf("vpscatterdd m32(z), z"), a.kernel(0, 0, 2, 2), 3)),
    ],
    ["the kernel's, locked", "ok", plain((a) => a.emit(formOf("lock add m32, r32"), a.kernel(0), 3))],
    ["any other", "accesses memory that is not the kernel's", plain((a) => a.emit(load, 0, a.flat(1)))],
    ["any other, written", "not the kernel's", plain((a) => a.emit(store, a.flat(1), 0))],
    [
      "any other, gathered",
      "not the kernel's",
      plain((a) => a.emit(formOf("vpgatherdd y, m32(y), y"), 1, a.flat(0, 0, 2, 2), 3)),
    ],
    ["an absolute address", "not the kernel's", plain((a) => a.emit(load, 0, a.flat(-1, 4096)))],
    ["the kernel's by esp", "makes an address of rsp", plain((a) => a.emit(load, 0, a.kernel(RSP)))],
    ["the first word of the frame", "ok", framed((a) => a.emit(load, 0, a.flat(RSP)))],
    ["the last word of the frame", "ok", framed((a) => a.emit(store, a.flat(RSP, 60), 0))],
    ["beyond the frame", "leaves its frame", framed((a) => a.emit(store, a.flat(RSP, 61), 0))],
    [
      "a vector beyond the frame",
      "leaves its frame",
      framed((a) => a.emit(formOf("vmovups m256, y"), a.flat(RSP, 40), 0)),
    ],
    ["below the frame", "leaves its frame", framed((a) => a.emit(store, a.flat(RSP, -4), 0))],
    ["the frame with an index", "not the kernel's", framed((a) => a.emit(load, 0, a.flat(RSP, 0, 1)))],
    ["a frame that was not taken", "leaves its frame", plain((a) => a.emit(load, 0, a.flat(RSP)))],
    ["a constant", "ok", plain((a, pool) => a.emit(load, 0, a.at(pool.label(Uint8Array.of(1, 2, 3, 4)))))],
    [
      "a constant, written",
      "writes to constants",
      plain((a, pool) => a.emit(store, a.at(pool.label(Uint8Array.of(1, 2, 3, 4))), 0)),
    ],
    [
      "beyond the constants",
      "what is no constant",
      plain((a, pool) => a.emit(formOf("mov r64, r64/m64"), 0, a.at(pool.label(Uint8Array.of(1, 2, 3, 4))))),
    ],
    [
      "its own code",
      "what is no constant",
      plain((a) => {
        const here = a.newLabel();
        a.bind(here);
        a.emit(load, 0, a.at(here));
      }),
    ],
    ["an address that is computed only", "ok", plain((a) => a.emit(formOf("lea r64, m"), 0, a.flat(1, 3, 2, 2)))],
    ["an address of the stack", "makes an address of rsp", framed((a) => a.emit(formOf("lea r64, m"), 0, a.flat(RSP)))],
    [
      "an address of constants",
      "not in the form",
      plain((a, pool) => a.emit(formOf("lea r64, m"), 0, a.at(pool.label(Uint8Array.of(1))))),
    ],
  ]);
});

describe("the stack pointer", () => {
  check([
    ["a frame taken and given back", "ok", framed(() => undefined)],
    [
      "two ways out",
      "ok",
      framed((a) => {
        const on = a.newLabel();
        a.jumpIf(4, on);
        give(a, 64);
        ret(a);
        a.bind(on);
      }),
    ],
    ["no frame", "ok", plain(() => undefined)],
    [
      "a frame that is not given back",
      "without giving back",
      (a) => {
        take(a, 64);
        ret(a);
      },
    ],
    [
      "a frame of another size",
      "gives back another frame",
      (a) => {
        take(a, 64);
        give(a, 56);
        ret(a);
      },
    ],
    ["a frame that was not taken", "that was not taken", plain((a) => give(a, 64))],
    [
      "a frame below zero",
      "of no size",
      (a) => {
        take(a, -64);
        give(a, -64);
        ret(a);
      },
    ],
    ["a second frame", "uses rsp", framed((a) => take(a, 64))],
    [
      "a frame taken late",
      "uses rsp",
      plain((a) => {
        a.emit(load, 0, 1);
        take(a, 64);
      }),
    ],
    [
      "work after the frame is gone",
      "does not return after",
      (a) => {
        take(a, 64);
        give(a, 64);
        a.emit(load, 0, 1);
        ret(a);
      },
    ],
    ["rsp read", "uses rsp", plain((a) => a.emit(formOf("mov r64, r64/m64"), 0, RSP))],
    ["rsp written", "uses rsp", plain((a) => a.emit(formOf("mov r64, r64/m64"), RSP, 0))],
    ["esp written", "uses rsp", plain((a) => a.emit(formOf("mov r32, i32"), RSP, 0))],
    ["push", "moves rsp", plain((a) => a.emit(formOf("push r64"), 0))],
    ["pop", "moves rsp", plain((a) => a.emit(formOf("pop r64"), 0))],
    [
      "a jump to the beginning with a frame",
      "only the instruction before it",
      framed((a) => {
        const top = a.newLabel();
        a.emit(load, 0, 1);
        a.jump(top);
        a.bind(top);
        a.emit(formOf("jmp rel8"), -(a.length + 2));
      }),
    ],
    ["a jump to the return", "only the instruction before it", framed((a) => a.emit(formOf("jcc rel8, cc"), 7, 4))],
    [
      "more than there is",
      "needs 8200 bytes of stack; 4096 are there",
      (a) => {
        take(a, 8192);
        give(a, 8192);
        ret(a);
      },
    ],
  ]);
});

describe("control", () => {
  check([
    [
      "a loop",
      "ok",
      plain((a) => {
        const top = a.newLabel();
        a.bind(top);
        a.emit(formOf("sub r32/m32, s8"), 0, 1);
        a.jumpIf(5, top);
      }),
    ],
    [
      "into an instruction",
      "into an instruction",
      plain((a) => {
        a.emit(formOf("mov r32, i32"), 0, 5);
        a.emit(formOf("jmp rel8"), -4);
      }),
    ],
    ["before the code", "out of its function", plain((a) => a.emit(formOf("jmp rel8"), -100))],
    ["behind the code", "out of its function", plain((a) => a.emit(formOf("jmp rel32"), 100))],
    ["far away", "out of its function", plain((a) => a.emit(formOf("jmp rel32"), 0x7fff_ff00))],
    [
      "into another function",
      "out of its function",
      (a, _, entry) => {
        ret(a);
        entry();
        a.emit(formOf("jmp rel8"), -3);
      },
    ],
    [
      "a call of what came before",
      "ok",
      (a, _, entry) => {
        ret(a);
        entry();
        a.emit(formOf("call rel32"), -6);
        ret(a);
      },
    ],
    ["a call of itself", "does not come before", plain((a) => a.emit(formOf("call rel32"), -5))],
    [
      "a call of what comes later",
      "does not come before",
      (a, _, entry) => {
        a.emit(formOf("call rel32"), 1);
        ret(a);
        entry();
        ret(a);
      },
    ],
    [
      "a call into a function",
      "is no function",
      (a, _, entry) => {
        a.emit(load, 0, 1);
        ret(a);
        entry();
        a.emit(formOf("call rel32"), -6);
        ret(a);
      },
    ],
    ["a call through a register", "to where a register says", plain((a) => a.emit(formOf("call r64/m64"), 0))],
    ["a jump through a register", "to where a register says", (a) => a.emit(formOf("jmp r64/m64"), 0)],
    ["a jump through memory", "to where a register says", (a) => a.emit(formOf("jmp r64/m64"), a.kernel(0))],
    ["the end of a function is missing", "does not end there", (a) => a.emit(load, 0, 1)],
    [
      "one function runs into the next",
      "does not end there",
      (a, _, entry) => {
        a.emit(load, 0, 1);
        entry();
        ret(a);
      },
    ],
    [
      "what fills up",
      "ok",
      (a, _, entry) => {
        ret(a);
        a.align(16);
        entry();
        ret(a);
        a.align(16);
      },
    ],
    ["what fills up and is reached", "is reached, although", plain((a) => a.emit(formOf("int3")))],
    [
      "a jump to what fills up",
      "only the instruction before it",
      (a) => {
        a.emit(formOf("jcc rel8, cc"), 1, 4);
        ret(a);
        a.align(16);
      },
    ],
    ["a trap", "ok", (a) => a.emit(formOf("ud2"))],
  ]);

  test("the stack of what is called counts", () => {
    const written = build((a, _, entry) => {
      take(a, 256);
      give(a, 256);
      ret(a);
      const size = a.length;
      entry();
      take(a, 64);
      a.emit(formOf("call rel32"), -(size + 12));
      give(a, 64);
      ret(a);
    });
    const result = verifyCode({ ...written, features: ALL, stackBytes: 4096 });
    expect(result.ok && result.value.stackBytes).toEqual([264, 336]);
    expect(verdict(written, ALL, 335)).toContain("needs 336 bytes of stack; 335 are there");
  });
});

/** One function of these bytes and a return. */
function raw(hex: string): Written {
  const bytes = Uint8Array.from(Buffer.from(`${hex}c3`, "hex"));
  return { bytes, codeSize: bytes.length, entries: [0] };
}

describe("instructions", () => {
  check(
    ["syscall", "cpuid", "xgetbv", "rdtsc", "wrgsbase r64", "rdgsbase r64", "ldmxcsr m32"].map((key): Case => [
      key,
      "is an instruction of the system",
      plain((a) => a.emit(formOf(key), key.endsWith("m32") ? a.kernel(0) : 0)),
    ]),
  );

  test("features that are not allowed", () => {
    const written = build(plain((a) => a.emit(formOf("vpaddd z, z, z/m512"), 1, 2, 3)));
    expect(verdict(written)).toBe("ok");
    expect(verdict(written, 0)).toContain("needs avx512f, which is not allowed");
    const result = verifyCode({ ...written, features: ALL, stackBytes: 64 });
    expect(result.ok && result.value.features).toBe(1 << FEATURES.findIndex(([name]) => name === "avx512f"));
  });

  test.each([
    ["a REX prefix for nothing", "4003c8"],
    ["a prefix for nothing", "66f303c8"],
    ["prefixes in another order", "67658b0491"],
    ["a displacement that is longer than need be", "65678b8108000000"],
    ["a VEX that is longer than need be", "c4e17058c2"],
    ["a segment without the address size", "658b0491"],
    ["the address size without a segment", "678b0491"],
    ["another segment", "64678b0491"],
    ["an operand that memory could be", "01c8"],
    ["a far jump", "ff28"],
    ["a far return", "cb"],
    ["an interrupt", "cd80"],
    ["sysenter", "0f34"],
    ["string moves", "f3a5"],
    ["a move to a segment", "8ee8"],
    ["x87", "d9c0"],
    ["xbegin", "c7f800000000"],
    ["nothing that is known", "0fff"],
    ["a gather whose vectors are not three", "6567c4e265900c8b"],
    ["a cut instruction", "65678b04"],
  ])("%s", (_, hex) => {
    expect(verdict(raw(hex))).not.toBe("ok");
  });

  test("the canonical ones of these are accepted", () => {
    for (const hex of ["03c8", "65678b0491", "65678b4108", "c5f058c2"]) expect(verdict(raw(hex))).toBe("ok");
  });
});

/** A jump by a table of two, after which come two returns; `change` may spoil the bytes. */
function tableCode(
  count: number,
  entries: readonly number[],
  registers = { index: 0, table: 1, distance: 2 },
): Written {
  const assembler = new Assembler();
  const [table, elsewhere] = [assembler.newLabel(), assembler.newLabel()];
  emitJumpTable(assembler, registers, count, table, elsewhere);
  const after = assembler.length;
  assembler.emit(formOf("mov r32, i32"), 0, 1);
  ret(assembler);
  assembler.bind(elsewhere);
  ret(assembler);
  const codeSize = assembler.length;
  assembler.align(4);
  assembler.bind(table);
  const place = assembler.length;
  assembler.writeBytes(new Uint8Array(Int32Array.from(entries, (entry) => after + entry - place).buffer));
  return { bytes: assembler.finish(), codeSize, entries: [0] };
}

describe("the form of a jump table", () => {
  test("is accepted with few and with many entries", () => {
    expect(verdict(tableCode(2, [0, 5]))).toBe("ok");
    expect(
      verdict(
        tableCode(
          200,
          Array.from({ length: 200 }, (_, n) => (n % 2) * 5),
        ),
      ),
    ).toBe("ok");
    expect(verdict(tableCode(2, [0, 5], { index: 0, table: 1, distance: 0 }))).toBe("ok");
  });

  test.each([
    ["an entry into an instruction", tableCode(2, [0, 2]), "into an instruction"],
    ["an entry out of the function", tableCode(2, [0, 1000]), "out of its function"],
    ["an entry behind the bound check", tableCode(2, [0, -2]), "only the instruction before it"],
    ["more entries than there are", tableCode(3, [0, 5]), "not among the constants"],
    ["a table that overwrites the index", tableCode(2, [0, 5], { index: 1, table: 1, distance: 2 }), "not in the form"],
    ["a table that is lost", tableCode(2, [0, 5], { index: 0, table: 1, distance: 1 }), "not in the form"],
  ])("%s", (_, written, reason) => {
    expect(verdict(written)).toContain(reason);
  });

  test("any other byte in it is refused or means another register", () => {
    const written = tableCode(2, [0, 5]);
    const end = written.codeSize - 7;
    let wrong = 0;
    for (let offset = 0; offset < end; offset++) {
      for (let bit = 0; bit < 8; bit++) {
        const bytes = written.bytes.slice();
        bytes[offset] = (bytes[offset] ?? 0) ^ (1 << bit);
        // Fewer entries, and a table that begins elsewhere among the constants, are right.
        const result = verdict({ ...written, bytes });
        if (result === "ok" && (bytes[4] ?? 0) > 2) wrong++;
      }
    }
    expect(wrong).toBe(0);
  });
});

describe("requests that make no sense", () => {
  const { bytes } = build(plain(() => undefined));
  test.each([
    ["no code", 0, [0]],
    ["more code than bytes", 2, [0]],
    ["no entries", 1, []],
    ["a first entry that is not 0", 1, [1]],
    ["entries that do not ascend", 1, [0, 0]],
    ["an entry behind the code", 1, [0, 1]],
  ])("%s", (_, codeSize, entries) => {
    expect(verifyCode({ bytes, codeSize, entries, features: ALL, stackBytes: 64 }).ok).toBe(false);
  });
});

/** Numbers that look random and are the same each time. */
function* random(seed: number): Generator<number, never> {
  let state = seed;
  for (;;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state >>> 8;
  }
}

/** Code with something of everything. */
const MIXED = build((a, pool, entry) => {
  a.emit(formOf("vaddps z, z, z/m512"), 1, 2, a.kernel(3, 64, 5, 2));
  ret(a);
  a.align(16);
  entry();
  take(a, 128);
  const [top, out] = [a.newLabel(), a.newLabel()];
  a.bind(top);
  a.emit(load, 0, a.kernel(1, 4, 2, 2));
  a.emit(formOf("vmovups m256, y"), a.flat(RSP, 32), 3);
  a.emit(formOf("vfmadd231ps y, y, y/m256"), 1, 2, a.at(pool.label(new Uint8Array(32).fill(9))));
  a.masked(2, true).emit(formOf("vpaddd z, z, z/m512"), 17, 18, a.kernel(9, 256));
  a.emit(formOf("vpgatherdd y, m32(y), y"), 1, a.kernel(0, 0, 2, 2), 3);
  a.emit(formOf("lock xadd m32, r32"), a.kernel(7), 6);
  a.emit(formOf("imul r64, r64/m64, s32"), 9, 10, 0x1234);
  a.emit(formOf("cmp r32/m32, s8"), a.flat(RSP, 8), 3);
  a.jumpIf(4, out);
  a.emit(formOf("call rel32"), -(a.length + 5));
  a.jump(top);
  a.bind(out);
  give(a, 128);
  ret(a);
});

describe("bytes that were changed at random", () => {
  const HARMLESS =
    /^(?!.*(?:syscall|sysenter|gsbase|mxcsr|cpuid|xgetbv|rdtsc|push|pop|\bint\b|retf|enter|leave|iret|\(bad\)))/u;
  const ADDRESS = /(?:gs:)?\[[^\]]*\]|[c-g]s:0x[\da-f]+/gu;

  /** Whether every address of a text is of those that are allowed. */
  function isContained(text: string): boolean {
    const addresses = text.match(ADDRESS) ?? [];
    const isLea = text.startsWith("lea ") || text.startsWith("nop");
    return addresses.every((one) => isLea || /^gs:\[e|^gs:\[r\d+d|^gs:\[?0x|^\[rsp|^\[rip/u.test(one));
  }

  test.skipIf(!isInstalled("objdump"))("what is still accepted is harmless, says objdump", () => {
    expect(verdict(MIXED)).toBe("ok");
    const numbers = random(7);
    const accepted: Uint8Array[] = [];
    let refused = 0;
    for (let round = 0; round < 20_000; round++) {
      const bytes = MIXED.bytes.slice();
      const changes = 1 + (numbers.next().value % 3);
      for (let n = 0; n < changes; n++) bytes[numbers.next().value % MIXED.codeSize] = numbers.next().value & 255;
      if (verdict({ ...MIXED, bytes }) === "ok") accepted.push(bytes);
      else refused++;
    }
    // Both must happen, or the test shows nothing.
    expect(accepted.length).toBeGreaterThan(200);
    expect(refused).toBeGreaterThan(10_000);
    const { codeSize } = MIXED;
    const all = new Uint8Array(accepted.length * codeSize);
    accepted.forEach((bytes, n) => all.set(bytes.subarray(0, codeSize), n * codeSize));
    const theirs = objdump(all);
    const decoder = new Decoder();
    const harmful: string[] = [];
    accepted.forEach((bytes, n) => {
      for (let offset = 0; offset < codeSize; offset += decoder.size) {
        decoder.decode(bytes.subarray(0, codeSize), offset);
        const text = theirs.get(n * codeSize + offset);
        // Another length would show as an offset where objdump has no instruction.
        if (text === undefined || !HARMLESS.test(text) || !isContained(text))
          harmful.push(text ?? `nothing at ${offset}`);
      }
    });
    expect(harmful).toEqual([]);
  });

  test("no bytes make it throw", () => {
    const numbers = random(11);
    const reasons = new Set<string>();
    for (let round = 0; round < 5000; round++) {
      const bytes = Uint8Array.from({ length: 1 + (numbers.next().value % 40) }, () => numbers.next().value & 255);
      const result = verifyCode({ bytes, codeSize: bytes.length, entries: [0], features: ALL, stackBytes: 64 });
      if (!result.ok) reasons.add(result.error.reason);
    }
    expect([...reasons].filter((reason) => !/^The (?:code|function) .*\.$/u.test(reason))).toEqual([]);
  });
});
