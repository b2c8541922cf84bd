// SPDX-License-Identifier: Apache-2.0
// Snippets about expressions: operators, conversions, vector literals and components, for all pairs of types.
import type { Snippet, SnippetTable } from "./snippet.ts";
import { OTHERS, POINTERS, SCALARS, VECTORS, declare } from "./types.ts";

const ALL: readonly string[] = [...SCALARS, ...VECTORS, ...POINTERS, ...OTHERS];
const VALUES: readonly string[] = [...SCALARS, ...VECTORS];
/** One of each sort, for operators with two operands. */
const OPERANDS: readonly string[] = [
  ..."bool char ushort int uint long float double half char2 uchar2 int2 uint2 int4 long2 float2 double2 half2 S U E".split(" "),
  ..."event_t".split(" "),
  ...POINTERS.slice(0, 11),
];
const BINARY: readonly string[] = "+ - * / % & | ^ << >> < > <= >= == != && || ,".split(" ");
const ASSIGNMENTS: readonly string[] = "= += -= *= /= %= &= |= ^= <<= >>=".split(" ");
const UNARY: readonly string[] = "+ - ~ ! ++ -- & * sizeof vec_step".split(" ");

const V_1_2: readonly string[] = ["1.2"];
const V_ALL: readonly string[] = ["1.2", "2.0", "3.0"];

function* pairs(left: readonly string[], right: readonly string[]): Iterable<readonly [string, string]> {
  for (const a of left) for (const b of right) yield [a, b];
}

function* binary(): Iterable<Snippet> {
  for (const operator of BINARY)
    for (const [a, b] of pairs(OPERANDS, OPERANDS))
      yield { rule: `operator ${operator}`, text: `void f#(${declare(a, "a")}, ${declare(b, "b")}) { (void)(a ${operator} b); }` };
}

function* assignments(): Iterable<Snippet> {
  for (const operator of ASSIGNMENTS)
    for (const [a, b] of pairs(OPERANDS, OPERANDS))
      yield { rule: `operator ${operator}`, text: `void f#(${declare(a, "a")}, ${declare(b, "b")}) { a ${operator} b; }` };
}

function* unary(): Iterable<Snippet> {
  for (const operator of UNARY)
    for (const a of ALL) {
      yield { rule: `operator ${operator}`, text: `void f#(${declare(a, "a")}) { (void)(${operator}(a)); }` };
      if (operator === "++" || operator === "--")
        yield { rule: `postfix ${operator}`, text: `void f#(${declare(a, "a")}) { (void)(a${operator}); }` };
    }
}

function* casts(): Iterable<Snippet> {
  for (const [a, b] of pairs(ALL, ALL)) {
    yield { rule: "cast", text: `void f#(${declare(a, "a")}) { (void)(${b})a; }` };
    yield { rule: "argument", text: `void g#(${declare(b, "b")}); void f#(${declare(a, "a")}) { g#(a); }` };
    yield { rule: "return", text: `${declare(b, "f#")}(${declare(a, "a")}) { return a; }` };
    yield { rule: "initialiser", text: `void f#(${declare(a, "a")}) { ${declare(b, "b")} = a; }` };
  }
}

const CONDITIONS: readonly string[] = [
  ..."bool char int uint float long char2 short2 int2 uint2 int4 long2 float2 uchar2 ulong2".split(" "),
  "global int *",
];
const CHOICES: readonly string[] = [
  ..."bool char uchar short ushort int uint long float double half char2 uchar2 short2 int2 uint2 int4 long2 float2".split(" "),
  ..."double2 half2 float4 S T".split(" "),
  "global int *",
  "local int *",
  "global const int *",
  "global void *",
  "int *",
];

function* ternaries(): Iterable<Snippet> {
  for (const c of CONDITIONS)
    for (const [a, b] of pairs(CHOICES, CHOICES))
      yield {
        rule: "?:",
        text: `void f#(${declare(c, "c")}, ${declare(a, "a")}, ${declare(b, "b")}) { (void)(c ? a : b); }`,
      };
  for (const c of CONDITIONS)
    for (const a of CHOICES) {
      yield { rule: "?: with a constant", text: `void f#(${declare(c, "c")}, ${declare(a, "a")}) { (void)(c ? a : 0); }` };
      yield { rule: "?: with 1", text: `void f#(${declare(c, "c")}, ${declare(a, "a")}) { (void)(c ? 1 : a); }` };
      yield { rule: "?: with 1.0f", text: `void f#(${declare(c, "c")}, ${declare(a, "a")}) { (void)(c ? 1.0f : a); }` };
    }
}

/** Elements that vector literals hold. */
const PARTS: readonly string[] =
  "a a2 a4 1 1.5f (char)a (char2)a (char2)(a) (float)a (float2)(a) (char2)(char)a (int2)(a,a) (uint)1 b b2".split(" ");

function* literals(): Iterable<Snippet> {
  for (const type of "char2 int2 float2 int3 float4 uint4 uchar4 double2 long4 half2".split(" ")) {
    const open = (parts: readonly string[]): Snippet => ({
      rule: `(${type})(…)`,
      text: `void f#(int a, int2 a2, int4 a4, float b, float2 b2) { (void)(${type})(${parts.join(", ")}); }`,
    });
    for (const one of PARTS) {
      yield open([one]);
      yield { ...open([]), text: `void f#(int a, int2 a2, int4 a4, float b, float2 b2) { (void)(${type})${one}; }` };
      for (const two of PARTS) {
        yield open([one, two]);
        yield open([one, two, "1"]);
        yield open([one, two, "a", "a"]);
      }
    }
  }
  for (const [outer, middle] of pairs("char2 int2 float4 uchar3 long2".split(" "), "char int float uchar2 int2 char2".split(" ")))
    for (const inner of "char int float long2 char2 int2 half".split(" "))
      for (const last of ["0", "(0)", "(0, 1)", "a", "(a)", "{0}", "{0, 1}", "+a", "-a", "*p", "&a", "(a)+1", "a++"])
        yield {
          rule: "nested casts",
          text: `void f#(int a, int *p) { (void)(${outer})(${middle})(${inner})${last}; }`,
        };
}

const COMPONENTS: readonly string[] = [
  ..."x y z w xy yx xx xyz xyzw wzyx s0 s1 s3 sA sf sF s01 s0123 S0 S01 lo hi even odd lo.x hi.lo odd.even xyx s0s1".split(" "),
  ..."r g rgba X s8 s9ab s x1 xs0 s0x lo.lo.lo hi.xy even.lo zz s00 s07 s4567 sabcdef".split(" "),
];

function* components(): Iterable<Snippet> {
  for (const type of [...VECTORS, "int", "float", "float8", "S", "char16"])
    for (const name of COMPONENTS) {
      yield { rule: "component read", text: `void f#(${type} v) { (void)v.${name}; }` };
      yield { rule: "component written", text: `void f#(${type} v) { v.${name} = 0; }` };
      yield { rule: "component increased", text: `void f#(${type} v) { v.${name} += 1; v.${name}++; }` };
      yield { rule: "address of a component", text: `void f#(${type} v) { (void)&v.${name}; }` };
      yield { rule: "component through a pointer", text: `void f#(global ${type} *v) { v->${name} = 0; (void)v->${name}; }` };
      yield { rule: "component of constant memory", text: `void f#(constant ${type} *v) { v->${name} = 0; }` };
      yield { rule: "component of a call", text: `${type} g#(void); void f#(void) { (void)g#().${name}; }` };
    }
  for (const [type, index] of pairs([...VECTORS, "int", "S"], "0 1 2 15 16 -1 a b c 1.0f".split(" "))) {
    yield { rule: "vector[index]", text: `void f#(${type} v, int a, char b, float c) { (void)v[${index}]; }` };
    yield { rule: "vector[index] =", text: `void f#(${type} v, int a, char b, float c) { v[${index}] = 1; }` };
  }
}

function* reinterpretations(): Iterable<Snippet> {
  for (const [to, from] of pairs(VALUES, VALUES)) yield { rule: "as_", text: `void f#(${from} a) { (void)as_${to}(a); }` };
  for (const [to, from] of pairs(VALUES, VALUES))
    for (const mode of ["", "_sat", "_rte", "_rtz", "_rtp", "_rtn", "_sat_rte", "_sat_rtz", "_rte_sat", "_rtx"])
      yield { rule: `convert_…${mode}`, text: `void f#(${from} a) { (void)convert_${to}${mode}(a); }` };
}

function* compares(): Iterable<Snippet> {
  const zeros = ["0", "1", "NULL", "0L", "0u", "'a'", "1.0f", "(void *)0", "(global int *)0", "(int2)(0)"];
  for (const type of ALL)
    for (const zero of zeros) {
      for (const operator of ["==", "<", "+", "=", "&", "&&", "<<", "/"])
        yield {
          rule: `operator ${operator} with ${zero}`,
          text: `void f#(${declare(type, "a")}) { (void)(a ${operator} ${zero}); }`,
        };
      yield { rule: `${zero} - value`, text: `void f#(${declare(type, "a")}) { (void)(${zero} - a); }` };
    }
}

/** Tables about expressions. */
export const EXPRESSION_TABLES: readonly SnippetTable[] = [
  { name: "binary", section: "6.4", versions: V_1_2, make: binary },
  { name: "assignments", section: "6.4", versions: V_1_2, make: assignments },
  { name: "unary", section: "6.4", versions: V_1_2, make: unary },
  { name: "casts", section: "6.3.2", versions: V_ALL, make: casts },
  { name: "ternaries", section: "6.4.9", versions: V_1_2, make: ternaries },
  { name: "literals", section: "6.3.4", versions: V_1_2, make: literals },
  { name: "components", section: "6.3.7", versions: V_ALL, make: components },
  { name: "reinterpretations", section: "6.3.4", versions: V_1_2, make: reinterpretations },
  { name: "compares", section: "6.4", versions: V_1_2, make: compares },
];
