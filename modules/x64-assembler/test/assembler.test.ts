// SPDX-License-Identifier: Apache-2.0
// The assembler: bytes on record, labels, constants, the choice between VEX and EVEX, and what it refuses.
import { InternalError } from "@muxkit/cargo";
import { describe, expect, test } from "vitest";

import {
  Assembler,
  ConstantPool,
  Decoder,
  NONE,
  constraintsOf,
  featureNames,
  formAt,
  formOf,
  printInstruction,
} from "@muxkit/x64-assembler";

function bytesOf(write: (assembler: Assembler) => void): string {
  const assembler = new Assembler();
  write(assembler);
  return Buffer.from(assembler.finish()).toString("hex");
}

// Bytes as the manuals of the processors give them, worked out by hand.
describe("bytes on record", () => {
  test.each([
    ["add ecx,eax", "03c8", (a: Assembler) => a.emit(formOf("add r32, r32/m32"), 1, 0)],
    ["add r9,0xff…fd", "4983c1fd", (a: Assembler) => a.emit(formOf("add r64/m64, s8"), 9, -3)],
    ["mov sil,[rsp+8]", "408a742408", (a: Assembler) => a.emit(formOf("mov r8, r8/m8"), 6, a.flat(4, 8))],
    [
      "mov eax,gs:[ecx+edx*4]",
      "65678b0491",
      (a: Assembler) => a.emit(formOf("mov r32, r32/m32"), 0, a.kernel(1, 0, 2, 2)),
    ],
    ["mov rax,[rbp]", "488b4500", (a: Assembler) => a.emit(formOf("mov r64, r64/m64"), 0, a.flat(5))],
    ["setb al", "0f92c0", (a: Assembler) => a.emit(formOf("setcc r8/m8, cc"), 0, 2)],
    [
      "movabs r11",
      "49bb8877665544332211",
      (a: Assembler) => a.emit(formOf("movabs r64, i64"), 11, 0x5566_7788, 0x1122_3344),
    ],
    ["vaddps xmm0,xmm1,xmm2", "c5f058c2", (a: Assembler) => a.emit(formOf("vaddps x, x, x/m128"), 0, 1, 2)],
    ["vaddps ymm8,ymm9,ymm10", "c4413458c2", (a: Assembler) => a.emit(formOf("vaddps y, y, y/m256"), 8, 9, 10)],
    ["vfmadd231ps ymm1,ymm2,ymm3", "c4e26db8cb", (a: Assembler) => a.emit(formOf("vfmadd231ps y, y, y/m256"), 1, 2, 3)],
    [
      "vpaddd zmm1{k1}{z},zmm2,zmm3",
      "62f16dc9fecb",
      (a: Assembler) => a.masked(1, true).emit(formOf("vpaddd z, z, z/m512"), 1, 2, 3),
    ],
    [
      "vpaddd zmm30,zmm2,[rax+64]",
      "62616d48fe7001",
      (a: Assembler) => a.emit(formOf("vpaddd z, z, z/m512"), 30, 2, a.flat(0, 64)),
    ],
    [
      "vpgatherdd ymm1,[rax+ymm2*4],ymm3",
      "c4e265900c90",
      (a: Assembler) => a.emit(formOf("vpgatherdd y, m32(y), y"), 1, a.flat(0, 0, 2, 2), 3),
    ],
    ["lock cmpxchg [rdi],esi", "f00fb137", (a: Assembler) => a.emit(formOf("lock cmpxchg m32, r32"), a.flat(7), 6)],
    ["syscall", "0f05", (a: Assembler) => a.emit(formOf("syscall"))],
  ] as const)("%s", (_, bytes, write) => {
    expect(bytesOf(write)).toBe(bytes);
  });
});

describe("choices", () => {
  test("EVEX is taken for registers from 16 on, masks and broadcasts, VEX otherwise", () => {
    const add = formOf("vaddps y, y, y/m256");
    const kinds = [
      (a: Assembler) => a.emit(add, 1, 2, 3),
      (a: Assembler) => a.emit(add, 17, 2, 3),
      (a: Assembler) => a.emit(add, 1, 2, 19),
      (a: Assembler) => a.masked(2).emit(add, 1, 2, 3),
      (a: Assembler) => {
        const memory = a.kernel(1, 4);
        a.isBroadcast = true;
        a.emit(add, 1, 2, memory);
      },
    ].map((write) => {
      const assembler = new Assembler();
      write(assembler);
      const decoder = new Decoder();
      return formAt(decoder.decode(assembler.finish(), 0)).kind;
    });
    expect(kinds).toEqual(["VEX", "EVEX", "EVEX", "EVEX", "EVEX"]);
    expect(formAt(formOf("evex vaddps y, y, y/m256")).kind).toBe("EVEX");
  });

  test("what an instruction was told does not reach the next", () => {
    const add = formOf("vaddps y, y, y/m256");
    const text = bytesOf((a) => {
      a.masked(2, true).emit(add, 1, 2, 3);
      a.emit(add, 1, 2, 3);
    });
    expect(text.endsWith("c5ec58cb")).toBe(true);
  });
});

describe("labels and constants", () => {
  test("jumps back are short where they can be, jumps forward have 32 bits", () => {
    const text = bytesOf((a) => {
      const [top, end] = [a.newLabel(), a.newLabel()];
      a.bind(top);
      a.jumpIf(4, end);
      a.jump(top);
      a.bind(end);
      a.emit(formOf("ret"));
    });
    expect(text).toBe("0f8402000000ebf8c3");
  });

  test("far jumps back have 32 bits too", () => {
    const assembler = new Assembler();
    const top = assembler.newLabel();
    assembler.bind(top);
    for (let n = 0; n < 40; n++) assembler.emit(formOf("mov r32, i32"), 0, n);
    assembler.jump(top);
    expect(Buffer.from(assembler.finish()).toString("hex").endsWith("e933ffffff")).toBe(true);
  });

  test("constants are kept once, aligned, behind the code, and an immediate after the displacement counts", () => {
    const assembler = new Assembler();
    const pool = new ConstantPool(assembler);
    const four = Uint8Array.of(1, 2, 3, 4);
    const label = pool.label(four);
    expect(pool.label(four.slice())).toBe(label);
    assembler.emit(formOf("cmp r32/m32, s8"), assembler.at(label), 5);
    assembler.emit(formOf("vaddps y, y, y/m256"), 1, 2, assembler.at(pool.label(new Uint8Array(32).fill(7))));
    const end = pool.write();
    const code = assembler.finish();
    const decoder = new Decoder();
    decoder.decode(code, 0);
    expect(decoder.size + decoder.displacement).toBe(64);
    expect(printInstruction(decoder)).toBe("cmp DWORD PTR [rip+0x39],0x5");
    decoder.decode(code, decoder.size);
    expect(decoder.offset + decoder.size).toBe(end);
    expect(end + decoder.displacement).toBe(32);
    expect([...code.subarray(64)]).toEqual([1, 2, 3, 4]);
  });

  test("code may be as long as it gets", () => {
    const assembler = new Assembler();
    const labels = Array.from({ length: 1000 }, () => assembler.newLabel());
    for (const label of labels) {
      assembler.jump(label);
      assembler.emit(formOf("ud2"));
      assembler.bind(label);
    }
    expect(assembler.finish().length).toBe(7000);
    assembler.reset();
    expect(assembler.finish().length).toBe(0);
  });
});

describe("defects of the caller", () => {
  test.each([
    ["a form that is not there", () => formOf("add r32, z")],
    ["EVEX where there is none", () => formOf("evex vpand y, y, y/m256")],
    ["a number that is no form", (a: Assembler) => a.emit(100_000)],
    ["a register from 16 on without EVEX", (a: Assembler) => a.emit(formOf("add r32, r32/m32"), 16, 0)],
    ["a mask without EVEX", (a: Assembler) => a.masked(1).emit(formOf("vpand y, y, y/m256"), 0, 1, 2)],
    ["zeroing of a store", (a: Assembler) => a.masked(1, true).emit(formOf("evex vmovups m256, y"), a.kernel(0), 2)],
    ["a gather without a mask", (a: Assembler) => a.emit(formOf("evex vpgatherdd z, m32(z)"), 0, a.kernel(0, 0, 1, 2))],
    ["memory where a register must be", (a: Assembler) => a.emit(formOf("vmovmskps r32, y"), 0, a.kernel(0))],
    ["a register where memory must be", (a: Assembler) => a.emit(formOf("lea r64, m"), 0, 3)],
    ["an address that no operand is", (a: Assembler) => a.emit(formOf("add r32, r32/m32"), 0, (a.kernel(0), 3))],
    ["an immediate that is too large", (a: Assembler) => a.emit(formOf("add r32/m32, s8"), 0, 128)],
    ["a base that is not there", (a: Assembler) => a.emit(formOf("add r32, r32/m32"), 0, a.flat(16, 0, NONE))],
    [
      "a label that is nowhere",
      (a: Assembler) => {
        a.jump(a.newLabel());
        a.finish();
      },
    ],
  ] as const)("%s", (_, write) => {
    expect(() => write(new Assembler())).toThrow(InternalError);
  });
});

/** The features that a form needs. */
function needs(key: string): readonly string[] {
  return featureNames(formAt(formOf(key)).needs);
}

describe("constraints", () => {
  test("of a multiply-add: the first operand is read and written, the last may be in memory", () => {
    const { operands, writesFlags } = constraintsOf(formOf("vfmadd231ps y, y, y/m256"));
    expect(operands.map((one) => [one.isRead, one.isWritten, one.bank, one.mayBeMemory, one.registers])).toEqual([
      [true, true, "vector", false, 16],
      [true, false, "vector", false, 16],
      [true, false, "vector", true, 16],
    ]);
    expect(writesFlags).toBe(false);
  });

  test("of a division: rax and rdx are implied and lost", () => {
    const { operands, writesFlags } = constraintsOf(formOf("div r32/m32"));
    expect(operands.map((one) => [one.operand, one.fixed, one.isWritten])).toEqual([
      [-1, 0, true],
      [-1, 2, true],
      [0, -1, false],
    ]);
    expect(writesFlags).toBe(true);
  });

  test("of shifts and gathers", () => {
    expect(constraintsOf(formOf("shl r32/m32, cl")).operands[1]).toMatchObject({ fixed: 1, operand: -1 });
    expect(constraintsOf(formOf("vpgatherdd y, m32(y), y")).operands.every((one) => one.isDistinct)).toBe(true);
    expect(constraintsOf(formOf("evex vpaddd z, z, z/m512")).operands[0]?.registers).toBe(32);
  });

  test("of features: short vectors of EVEX need avx512vl, twins of what needs AVX-512 BW need that", () => {
    expect(needs("vpaddb y, y, y/m256")).toEqual(["avx2"]);
    expect(needs("evex vpaddb y, y, y/m256")).toEqual(["avx512bw", "avx512vl"]);
    expect(needs("vpaddd z, z, z/m512")).toEqual(["avx512f"]);
    expect(needs("syscall")).toEqual(["system"]);
    expect(needs("add r32, r32/m32")).toEqual([]);
  });
});
