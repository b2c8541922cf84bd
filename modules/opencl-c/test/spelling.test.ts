// SPDX-License-Identifier: Apache-2.0
// Messages show types as the program wrote them: through loads, casts, calls, operators, `*`, `&`, members and
// arrays. What they stand for follows once, unless it differs between devices.
import { compileOpenCLC } from "@muxkit/opencl-c";
import { LAYOUT_32, LAYOUT_64 } from "@muxkit/ir";
import { expect, test } from "vitest";

import { frontEndOptions } from "./front-end-options.ts";

const DECLARATIONS = `typedef float real;
typedef real scalar;
typedef float4 real4;
typedef uint hash_t;
typedef size_t index_t;
typedef global hash_t* hashes;
typedef struct s { hash_t hash; real4 at; hash_t list[4]; struct s* next; } node_t;
typedef struct same { int a; } same;
typedef struct { int a; } anonymous;
enum color { RED, GREEN };
hash_t hash_of(node_t n) { return n.hash; }
void take(real4 v, real* p) { *p = v.x; }
kernel void k(global hash_t* h, hashes g, global node_t* nodes, local real* l, real r, real4 v) {
  size_t n = get_local_id(0); hash_t x = h[0]; node_t node; same w; anonymous a;
  enum color c; index_t i; hash_t list[3]; scalar q; ptrdiff_t d;
`;

/** A statement of the kernel, and the types in its first error or warning. */
const CASES: readonly (readonly [statement: string, message: string])[] = [
  ["n.x = 1;", 'size_t has no member "x"'],
  ["(n + 1)->x;", "a value of type size_t is not a pointer"],
  ["get_global_id(0)->x;", "a value of type size_t is not a pointer"],
  ["(sizeof(int))->x;", "a value of type size_t is not a pointer"],
  ["*(h - g);", "a value of type ptrdiff_t is not a pointer"],
  ["*(d << 1);", "a value of type ptrdiff_t is not a pointer"],
  ["((size_t)1).x;", 'size_t has no member "x"'],
  ["*i;", "a value of type index_t (aka size_t) is not a pointer"],
  ["*x;", "a value of type hash_t (aka uint) is not a pointer"],
  ["*h[0];", "a value of type hash_t (aka uint) is not a pointer"],
  ["**h;", "a value of type hash_t (aka uint) is not a pointer"],
  ["**&x;", "a value of type hash_t (aka uint) is not a pointer"],
  ["*g[0];", "a value of type hash_t (aka uint) is not a pointer"],
  ["*list[0];", "a value of type hash_t (aka uint) is not a pointer"],
  ["*node.hash;", "a value of type hash_t (aka uint) is not a pointer"],
  ["*nodes->list[1];", "a value of type hash_t (aka uint) is not a pointer"],
  ["*hash_of(node);", "a value of type hash_t (aka uint) is not a pointer"],
  ["*(x += 1);", "a value of type hash_t (aka uint) is not a pointer"],
  ["*(x++);", "a value of type hash_t (aka uint) is not a pointer"],
  ["*(n ? x : x);", "a value of type hash_t (aka uint) is not a pointer"],
  ["*q;", "a value of type scalar (aka float) is not a pointer"],
  ["*c;", "a value of type enum color is not a pointer"],
  ["node.b;", 'node_t (aka struct s) has no member "b"'],
  ["nodes->b;", 'node_t (aka struct s) has no member "b"'],
  ["w.b;", 'same has no member "b"'],
  ["a.b;", 'anonymous has no member "b"'],
  ["v.q;", '".q" selects no components of real4 (aka float4)'],
  ["x = node;", "node_t (aka struct s) cannot be converted to hash_t (aka uint)"],
  ["node = x;", "hash_t (aka uint) cannot be converted to node_t (aka struct s)"],
  ["node + node;", '"+" cannot be applied to node_t (aka struct s) and node_t'],
  ["v = (real4)(1, 2, 3);", "wrong number of components for a real4 literal: expected 4, got 3"],
  ["v = (int4)(1);", "int4 cannot be converted to real4 (aka float4)"],
  ["v + (int4)(1);", '"+" cannot be applied to real4 (aka float4) and int4'],
  ["int4 b = v;", "real4 (aka float4) cannot be converted to int4"],
  ["real4 b = (int4)(1);", "int4 cannot be converted to real4 (aka float4)"],
  ["take((int4)(1), 0);", "int4 cannot be converted to real4 (aka float4)"],
  ["take(v, &x);", "hash_t* (aka uint*) is converted to real* (aka float*): write a cast if this is intended"],
  ["int b = h;", "global hash_t* (aka global uint*) cannot be converted to int"],
  ["int b = g;", "hashes (aka global uint*) cannot be converted to int"],
  ["int b = list;", "hash_t* (aka uint*) cannot be converted to int"],
  ["int b = node.list;", "hash_t* (aka uint*) cannot be converted to int"],
  ["int b = &list;", "hash_t (*)[3] (aka uint (*)[3]) cannot be converted to int"],
  ["r();", "a value of type real (aka float) cannot be called"],
  ["fract(r, x);", "no overload of fract takes (real (aka float), hash_t (aka uint))"],
  ["if (v) ;", "a condition must be a scalar, not real4 (aka float4); use any() or all()"],
  ["switch (r) {}", "real (aka float) cannot be converted to an integer"],
  ["x = r;", "real (aka float) may lose bits when converted to hash_t (aka uint): write a cast if this is intended"],
  ['printf("%f", x);', "%f prints double, but this is hash_t (aka uint)"],
  ["hash_t b[2] = { 1, w };", "same cannot be converted to hash_t (aka uint)"],
  ["hash_t b[][2] = { 1, { w } };", "same cannot be converted to hash_t (aka uint)"],
  ["size_t b[] = { [1] = w };", "same cannot be converted to size_t"],
  ["node_t b = { 1, { 0, 0, 0, 0 }, { w } };", "same cannot be converted to hash_t (aka uint)"],
  ["node_t b = { .list[2] = w };", "same cannot be converted to hash_t (aka uint)"],
  ["node_t b = { .at = 1, w };", "same cannot be converted to hash_t (aka uint)"],
  ["node_t b = { .at = w };", "same cannot be converted to real4 (aka float4)"],
  ["real4 b[1] = { { 1, 2 } };", "wrong number of components for a real4 literal: expected 4, got 2"],
  ["scalar b = { 1, 2 };", "scalar (aka float) takes one value"],
  ["hash_t b[1] = { { .x = 1 } };", "hash_t (aka uint) has no members or elements for a designator"],
  ["if (n < 0) ;", "this is always false: a size_t is never below 0"],
];

function messagesOf(statement: string, layout = LAYOUT_32): readonly string[] {
  const program = `${DECLARATIONS}  ${statement}\n}\n`;
  const { diagnostics } = compileOpenCLC("program.cl", program, frontEndOptions({ layout }));
  return diagnostics.all.map(({ message }) => message);
}

test.each(CASES)("%s", (statement, message) => {
  expect(messagesOf(statement).join("\n")).toContain(message);
});

test("in data of the program too", () => {
  const program = `${DECLARATIONS}}\nconstant hash_t table[2] = { 1, "text" };\nconstant node_t one = { .list = { 0, "t" } };\n`;
  const { diagnostics } = compileOpenCLC("program.cl", program, frontEndOptions());
  const told = diagnostics.all.filter(({ message }) => message.includes("hash_t"));
  expect(told.map(({ message }) => message)).toEqual([
    "constant const char* cannot be converted to hash_t (aka uint)",
    "constant const char* cannot be converted to hash_t (aka uint)",
  ]);
});

test("nothing depends on the size of a pointer", () => {
  for (const [statement] of CASES.slice(0, 8))
    expect(messagesOf(statement, LAYOUT_64)).toEqual(messagesOf(statement, LAYOUT_32));
});

function messages(text: string): readonly string[] {
  return compileOpenCLC("p.cl", text, frontEndOptions()).diagnostics.all.map(({ message }) => message);
}

test("the size of a kernel's argument is said of the type as it was written", () => {
  const { diagnostics } = compileOpenCLC(
    "p.cl",
    "typedef size_t count;\nkernel void k(count n) {}\n",
    frontEndOptions(),
  );
  expect(diagnostics.all.map(({ message }) => message)).toEqual([
    "a kernel cannot take count (aka size_t): its size differs between devices",
  ]);
});

test("a typedef leaves no trace in the types of others", () => {
  const plain = "kernel void k(global uint* p) { int a = p; }\n";
  const before = messages(plain);
  expect(before).toEqual(["global uint* cannot be converted to int"]);
  messages("typedef uint other;\nkernel void k(global other* p) { int a = p; other list[3]; int b = list; }\n");
  expect(messages(plain)).toEqual(before);
});
