// SPDX-License-Identifier: Apache-2.0
// The preprocessor: macros, conditions, inclusion, lines, pragmas as C99 6.10 has them, and what compilers allow
// besides.
import { type FrontEndOptions, preprocessToText } from "@muxkit/opencl-c";
import { DiagnosticList, lineAndColumn } from "@muxkit/report";
import { describe, expect, test } from "vitest";

import { frontEndOptions } from "./front-end-options.ts";

const OPTIONS = frontEndOptions({ extensions: [] });

/** The text that comes out, with one blank for all white space, and the codes of the diagnostics with their lines. */
function preprocessed(
  source: string,
  options: Partial<FrontEndOptions> = {},
): { readonly text: string; readonly said: readonly string[] } {
  const diagnostics = new DiagnosticList();
  const text = preprocessToText("program.cl", source, { ...OPTIONS, ...options }, diagnostics);
  const said = diagnostics.all.map(({ code, span }) =>
    span === null ? code : `${code} ${span.file.name}:${lineAndColumn(span.file, span.start).line}`,
  );
  return { text: text.replaceAll(/\s+/gu, " ").trim(), said };
}

/** Idea, source, what comes out. Those named by a section are the examples of C99 6.10.3.5. */
const EXPANSIONS: readonly (readonly [idea: string, source: string, text: string])[] = [
  ["an object", "#define N 4\nN N+N\n#undef N\nN", "4 4+4 N"],
  [
    "a function, nested, and its name alone",
    "#define ADD(a, b) ((a) + (b))\nADD(1, ADD(2, 3)) ADD (1,2) ADD; ADD((1,2),3)",
    "((1) + (((2) + (3)))) ((1) + (2)) ADD; (((1,2)) + (3))",
  ],
  ["a parenthesis after a blank makes an object-like macro", "#define F (a) b\nF(1)", "(a) b(1)"],
  ["arguments over several lines", "#define F(a) <a>\nF\n(1) F(\n 2\n)", "<1> <2>"],
  [
    "empty arguments",
    "#define F(x) [x]\n#define G() g\n#define H(a,b) <a|b>\nF() F( ) G() G( ) H(,) H(1,) H(,2)",
    "[] [] g g <|> <1|> <|2>",
  ],
  [
    "a body spliced over lines",
    "#define LONG 1 + \\\n 2 + \\\r\n 3\nLONG // a comment \\\n goes on\nend",
    "1 + 2 + 3 end",
  ],
  [
    "comments are a blank, also with lines in them",
    "a/* x */b /* y\nz */ c // d\ne\n#define X /* a */ 1 /* b\n c */ + 2\nX",
    "a b c e 1 + 2",
  ],
  ["what looks like a comment in a string is none", "\"/* no */\" '//'", "\"/* no */\" '//'"],
  [
    "no macro expands within itself",
    "#define A B\n#define B A\nA B\n#define C C+1\nC\n#define foo() bar\n#define bar foo\nfoo()() foo",
    "A B C+1 foo() foo",
  ],
  ["6.10.3.4: the rest of the file is looked at", "#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)", "2*9*g"],
  [
    "a result that calls again",
    "#define f(x) x f\nf(1)(2)(3)\n#define EMPTY()\n#define DEFER(id) id EMPTY()\n" +
      "#define EXPAND(...) __VA_ARGS__\n#define A() 123\nDEFER(A)() EXPAND(DEFER(A)())",
    "1 f(2)(3) A() 123",
  ],
  [
    "6.10.3.5 example 3",
    "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z " +
      "z[0]\n#define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() " +
      "int\n#define q(x) x\n#define r(x,y) x ## y\n#define str(x) # x\n" +
      "f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);\np() " +
      "i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };\nchar c[2][6] = { str(hello), str() " +
      "};",
    "f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1); f(2 * (2+(3,4)-0,1)) | " +
      "f(2 * (~ 5)) & f(2 * (0,1))^m(0,1); int i[] = { 1, 23, 4, 5, }; char c[2][6] = { " +
      '"hello", "" };',
  ],
  [
    "6.10.3.5 example 4",
    '#define str(s) # s\n#define xstr(s) str(s)\n#define debug(s, t) printf("x" # s "= ' +
      '%d, x" # t "= %s", \\\nx ## s, x ## t)\n#define INCFILE(n) vers ## n\n#define ' +
      'glue(a, b) a ## b\n#define xglue(a, b) glue(a, b)\n#define HIGHLOW "hello"\n#define ' +
      'LOW LOW ", world"\n' +
      String.raw`debug(1, 2);
fputs(str(strncmp("abc\0d", "abc", '\4') // this goes away
== 0) str(: @\n), s);
xstr(INCFILE(2).h)
glue(HIGH, LOW);
xglue(HIGH, LOW)`,
    String.raw`printf("x" "1" "= %d, x" "2" "= %s", x1, x2); fputs("strncmp(\"abc\\0d\", \"abc\", '\\4') == 0" ": @\n", s); "vers2.h" "hello"; "hello" ", world"`,
  ],
  [
    "6.10.3.5 example 5",
    "#define t(x,y,z) x ## y ## z\nt(1,2,3), t(,4,5), t(6,,7), t(8,9,), t(10,,), t(,11,), t(,,12), t(,,)",
    "123, 45, 67, 89, 10, 11, 12,",
  ],
  [
    "6.10.3.5 example 7",
    "#define debug(...) fprintf(stderr, __VA_ARGS__)\n#define showlist(...) " +
      "puts(#__VA_ARGS__)\n#define report(test, ...) ((test)?puts(#test):\\\n" +
      'printf(__VA_ARGS__))\ndebug("Flag"); debug("X = %d", x);\nshowlist(The first, ' +
      'second, and third items.);\nreport(x>y, "x is %d but y is %d", x, y);',
    'fprintf(stderr, "Flag"); fprintf(stderr, "X = %d", x); puts("The first, second, and ' +
      'third items."); ((x>y)?puts("x>y"):printf("x is %d but y is %d", x, y));',
  ],
  [
    "6.10.3.3: ## made by a macro pastes nothing",
    "#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n" +
      "#define join(c, d) in_between(c hash_hash d)\njoin(x, y)",
    '"x ## y"',
  ],
  [
    "pasted names, numbers, operators",
    "#define CAT(a,b) a##b\n#define XCAT(a,b) CAT(a,b)\nCAT(x,1) XCAT(XCAT(1,2),3) " +
      "CAT(-,>) CAT(1,e5) CAT(.,5) CAT(<<,=) XCAT(v,__LINE__)",
    "x1 123 -> 1e5 .5 <<= v3",
  ],
  [
    "pasted names are looked at again",
    "#define FOO BAR\n#define BAR 7\n#define C(x) FO##x\nC(O)\n#define V(t,n) t##n\nV(float,4) V(int,) V(,8)",
    "7 float4 int 8",
  ],
  [
    "# keeps one blank for white space, escapes quotes in strings, expands nothing",
    String.raw`#define A 1
#define S(x) #x
#define XS(x) S(x)
S( a  +   b ) S(a/* c */b) S("q\"" '"' '\\') S(a
 b) S(A) XS(A) XS(-A) S( )`,
    String.raw`"a + b" "a b" "\"q\\\"\" '\"' '\\\\'" "a b" "A" "1" "-1" ""`,
  ],
  [
    "the rest of the arguments, also under a name",
    "#define P(...) [__VA_ARGS__]\n#define Q(a, ...) a{__VA_ARGS__}\n#define R(list...) " +
      "<list>\nP() P(,) P(1,,2) Q(1,2,3) Q(1,) Q(1) R() R(1,2)",
    "[] [,] [1,,2] 1{2,3} 1{} 1{} <> <1,2>",
  ],
  [
    "GNU: the comma before ##__VA_ARGS__ goes with it",
    '#define P(f, ...) printf(f, ##__VA_ARGS__)\nP("a") P("a", 1) P("a", 1, 2)',
    'printf("a") printf("a",1) printf("a",1, 2)',
  ],
  [
    "counting arguments",
    "#define N_(a,b,c,d,n,...) n\n#define N(...) N_(__VA_ARGS__,4,3,2,1,0)\nN(a) N(a,b) N(a,b,c) N((a,b),c)",
    "1 2 3 2",
  ],
  ["numbers are read greedily", "#define E 1\n1E+E .5E-E 1..2 0x.8p+E 12abc", "1E+E .5E-E 1..2 0x.8p+E 12abc"],
  ["digraphs", "%:define A <: :> <% %>\nA\n%:define J(a,b) a %:%: b\nJ(x,y)", "[ ] { } xy"],
  ["null directives, blanks before and after #", "#\n# define A 1\n  #  define B 2\n\t#undef A\n#/* c */\nA B", "A 2"],
  ["# within a line is no directive", "a # define X\nX", "a # define X X"],
  [
    "pragmas stay, also from macros",
    '#pragma unroll 4\n#define P _Pragma("unroll") for\nP',
    "#pragma unroll 4 #pragma unroll for",
  ],
  ["a counter", "__COUNTER__ __COUNTER__", "0 1"],
  [
    "versions and extensions of the device",
    "__OPENCL_VERSION__ __OPENCL_C_VERSION__ CL_VERSION_1_1 __ENDIAN_LITTLE__",
    "120 120 110 1",
  ],
];

describe("expansion", () => {
  test.each(EXPANSIONS)("%s", (_idea, source, text) => {
    expect(preprocessed(source)).toEqual({ text, said: [] });
  });
});

/** Conditions that hold, and some that do not. */
const HOLD = [
  "1",
  "-1",
  "!0",
  "defined A",
  "defined(A)",
  "!defined B",
  "A + 1 == 2",
  "undefined_name == 0",
  "VER(1, 2) > VER(1, 1)",
  "HAS_A",
  "!HAS_B",
  "0x7fffffffffffffff + 0 > 0",
  "-1 > 0u",
  "(0 - 1u) == 18446744073709551615u",
  "(1 << 62) == 4611686018427387904",
  "(-1 >> 63) == -1",
  "18446744073709551615u / 3 == 6148914691236517205",
  "0x7fffffffffffffff + 1 < 0",
  "5 % -3 == 2",
  "-5 / 2 == -2",
  "-5 % 2 == -1",
  "(2 ? 3 : 4) == 3",
  "(0 || 2) == 1",
  "(1 ? -1 : 0u) > 0",
  "'a' == 97",
  String.raw`'\n' == 10 && '\x41' == 65 && '\0' == 0`,
  String.raw`'\377' < 0`,
  "!(0 && (1/0))",
  "1 || 1/0",
  "1 ? 1 : 1/0",
  "~0 == -1",
  "-(-3) == 3 && +4 == 4",
  "010 == 8 && 0b101 == 5",
  "1 == 1L && 1ull && 1lu",
  "1 | 2 ^ 3 & 4 == 4",
  "1 ? 0 ? 0 : 1 : 0",
  "true && !false",
];
const FAIL = ["0", "-0", "B", "3 > 2 > 1", "defined B || defined(C)", "1 - 1", "1u - 2 < 0"];

test("conditions in 64 bits", () => {
  const head = "#define A 1\n#define VER(a, b) ((a) * 100 + (b))\n#define HAS_A defined(A)\n#define HAS_B defined B\n";
  for (const condition of HOLD)
    expect(preprocessed(`${head}#if ${condition}\nyes\n#else\nno\n#endif`), condition).toEqual({
      text: "yes",
      said: [],
    });
  for (const condition of FAIL)
    expect(preprocessed(`${head}#if ${condition}\nyes\n#else\nno\n#endif`), condition).toEqual({
      text: "no",
      said: [],
    });
});

test("one branch of many, and nested ones", () => {
  const chain = "#if N == 0\na\n#elif N == 1\nb\n#elif N == 2 || N == 1\nc\n#else\nd\n#endif";
  expect([0, 1, 2, 3].map((n) => preprocessed(`#define N ${n}\n${chain}`).text)).toEqual(["a", "b", "c", "d"]);
  expect(
    preprocessed(
      "#ifdef A\n#if 1\nno\n#else\nno\n#endif\n#elif 1\nyes\n#if 0\n#elif 0\n#else\ninner\n" +
        "#endif\n#else\nno\n#endif\n#ifndef A\nend\n#endif",
    ),
  ).toEqual({ text: "yes inner end", said: [] });
});

test("skipped text may be anything", () => {
  expect(
    preprocessed(
      '#if 0\ndon\'t "open\n#nonsense\n#if (1 +\n#error don\'t\n#include "nowhere.h"\n' +
        "#define A(\n@ `\n#endif\n#else\nyes\n#endif",
    ),
  ).toEqual({ text: "yes", said: [] });
  expect(preprocessed("#if 1\nyes\n#elif 1/0\n#elif (\n#endif")).toEqual({ text: "yes", said: [] });
});

test("headers: by name, by folder, once, by a macro, from another header", () => {
  const headers = new Map([
    ["a.h", "#ifndef A_H\n#define A_H\nfrom_a\n#include <b.h>\n#endif\n"],
    ["b.h", "#pragma once\nfrom_b\n"],
    ["sub/c.h", "from_c\n"],
  ]);
  expect(
    preprocessed('#include "a.h"\n#include "a.h"\n#include <b.h>\n#define C <sub/c.h>\n#include C\nend', { headers }),
  ).toEqual({ text: "from_a from_b from_c end", said: [] });
  const files = new Map([
    ["one/x.h", "one\n"],
    ["two/x.h", "two\n"],
    ["two/y.h", "why\n"],
  ]);
  const readFile = (path: string): string | null => files.get(path) ?? null;
  expect(preprocessed('#include "x.h"\n#include "y.h"', { includeDirectories: ["one", "two"], readFile })).toEqual({
    text: "one why",
    said: [],
  });
  // A name in quotes is searched next to the file that includes it, before the folders of -I; one in brackets is not.
  const nested = new Map([
    ["sub/a.h", '#include "x.h"\n#include <x.h>\n#include "deep/b.h"'],
    ["sub/x.h", "beside"],
    ["x.h", "given"],
    ["sub/deep/b.h", '#include "c.h"'],
    ["sub/deep/c.h", "deep"],
  ]);
  expect(preprocessed('#include "sub/a.h"', { headers: nested })).toEqual({ text: "beside given deep", said: [] });
  const beside: Readonly<Record<string, string>> = { "one/a.h": '#include "inner.h"', "one/inner.h": "inner" };
  expect(
    preprocessed("#include </abs/a.h>", {
      includeDirectories: ["one"],
      readFile: (path) => (path === "/abs/a.h" ? "whole" : null),
    }),
  ).toEqual({ text: "whole", said: [] });
  expect(
    preprocessed("#include <a.h>", { includeDirectories: ["one"], readFile: (path) => beside[path] ?? null }),
  ).toEqual({ text: "inner", said: [] });
  expect(
    preprocessed('#include "x.h"', { includeDirectories: ["one"], readFile, headers: new Map([["x.h", "given"]]) })
      .text,
  ).toBe("given");
});

test("lines and names of files, also after a header and #line", () => {
  expect(preprocessed("__LINE__\n\n__LINE__ __FILE__").text).toBe('1 3 "program.cl"');
  expect(
    preprocessed('#include "a.h"\n__LINE__ __FILE__', { headers: new Map([["a.h", "\n\n__LINE__ __FILE__"]]) }).text,
  ).toBe('3 "a.h" 2 "program.cl"');
  expect(
    preprocessed(
      '#line 100\n__LINE__\n\n__LINE__ __FILE__\n#line 7 "other.cl"\n__LINE__ __FILE__\n' +
        "#define L 55\n#line L\n__LINE__",
    ).text,
  ).toBe('100 102 "program.cl" 7 "other.cl" 55');
  expect(preprocessed('# 33 "foo.c" 1\n__LINE__ __FILE__').text).toBe('33 "foo.c"');
  expect(
    preprocessed('#line 100 "x.cl"\n#include "a.h"\n__LINE__ __FILE__', {
      headers: new Map([["a.h", '#line 5 "gen.h"\n__LINE__ __FILE__']]),
    }).text,
  ).toBe('5 "gen.h" 101 "x.cl"');
  expect(preprocessed("#define F(x) x\n#define G __LINE__\nF(\n__LINE__\n) G").text).toBe("4 5");
});

test("the text can be read again: what expansion brings together stays apart", () => {
  expect(
    preprocessed(
      "#define M -\n#define P +\n#define N 1\n#define F(x) x\n-M M- P+ +P F(-)- a F(b) F(a)F(b) F(N)F(N) F(.)N F(/)*",
    ).text,
  ).toBe("- - - - + + + + - - a b a b 1 1 . 1 / *");
  const diagnostics = new DiagnosticList();
  expect(
    preprocessToText("program.cl", "a\n\n#pragma unroll\nb\n#define X \\\n 1\nX", OPTIONS, diagnostics).split("\n"),
  ).toEqual(["a", "", "#pragma unroll", "b", "", "", "1", ""]);
});

test("-D and -U", () => {
  const definitions = [
    { name: "A", value: "1" },
    { name: "F(x)", value: "(x+A)" },
    { name: "B", value: "2" },
    { name: "B", value: null },
    { name: "E", value: "" },
  ];
  expect(preprocessed("A F(2) B E.", { definitions })).toEqual({ text: "1 (2+1) B.", said: [] });
});

/** Source, and the diagnostics with their lines. */
const ERRORS: readonly (readonly [source: string, said: readonly string[]])[] = [
  ["#define F(a, a) a", ["CL1112 program.cl:1"]],
  ["#define F(__VA_ARGS__) a", ["CL1112 program.cl:1"]],
  ["#define F(..., a) a", ["CL1112 program.cl:1"]],
  ["#define F(a", ["CL1112 program.cl:1"]],
  ["#define F(a,) a", ["CL1112 program.cl:1"]],
  ["#define A ## b", ["CL1118 program.cl:1"]],
  ["#define A(x) x ##\n", ["CL1118 program.cl:1"]],
  ["#define A(x) # y", ["CL1117 program.cl:1"]],
  ["#define defined 1", ["CL1102 program.cl:1"]],
  ["#undef 1", ["CL1102 program.cl:1"]],
  ["#ifdef\n#endif", ["CL1102 program.cl:1"]],
  ["#define F(a, b) a\nF(1)", ["CL1110 program.cl:2"]],
  ["#define F(a) a\nF(1, 2)", ["CL1110 program.cl:2"]],
  ["#define F() a\nF(1)", ["CL1110 program.cl:2"]],
  ["#define F(a, b, ...) a\nF(1)", ["CL1110 program.cl:2"]],
  ["#define F(a) a\nx\nF(1", ["CL1111 program.cl:3"]],
  ["#define J(a, b) a ## b\nJ(/, /)\nJ(/, *)", ["CL1113 program.cl:2", "CL1113 program.cl:3"]],
  ["#if\n#endif", ["CL1114 program.cl:1"]],
  ["#if 1 2\n#endif", ["CL1114 program.cl:1"]],
  ["#if 1 / 0\n#endif", ["CL1114 program.cl:1"]],
  ["#if 1.0\n#endif", ["CL1114 program.cl:1"]],
  ["#if defined\n#endif", ["CL1114 program.cl:1"]],
  ["#if defined(A\n#endif", ["CL1114 program.cl:1"]],
  ['#if "a"\n#endif', ["CL1114 program.cl:1"]],
  ["#if ''\n#endif", ["CL1114 program.cl:1"]],
  ["#if 99999999999999999999\n#endif", ["CL1114 program.cl:1"]],
  ["#else", ["CL1104 program.cl:1"]],
  ["#if 1\n#else\n#else\n#endif", ["CL1104 program.cl:3"]],
  ["#if 1\n#else\n#elif 1\n#endif", ["CL1104 program.cl:3"]],
  ["#endif", ["CL1104 program.cl:1"]],
  ["#if 1\n#if 1\n#endif", ["CL1103 program.cl:1"]],
  ["#line 0x10", ["CL1115 program.cl:1"]],
  ["#line 5 6", ["CL1115 program.cl:1"]],
  ["#include", ["CL1105 program.cl:1"]],
  ["#include <a.h", ["CL1105 program.cl:1"]],
  ["#error don't do this", ["CL1108 program.cl:1"]],
  ["#define A(x) x\n#define A(y) y", ["CL1116 program.cl:2"]],
  ["#define A 1\n#define A  1 /* the same */", []],
  ["it's", ["CL1003 program.cl:1"]],
  ["#define A it's\n", []],
];

test.each(ERRORS)("%j: %j", (source, said) => {
  expect(preprocessed(source).said).toEqual(said);
});

test("an error in a header names the header", () => {
  expect(preprocessed('\n#include "a.h"', { headers: new Map([["a.h", "\n\n#if 1\n"]]) }).said).toEqual([
    "CL1103 a.h:3",
  ]);
});

test("what a program does to predefined macros is unknown to the next one, whatever device that is for", () => {
  const changing = "#undef CHAR_BIT\n#define CHAR_BIT 9\n#define INT_MAX 1\n#undef UINT_MAX\nCHAR_BIT INT_MAX UINT_MAX";
  const asking = "CHAR_BIT INT_MAX UINT_MAX __LINE__ __FILE__ cl_khr_fp64\n#ifdef CHAR_BITS\n#endif\n#elfi";
  const devices = [[], ["cl_khr_fp64"], []].map((extensions) => ({ extensions }));
  const before = devices.map((device) => preprocessed(asking, device));
  expect(before[0]?.text).toBe('8 2147483647 0xffffffffu 1 "program.cl" cl_khr_fp64');
  expect(before[1]?.text).toBe('8 2147483647 0xffffffffu 1 "program.cl" 1');
  for (const device of devices) {
    const changed = preprocessed(changing, device);
    expect(changed.text).toBe("9 1 UINT_MAX");
    expect(changed).toEqual(preprocessed(changing, device));
  }
  expect(devices.map((device) => preprocessed(asking, device))).toEqual(before);
});
