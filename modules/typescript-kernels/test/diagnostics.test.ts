// SPDX-License-Identifier: Apache-2.0
// Every diagnostic: where it points, and that nothing else is said.
import { expect, test } from "vitest";

import { lineAndColumn } from "@muxkit/report";
import { DIAGNOSTICS, translate } from "@muxkit/typescript-kernels";

import { IMPORT, inKernel, translateText } from "./rig.ts";

/** Code, what the kernel does, and the text that the diagnostic marks. */
const IN_KERNELS: readonly (readonly [code: string, body: string, marked: string])[] = [
  ["TK1002", "for (const k in x) { }", "for (const k in x) { }"],
  ["TK1002", "class A { }", "class A { }"],
  ["TK1002", "debugger;", "debugger;"],
  ["TK1002", "for (const k of x) { }", "for (const k of x) { }"],
  ["TK1003", "x[0] = new Thing();", "new Thing()"],
  ["TK1003", "x[0] = this.a;", "this"],
  ["TK1003", "x[0] = typeof a;", "typeof a"],
  ["TK1003", "x[0] = (a, a);", "a, a"],
  ["TK1004", "await a;", "await a"],
  ["TK1005", 'x[0] = "abc";', '"abc"'],
  ["TK1005", "x[0] = `${a}`;", "`${a}`"],
  ["TK1006", "const o = { a: 1 };", "{ a: 1 }"],
  ["TK1006", "const o = [1, 2];", "[1, 2]"],
  ["TK1006", "const y = x;", "x"],
  ["TK1007", "const f = () => a;", "() => a"],
  ["TK1007", "function f() { }", "function f() { }"],
  ["TK1008", "var y = a;", "var y = a"],
  ["TK1009", "const [p, q] = x; x[0] = p;", "[p, q]"],
  ["TK1009", "const [p, q] = [a];", "[p, q]"],
  ["TK1009", "const [p = 1, q] = [a, a];", "[p = 1, q]"],
  ["TK1009", "const { x: { y } } = v;", "{ x: { y } }"],
  ["TK2007", "const [p, q] = [x, a];", "x"],
  ["TK2011", "const { x, q } = v;", "q"],
  ["TK2007", "let p = a; let q = i; [p, q] = [q, p];", "q"],
  ["TK1010", "throw a;", "throw a;"],
  ["TK1010", "try { } catch { }", "try { } catch { }"],
  ["TK2001", "let y: any = a;", "any"],
  ["TK2001", "let y: unknown;", "unknown"],
  ["TK2002", "let y: number = a;", "number"],
  ["TK2002", "let y: bigint;", "bigint"],
  ["TK2003", "let y: string;", "string"],
  ["TK2003", "let y: Map<int, int>;", "Map<int, int>"],
  ["TK2004", "x[0] = a + i;", "a + i"],
  ["TK2004", "n[0] = i + u;", "i + u"],
  ["TK2004", "n[0] = i + 0.5;", "i + 0.5"],
  ["TK2004", "n[0] = i ** 2;", "i ** 2"],
  ["TK2005", "n[0] = i / 2;", "i / 2"],
  ["TK2006", "if (i) n[0] = 1;", "i"],
  ["TK2006", "while (a) { }", "a"],
  ["TK2006", "n[0] = i ? 1 : 2;", "i"],
  ["TK2006", "const b = !i;", "!i"],
  ["TK2006", "const b = i && i;", "i && i"],
  ["TK2007", "n[0] = a;", "a"],
  ["TK2007", "let y: uint = i;", "i"],
  ["TK2008", "n[0] = 3n;", "3n"],
  ["TK2008", "let y: uchar = i > 0 ? 1 : 256;", "i > 0 ? 1 : 256"],
  ["TK2008", "let y: uchar = 256;", "256"],
  ["TK2008", "let y: uint = -1;", "-1"],
  ["TK2008", "n[0] = 1.5;", "1.5"],
  ["TK2009", "n[0] = ~a;", "~a"],
  ["TK2009", "x[0] = a | a;", "a | a"],
  ["TK2009", "x[0] = a[0];", "a[0]"],
  ["TK2010", "const w = v + v;", "v + v"],
  ["TK2011", "x[0] = v.q;", "q"],
  ["TK2011", "x[0] = v.s7;", "s7"],
  ["TK2012", "let w = v; w.xx = float2(1, 2);", "w.xx"],
  ["TK2014", "x[0] = v.plus(v);", "v.plus(v)"],
  ["TK2014", "n[0] = item.getColour();", "item.getColour()"],
  ["TK2014", "n[0] = x.length;", "length"],
  ["TK2015", "r[0] = 1;", "r[0]"],
  ["TK2015", "const y = a; y = a;", "y"],
  ["TK2017", "1 = a;", "1"],
  ["TK2017", "x = r;", "x"],
  ["TK2018", "x[a] = 1;", "a"],
  ["TK2019", "m[0] = 1;", "m[0]"],
  ["TK2020", "const w = float4(1, 2);", "float4(1, 2)"],
  ["TK2020", "const w = float4(v, 2);", "float4(v, 2)"],
  ["TK2021", "const w = float4(float2(1, 2));", "float4(float2(1, 2))"],
  ["TK2021", "x[0] = float(v);", "float(v)"],
  ["TK2023", "const y = privateArray(float, i);", "i"],
  ["TK2023", "n[0] = item.getGlobalId(i);", "i"],
  ["TK2023", "switch (i) { case u > 3 ? 1 : i: break; }", "u > 3 ? 1 : i"],
  ["TK2024", "let y;", "y"],
  ["TK2025", "const y = long(i) >>> 3;", "long(i) >>> 3"],
  ["TK2026", "n[i++] += 1;", "n[i++]"],
  ["TK2027", "const y = i > 0 ? a : i;", "i > 0 ? a : i"],
  ["TK3001", "x[0] = unknownThing;", "unknownThing"],
  ["TK3001", "x[0] = unknownFunction(a);", "unknownFunction"],
  ["TK3005", "x[0] = a(1);", "a(1)"],
  ["TK3006", "x[0] = float(a, a);", "float(a, a)"],
  ["TK3008", "x[0] = sqrt(i);", "sqrt(i)"],
  ["TK3008", "x[0] = clamp(a, i, a);", "clamp(a, i, a)"],
  ["TK3008", "n[0] = popcount(a);", "popcount(a)"],
  ["TK3010", "x[0] = kernel(a);", "kernel(a)"],
  ["TK3010", "x[0] = Math.random();", "Math.random()"],
  ["TK3010", "console.error(a);", "console.error(a)"],
  ["TK4006", "return a;", "a"],
  ["TK4008", "if (i > 0) { const t = localArray(float, 4); }", "localArray(float, 4)"],
  ["TK4008", "let t = localArray(float, 4);", "localArray(float, 4)"],
  ["TK4010", "n[0] = item.getGlobalId(2);", "item.getGlobalId(2)"],
  ["TK2011", "x[0] = v[4];", "4"],
  ["TK2018", "x[0] = v[a];", "a"],
  ["TK2026", "let w = v; w[n[0]++] += 1;", "w[n[0]++]"],
  ["TK2017", "let w = v; w.xy[i] = 1;", "w.xy[i]"],
  ["TK4013", "const p = privateArray(int, 2); atomicRef(p, 0).fetchAdd(1);", "p"],
  ["TK4013", "atomicRef(v, 0).fetchAdd(1);", "v"],
  ["TK4017", "atomicRef(x, 0).fetchXor(1);", "atomicRef(x, 0).fetchXor(1)"],
  ["TK4014", 'atomicRef(n, 0, "sloppy").fetchAdd(1);', '"sloppy"'],
  ["TK4014", 'atomicRef(n, 0, "relaxed", "galaxy").fetchAdd(1);', '"galaxy"'],
  ["TK4018", 'item.barrier("nowhere");', '"nowhere"'],
  ["TK4018", 'item.barrier("local", "country");', '"country"'],
  ["TK4015", "console.log(...x);", "...x"],
];

/** Code, a whole file behind the import, and the marked text. */
const IN_FILES: readonly (readonly [code: string, text: string, marked: string])[] = [
  ["TK1001", "const k = kernel(() => { if ( });", "}"],
  ["TK1004", "const k = kernel(async (x: Accessor<float>) => { });", "async (x: Accessor<float>) => { }"],
  [
    "TK2013",
    "const R = record({ a: float }); type R = RecordOf<typeof R>; " +
      "const k = kernel((r: R, x: Accessor<float>) => { x[0] = r.b; });",
    "b",
  ],
  ["TK2016", 'const k = kernel((x: Accessor<float, "write">) => { x[0] += 1; });', "x[0]"],
  ["TK2016", 'const k = kernel((x: Accessor<float, "write">, y: Accessor<float>) => { y[0] = x[0]; });', "x[0]"],
  [
    "TK2022",
    "const f = (a: int) => { if (a > 0) return; return a; }; const k = kernel((x: Accessor<int>) => { x[0] = f(1); });",
    "a",
  ],
  ["TK3002", "let rate = 1; const k = kernel((x: Accessor<float>) => { x[0] = rate; });", "rate"],
  ["TK3002", "let rate = 1; const k = kernel((x: Accessor<float>) => { rate = x[0]; });", "rate"],
  ["TK3003", "const rate = Date.now(); const k = kernel((x: Accessor<float>) => { x[0] = rate; });", "rate"],
  ["TK3004", 'import { f } from "elsewhere"; const k = kernel((x: Accessor<float>) => { x[0] = f(1); });', "f(1)"],
  [
    "TK3007",
    "const f = (a: float): float => a; const k = kernel((x: Accessor<float>, n: int) => { x[0] = f(n); });",
    "n",
  ],
  [
    "TK3009",
    "function f(a: int): int { return f(a - 1); } const k = kernel((x: Accessor<int>) => { x[0] = f(1); });",
    "f(a - 1)",
  ],
  ["TK3011", 'import { f } from "./nowhere"; const k = kernel((x: Accessor<float>) => { x[0] = f(1); });', "f(1)"],
  ["TK3012", 'import { g } from "./other"; const k = kernel((x: Accessor<float>) => { x[0] = g(1); });', "g(1)"],
  ["TK3013", "const f = <T extends int>(): int => 1; const k = kernel((x: Accessor<int>) => { x[0] = f(); });", "f()"],
  ["TK4001", "const f = () => { }; const k = kernel(f);", "kernel(f)"],
  ["TK4002", "use(kernel((x: Accessor<float>) => { }));", "kernel((x: Accessor<float>) => { })"],
  ["TK4003", "const k = kernel((x) => { });", "x"],
  ["TK4004", "const k = kernel((x: int = 3) => { });", "x: int = 3"],
  ["TK4005", "const k = kernel((b: boolean) => { });", "b: boolean"],
  ["TK2003", 'const k = kernel((m: ImageAccessor<float2, "read">) => { });', 'ImageAccessor<float2, "read">'],
  ["TK2014", 'const k = kernel((m: ImageAccessor<float4, "write">) => { m.read(int2(0, 0)); });', "m.read(int2(0, 0))"],
  ["TK2007", "const k = kernel((m: SampledImageAccessor<float4>) => { m.read(int2(0, 0)); });", "int2(0, 0)"],
  ["TK4010", "const k = kernel((m: SampledImageAccessor<float4>) => { m.getRange(2); });", "m.getRange(2)"],
  ["TK1006", "const k = kernel((m: SampledImageAccessor<float4>) => { const n = m; });", "m"],
  ["TK4019", 'const k = kernel((s: Reducer<float, "minus">) => { });', 'Reducer<float, "minus">'],
  ["TK4019", 'const k = kernel((s: Reducer<float, "bit_and">) => { });', 'Reducer<float, "bit_and">'],
  ["TK4019", "const k = kernel((s: Reducer<float>) => { });", "Reducer<float>"],
  [
    "TK4019",
    "const f = (a: int, b: int): int => a; const k = kernel((s: Reducer<float, typeof f>) => { });",
    "Reducer<float, typeof f>",
  ],
  ["TK4019", "const k = kernel((s: Reducer<float, typeof missing>) => { });", "Reducer<float, typeof missing>"],
  ["TK2014", 'const k = kernel((s: Reducer<float, "plus">) => { s.add(1); });', "s.add(1)"],
  ["TK2007", 'const k = kernel((s: Reducer<float, "plus">, i: int) => { s.combine(i); });', "i"],
  ["TK1006", 'const k = kernel((s: Reducer<float, "plus">) => { const t = s; });', "s"],
  ["TK4007", "const k = kernel((a: float, item: Item<1>) => { });", "item: Item<1>"],
  ["TK4009", "const k = kernel((item: Item<1>) => { item.barrier(); });", "item.barrier()"],
  [
    "TK4009",
    "const k = kernel((item: Item<1>, n: Accessor<int>) => { n[0] = item.getLocalId(0); });",
    "item.getLocalId(0)",
  ],
  ["TK4011", "const R = record({ a: 5 }); type R = RecordOf<typeof R>; const k = kernel((r: R) => { });", "typeof R"],
  [
    "TK4012",
    "const s = specConstant(int, Date.now()); const k = kernel((n: Accessor<int>) => { n[0] = s.value; });",
    "specConstant(int, Date.now())",
  ],
  [
    "TK4016",
    "const k = kernel(() => { }); { } const l = kernel(() => { }); export const m = l; const k = kernel(() => { });",
    "kernel(() => { })",
  ],
];

const OTHER = { "/app/other.ts": "export const f = 1;" };

function found(text: string): readonly (readonly [code: string, marked: string])[] {
  return translateText(text, OTHER).diagnostics.map(({ code, span }) => [
    code,
    span === null ? "" : span.file.text.slice(span.start, span.end),
  ]);
}

test.each(IN_KERNELS)("%s: %s", (code, body, marked) => {
  expect(found(inKernel(body))[0]).toEqual([code, marked]);
});

test.each(IN_FILES)("%s: %s", (code, text, marked) => {
  expect(found(IMPORT + text)[0]).toEqual([code, marked]);
});

test("each diagnostic is shown by a test", () => {
  const shown = new Set([...IN_KERNELS, ...IN_FILES].map(([code]) => code));
  // What a compiler says of the OpenCL C is shown where one compiles it: source/muxkit/test/typescript-plugin.test.ts.
  expect(DIAGNOSTICS.map(({ code }) => code).filter((code) => !shown.has(code))).toEqual(["TK4901"]);
});

test("codes are unique and each says what to write instead", () => {
  expect(new Set(DIAGNOSTICS.map(({ code }) => code)).size).toBe(DIAGNOSTICS.length);
  for (const { help } of DIAGNOSTICS) expect(help).toMatch(/\.$/u);
});

test("all errors of a file are told at once, in its order, with their lines and columns", () => {
  const { diagnostics, unit } = translateText(inKernel("x[0] = a + i;\nn[0] = a;\nlet y: number;\nif (i) return;"));
  expect(
    diagnostics.map(({ code, span }) => [code, span === null ? null : lineAndColumn(span.file, span.start)]),
  ).toEqual([
    ["TK2004", { line: 3, column: 8 }],
    ["TK2007", { line: 4, column: 8 }],
    ["TK2002", { line: 5, column: 8 }],
    ["TK2006", { line: 6, column: 5 }],
  ]);
  expect(unit).toBeNull();
});

test("an error has one message: what uses the value is silent", () => {
  expect(found(inKernel("const y = a + i; const z = y * y; x[0] = z + 1;"))).toHaveLength(1);
});

test("an error in another file is told of that file", () => {
  const others = {
    "/app/other.ts": 'import { type float } from "muxkit/sycl";\nexport const f = (a: float): float => a + b;',
  };
  const { diagnostics } = translate({
    path: "/app/main.ts",
    text: `${IMPORT}import { f } from "./other";\nconst k = kernel((x: Accessor<float>) => { x[0] = f(1); });`,
    readFile: (path) => (path === "/app/other.ts" ? others[path] : null),
  });
  expect(diagnostics.map(({ code, span }) => [code, span?.file.name])).toEqual([["TK3001", "/app/other.ts"]]);
});
