// SPDX-License-Identifier: Apache-2.0
// printf in every way there is to run a kernel: the same text everywhere.
import { expect, test } from "vitest";

import { firstDifference, runEveryWay } from "@muxkit/kernel-suite";

/** What a kernel `k(global int *out)` prints, in every way. */
function printed(source: string, items: readonly number[] = [1], local: readonly number[] = [1]): string {
  const [interpreted, ...others] = runEveryWay({
    source,
    kernel: "k",
    global: items,
    local,
    arguments: [{ contents: new Uint8Array(64) }],
  });
  if (interpreted === undefined) throw new Error("nothing ran");
  for (const other of others) expect(firstDifference(interpreted, other, ["bits"])).toBeNull();
  return interpreted.printed;
}

const kernel = (body: string): string =>
  `\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nkernel void k(global int *out) { ${body} }`;

test.each<readonly [call: string, text: string]>([
  ['printf("hello, %% world\\n")', "hello, % world\n"],
  ['printf("%d %i %u", out[0] - 1, 42, 4000000000u)', "-1 42 4000000000"],
  ['printf("%5d|%-5d|%05d|%+d|% d|%.3d|%8.3d", 42, 42, 42, 42, 42, 7, -7)', "   42|42   |00042|+42| 42|007|    -007"],
  ['printf("%x %X %#x %#o %o", 48879, 48879, 255, 8, 8)', "beef BEEF 0xff 010 10"],
  [
    'printf("%hhd %hd %ld %lu", (char)-1, (short)-2, -5000000000L, 18446744073709551615UL)',
    "-1 -2 -5000000000 18446744073709551615",
  ],
  [
    'printf("%f %.0f %.3f %10.2f %-8.1f|", 1.5f, 2.5f, -0.0005f, 3.14159f, 2.25f)',
    "1.500000 2 -0.001       3.14 2.2     |",
  ],
  [
    'printf("%e %.2E %g %g %g %#g", 12345.678, 0.00012, 1e-5, 100000.0, 1e6, 1.0)',
    "1.234568e+04 1.20E-04 1e-05 100000 1e+06 1.00000",
  ],
  ['printf("%a %.1a %A", 1.0, 1.999, 0.5)', "0x1p+0 0x2.0p+0 0X1P-1"],
  ['printf("%f %F %5f|%05f", INFINITY, -INFINITY, NAN, INFINITY)', "inf -INF   nan|  inf"],
  ["printf(\"%c%c%5c|\", 65, 'b', 99)", "Ab    c|"],
  ['printf("%s|%10s|%-6s|%.2s", "text", "right", "left", "cut")', "text|     right|left  |cu"],
  ['printf("%v4d", (int4)(1, -2, 3, 4))', "1,-2,3,4"],
  [
    'printf("%v3hld|%v2hhu|%v2hx|%v2lx", (int3)(1, 2, 3), (uchar2)(200, 7), ' +
      "(ushort2)(65535, 1), (ulong2)(1, 0xffffffffffUL))",
    "1,2,3|200,7|ffff,1|1,ffffffffff",
  ],
  [
    'printf("%v4hlf|%v2lf|%5.1v2hlf", (float4)(1, 2, 3, 4), (double2)(0.5, -0.5), (float2)(1.25f, 10))',
    "1.000000,2.000000,3.000000,4.000000|0.500000,-0.500000|  1.2, 10.0",
  ],
  [
    'printf("%v4hf|%v2hg|%v3ha|%v2hE", (half4)(1.5h, -2.25h, 65504.0h, ' +
      "0.0999755859375h), (half2)(0.25h), (half3)(1.5h, -0.0h, INFINITY), (half2)(2, 4))",
    "1.500000,-2.250000,65504.000000,0.099976|0.25,0.25|0x1.8p+0,-0x0p+0,inf|2.000000E+00,4.000000E+00",
  ],
  [
    'printf("%08.3v2hf|%+-8.2v2hf|%v8hg", (half2)(1.5h, -1.5h), (half2)(1.5h, -1.5h), (half8)(3))',
    "0001.500,-001.500|+1.50   ,-1.50   |3,3,3,3,3,3,3,3",
  ],
  [
    'printf("%v4hhd|%v4hhx|%v4hi|%#v2hx|%v4hlo|%v2ld|%v2lX", (char4)(-1, 2, 3, 127), ' +
      "(uchar4)(255, 2, 3, 127), (short4)(-1, 2, 3, 127), (ushort2)(1, 2), (uint4)(8, 2, " +
      "3, 127), (long2)(-1, 2), (ulong2)(-1, 2))",
    "-1,2,3,127|ff,2,3,7f|-1,2,3,127|0x1,0x2|10,2,3,177|-1,2|FFFFFFFFFFFFFFFF,2",
  ],
  [
    'printf("%v16hhu|%v16hf", (uchar16)(7), (half16)(0.5h))',
    `${Array.from({ length: 16 }, () => "7").join(",")}|${Array.from({ length: 16 }, () => "0.500000").join(",")}`,
  ],
  ['printf("%p", (global int *)0)', "0x0"],
  ['printf("%d %s %f %v2hld %c\\n", 1, "two", 3.0f, (int2)(4, 5), 54)', "1 two 3.000000 4,5 6\n"],
])("%s", (call, text) => {
  expect(printed(kernel(`${call};`))).toBe(text);
});

test("it returns 0, and arguments that are no constants are printed as they are at the call", () => {
  expect(
    printed(
      kernel('for (int i = 0; i < 3; i++) out[0] += printf("%d:%d ", i, i * i); if (out[0] == 0) printf("zero");'),
    ),
  ).toBe("0:0 1:1 2:4 zero");
});

test("texts come by group, by item, and as each item printed them, whatever barriers are between", () => {
  const source = kernel(
    'int i = get_global_id(0); printf("a%d ", i); barrier(CLK_LOCAL_MEM_FENCE); printf("b%d ", i);',
  );
  expect(printed(source, [6], [2])).toBe("a0 b0 a1 b1 a2 b2 a3 b3 a4 b4 a5 b5 ");
  expect(
    printed(
      kernel('printf("%d%d%d ", (int)get_global_id(2), (int)get_global_id(1), (int)get_global_id(0));'),
      [2, 2, 2],
      [1, 2, 1],
    ),
  ).toBe("000 010 001 011 100 110 101 111 ");
});

test("functions print, formats may be constants of the program, and equal calls are one", () => {
  const source = `constant char format[] = "<%d>"; void show(int v) { printf(format, v); } ${kernel(`show(1);
  show(2);
  printf(format, 3);`)}`;
  expect(printed(source)).toBe("<1><2><3>");
});

test.each<readonly [name: string, source: string, text: string]>([
  ["a variable", kernel('constant char* s = "abc"; printf("%s;", s);'), "abc;"],
  [
    "a variable that is set in branches",
    kernel(
      'for (int i = 0; i < 3; i++) { constant char* s = "a"; ' +
        'if (i == 1) s = "b"; else if (i == 2) s = "c"; printf("%s", s); }',
    ),
    "abc",
  ],
  ["?:", kernel('for (int i = 0; i < 2; i++) printf("%s ", i ? "yes" : "no");'), "no yes "],
  [
    "parameters of functions",
    `void show(constant char* s, int n) { printf("%s=%d ", s, n); }
     void twice(constant char* t) { show(t, 1); show(t + 1, 2); }${kernel('twice("abc"); show("d", out[0]);')}`,
    "abc=1 bc=2 d=0 ",
  ],
  [
    "results of functions",
    `constant char* name(int n) { switch (n) { case 0: return "zero"; case 1: return "one"; default: return "many"; } }
     ${kernel('for (int i = 0; i < 3; i++) printf("%s.", name(i));')}`,
    "zero.one.many.",
  ],
  [
    "tables, structs and offsets",
    `constant char* constant names[2] = { "first", "second" };
     struct entry { constant char* label; int value; };
     constant struct entry entries[2] = { { "x", 1 }, { "yy", 2 } };
     constant char whole[] = "0123456789";
     ${kernel(
       `for (int i = 0; i < 2; i++) {
          struct entry copy = entries[i];
          constant char* list[2] = { "l0", "l1" };
          printf("%s %s %s %s %s|", names[i], entries[i].label, copy.label, whole + i * 3, list[1 - i]);
        }`,
     )}`,
    "first x x 0123456789 l1|second yy yy 3456789 l0|",
  ],
  ["a null pointer", kernel('constant char* s = 0; if (out[0]) s = "a"; printf("<%s>", s);'), "<(null)>"],
  [
    "width and precision",
    kernel('constant char* s = out[0] ? "a" : "long"; printf("[%6s|%-6.2s]", s, s);'),
    "[  long|lo    ]",
  ],
  [
    "length modifiers of C99",
    kernel(
      'printf("%zu %zd %td %jd %ju %lld %llx %lc", ' +
        "sizeof(int), (size_t)-1, out - (out + 2), -5L, 7UL, -1L, 255UL, 65);",
    ),
    "4 -1 -2 -5 7 -1 ff A",
  ],
])("strings through %s", (_, source, text) => {
  expect(printed(source)).toBe(text);
});

test("bytes of UTF-8 go through", () => {
  expect(printed(kernel('printf("%s", "µ→");'))).toBe(Buffer.from("µ→").toString("latin1"));
});
