// SPDX-License-Identifier: Apache-2.0
// Code objects: what was written is read, the tools of others read it too, and hostile bytes give a sentence.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

import { CODE_ALIGNMENT, type CodeObject, readCodeObject, writeCodeObject } from "@muxkit/x64-assembler";

import { isInstalled } from "./tools.ts";

// helper: mov eax, 7; ret. answer: call helper; add eax, 35; ret.
const code = [0xb8, 7, 0, 0, 0, 0xc3, ...Array<number>(10).fill(0xcc)];
code.push(0xe8, 0xeb, 0xff, 0xff, 0xff, 0x83, 0xc0, 35, 0xc3);
const object: CodeObject = {
  bytes: Uint8Array.from([...code, 1, 2, 3]),
  codeBytes: code.length,
  entries: new Map([["answer", 16]]),
  functions: [
    { name: "helper", offset: 0 },
    { name: "answer", offset: 16 },
  ],
};

function inFile<T>(bytes: Uint8Array, use: (file: string, folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "muxkit-object-"));
  try {
    const file = join(folder, "code.so");
    writeFileSync(file, bytes);
    return use(file, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("what was written is read", () => {
  const read = readCodeObject(writeCodeObject(object));
  expect(read).toEqual({ ok: true, value: object });
});

test("code without constants, entries without names of their own, none but one function", () => {
  const small = { ...object, bytes: object.bytes.subarray(0, 6), codeBytes: 6 };
  const both: CodeObject = {
    ...small,
    entries: new Map([
      ["a", 0],
      ["b", 0],
    ]),
    functions: [{ name: "a", offset: 0 }],
  };
  expect(readCodeObject(writeCodeObject(both))).toEqual({ ok: true, value: both });
  const none: CodeObject = { ...small, entries: new Map(), functions: [{ name: "inside", offset: 0 }] };
  expect(readCodeObject(writeCodeObject(none))).toEqual({ ok: true, value: none });
});

test("the code is at a multiple of its alignment", () => {
  const file = Buffer.from(writeCodeObject(object));
  expect(file.indexOf(Buffer.from(object.bytes)) % CODE_ALIGNMENT).toBe(0);
});

test.skipIf(!isInstalled("readelf"))("readelf finds nothing to complain about", () => {
  const text = inFile(writeCodeObject(object), (file) =>
    execFileSync("readelf", ["-aW", file], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }),
  );
  expect(text).not.toMatch(/warning|error|corrupt/iu);
  expect(text).toMatch(/FUNC\s+GLOBAL DEFAULT\s+4 answer/u);
  expect(text).toMatch(/FUNC\s+LOCAL {2}DEFAULT\s+4 helper/u);
});

test.skipIf(!isInstalled("gcc"))("the dynamic linker loads it", () => {
  const source = `#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **arguments) {
  void *object = dlopen(arguments[1], RTLD_NOW);
  if (!object) return puts(dlerror()), 1;
  int (*answer)(void) = (int (*)(void))dlsym(object, "answer");
  printf("%d %d\\n", answer ? answer() : -1, dlsym(object, "helper") != 0);
}`;
  const output = inFile(writeCodeObject(object), (file, folder) => {
    writeFileSync(join(folder, "main.c"), source);
    execFileSync("gcc", [join(folder, "main.c"), "-o", join(folder, "main"), "-ldl"]);
    return execFileSync(join(folder, "main"), [file], { encoding: "utf8" });
  });
  expect(output).toBe("42 0\n");
});

test("each byte of a file changed, and each end cut off: read, or refused in one sentence", () => {
  const file = writeCodeObject(object);
  const sentence = /^The code object is damaged: [^\n]*\.$/u;
  const complaints: string[] = [];
  const check = (bytes: Uint8Array): void => {
    const read = readCodeObject(bytes);
    if (!read.ok) complaints.push(read.error);
    else if (read.value.functions.some(({ offset }) => offset >= read.value.codeBytes)) complaints.push("beyond");
  };
  for (let at = 0; at < file.length; at++) {
    for (const value of [0, 1, 0x7f, 0x80, 0xff]) {
      const changed = file.slice();
      changed[at] = value;
      check(changed);
    }
    check(file.subarray(0, at));
  }
  expect(complaints.length).toBeGreaterThan(file.length);
  expect(complaints.filter((complaint) => !sentence.test(complaint))).toEqual([]);
});

test.each([
  ["nothing", new Uint8Array(), "it has 0 bytes, fewer than the header of a file"],
  ["text", new TextEncoder().encode("x".repeat(100)), "it is no file of ELF with 64 bits, little-endian"],
  [
    "another processor",
    writeCodeObject(object).map((byte, at) => (at === 18 ? 183 : byte)),
    "it is a file of kind 3 for processor 183, not a shared object for x86-64",
  ],
])("%s is refused", (_, bytes, reason) => {
  expect(readCodeObject(bytes)).toEqual({ ok: false, error: `The code object is damaged: ${reason}.` });
});
