// SPDX-License-Identifier: Apache-2.0
// Code in files of ELF: linked and loaded by a program in C, whose registers, GS and MXCSR stay as they are; and what
// tools of the system say of it.
import { spawnSync } from "node:child_process";

import { writeRelocatable, writeShared } from "@muxkit/x64-assembler";
import { expect, test } from "vitest";

import { printX64 } from "../source/assembly.ts";
import { elfContentOf } from "../source/elf-content.ts";
import { generateX64 } from "../source/module.ts";
import { areInstalled, inFolder } from "./programs.ts";
import { NATIVE, moduleOf } from "./run.ts";

const SOURCE = ["", "float helper(float a) {", "  return a / 3;", "}", "", "kernel void k(…) {", "  helper();", "}"];

/** Floats from `args` on, thirds of which go to `dispatch`; `end` is their number. Faults where `worker` is not 0. */
const TEXT = `func @helper(%a: f32) -> f32 {
^0:
  %q = fdiv %a, 3.0: f32 loc("k.cl":3:12 in "helper")
  ret %q loc("k.cl":3:3 in "helper")
}
func @k(%args: ptr<global>, %out: ptr<global>, %worker: i32, %first: i32, %end: i32) -> i32 {
^0:
  br ^loop(%first: i32)
^loop(%i: i32):
  %p = address %args, %i {scale 4}: ptr<global>
  %v = load %p {align 4}: f32 loc("k.cl":6:3 in "k")
  %t = call @helper %v: f32 loc("k.cl":7:3 in "k")
  %r = address %out, %i {scale 4}: ptr<global>
  store %t, %r {align 4} loc("k.cl":7:3 in "k")
  %bad = ne %worker, 0: i32: i1
  %j = add %i, 1: i32
  cond_br %bad, ^fault, ^next
^next:
  %more = slt %j, %end: i1 loc("k.cl":8:1 in "k")
  cond_br %more, ^loop(%j: i32), ^done
^fault:
  unreachable
^done:
  ret 7: i32 loc("k.cl":8:1 in "k")
}
`;

const PROGRAM = `#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>
#include <immintrin.h>

extern int k(void *base, uint32_t args, uint32_t dispatch, uint32_t worker, uint32_t first, uint32_t end);
extern const unsigned char numbers[4];

int main(int count, char **words) {
  float *memory = aligned_alloc(4096, 8192);
  for (int i = 0; i < 100; i++) memory[i] = (float)i;
  _mm_setcsr(0x3f80); /* rounds down */
  unsigned long long before, after;
  __asm__ volatile("rdgsbase %0" : "=r"(before));
  register long kept asm("r14") = 0x1234567;
  register long kept2 asm("rbx") = 0x7654321;
  __asm__ volatile("" : "+r"(kept), "+r"(kept2));
  int result = k(memory, 0, 4096, count - 1, 0, 100);
  __asm__ volatile("" : "+r"(kept), "+r"(kept2));
  __asm__ volatile("rdgsbase %0" : "=r"(after));
  int wrong = result != 7 || before != after || _mm_getcsr() != 0x3f80 || kept != 0x1234567 || kept2 != 0x7654321;
  _mm_setcsr(0x1f80);
  for (int i = 0; i < 100; i++) if (memory[1024 + i] != (float)i / 3.0f) wrong |= 2;
  if (numbers[0] != 1 || numbers[3] != 4) wrong |= 4;
  printf("%d %s\\n", wrong, words[0]);
  return wrong;
}
`;

function contentOf(isShared: boolean): { readonly content: ReturnType<typeof elfContentOf>; readonly text: string } {
  const code = generateX64(moduleOf(TEXT), { exports: ["k"], callers: "c", lines: true });
  const content = elfContentOf(code, {
    source: "k.cl",
    directory: "/sources",
    producer: "a test",
    data: [{ name: "numbers", bytes: Uint8Array.of(1, 2, 3, 4) }],
    isShared,
  });
  return { content, text: printX64(code, (file, line) => (file === "k.cl" ? (SOURCE[line - 1] ?? null) : null)) };
}

const object = (): Uint8Array => writeRelocatable(contentOf(false).content);
const shared = (): Uint8Array => writeShared(contentOf(true).content, "libk.so");
const hasTools = areInstalled("gcc", "objdump", "readelf", "addr2line");

test.skipIf(NATIVE === null || !hasTools)("a program in C links the object", () => {
  inFolder({ "main.c": PROGRAM, "k.o": object() }, (run) => {
    run("gcc", "-O1", "-mfsgsbase", "-Wall", "-Werror", "main.c", "k.o", "-Wl,--fatal-warnings", "-o", "main");
    expect(run("./main")).toBe("0 ./main\n");
  });
});

test.skipIf(NATIVE === null || !hasTools)("a program in C links the shared object, and loads it by its name", () => {
  inFolder({ "main.c": PROGRAM, "libk.so": shared() }, (run) => {
    run("gcc", "-O1", "-mfsgsbase", "-Wall", "-Werror", "main.c", "libk.so", "-o", "main");
    expect(run("readelf", "-d", "main")).toContain("Shared library: [libk.so]");
    expect(run("./main")).toBe("0 ./main\n");
  });
});

test.skipIf(!hasTools)("tools find sections, symbols, frames and lines", () => {
  inFolder({ "k.o": object(), "libk.so": shared() }, (run) => {
    for (const file of ["k.o", "libk.so"]) {
      const whole = run("readelf", "-aW", file);
      expect(whole).not.toContain("Warning");
      for (const section of [".text", ".rodata", ".eh_frame", ".debug_line", ".debug_info", ".debug_abbrev"])
        expect(whole).toContain(` ${section} `);
      expect(whole).toMatch(/FUNC\s+GLOBAL\s+DEFAULT\s+\d+ k$/mu);
      expect(whole).toMatch(/FUNC\s+LOCAL\s+DEFAULT\s+\d+ helper$/mu);
      const debug = run("readelf", "-w", file);
      expect(debug).not.toContain("readelf: ");
      expect(debug).toContain("DW_AT_language    : 21\t(OpenCL)");
      const code = run("objdump", "-dl", file);
      expect(code).toMatch(/<helper>:\n.*\n\/sources\/k\.cl:3\n(?:.*\n)*?.*vdivss/u);
      expect(code).toMatch(/k\.cl:7\n(?:.*\n)*?.*call/u);
      expect(code).not.toContain("(bad)");
    }
    const [, address = ""] = /^0*([\da-f]+) <helper>:/mu.exec(run("objdump", "-d", "libk.so")) ?? [];
    expect(run("addr2line", "-fe", "libk.so", address)).toBe("helper\n/sources/k.cl:3\n");
  });
});

test.skipIf(NATIVE === null || !hasTools || !areInstalled("gdb"))("a debugger walks the stack", () => {
  inFolder({ "main.c": PROGRAM, "k.o": object() }, (run) => {
    run("gcc", "-g", "-mfsgsbase", "main.c", "k.o", "-o", "main");
    const stops = ["-batch", "-ex", "set debuginfod enabled off", "-ex", "break helper"];
    const seen = run("gdb", ...stops, "-ex", "run", "-ex", "backtrace", "-ex", "stepi", "-ex", "backtrace", "main");
    expect(seen).toMatch(
      /#0 .*helper.*k\.cl:3\n#1 .*k\.groups.*k\.cl:7\n#2 .* in k \(\) at k\.cl:6\n#3 .*main \(count=1, .*main\.c:\d+/u,
    );
    // A fault in the kernel.
    const fault = run("gdb", "-batch", "-ex", "run more", "-ex", "backtrace", "main");
    expect(fault).toContain("SIGILL");
    expect(fault).toMatch(/#0 .*k\.groups[^]*#2 .*main \(count=2/u);
  });
});

/** Steps through a call of the kernel, instruction by instruction; each must know who called it. */
const WALK = `
import gdb
gdb.execute("set debuginfod enabled off")
gdb.execute("break k")
gdb.execute("run", to_string=True)
gdb.execute("delete")
seen = set()
steps = 0
while steps < 400:
    frame = gdb.newest_frame()
    names = []
    while frame is not None:
        names.append(frame.name())
        frame = frame.older()
    if names[0] == "main":
        break
    at = gdb.newest_frame().pc()
    if names[-1] != "main" or len(names) != {"k": 2, "k.groups": 3, "helper": 4}[names[0]]:
        print("lost at", hex(at), names)
    seen.add(at)
    gdb.execute("stepi", to_string=True)
    steps += 1
print("steps", steps, "instructions", len(seen))
`;

/** Not every gdb has Python in it. */
const canWalk = areInstalled("gdb") && spawnSync("gdb", ["-batch", "-ex", "python print(1)"]).stdout.includes("1");

test.skipIf(NATIVE === null || !hasTools || !canWalk)("the stack is known at every instruction", () => {
  const program = PROGRAM.replace("count - 1, 0, 100", "count - 1, 0, 3");
  inFolder({ "main.c": program, "k.o": object(), "walk.py": WALK }, (run) => {
    run("gcc", "-g", "-mfsgsbase", "main.c", "k.o", "-o", "main");
    const seen = run("gdb", "-batch", "-x", "walk.py", "main");
    expect(seen).not.toContain("lost");
    const [, steps, instructions] = /steps (\d+) instructions (\d+)/u.exec(seen) ?? [];
    expect(Number(steps)).toBeLessThan(400);
    expect(Number(instructions)).toBeGreaterThan(40);
  });
});

test("text has the lines of the source between instructions", () => {
  const { text } = contentOf(false);
  expect(text).toMatch(/^helper:\n# k\.cl:3: return a \/ 3;\n {2}vdivss xmm0,xmm0,.*# constants\+0x0: 40400000/u);
  expect(text).toContain("\nk.groups:\n");
  expect(text).toMatch(/# k\.cl:7: helper\(\);\n(?: {2}.*\n)*? {2}call helper\n/u);
  expect(text).toMatch(/\n {2}jl L\d+\n/u);
  expect(text).toMatch(
    /\nk:\n# k\.cl:6: .*\n {2}push rbp\n[^]* {2}wrgsbase rdi\n[^]* {2}call k\.groups\n[^]* {2}ret\n/u,
  );
});
