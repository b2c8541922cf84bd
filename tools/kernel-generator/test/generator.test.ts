// SPDX-License-Identifier: Apache-2.0
import { generate, randomFrom, readSettings, reduce, render } from "@muxkit/kernel-generator";
import { describe, expect, test } from "vitest";

/**
 * What the programs of the first seeds must show between them: a generator that loses a construct would find nothing
 * about it.
 */
const FORMS: readonly (readonly [form: string, pattern: RegExp])[] = [
  ["if", /\bif \(/u],
  ["else", /\belse\b/u],
  ["for", /\bfor \(int/u],
  ["while", /\bwhile \(i\d+--/u],
  ["do", /\bdo \{/u],
  ["switch", /\bswitch \(/u],
  ["fall-through", /\}\n\s*case /u],
  ["break", /\bbreak;/u],
  ["continue", /\bcontinue;/u],
  ["goto forward", /\bgoto L\d+;/u],
  ["irreducible flow", /if \(\+\+i\d+ < 4\) goto/u],
  ["early return", /\breturn;/u],
  ["barriers", /\bbarrier\(/u],
  ["barriers in loops", /for \(int [^\n]*\{\n(?:[^}]*\n)?\s*barrier/u],
  ["barriers in functions", /exchange_\w+\(t/u],
  ["local memory", /\blocal \w+ t\d+/u],
  ["atomics on global memory", /atomic_\w+\(.*counters\[/u],
  ["atomics on local memory", /atomic_\w+\(&c\d+/u],
  ["compare and exchange", /atomic_cmpxchg/u],
  ["structs", /typedef struct/u],
  ["unions", /typedef union/u],
  ["designated initialisers", /\{\.m0 = /u],
  ["compound literals", /= \(S\d+\)\{/u],
  ["arrays", /\ba\d+\[/u],
  ["pointers", /\* p\d+ = /u],
  ["pointers to structs", /p\d+->/u],
  ["functions", /\bf\d+\(/u],
  ["macros", /#define M\d+/u],
  ["enumerations", /\benum \{/u],
  ["constant memory", /\bconstant \w+ k\d+/u],
  ["vload", /\bvload\d/u],
  ["vstore", /\bvstore[248]\(/u],
  ["shuffle", /\bshuffle\(/u],
  ["shuffle2", /\bshuffle2\(/u],
  ["select", /\bselect\(/u],
  ["convert_", /\bconvert_\w+_sat\(/u],
  ["rounding", /\bconvert_\w+_rt[ezpn]\(/u],
  ["as_", /\bas_\w+\(/u],
  ["swizzles", /\)\.[xyzw]{2,4}\b/u],
  ["swizzles on the left", /v\d+\.(?:[xyzw]{2,}|[sS][0-9a-fA-F]{2,}|lo|hi|even|odd) /u],
  ["lanes by number", /\.s[0-9a-f]{3}/u],
  ["relations", /\bis(?:less|equal|nan)\(/u],
  ["any and all", /\ba(?:ny|ll)\(/u],
  ["copies by the group", /async_work_group_copy/u],
  ["strided copies", /async_work_group_strided_copy/u],
  ["second results", /\b(?:modf|fract|frexp)\(/u],
  ["masks that overlap", /v\d+ = [^\n]*\n\s*if \([^\n]*\) \{\n\s*(\w+) = [^\n]*\n\s*\} else \{\n\s*\1 = /u],
  ["loops with several exits", /\) continue;\n\s*if [^\n]* break; \}\n(?:[^}]*\n)?[^\n]* (?:break|goto L\d+); \}/u],
  ["values stored by an exit", /\{ v\d+ = [^\n]*; goto L\d+; \}/u],
  ["jumps back", /\(lid [^\n]*\) goto L\d+;/u],
  ["private arrays filled by loops", /\ba\d+\[(?:8|16|32)\];\n\s*for \(int i\d+ = 0; i\d+ < \d+; i\d+\+\+\) a\d+/u],
  ["elements of each one's own", /\ba\d+\[\(\(lid \* \d/u],
  ["pointers that go along", /\*p\d+\+\+ = /u],
  ["elements that change places", /(a\d+)\[x\d+\] = \1\[y\d+\];/u],
  ["returns beyond a border", /if \(lin >= \d+u\) return;/u],
  ["returns before barriers", /\) return;\n(?:[^}]*\n)?\s*barrier\(/u],
  ["returns in loops", /(?:for|while) \([^\n]*\{\n(?:[^}]*\n)?[^\n]*\) return;/u],
  ["rows side by side", /out \+ ROWS \+ \d/u],
  ["conditions at borders", /\(lid [<>=!]+ \d+u\)/u],
  ["clamped indices", /clamp\(\(int\)lid - \d, 0/u],
  ["short circuits of one and many", /\) (?:&&|\|\|) \(\(/u],
  ["three lanes", /\b\w+3\)\(/u],
  ["sixteen lanes", /\b\w+16\)\(/u],
  ["float", /\bfloat v/u],
  ["double", /\bdouble v/u],
  ["vector conditions", /\b(?:int|long|short|char)4\)\([^;]* \? /u],
  ["octal literals", /\)0[1-7]+\b/u],
  ["hexadecimal floats", /0x1\.[0-9a-f]+p/u],
];

describe("programs", () => {
  const programs = Array.from({ length: 500 }, (_, i) => generate(i + 1));
  const texts = programs.map(({ tree }) => render(tree));

  test.each(FORMS)("show %s", (_, pattern) => {
    expect(texts.some((text) => pattern.test(text))).toBe(true);
  });

  test("a seed decides everything", () => {
    expect(render(generate(77).tree)).toBe(render(generate(77).tree));
    expect(generate(77).launch).toEqual(generate(77).launch);
    expect(new Set(texts).size).toBe(texts.length);
  });

  test("have launches of one to three dimensions, ragged ones where that is allowed", () => {
    expect(new Set(programs.map(({ launch }) => launch.global.length))).toEqual(new Set([1, 2, 3]));
    const ragged = programs.filter(({ launch }) =>
      launch.global.some((size, axis) => size % (launch.local[axis] ?? 1) !== 0),
    );
    expect(ragged.length).toBeGreaterThan(20);
    expect(ragged.every(({ portable }) => !portable)).toBe(true);
    expect(programs.some(({ launch }) => launch.offset.some((offset) => offset > 0))).toBe(true);
  });
});

test("choices occur in proportion to their weight", () => {
  const random = randomFrom(5);
  const rows = [
    { weight: 1, name: "rare" },
    { weight: 9, name: "common" },
    { weight: 0, name: "never" },
  ];
  const picked = Array.from({ length: 10_000 }, () => random.weighted(rows).name);
  expect(picked.filter((name) => name === "rare").length).toBeGreaterThan(850);
  expect(picked.filter((name) => name === "rare").length).toBeLessThan(1150);
  expect(picked).not.toContain("never");
  expect(() => random.pick([])).toThrow(RangeError);
});

test("the reducer keeps what matters and little else", () => {
  const { tree } = generate(12);
  const before = render(tree);
  const wanted = /\bget_global_id\(0\)/u;
  const { root, tried } = reduce(tree, (smaller) => wanted.test(render(smaller)));
  expect(render(tree)).toBe(before);
  expect(render(root)).toMatch(wanted);
  expect(render(root).split("\n").length).toBeLessThan(8);
  expect(tried).toBeLessThan(3000);
});

describe("the command line", () => {
  test("returns ranges, jobs and folders", () => {
    expect(readSettings(["--seeds=3..9", "--jobs=2", "--native=5"])).toEqual({
      first: 3,
      last: 9,
      jobs: 2,
      machineCode: false,
      native: 5,
      out: "out/differential",
      print: false,
      share: false,
      spirv: 0,
    });
    expect(readSettings(["--seeds", "7", "--print"])).toMatchObject({ first: 7, last: 7, print: true });
  });

  test.each([["--seeds=9..3"], ["--seeds=x"], ["--jobs=many"], ["--nothing"]])("refuses %s", (word) => {
    expect(() => readSettings([word])).toThrow(TypeError);
  });
});
