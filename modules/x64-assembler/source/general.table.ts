// SPDX-License-Identifier: Apache-2.0
// Instructions on general registers, as the manuals of Intel and AMD write them; `row.ts` says how a row is read.
import type { InstructionRow } from "./row.ts";

/** The eight operations whose codes differ in three bits. */
const ARITHMETIC = (["add", "or", "adc", "sbb", "and", "sub", "xor", "cmp"] as const).flatMap((name, n): InstructionRow[] => {
  const role = name === "cmp" ? "r" : "rw";
  const flags = name === "adc" || name === "sbb" ? "rw" : "w";
  const code = (low: number): string => (8 * n + low).toString(16).padStart(2, "0");
  return [
    [name, `8 ${code(0)} /r`, `${role}:m r:g`, "", flags],
    [name, `16/32/64 ${code(1)} /r`, `${role}:m r:g`, "", flags],
    [name, `8 ${code(2)} /r`, `${role}:g r:g|m`, "", flags],
    [name, `16/32/64 ${code(3)} /r`, `${role}:g r:g|m`, "", flags],
    [name, `8 80 /${n} ib`, `${role}:g|m i:s8`, "", flags],
    [name, `16/32/64 83 /${n} ib`, `${role}:g|m i:s8`, "", flags],
    [name, `32/64 81 /${n} id`, `${role}:g|m i:s32`, "", flags],
  ];
});

/** Shifts and rotations, by the number in their ModRM byte. */
const SHIFTS = ([["rol", 0], ["ror", 1], ["shl", 4], ["shr", 5], ["sar", 7]] as const).flatMap(([name, n]): InstructionRow[] => [
  [name, `8 c0 /${n} ib`, "rw:g|m i:i8", "", "w"],
  [name, `16/32/64 c1 /${n} ib`, "rw:g|m i:i8", "", "w"],
  [name, `8 d2 /${n}`, "rw:g|m r:=cl", "", "w"],
  [name, `16/32/64 d3 /${n}`, "rw:g|m r:=cl", "", "w"],
]);

/** What one locked instruction does to memory. */
const LOCKED = ([["add", 0], ["or", 1], ["and", 4], ["sub", 5], ["xor", 6]] as const).flatMap(([name, n]): InstructionRow[] => [
  [`lock ${name}`, `8 f0 ${(8 * n).toString(16).padStart(2, "0")} /r`, "rw:m r:g", "", "w"],
  [`lock ${name}`, `16/32/64 f0 ${(8 * n + 1).toString(16).padStart(2, "0")} /r`, "rw:m r:g", "", "w"],
]);

export const GENERAL_INSTRUCTIONS: readonly InstructionRow[] = [
  ...ARITHMETIC,
  ...SHIFTS,
  ["shld", "32/64 0f a4 /r ib", "rw:g|m r:g i:i8", "", "w"],
  ["shrd", "32/64 0f ac /r ib", "rw:g|m r:g i:i8", "", "w"],

  // Moves.
  ["mov", "8 88 /r", "w:m r:g", ""],
  ["mov", "16/32/64 89 /r", "w:m r:g", ""],
  ["mov", "8 8a /r", "w:g r:g|m", ""],
  ["mov", "16/32/64 8b /r", "w:g r:g|m", ""],
  ["mov", "8 c6 /0 ib", "w:m i:s8", ""],
  ["mov", "16 c7 /0 iw", "w:m i:s16", ""],
  ["mov", "32 c7 /0 id", "w:m i:s32", ""],
  ["mov", "64 c7 /0 id", "w:g|m i:s32", ""],
  ["mov", "32 b8 +r id", "w:g i:i32", ""],
  ["movabs", "64 b8 +r io", "w:g i:i64", ""],
  ["movzx", "32/64 0f b6 /r", "w:g r:g8|m8", ""],
  ["movzx", "32/64 0f b7 /r", "w:g r:g16|m16", ""],
  ["movsx", "32/64 0f be /r", "w:g r:g8|m8", ""],
  ["movsx", "32/64 0f bf /r", "w:g r:g16|m16", ""],
  ["movsxd", "64 63 /r", "w:g r:g32|m32", ""],
  ["lea", "32/64 8d /r", "w:g a:m", ""],
  ["cmovcc", "32/64 0f 40 +cc /r", "rw:g r:g|m", "", "r"],
  ["setcc", "8 0f 90 +cc /0", "w:g|m", "", "r"],
  ["bswap", "32/64 0f c8 +r", "rw:g", ""],
  ["push", "d64 50 +r", "r:g64", ""],
  ["pop", "d64 58 +r", "w:g64", ""],
  ["xchg", "8 86 /r", "rw:m rw:g", ""],
  ["xchg", "16/32/64 87 /r", "rw:m rw:g", ""],

  // Arithmetic.
  ["test", "8 84 /r", "r:g|m r:g", "", "w"],
  ["test", "16/32/64 85 /r", "r:g|m r:g", "", "w"],
  ["test", "8 f6 /0 ib", "r:g|m i:s8", "", "w"],
  ["test", "32/64 f7 /0 id", "r:g|m i:s32", "", "w"],
  ["not", "8 f6 /2", "rw:g|m", ""],
  ["not", "16/32/64 f7 /2", "rw:g|m", ""],
  ["neg", "8 f6 /3", "rw:g|m", "", "w"],
  ["neg", "16/32/64 f7 /3", "rw:g|m", "", "w"],
  ["mul", "32/64 f7 /4", "(rw:=ax) (w:=dx) r:g|m", "", "w"],
  ["imul", "32/64 f7 /5", "(rw:=ax) (w:=dx) r:g|m", "", "w"],
  ["div", "32/64 f7 /6", "(rw:=ax) (rw:=dx) r:g|m", "", "w"],
  ["idiv", "32/64 f7 /7", "(rw:=ax) (rw:=dx) r:g|m", "", "w"],
  ["imul", "16/32/64 0f af /r", "rw:g r:g|m", "", "w"],
  ["imul", "32/64 6b /r ib", "w:g r:g|m i:s8", "", "w"],
  ["imul", "32/64 69 /r id", "w:g r:g|m i:s32", "", "w"],
  ["cdq", "32 99", "(r:=ax) (w:=dx)", ""],
  ["cqo", "64 99", "(r:=ax) (w:=dx)", ""],

  // Bits.
  ["bt", "32/64 0f ba /4 ib", "r:g|m i:i8", "", "w"],
  ["bts", "32/64 0f ba /5 ib", "rw:g|m i:i8", "", "w"],
  ["btr", "32/64 0f ba /6 ib", "rw:g|m i:i8", "", "w"],
  ["bsf", "32/64 0f bc /r", "rw:g r:g|m", "", "w"],
  ["bsr", "32/64 0f bd /r", "rw:g r:g|m", "", "w"],
  ["popcnt", "32/64 f3 0f b8 /r", "w:g r:g|m", "popcnt", "w"],
  ["tzcnt", "32/64 f3 0f bc /r", "w:g r:g|m", "bmi1", "w"],
  ["lzcnt", "32/64 f3 0f bd /r", "w:g r:g|m", "lzcnt", "w"],
  ["andn", "VEX.LZ.0F38.W0/W1 f2 /r", "w:g r:g r:g|m", "bmi1", "w"],
  ["bextr", "VEX.LZ.0F38.W0/W1 f7 /r", "w:g r:g|m r:g", "bmi1", "w"],
  ["blsr", "VEX.LZ.0F38.W0/W1 f3 /1", "w:g r:g|m", "bmi1", "w"],
  ["blsmsk", "VEX.LZ.0F38.W0/W1 f3 /2", "w:g r:g|m", "bmi1", "w"],
  ["blsi", "VEX.LZ.0F38.W0/W1 f3 /3", "w:g r:g|m", "bmi1", "w"],
  ["bzhi", "VEX.LZ.0F38.W0/W1 f5 /r", "w:g r:g|m r:g", "bmi2", "w"],
  ["pdep", "VEX.LZ.F2.0F38.W0/W1 f5 /r", "w:g r:g r:g|m", "bmi2"],
  ["pext", "VEX.LZ.F3.0F38.W0/W1 f5 /r", "w:g r:g r:g|m", "bmi2"],
  ["mulx", "VEX.LZ.F2.0F38.W0/W1 f6 /r", "w:g w:g r:g|m (r:=dx)", "bmi2"],
  ["rorx", "VEX.LZ.F2.0F3A.W0/W1 f0 /r ib", "w:g r:g|m i:i8", "bmi2"],
  ["sarx", "VEX.LZ.F3.0F38.W0/W1 f7 /r", "w:g r:g|m r:g", "bmi2"],
  ["shlx", "VEX.LZ.66.0F38.W0/W1 f7 /r", "w:g r:g|m r:g", "bmi2"],
  ["shrx", "VEX.LZ.F2.0F38.W0/W1 f7 /r", "w:g r:g|m r:g", "bmi2"],

  // Atomics; what has a LOCK prefix is named with it.
  ...LOCKED,
  ["lock xadd", "8 f0 0f c0 /r", "rw:m rw:g", "", "w"],
  ["lock xadd", "16/32/64 f0 0f c1 /r", "rw:m rw:g", "", "w"],
  ["lock cmpxchg", "8 f0 0f b0 /r", "rw:m r:g (rw:=ax)", "", "w"],
  ["lock cmpxchg", "16/32/64 f0 0f b1 /r", "rw:m r:g (rw:=ax)", "", "w"],
  ["mfence", "32 0f ae f0", "", ""],
  ["lfence", "32 0f ae e8", "", ""],
  ["sfence", "32 0f ae f8", "", ""],
  ["pause", "32 f3 90", "", ""],

  // Control.
  ["jcc", "32 70 +cc cb", "i:rel8", "", "r"],
  ["jcc", "32 0f 80 +cc cd", "i:rel32", "", "r"],
  ["jmp", "32 eb cb", "i:rel8", ""],
  ["jmp", "32 e9 cd", "i:rel32", ""],
  ["jmp", "d64 ff /4", "r:g64|m64", ""],
  ["call", "32 e8 cd", "i:rel32", ""],
  ["call", "d64 ff /2", "r:g64|m64", ""],
  ["ret", "32 c3", "", ""],
  ["ud2", "32 0f 0b", "", ""],
  ["int3", "32 cc", "", ""],
  ["nop", "32 90", "", ""],
  ["nop", "32 0f 1f /0", "a:m32", ""],

  // Of the system and of what calls generated code; a kernel may have none of them.
  ["syscall", "32 0f 05", "(rw:=ax) (w:=cx)", "system", "w"],
  ["cpuid", "32 0f a2", "(rw:=ax) (w:=bx) (rw:=cx) (w:=dx)", "system"],
  ["xgetbv", "32 0f 01 d0", "(w:=ax) (r:=cx) (w:=dx)", "system"],
  ["rdtsc", "32 0f 31", "(w:=ax) (w:=dx)", "system"],
  ["rdgsbase", "32/64 f3 0f ae /1", "w:g", "system"],
  ["wrgsbase", "32/64 f3 0f ae /3", "r:g", "system"],
  ["ldmxcsr", "32 0f ae /2", "r:m32", "system"],
  ["stmxcsr", "32 0f ae /3", "w:m32", "system"],
  ["rep movs BYTE PTR es:[rdi],BYTE PTR ds:[rsi]", "8 f3 a4", "(rw:=cx) (rw:=si) (rw:=di)", "system"],
  ["rep stos BYTE PTR es:[rdi],al", "8 f3 aa", "(rw:=cx) (r:=ax) (rw:=di)", "system"],
];
