// SPDX-License-Identifier: Apache-2.0
// Which strings printf can print: those that come from strings of the program, however they come; the reason for
// others.
import { compileOpenCLC } from "@muxkit/opencl-c";
import { expect, test } from "vitest";

import { frontEndOptions } from "./front-end-options.ts";

const NAMES = 'constant char* constant names[2] = { "a", "b" };';

test.each<readonly [source: string, reason: string | null]>([
  ['kernel void k(int n) { constant char* s = "a"; if (n) s = "b"; printf("%s", s); }', null],
  ['void show(constant char* s) { printf("%s", s); } kernel void k(int n) { show("a"); show(n ? "b" : "c"); }', null],
  ['void show(constant char* s) { printf("%s", s); }', null],
  [`${NAMES} kernel void k(int n) { printf("%s", names[n]); }`, null],
  ['constant char t[] = "abc"; kernel void k(int n) { printf("%s", &t[n]); }', null],
  ['constant uchar t[] = { 65, 0 }; kernel void k(int n) { printf("%s", t); }', null],
  ['kernel void k(int n) { printf("%s", 0); }', null],
  [
    'kernel void k(constant char* s) { printf("%s", s); }',
    "it comes from an argument of a kernel, which is known only when the kernel runs",
  ],
  [
    'void show(constant char* s) { printf("%s", s); } kernel void k(constant char* s) { show("a"); show(s + 1); }',
    "it comes from an argument of a kernel, which is known only when the kernel runs",
  ],
  [
    'constant char* name(int n); kernel void k(int n) { printf("%s", name(n)); }',
    "it comes from a function that is defined elsewhere",
  ],
  [
    'void set(constant char** s); kernel void k(int n) { constant char* s = "a"; set(&s); printf("%s", s); }',
    "the address of the variable that holds it is passed on",
  ],
  ['kernel void k(int n) { printf("%s", (constant char*)n); }', "it is made of a number"],
  [
    'kernel void k(global int* o) { constant char* local s[2]; s[0] = "a"; printf("%s", s[*o]); }',
    "it is read from memory that can be written",
  ],
])("%s: %s", (source, reason) => {
  const { diagnostics } = compileOpenCLC("program.cl", `${source}\n`, frontEndOptions({ allowUndefined: true }));
  const errors = diagnostics.all.filter(({ severity }) => severity === "error");
  expect(errors.map(({ code }) => code)).toEqual(reason === null ? [] : ["CL2129"]);
  expect(errors.map(({ message }) => message.split(" is not: ")[1] ?? message)).toEqual(
    reason === null ? [] : [reason],
  );
});

test.each([
  ['kernel void k(global char* s) { printf("%s", s); }', "%s prints a string in constant memory, not global char*"],
  [
    'kernel void k(constant float* s) { printf("%s", s); }',
    "%s prints a string in constant memory, not constant float*",
  ],
  ['kernel void k(int s) { printf("%s", s); }', "%s prints a string in constant memory, not int"],
])("%s: %s", (source, message) => {
  const { diagnostics } = compileOpenCLC("program.cl", `${source}\n`, frontEndOptions());
  expect(diagnostics.all.map((each) => each.message)).toEqual([message]);
});
